"""Crawlers as data: the names an engine's crawlers look for in a robots.txt, in what order.

Knows: crawlers, their chains, and how a User-Agent header is reduced to a product token.
Must not know: how the names are compared with lines (`groups`), nor anything of rules.

A chain ends with "*" where the crawler obeys the group for all others. Where a crawler is not in
the table, its chain is its own token, then "*" (RFC 9309 §2.2.1).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from .options import Certainty

_COMPATIBLE = re.compile(r"\bcompatible;\s*([^;)]+)", re.IGNORECASE)
# A version, or a way to be contacted, ends a name as a slash does: "MyBot 1.0", "MyBot v2 (+x)".
_PRODUCT_END = re.compile(r"[/(;,]|(?<!\s)\s+(?=v?\d|\+|https?:)", re.IGNORECASE)
TOKEN = re.compile(r"[A-Za-z_-]+")
# RFC 9110 §5.6.2, without what a User-agent line cannot hold ("#") or gives a meaning ("*").
_NAME = re.compile(r"[0-9!$%&'+.^_`|~-]*[A-Za-z][0-9A-Za-z!$%&'+.^_`|~-]*")


@dataclass(frozen=True, slots=True)
class Agent:
    """A crawler. `chain` holds the names it looks for, the first that is found binds it."""

    name: str
    dialect: str
    chain: tuple[str, ...]
    source: str
    certainty: Certainty = Certainty.DOCUMENTED


def product_token(header: str) -> str:
    """The name a User-Agent header goes by in robots.txt files.

    "FooBot/1.0 (+https://foo.example)", "Mozilla/5.0 (compatible; FooBot/1.0)" and "FooBot v1"
    give "FooBot".
    RFC 9309 §2.2.1: the product token is part of the identification string that the crawler sends.
    """
    return _PRODUCT_END.split(_product(header), 1)[0].strip()


def _product(header: str) -> str:
    found = _COMPATIBLE.search(header)
    return (found[1] if found else header).strip()


def is_token(name: str) -> bool:
    """Whether a name keeps to the alphabet of RFC 9309's product-token."""
    return TOKEN.fullmatch(name) is not None


def is_name(name: str) -> bool:
    """Whether a crawler may go by a name: a product of RFC 9110 with a letter in it.

    RFC 9309's alphabet has neither digits nor dots, and still crawlers are called MJ12bot and
    archive.org_bot. A line that names one of them in full binds it (`names_in_full`).
    """
    return _NAME.fullmatch(name) is not None


def names_in_full(value: str, name: str) -> bool:
    """Whether the value of a User-agent line is a crawler's whole name, be there a version after
    it or not. `name` is in lower case.
    """
    return value.lower() == name or product_token(value).lower() == name


def chain_of(agent: str, agents: Mapping[str, Agent]) -> tuple[str, ...]:
    """The names that `agent` (a product token or a whole header) looks for, in lower case.

    A table may hold one crawler in several versions ("YandexNews/4.0"): the version told counts.
    """
    versioned = _product(agent).lower()
    name = product_token(agent).lower()
    known = agents.get(versioned) or agents.get(name)
    return known.chain if known else (name, "*")


def table(*agents: Agent) -> Mapping[str, Agent]:
    """Agents by name, in lower case."""
    return MappingProxyType({agent.name.lower(): agent for agent in agents})


def add_agents(known: Mapping[str, Agent], *agents: Agent) -> Mapping[str, Agent]:
    """A table with more agents; a name given again replaces the old one."""
    return MappingProxyType({**known, **table(*agents)})


def _agents(
    dialect: str, source: str, certainty: Certainty, *chains: tuple[str, ...]
) -> list[Agent]:
    """One agent for each chain, named as the chain's first name."""
    return [
        Agent(chain[0], dialect, tuple(name.lower() for name in chain), source, certainty)
        for chain in chains
    ]


def _prefixes(full_name: str, required: str) -> tuple[str, ...]:
    """Yandex: a value binds if it is a prefix of the full name that holds the required prefix."""
    longest_first = range(len(full_name), len(required) - 1, -1)
    return tuple(full_name[:length].lower() for length in longest_first)


def _yandex(full_names: Iterable[str], required: str = "", *, star: bool) -> list[Agent]:
    return [
        Agent(key, "yandex", _prefixes(full_name, required or name) + ("*",) * star, YANDEX_LIBRARY)
        for full_name in full_names
        for name in [full_name.partition("/")[0]]
        for key in (full_name, name)
    ]


_GOOGLE = "developers.google.com/crawling: overview of Google crawlers; google/robotstxt README"
_SPECIAL = "developers.google.com/crawling: special-case crawlers"
YANDEX_LIBRARY = "Yandex's robots.txt library (ydb-platform/ydb, library/cpp/robots_txt)"

GOOGLE = table(
    *_agents(
        "google",
        _GOOGLE,
        Certainty.DOCUMENTED,
        ("Googlebot", "*"),
        ("Googlebot-Image", "Googlebot", "*"),
        ("Googlebot-News", "Googlebot", "*"),
        ("Googlebot-Video", "Googlebot", "*"),
        ("Storebot-Google", "*"),
        ("Google-InspectionTool", "Googlebot", "*"),
        ("GoogleOther", "*"),
        ("GoogleOther-Image", "GoogleOther", "*"),
        ("GoogleOther-Video", "GoogleOther", "*"),
        ("Google-Extended", "*"),
        ("Google-CloudVertexBot", "Googlebot", "*"),
    ),
    *_agents(
        "google",
        _SPECIAL,
        Certainty.DOCUMENTED,
        ("AdsBot-Google",),
        ("AdsBot-Google-Mobile",),
        ("APIs-Google",),
    ),
    *_agents(
        "google",
        "same family of crawlers, remembered",
        Certainty.ASSUMED,
        ("Mediapartners-Google",),
    ),
)

# Crawlers of other engines that Google's parser was asked about.
GOOGLE_READS = add_agents(
    GOOGLE,
    Agent(
        "360Spider",
        "google",
        ("*",),
        "google/robotstxt, run: a value is cut at its first digit, so no line names it",
        Certainty.ORACLE,
    ),
)

BING = table(
    *_agents(
        "bing",
        "Bing Webmaster Blog 2010: bingbot honours what is written for msnbot",
        Certainty.DOCUMENTED,
        ("bingbot", "msnbot", "*"),
        ("msnbot", "*"),
    ),
    *_agents(
        "bing",
        "read as bingbot",
        Certainty.ASSUMED,
        ("adidxbot", "bingbot", "msnbot", "*"),
        ("BingPreview", "bingbot", "msnbot", "*"),
        ("msnbot-media", "msnbot", "*"),
    ),
)

YANDEX = table(
    *_yandex(
        (
            *("YandexBot/3.0", "YandexMedia/3.0", "YandexImages/3.0", "YandexCatalog/3.0"),
            *("YandexBlogs/0.99", "YandexNews/3.0", "YandexPagechecker/2.0", "YandexMetrika/3.0"),
            *("YandexBrowser/1.0", "YandexMarket/1.0", "YandexWebmaster/2.0", "YandexVideo/3.0"),
            *("YandexImageResizer/2.0", "YandexTravel/1.0", "YandexOntoDB/1.0"),
        ),
        "Yandex",
        star=True,
    ),
    *_yandex(
        (
            *("YaDirectFetcher/1.0", "YandexCalendar/1.0", "YandexDirect/3.0"),
            *("YandexPartner/3.0", "YandexRCA/1.0", "YandexDirectDyn/1.0", "YandexMobileBot/3.0"),
            *("YandexAccessibilityBot/3.0", "YandexScreenshotBot/3.0", "YandexVideoParser/1.0"),
            *("YandexMedianaBot/1.0", "YandexSearchShop/1.0", "YandexOntoDBAPI/1.0"),
            *("Yandex-AMPHTML", "YandexVideoHosting/1.0", "YandexMediaSelling/1.0"),
            *("YandexVerticals/1.0", "YandexTurbo/1.0", "YandexZenRss/1.0", "YandexTracker/1.0"),
            *("YandexMobileScreenShotBot/1.0", "YandexFavicons/1.0"),
        ),
        star=False,
    ),
    # Versions of a name that are bound otherwise than the name itself.
    *(
        Agent(name, "yandex", _prefixes(name, required), YANDEX_LIBRARY)
        for name, required in (
            ("YandexMetrika/2.0", "YandexMetrika"),
            ("YandexMetrika/4.0", "YandexMetrika"),
            ("YandexMarket/2.0", "YandexMarket"),
            ("YandexNews/4.0", "Yandex"),
        )
    ),
)

BAIDU = table(
    *_agents(
        "baidu",
        "Baidu robots.txt help; chain of the special spiders remembered",
        Certainty.ASSUMED,
        ("Baiduspider", "*"),
        ("Baiduspider-image", "Baiduspider", "*"),
        ("Baiduspider-video", "Baiduspider", "*"),
        ("Baiduspider-news", "Baiduspider", "*"),
        ("Baiduspider-mobile", "Baiduspider", "*"),
        ("Baiduspider-favo", "Baiduspider", "*"),
        ("Baiduspider-cpro", "Baiduspider", "*"),
        ("Baiduspider-ads", "Baiduspider", "*"),
        ("Baiduspider-render", "Baiduspider", "*"),
    ),
)

YAHOO = table(
    Agent("Slurp", "yahoo", ("slurp", "*"), "help.yahoo.com, Slurp pages"),
    Agent("Yahoo! Slurp", "yahoo", ("slurp", "*"), "help.yahoo.com, Slurp pages"),
)

APPLE = table(
    *_agents(
        "apple",
        "support.apple.com: About Applebot",
        Certainty.DOCUMENTED,
        ("Applebot", "Googlebot", "*"),
    ),
)

AMAZON = table(
    *_agents(
        "amazon",
        "developer.amazon.com/amazonbot",
        Certainty.DOCUMENTED,
        ("Amazonbot", "*"),
        ("Amzn-SearchBot", "*"),
        ("Amzn-User", "*"),
    ),
)

DUCKDUCKGO = table(
    *_agents("duckduckgo", "DuckDuckGo help pages", Certainty.DOCUMENTED, ("DuckDuckBot", "*"))
)

SEZNAM = table(
    *_agents("seznam", "Seznam crawling-control help", Certainty.DOCUMENTED, ("SeznamBot", "*"))
)

NAVER = table(
    *_agents(
        "naver", "Naver webmaster help", Certainty.DOCUMENTED, ("Yeti", "*"), ("NaverBot", "*")
    )
)

SOGOU = table(
    *_agents(
        "sogou",
        "Sogou webmaster help",
        Certainty.DOCUMENTED,
        ("Sogou web spider", "*"),
        ("Sogou inst spider", "*"),
        ("Sogou spider", "*"),
        ("Sogou wap spider", "*"),
        ("Sogou Pic Spider", "*"),
        ("Sogou News Spider", "*"),
        ("Sogou Video Spider", "*"),
        ("Sogou Orion spider", "*"),
    ),
)

QIHOO = table(
    *_agents(
        "360",
        "360 search webmaster help",
        Certainty.DOCUMENTED,
        ("360Spider", "*"),
        ("360Spider-Image", "*"),
        ("360Spider-Video", "*"),
        ("HaoSouSpider", "*"),
    ),
)

# Crawlers whose engine has no dialect of its own: read as RFC 9309 says.
OTHERS = table(
    *_agents(
        "rfc9309",
        "own token, then * (RFC 9309 §2.2.1); no word of the engine against it",
        Certainty.ASSUMED,
        ("Yisouspider", "*"),
        ("Twitterbot", "*"),
        ("facebookexternalhit", "*"),
        ("GPTBot", "*"),
        ("OAI-SearchBot", "*"),
        ("ClaudeBot", "*"),
        ("PerplexityBot", "*"),
        ("CCBot", "*"),
        ("Bytespider", "*"),
        ("PetalBot", "*"),
        ("meta-externalagent", "*"),
    ),
)


def find_agent(name: str) -> Agent | None:
    """The crawler of that name, with its engine's dialect; None if the table has none."""
    for agents in (
        GOOGLE,
        BING,
        YANDEX,
        BAIDU,
        YAHOO,
        APPLE,
        DUCKDUCKGO,
        SEZNAM,
        NAVER,
        SOGOU,
        QIHOO,
        AMAZON,
    ):
        if name.lower() in agents:
            return agents[name.lower()]
    return OTHERS.get(name.lower())
