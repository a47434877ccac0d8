"""The memory that Python allocates, for tests of how much something takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from tests.missing import NO_TRACEMALLOC


@contextmanager
def tracing_memory() -> Iterator[Callable[[], tuple[int, int]]]:
    """Gives a function that says (how many bytes are allocated now, how many were at most), of
    those that were allocated since the start.
    """
    tracemalloc = pytest.importorskip("tracemalloc", reason=NO_TRACEMALLOC)
    tracemalloc.start()
    try:
        yield tracemalloc.get_traced_memory
    finally:
        tracemalloc.stop()
