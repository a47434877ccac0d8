"""Names of hosts for a crawl in a process of its own, some of which take long to look up."""

from __future__ import annotations

import socket
import threading
from typing import Any

from scrapy.settings import BaseSettings

PACE = 0.4  # seconds for which a name without an address holds its thread


class SlowNames:
    """An add-on. In its process, live.test has the address of TEST_ADDRESS, and all other names
    below .test have none, which is known after `PACE` seconds.
    """

    def update_settings(self, settings: BaseSettings) -> None:
        self.address = settings["TEST_ADDRESS"]
        self.addresses_of, self.address_of = socket.getaddrinfo, socket.gethostbyname
        socket.getaddrinfo, socket.gethostbyname = self.find_all, self.find_one  # type: ignore[assignment] # fewer types of arguments

    def find_one(self, name: str) -> str:
        return self.address_of(self._known(name))

    def find_all(self, name: Any, *arguments: Any, **named: Any) -> Any:
        text = name.decode() if isinstance(name, bytes) else name
        return self.addresses_of(self._known(text), *arguments, **named)

    def _known(self, name: str) -> str:
        if name == "live.test":
            return self.address
        if str(name).endswith(".test"):
            threading.Event().wait(PACE)
            raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")
        return name
