"""A new file under a name that no file has: one that is taken gets a number, "a.2.jsonl".

So nothing is written over, and of two processes that ask at the same time each gets its own.
"""

from __future__ import annotations

import os
import stat
from itertools import count
from pathlib import Path

GZ = ".gz"
_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


def numbered_file(path: Path) -> tuple[int, Path]:
    """(the descriptor of a new file, its path). OSError where none can be made.

    What exists and is no file, such as a pipe, is opened as it is.
    """
    if path.exists() and not stat.S_ISREG(path.stat().st_mode) and not path.is_dir():
        return os.open(path, os.O_WRONLY), path
    head, tail = _around_number(path)
    for number in count(1):
        name = path if number == 1 else path.with_name(f"{head}.{number}{tail}")
        try:
            return os.open(name, _FLAGS, 0o644), name
        except FileExistsError:
            if name.is_dir():
                raise
    raise AssertionError  # count() does not end


def _around_number(path: Path) -> tuple[str, str]:
    """(what stands before the number, what stands after it)"""
    stem, gz = (path.name[: -len(GZ)], GZ) if path.name.endswith(GZ) else (path.name, "")
    head, dot, suffix = stem.rpartition(".")
    return (head, f".{suffix}{gz}") if dot and head else (stem, gz)
