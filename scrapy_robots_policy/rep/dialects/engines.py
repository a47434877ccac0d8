"""The table of dialects: each engine's differences from RFC 9309, with their sources.

No other module may ask for a dialect's name: they act on options.

A comment that begins with CONFLICT marks an option on which sources disagree, and says which one is
followed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from ..access_policy import DAY, FOREVER, HOUR, MINUTE, AccessMode, AccessPolicy, AccessResult, Step
from ..agents import Agent, add_agents
from ..escapes import quoted
from .crawlers import crawlers_of
from .dialect import Dialect, options
from .options import (
    AgentMatch,
    AgentValue,
    Beyond,
    BlankLine,
    Bom,
    Certainty,
    CrawlDelay,
    EmptyRule,
    Length,
    NoSlash,
    Percent,
    Precedence,
    Records,
    TagConflict,
)
from .provenance import agreed, assumed, derive, documented, oracle
from .standards import KOSTER1996, ORIGINAL1994, RFC9309

_CPP = "google/robotstxt, robots.cc"
_GDOC = "developers.google.com/crawling: How Google interprets the robots.txt specification"
_GMETA = "developers.google.com/search: Robots meta tag, data-nosnippet, and X-Robots-Tag"

# Google's parser cuts a value at its first digit (run): no line names this crawler of another one.
_GOOGLE_READS = add_agents(
    crawlers_of("google"),
    Agent("360Spider", "google", ("*",), _CPP, Certainty.ORACLE),
)

GOOGLE = derive(
    "google",
    RFC9309,
    **agreed(
        RFC9309,
        Certainty.ORACLE,
        _CPP,
        *("blank_line", "extension_ends_agents", "orphan_rules", "agent_value", "agent_match"),
        *("own_records", "star_records", "allow_keys", "allow_lines", "wildcards", "no_slash"),
        *("precedence", "length", "tie", "empty_disallow", "empty_allow", "nul_ends_line"),
    ),
    **agreed(RFC9309, Certainty.DOCUMENTED, _GDOC, "size_limit", "beyond_size", "rule_limit"),
    bom=oracle(Bom.SKIPPED_IN_PART, _CPP + ": byte by byte"),
    line_limit=oracle(2083 * 8 - 1, _CPP + ": a line buffer of 2083 * 8 octets, one for its end"),
    agent_keys=oracle(("user-agent", "useragent", "user agent"), _CPP),
    disallow_keys=oracle(
        ("disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"), _CPP
    ),
    sitemap_keys=oracle(("sitemap", "site-map"), _CPP),
    longer_keys=oracle(True, _CPP + ": keys are compared by their start"),
    missing_colon=oracle(True, _CPP + ": white space between exactly two words"),
    # CONFLICT: a page of 2021 sends Googlebot-Image to "*"; README and today's list to Googlebot.
    agents=documented(_GOOGLE_READS, _GDOC + "; google/robotstxt README"),
    # CONFLICT: RFC 9309 figure 6 lets %2A stand for "*"; the code does not (its issue 57).
    percent=oracle(Percent.GOOGLE, _CPP + ": nothing is decoded"),
    index_html=oracle(True, _CPP + ": Allow only"),
    robots_txt_allowed=oracle(False, _CPP + ": the library makes no exception"),
    crawl_delay=documented(CrawlDelay.IGNORED, _GDOC),
    tag_names=documented(("googlebot", "googlebot-news"), _GMETA),
    tag_rules=documented(
        (
            *("all", "noindex", "nofollow", "none", "nosnippet", "indexifembedded", "max-snippet"),
            *("max-image-preview", "max-video-preview", "notranslate", "noimageindex"),
            "unavailable_after",
        ),
        _GMETA + ": noarchive and nocache are no longer used",
    ),
    tag_conflict=documented(TagConflict.RESTRICTIVE, _GMETA),
    access=documented(
        AccessPolicy(
            too_many_requests=AccessResult.UNREACHABLE,
            unreachable=(
                Step(12 * HOUR, AccessMode.DISALLOW, AccessMode.DISALLOW),
                Step(30 * DAY, AccessMode.RULES, AccessMode.ALLOW),
                Step(FOREVER, AccessMode.ALLOW, AccessMode.ALLOW, site_down=AccessMode.DISALLOW),
            ),
            lifetime_bounds=(MINUTE, 30 * DAY),
            schemes=frozenset({"http", "https", "ftp"}),
        ),
        _GDOC,
    ),
)

_YC = "Yandex's robots.txt library (ydb-platform/ydb, library/cpp/robots_txt)"
_YHELP = "Yandex Webmaster help"
_YTAGS = "Yandex Webmaster help: Robots meta tag and X-Robots-Tag HTTP header"

YANDEX = derive(
    "yandex",
    RFC9309,
    **agreed(RFC9309, Certainty.ORACLE, _YC, "bom", "agent_keys", "allow_keys", "disallow_keys"),
    **agreed(RFC9309, Certainty.ORACLE, _YC, "longer_keys", "missing_colon", "orphan_rules"),
    **agreed(RFC9309, Certainty.ORACLE, _YC, "precedence", "tie", "allow_lines", "wildcards"),
    **agreed(RFC9309, Certainty.ORACLE, _YC, "agent_match", "index_html", "line_limit"),
    **agreed(RFC9309, Certainty.ORACLE, _YC + ": C strings", "nul_ends_line"),
    **agreed(RFC9309, Certainty.DOCUMENTED, _YHELP, "sitemap_keys"),
    # The library counts the octets of its rules only; the help page has the file's size.
    **agreed(RFC9309, Certainty.DOCUMENTED, _YHELP + ": 500 KB", "size_limit"),
    beyond_size=documented(Beyond.OPEN, _YHELP),
    double_returns=oracle(True, _YC + ": after a return, only a line feed is skipped"),
    # CONFLICT: the help page says 2048 rules; the code opens the site at 10,000.
    # It also adds up the rules of all crawlers that its caller names, which are not published. Here
    # the rules of one crawler count, which opens no site that the library keeps closed.
    rule_limit=oracle(10_000, _YC),
    # CONFLICT: the help page forbids blank lines in a group; the code only ends a list of crawlers.
    blank_line=oracle(BlankLine.ENDS_AGENTS, _YC),
    extension_ends_agents=oracle(True, _YC),
    agent_value=oracle(AgentValue.WHOLE, _YC),
    agents=oracle(crawlers_of("yandex"), _YC + ": prefixes of the full name"),
    own_records=oracle(Records.HEAVIEST, _YC),
    star_records=oracle(Records.HEAVIEST, _YC),
    no_slash=oracle(NoSlash.IGNORED, _YC),
    # CONFLICT: the library compares octets as they are; what its caller does is not published.
    percent=assumed(Percent.GOOGLE, "as google"),
    length=oracle(Length.WITHOUT_WILDCARDS, _YC),
    empty_disallow=oracle(EmptyRule.ALLOWS_ROOT, _YC),
    empty_allow=oracle(EmptyRule.IGNORED, _YC),
    crawl_delay=documented(CrawlDelay.IGNORED, _YHELP + ": since 2018"),
    tag_names=documented(("yandex",), _YTAGS),
    tag_rules=documented(
        ("all", "index", "follow", "archive", "noindex", "nofollow", "none", "noarchive"), _YTAGS
    ),
    tag_conflict=documented(TagConflict.PERMISSIVE, _YTAGS + ": grants in meta tags only"),
    access=documented(
        AccessPolicy(
            successful=range(200, 201),
            text_only=True,
            html_page=AccessResult.UNAVAILABLE,
            too_many_requests=AccessResult.UNAVAILABLE,
            other_status=AccessResult.UNAVAILABLE,
            unreachable=(Step(FOREVER, AccessMode.ALLOW, AccessMode.ALLOW),),
        ),
        _YHELP,
    ),
)

_BTAGS = "Bing Webmaster help: robots meta tags"
_BTAGS_2020 = "Bing Webmaster Blog, April 2020: max-snippet, max-image-preview, max-video-preview"
_BING_2019 = "F. Dubut (Bing), 2019"
_AS_ENGINES = AccessPolicy(too_many_requests=AccessResult.UNREACHABLE)

BING = derive(
    "bing",
    RFC9309,
    **agreed(RFC9309, Certainty.DOCUMENTED, "Google's page names Bing", "wildcards"),
    **agreed(
        RFC9309, Certainty.DOCUMENTED, "Wikipedia, citing Bing: the most specific", "precedence"
    ),
    agents=documented(crawlers_of("bing"), "Bing Webmaster Blog 2010"),
    # CONFLICT: google joins such groups (issue 51); Bing reads Crawl-delay as a line of the group.
    extension_ends_agents=assumed(True, "Crawl-delay is a line of the group in Bing"),
    no_slash=assumed(NoSlash.IGNORED, "every pattern starts with /"),
    percent=assumed(Percent.GOOGLE, "as google"),
    crawl_delay=documented(CrawlDelay.OWN_OR_ALL, _BING_2019),
    tag_names=documented(("bingbot", "msnbot"), _BTAGS),
    tag_rules=documented(
        (
            *("index", "follow", "noindex", "nofollow", "noarchive", "nocache", "noodp"),
            *("nosnippet", "max-snippet", "max-image-preview", "max-video-preview"),
        ),
        f"{_BTAGS}; {_BTAGS_2020}",
    ),
    access=assumed(
        replace(_AS_ENGINES, lifetime=6 * HOUR), "some hours (Bing, 2012); else RFC 9309"
    ),
)

_BD = "Baidu robots.txt help"

BAIDU = derive(
    "baidu",
    RFC9309,
    **agreed(RFC9309, Certainty.DOCUMENTED, _BD, "wildcards", "allow_lines"),
    blank_line=documented(BlankLine.ENDS_RECORD, _BD),
    agents=documented(crawlers_of("baidu"), _BD),
    no_slash=documented(NoSlash.ANYWHERE, _BD + ": .jpg$"),
    percent=assumed(Percent.GOOGLE, "as google"),
    # CONFLICT: a webmaster's test of Baidu's tool (2014) found Allow winning; its text says order.
    precedence=documented(Precedence.FIRST, _BD),
    empty_disallow=documented(EmptyRule.ALLOWS, _BD),
    empty_allow=assumed(EmptyRule.IGNORED, "no source"),
    tag_names=documented(("baiduspider",), _BD),
    tag_rules=documented(
        ("all", "index", "follow", "noindex", "nofollow", "none", "noarchive"), _BD
    ),
    access=assumed(_AS_ENGINES, "no source: as google, without its ladder"),
)

_YH = "help.yahoo.com, Slurp pages (2007-2010)"

YAHOO = derive(
    "yahoo",
    RFC9309,
    **agreed(RFC9309, Certainty.DOCUMENTED, _YH, "wildcards", "allow_lines"),
    blank_line=documented(BlankLine.ENDS_RECORD, _YH + ": the 1996 standard"),
    extension_ends_agents=assumed(True, "the 1996 standard"),
    agent_value=documented(AgentValue.WHOLE, _YH),
    agent_match=documented(AgentMatch.HAS_NAME, _YH),
    agents=documented(crawlers_of("yahoo"), _YH),
    own_records=documented(Records.FIRST, _YH),
    star_records=documented(Records.FIRST, _YH),
    no_slash=assumed(NoSlash.IGNORED, "no source"),
    percent=assumed(Percent.GOOGLE, "as google"),
    precedence=documented(Precedence.FIRST, _YH + ": the 1996 standard"),
    empty_allow=assumed(EmptyRule.IGNORED, "no source"),
    crawl_delay=documented(CrawlDelay.OWN, _YH),
    access=documented(
        AccessPolicy(
            too_many_requests=AccessResult.UNAVAILABLE,
            unreachable=(Step(FOREVER, AccessMode.ALLOW, AccessMode.ALLOW),),
        ),
        _YH,
    ),
)

_AP = "support.apple.com: About Applebot"

APPLE = derive(
    "apple",
    GOOGLE,
    agent_keys=assumed(RFC9309.agent_keys, "no word of typos"),
    disallow_keys=assumed(RFC9309.disallow_keys, "no word of typos"),
    longer_keys=assumed(False, "no word of typos"),
    missing_colon=assumed(False, "no word of typos"),
    index_html=assumed(False, "no source"),
    robots_txt_allowed=assumed(True, "RFC 9309 §2.2.2"),
    # CONFLICT: Apple's prose has Applebot skip what "*" forbids too; here its own group counts.
    agents=documented(crawlers_of("apple"), _AP),
    crawl_delay=documented(CrawlDelay.IGNORED, _AP + ": does not follow crawl-delay"),
    tag_names=documented((), _AP),
    tag_rules=documented(("all", "noindex", "nofollow", "none", "nosnippet"), _AP),
    access=assumed(_AS_ENGINES, "no source: RFC 9309, 429 as google"),
)

_TAGS_AS_RFC9309 = agreed(
    RFC9309,
    Certainty.ASSUMED,
    "no source: as rfc9309",
    *("tag_names", "tag_rules", "tag_conflict"),
)

SOGOU = derive(
    "sogou",
    KOSTER1996,
    agents=documented(crawlers_of("sogou"), "Sogou webmaster help"),
    agent_match=documented(AgentMatch.EQUAL, "Sogou webmaster help: names with spaces"),
    crawl_delay=assumed(CrawlDelay.IGNORED, "one connection an address, every few seconds"),
)

QIHOO = derive(
    "360",
    APPLE,
    **_TAGS_AS_RFC9309,
    agents=documented(crawlers_of("360"), "360 search webmaster help"),
    agent_value=documented(AgentValue.WHOLE, "360 search webmaster help: names with digits"),
    agent_match=documented(AgentMatch.PATTERN, "360 search webmaster help"),
    **agreed(APPLE, Certainty.DOCUMENTED, "360 search webmaster help", "wildcards"),
)

_AMZ = "developer.amazon.com/amazonbot"

AMAZON = derive(
    "amazon",
    RFC9309,
    **agreed(
        RFC9309,
        Certainty.DOCUMENTED,
        _AMZ + ": the Robots Exclusion Protocol; until April 2026 it named RFC 9309",
        *("agent_keys", "allow_keys", "disallow_keys", "allow_lines", "blank_line", "wildcards"),
        *("agent_value", "agent_match", "own_records", "star_records", "orphan_rules", "no_slash"),
        *("extension_ends_agents", "percent", "precedence", "length", "tie", "empty_disallow"),
        *("longer_keys", "missing_colon", "robots_txt_allowed", "sitemap_keys", "size_limit"),
    ),
    # CONFLICT: Amazon's prose has Amazonbot skip what "*" forbids too; here its own group counts.
    agents=documented(crawlers_of("amazon"), _AMZ),
    crawl_delay=documented(CrawlDelay.IGNORED, _AMZ + ": does not support crawl-delay"),
    **agreed(
        RFC9309,
        Certainty.ASSUMED,
        _AMZ + ": noarchive, noindex and none; the others as rfc9309",
        "tag_rules",
    ),
    # CONFLICT: until April 2026 the page counted every 3xx and 4xx as a failure, for which the copy
    # is used. RFC 9309 has redirects followed; here a 4xx withdraws the copy, as elsewhere.
    access=documented(
        AccessPolicy(
            too_many_requests=AccessResult.UNREACHABLE,
            unreachable=(
                Step(30 * DAY, AccessMode.RULES, AccessMode.ALLOW),
                Step(FOREVER, AccessMode.ALLOW, AccessMode.ALLOW),
            ),
        ),
        _AMZ + ": a copy of the last 30 days, else as if there were no file; changes in 24 hours",
    ),
)

DIALECTS: Mapping[str, Dialect] = MappingProxyType(
    {
        dialect.name: dialect
        for dialect in (
            *(RFC9309, GOOGLE, BING, YANDEX, BAIDU, KOSTER1996, ORIGINAL1994, YAHOO),
            *(APPLE, SOGOU, QIHOO, AMAZON),
        )
    }
)


def dialect_of(dialect: str | Dialect) -> Dialect:
    """The dialect of that name; a `Dialect` is returned as it is. ValueError names the choices."""
    if isinstance(dialect, Dialect):
        return dialect
    if isinstance(dialect, str) and dialect in DIALECTS:
        return DIALECTS[dialect]
    raise ValueError(f"unknown dialect {quoted(dialect)}; the dialects are {', '.join(DIALECTS)}")


def differences(a: str | Dialect, b: str | Dialect) -> dict[str, tuple[Any, Any]]:
    """The options in which two dialects differ: {option: (value of a, value of b)}.

    ValueError if there is no dialect of that name.
    """
    a, b = dialect_of(a), dialect_of(b)
    pairs = {option: (getattr(a, option), getattr(b, option)) for option in options()}
    return {option: pair for option, pair in pairs.items() if pair[0] != pair[1]}
