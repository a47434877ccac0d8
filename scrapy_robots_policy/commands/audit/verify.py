"""`audit verify`: all decisions of a record made anew."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ...formats import counted
from ...record.replay import Checked, Difference, check
from ...rep.escapes import shortened, shown
from ..arguments import Options
from ..printing.terminal import (
    MAX_LINE,
    paint,
    print_json,
    print_line,
    print_sentence,
)
from .words import ReadingProgress, cause_words, painted_verdict, preference_words


def verify(paths: list[Path], options: Options) -> int:
    progress = ReadingProgress()

    def on_difference(difference: Difference) -> None:
        progress.end()
        if options.as_json:
            print_json(_as_json(difference))
        else:
            _print_difference(difference)

    checked = check(paths, options.named_dialect, on_difference, progress.on_lines)
    progress.end()
    if options.as_json:
        hashes = {str(path): digest for path, digest in checked.hashes.items()}
        print_json(asdict(checked) | {"hashes": hashes})
    else:
        _print_sums(checked, options)
    unknown = checked.unknown if options.named_dialect is None else 0
    return 2 if checked.errors else int(bool(checked.differ or unknown))


def _as_json(difference: Difference) -> dict[str, Any]:
    return {
        "file": str(difference.path),
        "line": difference.line,
        "url": difference.url,
        "recorded": difference.answers.recorded,
        "now": difference.answers.now,
    }


def _print_difference(difference: Difference) -> None:
    now = difference.answers.now
    assert now is not None  # what cannot be decided is counted, and is no difference
    url = shown(shortened(difference.url, MAX_LINE))
    print_line(f"{shown(str(difference.path))}, line {difference.line}: {url}")
    print_line(f"    recorded: {_answer(difference.answers.recorded)}")
    print_line(f"    now:      {_answer(now)}")


def _answer(fields: Mapping[str, Any]) -> str:
    group = ""
    if "group" in fields:
        group = f" (group {fields['group']!r}, line {fields.get('group_line', 0)})"
    preferences = "".join(f"; {preference_words(one)}" for one in fields.get("preferences", ()))
    words = shortened(cause_words(fields) + group + preferences, MAX_LINE)
    return f"{painted_verdict(fields)}: {shown(words)}"


def _print_sums(checked: Checked, options: Options) -> None:
    for note in checked.notes:
        print_line(f"note: {shown(note)}")
    for error in checked.errors:
        print_line(f"{paint('broken', 'red')}: {shown(error)}")
    how = f"as {options.named_dialect.name} reads" if options.named_dialect else "anew"
    agree = checked.decisions - checked.differ - checked.unknown
    tdmreps = f", {checked.tdmreps:,} tdmrep.json" if checked.tdmreps else ""
    print_sentence(
        f"{counted(checked.lines, 'line')}, {checked.robots:,} robots.txt{tdmreps}; "
        f"{counted(checked.decisions, 'decision')} made {how}: "
        f"{_with_verb(agree, 'agree')}, {_with_verb(checked.differ, 'differ')}"
    )
    if checked.differ:
        print_line(f"{counted(checked.changed, 'request')} would have gone the other way")
    if checked.unknown:
        why = "would have fetched more" if options.named_dialect else "is not at hand"
        print_line(f"{checked.unknown:,} cannot be made: that dialect {why}")
    if checked.exempt:
        print_line(
            f"{counted(checked.exempt, 'request')} passed about which no robots.txt was asked"
        )
    for path, digest in checked.hashes.items():
        print_line(f"{shown(str(path))} ends with {digest}")


def _with_verb(count: int, verb: str) -> str:
    return f"{count:,} {verb}{'s' * (count == 1)}"
