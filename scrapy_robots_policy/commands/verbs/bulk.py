"""`robots-policy bulk`: tables of URLs and of robots.txt files in, a table of verdicts out."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...formats import counted
from ...rep import Reason
from ...rep.escapes import brief
from ..arguments import USE, Arguments, Options, UsageError
from ..printing.terminal import Progress, print_columns, print_line

if TYPE_CHECKING:
    from ...bulk.files import Summary

ARGUMENTS = Arguments(
    "URLS ROBOTS",
    (
        "--output",
        "--agent",
        "--agents",
        "--dialect",
        *USE,
        "--as-of",
        "--columns",
        "--explain",
        "--jobs",
        "--memory",
    ),
    (),
    ("0 the table is written", "2 a file cannot be read or written, or a wrong command line"),
    (
        "bulk urls.parquet robots.warc.gz -o verdicts.parquet --agent MyBot",
        "bulk 'pages/*.parquet' robots/ -o out.csv --agents GPTBot,CCBot --explain",
    ),
    {
        "--output": "the table to write: .parquet, .csv or .jsonl",
        "--jobs": "processes that judge (default: one for each processor)",
        "--explain": "also show the rules and the origins that refuse most",
    },
)


def run(options: Options) -> int:
    if len(options.args) != 2 or not options.output:
        raise UsageError("bulk takes URLS and ROBOTS, and writes a table: -o FILE; see -h")
    try:
        from ...bulk.files import Limits, give_memory_back, judge_files  # noqa: PLC0415 - an extra
        from ...bulk.judging import Columns  # noqa: PLC0415 - as above
    except ImportError as error:
        raise UsageError(str(error)) from None
    give_memory_back()
    progress = Progress()
    question = {
        "agents": options.agents or options.agent,
        "dialect": options.dialect,
        "purpose": options.use,
        "as_of": options.as_of,
        "columns": Columns(**options.columns),
    }

    def on_progress(done: int, total: int) -> None:
        progress.show(f"{done:,} of {counted(total, 'URL')}", done, total)

    progress.show("reading and sorting", 0, 0)
    try:
        summary = judge_files(
            options.args[0],
            options.args[1],
            Path(options.output),
            question,
            Limits(options.memory, options.jobs or os.cpu_count() or 1),
            on_progress,
        )
    except (ValueError, ImportError) as error:
        raise UsageError(str(error)) from None
    except OSError as error:
        raise UsageError(f"{options.output}: {error.strerror or error}") from None
    finally:
        progress.end()
    _print(summary, options)
    return 0


_REASONS = {reason.name.lower(): reason.value for reason in Reason}
_WORDS = {True: "allowed", False: "refused", None: "unknown"}


def _print(summary: Summary, options: Options) -> None:
    """How many URLs of each kind; with --explain also the rules and origins that refuse most."""
    has_several = len(options.agents) > 1

    def table(
        head: Sequence[str], rows: Sequence[Any], cells: Callable[[Any], Sequence[str]]
    ) -> None:
        lines = [
            (*([row[0]] if has_several else []), *cells(row[1:-1]), f"{row[-1]:,}") for row in rows
        ]
        print_columns(lines, head=(*(["crawler"] if has_several else []), *head, "URLs"))

    table(
        ("verdict", "reason"),
        summary.reasons,
        lambda row: (_WORDS[row[0]], _REASONS.get(row[1]) or row[1].replace("_", " ")),
    )
    if not options.explain:
        return
    for head, rows in (("rule", summary.rules), ("origin", summary.origins)):
        print_line()
        if rows:
            table((f"refused by {head}",), rows, lambda row: (brief(row[0]),))
        else:
            print_line(f"no {head} refuses any of them")
