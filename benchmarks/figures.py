"""Means, and how far they may be off."""

from __future__ import annotations

import statistics


def mean(values: list[float]) -> tuple[float, float]:
    """The mean, and its standard error: 0 for a single value, of which nothing can be said."""
    error = statistics.stdev(values) / len(values) ** 0.5 if len(values) > 1 else 0.0
    return statistics.mean(values), error


def shown(values: list[float], digits: int = 2) -> str:
    """As text; "" where nothing was measured."""
    if not values:
        return ""
    middle, error = mean(values)
    return f"{middle:.{digits}f} ± {error:.{digits}f}"


def ratio(values: list[float], base: list[float]) -> str:
    """How many times as much as `base`, measured in the same rounds."""
    return shown([value / other for value, other in zip(values, base, strict=True)])
