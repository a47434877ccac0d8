"""`scrapy robots compare`: where engines decide differently, and which option makes them."""

from __future__ import annotations

from ..rep import Dialect, FetchResult, Verdict
from ..rep.escapes import shown
from ..rep.option_causes import Cause, cause
from .arguments import Options, UsageError
from .inputs import Inputs, rules_from
from .option_words import described
from .terminal import Blocks, paint_verdict, print_columns, print_json, print_line
from .verdict_data import verdict_as_json, word_of


def run(options: Options) -> int:
    """1 if the dialects differ on a URL."""
    if not options.args:
        raise UsageError("compare needs URLs")
    if len(options.dialects) < 2:
        raise UsageError("compare needs two dialects at least: --dialects google,yandex")
    inputs = Inputs(options)
    results: dict[str, FetchResult] = {}
    differing, blocks = 0, Blocks()
    words: set[str] = set()
    for url in options.checked_urls():
        name = inputs.name(url)
        if name not in results:
            results[name] = inputs.result(url)
        differing += _compare(url, results[name], options, blocks)
        words.add(word_of(_verdict(url, results[name], options.dialects[0], options)))
    if not differing and not options.as_json:
        count = len(options.dialects)
        decision = f": {words.pop()}" if len(words) == 1 else ""
        print_line(f"{'both' if count == 2 else f'all {count}'} dialects decide alike{decision}")
    return int(differing > 0)


def _verdict(url: str, result: FetchResult, dialect: Dialect, options: Options) -> Verdict:
    return rules_from("", result, dialect).verdict(url, options.agent)


def _compare(url: str, result: FetchResult, options: Options, blocks: Blocks) -> bool:
    """Whether other dialects differ from the first on the URL. Prints those that do."""

    def verdict(dialect: Dialect) -> Verdict:
        return _verdict(url, result, dialect, options)

    def allowed(dialect: Dialect) -> bool:
        return verdict(dialect).allowed

    here = options.dialects[0]
    causes = {other: cause(allowed, here, other) for other in options.dialects[1:]}
    differing = {other: why for other, why in causes.items() if why}
    if options.as_json:
        _print_json(url, verdict(here), {verdict(other): why for other, why in differing.items()})
    elif differing:
        blocks.begin()
        print_line(f"{shown(url)}  for {shown(verdict(here).agent)}")
        rows = [(here.name, *_cells(verdict(here)), "")]
        rows += [
            (other.name, *_cells(verdict(other)), _why(why, result, here, other))
            for other, why in differing.items()
        ]
        print_columns(rows, indent="  ", painted=paint_verdict)
    return bool(differing)


def _cells(verdict: Verdict) -> tuple[str, str]:
    return word_of(verdict), verdict.cause


def _why(why: Cause, result: FetchResult, here: Dialect, there: Dialect) -> str:
    """The options that make the difference; of access policies, what they do for this result."""
    if "access" not in why.options:
        return described(why, here.name)
    in_there, in_here = (rules_from("", result, dialect).access for dialect in (there, here))
    return f"access after {in_there.why}: {in_there.effect} ({here.name}: {in_here.effect})"


def _print_json(url: str, here: Verdict, differing: dict[Verdict, Cause]) -> None:
    print_json(
        {
            "url": url,
            "here": verdict_as_json(url, here),
            "there": [
                verdict_as_json(url, there)
                | {"options": list(why.options), "together": why.together}
                for there, why in differing.items()
            ],
        }
    )
