"""`scrapy robots compare`: where engines decide differently, and which option it is.

Knows: how differences are shown. Must not know: what an option does.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

from ..rep import Dialect, FetchResult, Verdict
from ..rep.escapes import shown
from ..rep.option_causes import Cause, cause
from .arguments import Options, UsageError
from .explain import as_json
from .inputs import Sources, ruling
from .terminal import say, say_columns, say_json


def run(asked: Options) -> int:
    """1 if any URL is decided differently."""
    if not asked.args:
        raise UsageError("compare needs URLs")
    if len(asked.dialects) < 2:
        raise UsageError("compare needs two dialects at least: --dialects google,yandex")
    sources = Sources(asked)
    outcomes: dict[str, FetchResult] = {}
    parted = 0
    for url in asked.args:
        name = sources.name(url)
        if name not in outcomes:
            outcomes[name] = sources.outcome(url)
        parted += _compare(url, outcomes[name], asked)
    if not parted and not asked.as_json:
        say(f"all {len(asked.dialects)} dialects decide alike")
    return int(parted > 0)


def _compare(url: str, outcome: FetchResult, asked: Options) -> bool:
    """Whether the dialects differ on the URL. The others are held against the first."""

    def verdict(dialect: Dialect) -> Verdict:
        return ruling("", outcome, dialect).verdict(url, asked.agent)

    def allowed(dialect: Dialect) -> bool:
        return verdict(dialect).allowed

    here = asked.dialects[0]
    causes = {other: cause(allowed, here, other) for other in asked.dialects[1:]}
    parting = {other: why for other, why in causes.items() if why}
    if not parting:
        return False
    if asked.as_json:
        _say_json(url, verdict(here), {verdict(other): why for other, why in parting.items()})
        return True
    say(f"{shown(url)}  for {shown(verdict(here).agent)}")
    rows = [(here.name, *_told(verdict(here)), "")]
    rows += [(other.name, *_told(verdict(other)), explained(why)) for other, why in parting.items()]
    say_columns(rows, indent="  ")
    say()
    return True


def _told(verdict: Verdict) -> tuple[str, str]:
    return "allowed" if verdict.allowed else "disallowed", verdict.cause


def explained(why: Cause) -> str:
    """Each option with its value there and its value here: "precedence: first, not longest"."""
    told = [
        f"{option}: {value(there)}, not {value(here)}"
        for option, (here, there) in why.options.items()
    ]
    return (" and " if why.together else ", or ").join(told)


def value(option_value: Any) -> str:
    """An option's value in a few words; "…" where it is more than that."""
    if isinstance(option_value, Enum):
        return str(option_value.value)
    if isinstance(option_value, bool):
        return "yes" if option_value else "no"
    if isinstance(option_value, tuple):
        return " ".join(option_value)
    if isinstance(option_value, int):
        return "none" if option_value >= 1 << 62 else f"{option_value:,}"
    if isinstance(option_value, Mapping):
        return f"{len(option_value)} crawlers"
    return "…"


def _say_json(url: str, here: Verdict, parting: dict[Verdict, Cause]) -> None:
    say_json(
        {
            "url": url,
            "here": as_json(url, here),
            "there": [
                as_json(url, there) | {"options": list(why.options), "together": why.together}
                for there, why in parting.items()
            ],
        }
    )
