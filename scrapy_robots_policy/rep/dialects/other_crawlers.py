"""Crawlers of engines that have no dialect here, as data: they read as RFC 9309 says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..agents import Agent, Category, CrawlerFacts, CrawlerKind, Obedience, agent_table
from .options import Certainty

_OPENAI = CrawlerFacts(
    "OpenAI", Category.AI_TRAINING, "https://developers.openai.com/api/docs/bots"
)
_ANTHROPIC = CrawlerFacts(
    "Anthropic",
    Category.AI_TRAINING,
    "https://support.claude.com/en/articles/8896518",
    crawl_delay=True,
)
_PERPLEXITY = CrawlerFacts(
    "Perplexity",
    Category.AI_SEARCH,
    "https://docs.perplexity.ai/docs/resources/perplexity-crawlers",
)
_META = CrawlerFacts(
    "Meta",
    Category.AI_TRAINING,
    "https://developers.facebook.com/docs/sharing/webmasters/web-crawlers",
)
_MISTRAL = CrawlerFacts("Mistral", Category.AI_SEARCH, "https://docs.mistral.ai/en/robots")
# Diffbot: by default; not where the site agreed to something else.
_DIFFBOT = CrawlerFacts(
    "Diffbot",
    Category.SEARCH,
    "https://docs.diffbot.com/docs/does-crawl-respect-robotstxt",
    crawl_delay=True,
    obedience=Obedience.MAY_IGNORE,
)
_ARCHIVE = CrawlerFacts(
    "Internet Archive",
    Category.ARCHIVE,
    "https://archive.org/details/archive.org_bot",
    obedience=Obedience.UNSTATED,
)
_BYTEDANCE = CrawlerFacts("ByteDance", Category.AI_TRAINING, obedience=Obedience.UNSTATED)


def _for_users(operator: CrawlerFacts, obedience: Obedience = Obedience.OBEYS) -> CrawlerFacts:
    """An operator's fetcher of the pages that its users ask for."""
    return replace(
        operator, category=Category.AI_ASSISTANT, kind=CrawlerKind.USER, obedience=obedience
    )


_DOCUMENTED: tuple[tuple[str, CrawlerFacts], ...] = (
    ("GPTBot", _OPENAI),
    ("OAI-SearchBot", replace(_OPENAI, category=Category.AI_SEARCH)),
    ("ChatGPT-User", _for_users(_OPENAI, Obedience.MAY_IGNORE)),
    # OpenAI: visits pages that are submitted as ads; no word of robots.txt.
    ("OAI-AdsBot", replace(_OPENAI, category=Category.ADS, obedience=Obedience.UNSTATED)),
    ("ClaudeBot", _ANTHROPIC),
    ("Claude-SearchBot", replace(_ANTHROPIC, category=Category.AI_SEARCH)),
    ("Claude-User", _for_users(_ANTHROPIC)),
    ("PerplexityBot", _PERPLEXITY),
    ("Perplexity-User", _for_users(_PERPLEXITY, Obedience.IGNORES)),
    ("meta-externalagent", _META),
    ("meta-webindexer", replace(_META, category=Category.AI_SEARCH)),
    ("meta-externalfetcher", _for_users(_META, Obedience.MAY_IGNORE)),
    ("meta-externalads", replace(_META, category=Category.ADS)),
    # Meta: for security and integrity checks.
    (
        "facebookexternalhit",
        replace(_META, category=Category.PREVIEW, obedience=Obedience.MAY_IGNORE),
    ),
    ("MistralAI-User", _for_users(_MISTRAL)),
    ("MistralAI-Index", _MISTRAL),
    ("MistralAI-Training", replace(_MISTRAL, category=Category.AI_TRAINING)),
    ("YouBot", CrawlerFacts("You.com", Category.SEARCH, "https://docs.you.com/youbot", True)),
    ("Diffbot", _DIFFBOT),
    ("Diffbot-User", _for_users(_DIFFBOT, Obedience.MAY_IGNORE)),
    ("CCBot", CrawlerFacts("Common Crawl", Category.ARCHIVE, "https://commoncrawl.org/faq", True)),
    ("PetalBot", CrawlerFacts("Huawei", Category.SEARCH, "https://aspiegel.com/petalbot")),
    ("AhrefsBot", CrawlerFacts("Ahrefs", Category.SEO, "https://ahrefs.com/robot", True)),
    ("SemrushBot", CrawlerFacts("Semrush", Category.SEO, "https://www.semrush.com/bot/", True)),
    ("MJ12bot", CrawlerFacts("Majestic", Category.SEO, "https://mj12bot.com", True)),
)

# No page of the operator is known that says how they read robots.txt.
_UNDOCUMENTED: tuple[tuple[str, CrawlerFacts], ...] = (
    ("Bytespider", _BYTEDANCE),
    ("TikTokSpider", replace(_BYTEDANCE, category=Category.OTHER)),
    # Its page gives the name by which a site can reject it; no word of robots.txt.
    (
        "AI2Bot",
        CrawlerFacts(
            "Ai2",
            Category.AI_TRAINING,
            "https://allenai.org/crawler",
            obedience=Obedience.UNSTATED,
        ),
    ),
    ("archive.org_bot", _ARCHIVE),
    ("ia_archiver", replace(_ARCHIVE, page="https://archive.org/webmasters.html")),
    ("Yisouspider", CrawlerFacts("Yisou", Category.SEARCH, obedience=Obedience.UNSTATED)),
)


def _agents() -> Iterator[Agent]:
    for name, facts in _DOCUMENTED:
        source = f"{facts.page}: a token of its own"
        yield Agent(name, "rfc9309", (name.lower(), "*"), source, Certainty.DOCUMENTED, facts)
    source = "own token, then * (RFC 9309 §2.2.1); its operator documents nothing else"
    for name, facts in _UNDOCUMENTED:
        yield Agent(name, "rfc9309", (name.lower(), "*"), source, Certainty.ASSUMED, facts)


OTHERS = agent_table(*_agents())
