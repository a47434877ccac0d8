"""The counts of a crawl as a table for a terminal."""

from __future__ import annotations

from collections.abc import Iterable

from .columns import aligned
from .counts import OriginCounts

HEAD = ("origin", "mode", "passed", "dropped", "waited", "why")
_NUMBERS = {2, 3, 4}


def table(origins: Iterable[OriginCounts]) -> str:
    """Plain text: a row for each origin, and below it one for each cause of dropped requests."""
    rows: list[tuple[str, ...]] = [HEAD]
    for counts in origins:
        rows.append(_row(counts))
        by_count = sorted(counts.dropped.items(), key=lambda item: -item[1])
        rows += [("", "", "", str(n), "", cause) for cause, n in by_count]
    return "\n".join(aligned(rows, right=_NUMBERS))


def _row(counts: OriginCounts) -> tuple[str, ...]:
    waited = f"{counts.longest_wait:.1f} s" if counts.waits else "-"
    passed, dropped = str(counts.passed), str(counts.all_dropped)
    return counts.origin, counts.mode, passed, dropped, waited, counts.why
