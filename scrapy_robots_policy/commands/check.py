"""`scrapy robots check`: may these URLs be fetched? One line in, one line out."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator

from ..rep.dialects.crawlers import crawler_note
from ..rep.escapes import shown
from ..rep.verdict import refuse
from ..resolver.origin import OriginRules
from .arguments import Options, UsageError
from .inputs import Inputs
from .terminal import print_error

Decide = Callable[[str, str], bool]


def run(options: Options) -> int:
    """1 if a URL is disallowed; 2 if a URL has no robots.txt to check, after all other URLs."""
    inputs = Inputs(options)
    note = crawler_note(options.agent)
    if note:
        print_error(note)
    urls = options.args or _urls_from_stdin(options)
    if options.robots:
        decide = _decision(inputs.rules(""), options)
        return _check(urls, options, lambda _: decide)
    return _check(urls, options, lambda url: _decision(inputs.rules(url), options))


def _decision(rules: OriginRules, options: Options) -> Decide:
    """(url, agent) -> whether the crawl would fetch it. A site may also refuse a purpose."""
    if not options.purposes:
        return rules.allowed
    return lambda url, agent: refuse(rules.verdict(url, agent), options.purposes).allowed


def _urls_from_stdin(options: Options) -> Iterator[str]:
    if options.robots == "-":
        raise UsageError("standard input is the robots.txt: give the URLs as arguments")
    if sys.stdin.isatty():
        raise UsageError("check needs URLs, as arguments or on standard input")
    for line in sys.stdin.buffer:
        url = line.decode("utf-8", "replace").strip()
        if url:
            yield url


def _check(urls: Iterable[str], options: Options, decide_for: Callable[[str], Decide]) -> int:
    agent, write = options.agent, sys.stdout.write
    line_of = _json if options.as_json else _plain
    status = 0
    for url in urls:
        try:
            allowed = decide_for(url)(url, agent)
        except UsageError as error:
            print_error(error)
            status = 2
            continue
        if not allowed:
            status = status or 1
        write(line_of(url, allowed))
    return status


def _plain(url: str, allowed: bool) -> str:
    return f"{'allowed   ' if allowed else 'disallowed'}  {shown(url)}\n"


def _json(url: str, allowed: bool) -> str:
    return f'{{"url": {json.dumps(url)}, "allowed": {"true" if allowed else "false"}}}\n'
