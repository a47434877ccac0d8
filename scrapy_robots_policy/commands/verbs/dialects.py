"""`scrapy robots dialects`: the table of dialects, one of them, or the differences of two."""

from __future__ import annotations

from collections import Counter
from typing import Any

from ...rep import DIALECTS, AccessPolicy, Dialect, differences
from ...rep.dialects.dialect import Provenance
from ...rep.dialects.dialect import options as dialect_options
from ...rep.dialects.options import Certainty
from ..arguments import Options, UsageError, read_dialect
from ..printing.access_table import modes_by_answer
from ..printing.option_words import value_text
from ..printing.terminal import print_columns, print_json, print_line, print_sentence, program

_MAX_WIDTH = 50  # columns of a cell
_APART = ("access", "agents")  # options that are shown below the table
_NO_SOURCE = Provenance(Certainty.ASSUMED, "")


def run(options: Options) -> int:
    """1 if two dialects were named and they differ; else 0."""
    if len(options.args) > 2:
        raise UsageError(f"dialects takes two names at most, not {len(options.args)}")
    dialects = [read_dialect("the dialect", name) for name in options.args]
    if len(dialects) == 2:
        return _print_differences(*dialects, as_json=options.as_json)
    if options.as_json:
        print_json({d.name: _as_json(d) for d in dialects or DIALECTS.values()})
    elif dialects:
        _print_one(dialects[0])
    else:
        _print_all()
    return 0


def _print_all() -> None:
    sure = ", ".join(certainty.value for certainty in Certainty)
    head = ("dialect", "decides", "wildcards", "blank line", "crawl-delay", sure)
    print_columns([_row(dialect) for dialect in DIALECTS.values()], head=head)
    print_line()
    print_sentence(
        "The three numbers: how many options are read from the engine's code (oracle), are in its "
        "documentation, or are assumed."
    )
    experimental = ", ".join(name for name, d in DIALECTS.items() if d.is_experimental)
    print_columns([("Experimental, mostly assumed:", experimental)])
    print_line()
    print_sentence(
        f"{program()} dialects NAME shows all of one, dialects A B the differences of two."
    )


def _row(dialect: Dialect) -> tuple[str, ...]:
    counts = Counter(source.certainty for source in dialect.sources.values())
    return (
        dialect.name,
        dialect.precedence.value,
        value_text(dialect.wildcards),
        dialect.blank_line.value,
        dialect.crawl_delay.value,
        ", ".join(str(counts[certainty]) for certainty in Certainty),
    )


def _print_one(dialect: Dialect) -> None:
    rows = [
        (option, *_cells(dialect, option), _source(dialect, option).text)
        for option in dialect_options()
        if option not in _APART
    ]
    if dialect.is_experimental:
        print_sentence(
            f"{dialect.name} is experimental: more than half of its options are assumed."
        )
        print_line()
    print_columns(rows, max_width=_MAX_WIDTH, head=("option", "value", "sure", "source"))
    print_line()
    print_line("Crawlers, and the names they look for:")
    chains = [(agent.name, ", then ".join(agent.chain)) for agent in dialect.agents.values()]
    print_columns(chains, indent="  ")
    print_line()
    print_line("By the site's answer to /robots.txt:")
    print_columns(modes_by_answer(dialect.access).items(), indent="  ")


def _print_differences(a: Dialect, b: Dialect, *, as_json: bool) -> int:
    pairs = differences(a, b)
    if as_json:
        print_json(
            {option: {a.name: _plain(x), b.name: _plain(y)} for option, (x, y) in pairs.items()}
        )
    else:
        _print_options(a, b, list(pairs))
    return int(bool(pairs))


def _print_options(a: Dialect, b: Dialect, options: list[str]) -> None:
    rows = [(one, *_cells(a, one), *_cells(b, one)) for one in options if one != "access"]
    if not options:
        print_line(f"{a.name} and {b.name} differ in no option")
    if rows:
        heads = ("option", a.name, "sure", b.name, "sure")
        print_columns(rows, max_width=_MAX_WIDTH, head=heads)
    if "access" in options:
        print_line()
        print_line("By the site's answer to /robots.txt:")
        in_a, in_b = modes_by_answer(a.access), modes_by_answer(b.access)
        changed = [(kind, in_a[kind], in_b[kind]) for kind in in_a if in_a[kind] != in_b[kind]]
        head = ("answer", a.name, b.name)
        print_columns(changed, indent="  ", max_width=_MAX_WIDTH, head=head)


def _cells(dialect: Dialect, option: str) -> tuple[str, str]:
    """(the value of an option, how sure it is)"""
    return value_text(getattr(dialect, option)), _source(dialect, option).certainty.value


def _as_json(dialect: Dialect) -> dict[str, Any]:
    options = {
        option: {
            "value": _plain(getattr(dialect, option)),
            "certainty": _source(dialect, option).certainty.value,
            "source": _source(dialect, option).text,
        }
        for option in dialect_options()
        if option not in _APART
    }
    return {
        "experimental": dialect.is_experimental,
        "options": options,
        "agents": {agent.name: agent.chain for agent in dialect.agents.values()},
        "stances": modes_by_answer(dialect.access),
    }


def _plain(value: Any) -> Any:
    if isinstance(value, AccessPolicy):
        return modes_by_answer(value)
    return value if isinstance(value, bool | int | tuple) else value_text(value)


def _source(dialect: Dialect, option: str) -> Provenance:
    return dialect.sources.get(option, _NO_SOURCE)
