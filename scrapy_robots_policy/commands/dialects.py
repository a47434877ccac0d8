"""`scrapy robots dialects`: the table of dialects, one of them, or what sets two apart.

Knows: how the table is shown. Must not know: what is in it.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from ..rep import DIALECTS, Dialect, dialect_of, differences
from ..rep.dialects.dialect import Provenance, options
from ..rep.dialects.options import Certainty
from .access_table import stances
from .arguments import Options, UsageError
from .compare import value
from .terminal import say, say_columns, say_json

_MOST = 50  # columns of a cell


def run(asked: Options) -> int:
    """1 if two dialects were named that differ; else 0."""
    try:
        named = [dialect_of(name) for name in asked.args]
    except ValueError as error:
        raise UsageError(str(error)) from None
    if len(named) > 2:
        raise UsageError(f"dialects takes two names at most, not {len(named)}")
    if len(named) == 2:
        return _two(*named, as_json=asked.as_json)
    if named:
        _one(named[0], as_json=asked.as_json)
    else:
        _all(as_json=asked.as_json)
    return 0


def _all(*, as_json: bool) -> None:
    if as_json:
        say_json({name: _as_json(dialect) for name, dialect in DIALECTS.items()})
        return
    head = ("dialect", "decides", "wildcards", "blank line", "crawl-delay", "how sure (options)")
    say_columns([head, *(_row(dialect) for dialect in DIALECTS.values())])
    say()
    say("scrapy robots dialects NAME shows one in full, dialects A B what sets two apart.")


def _row(dialect: Dialect) -> tuple[str, ...]:
    sure = Counter(source.certainty for source in dialect.sources.values())
    return (
        dialect.name,
        dialect.precedence.value,
        value(dialect.wildcards),
        dialect.blank_line.value,
        dialect.crawl_delay.value,
        ", ".join(f"{sure[certainty]} {certainty.value}" for certainty in Certainty)
        + ": experimental" * dialect.is_experimental,
    )


def _one(dialect: Dialect, *, as_json: bool) -> None:
    if as_json:
        say_json({dialect.name: _as_json(dialect)})
        return
    rows = [
        (
            option,
            value(getattr(dialect, option)),
            _certainty(dialect, option),
            _source(dialect, option),
        )
        for option in options()
        if option not in ("access", "agents")
    ]
    if dialect.is_experimental:
        say(f"{dialect.name} is experimental: more than half of its options are assumed.")
        say()
    say_columns([("option", "value", "sure", "source"), *rows], most=_MOST)
    say()
    say("Crawlers, and the names they look for:")
    chains = [(agent.name, ", then ".join(agent.chain)) for agent in dialect.agents.values()]
    say_columns(chains, indent="  ")
    say()
    say("By what the site answers to /robots.txt:")
    say_columns(stances(dialect.access).items(), indent="  ")


def _two(a: Dialect, b: Dialect, *, as_json: bool) -> int:
    pairs = differences(a, b)
    if as_json:
        say_json(
            {option: {a.name: _plain(x), b.name: _plain(y)} for option, (x, y) in pairs.items()}
        )
        return int(bool(pairs))
    rows = [
        (option, value(here), _certainty(a, option), value(there), _certainty(b, option))
        for option, (here, there) in pairs.items()
        if option != "access"
    ]
    say_columns([("option", a.name, "sure", b.name, "sure"), *rows], most=_MOST)
    if "access" in pairs:
        say()
        say("By what the site answers to /robots.txt:")
        theirs = stances(b.access)
        ladder = [(x, y, theirs[x]) for x, y in stances(a.access).items() if y != theirs[x]]
        say_columns([("answer", a.name, b.name), *ladder], indent="  ", most=_MOST)
    return int(bool(pairs))


def _as_json(dialect: Dialect) -> dict[str, Any]:
    told = {
        option: {
            "value": _plain(getattr(dialect, option)),
            "certainty": _certainty(dialect, option),
            "source": _source(dialect, option),
        }
        for option in options()
        if option not in ("access", "agents")
    }
    chains = {agent.name: agent.chain for agent in dialect.agents.values()}
    return {
        "experimental": dialect.is_experimental,
        "options": told,
        "agents": chains,
        "stances": stances(dialect.access),
    }


def _plain(option_value: Any) -> Any:
    return option_value if isinstance(option_value, bool | int | tuple) else value(option_value)


_NO_SOURCE = Provenance(Certainty.ASSUMED, "")


def _certainty(dialect: Dialect, option: str) -> str:
    return dialect.sources.get(option, _NO_SOURCE).certainty.value


def _source(dialect: Dialect, option: str) -> str:
    return dialect.sources.get(option, _NO_SOURCE).text
