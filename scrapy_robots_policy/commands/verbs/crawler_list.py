"""`scrapy robots crawlers`: which crawlers are known, and what their operators say of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ...rep.agents import Agent, Category, CrawlerKind, Obedience, product_token
from ...rep.dialects.crawlers import crawlers, find_agent
from ...rep.dialects.former_names import FORMER_NAMES
from ...rep.nearest import nearest
from ..arguments import Options, UsageError
from ..printing.terminal import (
    Blocks,
    print_columns,
    print_groups,
    print_json,
    print_line,
    print_sentence,
    program,
)

_OBEYS = {
    Obedience.OBEYS: "",
    Obedience.MAY_IGNORE: "may ignore",
    Obedience.IGNORES: "ignores",
    Obedience.UNSTATED: "not stated",
}
_DELAY = {True: "keeps it", False: "ignores it", None: "not stated"}


def run(options: Options) -> int:
    """All crawlers in groups by what they are for, or those that are named in full."""
    agents = [_named(name) for name in options.args] or list(crawlers())
    if options.as_json:
        for agent in agents:
            print_json(as_json(agent))
    elif options.args:
        _print_each(agents)
    else:
        _print_all(agents)
    return 0


def _named(name: str) -> Agent:
    token = product_token(name)
    agent = find_agent(token)
    former = FORMER_NAMES.get(token.lower())
    if former:
        raise UsageError(f"{former.name} is a former name of {former.successor}")
    if agent is None:
        hint = nearest(token, (crawler.name for crawler in crawlers())) or (
            f"; see {program()} crawlers"
        )
        raise UsageError(f"no crawler known here is called {name!r}{hint}")
    return agent


def by_category(agents: Iterable[Agent]) -> Iterator[tuple[Category, list[Agent]]]:
    """The crawlers of each category that has some, by name."""
    ordered = sorted(agents, key=lambda agent: agent.name.lower())
    for category in Category:
        group = [agent for agent in ordered if agent.facts.category is category]
        if group:
            yield category, group


def as_json(agent: Agent) -> dict[str, Any]:
    """A crawler as plain data. `crawl_delay` is null where the operator does not say."""
    facts = agent.facts
    return {
        "name": agent.name,
        "operator": facts.operator,
        "category": facts.category.value,
        "kind": facts.kind.value,
        "robots_txt": facts.obedience.value,
        "crawl_delay": facts.crawl_delay,
        "dialect": agent.dialect,
        "looks_for": agent.chain,
        "page": facts.page or None,
        "source": agent.source,
        "certainty": agent.certainty.value,
        "note": agent.note,
    }


def _print_all(agents: list[Agent]) -> None:
    groups = {
        category.value: [
            (agent.name, agent.facts.operator, agent.dialect, _special(agent)) for agent in group
        ]
        for category, group in by_category(agents)
    }
    print_groups(("crawler", "operator", "dialect", "robots.txt"), groups)
    print_line()
    print_sentence(f"{program()} crawlers NAME shows all that is known of one, with its source.")


def _special(agent: Agent) -> str:
    """What sets the crawler apart; "" for one that crawls by itself and obeys."""
    facts = agent.facts
    if facts.kind is CrawlerKind.TOKEN:
        return "never crawls"
    by_users = "for users" if facts.kind is CrawlerKind.USER else ""
    return ", ".join(filter(None, (by_users, _OBEYS[facts.obedience])))


def _print_each(agents: list[Agent]) -> None:
    blocks = Blocks()
    for agent in agents:
        facts = agent.facts
        rows = [
            ("crawler", agent.name),
            ("operator", facts.operator),
            ("fetches for", facts.category.value),
            ("kind", facts.kind.value),
            ("robots.txt", facts.obedience.value),
            ("Crawl-delay", _DELAY[facts.crawl_delay]),
            ("dialect", agent.dialect),
            ("looks for", ", then ".join(agent.chain)),
            ("its page", facts.page or "none known"),
            ("source", f"{agent.source} ({agent.certainty.value})"),
        ]
        blocks.begin()
        print_columns(rows)
