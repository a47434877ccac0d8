"""`scrapy robots tester`: a local page to try robots.txt files on.

Knows: how to start the page and end it. Must not know: what it answers.
"""

from __future__ import annotations

import sys
import webbrowser
from contextlib import suppress
from typing import Any

from ...rep import DIALECTS
from ..arguments import Options, UsageError
from ..inputs import read
from ..terminal import say
from .server import Server


def run(asked: Options) -> int:
    """Serves until it is interrupted."""
    if asked.args:
        raise UsageError(f"tester takes no arguments, not {asked.args[0]!r}; use --robots FILE")
    try:
        server = Server(asked.port, _given(asked), asked.user_agent)
    except (OSError, OverflowError) as error:
        raise UsageError(f"cannot listen on port {asked.port}: {error}") from None
    with server, suppress(KeyboardInterrupt):
        say(f"The tester is at {server.url} (this machine only); Ctrl-C ends it.")
        sys.stdout.flush()
        if asked.browser:
            webbrowser.open(server.url)
        server.serve_forever()
    return 0


def _given(asked: Options) -> dict[str, Any]:
    """What the command line gives the page to start with."""
    octets = read(asked.robots, asked.user_agent).octets if asked.robots else b""
    return {
        "robots": octets.decode("utf-8", "replace"),
        "agent": asked.agent,
        "dialect": asked.dialect.name if asked.dialect.name in DIALECTS else next(iter(DIALECTS)),
        "dialects": list(DIALECTS),
    }
