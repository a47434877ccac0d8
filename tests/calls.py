"""Calls of functions, for tests that count work: time depends on what else the machine does."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def counting_calls() -> Iterator[Counter[str]]:
    """Count what is called meanwhile.

    call, c_call  functions in Python, and in C
    octets        those of the `bytes` whose methods are called: each method may go through all
    """
    counts: Counter[str] = Counter()

    def count(_frame: object, event: str, function: Any) -> None:
        counts[event] += 1
        octets = getattr(function, "__self__", None)
        if event == "c_call" and isinstance(octets, bytes | bytearray):
            counts["octets"] += len(octets)

    sys.setprofile(count)
    try:
        yield counts
    finally:
        sys.setprofile(None)
