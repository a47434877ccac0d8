"""Findings about Sitemap lines.

The rules of the file itself say whether a sitemap may be fetched.

Findings about how a site serves its robots.txt: status, type and redirects.

They are made of the fetch result alone; what the file says has no part in them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..rep.access import AccessMode, FetchResult, judge, remember
from ..rep.engines import DIALECTS
from ..rep.escapes import listed
from ..rep.url import Origin, host_of_origin, origin_of, readable
from .findings import Finding, quoted
from .group_findings import all_disallowed
from .line_findings import has_two_words
from .source_file import SOMEBODY, SourceFile, whole


def addresses(source: SourceFile) -> Iterator[Finding]:
    for line in source.sitemaps:
        if _origin(line) is None:
            yield _incomplete(source, line) if line[1] else _without_address(source, line)


def _without_address(source: SourceFile, line: re.Match[str]) -> Finding:
    return source.finding(
        "R501",
        whole(line),
        "the line names no sitemap: its value is what stands on the line itself",
        "write the whole URL on this line, or remove the line",
    )


def _incomplete(source: SourceFile, line: re.Match[str]) -> Finding:
    directive = source.grammar.directive.match(source.text, line.start())
    has_no_colon = directive is not None and has_two_words(directive[1])
    return source.finding(
        "R501",
        line.span(1),
        f"{quoted(line[1])} is no whole URL: engines do not resolve it",
        "put a colon after the key: the first one of the line ends the key"
        if has_no_colon
        else "write https://, the host, and the path",
    )


def disallowed(source: SourceFile) -> Iterator[Finding]:
    """Sitemaps of the file's own host that crawlers without a group may not fetch. Where these
    crawlers are kept out of the whole site, R307 says so: the sitemap is for the others.
    """
    if any(all_disallowed(source)):
        return
    sitemaps = [(line, _origin(line)) for line in source.sitemaps]
    host = _own_host(source, [origin for _, origin in sitemaps if origin])
    own = [line for line, origin in sitemaps if origin and _host(origin) == host]
    for line in own[: source.max_questions]:
        if not source.rules.allowed(readable(line[1]), SOMEBODY):
            yield source.finding(
                "R508",
                line.span(1),
                f"the rules for all crawlers forbid {quoted(line[1])}",
                "allow its path, or move the sitemap",
            )


def schemes(source: SourceFile) -> Iterator[Finding]:
    own = origin_of(source.url)
    if not own:
        return
    for line in source.sitemaps:
        origin = _origin(line)
        if origin and _host(origin) == _host(own) and origin != own:
            yield source.finding(
                "R509",
                line.span(1),
                f"this file is that of {own}, the sitemap is at {origin}",
                f"write {own} if the sitemap is there as well",
            )


def _own_host(source: SourceFile, origins: list[Origin]) -> str:
    """The host whose robots.txt this is; "" where that cannot be seen, as in a file that names
    sitemaps of several hosts.
    """
    own = origin_of(source.url)
    if own:
        return _host(own)
    hosts = {_host(origin) for origin in origins}
    return hosts.pop() if len(hosts) == 1 else ""


def _origin(line: re.Match[str]) -> Origin | None:
    """The origin of the sitemap that a line names; None where it names no whole URL."""
    return origin_of(readable(line[1]))


def _host(origin: Origin) -> str:
    return host_of_origin(origin).removeprefix("www.")


CHECKS = (addresses, disallowed, schemes)


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
