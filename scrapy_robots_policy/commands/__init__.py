"""What may be asked at a terminal? `scrapy robots VERB`, and which verb takes which options.

Verbs are plain arguments: argparse's sub-commands would lose Scrapy's options, such as -s.
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from typing import Any, ClassVar

from scrapy.commands import ScrapyCommand

from . import audit_verbs, blocked, check, compare, crawler_list, dialects, explain, lint, tester
from .arguments import Options, UsageError, read_options
from .terminal import print_error

VERBS: dict[str, Callable[[Options], int]] = {
    "check": check.run,
    "explain": explain.run,
    "lint": lint.run,
    "compare": compare.run,
    "dialects": dialects.run,
    "tester": tester.run,
    "audit": audit_verbs.run,
    "crawlers": crawler_list.run,
    "blocked": blocked.run,
}

# The verbs that take an option; options that are not here are for all verbs.
ONLY_FOR = {
    "dialects": ("compare",),
    "sarif": ("lint",),
    "select": ("lint",),
    "port": ("tester",),
    "no_browser": ("tester",),
    "agent": ("check", "explain", "compare", "tester"),
    "robots": ("check", "explain", "lint", "compare", "tester", "blocked"),
    "dialect": ("check", "explain", "lint", "compare", "tester", "audit"),
    "json": ("check", "explain", "lint", "compare", "dialects", "audit", "crawlers", "blocked"),
    "output": ("audit",),
}


class RobotsCommand(ScrapyCommand):
    """Exit status: 0 allowed, or no findings; 1 disallowed, or findings; 2 a wrong command line."""

    requires_project = False
    requires_crawler_process = False  # Scrapy 2.13 makes one anyway, and it would log
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        return f"{{{'|'.join(VERBS)}}} [options] [URL or FILE ...]"

    def short_desc(self) -> str:
        return "Show what robots.txt files allow, and why"

    def long_desc(self) -> str:
        return (
            "check URL...: may it be fetched? (URLs on standard input too); "
            "explain URL: by which group, rule and line; "
            "lint FILE|URL...: what is wrong with the file; "
            "compare URL...: where engines differ, and why; "
            "dialects [A [B]]: how engines read robots.txt; "
            "crawlers [NAME...]: what is known of them; "
            "blocked URL|FILE: which AI crawlers, search engines and archives may fetch it; "
            "tester: a local page to try all this; "
            "audit verify|show|report|warc FILE...: check the record of a crawl, and show it."
        )

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        group = parser.add_argument_group(title="robots")
        add = group.add_argument
        add(
            "--robots",
            metavar="FILE|URL|-",
            help="the robots.txt (default: that of each URL's site)",
        )
        add("--agent", metavar="TOKEN", help="the crawler's product token (default: the project's)")
        add(
            "--dialect",
            metavar="NAME",
            help="the dialect to read in (default: the project's, else rfc9309)",
        )
        add("--dialects", metavar="A,B", help="compare: which dialects (default: all)")
        add("--json", action="store_true", help="print JSON, one value a line")
        add("--sarif", action="store_true", help="lint: print SARIF 2.1.0, for code hosts")
        add("--select", metavar="CODES", help="lint: which findings, such as R4,R601")
        add("--port", metavar="N", type=int, help="tester: the port (default: any free one)")
        add("-o", "--output", metavar="FILE", help="audit report: the page to write")
        add("--no-browser", action="store_true", help="tester: do not open a browser")

    def run(self, args: list[str], opts: Namespace) -> None:
        assert self.settings is not None
        for stream in (sys.stdout, sys.stderr):
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
        try:
            verb, *rest = _checked(args, opts)
            self.exitcode = VERBS[verb](read_options(rest, opts, self.settings))
            sys.stdout.flush()
        except UsageError as error:
            print_error(error)
            self.exitcode = 2
        except KeyboardInterrupt:
            self.exitcode = 130
        except BrokenPipeError:  # standard output was closed, as `head` does
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            self.exitcode = 141


def _checked(args: list[str], opts: Namespace) -> list[str]:
    unknown = [arg for arg in args if arg.startswith("-") and arg != "-"]
    if unknown:  # Scrapy passes on the options that its parser does not know
        raise UsageError(f"unknown option {unknown[0]}; see scrapy robots -h")
    if not args or args[0] not in VERBS:
        verb = repr(args[0]) if args else "missing"
        raise UsageError(f"the verb is {verb}; it must be {', '.join(VERBS)}")
    for option, verbs in ONLY_FOR.items():
        if getattr(opts, option) not in (None, False) and args[0] not in verbs:
            name = option.replace("_", "-")
            raise UsageError(f"--{name} is for {', '.join(verbs)}, not for {args[0]}")
    return args
