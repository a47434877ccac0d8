"""What must be true of the data about crawlers."""

from __future__ import annotations

import pytest

from scrapy_robots_policy.rep import DIALECTS
from scrapy_robots_policy.rep.agents import (
    FORMER_NAMES,
    CrawlerKind,
    Obedience,
    crawler_note,
    crawlers,
)
from scrapy_robots_policy.rep.dialect import CrawlDelay
from scrapy_robots_policy.rep.usage.preferences import CONTROL_TOKENS

ALL = {agent.name: agent for agent in crawlers()}

TOKEN, USER, CRAWLS = CrawlerKind.TOKEN, CrawlerKind.USER, CrawlerKind.CRAWLS
KINDS = {
    **dict.fromkeys(["Google-Extended", "Applebot-Extended"], (TOKEN, Obedience.OBEYS)),
    **dict.fromkeys(
        ["GPTBot", "OAI-SearchBot", "ClaudeBot", "Claude-SearchBot", "CCBot", "Twitterbot"],
        (CRAWLS, Obedience.OBEYS),
    ),
    **dict.fromkeys(
        ["PerplexityBot", "meta-externalagent", "meta-webindexer", "MistralAI-Training"],
        (CRAWLS, Obedience.OBEYS),
    ),
    **dict.fromkeys(
        ["Applebot", "Amazonbot", "Amzn-SearchBot", "MistralAI-Index", "Mediapartners-Google"],
        (CRAWLS, Obedience.OBEYS),
    ),
    **dict.fromkeys(["Claude-User", "DuckAssistBot", "MistralAI-User"], (USER, Obedience.OBEYS)),
    **dict.fromkeys(
        ["Amzn-User", "ChatGPT-User", "Diffbot-User", "meta-externalfetcher"],
        (USER, Obedience.MAY_IGNORE),
    ),
    **dict.fromkeys(
        ["Perplexity-User", "Google-Agent", "FeedFetcher-Google", "Google-Read-Aloud"],
        (USER, Obedience.IGNORES),
    ),
    **dict.fromkeys(
        ["Google-GeminiNotebook", "Google-NotebookLM", "Google-Pinpoint", "GoogleProducer"],
        (USER, Obedience.IGNORES),
    ),
    **dict.fromkeys(
        ["Google-CWS", "GoogleMessages", "Google-Site-Verification"], (USER, Obedience.IGNORES)
    ),
    **dict.fromkeys(["Google-Safety", "iTMS"], (CRAWLS, Obedience.IGNORES)),
    "YouBot": (CRAWLS, Obedience.OBEYS),
    **dict.fromkeys(["Diffbot", "facebookexternalhit"], (CRAWLS, Obedience.MAY_IGNORE)),
    **dict.fromkeys(
        ["AI2Bot", "Bytespider", "OAI-AdsBot", "TikTokSpider"], (CRAWLS, Obedience.UNSTATED)
    ),
}
DELAYS = {
    **dict.fromkeys(["Claude-User", "Claude-SearchBot", "Yeti", "Slurp"], True),
    **dict.fromkeys(["ClaudeBot", "CCBot", "AhrefsBot", "MJ12bot", "bingbot"], True),
    **dict.fromkeys(["YouBot", "Diffbot", "Diffbot-User"], True),
    **dict.fromkeys(["Googlebot", "Applebot", "Amazonbot", "Amzn-User", "YandexBot"], False),
    **dict.fromkeys(["GPTBot", "PerplexityBot", "Bytespider", "AI2Bot"], None),
}


@pytest.mark.parametrize("name", KINDS)
def test_the_kind_of_a_crawler_is_known(name):
    facts = ALL[name].facts
    assert (facts.kind, facts.obedience) == KINDS[name]


def test_a_crawl_that_declares_a_purpose_asks_each_control_token_among_the_crawlers():
    tokens = {name for name, agent in ALL.items() if agent.facts.kind is TOKEN}
    assert tokens == {token.name for token in CONTROL_TOKENS}


@pytest.mark.parametrize("name", DELAYS)
def test_what_a_crawler_does_with_crawl_delay_is_known(name):
    assert ALL[name].facts.crawl_delay is DELAYS[name]


def test_the_dialect_of_a_crawler_keeps_a_delay_only_if_the_operator_does_not_say_otherwise():
    against = [
        name
        for name, agent in ALL.items()
        if agent.facts.crawl_delay is False
        and DIALECTS[agent.dialect].crawl_delay is not CrawlDelay.IGNORED
    ]
    assert against == []


NOTES = {
    "Google-Extended": "Google-Extended never crawls: it controls what Google does with pages",
    "applebot-extended/1.0": "Applebot-Extended never crawls: it controls what Apple does with "
    "pages",
    "Mozilla/5.0 (compatible; Perplexity-User/1.0; +https://perplexity.ai)": "Perplexity says that "
    "Perplexity-User ignores robots.txt",
    "ChatGPT-User": "OpenAI says that ChatGPT-User may ignore robots.txt",
    "GPTBot": "",
    "Bytespider": "",
    "FooBot": "",
    "": "",
}


@pytest.mark.parametrize("user_agent", NOTES)
def test_the_note_says_what_to_know_before_rules_are_written(user_agent):
    assert crawler_note(user_agent) == NOTES[user_agent]


def test_a_former_name_is_no_crawlers_name_and_its_successor_is_one():
    names = {name.lower() for name in ALL}
    assert names.isdisjoint(FORMER_NAMES)
    assert all(former.successor in ALL and former.note for former in FORMER_NAMES.values())
