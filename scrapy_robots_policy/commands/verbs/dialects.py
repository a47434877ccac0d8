"""`scrapy robots dialects`: the table of dialects, one of them, or the differences of two."""

from __future__ import annotations

from collections import Counter
from typing import Any

from ...rep import DIALECTS, AccessPolicy, Dialect, differences
from ...rep.agents import Certainty
from ...rep.dialect import options as dialect_options
from ...rep.engines import RFC9309, source_of
from ..arguments import Arguments, Options, UsageError, read_dialect
from ..printing.terminal import print_columns, print_json, print_line, print_sentence, program
from ..printing.verdict_data import modes_by_answer, value_text

_MAX_WIDTH = 50  # columns of a cell
_APART = ("access", "agents")  # options that are shown below the table

ARGUMENTS = Arguments(
    "[A [B]]",
    (),
    ("text", "json"),
    ("0 no differences", "1 two dialects were named, and they differ", "2 a wrong command line"),
    ("dialects", "dialects google", "dialects google bing"),
)


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


_MAIN = ("precedence", "wildcards", "blank_line", "crawl_delay")


def _print_all() -> None:
    head = ("dialect", "decides", "wildcards", "blank line", "crawl-delay", "by code", "by docs")
    print_columns([_row(dialect) for dialect in DIALECTS.values()], head=head)
    print_line()
    print_sentence(
        "The two numbers: of how many options the engine's code, or its documentation, tells. "
        "All others are as in RFC 9309."
    )
    print_line()
    print_sentence(
        f"{program()} dialects NAME shows all of one, dialects A B the differences of two."
    )


def _row(dialect: Dialect) -> tuple[str, ...]:
    counts = Counter(source.certainty for source in dialect.sources.values())
    if dialect is RFC9309:
        counts.clear()
    return (
        dialect.name,
        *(value_text(getattr(dialect, option)) for option in _MAIN),
        str(counts[Certainty.ORACLE]),
        str(counts[Certainty.DOCUMENTED]),
    )


def _print_one(dialect: Dialect) -> None:
    rows = [
        (option, *_cells(dialect, option), source_of(dialect, option).text)
        for option in dialect_options()
        if option not in _APART and (option in dialect.sources or dialect is RFC9309)
    ]
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
    inherited = dialect is not RFC9309 and option not in dialect.sources
    sure = "as rfc9309" if inherited else source_of(dialect, option).certainty.value
    return value_text(getattr(dialect, option)), sure


def _as_json(dialect: Dialect) -> dict[str, Any]:
    options = {
        option: {
            "value": _plain(getattr(dialect, option)),
            "certainty": source_of(dialect, option).certainty.value,
            "source": source_of(dialect, option).text,
        }
        for option in dialect_options()
        if option not in _APART
    }
    return {
        "options": options,
        "agents": {agent.name: agent.chain for agent in dialect.agents.values()},
        "modes": modes_by_answer(dialect.access),
    }


def _plain(value: Any) -> Any:
    if isinstance(value, AccessPolicy):
        return modes_by_answer(value)
    return value if isinstance(value, bool | int | tuple) else value_text(value)
