"""`scrapy robots lint`: what is wrong with these files.

Knows: how findings are shown to people. Must not know: how they are found, other formats (`sarif`).
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping
from typing import Any
from urllib.parse import urljoin, urlsplit

from ..lint import Finding, Severity, lint, readable_lines
from ..rep.escapes import shown
from .arguments import Options, UsageError
from .download import is_web
from .inputs import read
from .sarif import sarif
from .terminal import Progress, paint, say, say_caret, say_json, say_line

_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "blue"}


def run(asked: Options) -> int:
    """1 if any finding is a warning or an error; notes alone give 0; 2 if a file was not there."""
    found: dict[str, tuple[Finding, ...]] = {}
    names = list(dict.fromkeys([*([asked.robots] if asked.robots else []), *asked.args]))
    if not names:
        raise UsageError("lint needs a FILE, a URL or -")
    progress = Progress(len(names))
    missing = False
    for name in map(_robots_txt, names):
        progress.step(name)
        try:
            octets = _octets(name, asked)
        except UsageError as error:  # the others are looked at all the same
            progress.end()
            sys.stderr.write(f"scrapy robots: {error}\n")
            missing = True
            continue
        url = name if is_web(name) else ""
        found[name] = lint(octets, asked.dialect, select=asked.select, url=url)
        if not asked.as_sarif:
            progress.end()
            _tell(name, octets, found[name], as_json=asked.as_json)
    progress.end()
    if asked.as_sarif:
        say_json(sarif(found))
    elif found and not asked.as_json:
        _sum_up(found)
    grave = (item.severity is not Severity.NOTE for items in found.values() for item in items)
    return 2 if missing else int(any(grave))


def _robots_txt(name: str) -> str:
    """A file or a URL; of a site, its robots.txt."""
    is_site = is_web(name) and urlsplit(name).path in ("", "/") and not urlsplit(name).query
    return urljoin(name, "/robots.txt") if is_site else name


def _octets(name: str, asked: Options) -> bytes:
    """UsageError where there is no file to look at: a page with 404 is no robots.txt."""
    outcome = read(name, asked.user_agent, asked.dialect.access.redirects)
    if outcome.status is None or not 200 <= outcome.status < 300:
        raise UsageError(f"cannot read {name}: {outcome.status or outcome.cause}")
    return outcome.octets


def _tell(name: str, octets: bytes, found: tuple[Finding, ...], *, as_json: bool) -> None:
    lines = readable_lines(octets)
    for finding in found:
        if as_json:
            say_json({"file": name, **finding_as_json(finding)})
        else:
            _tell_one(name, lines[finding.line - 1], finding)


def finding_as_json(finding: Finding) -> dict[str, Any]:
    """A finding as plain data. Lines and columns from 1, in characters."""
    return {
        "code": finding.code,
        "name": finding.kind.name,
        "severity": finding.severity.value,
        "line": finding.line,
        "column": finding.column,
        "end": finding.end,
        "last": finding.last or finding.line,
        "message": finding.message,
        "fix": finding.fix,
        "dialects": finding.dialects,
    }


def _tell_one(name: str, line: str, finding: Finding) -> None:
    colour = _COLOURS[finding.severity]
    where = f"{shown(name)}:{finding.line}:{finding.column}:"
    what = paint(f"{finding.severity.value} {finding.code} {finding.kind.name}", colour)
    say(f"{where} {what}")
    say(f"        {shown(finding.message)}")
    say_line(finding.line, line)
    say_caret(line, finding.column, finding.end, colour)
    if finding.fix:
        say(f"        fix: {shown(finding.fix)}")
    say()


def _sum_up(found: Mapping[str, tuple[Finding, ...]]) -> None:
    counts = Counter(finding.severity for items in found.values() for finding in items)
    told = [f"{counts[s]} {s.value}{'s' * (counts[s] != 1)}" for s in Severity if counts[s]]
    files = f"{len(found)} file{'s' * (len(found) != 1)}"
    say(f"{', '.join(told) or 'nothing found'} in {files}")
