"""Findings as SARIF 2.1.0, which code hosts show beside the lines."""

from __future__ import annotations

import os
from collections import Counter
from hashlib import sha256
from pathlib import Path, PurePath
from typing import Any
from urllib.parse import quote

from ...distribution import installed_version
from ...lint import KINDS, Finding, Kind, readable_lines
from ...lint.explanations import explanations
from ..printing.terminal import print_json
from ..reading.download import is_web
from .linted_files import LintedFile

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)


class Sarif:
    """One run with the findings of all files; it is shown at the end, whole."""

    def __init__(self) -> None:
        self._results: list[dict[str, Any]] = []
        self._errors: list[str] = []

    def missing(self, error: str) -> None:
        self._errors.append(error)

    def file(self, file: LintedFile) -> None:
        lines = readable_lines(file.octets) if file.findings else []
        seen: Counter[str] = Counter()
        for finding in file.findings:
            print_of_line = f"{finding.code}\0{lines[finding.line - 1].strip()}"
            seen[print_of_line] += 1
            fingerprint = f"{print_of_line}\0{seen[print_of_line]}"
            self._results.append(_result(file.name, finding, fingerprint))

    def end(self) -> None:
        driver = {
            "name": "robots-policy lint",
            "version": installed_version(),
            "rules": [_rule(kind) for kind in KINDS.values()],
        }
        run = {
            "tool": {"driver": driver},
            "invocations": [_invocation(self._errors)],
            "columnKind": "unicodeCodePoints",
            "results": self._results,
        }
        print_json({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _invocation(errors: list[str]) -> dict[str, Any]:
    """SARIF §3.20. Without it, a file that could not be read looks like one without faults."""
    notifications = [{"level": "error", "message": {"text": error}} for error in errors]
    return {"executionSuccessful": not errors, "toolExecutionNotifications": notifications}


def _rule(kind: Kind) -> dict[str, Any]:
    text = explanations()[kind.code]
    whole = f"{text.why}\n\nFix: {text.fix}"
    return {
        "id": kind.code,
        "name": kind.name,
        "shortDescription": {"text": kind.title},
        "fullDescription": {"text": text.why},
        "help": {"text": whole, "markdown": whole},
        "defaultConfiguration": {"level": kind.severity.value},
    }


def _result(name: str, finding: Finding, fingerprint: str) -> dict[str, Any]:
    """`fingerprint`: the code, the text of the line, and which of such lines it is. So a result
    keeps its fingerprint when lines above it are added or removed.
    """
    text = f"{finding.message}. Fix: {finding.fix}." if finding.fix else f"{finding.message}."
    region = {
        "startLine": finding.line,
        "startColumn": finding.column,
        "endColumn": finding.end,
    }
    uri = name if is_web(name) else uri_of(Path(name))
    return {
        "ruleId": finding.code,
        "level": finding.severity.value,
        "message": {"text": text},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": uri}, "region": region}}],
        "partialFingerprints": {
            "codeAndLine/v1": sha256(fingerprint.encode("utf-8", "replace")).hexdigest()
        },
    }


def uri_of(path: PurePath) -> str:
    r"""A file as a URI: as RFC 8089 has it, or relative if the path is. Windows writes sites\a.txt,
    C:\a.txt and \\server\folder\a.txt.
    """
    octets = os.fsencode(path.as_posix())  # a name may be no UTF-8
    if not path.is_absolute():
        return quote(octets)
    start = "file://" if path.drive.startswith("\\\\") else "file:///"
    return start + quote(octets, safe="/:").lstrip("/")
