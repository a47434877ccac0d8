"""The crawlers of each engine, as data: the names they look for in a robots.txt, in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..agents import Agent, add_agents, agent_table
from .options import Certainty


def _agents(
    dialect: str, source: str, certainty: Certainty, *chains: tuple[str, ...]
) -> list[Agent]:
    """One agent for each chain, named as the chain's first name."""
    return [
        Agent(chain[0], dialect, tuple(name.lower() for name in chain), source, certainty)
        for chain in chains
    ]


def _prefixes(full_name: str, required: str) -> tuple[str, ...]:
    """Yandex: a value binds if it is a prefix of the full name, and `required` a prefix of it."""
    longest_first = range(len(full_name), len(required) - 1, -1)
    return tuple(full_name[:length].lower() for length in longest_first)


def _yandex(full_names: Iterable[str], required: str = "", *, star: bool) -> list[Agent]:
    """Two agents for each name with a version: one with it and one without."""
    return [
        Agent(key, "yandex", _prefixes(full_name, required or name) + ("*",) * star, YANDEX_LIBRARY)
        for full_name in full_names
        for name in [full_name.partition("/")[0]]
        for key in (full_name, name)
    ]


_GOOGLE = "developers.google.com/crawling: overview of Google crawlers; google/robotstxt README"
_SPECIAL = "developers.google.com/crawling: special-case crawlers"
YANDEX_LIBRARY = "Yandex's robots.txt library (ydb-platform/ydb, library/cpp/robots_txt)"

GOOGLE = agent_table(
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

# Crawlers of other engines, as Google's parser reads for them.
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

BING = agent_table(
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

YANDEX = agent_table(
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
    # Versions with another chain than the name without a version.
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

BAIDU = agent_table(
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

YAHOO = agent_table(
    Agent("Slurp", "yahoo", ("slurp", "*"), "help.yahoo.com, Slurp pages"),
    Agent("Yahoo! Slurp", "yahoo", ("slurp", "*"), "help.yahoo.com, Slurp pages"),
)

APPLE = agent_table(
    *_agents(
        "apple",
        "support.apple.com: About Applebot",
        Certainty.DOCUMENTED,
        ("Applebot", "Googlebot", "*"),
    ),
)

AMAZON = agent_table(
    *_agents(
        "amazon",
        "developer.amazon.com/amazonbot",
        Certainty.DOCUMENTED,
        ("Amazonbot", "*"),
        ("Amzn-SearchBot", "*"),
        ("Amzn-User", "*"),
    ),
)

DUCKDUCKGO = agent_table(
    *_agents("duckduckgo", "DuckDuckGo help pages", Certainty.DOCUMENTED, ("DuckDuckBot", "*"))
)

SEZNAM = agent_table(
    *_agents("seznam", "Seznam crawling-control help", Certainty.DOCUMENTED, ("SeznamBot", "*"))
)

NAVER = agent_table(
    *_agents(
        "naver", "Naver webmaster help", Certainty.DOCUMENTED, ("Yeti", "*"), ("NaverBot", "*")
    )
)

SOGOU = agent_table(
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

QIHOO = agent_table(
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

# Crawlers of engines that have no dialect here: they read as RFC 9309 says.
OTHERS = agent_table(
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


_TABLES = (
    *(GOOGLE, BING, YANDEX, BAIDU, YAHOO, APPLE, DUCKDUCKGO, SEZNAM, NAVER, SOGOU, QIHOO, AMAZON),
    OTHERS,
)


def crawlers() -> Iterator[Agent]:
    """All crawlers known here, each once: by its name without a version."""
    for table in _TABLES:
        yield from (agent for agent in table.values() if "/" not in agent.name)


def find_agent(name: str) -> Agent | None:
    """The crawler of that name, in any case, with its engine's dialect; None if no table has it."""
    tables = (table for table in _TABLES if name.lower() in table)
    return next((table[name.lower()] for table in tables), None)
