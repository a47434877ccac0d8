"""Writes what the tables of dialects and crawlers say: docs/dialects.md and docs/crawlers.md.

`make table`, or `python docs/dialect_tables.py`. It has no dialect's name in it.
"""

# ruff: noqa: INP001 - a script beside what it writes
from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from pathlib import Path

from scrapy_robots_policy.commands.printing.verdict_data import (
    duration,
    modes_by_answer,
    value_text,
)
from scrapy_robots_policy.commands.verbs.blocked import by_category
from scrapy_robots_policy.rep import DIALECTS, Agent, Dialect
from scrapy_robots_policy.rep.agents import Category, Certainty, CrawlerKind, crawlers
from scrapy_robots_policy.rep.engines import RFC9309, source_of

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "dialects.md"
CRAWLERS = ROOT / "docs" / "crawlers.md"

OPTIONS = {one.name: one.metadata["meaning"] for one in fields(Dialect) if one.metadata}
SHOWN_APART = ("agents", "access")

SHORT = {
    "a blank line": "blank_line",
    "its value and the name": "agent_match",
    "several groups": "several_groups",
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
    """A row for each dialect, with the number of options that its sources set otherwise."""
    head = ["dialect", *SHORT, "401, 403", "503", "by code", "by documentation"]
    return table(head, (_short_row(dialect) for dialect in DIALECTS.values()))


def _short_row(dialect: Dialect) -> list[str]:
    modes = modes_by_answer(dialect.access)
    sure = (
        [source.certainty for source in dialect.sources.values()] if not _is_base(dialect) else []
    )
    return [
        f"[`{dialect.name}`](#{dialect.name})",
        *(value_text(getattr(dialect, option)) for option in SHORT.values()),
        modes["401, 403"].removesuffix(" is allowed"),
        modes["5xx"].partition(" (")[0].partition(";")[0].removesuffix(" is allowed"),
        str(sure.count(Certainty.ORACLE)),
        str(sure.count(Certainty.DOCUMENTED)),
    ]


def _is_base(dialect: Dialect) -> bool:
    return dialect is RFC9309


INTRODUCTION = """\
# Dialects, option by option

This page has each option of each dialect, with its value and the source of that value. Which
dialect to take: [choosing a dialect](choosing-a-dialect.md). A command shows how two dialects
differ:

```console
$ scrapy robots dialects google yandex
```

A dialect is its differences from RFC 9309. Each difference has a source:

| sure | means |
| --- | --- |
| oracle | the engine's published code was run or read |
| documented | the engine's documentation or a standard has it |

What no source says is as in RFC 9309. The last two columns of the first table say of how many
options the engine's code, or its documentation, tells: where they are few, the engine may still do
more that nobody has published. Where code is the source and we differ from it on purpose, the
source says so. `make table` writes this page from
`scrapy_robots_policy/rep/engines.py`: change the data there.

Your own dialect is an engine's with other values of some options:

```python
from scrapy_robots_policy.rep import DIALECTS

ROBOTS_DIALECT = DIALECTS["rfc9309"].but("mine", crawl_delay="ignored", several_groups="first")
```

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
    shown = [name for name in OPTIONS if _is_base(dialect) or name in dialect.sources]
    rows = [_option_row(dialect, option) for option in shown if option not in SHOWN_APART]
    if rows:
        yield table(["option", "value", "sure", "source"], rows)
    has_own_access = _is_base(dialect) or dialect.access != RFC9309.access
    if not _is_base(dialect):
        also = "" if has_own_access else ", and so is what an answer to /robots.txt means"
        yield f"All other options are as in [`rfc9309`](#rfc9309){also}."
    if has_own_access:
        yield f"By the site's answer to /robots.txt ({_source(dialect, 'access')}):"
        yield table(["answer", "then"], modes_by_answer(dialect.access).items())
        yield _lifetime(dialect)
    own = [agent for agent in dialect.agents.values() if agent.chain[1:] != ("*",)]
    if own:
        yield "Crawlers that look for other names, too; the first that is found counts:"
        yield table(["crawler", "names", "sure", "source"], _agent_rows(own))
    yield "Any other crawler looks for its own name, then `*`."


def _option_row(dialect: Dialect, option: str) -> Row:
    source = source_of(dialect, option)
    return [
        f"`{option}`",
        value_text(getattr(dialect, option)),
        source.certainty.value,
        source.text,
    ]


def _source(dialect: Dialect, option: str) -> str:
    source = source_of(dialect, option)
    if source.text.startswith("no source: "):
        return source.text.removeprefix("no source: ")
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
    """The names in order. A run of names, each one byte shorter, is shortened."""
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
`make table` writes this page from `scrapy_robots_policy/rep/crawlers.tsv`: change the data there.
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
