"""Verdicts on many URLs as rows of plain values, for tables: pandas, polars, csv, SQL."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from .agents import product_token
from .dialects.dialect import Dialect
from .ruleset import parse
from .wrong_type import check_strings, wrong_type


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

    ValueError for an unknown dialect name and TypeError for arguments of a wrong type, at once;
    TypeError for a URL that is no string, when it is its turn. Nothing is kept of the rows that
    were given, so any number of URLs can be asked about.

    >>> robots_txt = b"User-agent: *\nDisallow: /search"
    >>> for row in verdicts(["/search?q=x", "/about"], robots_txt, "MyBot"):
    ...     print(row.url, row.allowed, row.line)
    /search?q=x False 2
    /about True 0
    """
    pages = _each("urls", urls)
    names = tuple(_each("agents", agents))
    readings = _each("dialects", dialects)
    check_strings("agents", names)
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


def _each(name: str, values: Any) -> Iterable[Any]:
    """One value, or several, to be gone through. TypeError where they are neither."""
    if isinstance(values, str | Dialect):
        return (values,)
    if isinstance(values, bytes | bytearray) or not isinstance(values, Iterable):
        raise wrong_type(name, "a str or several", values)
    return values
