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
from scrapy_robots_policy.owners.blocked import by_category
from scrapy_robots_policy.rep import DIALECTS, Agent, Dialect
from scrapy_robots_policy.rep.agents import Category, Certainty, CrawlerKind, Obedience, crawlers
from scrapy_robots_policy.rep.engines import RFC9309, source_of

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "dialects.md"
CRAWLERS = ROOT / "docs" / "crawlers.md"

OPTIONS = {one.name: one.metadata["meaning"] for one in fields(Dialect) if one.metadata}
SHOWN_APART = ("agents", "access")

SHORT = {
    "a blank line": "blank_line",
    "names": "agent_match",
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
    head = ["dialect", *SHORT, "401, 403", "503", "by code", "by docs"]
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

A dialect is its differences from RFC 9309, each with a source. *Oracle*: the engine's published
code was run or read. *Documented*: its documentation, or a standard, says so. What no source says
is as in RFC 9309. The last two columns say of how many options there is a source of each kind:
where they are few, the engine may do more that nobody has published.

Your own dialect is an engine's with other values of some options:

```python
from scrapy_robots_policy.rep import DIALECTS

ROBOTS_DIALECT = DIALECTS["rfc9309"].but("mine", crawl_delay="ignored", several_groups="first")
```

## All dialects in short
"""

BY_CHOICE: Sequence[Row] = (
    (
        "`;` in the user name of a URL: `http://a;b@h/x`",
        "Google's parser: the path is `;b@h/x`",
        "the path is `/x`: no server sees a user name",
    ),
    (
        "the line of an empty `Allow:`",
        "Google's parser names the line",
        "no line: nothing is allowed that was not",
    ),
    (
        "a URL that is not escaped yet: `/ツ`",
        "Google's parser takes it for escaped",
        "it is escaped first, as a crawler does it",
    ),
    (
        "names of crawlers with digits: MJ12bot",
        "Google's parser ends a name at the first digit",
        "the whole name is compared",
    ),
    (
        "vertical tab and form feed",
        "RFC 9309 §2.2: no white space",
        "white space, as in Google's parser",
    ),
    ("the rule after `Allow: **` or `Allow: *$`", "Yandex's library loses it", "it is obeyed"),
    (
        "`/*aab` and `/aaab`",
        "Yandex's library does not go back after `*`, and misses",
        "the rule matches, as its documentation says",
    ),
)


def page() -> str:
    parts = [
        INTRODUCTION.strip(),
        short_table(),
        "## Where answers differ from published code by choice",
        table(("what", "in the published code", "here"), BY_CHOICE),
        *(section for dialect in DIALECTS.values() for section in _sections(dialect)),
    ]
    return "\n\n".join(parts) + "\n"


def _sections(dialect: Dialect) -> Iterator[str]:
    yield f"## {dialect.name}"
    if _is_base(dialect):
        yield table(["option", "meaning", "value", "RFC 9309"], _base_rows(dialect))
        yield f"What an answer to /robots.txt means ({_source(dialect, 'access')}):"
        yield _answers(modes_by_answer(dialect.access).items())
    else:
        set_here = [name for name in OPTIONS if name in dialect.sources and name not in SHOWN_APART]
        yield from _by_source(dialect, set_here)
        base = modes_by_answer(RFC9309.access)
        answers = modes_by_answer(dialect.access).items()
        if other := [(answer, mode) for answer, mode in answers if mode != base[answer]]:
            yield f"Other answers to /robots.txt than in rfc9309 ({_source(dialect, 'access')}):"
            yield _answers(other)
    if _is_base(dialect) or _lifetime(dialect) != _lifetime(RFC9309):
        yield _lifetime(dialect)
    yield from _agents(one for one in dialect.agents.values() if one.chain[1:] != ("*",))


def _base_rows(dialect: Dialect) -> Iterator[Row]:
    for option, meaning in OPTIONS.items():
        if option not in SHOWN_APART:
            value = value_text(getattr(dialect, option))
            clause = source_of(dialect, option).text.removeprefix("RFC 9309 ")
            yield f"`{option}`", meaning, value, clause


def _by_source(dialect: Dialect, shown: Iterable[str]) -> Iterator[str]:
    """The options that a source sets, below the name of that source."""
    lines: dict[str, list[str]] = {}
    for option in shown:
        source = source_of(dialect, option)
        document, _, note = source.text.partition(": ")
        line = f"- `{option}`: {value_text(getattr(dialect, option))}"
        where = f"{document} ({source.certainty.value}):"
        lines.setdefault(where, []).append(f"{line} ({note})" if note else line)
    return (f"{where}\n\n" + "\n".join(of_it) for where, of_it in lines.items())


def _answers(modes: Iterable[tuple[str, str]]) -> str:
    """Answers that mean the same share a line."""
    answers: dict[str, list[str]] = {}
    for answer, mode in modes:
        answers.setdefault(mode, []).append(answer)
    return "\n".join(f"- {'; '.join(of_it)}: {mode}" for mode, of_it in answers.items())


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


def _agents(agents: Iterable[Agent]) -> Iterator[str]:
    """Below its source, crawlers that look for names in the same way share a line."""
    by_source: dict[str, dict[str, list[str]]] = {}
    for agent in agents:
        alike = by_source.setdefault(f"{agent.certainty.value}: {agent.source}", {})
        alike.setdefault(_chain(agent), []).append(agent.name)
    for source, alike in by_source.items():
        yield f"Names that crawlers look for ({source}):"
        lines = []
        for names, of_it in alike.items():
            shown = [n for n in of_it if "/" not in n or n.partition("/")[0] not in of_it]
            lines.append(f"- {', '.join(shown)}: {names}")
        yield "\n".join(lines)


def _chain(agent: Agent) -> str:
    """In which order a crawler looks for names, in words."""
    first, *others = agent.chain
    steps = 0
    while steps < len(others) and agent.chain[steps].startswith(others[steps]):
        steps += 1
    if steps > 1:
        name, shortest = agent.name.lower().partition("/")[0], others[steps - 1]
        end = "the name" if shortest == name else f"`{shortest}`"
        own = f"own name with its version, shortened letter by letter to {end}"
        others = others[steps:]
    else:
        own = "own name" if first == agent.name.lower() else f"`{first}`"
    return ", then ".join([own, *(f"`{name}`" for name in others)])


CRAWLERS_INTRODUCTION = """\
# Crawlers

This page lists known crawlers: who sends each one, what for, and whether its operator says that it
obeys robots.txt. The pages of the operators were looked up in November 2026.
[Which of them may fetch a page](commands.md#who-may-fetch-this)?

```console
$ scrapy robots blocked --all https://example.com/page
```

Most crawlers fetch pages by themselves. A *control token* sends no requests: its group says what
may be done with pages that others fetch. *User-triggered*: somebody asked for the page; many of
these say that they ignore robots.txt. Where nothing stands about robots.txt or Crawl-delay, no page
of the operator is known that speaks of it. "Read as" names the [dialect](dialects.md) of the
crawler's engine; without one, files are read as in `rfc9309`.
"""


def crawlers_page() -> str:
    parts = [CRAWLERS_INTRODUCTION.strip()]
    head = ["crawler", "operator", "robots.txt"]
    for category, group in by_category(crawlers()):
        parts += [f"## {_title(category)}", table(head, map(_crawler_row, group))]
    return "\n\n".join(parts) + "\n"


def _title(category: Category) -> str:
    return category.value[0].upper() + category.value[1:]


def _obeys(obedience: Obedience) -> str:
    unstated = obedience is Obedience.UNSTATED
    return "" if unstated else obedience.value.removesuffix(" robots.txt")


def _crawler_row(agent: Agent) -> Row:
    facts = agent.facts
    name = f"[{agent.name}]({facts.page})" if facts.page else agent.name
    known = [
        "" if facts.kind is CrawlerKind.CRAWLS else facts.kind.value,
        _obeys(facts.obedience),
        {True: "Crawl-delay kept", False: "Crawl-delay ignored", None: ""}[facts.crawl_delay],
        "" if agent.dialect == RFC9309.name else f"read as `{agent.dialect}`",
    ]
    return [name, facts.operator, "; ".join(filter(None, known))]


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
