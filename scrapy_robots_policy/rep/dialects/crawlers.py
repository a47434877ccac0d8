"""The crawlers of each engine, as data: the names they look for in a robots.txt, in order, and what
their operators say of them. Crawlers of engines without a dialect are in `other_crawlers`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

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
from .crawler_rows import agents_of, engine
from .google_crawlers import BY_QIHOO, GOOGLE
from .options import Certainty
from .other_crawlers import ORIGINAL, OTHERS


def _prefixes(full_name: str, required: str) -> tuple[str, ...]:
    """Yandex: a value binds if it is a prefix of the full name, and `required` a prefix of it."""
    longest_first = range(len(full_name), len(required) - 1, -1)
    return tuple(full_name[:length].lower() for length in longest_first)


def _yandex(full_names: Iterable[str], required: str = "", *, star: bool) -> list[Agent]:
    """Two agents for each name with a version: one with it and one without."""
    return [
        Agent(
            key,
            "yandex",
            _prefixes(full_name, required or name) + ("*",) * star,
            YANDEX_LIBRARY,
            facts=_YANDEX if name == "YandexBot" else _YANDEX_PART,
        )
        for full_name in full_names
        for name in [full_name.partition("/")[0]]
        for key in (full_name, name)
    ]


_BY_BING = CrawlerFacts(
    "Microsoft",
    Category.SEARCH,
    "https://www.bing.com/webmasters/help/which-crawlers-does-bing-use-8c184ec0",
    crawl_delay=True,
)
_YANDEX = CrawlerFacts("Yandex", Category.SEARCH, "https://yandex.com/support/webmaster", False)
_YANDEX_PART = replace(_YANDEX, category=Category.SEARCH_PART)
_BY_APPLE = CrawlerFacts(
    "Apple", Category.SEARCH, "https://support.apple.com/en-us/119829", crawl_delay=False
)
_BY_AMAZON = CrawlerFacts(
    "Amazon", Category.AI_TRAINING, "https://developer.amazon.com/amazonbot", crawl_delay=False
)
_BY_DUCKDUCKGO = CrawlerFacts(
    "DuckDuckGo", Category.SEARCH, "https://duckduckgo.com/duckduckgo-help-pages/"
)

YANDEX_LIBRARY = "Yandex's robots.txt library (ydb-platform/ydb, library/cpp/robots_txt)"

BING = agent_table(
    *engine(
        "bing",
        "Bing Webmaster Blog 2010: bingbot honours what is written for msnbot",
        Certainty.DOCUMENTED,
        ("bingbot", "msnbot", "*"),
        ("msnbot", "*"),
        facts=_BY_BING,
    ),
    *agents_of(
        "bing",
        "read as bingbot",
        Certainty.ASSUMED,
        ("adidxbot", "bingbot", "msnbot", "*"),
        facts=replace(_BY_BING, category=Category.ADS),
    ),
    *agents_of(
        "bing",
        "read as bingbot",
        Certainty.ASSUMED,
        ("BingPreview", "bingbot", "msnbot", "*"),
        ("MicrosoftPreview", "bingbot", "msnbot", "*"),
        ("BingVideoPreview", "bingbot", "msnbot", "*"),
        facts=replace(_BY_BING, category=Category.PREVIEW),
    ),
    *agents_of(
        "bing",
        "read as bingbot",
        Certainty.ASSUMED,
        ("msnbot-media", "msnbot", "*"),
        facts=replace(_BY_BING, category=Category.SEARCH_PART),
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
        Agent(
            name,
            "yandex",
            _prefixes(name, required),
            YANDEX_LIBRARY,
            facts=_YANDEX_PART,
        )
        for name, required in (
            ("YandexMetrika/2.0", "YandexMetrika"),
            ("YandexMetrika/4.0", "YandexMetrika"),
            ("YandexMarket/2.0", "YandexMarket"),
            ("YandexNews/4.0", "Yandex"),
        )
    ),
    *agents_of(
        "yandex",
        "Yandex Webmaster help: Search with Yandex AI; that it obeys no other group is assumed",
        Certainty.ASSUMED,
        ("YandexAdditionalBot",),
        ("YandexAdditional",),
        facts=replace(
            _YANDEX,
            category=Category.AI_SEARCH,
            page="https://yandex.com/support/webmaster/en/yandex-ai",
        ),
    ),
)

BAIDU = agent_table(
    *engine(
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
        facts=CrawlerFacts("Baidu", Category.SEARCH),
    )
)

_BY_YAHOO = CrawlerFacts("Yahoo", Category.SEARCH, "https://help.yahoo.com", crawl_delay=True)

YAHOO = agent_table(
    *(
        Agent(name, "yahoo", ("slurp", "*"), "help.yahoo.com, Slurp pages", facts=facts)
        for name, facts in (
            ("Slurp", _BY_YAHOO),
            ("Yahoo! Slurp", replace(_BY_YAHOO, category=Category.SEARCH_PART)),
        )
    )
)

APPLE = agent_table(
    *agents_of(
        "apple",
        "support.apple.com: About Applebot",
        Certainty.DOCUMENTED,
        ("Applebot", "Googlebot", "*"),
        facts=_BY_APPLE,
    ),
    *agents_of(
        "apple",
        "support.apple.com: About Applebot; that it has no other group is assumed",
        Certainty.ASSUMED,
        ("Applebot-Extended", "*"),
        facts=replace(
            _BY_APPLE, category=Category.AI_TRAINING, crawl_delay=None, kind=CrawlerKind.TOKEN
        ),
    ),
    *agents_of(
        "apple",
        "RFC 9309 §2.2.1; Apple's page gives no token",
        Certainty.ASSUMED,
        ("iTMS", "*"),
        facts=replace(_BY_APPLE, category=Category.OTHER, obedience=Obedience.IGNORES),
    ),
)

AMAZON = agent_table(
    *agents_of(
        "amazon",
        "developer.amazon.com/amazonbot",
        Certainty.DOCUMENTED,
        ("Amazonbot", "*"),
        facts=_BY_AMAZON,
    ),
    # CONFLICT: a file that does not name it, but allows other search bots, binds it by what it says
    # to them. The page does not name them; here the group for all crawlers counts.
    *agents_of(
        "amazon",
        "developer.amazon.com/amazonbot; which other search bots it follows is not said",
        Certainty.ASSUMED,
        ("Amzn-SearchBot", "*"),
        facts=replace(_BY_AMAZON, category=Category.AI_SEARCH),
    ),
    *agents_of(
        "amazon",
        "developer.amazon.com/amazonbot",
        Certainty.DOCUMENTED,
        ("Amzn-User", "*"),
        facts=replace(
            _BY_AMAZON,
            category=Category.AI_ASSISTANT,
            kind=CrawlerKind.USER,
            obedience=Obedience.MAY_IGNORE,
        ),
    ),
)

DUCKDUCKGO = agent_table(
    *agents_of(
        "duckduckgo",
        "DuckDuckGo help pages",
        Certainty.DOCUMENTED,
        ("DuckDuckBot", "*"),
        facts=_BY_DUCKDUCKGO,
    ),
    *agents_of(
        "duckduckgo",
        "DuckDuckGo help pages: DuckAssistBot; they name WWW::RobotRules",
        Certainty.DOCUMENTED,
        ("DuckAssistBot", "*"),
        facts=replace(_BY_DUCKDUCKGO, category=Category.AI_ASSISTANT, kind=CrawlerKind.USER),
    ),
)

SEZNAM = agent_table(
    *agents_of(
        "seznam",
        "Seznam crawling-control help",
        Certainty.DOCUMENTED,
        ("SeznamBot", "*"),
        facts=CrawlerFacts("Seznam", Category.SEARCH),
    )
)

NAVER = agent_table(
    *engine(
        "naver",
        "Naver webmaster help",
        Certainty.DOCUMENTED,
        ("Yeti", "*"),
        ("NaverBot", "*"),
        facts=CrawlerFacts("Naver", Category.SEARCH, crawl_delay=True),
    )
)

SOGOU = agent_table(
    *engine(
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
        facts=CrawlerFacts("Sogou", Category.SEARCH),
    )
)

QIHOO = agent_table(
    *engine(
        "360",
        "360 search webmaster help",
        Certainty.DOCUMENTED,
        ("360Spider", "*"),
        ("360Spider-Image", "*"),
        ("360Spider-Video", "*"),
        ("HaoSouSpider", "*"),
        facts=BY_QIHOO,
    )
)


_TABLES = (
    *(GOOGLE, BING, YANDEX, BAIDU, YAHOO, APPLE, DUCKDUCKGO, SEZNAM, NAVER, SOGOU, QIHOO, AMAZON),
    *(ORIGINAL, OTHERS),
)


def crawlers() -> Iterator[Agent]:
    """All crawlers known here, each once: by its name without a version."""
    for table in _TABLES:
        yield from (agent for agent in table.values() if "/" not in agent.name)


def find_agent(name: str) -> Agent | None:
    """The crawler of that name, in any case, with its engine's dialect; None if no table has it.

    TypeError for octets, such as a header of Scrapy's: no table would have them.
    """
    if not isinstance(name, str):
        raise not_a_string("name", name)
    agents = (table.get(name.lower()) for table in _TABLES)
    return next(filter(None, agents), None)


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
