"""A file that is written whole or not at all: nobody finds a part of it, nor loses the last one."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO

_WAITS_FOR_READERS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4)  # seconds; a crawl that ends waits meanwhile


def part_of(path: Path) -> Path:
    """The file that is written, and takes the place of this one when it is whole.

    It has a name of its own: the processes of a fleet end together, and may write the same file.
    """
    return path.with_name(f".{path.name}.{token_hex(4)}.part")


def _replace(target: Path, part: Path) -> None:
    """Windows replaces no file that is open. A reader, another writer or a virus scanner closes it
    soon.
    """
    for wait in _WAITS_FOR_READERS if sys.platform == "win32" else ():
        with suppress(PermissionError):
            part.replace(target)
            return
        time.sleep(wait)
    part.replace(target)


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A file to write; it takes the place of `path` at the end. On an error `path` is as before.

    A link stays one: the file to which it points is replaced. A new file keeps the mode of the one
    before. What is no regular file, such as /dev/stdout, is written as it is. Raises OSError.
    """
    if path.exists() and not path.is_file():
        with path.open("wb") as file:
            yield file
        return
    target = Path(os.path.realpath(path))  # `resolve` raises RuntimeError for links in a circle
    part = part_of(target)
    try:
        with part.open("xb") as file:
            yield file
        with suppress(FileNotFoundError):
            shutil.copymode(target, part)
        _replace(target, part)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise
