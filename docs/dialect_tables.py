"""Writes what the tables of dialects and crawlers say: docs/dialects.md and docs/crawlers.md.

`make table`, or `python docs/dialect_tables.py`. It has no dialect's name in it.
"""

# ruff: noqa: INP001 - a script beside what it writes
from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from scrapy_robots_policy.commands.printing.access_table import duration, modes_by_answer
from scrapy_robots_policy.commands.printing.option_words import value_text
from scrapy_robots_policy.commands.verbs.blocked import by_category
from scrapy_robots_policy.rep import DIALECTS, Agent, Dialect
from scrapy_robots_policy.rep.agents import Category, CrawlerKind
from scrapy_robots_policy.rep.dialects.crawlers import crawlers
from scrapy_robots_policy.rep.dialects.options import Certainty

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "dialects.md"
CRAWLERS = ROOT / "docs" / "crawlers.md"

OPTIONS = {
    "bom": "a UTF-8 byte order mark at the start",
    "size_limit": "octets read of a file",
    "beyond_size": "of a larger file, the rest is not read, or no rule is obeyed",
    "rule_limit": "a crawler with so many rules, or more, obeys none; ignored lines do not count",
    "line_limit": "octets read of a line",
    "nul_ends_line": "a NUL ends its line",
    "double_returns": "of two carriage returns in a row, only the first ends a line",
    "agent_keys": "what a User-agent line may start with",
    "allow_keys": "what an Allow line may start with",
    "disallow_keys": "what a Disallow line may start with",
    "sitemap_keys": "what a Sitemap line may start with",
    "longer_keys": "a key may be longer: `Disallowed:` is `Disallow:`",
    "missing_colon": "white space replaces the colon, between exactly two words",
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
    "no_slash": "how a rule without `/` or `*` at its start is read",
    "percent": "how percent-escapes are compared",
    "precedence": "which of several matching rules decides",
    "length": "how a rule's length is counted",
    "tie": "which of two equally long rules decides",
    "empty_disallow": "a Disallow without a path",
    "empty_allow": "an Allow without a path",
    "index_html": "Allow: …/index.html allows the directory too",
    "robots_txt_allowed": "/robots.txt itself is always allowed",
    "crawl_delay": "Crawl-delay",
    "tag_names": "the names in robots tags that bind the engine's crawlers",
    "tag_rules": "the rules of robots tags that are read",
    "tag_conflict": "which of two contradicting robots tags holds",
    "access": "how the result of a fetch is read, and for how long (its table is below)",
}

SHOWN_APART = ("agents", "access")

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
    modes = modes_by_answer(dialect.access)
    access = "" if _sure(dialect, "access") else "?"
    return [
        f"[`{dialect.name}`](#{dialect.name})" + " (experimental)" * dialect.is_experimental,
        *(_cell(dialect, option) for option in SHORT.values()),
        modes["401, 403"].removesuffix(" is allowed") + access,
        modes["5xx"].partition(" (")[0].partition(";")[0].removesuffix(" is allowed") + access,
        _assumed(dialect),
    ]


def _assumed(dialect: Dialect) -> str:
    return f"{sum(not _sure(dialect, option) for option in OPTIONS)} of {len(OPTIONS)}"


def _cell(dialect: Dialect, option: str) -> str:
    return value_text(getattr(dialect, option)) + ("" if _sure(dialect, option) else "?")


def _sure(dialect: Dialect, option: str) -> bool:
    return dialect.sources[option].certainty is not Certainty.ASSUMED


INTRODUCTION = """\
# Dialects, option by option

This page has each option of each dialect, with its value and the source of that value. Which
dialect to take: [choosing a dialect](choosing-a-dialect.md). A command shows how two dialects
differ:

```console
$ scrapy robots dialects google yandex
```

Each value is as sure as its source:

| sure | means |
| --- | --- |
| oracle | the engine's published code was run or read |
| documented | the engine's documentation or a standard has it |
| assumed | there is no source; it is the most likely value |

A dialect is experimental if more than half of its options are assumed. A question mark means that
the value is assumed. `make table` writes this page from `scrapy_robots_policy/rep/dialects/`:
change the data there.

## All dialects in short
"""


def page() -> str:
    parts = [
        INTRODUCTION.strip(),
        short_table(),
        "## The options",
        table(["option", "meaning"], ([f"`{option}`", words] for option, words in OPTIONS.items())),
        *(section for dialect in DIALECTS.values() for section in _sections(dialect)),
    ]
    return "\n\n".join(parts) + "\n"


def _sections(dialect: Dialect) -> Iterator[str]:
    yield f"## {dialect.name}"
    if dialect.is_experimental:
        yield f"Experimental: {_assumed(dialect)} options are assumed, which is more than half."
    sourced = [option for option in OPTIONS if _has_source(dialect, option)]
    rows = [_option_row(dialect, option) for option in sourced if option not in SHOWN_APART]
    yield table(["option", "value", "sure", "source"], rows)
    rest = [f"`{option}`" for option in OPTIONS if option not in sourced]
    if rest:
        yield f"There is no source for {', '.join(rest)}: {_inherited(dialect)}."
    yield f"By the site's answer to /robots.txt ({_source(dialect, 'access')}):"
    yield table(["answer", "then"], modes_by_answer(dialect.access).items())
    yield _lifetime(dialect)
    if dialect.agents:
        yield "Crawlers, and the names they look for; the first that is found counts:"
        yield table(["crawler", "names", "sure", "source"], _agent_rows(dialect.agents.values()))
    yield "Any other crawler looks for its own name, then `*`."


def _has_source(dialect: Dialect, option: str) -> bool:
    return not dialect.sources[option].text.startswith("no source: as ")


def _inherited(dialect: Dialect) -> str:
    return next(
        source.text.removeprefix("no source: ")
        for source in dialect.sources.values()
        if source.text.startswith("no source: as ")
    )


def _option_row(dialect: Dialect, option: str) -> Row:
    source = dialect.sources[option]
    return [
        f"`{option}`",
        value_text(getattr(dialect, option)),
        source.certainty.value,
        source.text,
    ]


def _source(dialect: Dialect, option: str) -> str:
    source = dialect.sources[option]
    return f"{source.certainty.value}: {source.text}"


def _lifetime(dialect: Dialect) -> str:
    policy = dialect.access
    shortest, longest = policy.lifetime_bounds
    return (
        f"An answer is fresh for {duration(policy.lifetime)}; HTTP caching may make that "
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
    """The names in order. A run of names, each one octet shorter, is shortened."""
    kept = [
        name
        for at, name in enumerate(chain)
        if not (0 < at < len(chain) - 1 and _is_step(chain[at - 1 : at + 2]))
    ]
    first, *others = [f"`{name}`" for name in kept]
    start = f"{first} and its beginnings down to " if len(kept) < len(chain) else f"{first}, "
    return (start + ", ".join(others)).removesuffix(", ")


def _is_step(names: tuple[str, ...]) -> bool:
    longer, name, shorter = names
    return longer[:-1] == name and name[:-1] == shorter


CRAWLERS_INTRODUCTION = """\
# Crawlers

This page lists known crawlers: who sends each one, what for, and whether its operator says that it
obeys robots.txt. The pages of the operators were looked up in November 2026. This command says
which of them may fetch a page ([more](commands.md#who-may-fetch-this)):

```console
$ scrapy robots blocked --all https://example.com/page
```

| kind | means |
| --- | --- |
| crawls | it fetches pages by itself |
| control token | it sends no requests: its group says what may be done with fetched pages |
| user-triggered | somebody asked for the page; many of these say that they ignore robots.txt |

"Not stated" means that no page of the operator is known that says so. "Crawl-delay" is what the
operator says that it does with such a line. "Read as" is the [dialect](dialects.md) in which this
project reads robots.txt files for the crawler: `rfc9309` where its engine has none of its own.
`make table` writes this page from `scrapy_robots_policy/rep/dialects/`: change the data there.
"""


def crawlers_page() -> str:
    parts = [CRAWLERS_INTRODUCTION.strip()]
    head = ["crawler", "operator", "kind", "robots.txt", "Crawl-delay", "read as"]
    for category, group in by_category(crawlers()):
        parts += [f"## {_title(category)}", table(head, map(_crawler_row, group))]
    return "\n\n".join(parts) + "\n"


def _title(category: Category) -> str:
    return category.value[0].upper() + category.value[1:]


def _crawler_row(agent: Agent) -> Row:
    facts = agent.facts
    delay = {True: "kept", False: "ignored", None: "not stated"}[facts.crawl_delay]
    if facts.kind is CrawlerKind.TOKEN:
        delay = "-"
    name = f"[{agent.name}]({facts.page})" if facts.page else agent.name
    obedience = facts.obedience.value.removesuffix(" robots.txt")
    return [name, facts.operator, facts.kind.value, obedience, delay, f"`{agent.dialect}`"]


def stale_pages() -> dict[Path, str]:
    """The pages that do not say what the data says, and what they should say."""
    wanted = {
        PAGE: page(),
        CRAWLERS: crawlers_page(),
    }
    return {
        path: text
        for path, text in wanted.items()
        if not path.exists() or path.read_text("utf-8") != text
    }


if __name__ == "__main__":
    for path, text in stale_pages().items():
        path.write_text(text, "utf-8")
        sys.stdout.write(f"{path.relative_to(ROOT)} written\n")
