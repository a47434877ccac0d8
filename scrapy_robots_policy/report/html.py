"""HTML elements for a report: text, bars, tables and sections.

All text is escaped: a site or a spider may have chosen it. No element has a style attribute, since
the page's policy forbids that; so bars are SVG, with their lengths as attributes.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Collection, Iterable, Mapping, Sequence
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import NamedTuple

from ..rep.escapes import shown

MAX_ROWS = 25  # rows of a list; the end of the page says where all are

_STRETCHED = 'preserveAspectRatio="none" aria-hidden="true"'


class Bar(NamedTuple):
    """One row of a list of bars.

    value   the length of the bar, in any unit
    figure  the value as text
    """

    label: str
    detail: str
    value: float
    figure: str


class Share(NamedTuple):
    """One part of a bar that is a whole. `kind` is its CSS class."""

    kind: str
    label: str
    number: int


def text(value: str) -> str:
    """Text of unknown origin, for a place between tags or in an attribute's quotes."""
    return escape(shown(value))


def static_text(name: str) -> str:
    """A file of the folder `static`."""
    return (files(__package__) / "static" / name).read_text("utf-8")


def content_policy(style: str, script: str = "") -> str:
    """A Content-Security-Policy: a page may use this style and this script, and load nothing."""
    scripts = ""
    if script:
        scripts = (
            f"script-src {_digest(script)}; require-trusted-types-for 'script'; "
            "trusted-types 'none'; "
        )
    return (
        f"default-src 'none'; style-src {_digest(style)}; {scripts}img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(source: str) -> str:
    return f"'sha256-{b64encode(sha256(source.encode()).digest()).decode()}'"


def section(title: str, note: str, body: str) -> str:
    """A section with a heading; "" if the body is empty."""
    if not body:
        return ""
    small = f" <small>{text(note)}</small>" if note else ""
    return f"<section><h2>{title}{small}</h2>{body}</section>\n"


def facts(values: Mapping[str, str]) -> str:
    """Names and values, for a definition list."""
    return "".join(
        f"<div><dt>{name}</dt> <dd>{text(value)}</dd></div>" for name, value in values.items()
    )


def figures(values: Mapping[str, str]) -> str:
    """Figures and their names, for a definition list: each figure before its name."""
    return "".join(f"<div><dd>{value}</dd><dt>{name}</dt></div>" for name, value in values.items())


def shares(parts: Iterable[Share]) -> str:
    """One bar for the whole, with a key; "" if all counts are 0."""
    counted = [part for part in parts if part.number]
    whole = sum(part.number for part in counted)
    at, pieces, key = 0.0, [], []
    for kind, label, number in counted:
        share = 100 * number / whole
        pieces.append(f'<rect class="{kind}" x="{at:.2f}" width="{share:.2f}" height="6"/>')
        key.append(f'<li class="{kind}"><span><b>{number:,}</b> {label}</span></li>')
        at += share
    if not counted:
        return ""
    picture = f'<svg class="whole" viewBox="0 0 100 6" {_STRETCHED}>{"".join(pieces)}</svg>'
    return f'{picture}<ul class="key">{"".join(key)}</ul>'


def bars(rows: Sequence[Bar], max_rows: int = MAX_ROWS) -> str:
    """Bars as long as their values, the longest as wide as the page; "" without rows."""
    longest = max((row.value for row in rows), default=0.0) or 1.0
    items = "".join(_bar(row, 100 * row.value / longest) for row in rows[:max_rows])
    return f'<ol class="bars">{items}</ol>{more(len(rows) - max_rows)}' if rows else ""


def count_bars(counts: Iterable[tuple[str, int]]) -> str:
    """A bar for each name, as long as its count."""
    return bars([Bar(name, "", count, f"{count:,}") for name, count in counts])


def _bar(row: Bar, share: float) -> str:
    detail = f"<small>{text(row.detail)}</small>" if row.detail else ""
    return (
        f"<li><span><bdi>{text(row.label)}</bdi>{detail}</span><b>{text(row.figure)}</b>"
        f'<svg viewBox="0 0 100 4" {_STRETCHED}><rect width="{share:.2f}" height="4"/></svg></li>'
    )


def html_table(head: Sequence[str], rows: Sequence[Sequence[str]], right: Collection[int]) -> str:
    """A table; "" without rows. `right`: the columns with numbers, from 0."""
    if not rows:
        return ""
    kinds = [' class="number"' if at in right else "" for at in range(len(head))]
    heads = "".join(f"<th{kind}>{name}</th>" for kind, name in zip(kinds, head, strict=True))
    body = "".join(f"<tr>{_cells(head, kinds, row)}</tr>" for row in rows[:MAX_ROWS])
    table = f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"
    return table + more(len(rows) - MAX_ROWS)


def _cells(head: Sequence[str], kinds: Sequence[str], row: Sequence[str]) -> str:
    """Each cell has its column's name, which a narrow screen shows in place of the head."""
    return "".join(
        f'<td{kind} data-name="{name}">{text(cell)}</td>'
        for name, kind, cell in zip(head, kinds, row, strict=True)
    )


def more(count: int) -> str:
    """How many further rows there are; "" where there are none."""
    return f'<p class="more">and {count:,} more</p>' if count > 0 else ""
