"""The tally in a terminal.

Knows: columns. Must not know: how anything is counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .counts import OriginCounts

HEAD = ("origin", "stance", "passed", "dropped", "waited", "why")
_RIGHT = frozenset({2, 3, 4})


def table(lines: Iterable[OriginCounts]) -> str:
    """The tally as plain text: a row for each origin, and one for each cause of a drop."""
    rows: list[tuple[str, ...]] = [HEAD]
    for line in lines:
        rows.append(_row(line))
        by_count = sorted(line.dropped.items(), key=lambda item: -item[1])
        rows += [("", "", "", str(n), "", cause) for cause, n in by_count]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    return "\n".join(_aligned(row, widths) for row in rows)


def _row(line: OriginCounts) -> tuple[str, ...]:
    waited = f"{line.longest_wait:.1f} s" if line.waits else "-"
    dropped = sum(line.dropped.values())
    return line.origin, line.stance, str(line.passed), str(dropped), waited, line.why


def _aligned(row: Sequence[str], widths: Sequence[int]) -> str:
    cells = (
        cell.rjust(width) if column in _RIGHT else cell.ljust(width)
        for column, (cell, width) in enumerate(zip(row, widths, strict=True))
    )
    return "  ".join(cells).rstrip()
