"""`scrapy robots compare`: where engines decide differently, and which option makes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ...core.decision import decide
from ...core.site import OriginRules
from ...rep import Dialect, FetchResult, Verdict
from ...rep.engines import Cause, cause
from ...rep.escapes import shown
from ...rep.url import server_forms
from ..arguments import READING, UNREADABLE, USE, Arguments, Options, UsageError
from ..printing.terminal import Blocks, paint_verdict, print_columns, print_json, print_line
from ..printing.verdict_data import described, verdict_as_json, word_of
from ..reading.inputs import Inputs, rules_from


class _File(NamedTuple):
    """A robots.txt, and how each of the dialects reads it: once, for all its URLs."""

    result: FetchResult
    rules: Mapping[Dialect, OriginRules]


ARGUMENTS = Arguments(
    "URL ...",
    (*READING, *USE, "--dialects", "--timeout"),
    ("text", "json"),
    ("0 all dialects decide alike", "1 they differ on a URL", UNREADABLE),
    ("compare https://example.com/a --dialects google,yandex",),
    {"--dialect": "compare all with this one (default: as elsewhere)"},
)


def run(options: Options) -> int:
    """1 if the dialects differ on a URL."""
    if options.named_dialect and options.dialects:
        raise UsageError("--dialects names all dialects, the first one too: leave --dialect out")
    options = options.asking_all()
    if not options.args:
        raise UsageError("compare needs URLs")
    if len(options.dialects) < 2:
        raise UsageError("compare needs two dialects at least: --dialects google,yandex")
    inputs = Inputs(options)
    files: dict[str, _File] = {}
    differing, blocks = 0, Blocks()
    words: set[str] = set()
    for url in options.checked_urls():
        name = inputs.name(url)
        if name not in files:
            result = inputs.result(url)
            files[name] = _File(result, {d: rules_from("", result, d) for d in options.dialects})
        differing += _compare(url, files[name], options, blocks)
        words.add(word_of(_verdict(url, files[name].rules[options.dialects[0]], options)))
    if not differing and not options.as_json:
        count = len(options.dialects)
        decision = f": {words.pop()}" if len(words) == 1 else ""
        print_line(f"{'both' if count == 2 else f'all {count}'} dialects decide alike{decision}")
    return int(differing > 0)


def _compare(url: str, file: _File, options: Options, blocks: Blocks) -> bool:
    """Whether other dialects differ from the first on the URL. Prints those that do."""

    def allowed(dialect: Dialect) -> bool:
        rules = file.rules.get(dialect) or rules_from("", file.result, dialect)
        return _verdict(url, rules, options).allowed

    here = options.dialects[0]
    causes = {other: cause(allowed, here, other) for other in options.dialects[1:]}
    differing = {other: why for other, why in causes.items() if why}
    # Only of those that are shown: for its reason, a dialect lays out all rules of a large file.
    verdicts = {one: _verdict(url, file.rules[one], options) for one in (here, *differing)}
    if options.as_json:
        print_json(
            _as_json(url, verdicts[here], {verdicts[d]: why for d, why in differing.items()})
        )
    elif differing:
        blocks.begin()
        print_line(f"{shown(url)}  for {shown(verdicts[here].agent)}")
        rows = [(here.name, *_cells(verdicts[here]), "")]
        rows += [
            (other.name, *_cells(verdicts[other]), _why(why, file, here, other))
            for other, why in differing.items()
        ]
        print_columns(rows, indent="  ", painted=paint_verdict)
    return bool(differing)


def _verdict(url: str, rules: OriginRules, options: Options) -> Verdict:
    return decide(server_forms(url), rules, options.agent, options.use)


def _cells(verdict: Verdict) -> tuple[str, str]:
    return word_of(verdict), verdict.cause


def _why(why: Cause, file: _File, here: Dialect, there: Dialect) -> str:
    """The options that make the difference; of access policies, what they do for this result."""
    if "access" not in why.options:
        return described(why, here.name)
    in_there, in_here = (file.rules[dialect].access for dialect in (there, here))
    return f"access after {in_there.why}: {in_there.effect} ({here.name}: {in_here.effect})"


def _as_json(url: str, here: Verdict, differing: dict[Verdict, Cause]) -> dict[str, Any]:
    return {
        "url": url,
        "here": verdict_as_json(url, here),
        "there": [
            verdict_as_json(url, there) | {"options": list(why.options), "together": why.together}
            for there, why in differing.items()
        ],
    }
