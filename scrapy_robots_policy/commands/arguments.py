"""What was asked on the command line, with what the settings say where it was silent.

Knows: options, and what stands in for them. Must not know: what the verbs do.
"""

from __future__ import annotations

from argparse import Namespace
from dataclasses import dataclass

from scrapy.settings import BaseSettings

from ..config import DialectKind, Values, sent_user_agent, user_agent
from ..lint import KINDS
from ..rep import DIALECTS, Dialect


class UsageError(Exception):
    """A wrong question: one sentence that says what is wrong with it. Exit status 2."""


@dataclass(frozen=True, slots=True)
class Options:
    """One command line.

    args        what stands after the verb
    robots      FILE, URL or "-"; "" means the robots.txt of each URL's site
    dialects    those to compare, the one asked for first
    other       the dialect that the command line names; None: it names none
    user_agent  the header that fetches are made with
    select      codes of findings, or their starts; none: those that lint looks for by itself
    purposes    what the project's crawls are for
    output      the file to write; "" where none is named
    """

    args: list[str]
    robots: str
    agent: str
    dialect: Dialect
    dialects: tuple[Dialect, ...]
    user_agent: str
    as_json: bool
    as_sarif: bool
    select: tuple[str, ...]
    port: int
    browser: bool
    purposes: frozenset[str]
    output: str = ""
    other: Dialect | None = None


def asked_of(args: list[str], opts: Namespace, settings: BaseSettings) -> Options:
    """UsageError where an option or a setting is wrong."""
    _, header = sent_user_agent(settings, None)
    agent = user_agent(settings)
    dialect = _dialect(opts.dialect, settings)
    return Options(
        args,
        opts.robots or "",
        opts.agent or agent,
        dialect,
        _dialects(opts.dialects, dialect),
        header,
        opts.json,
        opts.sarif,
        _codes(opts.select),
        opts.port or 0,
        not opts.no_browser,
        _purposes(settings),
        opts.output or "",
        None if opts.dialect is None else dialect,
    )


def _dialect(told: str | None, settings: BaseSettings) -> Dialect:
    try:
        if told is not None:
            return DialectKind().read("--dialect", told)
        dialect: Dialect = Values(settings)["ROBOTS_DIALECT"]
    except ValueError as error:
        raise UsageError(str(error)) from None
    return dialect


def _codes(option: str | None) -> tuple[str, ...]:
    codes = tuple(code.strip().upper() for code in (option or "").split(",") if code.strip())
    for code in codes:
        if not any(kind.startswith(code) for kind in KINDS):
            raise UsageError(
                f"--select: no finding has the code {code!r}; the codes start with R1 to R6"
            )
    return codes


def _purposes(settings: BaseSettings) -> frozenset[str]:
    try:
        purposes: frozenset[str] | None = Values(settings)["ROBOTS_PURPOSE"]
    except ValueError as error:
        raise UsageError(str(error)) from None
    return purposes or frozenset()


def _dialects(told: str | None, first: Dialect) -> tuple[Dialect, ...]:
    if told is None:
        return tuple(dict.fromkeys((first, *DIALECTS.values())))
    try:
        return tuple(DialectKind().read("--dialects", name.strip()) for name in told.split(","))
    except ValueError as error:
        raise UsageError(str(error)) from None
