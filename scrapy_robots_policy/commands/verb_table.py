"""The verbs and the options, as data: the parser and the help are made of them.

What a verb does is in a module of its own, which is loaded when the verb is run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..rep.usage import PURPOSES

FILES_OF_DIRECTORIES = "*robots*.txt"

FORMATS = {
    "text": "for people",
    "json": "one value a line",
    "csv": "with a head line",
    "sarif": "SARIF 2.1.0, for code hosts",
    "github": "annotations of GitHub's workflows",
}


@dataclass(frozen=True, slots=True)
class Option:
    """An option of the command line.

    Attributes:
        flags: how it is written.
        help: what it does.
        metavar: what its value is called; "" where it takes none.
        is_whole: whether its value is a whole number.

    """

    flags: tuple[str, ...]
    help: str
    metavar: str = ""
    is_whole: bool = False


OPTIONS: Mapping[str, Option] = {
    "robots": Option(
        ("--robots",), "the robots.txt (default: that of each URL's site)", "FILE|URL|-"
    ),
    "tdmrep": Option(
        ("--tdmrep",),
        "the tdmrep.json (default: that of each URL's site, if a purpose is declared that it may "
        "refuse)",
        "FILE|URL",
    ),
    "purpose": Option(
        ("--purpose",),
        f"what the pages are for, declared as in a crawl: one or several of {', '.join(PURPOSES)} "
        "(default: the project's)",
        "A,B",
    ),
    "page": Option(("--page",), "the page as curl -i saved it", "FILE"),
    "agent": Option(
        ("--agent",),
        "the crawler: a product token or a User-Agent header (default: the project's; without a "
        "project *, a crawler that no group names)",
        "TOKEN",
    ),
    "dialect": Option(
        ("--dialect",),
        "the dialect to read in (default: a known crawler's, else the project's, else rfc9309)",
        "NAME",
    ),
    "dialects": Option(
        ("--dialects",), "compare the others with the first of these (default: all)", "A,B"
    ),
    "quiet": Option(("-q", "--quiet"), "leave the reasons out"),
    "jobs": Option(
        ("--jobs",),
        "how many at a time (default: 32 sites; of files, one for each processor)",
        "N",
        is_whole=True,
    ),
    "timeout": Option(
        ("--timeout",), "for one robots.txt, redirects included (default: 15)", "SECONDS"
    ),
    "statuses": Option(
        ("--statuses",), "also what the dialect does for each answer of a site to /robots.txt"
    ),
    "select": Option(("--select",), "only these findings: codes or their starts", "R4,R601"),
    "ignore": Option(("--ignore",), "not these findings: codes or their starts", "R2,R405"),
    "severity": Option(("--severity",), "error, warning or note: these and worse", "LEVEL"),
    "include": Option(
        ("--include",),
        f"of a directory, the files to read (default: {FILES_OF_DIRECTORIES})",
        "GLOB",
    ),
    "explain": Option(
        ("--explain",), "what these findings are, why they matter, how to fix them", "R201|all"
    ),
    "all": Option(("--all",), "all crawlers that are known, not only those"),
    "statistics": Option(("--statistics",), "count the findings instead of showing them"),
    "exit_zero": Option(("--exit-zero",), "exit with 0 in spite of findings"),
    "fix": Option(("--fix",), "apply the fixes after which every dialect answers as before"),
    "unsafe_fixes": Option(
        ("--unsafe-fixes",),
        "with --fix: apply also those that change what the dialects in the finding answer",
    ),
    "port": Option(
        ("--port",),
        "the port; 0: any free one (default: 9309, or any free one if that is taken)",
        "N",
        is_whole=True,
    ),
    "no_browser": Option(("--no-browser",), "do not open a browser"),
    "output": Option(("-o", "--output"), "the page to write", "FILE"),
    "output_format": Option(("--output-format",), " or ".join(FORMATS), "FORMAT"),
    "json": Option(("--json",), "the same as --output-format json"),
    "sarif": Option(("--sarif",), "the same as --output-format sarif"),
}

FOR_ALL: Mapping[str, Option] = {
    "show_help": Option(("-h", "--help"), "show this help; after a verb, that of the verb"),
    "show_version": Option(("--version",), "show the version"),
}


@dataclass(frozen=True, slots=True)
class Verb:
    """One verb.

    Attributes:
        module: the module of `commands` whose `run` is called.
        takes: what stands after the verb.
        summary: what it does, in a few words.
        options: keys of `OPTIONS`.
        exits: what the exit status says.
        examples: what stands after the name of the program.
        formats: keys of `FORMATS`.
        helps: what options do for this verb, where their usual help does not fit.
        asks_all: whether it asks all dialects, where none are named.

    """

    module: str
    takes: str
    summary: str
    options: tuple[str, ...]
    exits: tuple[str, ...]
    examples: tuple[str, ...]
    formats: tuple[str, ...] = ("text", "json")
    helps: Mapping[str, str] = field(default_factory=dict)
    asks_all: bool = False

    def help_of(self, name: str) -> str:
        """What an option does, in a few words."""
        if name == "output_format":
            return ", or ".join(f"{format_}: {FORMATS[format_]}" for format_ in self.formats)
        return self.helps.get(name) or {**OPTIONS, **FOR_ALL}[name].help


_READ = ("robots", "agent", "dialect")
_WRONG = "2 a wrong command line"
_UNREADABLE = "2 a file cannot be read, or a wrong command line"

VERBS: Mapping[str, Verb] = {
    "check": Verb(
        "verbs.check",
        "[URL ...]",
        "may these URLs be fetched? URLs on standard input too",
        (*_READ, "purpose", "tdmrep", "quiet", "jobs", "timeout", "output_format", "json"),
        (
            "0 all URLs are allowed",
            "1 a URL is disallowed",
            "2 something is no URL, or a wrong command line; the other URLs are answered",
            "3 a robots.txt is unreachable, so nothing is allowed there; other URLs are answered",
        ),
        (
            "check https://example.com/a https://example.org/b",
            "check --robots robots.txt --agent Googlebot --dialect google /a /b",
            "check --output-format csv --jobs 50 --timeout 5 < urls.txt",
        ),
        ("text", "json", "csv"),
    ),
    "explain": Verb(
        "verbs.explain",
        "URL",
        "by which group, rule and line a URL is allowed or not",
        (*_READ, "purpose", "tdmrep", "page", "statuses", "timeout", "output_format", "json"),
        (
            "0 the URL is allowed",
            "1 it is not, or its page refuses the declared use",
            _UNREADABLE,
            "3 the robots.txt is unreachable, so nothing is allowed",
        ),
        ("explain https://example.com/a", "explain --robots robots.txt --agent Bingbot /a"),
    ),
    "lint": Verb(
        "verbs.lint",
        "FILE|DIRECTORY|URL ...",
        "what is wrong with these files",
        (
            *("robots", "dialect", "select", "ignore", "severity", "include", "statistics"),
            *("explain", "exit_zero", "fix", "unsafe_fixes", "jobs", "timeout"),
            *("output_format", "json", "sarif"),
        ),
        (
            "0 nothing found, or notes only",
            "1 errors or warnings",
            "2 a file could not be read, or a wrong command line; the other files are checked",
        ),
        (
            "lint robots.txt",
            "lint https://example.com/ --severity warning",
            "lint sites/ --statistics",
            "lint robots.txt --fix",
            "lint robots.txt --output-format sarif > robots.sarif",
            "lint --explain R201",
        ),
        tuple(FORMATS),
        {"robots": "one more file to look at"},
    ),
    "compare": Verb(
        "verbs.compare",
        "URL ...",
        "where engines differ, and the option that makes them differ",
        (*_READ, "dialects", "timeout", "output_format", "json"),
        ("0 all dialects decide alike", "1 they differ on a URL", _UNREADABLE),
        ("compare https://example.com/a --dialects google,yandex",),
        helps={"dialect": "compare all with this one (default: the project's, else rfc9309)"},
        asks_all=True,
    ),
    "dialects": Verb(
        "verbs.dialects",
        "[A [B]]",
        "the table of dialects, one of them, or the differences of two",
        ("output_format", "json"),
        ("0 no differences", "1 two dialects were named, and they differ", _WRONG),
        ("dialects", "dialects google", "dialects google bing"),
    ),
    "tester": Verb(
        "tester",
        "",
        "a local page to try all this",
        (*_READ, "port", "no_browser"),
        ("0 it was ended with Ctrl-C", _UNREADABLE),
        ("tester", "tester --robots robots.txt --port 8080"),
        ("text",),
        {"robots": "the robots.txt to begin with (default: the page's example)"},
    ),
    "audit": Verb(
        "verbs.audit_verbs",
        "verify|show|report|warc FILE ...",
        "check the record of a crawl, and show it",
        ("dialect", "output", "output_format", "json"),
        (
            "0 all decisions agree",
            "1 decisions differ, or there is nothing to show",
            "2 a broken record, or a wrong command line",
        ),
        (
            "audit verify crawl.jsonl",
            "audit show crawl.jsonl https://example.com/a",
            "audit report crawl.jsonl -o page.html",
            "audit warc crawl.jsonl robots.warc.gz",
        ),
        helps={"dialect": "make the decisions in this dialect (default: the recorded ones)"},
    ),
    "blocked": Verb(
        "verbs.blocked",
        "URL|FILE",
        "which AI crawlers, search engines and archives may fetch it",
        ("robots", "all", "timeout", "output_format", "json"),
        ("0 all of them may", "1 one of them may not fetch the page, or use it", _UNREADABLE),
        ("blocked https://example.com/", "blocked robots.txt --all"),
        asks_all=True,
    ),
    "test": Verb(
        "verbs.suite",
        "SUITE ...",
        "do robots.txt files allow what is expected? Suites in YAML or JSON",
        ("robots", "dialect", "timeout", "output_format", "json"),
        (
            "0 all expectations hold",
            "1 one does not",
            "2 a suite cannot be read, or a wrong command line",
            "3 a robots.txt is unreachable",
        ),
        ("test suite.yaml", "test suite.yaml --robots https://example.com/robots.txt"),
        ("text", "json", "github"),
        {
            "robots": "the robots.txt (default: the one that the suite names)",
            "dialect": "the dialect to read in (default: those of the suite, else the project's, "
            "else rfc9309)",
        },
        asks_all=True,
    ),
    "diff": Verb(
        "verbs.diff",
        "OLD NEW",
        "what a change of a robots.txt opens and closes, by crawler and rule",
        ("dialect", "timeout", "output_format", "json"),
        (
            "0 no answer changes",
            "1 some answers change",
            "2 a file cannot be read, or has too many lines, or a wrong command line",
        ),
        (
            "diff robots.old robots.txt",
            "diff robots.txt https://example.com/robots.txt --dialect google",
        ),
    ),
}
