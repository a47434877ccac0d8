"""The help: an overview of the verbs, and one page for each, with examples and exit statuses."""

from __future__ import annotations

from ..rep.escapes import nearest
from .arguments import UsageError
from .printing.terminal import print_columns, print_line, print_sentence
from .verb_table import FOR_ALL, OPTIONS, VERBS, Option, Verb


def print_help(program: str, verb: str) -> None:
    """The help of a verb; the overview where none is named. UsageError for an unknown verb."""
    if not verb:
        _print_overview(program)
    elif verb in VERBS:
        _print_verb(program, verb, VERBS[verb])
    else:
        raise UsageError(f"there is no verb {verb!r}{nearest(verb, VERBS)}")


def _print_overview(program: str) -> None:
    print_line(f"usage: {program} VERB [options] [arguments]")
    print_line()
    print_line("Show what robots.txt files allow, and why.")
    print_line()
    print_columns([(name, verb.summary) for name, verb in VERBS.items()], indent="  ")
    print_line()
    print_sentence(
        f"{program} VERB -h shows the options of a verb, with examples and exit statuses."
    )
    if program.startswith("scrapy"):
        print_sentence("Options of Scrapy, such as -s NAME=VALUE, work too.")


def _print_verb(program: str, name: str, verb: Verb) -> None:
    print_line(f"usage: {program} {name} [options] {verb.takes}".rstrip())
    print_line()
    print_sentence(f"{verb.summary[0].upper()}{verb.summary[1:]}")
    print_line()
    print_line("options:")
    options = {**{name: OPTIONS[name] for name in verb.options}, **FOR_ALL}
    rows = [(_usage(option), verb.help_of(name)) for name, option in options.items()]
    print_columns(rows, indent="  ")
    print_line()
    print_line("exit status:")
    print_columns([tuple(line.split(" ", 1)) for line in verb.exits], indent="  ")
    print_line()
    print_line("examples:")
    for example in verb.examples:
        print_line(f"  {program} {example}")


def _usage(option: Option) -> str:
    return f"{', '.join(option.flags)} {option.metavar}".rstrip()
