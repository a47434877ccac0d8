"""Crawlers and their names: the product token of a header, and the names that bind a crawler.

The crawlers that are known are in `crawlers.tsv`, a row for each crawler and engine: the names that
it looks for in a robots.txt, in order, and what its operator says of it. In the column "looks for",
`a…b` stands for a name and all its starts that begin with `b`: Yandex binds a crawler by each of
them. How names are compared with User-agent lines is in `groups`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from itertools import pairwise
from pkgutil import get_data
from types import MappingProxyType
from typing import NamedTuple

from .checks import check_fields, check_type, hints_of, not_a_string
from .escapes import quoted

_COMPATIBLE = re.compile(r"\bcompatible[;,]\s*([^;,)]+)", re.IGNORECASE)
_BRACKETS = re.compile(r"\(([^()]*)\)?")
_VERSIONED = re.compile(r"([^\s/()]*)/v?[0-9]", re.IGNORECASE)
_LETTER = re.compile("[A-Za-z]")
# What browsers' headers are made of: no crawler's name.
_BROWSERS = frozenset(
    """
    mozilla applewebkit webkit khtml gecko chrome chromium crios headlesschrome
    safari version mobile firefox fxios seamonkey iceweasel edge edg
    edga edgios opera opr presto trident msie yabrowser samsungbrowser
    ucbrowser vivaldi konqueror dalvik ubuntu windows macintosh linux x11
    android iphone ipad like u
    """.split()  # noqa: SIM905 - a list of 40 lines
)
# A version or a contact address ends a name, as a slash does: "MyBot 1.0", "MyBot v2 (+x)".
_PRODUCT_END = re.compile(r"[/(;,]|(?<!\s)\s+(?=v?\d|\+|https?:)", re.IGNORECASE)
TOKEN = re.compile(r"[A-Za-z_-]+")
# The name of the groups for all crawlers, and the token of a crawler without a name of its own.
STAR = "*"
# RFC 9110 §5.6.2, without the characters that a User-agent line cannot hold ("#") or that have a
# meaning there ("*").
_NAME = re.compile(r"[0-9!$%&'+.^_`|~-]*[A-Za-z][0-9A-Za-z!$%&'+.^_`|~-]*")


class Certainty(Enum):
    """How sure a value is: of an option of a dialect, or of the names of a crawler."""

    ORACLE = "oracle"  # the engine's published code was run or read
    DOCUMENTED = "documented"  # the engine's documentation or a standard has it
    ASSUMED = "assumed"  # there is no source: the most likely value


class CrawlerKind(Enum):
    """Why a crawler's requests come, if any come."""

    CRAWLS = "crawls"
    TOKEN = "control token"  # it sends no requests: its groups say what may be done with pages
    USER = "user-triggered"  # somebody asked for the page just now


class Obedience(Enum):
    """What a crawler's operator says that it does with robots.txt."""

    OBEYS = "obeys robots.txt"
    MAY_IGNORE = "may ignore robots.txt"
    IGNORES = "ignores robots.txt"
    UNSTATED = "not stated"


class Category(Enum):
    """What a crawler fetches pages for."""

    AI_TRAINING = "AI training"
    AI_SEARCH = "AI search"
    AI_ASSISTANT = "AI assistant"
    SEARCH = "search engine"
    SEARCH_PART = "part of a search engine"  # its robots for pictures, news, and the like
    ARCHIVE = "archive"
    PREVIEW = "preview"
    ADS = "ads"
    SEO = "SEO"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class CrawlerFacts:
    """What a crawler's operator says of it.

    Attributes:
        page: the operator's page that says so; "" where none is known.
        crawl_delay: whether it keeps a Crawl-delay; None: not stated.

    """

    operator: str = ""
    category: Category = Category.OTHER
    page: str = ""
    crawl_delay: bool | None = None
    kind: CrawlerKind = CrawlerKind.CRAWLS
    obedience: Obedience = Obedience.OBEYS


NO_FACTS = CrawlerFacts(obedience=Obedience.UNSTATED)


@dataclass(frozen=True, slots=True)
class Agent:
    """A crawler.

    ValueError for a value of a wrong type, and for a chain of another kind: its names would be
    found in no file.

    Attributes:
        name: its product token, as its engine writes it.
        dialect: the name of its engine's dialect.
        chain: the names that it looks for in a robots.txt, in lower case; the first name that the
            file has binds it. A chain that ends with "*" obeys the group for all other crawlers.
        source: where the chain is documented.
        facts: what its operator says of it.

    """

    name: str
    dialect: str
    chain: tuple[str, ...]
    source: str
    certainty: Certainty = Certainty.DOCUMENTED
    facts: CrawlerFacts = NO_FACTS

    def __post_init__(self) -> None:
        check_fields(self, f"Agent {quoted(self.name)}", hints_of(Agent))
        if not self.name.isprintable() or not self.name.strip():
            raise ValueError(f"Agent {quoted(self.name)}: name must be a text that can be printed")
        if not self.chain or any(not name or name != name.lower() for name in self.chain):
            raise ValueError(
                f"Agent {self.name!r}: chain is {quoted(self.chain)}, it must be a tuple of names "
                "in lower case"
            )
        if STAR in self.chain[:-1]:
            raise ValueError(f"Agent {self.name!r}: chain has a name after '*', the last one")

    @property
    def note(self) -> str:
        """What to know before its rules are written or read; "" for a crawler that obeys them."""
        facts = self.facts
        if facts.kind is CrawlerKind.TOKEN:
            return f"{self.name} never crawls: it controls what {facts.operator} does with pages"
        if facts.obedience in (Obedience.MAY_IGNORE, Obedience.IGNORES):
            return f"{facts.operator} says that {self.name} {facts.obedience.value}"
        return ""


def product_token(header: str) -> str:
    """The crawler's name in robots.txt files, from a User-Agent header or a product token.

    RFC 9309 §2.2.1: the product token is part of the identification string that the crawler sends.
    "FooBot/1.0 (+https://foo.example)", "Mozilla/5.0 (compatible; FooBot/1.0)", "Mozilla/5.0 (X11)
    Chrome/1 FooBot/1.0 Safari/1" and "FooBot v1" give "FooBot". A browser's header, and an empty
    one, name no crawler: they give "".

    Raises:
        TypeError: for bytes, such as a header of Scrapy's, and for whatever else is no string.

    """
    if not isinstance(header, str):
        raise not_a_string("header", header)
    return _name_of(_product(header))


def _name_of(product: str) -> str:
    """A product without its version and what follows."""
    return _PRODUCT_END.split(product, 1)[0].strip().rstrip("+")


def _product(header: str) -> str:
    """The product by which a header names its crawler, with its version; "" where it names none.

    A crawler that sends a browser's header names itself, in this order: after "compatible"; by a
    known name anywhere, but not behind "like"; by the last product with a version in brackets that
    is no browser's; by the last one behind them.
    """
    compatible = _COMPATIBLE.search(header)
    if compatible and not _is_browsers(compatible[1]):
        return compatible[1].strip()
    if not header.lstrip().lower().startswith(("mozilla/", "opera/")):
        return header.strip()
    inside = [part.strip() for text in _BRACKETS.findall(header) for part in re.split("[;,]", text)]
    words = re.split(r"[\s;,()]+", header)
    likes = {after for word, after in pairwise(words) if word.lower() == "like"}
    named = [one for one in (*inside, *words) if one not in likes and find_agent(_name_of(one))]
    if named:
        return named[0]
    outside = _BRACKETS.sub(" ", header).split()
    products = [one for one in (*outside, *inside) if _is_versioned(one)]
    own = [one for one in products if one not in likes and not _is_browsers(one)]
    return own[-1] if own else ""


def _is_versioned(word: str) -> bool:
    """Whether a word is a product with a version."""
    product = _VERSIONED.match(word)
    return product is not None and _LETTER.search(product[1]) is not None


def _is_browsers(product: str) -> bool:
    """Whether a product is that of a browser, or a word for the system that it runs on."""
    words = _name_of(product).split()
    return not words or words[0].lower() in _BROWSERS


def is_token(name: str) -> bool:
    """Whether a name has only the characters of RFC 9309's product-token."""
    return TOKEN.fullmatch(name) is not None


def is_name(name: str) -> bool:
    """Whether a name can be a crawler's: a product of RFC 9110 with a letter in it.

    RFC 9309's product-token has neither digits nor dots, but there are crawlers called MJ12bot and
    archive.org_bot. A line with the whole of such a name binds the crawler (`names_in_full`).
    """
    return _NAME.fullmatch(name) is not None


def names_in_full(value: str, name: str) -> bool:
    """Whether the value of a User-agent line is a crawler's whole name, with or without a version.

    `name` is in lower case.
    """
    lower = value.lower()
    # Nearly no line has the name: that is found without the expressions of a product token.
    return name in lower and (lower == name or product_token(value).lower() == name)


def chain_of(agent: str, agents: Mapping[str, Agent]) -> tuple[str, ...]:
    """The names that a crawler looks for, in lower case, in order.

    A crawler that the table does not have looks for its own token, then "*" (RFC 9309 §2.2.1); one
    without a name for "*" only.

    Args:
        agent: a product token or a User-Agent header.
        agents: a table of crawlers. It may have one crawler in several versions ("YandexNews/4.0"):
            the version in `agent` is looked up first.

    """
    versioned = _product(agent).lower()
    name = product_token(agent).lower()
    entry = agents.get(versioned) or agents.get(name)
    if entry:
        return entry.chain
    return (STAR,) if name in {"", STAR} else (name, STAR)


def agent_table(*agents: Agent) -> Mapping[str, Agent]:
    """Agents by name, in lower case."""
    return MappingProxyType({agent.name.lower(): agent for agent in agents})


def add_agents(table: Mapping[str, Agent], *agents: Agent) -> Mapping[str, Agent]:
    """A copy of the table with more agents. An agent replaces the one that has its name.

    TypeError for a table or an agent of a wrong type.
    """
    check_type("table", table, Mapping)
    for agent in agents:
        check_type("agent", agent, Agent)
    return MappingProxyType({**table, **agent_table(*agents)})


_KEEPS = {"yes": True, "no": False, "": None}


class FormerName(NamedTuple):
    """A name that its operator no longer uses: a group for it names no crawler of today.

    Attributes:
        successor: the crawler of today.
        note: what the operator says of groups with the former name.

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
    text = (get_data(__package__, "crawlers.tsv") or b"").decode()
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

    TypeError for bytes, such as a header of Scrapy's: no table would have them.
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
