"""Crawlers of engines that have no dialect here, as data: they read as a standard says, most of
them as RFC 9309 does.
"""

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
_AHREFS = CrawlerFacts("Ahrefs", Category.SEO, "https://ahrefs.com/robot", crawl_delay=True)
_MOZ = CrawlerFacts("Moz", Category.SEO, "https://moz.com/help/moz-procedures/crawlers/rogerbot")
_IMAGESIFT = CrawlerFacts(
    "ImageSift", Category.OTHER, "https://imagesift.com/about", crawl_delay=True
)
_MOJEEK = CrawlerFacts(
    "Mojeek", Category.SEARCH, "https://www.mojeek.com/bot.html", crawl_delay=False
)
_QWANT = CrawlerFacts("Qwant", Category.SEARCH, "https://help.qwant.com/bot")
_BYTEDANCE = CrawlerFacts("ByteDance", Category.AI_TRAINING, obedience=Obedience.UNSTATED)


def _for_users(operator: CrawlerFacts, obedience: Obedience = Obedience.OBEYS) -> CrawlerFacts:
    """An operator's fetcher of the pages that its users ask for."""
    return replace(
        operator, category=Category.AI_ASSISTANT, kind=CrawlerKind.USER, obedience=obedience
    )


def _undocumented(operator: str, category: Category) -> CrawlerFacts:
    return CrawlerFacts(operator, category, obedience=Obedience.UNSTATED)


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
    ("AhrefsBot", _AHREFS),
    # Ahrefs: not on a site whose verified owner asked for it.
    ("AhrefsSiteAudit", _AHREFS),
    ("Barkrowler", CrawlerFacts("Babbar", Category.SEO, "https://babbar.tech/crawler", True)),
    ("dotbot", _MOZ),
    ("rogerbot", _MOZ),
    ("SemrushBot", CrawlerFacts("Semrush", Category.SEO, "https://www.semrush.com/bot/", True)),
    ("MJ12bot", CrawlerFacts("Majestic", Category.SEO, "https://mj12bot.com", True)),
)

# No page of the operator is known that says how they read robots.txt. Of DeepSeekBot, PanguBot and
# TongyiBot no page is known: robots.json of ai-robots-txt/ai.robots.txt names them (August 2026).
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
    # Its page suggests to allow it in robots.txt; no word of what it obeys.
    (
        "ShapBot",
        CrawlerFacts(
            "Parallel",
            Category.AI_SEARCH,
            "https://docs.parallel.ai/resources/crawler",
            obedience=Obedience.UNSTATED,
        ),
    ),
    ("DeepSeekBot", _undocumented("DeepSeek", Category.AI_TRAINING)),
    ("PanguBot", _undocumented("Huawei", Category.AI_TRAINING)),
    ("TongyiBot", _undocumented("Alibaba", Category.AI_ASSISTANT)),
    ("archive.org_bot", _ARCHIVE),
    ("ia_archiver", replace(_ARCHIVE, page="https://archive.org/webmasters.html")),
    ("Yisouspider", _undocumented("Yisou", Category.SEARCH)),
)


def _agents() -> Iterator[Agent]:
    for name, facts in _DOCUMENTED:
        source = f"{facts.page}: a token of its own"
        yield Agent(name, "rfc9309", (name.lower(), "*"), source, Certainty.DOCUMENTED, facts)
    chain = ("imagesiftbot", "googlebot", "*")
    source = f"{_IMAGESIFT.page}: without a group of its own it obeys Googlebot's"
    yield Agent("ImagesiftBot", "rfc9309", chain, source, Certainty.DOCUMENTED, _IMAGESIFT)
    source = "own token, then * (RFC 9309 §2.2.1); its operator documents nothing else"
    for name, facts in _UNDOCUMENTED:
        yield Agent(name, "rfc9309", (name.lower(), "*"), source, Certainty.ASSUMED, facts)


OTHERS = agent_table(*_agents())

ORIGINAL = agent_table(
    Agent(
        "Qwantbot",
        "original1994",
        ("qwantbot", "*"),
        f"{_QWANT.page}: the standard of robotstxt.org/orig.html",
        Certainty.DOCUMENTED,
        _QWANT,
    ),
    Agent(
        "MojeekBot",
        "original1994",
        ("mojeekbot", "*"),
        f"{_MOJEEK.page}: the first record for it; the rest of the standard is assumed",
        Certainty.ASSUMED,
        _MOJEEK,
    ),
)
