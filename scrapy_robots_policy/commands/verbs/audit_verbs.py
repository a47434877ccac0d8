"""`scrapy robots audit VERB FILE...`: check the record of a crawl, and show it."""

from __future__ import annotations

import os
from pathlib import Path

from ...record.reading import AuditError
from ...rep.escapes import nearest
from ..arguments import Arguments, Options, UsageError
from ..audit.show import show
from ..audit.verify import verify
from ..audit.warc import WarcError, warc
from ..reading.download import is_web
from ..reading.inputs import in_words

ARGUMENTS = Arguments(
    "verify|show|warc FILE ...",
    ("--dialect",),
    ("text", "json"),
    (
        "0 all decisions agree",
        "1 decisions differ, or there is nothing to show",
        "2 a broken record, or a wrong command line",
    ),
    (
        "audit verify crawl.jsonl",
        "audit show crawl.jsonl https://example.com/a",
        "audit warc crawl.jsonl robots.warc.gz",
    ),
    {"--dialect": "make the decisions in this dialect (default: the recorded ones)"},
)


def run(options: Options) -> int:
    """0 all agree; 1 differences, or nothing found; 2 a broken record or a wrong command line."""
    verbs = {
        "verify": lambda args: verify(_paths(args), options),
        "show": lambda args: show(args, _paths),
        "warc": lambda args: warc(args, _paths),
    }
    verb, *args = options.args or [""]
    if not verb:
        raise UsageError(f"audit needs one of {', '.join(verbs)}")
    if verb not in verbs:
        raise UsageError(f"audit takes {', '.join(verbs)}, not {verb!r}{nearest(verb, verbs)}")
    _refuse_options(verb, options)
    try:
        return verbs[verb](args)
    except (AuditError, WarcError) as error:
        raise UsageError(str(error)) from None


def _refuse_options(verb: str, options: Options) -> None:
    """UsageError where an option is for another one of the audit's verbs."""
    if verb != "verify" and (options.named_dialect or options.as_json):
        raise UsageError(
            f"{'--dialect' if options.named_dialect else '--json'} is for audit verify"
        )


def _paths(args: list[str]) -> list[Path]:
    """The files of a command line, each once: what is read twice would be counted twice."""
    if not args:
        raise UsageError("audit needs the FILE of a record")
    for name in args:
        if name == "-" or is_web(name):
            raise UsageError(f"a record is a file, not {in_words(name)}")
    files: dict[str, Path] = {}
    for name in args:
        files.setdefault(os.path.realpath(name), Path(name))
    return list(files.values())
