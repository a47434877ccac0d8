"""The options of one `scrapy robots` command line, with the settings as their defaults."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import dataclass

from scrapy.settings import BaseSettings

from ..config import DialectKind, Values, redirect_guard, sent_user_agent, user_agent
from ..fetch.redirects import ANYWHERE, RedirectGuard
from ..lint import KINDS
from ..rep import DIALECTS, Dialect


class UsageError(Exception):
    """A wrong command line. The message is one sentence for the user; the exit status is 2."""


@dataclass(frozen=True, slots=True)
class Options:
    """One command line.

    args        the arguments after the verb
    robots      FILE, URL or "-"; "" means the robots.txt of each URL's site
    agent       the crawler's product token, or a User-Agent header
    dialects    for `compare`; the first is the one that the others are compared with
    user_agent  the User-Agent header of fetches
    select      codes of findings, or their starts; none: the default of lint
    port        the tester's port; 0: any free one
    browser     whether the tester opens a browser
    purposes    the purposes of the project's crawls
    output      the file to write; "" where none is named
    other       the dialect that the command line names; None: it names none
    guard       where redirects of a robots.txt may lead
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
    guard: RedirectGuard = ANYWHERE


def read_options(args: list[str], opts: Namespace, settings: BaseSettings) -> Options:
    """UsageError if an option or a setting has a wrong value."""
    _, header = sent_user_agent(settings, None)
    agent = user_agent(settings)
    dialect = _dialect(opts.dialect, settings)
    return Options(
        args=args,
        robots=opts.robots or "",
        agent=opts.agent or agent,
        dialect=dialect,
        dialects=_dialects(opts.dialects, dialect),
        user_agent=header,
        as_json=opts.json,
        as_sarif=opts.sarif,
        select=_codes(opts.select),
        port=opts.port or 0,
        browser=not opts.no_browser,
        purposes=_purposes(settings),
        output=opts.output or "",
        other=None if opts.dialect is None else dialect,
        guard=_guard(settings),
    )


def read_dialect(source: str, value: str) -> Dialect:
    """A dialect by its name or its import path. UsageError names `source` and the choices."""
    try:
        return DialectKind().read(source, value)
    except ValueError as error:
        raise UsageError(str(error)) from None


def _dialect(name: str | None, settings: BaseSettings) -> Dialect:
    if name is not None:
        return read_dialect("--dialect", name)
    try:
        dialect: Dialect = Values(settings)["ROBOTS_DIALECT"]
    except ValueError as error:
        raise UsageError(str(error)) from None
    return dialect


def _purposes(settings: BaseSettings) -> frozenset[str]:
    try:
        purposes: frozenset[str] | None = Values(settings)["ROBOTS_PURPOSE"]
    except ValueError as error:
        raise UsageError(str(error)) from None
    return purposes or frozenset()


def _guard(settings: BaseSettings) -> RedirectGuard:
    try:
        return redirect_guard(Values(settings))
    except ValueError as error:
        raise UsageError(str(error)) from None


def _dialects(names: str | None, first: Dialect) -> tuple[Dialect, ...]:
    if names is None:
        return tuple(dict.fromkeys((first, *DIALECTS.values())))
    return tuple(read_dialect("--dialects", name.strip()) for name in names.split(","))


def _codes(option: str | None) -> tuple[str, ...]:
    codes = tuple(code.strip().upper() for code in (option or "").split(",") if code.strip())
    for code in codes:
        if not any(kind.startswith(code) for kind in KINDS):
            raise UsageError(
                f"--select: no finding has the code {code!r}; the codes start with R1 to R6"
            )
    return codes
