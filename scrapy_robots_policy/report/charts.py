"""A histogram as inline SVG: no script, no style attribute, and its figures as text for all."""

from __future__ import annotations

from collections.abc import Callable

from .histogram import Histogram
from .html import text

_HEIGHT, _ROW, _BAR, _LABEL = 18, 22, 150, 86


def chart(title: str, histogram: Histogram, unit: Callable[[float], str]) -> str:
    """A figure with a bar for each class; "" if nothing was counted."""
    if not histogram.total:
        return ""
    filled = [at for at, count in enumerate(histogram.counts) if count]
    rows = range(filled[0], filled[-1] + 1)
    labels = class_labels(histogram, unit)
    largest = max(histogram.counts)
    bars = "".join(
        _bar(place, labels[at], histogram.counts[at], largest) for place, at in enumerate(rows)
    )
    height = _ROW * len(rows)
    return (
        f"<figure><figcaption>{text(title)}</figcaption>"
        f'<svg class="histogram" viewBox="0 0 300 {height}" role="img" '
        f'aria-label="{text(_spoken(title, histogram, labels))}">{bars}</svg></figure>'
    )


def class_labels(histogram: Histogram, unit: Callable[[float], str]) -> list[str]:
    """The name of each class, by its upper end."""
    ends = [unit(bound) for bound in histogram.bounds]
    return [*(f"to {end}" for end in ends), f"over {ends[-1]}"]


def _bar(place: int, label: str, count: int, largest: int) -> str:
    top = place * _ROW
    width = max(_BAR * count / largest, 1 if count else 0)
    name = f'class="class" x="{_LABEL - 8}" y="{top + 14}" text-anchor="end"'
    return (
        f"<text {name}>{text(label)}</text>"
        f'<rect x="{_LABEL}" y="{top + 2}" width="{width:.1f}" height="{_HEIGHT - 2}" rx="2"/>'
        f'<text x="{_LABEL + width + 6:.1f}" y="{top + 14}">{count:,}</text>'
    )


def _spoken(title: str, histogram: Histogram, labels: list[str]) -> str:
    counted = zip(labels, histogram.counts, strict=True)
    return f"{title}: " + ", ".join(f"{label}: {count:,}" for label, count in counted if count)
