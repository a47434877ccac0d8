"""`scrapy robots blocked`: which AI crawlers, search engines and archives may fetch a page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urljoin, urlsplit

from ..commands.arguments import UNREADABLE, Arguments, Options, UsageError
from ..commands.printing.terminal import in_full, print_groups, print_json, print_line
from ..commands.printing.verdict_data import verdict_as_json
from ..commands.reading.download import is_web
from ..commands.reading.inputs import Inputs, in_words, robots_txt_of, rules_from
from ..rep import DIALECTS, FetchResult, Verdict
from ..rep.agents import Agent, Category, CrawlerKind, Obedience, crawlers
from ..rep.escapes import brief, shown
from ..rep.usage.preferences import Preference

ASKED_ABOUT = (
    Category.AI_TRAINING,
    Category.AI_SEARCH,
    Category.AI_ASSISTANT,
    Category.SEARCH,
    Category.ARCHIVE,
)
MAX_USES = 20  # lines about the use of pages
_SELDOM_OBEYS = {
    Obedience.MAY_IGNORE: "may ignore it",
    Obedience.IGNORES: "ignores it",
}
T = TypeVar("T")


class _Row(NamedTuple):
    """What the table says of a crawler: whether it may fetch the page, in words, and what decides.

    Attributes:
        uses: what the file says about the use of the page.

    """

    is_allowed: bool
    words: str
    cause: str
    uses: tuple[Preference, ...]


ARGUMENTS = Arguments(
    "URL|FILE",
    ("--robots", "--all", "--timeout"),
    ("text", "json"),
    ("0 all of them may", "1 one of them may not fetch the page, or use it", UNREADABLE),
    ("blocked https://example.com/", "blocked robots.txt --all"),
)


def run(options: Options) -> int:
    """1 if one of them may not fetch the page, or use it; else 0."""
    options = options.asking_all()
    if len(options.args) != 1:
        raise UsageError(f"blocked takes one URL or FILE, not {len(options.args)}")
    url, options = _question(options.args[0], options)
    inputs = Inputs(options)
    result = inputs.result(url)  # one fetch for all
    if options.as_json:
        objects = _by_agent(url, result, partial(_as_json, url), options)
        for row in objects.values():
            print_json(row)
        return int(not all(row["allowed"] for row in objects.values()))
    rows = _by_agent(url, result, _row, options)
    print_line(f"{shown(url)}  by {_file(inputs.name(url), result)}")
    _print_table(rows)
    return int(not all(row.is_allowed for row in rows.values()))


def _question(argument: str, options: Options) -> tuple[str, Options]:
    """(the URL that is asked about, the options with the file). A FILE alone, and a robots.txt, ask
    about the whole site.
    """
    if not argument:
        raise UsageError("the name of a file is empty")
    if not is_web(argument) and not options.robots:
        return "/", options.but(robots=argument)
    url = options.checked_urls()[0]
    is_file = is_web(url) and urlsplit(url).path == "/robots.txt"
    return (urljoin(robots_txt_of(url), "/") if is_file else url), options


def _by_agent(
    url: str, result: FetchResult, made_of: Callable[[Agent, Verdict], T], options: Options
) -> dict[Agent, T]:
    """What is made of the verdict for each crawler, in the dialect of its engine.

    The dialects are asked one after the other. The rules of each are then forgotten, with all that
    their verdicts have looked up: those of a large file take many times its size.
    """
    every = chain.from_iterable(group for _, group in by_category(crawlers()))
    agents = [agent for agent in every if options.all or agent.facts.category in ASKED_ABOUT]
    made: dict[Agent, T] = {}
    for name in dict.fromkeys(agent.dialect for agent in agents):
        rules = rules_from("", result, DIALECTS[name])
        for agent in agents:
            if agent.dialect == name:
                made[agent] = made_of(agent, rules.verdict(url, agent.name))
    return {agent: made[agent] for agent in agents}


def _as_json(url: str, agent: Agent, verdict: Verdict) -> dict[str, Any]:
    facts = agent.facts
    return {
        **verdict_as_json(url, verdict),
        "operator": facts.operator,
        "category": facts.category.value,
        "kind": facts.kind.value,
        "robots_txt": facts.obedience.value,
        "crawl_delay": facts.crawl_delay,
        "page": facts.page or None,
        "source": agent.source,
        "certainty": agent.certainty.value,
    }


def by_category(agents: Iterable[Agent]) -> Iterator[tuple[Category, list[Agent]]]:
    """The crawlers of each category that has some, by name."""
    ordered = sorted(agents, key=lambda agent: agent.name.lower())
    for category in Category:
        group = [agent for agent in ordered if agent.facts.category is category]
        if group:
            yield category, group


def _file(name: str, result: FetchResult) -> str:
    """The name of the file, the result of the fetch if it was fetched, and what it is if it is no
    robots.txt.
    """
    access = rules_from("", result, DIALECTS["rfc9309"]).access
    answer = in_full(access.why) if is_web(name) else access.oddity
    return shown(f"{in_words(name)}: {answer}" if answer else in_words(name))


def _print_table(rows: dict[Agent, _Row]) -> None:
    groups = {
        category.value: [(agent.name, rows[agent].words, rows[agent].cause) for agent in group]
        for category, group in by_category(rows)
    }
    print_groups(("crawler", "may fetch", "because"), groups)
    blocked = sum(not row.is_allowed for row in rows.values())
    print_line()
    print_line(f"{blocked} of {len(rows)} {'is' if blocked == 1 else 'are'} shut out")
    _print_uses(rows.values())


def _print_uses(rows: Iterable[_Row]) -> None:
    """What the file says about the use of the page, which binds those that may fetch it, too."""
    preferences = dict.fromkeys(chain.from_iterable(row.uses for row in rows))
    uses = sorted(preferences, key=attrgetter("line"))
    if not uses:
        return
    print_line("The file also says what may be done with the page:")
    for use in uses[:MAX_USES]:
        print_line(f"  {brief(use.start)}")
    if len(uses) > MAX_USES:
        print_line(f"  and {len(uses) - MAX_USES} more")


def _row(agent: Agent, verdict: Verdict) -> _Row:
    words = "yes" if verdict.allowed else "no"
    if agent.facts.kind is CrawlerKind.TOKEN:
        words = "may be used" if verdict.allowed else "may not be used"
    elif not verdict.allowed and agent.facts.obedience in _SELDOM_OBEYS:
        words = f"no, {_SELDOM_OBEYS[agent.facts.obedience]}"
    return _Row(verdict.allowed, words, verdict.cause, verdict.usage)
