"""A command line, read and run: the same for `scrapy robots` and for `robots-policy`.

Each verb is a module with its arguments, its work and its output. It is loaded when it is run.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from errno import EINVAL
from glob import glob
from importlib import import_module
from typing import NamedTuple

from ..distribution import DISTRIBUTION, installed_version
from ..rep.escapes import nearest
from .arguments import Defaults, UsageError, VerbParser, complete
from .printing.terminal import (
    drop_output,
    print_columns,
    print_error,
    print_line,
    print_sentence,
    set_up,
)


class Verb(NamedTuple):
    """What a verb does, in a few words, and the module that does it."""

    summary: str
    module: str


GROUPS = {
    "ask about a URL": {
        "check": Verb(
            "may these URLs be fetched? URLs on standard input too", "commands.verbs.check"
        ),
        "explain": Verb(
            "by which group, rule and line a URL is allowed or not", "commands.verbs.explain"
        ),
        "compare": Verb(
            "where engines differ, and the option that makes them differ", "commands.verbs.compare"
        ),
        "blocked": Verb(
            "which AI crawlers, search engines and archives may fetch it", "owners.blocked"
        ),
    },
    "ask about millions of URLs": {
        "bulk": Verb(
            "tables of URLs and of robots.txt files in, a table of verdicts out",
            "commands.verbs.bulk",
        ),
    },
    "look after a robots.txt": {
        "lint": Verb("what is wrong with these files", "owners.lint_verb"),
        "test": Verb(
            "do robots.txt files allow what is expected? Suites in YAML or JSON", "owners.suite"
        ),
        "diff": Verb(
            "what a change of a robots.txt opens and closes, by crawler and rule", "owners.diff"
        ),
        "tester": Verb("a local page that shows what each crawler may fetch", "owners.tester"),
    },
    "know more": {
        "dialects": Verb(
            "the table of dialects, one of them, or the differences of two",
            "commands.verbs.dialects",
        ),
        "audit": Verb("check the record of a crawl, and show it", "commands.verbs.audit_verbs"),
    },
}
VERBS = {name: verb for group in GROUPS.values() for name, verb in group.items()}


def main(argv: Sequence[str] | None = None) -> int:
    """`robots-policy`: it loads no Scrapy, and knows no project."""
    return run("robots-policy", list(sys.argv[1:] if argv is None else argv), Defaults())


def run(program: str, args: list[str], defaults: Defaults) -> int:
    """The exit status. Everything that a user can do wrong is one sentence on standard error."""
    set_up(program)
    try:
        try:
            status = _run(program, _with_file_names(args), defaults)
        except UsageError as error:
            sys.stdout.flush()  # the answers that were given before
            print_error(error)
            return 2
        sys.stdout.flush()
    except KeyboardInterrupt:
        return _interrupted()
    except OSError as error:  # the disk is full to which standard output goes, say
        drop_output(sys.stdout)
        if _is_closed_pipe(error):  # `head` has read enough
            return 141
        print_error(f"cannot go on: {error.strerror or error}")
        return 2
    return status


def _run(program: str, args: list[str], defaults: Defaults) -> int:
    if args[:1] in (["-V"], ["--version"]):
        print_line(f"{DISTRIBUTION} {installed_version()}")
        return 0
    if args[:1] in ([], ["help"], ["-h"], ["--help"]):
        args = [*args[1:2], "-h"]
    verb, *rest = args
    if verb == "-h":
        _print_overview(program)
        return 0
    if verb not in VERBS:
        near = nearest(verb, VERBS) or "; see -h"
        raise UsageError(f"the verb is {verb!r}; it must be {', '.join(VERBS)}{near}")
    module = import_module(f"..{VERBS[verb].module}", __package__)
    parser = VerbParser(program, verb, VERBS[verb].summary, module.ARGUMENTS)
    options = parser.parse(rest)
    if options.show_help:
        print_line(parser.format_help().rstrip())
        return 0
    complete(options, parser.names, defaults)
    status: int = module.run(options)
    return status


def _print_overview(program: str) -> None:
    print_line(f"usage: {program} VERB [options] [arguments]\n")
    print_line("Show what robots.txt files allow, and why.")
    widest = max(map(len, VERBS))
    for title, verbs in GROUPS.items():
        print_line(f"\n{title}:")
        rows = [(name.ljust(widest), verb.summary) for name, verb in verbs.items()]
        print_columns(rows, indent="  ")
    print_line()
    print_sentence(
        f"{program} VERB -h shows the options of a verb, with examples and exit statuses."
    )
    if program.startswith("scrapy"):
        print_sentence("The project's settings are the defaults. Scrapy's own options work too.")
    else:
        print_sentence("It reads no Scrapy project: `scrapy robots VERB` takes its settings.")


def _with_file_names(args: list[str]) -> list[str]:
    """A pattern such as audit-*.jsonl becomes the files that it names. No shell of Windows does
    that; all others have done it.
    """
    if sys.platform != "win32":
        return args
    names = ((arg, sorted(glob(arg))) for arg in args)  # noqa: PTH207 - Path.glob takes no whole path
    return [name for arg, of_pattern in names for name in of_pattern or [arg]]


def _is_closed_pipe(error: OSError) -> bool:
    """Whether nobody reads standard output any more. Windows calls that an invalid argument."""
    is_windows = sys.platform == "win32"
    return isinstance(error, BrokenPipeError) or (is_windows and error.errno == EINVAL)


def _interrupted() -> int:
    print_error("interrupted")
    try:
        sys.stdout.flush()
    except OSError:  # Ctrl-C ends what reads it, too
        drop_output(sys.stdout)
    return 130
