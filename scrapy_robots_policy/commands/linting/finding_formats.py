"""Findings as text, JSON, CSV, SARIF and annotations: one class a format, file after file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

from ...lint import KINDS, Finding, Severity, readable_lines
from ...rep.escapes import shown
from ...report.formats import counted
from ..printing.terminal import (
    paint,
    print_columns,
    print_csv,
    print_json,
    print_line,
    print_marked,
)
from ..printing.workflow import annotation
from .linted_files import LintedFile
from .sarif import Sarif

_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "blue"}
_COLUMNS = ("file", "code", "name", "severity", "line", "column", "end", "last", "message", "fix")


class Format(Protocol):
    def file(self, file: LintedFile) -> None:
        """Show what was found in one file."""

    def missing(self, error: str) -> None:  # noqa: ARG002 - some formats show it
        """Show that a file could not be read. Nothing, where standard error is enough."""
        return

    def end(self) -> None:
        """Show what is to be shown after all files. Nothing, where each line stands for itself."""


class Text(Format):
    """For people: the gravest first, then those with a fix that leaves no choice."""

    def __init__(self) -> None:
        self._files = self._fixes = 0
        self._counts: Counter[Severity] = Counter()

    def file(self, file: LintedFile) -> None:
        self._files += 1
        self._fixes += file.fixes
        self._counts.update(finding.severity for finding in file.findings)
        lines = readable_lines(file.octets) if file.findings else []
        for finding in sorted(file.findings, key=_urgency):
            _print_finding(file.name, lines[finding.line - 1], finding)

    def end(self) -> None:
        if self._files:
            counts = [counted(n, level.value) for level in Severity if (n := self._counts[level])]
            fixes = f"; {counted(self._fixes, 'finding')} fixed" if self._fixes else ""
            totals = ", ".join(counts) or "nothing found"
            print_line(f"{totals} in {counted(self._files, 'file')}{fixes}")


def _urgency(finding: Finding) -> tuple[int, bool, int]:
    return finding.severity.rank, not finding.edits, finding.line


def _print_finding(name: str, line: str, finding: Finding) -> None:
    colour = _COLOURS[finding.severity]
    place = f"{shown(name)}:{finding.line}:{finding.column}:"
    kind = paint(f"{finding.severity.value} {finding.code} {finding.kind.name}", colour)
    print_line(f"{place} {kind}")
    print_line(f"        {shown(finding.message)}")
    print_marked(finding.line, line, finding.column, finding.end, colour)
    if finding.fix:
        print_line(f"        fix: {shown(finding.fix)}")
    print_line()


class Json(Format):
    """One finding a line."""

    def file(self, file: LintedFile) -> None:
        for row in _rows(file):
            print_json(row)


class Csv(Format):
    """One finding a line, after a head line."""

    def __init__(self) -> None:
        print_csv(_COLUMNS)

    def file(self, file: LintedFile) -> None:
        for row in _rows(file):
            print_csv(row[column] for column in _COLUMNS)


class Github(Format):
    """Annotations beside the lines of a pull request."""

    def file(self, file: LintedFile) -> None:
        for finding in file.findings:
            print_line(
                annotation(
                    finding.severity.value.replace("note", "notice"),
                    f"{finding.message}; {finding.fix}" if finding.fix else finding.message,
                    title=f"{finding.code} {finding.kind.name}",
                    file=file.name,
                    line=finding.line,
                    endLine=finding.last or finding.line,
                    col=finding.column,
                    endColumn=finding.end,
                )
            )


FORMATS: Mapping[str, Callable[[], Format]] = {
    "text": Text,
    "json": Json,
    "csv": Csv,
    "sarif": Sarif,
    "github": Github,
}


def _rows(file: LintedFile) -> Iterator[dict[str, Any]]:
    return ({"file": file.name, **finding_as_json(finding)} for finding in file.findings)


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


class Statistics(Format):
    """How often each kind was found, and in how many files; the commonest first."""

    def __init__(self, output_format: str) -> None:
        self._format = output_format
        self._files = 0
        self._findings: Counter[str] = Counter()
        self._in_files: Counter[str] = Counter()

    def file(self, file: LintedFile) -> None:
        codes = [finding.code for finding in file.findings]
        self._files += 1
        self._findings.update(codes)
        self._in_files.update(set(codes))

    def end(self) -> None:
        heads = ("code", "name", "severity", "findings", "files")
        rows = [
            (code, KINDS[code].name, KINDS[code].severity.value, count, self._in_files[code])
            for code, count in self._findings.most_common()
        ]
        if self._format == "json":
            for row in rows:
                print_json(dict(zip(heads, row, strict=True)))
        elif self._format == "csv":
            for line in (heads, *rows):
                print_csv(line)
        else:
            if rows:
                print_columns([tuple(map(str, row)) for row in rows], head=heads)
            total = counted(self._findings.total(), "finding")
            print_line(f"{total} in {counted(self._files, 'file')}")
