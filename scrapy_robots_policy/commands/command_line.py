"""A command line, read and run: the same for `scrapy robots` and for `robots-policy`.

The help: an overview of the verbs, and one page for each, with examples and exit statuses.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Sequence
from errno import EINVAL
from glob import glob
from importlib import import_module
from typing import Any, NoReturn

from ..distribution import DISTRIBUTION, installed_version
from ..rep.escapes import nearest
from .arguments import Defaults, UsageError, read_options
from .printing.terminal import (
    drop_output,
    print_columns,
    print_error,
    print_line,
    print_sentence,
    set_up,
)
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
    print_line(f"usage: {program} VERB [options] [arguments]\n")
    print_line("Show what robots.txt files allow, and why.\n")
    print_columns([(name, verb.summary) for name, verb in VERBS.items()], indent="  ")
    print_line()
    print_sentence(
        f"{program} VERB -h shows the options of a verb, with examples and exit statuses."
    )
    if program.startswith("scrapy"):
        print_sentence("Options of Scrapy, such as -s NAME=VALUE, work too.")


def _print_verb(program: str, name: str, verb: Verb) -> None:
    print_line(f"usage: {program} {name} [options] {verb.takes}".rstrip() + "\n")
    print_sentence(f"{verb.summary[0].upper()}{verb.summary[1:]}")
    print_line("\noptions:")
    options = {**{name: OPTIONS[name] for name in verb.options}, **FOR_ALL}
    rows = [(_usage(option), verb.help_of(name)) for name, option in options.items()]
    print_columns(rows, indent="  ")
    print_line("\nexit status:")
    print_columns([tuple(line.split(" ", 1)) for line in verb.exits], indent="  ")
    print_line("\nexamples:")
    for example in verb.examples:
        print_line(f"  {program} {example}")


def _usage(option: Option) -> str:
    return f"{', '.join(option.flags)} {option.metavar}".rstrip()


def main(argv: Sequence[str] | None = None) -> int:
    """`robots-policy`: it loads no Scrapy, and knows no project."""
    parser = ArgumentParser("robots-policy", add_help=False, conflict_handler="resolve")
    add_options(parser, "robots-policy")
    opts, rest = parser.parse_known_args(argv)
    return run("robots-policy", rest, opts, Defaults())


def add_options(parser: ArgumentParser, program: str) -> None:
    """Verbs are plain arguments: argparse's sub-commands would lose Scrapy's options."""

    def error(message: str) -> NoReturn:
        set_up(program)
        fault = message.removeprefix("argument ")
        fault = fault.replace("expected one argument", "its value is missing")
        fault = fault.replace("ignored explicit argument", "it takes no value, not even")
        print_error(f"{fault}; see -h")
        raise SystemExit(2)

    parser.error = error  # type: ignore[method-assign] # Scrapy makes its parser itself
    group = parser.add_argument_group(title="robots")
    for name, option in {**OPTIONS, **FOR_ALL}.items():
        _add(group, name, option)


def _add(group: Any, name: str, option: Option) -> None:
    if not option.metavar:
        group.add_argument(*option.flags, dest=name, action="store_true", help=option.help)
        return
    kind = _whole_number if option.is_whole else str
    group.add_argument(
        *option.flags, dest=name, metavar=option.metavar, type=kind, help=option.help
    )


def _whole_number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is no whole number") from None


def run(program: str, args: list[str], opts: Namespace, defaults: Defaults) -> int:
    """The exit status. Everything that a user can do wrong is one sentence on standard error."""
    set_up(program)
    try:
        try:
            status = _run(program, _with_file_names(args), opts, defaults)
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


def _run(program: str, args: list[str], opts: Namespace, defaults: Defaults) -> int:
    if opts.show_version:
        print_line(f"{DISTRIBUTION} {installed_version()}")
        return 0
    if opts.show_help:
        print_help(program, args[0] if args else "")
        return 0
    args = _arguments(args)
    _check(args, opts)
    verb, *rest = args
    options = read_options(rest, opts, VERBS[verb], defaults)
    module = import_module(f".{VERBS[verb].module}", __package__)
    status: int = module.run(options)
    return status


def _arguments(args: list[str]) -> list[str]:
    """Those that are left of the command line, without the first "--": after it none is an option,
    as a file may be called -x. UsageError for an unknown option, which Scrapy's parser passes on.
    """
    end = args.index("--") if "--" in args else len(args)
    unknown = [arg for arg in args[:end] if arg.startswith("-") and arg != "-"]
    if unknown:
        names = [option.flags[-1][2:] for option in (*OPTIONS.values(), *FOR_ALL.values())]
        near = nearest(unknown[0].partition("=")[0].lstrip("-"), names, "--")
        raise UsageError(f"unknown option {unknown[0]}{near}; see -h")
    return args[:end] + args[end + 1 :]


def _check(args: list[str], opts: Namespace) -> None:
    """UsageError where the verb is unknown, or an option does not go with it or with the others."""
    if not args or args[0] not in VERBS:
        verb = f"{args[0]!r}" if args else "missing"
        near = nearest(args[0], VERBS) if args else ""
        raise UsageError(f"the verb is {verb}; it must be {', '.join(VERBS)}{near or '; see -h'}")
    for name, option in OPTIONS.items():
        if getattr(opts, name) not in (None, False) and name not in VERBS[args[0]].options:
            verbs = ", ".join(verb for verb in VERBS if name in VERBS[verb].options)
            raise UsageError(f"{option.flags[-1]} is for {verbs}, not for {args[0]}")
    _check_sources(args, opts)


def _check_sources(args: list[str], opts: Namespace) -> None:
    """UsageError where an empty name, as that of a shell variable, would be no option at all, or
    where standard input would be read for two files: the second one would look empty.
    """
    names = [name for name, option in OPTIONS.items() if "FILE" in option.metavar]
    for name in names:
        if getattr(opts, name) == "":
            raise UsageError(f"{OPTIONS[name].flags[-1]} names no file: its value is empty")
    if opts.tdmrep == "-":
        raise UsageError("--tdmrep takes a FILE or a URL, not standard input")
    if opts.output == "-":
        raise UsageError("-o takes a FILE, not standard output")
    if [*args, *(getattr(opts, name) for name in names)].count("-") > 1:
        raise UsageError("standard input can be one file only, but - stands for two")
