"""A million URLs of one file, all different: how many are answered in a second.

Each parser is given its fastest way: of fastrobots its `Agent`.
One that is slow is stopped after some seconds; its rate is that of the URLs it came to.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from corpus import COMMON, SITE, folder, paths_of_rules
from peers import Peer

FILES = (
    "www.amazon.com",
    "en.wikipedia.org",
    "docs.oracle.com",
)  # 62 wildcards; none; 31,843 rules
AGENT = "FooBot"
URLS = 1_000_000
PORTION = 500  # URLs that are made before the clock runs
LONGEST = 3.0  # seconds for one parser and one file

clock = time.thread_time


def columns() -> list[str]:
    return [f"{name}: URLs a second" for name in FILES]


def row(peer: Peer, count: int = URLS) -> list[str]:
    return [peer.name, *(f"{_rate(peer, _body(name), count):,.0f}" for name in FILES)]


def _body(name: str) -> bytes:
    return (folder() / name).read_bytes()


def _rate(peer: Peer, body: bytes, count: int) -> float:
    check = peer.check(peer.parse(body), AGENT)
    check(peer.address(SITE + "/first"))
    check(peer.address(SITE + "/second"))  # an index may be made at the second question
    answered, spent = 0, 0.0
    for urls in _portions(body, count):
        addresses = [peer.address(url) for url in urls[: peer.per_file]]
        began = clock()
        for address in addresses:
            check(address)
        spent += clock() - began
        answered += len(addresses)
        if spent > LONGEST:
            break
    return answered / spent


def _portions(body: bytes, count: int) -> Iterator[list[str]]:
    """Half of the paths are made from the file's rules, half are such as any site has."""
    from_rules = paths_of_rules(body)
    for start in range(0, count, PORTION):
        yield [SITE + _path(n, from_rules) for n in range(start, start + PORTION)]


def _path(number: int, from_rules: list[str]) -> str:
    paths = COMMON if number % 2 else from_rules
    return f"{paths[number // 2 % len(paths)]}-{number}"
