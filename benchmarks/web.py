"""A web of many hosts on loopback addresses, in a process of its own, that logs all requests."""

from __future__ import annotations

import asyncio
import multiprocessing
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

MAX_LISTENERS = 500
FORK = multiprocessing.get_context("fork")  # an answer may be any function


@dataclass(frozen=True)
class Reply:
    """`after` in seconds; None: never. `reset`: the connection is cut in place of an answer.

    headers  lines beside Content-Type and Content-Length, each with its CRLF
    missing  bytes that Content-Length promises and that never come; then the connection is cut
    """

    body: bytes = b"<html><title>page</title></html>"
    status: int = 200
    after: float | None = 0.0
    kind: str = "text/html"
    reset: bool = False
    headers: str = ""
    missing: int = 0


class Hit(NamedTuple):
    """`asked_at` and `answered_at` by the monotonic clock of the machine; 0: never.

    agent  the User-Agent header
    """

    host: str
    path: str
    asked_at: float
    answered_at: float
    agent: str


def robots(text: str, **more: Any) -> Reply:
    return Reply(text.encode(), kind="text/plain", **more)


def hosts(count: int) -> list[str]:
    """Addresses of the loopback network."""
    return [f"127.0.{1 + n // 200}.{1 + n % 200}" for n in range(count)]


class Web:
    """Hosts that answer as `answer(host, path)` says."""

    def __init__(self, addresses: Iterable[str], answer: Callable[[str, str], Reply]) -> None:
        self.addresses, self.answer = list(addresses), answer

    def __enter__(self) -> Web:  # noqa: PYI034 - Self is new in Python 3.11
        self._here, there = FORK.Pipe()
        self._process = FORK.Process(target=_serve, args=(self.addresses, self.answer, there))
        self._process.start()
        self.port: int = self._here.recv()
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.join()

    def url(self, host: str, path: str) -> str:
        return f"http://{host}:{self.port}{path}"

    def log(self, *, forget: bool = True) -> list[Hit]:
        """All requests since the last were forgotten, in the order in which they came."""
        self._here.send(forget)
        log: list[Hit] = self._here.recv()
        return log


def _serve(addresses: list[str], answer: Callable[[str, str], Reply], control: Connection) -> None:
    asyncio.run(_run(addresses, answer, control))


async def _run(
    addresses: list[str], answer: Callable[[str, str], Reply], control: Connection
) -> None:
    loop = asyncio.get_running_loop()
    log: list[list[Any]] = []

    def send_log() -> None:
        forget = control.recv()
        control.send([Hit(*hit) for hit in log])
        if forget:
            log.clear()

    # A socket for each of many hosts would be more than a system allows: then one accepts for all.
    few = addresses if len(addresses) <= MAX_LISTENERS else ["0.0.0.0"]  # noqa: S104 - for a benchmark
    first = await loop.create_server(lambda: _Http(answer, log), few[0], 0, backlog=1024)
    port = first.sockets[0].getsockname()[1]
    for address in few[1:]:
        await loop.create_server(lambda: _Http(answer, log), address, port, backlog=512)
    loop.add_reader(control.fileno(), send_log)
    control.send(port)
    await loop.create_future()


class _Http(asyncio.Protocol):
    """One connection: GETs one after the other."""

    def __init__(self, answer: Callable[[str, str], Reply], log: list[list[Any]]) -> None:
        self.answer, self.log = answer, log
        self.buffer = b""

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        self.host = transport.get_extra_info("sockname")[0]

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        while b"\r\n\r\n" in self.buffer:
            head, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
            self.request_received(head.decode("latin-1"))

    def request_received(self, head: str) -> None:
        path = head.split(" ", 2)[1]
        agent = head.partition("\r\nUser-Agent: ")[2].partition("\r\n")[0]
        hit = [self.host, path, time.monotonic(), 0.0, agent]
        self.log.append(hit)
        reply = self.answer(self.host, path)
        if reply.after is not None:
            asyncio.get_running_loop().call_later(reply.after, self.send, reply, hit)

    def send(self, reply: Reply, hit: list[Any]) -> None:
        if reply.reset:
            self.transport.abort()
            return
        head = (
            f"HTTP/1.1 {reply.status} Benchmark\r\nContent-Type: {reply.kind}\r\n"
            f"Content-Length: {len(reply.body) + reply.missing}\r\n{reply.headers}\r\n"
        )
        hit[3] = time.monotonic()
        self.transport.write(head.encode() + reply.body)
        if reply.missing:
            self.transport.close()
