"""The crawlers that are known: the names they look for in a robots.txt, in order, and what their
operators say of them. The data is in `crawlers.tsv`, a row for each crawler and engine.

In the column "looks for", `a…b` stands for a name and all its starts that begin with `b`: Yandex
binds a crawler by each of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import NamedTuple

from ..agents import (
    Agent,
    Category,
    CrawlerFacts,
    CrawlerKind,
    Obedience,
    agent_table,
    is_name,
    product_token,
)
from ..wrong_type import not_a_string
from .options import Certainty

_KEEPS = {"yes": True, "no": False, "": None}


class FormerName(NamedTuple):
    """A name that its operator no longer uses: a group for it names no crawler of today.

    successor  the crawler of today
    note       what the operator says of groups with the former name
    """

    name: str
    operator: str
    successor: str
    note: str


# A spokesperson in 404media.co/websites-are-blocking-the-wrong-ai-scrapers-because-ai-companies-
# keep-making-new-ones, update of 30 July 2024.
FORMER_NAMES: Mapping[str, FormerName] = MappingProxyType(
    {
        name.lower(): FormerName(
            name,
            "Anthropic",
            "ClaudeBot",
            "Anthropic said in July 2024 that ClaudeBot obeys such a group",
        )
        for name in ("anthropic-ai", "Claude-Web")
    }
)


@cache
def _rows() -> tuple[Agent, ...]:
    text = (files("scrapy_robots_policy.rep") / "crawlers.tsv").read_text("utf-8")
    return tuple(_agent(*line.split("\t")) for line in text.splitlines()[1:])


def _agent(name: str, dialect: str, looks_for: str, *rest: str) -> Agent:
    operator, category, kind, obedience, delay, certainty, page, source = rest
    facts = CrawlerFacts(
        operator,
        Category(category),
        page,
        _KEEPS[delay],
        CrawlerKind(kind),
        Obedience(obedience),
    )
    chain = tuple(part for names in looks_for.split(",") for part in _starts(names))
    return Agent(name, dialect, chain, source, Certainty(certainty), facts)


def _starts(names: str) -> Iterator[str]:
    longest, _, shortest = names.partition("…")
    for length in range(len(longest), len(shortest or longest) - 1, -1):
        yield longest[:length]


@cache
def crawlers_of(dialect: str) -> Mapping[str, Agent]:
    """The crawlers of the engine with that dialect, by name in lower case."""
    return agent_table(*(agent for agent in _rows() if agent.dialect == dialect))


def crawlers() -> Iterator[Agent]:
    """All crawlers known here, each once: by its name without a version."""
    return (agent for agent in _rows() if "/" not in agent.name)


@cache
def _by_name() -> Mapping[str, Agent]:
    return {agent.name.lower(): agent for agent in reversed(_rows())}


def find_agent(name: str) -> Agent | None:
    """The crawler of that name, in any case, with its engine's dialect; None if no table has it.

    TypeError for octets, such as a header of Scrapy's: no table would have them.
    """
    if not isinstance(name, str):
        raise not_a_string("name", name)
    return _by_name().get(name.lower())


def names_a_crawler(token: str, agents: Mapping[str, Agent]) -> bool:
    """Whether a product token can be a crawler's name. `agents`: a dialect's crawlers, which may
    have names that are no product tokens.
    """
    if is_name(token):
        return True
    return token != "" and (token.lower() in agents or find_agent(token) is not None)


def crawler_note(user_agent: str) -> str:
    """What to know of the crawler that a product token or a User-Agent header names: that it never
    crawls, or ignores robots.txt. "" for all others.
    """
    agent = find_agent(product_token(user_agent))
    return agent.note if agent else ""
