"""A web on loopback addresses, in threads of its own: each site answers as its script says.

Raw sockets, since much of what is tested is HTTP that goes wrong.
"""

from __future__ import annotations

import random
import socket
import struct
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

# Lower than those that systems give to connections and to servers that ask for any: what has just
# been free stays so, and no client that tries a server again and again is connected to itself.
_PORTS = iter(random.SystemRandom().sample(range(10_000, 30_000), 20_000))
NO_PAGES = ("/robots.txt", "/.well-known/tdmrep.json")
GATE_DEADLINE = 240.0  # seconds, after which a gate that nobody opens is passed


@dataclass(frozen=True)
class Answer:
    """What is sent back.

    after    seconds before it; None: never
    gate     a site's gate to wait for, in place of a time
    reset    bytes of the body after which the connection is reset; None: it is not
    promise  bytes that Content-Length tells of; None: as many as there are
    raw      all that is sent, head and body, before the connection is closed; None: HTTP as it is
    drip     seconds between two bytes of the body, or of `raw`
    """

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    after: float | None = 0
    gate: str = ""
    reset: int | None = None
    promise: int | None = None
    raw: bytes | None = None
    drip: float = 0.0


def robots(text: str, **more: Any) -> Answer:
    headers = {"Content-Type": "text/plain", **more.pop("headers", {})}
    return Answer(text.encode(), headers=headers, **more)


def moved(to: str) -> Answer:
    return Answer(status=301, headers={"Location": to})


def free_port() -> int:
    """A port of 127.0.0.1 that nobody listens at, another one each time."""
    while True:
        port = next(_PORTS)
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


PAGE = Answer(b"<html><title>page</title></html>", headers={"Content-Type": "text/html"})


class Opener:
    """A page that opens gates when it has been asked for so many times, on one site or several."""

    def __init__(self, count: int, *gates: threading.Event) -> None:
        self.left, self.gates = count, gates
        self._lock = threading.Lock()

    def __call__(self, _headers: Mapping[str, str]) -> Answer:
        with self._lock:
            self.left -= 1
            if self.left == 0:
                for gate in self.gates:
                    gate.set()
        return PAGE


@dataclass(frozen=True)
class Hit:
    """One request; `asked_at` and `answered_at` by the monotonic clock, 0 if never."""

    path: str
    headers: Mapping[str, str]
    asked_at: float
    answered_at: float


class Site:
    """One origin. `script` gives, by path, an answer, answers one after the other (the last one
    stays), or a function of the request's headers; other paths are pages.
    """

    def __init__(
        self,
        script: Mapping[str, Answer | Sequence[Answer] | Callable[[Mapping[str, str]], Answer]],
        address: str = "127.0.0.1",
    ) -> None:
        self.script = dict(script)
        self.hits: list[Hit] = []
        self.busy, self.busiest = 0, 0
        self._turns: dict[str, int] = {}
        self._gates: dict[str, threading.Event] = {}
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._listener = socket.create_server((address, 0), backlog=512)
        self.origin = f"http://{address}:{self._listener.getsockname()[1]}"
        self._listening = threading.Thread(target=self._listen, daemon=True)
        self._listening.start()

    def __enter__(self) -> Site:  # noqa: PYI034 - Self is new in Python 3.11
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def url(self, path: str = "/") -> str:
        return self.origin + path

    @property
    def paths(self) -> list[str]:
        """What was asked for, in order."""
        return [hit.path for hit in self.hits]

    def count(self, path: str) -> int:
        return self.paths.count(path)

    @property
    def pages(self) -> list[str]:
        """The paths asked for but for robots.txt and tdmrep.json, sorted."""
        return sorted(path for path in self.paths if not path.startswith(NO_PAGES))

    def gate(self, name: str) -> threading.Event:
        with self._lock:
            return self._gates.setdefault(name, threading.Event())

    def close(self) -> None:
        self._closing.set()
        for gate in self._gates.values():
            gate.set()
        # To close it alone leaves a thread in `accept`, by a number which the next site may get.
        with suppress(OSError):  # where to close it is enough
            self._listener.shutdown(socket.SHUT_RDWR)
            self._listening.join()
        self._listener.close()

    def _listen(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as lines:
            try:
                while self._exchange(connection, lines):
                    pass
            except OSError:
                return

    def _exchange(self, connection: socket.socket, lines: Any) -> bool:
        """One request and its answer; False where the connection is over."""
        first = lines.readline().decode("latin-1").split()
        if len(first) != 3:
            return False
        headers = _read_headers(lines)
        lines.read(int(headers.get("content-length", 0)))
        asked_at = time.monotonic()
        with self._lock:
            self.busy += 1
            self.busiest = max(self.busiest, self.busy)
            place = len(self.hits)
            self.hits.append(Hit(first[1], headers, asked_at, 0.0))
            answer = self._answer(first[1], headers)
        over = self._closing.wait(answer.after)
        if answer.gate:
            self.gate(answer.gate).wait(GATE_DEADLINE)
        with self._lock:
            self.busy -= 1
            self.hits[place] = replace(self.hits[place], answered_at=time.monotonic())
        return not over and not self._closing.is_set() and self._send(connection, answer)

    def _answer(self, path: str, headers: Mapping[str, str]) -> Answer:
        script = self.script.get(path, PAGE)
        if isinstance(script, Answer):
            return script
        if callable(script):
            return script(headers)
        turn = self._turns.get(path, 0)
        self._turns[path] = turn + 1
        return script[min(turn, len(script) - 1)]

    def _send(self, connection: socket.socket, answer: Answer) -> bool:
        if answer.raw is not None:
            self._send_bytes(connection, answer.raw, answer.drip)
            return False
        length = len(answer.body) if answer.promise is None else answer.promise
        head = {"Content-Length": str(length), **answer.headers}
        lines = [f"HTTP/1.1 {answer.status} Test", *(f"{name}: {head[name]}" for name in head)]
        connection.sendall("\r\n".join([*lines, "", ""]).encode("latin-1"))
        if answer.reset is not None:
            connection.sendall(answer.body[: answer.reset])
            # Without lingering, to close sends RST.
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.shutdown(socket.SHUT_RD)
            return False
        self._send_bytes(connection, answer.body, answer.drip)
        return answer.promise is None

    def _send_bytes(self, connection: socket.socket, data: bytes, drip: float) -> None:
        if not drip:
            connection.sendall(data)
            return
        for byte in data:
            if self._closing.wait(drip):
                return
            connection.sendall(bytes([byte]))


def _read_headers(lines: Any) -> dict[str, str]:
    headers = {}
    while (line := lines.readline().decode("latin-1").strip()) != "":
        name, _, value = line.partition(":")
        headers[name.strip().lower()] = value.strip()
    return headers
