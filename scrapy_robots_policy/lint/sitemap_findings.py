"""Findings about Sitemap lines.

The rules of the file itself say whether a sitemap may be fetched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

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
