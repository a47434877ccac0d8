"""Comments such as `# robots-lint: ignore R201`, by which the owner of a file leaves findings out:
where they may stand, and for which lines they hold.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable

from ..rep.text import WHITE
from .source_file import SourceFile

_COMMENT = re.compile(
    rf"#[{WHITE}]*robots-lint[{WHITE}]*:[{WHITE}]*ignore(-file)?\b((?:[{WHITE},]*R\d{{1,3}}\b)*)",
    re.IGNORECASE,
)
_CODE = re.compile(r"R\d{1,3}", re.IGNORECASE)
_EVERY = ["R"]  # a comment without codes: all codes start so


def ignored(source: SourceFile) -> Callable[[str, int], bool]:
    """Whether a comment in the file asks to leave out the finding of a code on a line.

    At the end of a line the comment is for that line; on a line of its own, for the next line that
    is neither blank nor a comment; `ignore-file` is for the whole file.
    """
    if b"robots-lint" not in source.body.lower():
        return lambda _code, _line: False
    lines = [source.line_of(line) for line in source.lines]
    speaking = frozenset(lines)
    whole_file: set[str] = set()
    by_line: dict[int, set[str]] = {}
    for number, text in enumerate(source.written, 1):
        for comment in _COMMENT.finditer(text):
            codes = [code.upper() for code in _CODE.findall(comment[2])] or _EVERY
            if comment[1]:
                whole_file.update(codes)
            elif number in speaking:
                by_line.setdefault(number, set()).update(codes)
            elif (at := bisect_right(lines, number)) < len(lines):
                by_line.setdefault(lines[at], set()).update(codes)

    def is_ignored(code: str, line: int) -> bool:
        starts = {code[:end] for end in range(1, len(code) + 1)}
        of_line = by_line.get(line, set())
        return not (starts.isdisjoint(whole_file) and starts.isdisjoint(of_line))

    return is_ignored
