"""What is wrong with a robots.txt, or read otherwise by other engines: numbered findings.

Knows: which checks there are. Must not know: how findings are shown.

A file is read in one dialect; findings of the 6xx kind tell where others read it differently.
There is no second parser: checks search the text with the dialect's own expressions
(`lines.grammar_of`) and ask the engine itself what it makes of it.
"""

from __future__ import annotations

from ..rep.dialects.dialect import Dialect
from ..rep.dialects.engines import dialect_of
from .engine_findings import CHECKS as ENGINES
from .file_findings import CHECKS as FILE
from .file_findings import html_page
from .findings import KINDS, Finding, Kind, Severity
from .group_findings import CHECKS as GROUPS
from .line_findings import CHECKS as LINES
from .linted_file import Source, readable_lines
from .rule_findings import CHECKS as RULES
from .usage_findings import CHECKS as USAGE

__all__ = ["KINDS", "Finding", "Kind", "Severity", "lint", "readable_lines"]

_CHECKS = (*FILE, *LINES, *GROUPS, *RULES, *USAGE, *ENGINES)


def lint(body: bytes, dialect: str | Dialect = "rfc9309") -> tuple[Finding, ...]:
    """All findings, in the order of the file. Total: any octets can be checked.

    An HTML page gives that one finding and no other. ValueError for an unknown dialect name.
    """
    source = Source(body, dialect_of(dialect))
    page = tuple(html_page(source))
    found = page or (finding for check in _CHECKS for finding in check(source))
    return tuple(sorted(found, key=lambda finding: (finding.line, finding.column, finding.code)))
