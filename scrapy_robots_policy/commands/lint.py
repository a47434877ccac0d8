"""`scrapy robots lint`: what is wrong with these files. SARIF is in `sarif`."""

from __future__ import annotations

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
from .terminal import (
    Progress,
    paint,
    print_caret,
    print_error,
    print_json,
    print_line,
    print_numbered,
)

_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "blue"}


def run(options: Options) -> int:
    """1 if a finding is a warning or an error, 0 without; 2 if a file could not be read."""
    findings: dict[str, tuple[Finding, ...]] = {}
    names = list(dict.fromkeys([*([options.robots] if options.robots else []), *options.args]))
    if not names:
        raise UsageError("lint needs a FILE, a URL or -")
    progress = Progress(len(names))
    missing = False
    for name in map(_robots_txt, names):
        progress.step(name)
        try:
            octets = _octets(name, options)
        except UsageError as error:  # go on with the other files
            progress.end()
            print_error(error)
            missing = True
            continue
        url = name if is_web(name) else ""
        findings[name] = lint(octets, options.dialect, select=options.select, url=url)
        if not options.as_sarif:
            progress.end()
            _print_findings(name, octets, findings[name], as_json=options.as_json)
    progress.end()
    if options.as_sarif:
        print_json(sarif(findings))
    elif findings and not options.as_json:
        _print_summary(findings)
    items = (item for of_file in findings.values() for item in of_file)
    has_faults = any(item.severity is not Severity.NOTE for item in items)
    return 2 if missing else int(has_faults)


def _robots_txt(name: str) -> str:
    """The file or URL to read. For the URL of a site, that of its robots.txt."""
    is_site = is_web(name) and urlsplit(name).path in ("", "/") and not urlsplit(name).query
    return urljoin(name, "/robots.txt") if is_site else name


def _octets(name: str, options: Options) -> bytes:
    """UsageError if the file cannot be read: the body of a 404 is no robots.txt."""
    result = read(name, options.user_agent, options.dialect.access.redirects, options.guard)
    if result.status is None or not 200 <= result.status < 300:
        raise UsageError(f"cannot read {name}: {result.status or result.cause}")
    return result.octets


def _print_findings(
    name: str, octets: bytes, findings: tuple[Finding, ...], *, as_json: bool
) -> None:
    lines = readable_lines(octets)
    for finding in findings:
        if as_json:
            print_json({"file": name, **finding_as_json(finding)})
        else:
            _print_finding(name, lines[finding.line - 1], finding)


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


def _print_finding(name: str, line: str, finding: Finding) -> None:
    colour = _COLOURS[finding.severity]
    place = f"{shown(name)}:{finding.line}:{finding.column}:"
    kind = paint(f"{finding.severity.value} {finding.code} {finding.kind.name}", colour)
    print_line(f"{place} {kind}")
    print_line(f"        {shown(finding.message)}")
    print_numbered(finding.line, line)
    print_caret(line, finding.column, finding.end, colour)
    if finding.fix:
        print_line(f"        fix: {shown(finding.fix)}")
    print_line()


def _print_summary(findings: Mapping[str, tuple[Finding, ...]]) -> None:
    counts = Counter(finding.severity for items in findings.values() for finding in items)
    severities = [f"{counts[s]} {s.value}{'s' * (counts[s] != 1)}" for s in Severity if counts[s]]
    files = f"{len(findings)} file{'s' * (len(findings) != 1)}"
    print_line(f"{', '.join(severities) or 'nothing found'} in {files}")
