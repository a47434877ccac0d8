"""Findings as SARIF 2.1.0, which code hosts show beside the lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from ..lint import KINDS, Finding, Kind
from .download import is_web

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)


def sarif(findings: Mapping[str, tuple[Finding, ...]]) -> dict[str, Any]:
    """One run, from the findings of each file by its name."""
    driver = {"name": "scrapy robots lint", "rules": [_rule(kind) for kind in KINDS.values()]}
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "columnKind": "unicodeCodePoints",
                "results": [
                    _result(name, finding) for name, items in findings.items() for finding in items
                ],
            }
        ],
    }


def _rule(kind: Kind) -> dict[str, Any]:
    return {
        "id": kind.code,
        "name": kind.name,
        "shortDescription": {"text": kind.title},
        "defaultConfiguration": {"level": kind.severity.value},
    }


def _result(name: str, finding: Finding) -> dict[str, Any]:
    text = f"{finding.message}. Fix: {finding.fix}." if finding.fix else f"{finding.message}."
    region = {
        "startLine": finding.line,
        "startColumn": finding.column,
        "endColumn": finding.end,
    }
    uri = name if is_web(name) else quote(name)
    return {
        "ruleId": finding.code,
        "level": finding.severity.value,
        "message": {"text": text},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": uri}, "region": region}}],
    }
