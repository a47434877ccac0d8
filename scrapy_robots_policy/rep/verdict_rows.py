"""Verdicts on many URLs as rows of plain values, for tables: pandas, polars, csv, SQL."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from .agents import product_token
from .dialects.dialect import Dialect
from .ruleset import parse


class VerdictRow(NamedTuple):
    """One verdict. All values are strings, numbers or truth values.

    agent   the crawler's product token
    reason  the name of the `Reason`, in lower case: "rule", "no_rule"
    line    the line that decided; 0 if none did
    rule    the rule that decided: "Disallow: /search"; "" if none did
    """

    url: str
    agent: str
    dialect: str
    allowed: bool
    reason: str
    line: int
    rule: str


def verdicts(
    urls: str | Iterable[str],
    robots_txt: bytes,
    agents: str | Iterable[str] = "*",
    dialects: str | Dialect | Iterable[str | Dialect] = "rfc9309",
) -> Iterator[VerdictRow]:
    r"""A row for each URL, for each agent, in each dialect, as they are asked for.

    agents  product tokens or User-Agent headers; "*" is a crawler that no line names

    ValueError for an unknown dialect name, at once. Nothing is kept of the rows that were given,
    so any number of URLs can be asked about.

    >>> robots_txt = b"User-agent: *\nDisallow: /search"
    >>> for row in verdicts(["/search?q=x", "/about"], robots_txt, "MyBot"):
    ...     print(row.url, row.allowed, row.line)
    /search?q=x False 2
    /about True 0
    """
    pages = (urls,) if isinstance(urls, str) else urls
    names = (agents,) if isinstance(agents, str) else tuple(agents)
    readings = (dialects,) if isinstance(dialects, str | Dialect) else tuple(dialects)
    rule_sets = [parse(robots_txt, dialect) for dialect in readings]
    tokens = {name: product_token(name) or name for name in names}

    def rows() -> Iterator[VerdictRow]:
        for url in pages:
            for name, token in tokens.items():
                for rules in rule_sets:
                    verdict = rules.verdict(url, name)
                    rule = str(verdict.rule) if verdict.rule else ""
                    reason = verdict.reason.name.lower()
                    dialect = rules.dialect.name
                    yield VerdictRow(
                        url, token, dialect, verdict.allowed, reason, verdict.line, rule
                    )

    return rows()
