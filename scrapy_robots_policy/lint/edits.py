"""A file with the fixes of its findings applied."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from .findings import Edit, Finding

_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_MAX_ROUNDS = 50

Findings = tuple[Finding, ...]


def edited(body: bytes, edits: Iterable[Edit]) -> bytes:
    """The file with its lines changed; where two edits are of one line, the first one is made."""
    by_line: dict[int, Edit] = {}
    for change in edits:
        by_line.setdefault(change.line, change)
    octets, removed = bytearray(), b""  # the end of the line that was removed last
    for number, line in enumerate(_LINE.findall(body), 1):
        edit = by_line.get(number)
        if edit and edit.text is None:
            removed = _end_of(line)
            continue
        if removed and octets.endswith(b"\r") and line.startswith((b"\r", b"\n")):
            _keep_apart(octets, removed)
        octets += _edited(line, edit) if edit else line
        removed = b""
    return bytes(octets)


def _edited(line: bytes, edit: Edit) -> bytes:
    return (edit.text or "").encode("latin-1") + _end_of(line)


def _end_of(line: bytes) -> bytes:
    return line[len(line.rstrip(b"\r\n")) :]


def _keep_apart(octets: bytearray, removed: bytes) -> None:
    """Put the end of the removed line in place of the carriage return that the file ends with now.
    A blank line follows, whose end would be one with that return: a line feed to all readers, to
    some another return as well. Two returns stay two.
    """
    del octets[-1]
    if removed != b"\r" or not octets.endswith(b"\r"):
        octets += removed


def fixed(
    octets: bytes, findings: Findings, lint: Callable[[bytes], Findings], *, all_of: bool
) -> tuple[bytes, int, Findings]:
    """(the file, how many findings were fixed, the findings that are left)

    all_of  False: only fixes after which every dialect answers as before

    The findings of one code are fixed together, then the file is looked at anew: a fix may change
    lines on which another one depends.
    """
    count = 0
    for _ in range(_MAX_ROUNDS):
        fixable = [f for f in findings if f.edits and (all_of or not f.dialects)]
        if not fixable:
            break
        code = min(finding.code for finding in fixable)
        chosen = [finding for finding in fixable if finding.code == code]
        after = edited(octets, [edit for finding in chosen for edit in finding.edits])
        if after == octets:
            break
        octets, count, findings = after, count + len(chosen), lint(after)
    return octets, count, findings
