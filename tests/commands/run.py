"""`scrapy robots` and `robots-policy` in this process, as their own command lines run them."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from unittest import mock

from scrapy.cmdline import ScrapyArgumentParser
from scrapy.settings import Settings

from scrapy_robots_policy.commands import RobotsCommand, command_line

OURS = {"ADDONS": {"scrapy_robots_policy.Addon": 500}}


@dataclass(frozen=True)
class Output:
    status: int
    out: str
    err: str

    @property
    def lines(self):
        return self.out.splitlines()

    def says(self, words):
        """Whether all of `words` stand in its errors and answers, one after the other."""
        rest = iter((self.err + self.out).split())
        return all(any(word in one for one in rest) for word in words.split())


def robots(*args, stdin=b"", settings=None):
    """`scrapy robots`, as Scrapy runs it."""
    command = RobotsCommand()
    command.settings = Settings({**OURS, **(settings or {})})
    parser = ScrapyArgumentParser(conflict_handler="resolve")
    command.add_options(parser)

    def run() -> int:
        opts, rest = parser.parse_known_args([str(arg) for arg in args])
        command.process_options(rest, opts)
        command.run(rest, opts)
        return command.exitcode

    return _captured(run, stdin)


def policy(*args, stdin=b""):
    """`robots-policy`."""
    return _captured(lambda: command_line.main([str(arg) for arg in args]), stdin)


def _captured(run: Callable[[], int], stdin: bytes) -> Output:
    out, err = (
        io.TextIOWrapper(io.BytesIO(), "utf-8", newline="\n", write_through=True) for _ in range(2)
    )
    with (
        redirect_stdout(out),
        redirect_stderr(err),
        mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin))),
    ):
        try:
            status = run()
        except SystemExit as end:  # argparse
            status = int(end.code or 0)
    return Output(status, *(s.buffer.getvalue().decode() for s in (out, err)))
