"""`scrapy robots rule CODE`: what a finding of lint is, why it matters, and how to fix it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from ...lint import KINDS
from ...lint.explanations import explanations
from ...rep.nearest import nearest
from ..arguments import Options, UsageError
from ..printing.terminal import Blocks, paint, print_columns, print_json, print_line


def run(options: Options) -> int:
    """Always 0."""
    codes = [_code(argument) for argument in options.args]
    if options.as_json:
        for code in codes or KINDS:
            print_json(_as_json(code))
    elif codes:
        blocks = Blocks()
        for code in codes:
            blocks.begin()
            _print(code)
    else:
        rows = [(kind.code, kind.name, kind.severity.value, kind.title) for kind in KINDS.values()]
        print_columns(rows, head=("code", "name", "severity", "what it is"))
    return 0


def _code(argument: str) -> str:
    """The code of a finding, from its code or its name. UsageError for an unknown one."""
    names = {kind.name: kind.code for kind in KINDS.values()}
    code = names.get(argument.lower(), argument.upper())
    if code not in KINDS:
        near = nearest(argument.lower(), names) or nearest(code, KINDS)
        raise UsageError(f"no finding has the code {argument!r}{near}")
    return code


def _print(code: str) -> None:
    kind, text = KINDS[code], explanations()[code]
    print_line(paint(f"{code} {kind.name} ({kind.severity.value})", "bold"))
    print_line(kind.title)
    print_line()
    print_columns([("why:", text.why.replace("\n\n", " ")), ("fix:", text.fix)], max_width=100)
    for example in text.examples:
        print_line()
        print_line(f"example, as {example.dialect} reads:")
        for line in example.text.splitlines():
            print_line(f"    {line}")


def _as_json(code: str) -> dict[str, Any]:
    kind, text = KINDS[code], explanations()[code]
    return {
        "code": code,
        "name": kind.name,
        "severity": kind.severity.value,
        "what": kind.title,
        "why": text.why,
        "fix": text.fix,
        "examples": [asdict(example) for example in text.examples],
    }
