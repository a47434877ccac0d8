"""`scrapy robots lint --explain CODE`: what a finding is, why it matters, and how to fix it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from ...lint import KINDS
from ...lint.explanations import explanations
from ..arguments import Options
from ..printing.terminal import Blocks, paint, print_columns, print_json, print_line


def explain(options: Options) -> int:
    """Always 0."""
    blocks = Blocks()
    for code in options.explain:
        if options.as_json:
            print_json(_as_json(code))
        else:
            blocks.begin()
            _print(code)
    return 0


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
