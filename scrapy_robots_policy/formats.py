"""Figures for people."""

from __future__ import annotations

from datetime import datetime, timezone


def counted(count: int, noun: str) -> str:
    """A number of things: "1 file", "1,200 files"."""
    return f"{count:,} {noun}{'s' * (count != 1)}"


def elapsed(seconds: float) -> str:
    """A duration: "0.3 s", "12 min 5 s", "3 h 20 min"."""
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:,} h {minutes} min" if hours else f"{minutes} min {rest} s"


def span(seconds: float) -> str:
    """A round duration, in its largest unit: "300 ms", "5 min", "12 h"."""
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:g} {unit}"
    return f"{seconds:g} s"


def utc_time(seconds: float) -> str:
    """A moment to the second: "2026-11-27 02:09:04 UTC"."""
    return f"{datetime.fromtimestamp(seconds, timezone.utc):%Y-%m-%d %H:%M:%S} UTC"


def size(count: float) -> str:
    """A size: "120 B", "12 KB"; a KB has 1,000 bytes."""
    if count < 1000:
        return f"{count:.0f} B"
    return f"{count / 1000:,.0f} KB" if count >= 10_000 else f"{count / 1000:.1f} KB"
