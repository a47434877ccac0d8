"""`robots-policy completion SHELL`: a script that completes verbs, options and their values."""

from __future__ import annotations

from collections.abc import Iterator

from ..lint import KINDS, Severity
from ..rep import DIALECTS
from ..rep.nearest import nearest
from .arguments import Options, UsageError
from .terminal import print_line
from .verbs import FORMATS, OPTIONS, VERBS

_VALUES = {
    "dialect": tuple(DIALECTS),
    "dialects": tuple(DIALECTS),
    "output_format": tuple(FORMATS),
    "severity": tuple(severity.value for severity in Severity),
    "select": tuple(KINDS),
    "ignore": tuple(KINDS),
}
_ARGUMENTS = {
    "dialects": tuple(DIALECTS),
    "rule": tuple(KINDS),
    "completion": ("bash", "zsh", "fish"),
}


def run(options: Options) -> int:
    """Always 0."""
    scripts = {"bash": _bash, "zsh": _zsh, "fish": _fish}
    shell = options.args[0] if len(options.args) == 1 else ""
    if shell not in scripts:
        raise UsageError(f"completion takes one of {', '.join(scripts)}{nearest(shell, scripts)}")
    for line in scripts[shell]():
        print_line(line)
    return 0


def _flags(verb: str) -> list[str]:
    return [flag for name in VERBS[verb].options for flag in OPTIONS[name].flags]


def _bash() -> Iterator[str]:
    yield "_robots_policy() {"
    yield '    local current="${COMP_WORDS[COMP_CWORD]}" words=""'
    yield '    case "${COMP_WORDS[COMP_CWORD-1]}" in'
    for name, values in _VALUES.items():
        yield f'        {"|".join(OPTIONS[name].flags)}) words="{" ".join(values)}";;'
    yield "        *)"
    yield '            case "${COMP_WORDS[1]}" in'
    for verb in VERBS:
        words = (*_flags(verb), "--help", *_ARGUMENTS.get(verb, ()))
        yield f'                {verb}) words="{" ".join(words)}";;'
    yield "            esac"
    yield f'            [ "$COMP_CWORD" -eq 1 ] && words="{" ".join(VERBS)} --help --version";;'
    yield "    esac"
    yield '    COMPREPLY=($(compgen -W "$words" -- "$current"))'
    yield "}"
    yield "complete -o default -F _robots_policy robots-policy"


def _zsh() -> Iterator[str]:
    yield "autoload -U +X bashcompinit && bashcompinit"
    yield from _bash()


def _fish() -> Iterator[str]:
    start = "complete -c robots-policy"
    for verb, one in VERBS.items():
        yield f"{start} -n __fish_use_subcommand -a {verb} -d {_quoted(one.summary)}"
        after = f"{start} -n '__fish_seen_subcommand_from {verb}'"
        for word in _ARGUMENTS.get(verb, ()):
            yield f"{after} -a {word}"
        for name in one.options:
            option = OPTIONS[name]
            values = f" -x -a '{' '.join(_VALUES[name])}'" if name in _VALUES else ""
            needs = values or (" -r" if option.metavar else "")
            yield f"{after} -l {option.flags[-1][2:]} -d {_quoted(one.help_of(name))}{needs}"


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
