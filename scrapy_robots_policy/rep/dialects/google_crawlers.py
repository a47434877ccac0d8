"""Google's crawlers, as data: the names they look for, and what Google says of them. X's crawler is
here, too: its operator names Google's specification.
"""

from __future__ import annotations

from dataclasses import replace

from ..agents import Agent, Category, CrawlerFacts, CrawlerKind, Obedience, add_agents, agent_table
from .crawler_rows import agents_of, engine
from .options import Certainty

_X = "https://developer.x.com/cards/overview"
_CRAWLING = "https://developers.google.com/crawling/docs/crawlers-fetchers/"
_BY_GOOGLE = CrawlerFacts(
    "Google", Category.SEARCH, _CRAWLING + "google-common-crawlers", crawl_delay=False
)
BY_QIHOO = CrawlerFacts("Qihoo 360", Category.SEARCH)

_GOOGLE = "developers.google.com/crawling: overview of Google crawlers; google/robotstxt README"
_NO_TOKEN = "RFC 9309 §2.2.1; Google's pages give no token"
_SPECIAL = "developers.google.com/crawling: special-case crawlers"
_SPECIAL_PAGE = _CRAWLING + "google-special-case-crawlers"
_FOR_GOOGLES_USERS = replace(
    _BY_GOOGLE,
    category=Category.OTHER,
    page=_CRAWLING + "google-user-triggered-fetchers",
    kind=CrawlerKind.USER,
    obedience=Obedience.IGNORES,
)

GOOGLE = agent_table(
    *engine(
        "google",
        _GOOGLE,
        Certainty.DOCUMENTED,
        ("Googlebot", "*"),
        ("Googlebot-Image", "Googlebot", "*"),
        ("Googlebot-News", "Googlebot", "*"),
        ("Googlebot-Video", "Googlebot", "*"),
        ("Storebot-Google", "*"),
        ("Google-InspectionTool", "Googlebot", "*"),
        facts=_BY_GOOGLE,
    ),
    *agents_of(
        "google",
        _GOOGLE,
        Certainty.DOCUMENTED,
        ("GoogleOther", "*"),
        ("GoogleOther-Image", "GoogleOther", "*"),
        ("GoogleOther-Video", "GoogleOther", "*"),
        facts=replace(_BY_GOOGLE, category=Category.OTHER),
    ),
    *agents_of(
        "google",
        _GOOGLE,
        Certainty.DOCUMENTED,
        ("Google-Extended", "*"),
        facts=replace(
            _BY_GOOGLE, category=Category.AI_TRAINING, crawl_delay=None, kind=CrawlerKind.TOKEN
        ),
    ),
    *agents_of(
        "google",
        _GOOGLE,
        Certainty.DOCUMENTED,
        ("Google-CloudVertexBot", "Googlebot", "*"),
        facts=replace(_BY_GOOGLE, category=Category.AI_ASSISTANT),
    ),
    *agents_of(
        "google",
        _SPECIAL,
        Certainty.DOCUMENTED,
        ("AdsBot-Google",),
        ("AdsBot-Google-Mobile",),
        ("APIs-Google",),
        ("Mediapartners-Google",),
        facts=replace(_BY_GOOGLE, category=Category.ADS, page=_SPECIAL_PAGE),
    ),
    *agents_of(
        "google",
        _NO_TOKEN,
        Certainty.ASSUMED,
        ("Google-Safety", "*"),
        facts=replace(
            _BY_GOOGLE, category=Category.OTHER, page=_SPECIAL_PAGE, obedience=Obedience.IGNORES
        ),
    ),
    *agents_of(
        "google",
        _NO_TOKEN,
        Certainty.ASSUMED,
        ("Google-Agent", "*"),
        ("Google-GeminiNotebook", "*"),
        ("Google-NotebookLM", "*"),  # the name of Google-GeminiNotebook up to August 2026
        facts=replace(_FOR_GOOGLES_USERS, category=Category.AI_ASSISTANT),
    ),
    *agents_of(
        "google",
        _NO_TOKEN,
        Certainty.ASSUMED,
        ("FeedFetcher-Google", "*"),
        ("Google-Read-Aloud", "*"),
        ("Google-Pinpoint", "*"),
        ("GoogleProducer", "*"),
        ("Google-CWS", "*"),
        ("GoogleMessages", "*"),
        ("Google-Site-Verification", "*"),
        facts=_FOR_GOOGLES_USERS,
    ),
    *agents_of(
        "google",
        f"{_X}: respects Google's robots.txt specification",
        Certainty.DOCUMENTED,
        ("Twitterbot", "*"),
        facts=CrawlerFacts("X", Category.PREVIEW, _X),
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
        BY_QIHOO,
    ),
)
