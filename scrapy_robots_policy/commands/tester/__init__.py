"""`scrapy robots tester`: a local page to try robots.txt files on."""

from __future__ import annotations

import sys
import webbrowser
from contextlib import suppress
from threading import Thread
from typing import Any

from ...rep import DIALECTS, FetchResult
from ...rep.agents import crawlers
from ...rep.escapes import shown
from ...rep.usage import LEVELS, NO_USE, PURPOSES, DeclaredUse
from ..arguments import Options, UsageError
from ..printing.terminal import print_line
from ..printing.verdict_data import ANSWERS
from ..reading.download import is_web
from ..reading.inputs import in_words, read_file, robots_txt_of
from ..verbs.blocked import by_category
from .server import Server, as_fetched, fetch_for_page

PORT = 9309  # always the same one, so that links live on


def run(options: Options) -> int:
    """Serve until the user interrupts it; then 0."""
    if options.args:
        raise UsageError(f"tester takes no arguments, not {options.args[0]!r}; use --robots FILE")
    with _server(options) as server, suppress(KeyboardInterrupt):
        print_line(f"The tester is at {server.url} (this machine only); Ctrl-C ends it.")
        sys.stdout.flush()
        if options.browser:
            # A browser in the terminal, such as w3m, loads the page before `open` comes back.
            Thread(target=webbrowser.open, args=(server.url,), daemon=True).start()
        server.serve_forever()
    return 0


def _server(options: Options) -> Server:
    """On the port that is asked for, 0 is any; else on the usual one, or on any if it is taken."""
    start_values = start_values_of(options)
    with suppress(OSError):
        if options.port is None:
            return Server(PORT, start_values, options.user_agent, options.guard)
    try:
        return Server(options.port or 0, start_values, options.user_agent, options.guard)
    except OSError as error:
        port = PORT if options.port is None else options.port
        why = f"{error.strerror}; --port 0 takes any free one"
        raise UsageError(f"cannot listen on port {port}: {why}") from None


def start_values_of(options: Options) -> dict[str, Any]:
    """The values of the page's fields at its start, and what it may choose from.

    source  the robots.txt that --robots names, and what came of it; None: the page's example
    """
    source = None
    if options.robots:
        robots = robots_txt_of(options.robots)
        source = {"url": shown(in_words(robots)), **as_fetched(_result(robots, options))}
    is_known = options.dialect.name in DIALECTS
    return {
        "source": source,
        "agent": options.agent,
        "dialect": options.dialect.name if is_known else next(iter(DIALECTS)),
        "dialects": list(DIALECTS),
        "answers": list(ANSWERS),
        "crawlers": crawlers_by_kind(),
        **uses_of(options.use),
    }


def uses_of(declared: DeclaredUse = NO_USE) -> dict[str, Any]:
    """The uses that the page lets a crawl declare.

    declared  what the project declares; without a purpose and a level, all purposes
    """
    purposes = declared.purposes if declared.purposes or declared.level else PURPOSES
    return {
        "purposes": {name: name in purposes for name in PURPOSES},
        "levels": LEVELS,
        "level": declared.level,
    }


def _result(source: str, options: Options) -> FetchResult:
    if not is_web(source):
        return read_file(source)
    return fetch_for_page(source, options.user_agent, options.guard)


def crawlers_by_kind() -> dict[str, list[str]]:
    """The names of all known crawlers, for a list to choose from."""
    groups = by_category(crawlers())
    return {category.value: [agent.name for agent in group] for category, group in groups}
