"""A file with the fixes of findings applied."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .findings import Edit

_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_END = re.compile(rb"[\r\n]*\Z")


def edited(body: bytes, edits: Iterable[Edit]) -> bytes:
    """The file with its lines changed; where two edits are of one line, the first one is made."""
    by_line: dict[int, Edit] = {}
    for edit in edits:
        by_line.setdefault(edit.line, edit)
    lines = _LINE.findall(body)
    return b"".join(
        _edited(line, by_line[number]) if number in by_line else line
        for number, line in enumerate(lines, 1)
    )


def _edited(line: bytes, edit: Edit) -> bytes:
    if edit.text is None:
        return b""
    end = _END.search(line)
    return edit.text.encode("latin-1") + (end[0] if end else b"")
