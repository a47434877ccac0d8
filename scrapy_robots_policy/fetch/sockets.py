"""How many sockets fetches of robots.txt may have in this process (`core.gate`)."""

from __future__ import annotations

import sys

from scrapy.utils.reactor import is_reactor_installed
from twisted.internet.selectreactor import SelectReactor

MAX_SOCKETS = 4_000
FILES_LEFT = 256  # open files that pages, logs and feeds are left


def max_sockets() -> int:
    """How many sockets robots.txt may take in this process, by how many it may have."""
    return max(min(MAX_SOCKETS, min(_open_files(), _watched_sockets()) - FILES_LEFT), 1)


def _open_files() -> int:
    """How many files and sockets the process may have open."""
    if sys.platform == "win32":
        return sys.maxsize
    import resource  # noqa: PLC0415 - there is none on Windows

    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return sys.maxsize if soft == resource.RLIM_INFINITY else soft


def _watched_sockets() -> int:
    """How many sockets the event loop can wait for. With one more in select(), asyncio's loop ends,
    and a Twisted reactor closes sockets.
    """
    if sys.platform == "win32":
        return 512  # of CPython's select(), by which each event loop waits that Twisted can use
    if is_reactor_installed():
        from twisted.internet import reactor  # noqa: PLC0415 - importing it installs one

        if isinstance(reactor, SelectReactor):
            return 1024  # FD_SETSIZE
    return sys.maxsize
