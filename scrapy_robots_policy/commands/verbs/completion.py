"""`robots-policy completion SHELL`: a script that completes verbs, options and their values."""

from __future__ import annotations

from collections.abc import Iterator

from ...lint import KINDS, Severity
from ...rep import DIALECTS
from ...rep.nearest import nearest
from ..arguments import Options, UsageError
from ..printing.terminal import print_line
from ..verb_table import FOR_ALL, OPTIONS, VERBS, Option, Verb

_SHELLS = VERBS["completion"].takes.split("|")
_VALUES = {
    "dialect": tuple(DIALECTS),
    "dialects": tuple(DIALECTS),
    "severity": tuple(severity.value for severity in Severity),
    "select": tuple(KINDS),
    "ignore": tuple(KINDS),
}
_ARGUMENTS = {"dialects": tuple(DIALECTS), "rule": tuple(KINDS)}
_FIRST_ARGUMENTS = {
    "audit": VERBS["audit"].takes.partition(" ")[0].split("|"),
    "completion": _SHELLS,
}


def run(options: Options) -> int:
    """Always 0."""
    scripts = dict(zip(_SHELLS, (_bash, _zsh, _fish), strict=True))
    shell = options.args[0] if len(options.args) == 1 else ""
    if shell not in scripts:
        raise UsageError(f"completion takes one of {', '.join(scripts)}{nearest(shell, scripts)}")
    for line in scripts[shell]():
        print_line(line)
    return 0


def _bash() -> Iterator[str]:
    """Where there is no word to offer, bash completes the names of files."""
    yield "_robots_policy() {"
    yield '    local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"'
    yield '    local verb="" flags="" formats="" arguments="" words=""'
    yield '    [ "$COMP_CWORD" -gt 1 ] && verb="${COMP_WORDS[1]}"'
    yield '    [ "$previous" = "=" ] && previous="${COMP_WORDS[COMP_CWORD-2]}"'
    yield '    [ "$current" = "=" ] && current=""'
    yield '    case "$verb" in'
    for name, verb in VERBS.items():
        flags = [flag for option in verb.options for flag in OPTIONS[option].flags]
        yield f'        {name}) flags="{" ".join(flags)} --help" formats="{" ".join(verb.formats)}"'
        if name in _ARGUMENTS:
            yield f'            arguments="{" ".join(_ARGUMENTS[name])}"'
        if name in _FIRST_ARGUMENTS:
            first = " ".join(_FIRST_ARGUMENTS[name])
            yield f'            [ "$COMP_CWORD" -eq 2 ] && arguments="{first}"'
        yield "            ;;"
    yield f'        *) flags="--help --version" arguments="{" ".join(VERBS)}";;'
    yield "    esac"
    yield '    case "$previous" in'
    for name, values in _VALUES.items():
        yield f'        {"|".join(OPTIONS[name].flags)}) words="{" ".join(values)}";;'
    yield '        --output-format) words="$formats";;'
    yield '        *) case "$current" in -*) words="$flags";; *) words="$arguments";; esac;;'
    yield "    esac"
    yield '    COMPREPLY=($(compgen -W "$words" -- "$current"))'
    yield "}"
    yield "complete -o default -F _robots_policy robots-policy"


def _zsh() -> Iterator[str]:
    yield "(( $+functions[compdef] )) || { autoload -U compinit && compinit; }"
    yield "autoload -U +X bashcompinit && bashcompinit"
    yield from _bash()


def _fish() -> Iterator[str]:
    """Beside the words that are offered, fish completes the names of files, but for -f and -x."""
    start = "complete -c robots-policy"
    for option in FOR_ALL.values():
        yield f"{start}{_flags(option)} -d {_quoted(option.help)}"
    for verb, one in VERBS.items():
        yield f"{start} -n __fish_use_subcommand -f -a {verb} -d {_quoted(one.summary)}"
        seen = f"__fish_seen_subcommand_from {verb}"
        if verb in _ARGUMENTS:
            yield f"{start} -n '{seen}' -f -a '{' '.join(_ARGUMENTS[verb])}'"
        if verb in _FIRST_ARGUMENTS:
            words = " ".join(_FIRST_ARGUMENTS[verb])
            is_first = f"not __fish_seen_subcommand_from {words}"
            yield f"{start} -n '{seen}; and {is_first}' -f -a '{words}'"
        for name in one.options:
            help_ = _quoted(one.help_of(name))
            yield f"{start} -n '{seen}'{_flags(OPTIONS[name])} -d {help_}{_value(name, one)}"


def _flags(option: Option) -> str:
    """In fish: -s for a short flag, -l for a long one."""
    return "".join(
        f" -l {flag[2:]}" if flag.startswith("--") else f" -s {flag[1:]}" for flag in option.flags
    )


def _value(name: str, verb: Verb) -> str:
    """In fish: what follows an option."""
    metavar = OPTIONS[name].metavar
    words = verb.formats if name == "output_format" else _VALUES.get(name, ())
    if words:
        return f" -x -a '{' '.join(words)}'"
    return "" if not metavar else " -r" if "FILE" in metavar else " -x"


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
