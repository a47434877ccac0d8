"""What is wrong with a robots.txt, or read otherwise by other engines: numbered findings.

A file is read in one dialect; findings of the 6xx kind say where others read it differently.
There is no second parser: checks search the text with the dialect's own expressions
(`rep.text.grammar_of`) and ask the engine itself what it makes of it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from itertools import chain

from ...owners.lint.agent_findings import CHECKS as AGENTS
from ...owners.lint.file_findings import FILE, LINES, html_page, no_text
from ...owners.lint.findings import (
    KINDS,
    ON_REQUEST,
    Edit,
    Finding,
    Kind,
    Severity,
    edited,
    in_runs,
)
from ...owners.lint.group_findings import GROUPS, NEEDLESS
from ...owners.lint.other_findings import ENGINES, OTHERS, disagreements
from ...owners.lint.other_findings import served as served_findings
from ...owners.lint.rule_findings import CHECKS as RULES
from ...owners.lint.source_file import SourceFile, ignored
from ...rep.access import FetchResult
from ...rep.checks import check_body, check_strings
from ...rep.dialect import Dialect
from ...rep.engines import dialect_of
from ...rep.text import readable_lines

__all__ = ["KINDS", "Edit", "Finding", "Kind", "Severity", "edited", "lint", "readable_lines"]

_CHECKS = (
    *FILE,
    *LINES,
    *GROUPS,
    *AGENTS,
    *RULES,
    *NEEDLESS,
    *OTHERS,
    *ENGINES,
)


def lint(  # noqa: PLR0913 - each is named where it is given
    body: bytes,
    dialect: str | Dialect = "rfc9309",
    *,
    select: Collection[str] = (),
    ignore: Collection[str] = (),
    url: str = "",
    size: int = 0,
    served: FetchResult | None = None,
) -> tuple[Finding, ...]:
    """All findings, in the order of the file. Total: any bytes can be checked, in linear time.

    An HTML page, or what is no text, gives that one finding and no other about the file. Comments
    in the file may ask to leave findings out (see `source_file.ignored`). ValueError for an unknown
    dialect name; TypeError where `body` is no bytes.

    Args:
        select: codes, or the starts of codes ("R4"), to look for; none: all but R601.
        ignore: codes, or the starts of codes, to leave out.
        url: the address of the robots.txt, where it is known.
        size: the bytes of the whole file, where `body` is only the start of it.
        served: what the fetch brought, where the file was fetched.

    """
    check_body(body)
    check_strings("select", select)
    check_strings("ignore", ignore)
    source = SourceFile(bytes(body), dialect_of(dialect), url, size)
    checks = (*_CHECKS, disagreements) if _is_selected("R601", select, ignore) else _CHECKS
    no_file = tuple(html_page(source)) or tuple(no_text(source))
    every = no_file or (finding for check in checks for finding in check(source))
    about_fetch = served_findings(source, served) if served else ()
    is_ignored = ignored(source)
    findings = (
        finding
        for finding in chain(about_fetch, every)
        if _is_selected(finding.code, select, ignore) and not is_ignored(finding.code, finding.line)
    )
    if b"\r\r" in body and source.text.count("\n") <= len(body.splitlines()):
        # The engine reads two returns as one line end: no fix would be made in its line.
        findings = (replace(finding, edits=()) for finding in findings)
    return in_runs(findings)


def _is_selected(code: str, select: Collection[str], ignore: Collection[str]) -> bool:
    if code.startswith(tuple(ignore)):
        return False
    return code.startswith(tuple(select)) if select else code not in ON_REQUEST
