"""The options of one command line: how each is read, and what holds where it says nothing.

The options stand in `OPTIONS`; a verb says in its `Arguments` which of them it takes. What depends
on more than one option is decided in `complete`.
"""

from __future__ import annotations

import re
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime, timezone
from functools import partial
from shutil import get_terminal_size
from textwrap import fill
from types import MappingProxyType
from typing import Any, NamedTuple, NoReturn

from ..core.redirects import ANYWHERE, RedirectGuard
from ..rep import DIALECTS, Dialect, product_token
from ..rep.agents import STAR, find_agent, names_a_crawler
from ..rep.escapes import nearest
from ..rep.usage.preferences import LEVELS, NO_USE, PURPOSES, DeclaredUse, tokens_for
from .typed_urls import as_url, why_no_url

MAX_JOBS = 1000
MAX_PORT = 65_535
_MAX_SECONDS = 24 * 3600
# Files name crawlers such as 008. A crawl may not be called so, but one may ask for such a one.
_NUMBER = re.compile(r"[!$%&'+.^_`|~-]*[0-9][0-9!$%&'+.^_`|~-]*")
SITES = 32  # fetched at a time, where --jobs says nothing
UNREADABLE = "2 a file cannot be read, or a wrong command line"

FORMATS = {
    "text": "for people",
    "json": "one value a line",
    "csv": "with a head line",
    "sarif": "SARIF 2.1.0, for code hosts",
    "github": "annotations of GitHub's workflows",
}


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
        return NO_USE

    def guard(self) -> RedirectGuard:
        return ANYWHERE

    def set_by(self, origin: str) -> Mapping[str, str]:  # noqa: ARG002 - a project has some
        """Where each override for the host of an origin is set, by the name of its field."""
        return {}


class Options(Namespace):
    """One command line. What it does not name has its value from `_NOT_NAMED`.

    Attributes:
        args: the arguments after the verb.
        robots: FILE, URL or "-"; "" means the robots.txt of each URL's site.
        tdmrep: FILE or URL of the tdmrep.json; "" means that of each URL's site.
        header: as the command line names the crawler.
        agent: the crawler's product token.
        named_dialect: the one that the command line names; None: it names none.
        dialects: those that are asked about a file; `compare` compares the others with the first.
        user_agent: the User-Agent header of fetches.
        use: what the crawl declares that it does with pages: by --purpose, or the project's.
        guard: where redirects of a robots.txt may lead.
        set_by: the method of `Defaults`.
        jobs: how many sites, or files, at a time; 0: as many as is usual.
        timeout: seconds for one robots.txt, redirects included.
        output_format: a key of `FORMATS`; "" where none is named.
        output: the file to write; "" where none is named.
        page: FILE of a saved response for the URL; "" where none is named.
        select: codes of findings, or their starts; none: the default of lint.
        explain: codes of findings that are to be explained.
        severity: findings that are less grave are not shown; None: the default of lint.
        all: whether all crawlers are asked about, or those that most sites care for.
        port: the tester's port; 0: any free one; None: the usual one.
        agents: the crawlers in place of `agent`; none where none are named.
        as_of: a moment in place of the times of URLs.
        columns: names of columns, by fields of `bulk.Columns`.
        memory: megabytes.

    """

    def but(self, **values: Any) -> Options:
        """The same, but for these values."""
        return Options(**{**vars(self), **values})

    def asking_all(self) -> Options:
        """The same; all dialects are asked where none are named, its own one first."""
        every = dict.fromkeys((self.dialect, *DIALECTS.values()))
        return self.but(dialects=self.dialects or tuple(every))

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
        return bool(self.output_format == "json")


_NOT_NAMED: Mapping[str, Any] = {
    **dict.fromkeys(("robots", "tdmrep", "page", "content_use", "include"), ""),
    **dict.fromkeys(("output_format", "output"), ""),
    **dict.fromkeys(("header", "named_dialect", "purposes", "severity", "port", "as_of")),
    **dict.fromkeys(("quiet", "statuses", "statistics", "exit_zero", "fix"), False),
    **dict.fromkeys(("unsafe_fixes", "diff", "all", "no_browser"), False),
    **dict.fromkeys(("dialects", "select", "ignore", "explain", "agents"), ()),
    "agent": STAR,
    "columns": MappingProxyType({}),
    "jobs": 0,
    "memory": 300,
    "timeout": 15.0,
}
"""The values of options that the command line does not name."""


def complete(options: Options, taken: Collection[str], defaults: Defaults) -> None:
    """Set what depends on several options, or on the project. UsageError for a wrong value.

    Args:
        taken: the options that the verb takes.

    """
    known = find_agent(product_token(options.header or ""))
    if options.named_dialect is not None:
        options.dialect = options.named_dialect
    else:  # a crawler that is known reads as its engine does
        options.dialect = defaults.dialect() if known is None else DIALECTS[known.dialect]
    if "--agent" in taken:
        options.agent = _agent(options, defaults)
    options.use, options.guard = defaults.use(), defaults.guard()
    options.user_agent, options.set_by = defaults.user_agent, defaults.set_by
    if options.purposes is not None or options.content_use:
        purposes = options.purposes or frozenset()
        options.use = DeclaredUse(purposes, options.content_use, tokens_for(purposes))
    if options.tdmrep and not options.use:
        raise UsageError("--tdmrep needs a purpose that its file may refuse: name it by --purpose")
    if [*options.args, options.robots, options.page].count("-") > 1:
        raise UsageError("standard input can be one file only, but - stands for two")


def _agent(options: Options, defaults: Defaults) -> str:
    """The name that the crawl would look for in the file."""
    if options.header is None:
        return defaults.agent(options.dialect)
    token = product_token(options.header)
    is_name = names_a_crawler(token, options.dialect.agents) or _NUMBER.fullmatch(token)
    if token != STAR and not is_name:
        raise UsageError(
            f"--agent is {options.header!r}, which gives the product token {token!r}; a crawler's "
            "name is one word in ASCII, with a letter or a digit in it, or * for one that no group "
            "names"
        )
    return token


def read_dialect(source: str, value: str) -> Dialect:
    """A dialect by its name or its import path. UsageError names `source` and the choices."""
    if value in DIALECTS:
        return DIALECTS[value]
    if "." not in value:
        raise UsageError(
            f"{source} is {value!r}; it must be {', '.join(DIALECTS)}, or the import path of a "
            f"Dialect{nearest(value, DIALECTS)}"
        )
    from ..settings.kinds import DIALECT  # noqa: PLC0415 - it loads Scrapy, as the project's code may

    try:
        dialect: Dialect = DIALECT.read(source, value)
    except ValueError as error:
        raise UsageError(str(error)) from None
    return dialect


def read_dialects(source: str, value: str) -> tuple[Dialect, ...]:
    return tuple(read_dialect(source, name.strip()) for name in value.split(","))


def read_choice(source: str, value: str, choices: Iterable[str]) -> str:
    """One of some words. UsageError names `source` and the choices."""
    words = tuple(choices)
    if value not in words:
        raise UsageError(
            f"{source} is {value!r}; it must be {', '.join(words)}{nearest(value, words)}"
        )
    return value


def _purposes(source: str, value: str) -> frozenset[str]:
    return frozenset(read_choice(source, word.strip(), PURPOSES) for word in value.split(","))


def whole_number(first: int, last: int) -> Callable[[str, str], int]:
    """How a whole number between these two is read."""

    def read(source: str, value: str) -> int:
        try:
            number = int(value)
        except ValueError:
            raise UsageError(f"{source}: {value!r} is no whole number") from None
        if not first <= number <= last:
            raise UsageError(f"{source} is {number}; it must be from {first} to {last}")
        return number

    return read


def _seconds(source: str, value: str) -> float:
    try:
        seconds = float(value)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= _MAX_SECONDS:
        raise UsageError(
            f"{source} is {value!r}; it must be a number of seconds above 0, at most "
            f"{_MAX_SECONDS:,}"
        )
    return seconds


def read_source(source: str, value: str) -> str:
    """A FILE, a URL or "-". An empty name, as that of a shell variable, would be none at all."""
    if not value:
        raise UsageError(f"{source} names no file: its value is empty")
    return value


def read_file_name(source: str, value: str) -> str:
    """As `read_source`; no standard stream."""
    if value == "-":
        raise UsageError(f"{source} takes a file, not a standard stream")
    return read_source(source, value)


def _text(_source: str, value: str) -> str:
    return value


def _agents(source: str, value: str) -> tuple[str, ...]:
    names = tuple(product_token(name.strip()) for name in value.split(","))
    for name in names:
        if name != STAR and not names_a_crawler(name, {}):
            raise UsageError(f"{source} has {name!r}; a crawler's name is one word in ASCII, or *")
    return names


def _moment(source: str, value: str) -> datetime:
    """A time without a zone is in UTC."""
    if value == "now":
        return datetime.now(timezone.utc)
    try:
        moment = datetime.fromisoformat(value.removesuffix("Z"))
    except ValueError:
        raise UsageError(f"{source} is {value!r}; it must be a date, or a date and time") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)


def _columns(source: str, value: str) -> Mapping[str, str]:
    """Names of columns by the word for them. UsageError for another word."""
    words = ("url", "url_time", "origin", "time", "status", "body")
    named = dict(part.partition("=")[::2] for part in value.split(","))
    for word, name in named.items():
        read_choice(source, word.strip(), words)
        if not name.strip():
            raise UsageError(f"{source} has {word!r} without a name: url=NAME,…")
    return {word.strip(): name.strip() for word, name in named.items()}


OPTIONS: Mapping[str, Mapping[str, Any]] = {
    "--robots": {
        "read": read_source,
        "metavar": "FILE|URL|-",
        "help": "the robots.txt (default: that of each URL's site)",
    },
    "--tdmrep": {
        "read": read_file_name,
        "metavar": "FILE|URL",
        "help": "the tdmrep.json (default: that of each URL's site, if a purpose is declared that "
        "it may refuse)",
    },
    "--purpose": {
        "dest": "purposes",
        "read": _purposes,
        "metavar": "A,B",
        "help": "what the pages are for, declared as in a crawl: one or several of "
        f"{', '.join(PURPOSES)} (default: the project's)",
    },
    "--content-use": {
        "read": partial(read_choice, choices=LEVELS),
        "metavar": "LEVEL",
        "help": f"the most that is done with a page: {', '.join(LEVELS)} (default: the project's)",
    },
    "--agent": {
        "dest": "header",
        "read": _text,
        "metavar": "TOKEN",
        "help": "the crawler: a product token or a User-Agent header (default: the project's; "
        "without a project *, a crawler that no group names)",
    },
    "--dialect": {
        "dest": "named_dialect",
        "read": read_dialect,
        "metavar": "NAME",
        "help": "the dialect to read in (default: a known crawler's, else the project's, else "
        "rfc9309)",
    },
    "--jobs": {
        "read": whole_number(1, MAX_JOBS),
        "metavar": "N",
        "help": "how many sites at a time (default: 32)",
    },
    "--timeout": {
        "read": _seconds,
        "metavar": "SECONDS",
        "help": "for one robots.txt, redirects included (default: 15)",
    },
    "--include": {"read": _text, "metavar": "GLOB"},
    "--explain": {},
    "--page": {
        "read": read_source,
        "metavar": "FILE",
        "help": "the page as curl -i saved it",
    },
    "--agents": {
        "read": _agents,
        "metavar": "A,B",
        "help": "several crawlers, by their product tokens, in place of --agent",
    },
    "--as-of": {
        "read": _moment,
        "metavar": "TIME",
        "help": "judge all URLs by what was known at that time, such as 2026-11-28 or "
        "2026-11-28T10:00Z, or now (default: the time of each URL)",
    },
    "--columns": {
        "read": _columns,
        "metavar": "url=page,…",
        "help": "what the columns of the tables are called: url, url_time, origin, time, status "
        "and body",
    },
    "--memory": {
        "read": whole_number(100, 1_000_000),
        "metavar": "MB",
        "help": "what sorting may take; the rest goes to a temporary folder (default: 300)",
    },
    "--dialects": {
        "read": read_dialects,
        "metavar": "A,B",
        "help": "compare the others with the first of these (default: all)",
    },
    "--output": {
        "short": ("-o",),
        "read": read_file_name,
        "metavar": "FILE",
        "help": "the page to write",
    },
    "--port": {
        "read": whole_number(0, MAX_PORT),
        "metavar": "N",
        "help": "the port; 0: any free one (default: 9309, or any free one if that is taken)",
    },
    "--quiet": {"short": ("-q",), "help": "leave the reasons out"},
    "--statuses": {
        "help": "also what the dialect does for each answer of a site to /robots.txt",
    },
    "--all": {"help": "all crawlers that are known, not only those"},
    "--no-browser": {"help": "do not open a browser"},
    "--statistics": {"help": "count the findings instead of showing them"},
    "--exit-zero": {"help": "exit with 0 in spite of findings"},
    "--fix": {"help": "apply the fixes after which every dialect answers as before"},
    "--unsafe-fixes": {
        "help": "with --fix or --diff: also those that change what the dialects in the finding "
        "answer",
    },
    "--diff": {"help": "show what --fix would change, and change nothing"},
}
"""The options: what argparse is told of them. `read` reads the value; a flag has none."""

READING = ("--robots", "--agent", "--dialect")
USE = ("--purpose", "--content-use")


class Arguments(NamedTuple):
    """What a verb takes.

    Attributes:
        takes: what stands after the verb and its options.
        options: of `OPTIONS`.
        formats: of `FORMATS`.
        exits: what the exit status says: "1 it is not".
        examples: what stands after the name of the program.
        helps: what options do for this verb, where the usual words do not fit.
        own: options that no other verb has, as in `OPTIONS`.

    """

    takes: str
    options: Sequence[str]
    formats: Sequence[str]
    exits: Sequence[str]
    examples: Sequence[str]
    helps: Mapping[str, str] = MappingProxyType({})
    own: Mapping[str, Mapping[str, Any]] = MappingProxyType({})


class VerbParser(ArgumentParser):
    """The parser of one verb's options. UsageError where a command line is wrong."""

    def __init__(self, program: str, verb: str, summary: str, arguments: Arguments) -> None:
        room = get_terminal_size().columns - 2  # as much as argparse takes
        statuses = [
            fill(f"  {line[0]}  {line[2:]}", room, subsequent_indent=" " * 5)
            for line in arguments.exits
        ]
        lines = [f"  {program} {example}" for example in arguments.examples]
        super().__init__(
            f"{program} {verb}",
            usage=f"{program} {verb} [options] {arguments.takes}".rstrip(),
            description=summary[0].upper() + summary[1:],
            epilog="\n".join(["exit status:", *statuses, "", "examples:", *lines]),
            formatter_class=RawDescriptionHelpFormatter,
            add_help=False,
            allow_abbrev=False,
        )
        shorts = [f"--{name}" for name in ("json", "sarif") if name in arguments.formats]
        self.names = [*arguments.options, "--output-format", *shorts]
        self.add_argument(
            "-h", "--help", action="store_true", dest="show_help", help="show this help"
        )
        for name in arguments.options:
            about = arguments.own.get(name) or OPTIONS[name]
            self._add(name, {**about, "help": arguments.helps.get(name) or about.get("help")})
        if arguments.formats:
            self._add_formats(arguments.formats, shorts)

    def _add(self, name: str, given: Mapping[str, Any]) -> None:
        about = {key: value for key, value in given.items() if value is not None}
        read = about.pop("read", None)
        kind = {"type": partial(read, name)} if read else {"action": "store_true"}
        self.add_argument(*about.pop("short", ()), name, **kind, **about)

    def _add_formats(self, formats: Sequence[str], shorts: Sequence[str]) -> None:
        group, flag = self.add_mutually_exclusive_group(), "--output-format"
        read = partial(read_choice, flag, choices=formats)
        text = ", or ".join(f"{format_}: {FORMATS[format_]}" for format_ in formats)
        group.add_argument(flag, type=read, metavar="FORMAT", help=text)
        for short in shorts:
            text = f"the same as {flag} {short[2:]}"
            group.add_argument(
                short, action="store_const", dest="output_format", const=short[2:], help=text
            )

    def error(self, message: str) -> NoReturn:
        fault = re.sub(r"^argument (?:-\w/)?", "", message)
        fault = fault.replace("expected one argument", "its value is missing")
        fault = fault.replace("ignored explicit argument", "it takes no value, not even")
        raise UsageError(f"{fault}; see -h")

    def parse(self, args: list[str]) -> Options:
        """What follows "--" is no option: a file may be called -x."""
        end = args.index("--") if "--" in args else len(args)
        options, rest = self.parse_known_args(args[:end], Options(**_NOT_NAMED))
        unknown = [arg for arg in rest if arg.startswith("-") and arg != "-"]
        if unknown:
            names = [name[2:] for name in self.names]
            near = nearest(unknown[0].partition("=")[0].lstrip("-"), names, "--")
            raise UsageError(f"unknown option {unknown[0]}{near or '; see -h'}")
        options.args = rest + args[end + 1 :]
        return options
