"""`scrapy robots compare`: where engines decide differently, and which option makes them."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

from ..rep import Dialect, FetchResult, Verdict
from ..rep.dialects.dialect import NO_LIMIT
from ..rep.escapes import shown
from ..rep.option_causes import Cause, cause
from .arguments import Options, UsageError
from .explain import as_json
from .inputs import Inputs, rules_from
from .terminal import paint_verdict, print_columns, print_json, print_line


def run(options: Options) -> int:
    """1 if the dialects differ on a URL."""
    if not options.args:
        raise UsageError("compare needs URLs")
    if len(options.dialects) < 2:
        raise UsageError("compare needs two dialects at least: --dialects google,yandex")
    inputs = Inputs(options)
    results: dict[str, FetchResult] = {}
    differing = 0
    for url in options.checked_urls():
        name = inputs.name(url)
        if name not in results:
            results[name] = inputs.result(url)
        differing += _compare(url, results[name], options)
    if not differing and not options.as_json:
        count = len(options.dialects)
        print_line(f"{'both' if count == 2 else f'all {count}'} dialects decide alike")
    return int(differing > 0)


def _compare(url: str, result: FetchResult, options: Options) -> bool:
    """Whether other dialects differ from the first on the URL. Prints those that do."""

    def verdict(dialect: Dialect) -> Verdict:
        return rules_from("", result, dialect).verdict(url, options.agent)

    def allowed(dialect: Dialect) -> bool:
        return verdict(dialect).allowed

    here = options.dialects[0]
    causes = {other: cause(allowed, here, other) for other in options.dialects[1:]}
    differing = {other: why for other, why in causes.items() if why}
    if options.as_json:
        _print_json(url, verdict(here), {verdict(other): why for other, why in differing.items()})
    elif differing:
        print_line(f"{shown(url)}  for {shown(verdict(here).agent)}")
        rows = [(here.name, *_cells(verdict(here)), "")]
        rows += [
            (other.name, *_cells(verdict(other)), _why(why, result, here, other))
            for other, why in differing.items()
        ]
        print_columns(rows, indent="  ", painted=paint_verdict)
        print_line()
    return bool(differing)


def _cells(verdict: Verdict) -> tuple[str, str]:
    return "allowed" if verdict.allowed else "disallowed", verdict.cause


def _why(why: Cause, result: FetchResult, here: Dialect, there: Dialect) -> str:
    """The options that make the difference; of access policies, what they do for this result."""
    if "access" not in why.options:
        return described(why)
    modes = (rules_from("", result, dialect).mode.description for dialect in (there, here))
    after = result.status or result.cause
    return f"access after {after}: {', not: '.join(modes)}"


def described(why: Cause) -> str:
    """Each option with its value there and its value here: "precedence: first, not longest"."""
    changes = [
        f"{option}: {value_text(there)}, not {value_text(here)}"
        for option, (here, there) in why.options.items()
    ]
    return (" and " if why.together else ", or ").join(changes)


def value_text(value: Any) -> str:
    """An option's value in a few words; "…" for a value that has no short text."""
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return " ".join(value)
    if isinstance(value, int):
        return "none" if value >= NO_LIMIT else f"{value:,}"
    if isinstance(value, Mapping):
        return f"{len(value)} crawlers"
    return "…"


def _print_json(url: str, here: Verdict, differing: dict[Verdict, Cause]) -> None:
    print_json(
        {
            "url": url,
            "here": as_json(url, here),
            "there": [
                as_json(url, there) | {"options": list(why.options), "together": why.together}
                for there, why in differing.items()
            ],
        }
    )
