"""`scrapy robots check`: may these URLs be fetched?

Knows: a line in, a line out, as fast as the engine goes. Must not know: why.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator

from ..rep.escapes import shown
from ..rep.verdict import refuse
from ..resolver.origin import OriginRules
from .arguments import Options, UsageError
from .inputs import Sources
from .terminal import complain

Decide = Callable[[str, str], bool]


def run(asked: Options) -> int:
    """1 if any URL is disallowed; 2 if one could not be asked about, the others being answered."""
    sources = Sources(asked)
    urls = asked.args or _lines(asked)
    if asked.robots:
        decide = _decision(sources.ruling(""), asked)
        return _answer(urls, asked, lambda _: decide)
    return _answer(urls, asked, lambda url: _decision(sources.ruling(url), asked))


def _decision(ruling: OriginRules, asked: Options) -> Decide:
    """As the crawl decides: where it has a purpose, the owner may refuse a page to that too."""
    if not asked.purposes:
        return ruling.allowed
    return lambda url, agent: refuse(ruling.verdict(url, agent), asked.purposes).allowed


def _lines(asked: Options) -> Iterator[str]:
    if asked.robots == "-":
        raise UsageError("standard input is the robots.txt: give the URLs as arguments")
    if sys.stdin.isatty():
        raise UsageError("check needs URLs, as arguments or on standard input")
    for line in sys.stdin.buffer:
        url = line.decode("utf-8", "replace").strip()
        if url:
            yield url


def _answer(urls: Iterable[str], asked: Options, decide_for: Callable[[str], Decide]) -> int:
    agent, write = asked.agent, sys.stdout.write
    say = _json if asked.as_json else _plain
    status = 0
    for url in urls:
        try:
            allowed = decide_for(url)(url, agent)
        except UsageError as error:
            complain(error)
            status = 2
            continue
        if not allowed:
            status = status or 1
        write(say(url, allowed))
    return status


def _plain(url: str, allowed: bool) -> str:
    return f"{'allowed   ' if allowed else 'disallowed'}  {shown(url)}\n"


def _json(url: str, allowed: bool) -> str:
    return f'{{"url": {json.dumps(url)}, "allowed": {"true" if allowed else "false"}}}\n'
