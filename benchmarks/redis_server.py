"""A Redis of one's own, that can be killed and started anew.

with RedisServer() as redis:
    redis.url
"""

from __future__ import annotations

import socket
import subprocess
import time
from typing import Any

import redis

START = 10.0  # seconds


class RedisServer:
    """On a free port, in memory only: it begins empty each time that it is started."""

    def __init__(self, *options: str) -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:
            self.port: int = server.getsockname()[1]
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.client = redis.Redis.from_url(self.url)
        fixed = ("--bind", "127.0.0.1", "--save", "", "--loglevel", "warning")
        self._command = ("redis-server", "--port", str(self.port), *fixed, *options)

    def __enter__(self) -> RedisServer:  # noqa: PYI034 - Self is new in Python 3.11
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()
        self.kill()

    def start(self) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - fixed
            self._command, stdout=subprocess.DEVNULL
        )
        give_up = time.monotonic() + START
        while not self.answers():
            if time.monotonic() > give_up:
                self.kill()
                raise TimeoutError(" ".join(self._command))
            time.sleep(0.02)

    def answers(self) -> bool:
        try:
            return bool(self.client.ping())
        except redis.ConnectionError:
            return False

    def kill(self) -> None:
        """As `kill -9` does it."""
        self._process.kill()
        self._process.wait()

    def info(self, section: str) -> dict[str, Any]:
        facts: dict[str, Any] = self.client.info(section)
        return facts
