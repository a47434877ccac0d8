"""`scrapy robots` in this process, as Scrapy's own command line runs it."""

from __future__ import annotations

import io
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from unittest import mock

from scrapy.cmdline import ScrapyArgumentParser
from scrapy.settings import Settings

from scrapy_robots_policy.commands import RobotsCommand


@dataclass(frozen=True)
class Output:
    status: int
    out: str
    err: str

    @property
    def lines(self):
        return self.out.splitlines()


def robots(*args, stdin=b"", settings=None):
    command = RobotsCommand()
    command.settings = Settings(settings or {})
    parser = ScrapyArgumentParser(conflict_handler="resolve")
    command.add_options(parser)
    opts, rest = parser.parse_known_args([str(arg) for arg in args])
    command.process_options(rest, opts)
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    stdin_text = io.TextIOWrapper(io.BytesIO(stdin))
    with (
        redirect_stdout(out),
        redirect_stderr(err),
        mock.patch.object(sys, "stdin", stdin_text),
    ):
        command.run(rest, opts)
    return Output(command.exitcode, *(s.buffer.getvalue().decode() for s in (out, err)))
