"""`scrapy robots tester`: a local page to try robots.txt files on."""

from __future__ import annotations

import sys
import webbrowser
from contextlib import suppress
from typing import Any

from ...rep import DIALECTS
from ..arguments import Options, UsageError
from ..inputs import read
from ..terminal import print_line
from .server import Server


def run(options: Options) -> int:
    """Serve until the user interrupts it; then 0."""
    if options.args:
        raise UsageError(f"tester takes no arguments, not {options.args[0]!r}; use --robots FILE")
    try:
        server = Server(options.port, _start_values(options), options.user_agent, options.guard)
    except (OSError, OverflowError) as error:
        raise UsageError(f"cannot listen on port {options.port}: {error}") from None
    with server, suppress(KeyboardInterrupt):
        print_line(f"The tester is at {server.url} (this machine only); Ctrl-C ends it.")
        sys.stdout.flush()
        if options.browser:
            webbrowser.open(server.url)
        server.serve_forever()
    return 0


def _start_values(options: Options) -> dict[str, Any]:
    """The values of the page's fields at its start."""
    octets = (
        read(options.robots, options.user_agent, guard=options.guard).octets
        if options.robots
        else b""
    )
    return {
        "robots": octets.decode("utf-8", "replace"),
        "agent": options.agent,
        "dialect": options.dialect.name
        if options.dialect.name in DIALECTS
        else next(iter(DIALECTS)),
        "dialects": list(DIALECTS),
    }
