"""Calls of functions, for tests that count work: time depends on what else the machine does."""

from __future__ import annotations

import gc
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def profiled(profile: Callable[[Any, str, Any], None]) -> Iterator[None]:
    """Let `profile` see each call meanwhile, but none that the collector makes for other tests."""
    before, is_enabled = sys.getprofile(), gc.isenabled()
    gc.disable()
    sys.setprofile(profile)
    try:
        yield
    finally:
        sys.setprofile(before)
        if is_enabled:
            gc.enable()


@contextmanager
def counting_calls() -> Iterator[Counter[str]]:
    """Count what is called meanwhile.

    call, c_call  functions in Python, and in C
    bytes        those of the `bytes` whose methods are called: each method may go through all
    """
    counts: Counter[str] = Counter()

    def count(_frame: object, event: str, function: Any) -> None:
        counts[event] += 1
        data = getattr(function, "__self__", None)
        if event == "c_call" and isinstance(data, bytes | bytearray):
            counts["bytes"] += len(data)

    with profiled(count):
        yield counts
