"""How often a quantity was how large: counts by class, so that memory does not grow."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

_HOUR, _DAY = 3600.0, 86400.0

TIMES = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 60.0, 300.0, 600.0)
"""The upper ends of the classes for waits, in seconds."""
DELAYS = (0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 300.0)
AGES = (60.0, 600.0, _HOUR, 6 * _HOUR, 12 * _HOUR, _DAY, 2 * _DAY, 7 * _DAY, 30 * _DAY)
SIZES = (0, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 500 * 1024)


@dataclass(slots=True)
class Histogram:
    """Counts by class. `bounds`: the upper ends of all classes but the last, which has none."""

    bounds: tuple[float, ...]
    counts: list[int] = field(init=False)

    def __post_init__(self) -> None:
        self.counts = [0] * (len(self.bounds) + 1)

    @classmethod
    def of(cls, bounds: tuple[float, ...], values: Iterable[float]) -> Histogram:
        made = cls(bounds)
        for value in values:
            made.add(value)
        return made

    def add(self, value: float) -> None:
        self.counts[bisect_left(self.bounds, value)] += 1

    @property
    def total(self) -> int:
        return sum(self.counts)

    def as_json(self) -> dict[str, Any]:
        return {"bounds": self.bounds, "counts": self.counts}
