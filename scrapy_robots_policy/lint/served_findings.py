"""Findings about how a site serves its robots.txt: status, type and redirects.

They are made of the fetch result alone; what the file says has no part in them.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..rep.access import AccessMode, FetchResult, judge, remember
from ..rep.engines import DIALECTS
from ..rep.escapes import listed
from .findings import Finding, quoted
from .source_file import SourceFile

_PLAIN = "text/plain"


def served(source: SourceFile, result: FetchResult) -> Iterator[Finding]:
    span = source.span_of_line(1)
    if result.hops:
        yield source.finding("R109", span, *_redirected(result))
    if result.status is not None and not 200 <= result.status < 300:
        is_error = result.status >= 500 or result.status == 429
        yield source.finding("R110" if is_error else "R111", span, *_without_file(result))
    elif result.media_type not in ("", _PLAIN):
        yield source.finding(
            "R108",
            span,
            f"the type of the file is {quoted(result.media_type)}, not {_PLAIN}",
            f"send the header Content-Type: {_PLAIN}; charset=utf-8",
        )


def _redirected(result: FetchResult) -> tuple[str, str, tuple[str, ...]]:
    count = len(result.hops)
    fewer = tuple(d.name for d in DIALECTS.values() if d.access.redirects < count)
    but = f"; {listed(fewer)} follow fewer" if fewer else ""
    return (
        f"{count} redirect{'s' * (count > 1)} to {quoted(result.hops[-1])}{but}",
        "serve the file at /robots.txt itself",
        fewer,
    )


def _without_file(result: FetchResult) -> tuple[str, str]:
    modes: dict[AccessMode, list[str]] = {}
    for dialect in DIALECTS.values():
        mode = judge(remember(None, result, 0.0), 0.0, dialect.access).mode
        modes.setdefault(mode, []).append(dialect.name)
    each = "; ".join(f"{mode.description} in {listed(names)}" for mode, names in modes.items())
    return f"the site answers with status {result.status}: {each}", "answer with the file"
