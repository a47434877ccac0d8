"""Writes what the table of dialects says: docs/dialects.md, and the short table in README.md.

`make table`, or `python docs/dialect_tables.py`. Knows: how pages look. Must not know: any dialect.
"""

# ruff: noqa: INP001 - a script beside what it writes
from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from scrapy_robots_policy.commands.access_table import duration, stances
from scrapy_robots_policy.commands.compare import value
from scrapy_robots_policy.rep import DIALECTS, Agent, Dialect
from scrapy_robots_policy.rep.dialects.options import Certainty

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "dialects.md"
README = ROOT / "README.md"
BEGIN, END = "<!-- dialects:begin -->", "<!-- dialects:end -->"

KNOBS = {
    "bom": "a UTF-8 byte order mark at the start",
    "size_limit": "octets read of a file",
    "beyond_size": "what becomes of a larger file: its end is cut off, or the whole site is open",
    "rule_limit": "rules for one crawler from which on they are not obeyed",
    "line_limit": "octets read of a line",
    "nul_ends_line": "a NUL ends its line",
    "double_returns": "of two carriage returns in a row, only the first ends a line",
    "agent_keys": "what a User-agent line may start with",
    "allow_keys": "what an Allow line may start with",
    "disallow_keys": "what a Disallow line may start with",
    "sitemap_keys": "what a Sitemap line may start with",
    "longer_keys": "a key counts if it only starts so",
    "missing_colon": "white space will do for a colon, between exactly two words",
    "blank_line": "what a blank line does",
    "extension_ends_agents": "any other line ends a list of User-agent lines",
    "orphan_rules": "rules before the first User-agent line",
    "agent_value": "what part of a User-agent line's value names a crawler",
    "agent_match": "how it is compared with the crawler's name",
    "own_records": "which of several groups that name the crawler bind it",
    "star_records": "which of several groups for `*` bind it",
    "agents": "the engine's crawlers",
    "allow_lines": "Allow lines are read",
    "wildcards": "`*` and a final `$` are special",
    "no_slash": "a rule that starts with neither `/` nor `*`",
    "percent": "how percent-escapes are compared",
    "precedence": "which of several matching rules decides",
    "length": "how a rule's length is counted",
    "tie": "which of two equally long rules decides",
    "empty_disallow": "a Disallow without a path",
    "empty_allow": "an Allow without a path",
    "index_html": "Allow: …/index.html allows the directory too",
    "robots_txt_allowed": "/robots.txt itself is always allowed",
    "crawl_delay": "Crawl-delay",
    "request_rate": "Request-rate is read",
    "visit_time": "Visit-time is read",
    "tag_names": "the names that page-level rules may use",
    "tag_rules": "the page-level rules that are known",
    "tag_conflict": "which of two contradicting page-level rules holds",
    "access": "what follows where robots.txt cannot be had, and how long an answer is good for",
}

TOLD_APART = ("agents", "access")

SHORT = {
    "a blank line": "blank_line",
    "its value and the name": "agent_match",
    "several groups": "own_records",
    "decides": "precedence",
    "wildcards": "wildcards",
    "escapes": "percent",
    "Crawl-delay": "crawl_delay",
}

Row = Sequence[str]


def table(head: Row, rows: Iterable[Row]) -> str:
    rule = ["---"] * len(head)
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, rule, *rows])


def short_table() -> str:
    """A row for each dialect; a value that is only assumed has a question mark, and a dialect that
    is mostly assumed is experimental.
    """
    head = ["dialect", *SHORT, "401, 403", "503", "without a source"]
    return table(head, (_short_row(dialect) for dialect in DIALECTS.values()))


def _short_row(dialect: Dialect) -> list[str]:
    told = stances(dialect.access)
    access = "" if _sure(dialect, "access") else "?"
    return [
        f"[`{dialect.name}`](docs/dialects.md#{dialect.name})"
        + " (experimental)" * dialect.is_experimental,
        *(_cell(dialect, option) for option in SHORT.values()),
        told["401, 403"].removesuffix(" allowed") + access,
        told["5xx"].partition(" (")[0].partition(";")[0].removesuffix(" allowed") + access,
        _assumed(dialect),
    ]


def _assumed(dialect: Dialect) -> str:
    return f"{sum(not _sure(dialect, option) for option in KNOBS)} of {len(KNOBS)}"


def _cell(dialect: Dialect, option: str) -> str:
    return value(getattr(dialect, option)) + ("" if _sure(dialect, option) else "?")


def _sure(dialect: Dialect, option: str) -> bool:
    return dialect.sources[option].certainty is not Certainty.ASSUMED


INTRODUCTION = """\
# Dialects, option by option

Written by `make table` from the data, which is `scrapy_robots_policy/rep/dialects.py`: change that.
Which dialect to take: [choosing a dialect](choosing-a-dialect.md).
`scrapy robots dialects google yandex` shows what sets two apart.

| sure | means |
| --- | --- |
| oracle | the engine's own published code says so |
| documented | the engine, or the standard, says so |
| assumed | nobody says so; it is the likeliest reading |

A dialect is experimental if more than half of its options are assumed.

## The options
"""


def page() -> str:
    parts = [
        INTRODUCTION.strip(),
        table(
            ["option", "what it turns"], ([f"`{option}`", words] for option, words in KNOBS.items())
        ),
        *(section for dialect in DIALECTS.values() for section in _sections(dialect)),
    ]
    return "\n\n".join(parts) + "\n"


def _sections(dialect: Dialect) -> Iterator[str]:
    yield f"## {dialect.name}"
    if dialect.is_experimental:
        yield f"Experimental: {_assumed(dialect)} options are assumed, which is more than half."
    told = [option for option in KNOBS if _is_told(dialect, option) and option not in TOLD_APART]
    yield table(
        ["option", "value", "sure", "source"], [_knob_row(dialect, option) for option in told]
    )
    rest = [f"`{option}`" for option in KNOBS if not _is_told(dialect, option)]
    if rest:
        yield f"Nothing is known of {', '.join(rest)}: {_inherited(dialect)}."
    yield f"By what the site answers to /robots.txt ({_source(dialect, 'access')}):"
    yield table(["answer", "then"], stances(dialect.access).items())
    yield _lifetime(dialect)
    if dialect.agents:
        yield "Crawlers, and the names they look for; the first that is found counts:"
        yield table(["crawler", "names", "sure", "source"], _agent_rows(dialect.agents.values()))
    yield "Any other crawler looks for its own name, then `*`."


def _is_told(dialect: Dialect, option: str) -> bool:
    return not dialect.sources[option].text.startswith("no source: as ")


def _inherited(dialect: Dialect) -> str:
    return next(
        source.text.removeprefix("no source: ")
        for source in dialect.sources.values()
        if source.text.startswith("no source: as ")
    )


def _knob_row(dialect: Dialect, option: str) -> Row:
    source = dialect.sources[option]
    return [f"`{option}`", value(getattr(dialect, option)), source.certainty.value, source.text]


def _source(dialect: Dialect, option: str) -> str:
    source = dialect.sources[option]
    return f"{source.certainty.value}: {source.text}"


def _lifetime(dialect: Dialect) -> str:
    policy = dialect.access
    shortest, longest = policy.lifetime_bounds
    return (
        f"An answer is good for {duration(policy.lifetime)}; HTTP caching may make that "
        f"{duration(shortest)} to {duration(longest)}. "
        f"Up to {policy.redirects} redirects are followed."
    )


def _agent_rows(agents: Iterable[Agent]) -> Iterator[Row]:
    """Crawlers that look for the same names share a row: they are one under two names."""
    by_names: dict[Row, list[str]] = {}
    for agent in agents:
        row = (_chain(agent.chain), agent.certainty.value, agent.source)
        by_names.setdefault(row, []).append(agent.name)
    return ([", ".join(names), *row] for row, names in by_names.items())


def _chain(chain: tuple[str, ...]) -> str:
    """The names in their order; those that only grow shorter octet by octet are not all told."""
    kept = [
        name
        for at, name in enumerate(chain)
        if not (0 < at < len(chain) - 1 and _is_step(chain[at - 1 : at + 2]))
    ]
    first, *others = [f"`{name}`" for name in kept]
    told = f"{first} and its beginnings down to " if len(kept) < len(chain) else f"{first}, "
    return (told + ", ".join(others)).removesuffix(", ")


def _is_step(names: tuple[str, ...]) -> bool:
    longer, name, shorter = names
    return longer[:-1] == name and name[:-1] == shorter


def with_table(readme: str) -> str:
    """README with the short table between its marks; as it is where it has none."""
    before, begin, rest = readme.partition(BEGIN)
    _, end, after = rest.partition(END)
    return f"{before}{begin}\n{short_table()}\n{end}{after}" if end else readme


def stale_pages() -> dict[Path, str]:
    """The pages that do not say what the data says, and what they should say."""
    wanted = {PAGE: page(), README: with_table(README.read_text("utf-8"))}
    return {
        path: text
        for path, text in wanted.items()
        if not path.exists() or path.read_text("utf-8") != text
    }


if __name__ == "__main__":
    for path, text in stale_pages().items():
        path.write_text(text, "utf-8")
        sys.stdout.write(f"{path.relative_to(ROOT)} written\n")
