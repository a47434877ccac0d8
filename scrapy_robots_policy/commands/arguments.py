"""The options of one command line, and what holds where it says nothing."""

from __future__ import annotations

import re
from argparse import Namespace
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from ..fetch.redirects import ANYWHERE, RedirectGuard
from ..lint import KINDS, Severity
from ..rep import DIALECTS, Dialect, product_token
from ..rep.agents import STAR, find_agent, names_a_crawler
from ..rep.escapes import nearest
from ..rep.usage import DeclaredUse
from .typed_urls import as_url, why_no_url
from .verb_table import Verb

MAX_JOBS = 1000
MAX_PORT = 65535
_SECONDS = 15.0  # for one robots.txt, redirects included
_MAX_SECONDS = 24 * 3600
# Files name crawlers such as 008. A crawl may not be called so, but one may ask for such a one.
_NUMBER = re.compile(r"[!$%&'+.^_`|~-]*[0-9][0-9!$%&'+.^_`|~-]*")
SITES = 32  # fetched at a time, where --jobs says nothing


class UsageError(Exception):
    """A wrong command line. The message is one sentence for the user; the exit status is 2."""


class Defaults:
    """What holds where the command line says nothing: here, without a project."""

    user_agent = "robots-policy (a check of robots.txt)"

    def dialect(self) -> Dialect:
        return DIALECTS["rfc9309"]

    def agent(self, dialect: Dialect) -> str:  # noqa: ARG002 - a project's may depend on it
        return STAR

    def use(self) -> DeclaredUse:
        return DeclaredUse()

    def guard(self) -> RedirectGuard:
        return ANYWHERE

    def set_by(self, origin: str) -> Mapping[str, str]:  # noqa: ARG002 - a project has some
        """Where each override for the host of an origin is set, by the name of its field."""
        return {}


@dataclass(frozen=True, slots=True)
class Options:
    """One command line.

    Attributes:
        args: the arguments after the verb.
        robots: FILE, URL or "-"; "" means the robots.txt of each URL's site.
        agent: the crawler's product token.
        dialects: those that are asked about a file; `compare` compares the others with the first.
        user_agent: the User-Agent header of fetches.
        output_format: a key of `verbs.FORMATS`; "" where none is named.
        jobs: how many sites, or files, at a time; 0: as many as is usual.
        timeout: seconds for one robots.txt, redirects included.
        select: codes of findings, or their starts; none: the default of lint.
        explain: codes of findings that are to be explained.
        all: whether all crawlers are asked about, or those that most sites care for.
        severity: findings that are less grave are not shown; None: the default of lint.
        fixes: which fixes to apply: "", "safe", "all".
        port: the tester's port; 0: any free one; None: the usual one.
        browser: whether the tester opens a browser.
        use: what the crawl declares that it does with pages: by --purpose, or the project's.
        output: the file to write; "" where none is named.
        named_dialect: the one that the command line names; None: it names none.
        guard: where redirects of a robots.txt may lead.
        tdmrep: FILE or URL of the tdmrep.json; "" means that of each URL's site.
        page: FILE of a saved response for the URL; "" where none is named.
        set_by: the method of `Defaults`.

    """

    args: list[str]
    robots: str
    agent: str
    dialect: Dialect
    dialects: tuple[Dialect, ...]
    user_agent: str
    output_format: str
    port: int | None
    browser: bool
    use: DeclaredUse
    output: str
    named_dialect: Dialect | None
    guard: RedirectGuard
    tdmrep: str
    page: str
    set_by: Callable[[str], Mapping[str, str]]
    quiet: bool
    statuses: bool
    jobs: int
    timeout: float
    select: tuple[str, ...]
    ignore: tuple[str, ...]
    severity: Severity | None
    include: str
    statistics: bool
    explain: tuple[str, ...]
    all: bool
    exit_zero: bool
    fixes: str

    @property
    def urls(self) -> list[str]:
        """The arguments, where they are URLs."""
        return [as_url(argument) for argument in self.args]

    def checked_urls(self) -> list[str]:
        """As `urls`. UsageError where one is neither a whole URL nor, with --robots, a path."""
        fault = next(filter(None, map(why_no_url, self.urls)), "") if self.robots else ""
        if fault:
            raise UsageError(fault)
        return self.urls

    @property
    def as_json(self) -> bool:
        return self.output_format == "json"


def read_options(args: list[str], opts: Namespace, verb: Verb, defaults: Defaults) -> Options:
    """UsageError if an option or a setting has a wrong value."""
    known = find_agent(product_token(opts.agent or ""))
    if opts.dialect is not None:
        dialect = read_dialect("--dialect", opts.dialect)
    else:  # a crawler that is known reads as its engine does
        dialect = defaults.dialect() if known is None else DIALECTS[known.dialect]
    if opts.dialect is not None and opts.dialects is not None:
        raise UsageError("--dialects names all dialects, the first one too: leave --dialect out")
    agent = _agent(opts.agent, dialect, defaults) if "agent" in verb.options else STAR
    use = defaults.use() if opts.purpose is None else _declared(opts.purpose)
    if opts.tdmrep and not use:
        raise UsageError("--tdmrep needs a purpose that its file may refuse: name it by --purpose")
    return Options(
        args=args,
        robots=opts.robots or "",
        agent=agent,
        dialect=dialect,
        dialects=_dialects(opts.dialects, dialect, verb),
        user_agent=defaults.user_agent,
        output_format=_format(opts, verb),
        port=_within("--port", opts.port, 0, MAX_PORT),
        browser=not opts.no_browser,
        use=use,
        output=opts.output or "",
        named_dialect=None if opts.dialect is None else dialect,
        guard=defaults.guard(),
        tdmrep=opts.tdmrep or "",
        page=opts.page or "",
        set_by=defaults.set_by,
        quiet=opts.quiet,
        statuses=opts.statuses,
        jobs=_within("--jobs", opts.jobs, 1, MAX_JOBS) or 0,
        timeout=_seconds(opts.timeout),
        select=read_codes("--select", (opts.select or "").split(",")),
        ignore=read_codes("--ignore", (opts.ignore or "").split(",")),
        severity=None if opts.severity is None else read_severity("--severity", opts.severity),
        include=opts.include or "",
        statistics=opts.statistics,
        explain=read_findings("--explain", opts.explain or ""),
        all=opts.all,
        exit_zero=opts.exit_zero,
        fixes="" if not opts.fix else "all" if opts.unsafe_fixes else "safe",
    )


def _declared(purposes: str) -> DeclaredUse:
    try:
        return DeclaredUse(frozenset(purpose.strip() for purpose in purposes.split(",")))
    except ValueError as error:
        raise UsageError(f"--purpose: {error}") from None


def read_dialect(source: str, value: str) -> Dialect:
    """A dialect by its name or its import path. UsageError names `source` and the choices."""
    if value in DIALECTS:
        return DIALECTS[value]
    if "." not in value:
        raise UsageError(
            f"{source} is {value!r}; it must be {', '.join(DIALECTS)}, or the import path of a "
            f"Dialect{nearest(value, DIALECTS)}"
        )
    from ..settings import DIALECT  # noqa: PLC0415 - it loads Scrapy, as the project's code may

    try:
        dialect: Dialect = DIALECT.read(source, value)
    except ValueError as error:
        raise UsageError(str(error)) from None
    return dialect


def read_codes(source: str, values: Iterable[str]) -> tuple[str, ...]:
    """Codes of findings, or their starts. UsageError for an unknown one."""
    codes = tuple(value.strip().upper() for value in values if value.strip())
    for code in codes:
        if not any(kind.startswith(code) for kind in KINDS):
            raise UsageError(
                f"{source}: no finding has the code {code!r}; the codes start with R1 to R6"
            )
    return codes


def read_findings(source: str, value: str) -> tuple[str, ...]:
    """Codes of findings, from codes and names; `all` for each. UsageError for an unknown one."""
    if value.strip().lower() == "all":
        return tuple(KINDS)
    names = {kind.name: kind.code for kind in KINDS.values()}
    codes = []
    for word in filter(None, map(str.strip, value.split(","))):
        code = names.get(word.lower(), word.upper())
        if code not in KINDS:
            near = nearest(word.lower(), names) or nearest(code, KINDS)
            raise UsageError(f"{source}: no finding has the code {word!r}{near}")
        codes.append(code)
    return tuple(codes)


def read_severity(source: str, value: str) -> Severity:
    try:
        return Severity(value.lower())
    except ValueError:
        words = ", ".join(severity.value for severity in Severity)
        raise UsageError(f"{source} is {value!r}; it must be one of {words}") from None


def read_format(source: str, value: str, verb: Verb) -> str:
    if value not in verb.formats:
        near = nearest(value, verb.formats)
        raise UsageError(f"{source} is {value!r}; it must be {', '.join(verb.formats)}{near}")
    return value


def _format(opts: Namespace, verb: Verb) -> str:
    formats = [name for name in ("json", "sarif") if getattr(opts, name)]
    if opts.output_format is not None:
        formats.append(read_format("--output-format", opts.output_format, verb))
    if len(set(formats)) > 1:
        raise UsageError(f"the options name more than one format: {', '.join(formats)}")
    return formats[0] if formats else ""


def _agent(header: str | None, dialect: Dialect, defaults: Defaults) -> str:
    """The name that the crawl would look for in the file."""
    if header is None:
        return defaults.agent(dialect)
    token = product_token(header)
    is_name = names_a_crawler(token, dialect.agents) or _NUMBER.fullmatch(token)
    if token != STAR and not is_name:
        raise UsageError(
            f"--agent is {header!r}, which gives the product token {token!r}; a crawler's name is "
            "one word in ASCII, with a letter or a digit in it, or * for one that no group names"
        )
    return token


def _dialects(names: str | None, first: Dialect, verb: Verb) -> tuple[Dialect, ...]:
    if names is None:
        return tuple(dict.fromkeys((first, *(DIALECTS.values() if verb.asks_all else ()))))
    return tuple(read_dialect("--dialects", name.strip()) for name in names.split(","))


def _within(flag: str, number: int | None, first: int, last: int) -> int | None:
    if number is not None and not first <= number <= last:
        raise UsageError(f"{flag} is {number}; it must be from {first} to {last}")
    return number


def _seconds(text: str | None) -> float:
    try:
        seconds = _SECONDS if text is None else float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= _MAX_SECONDS:
        raise UsageError(
            f"--timeout is {text!r}; it must be a number of seconds above 0, at most "
            f"{_MAX_SECONDS:,}"
        )
    return seconds
