"""THE table: a dialect is its differences from rfc9309.

Knows: the value of every knob in every dialect, where it comes from and how sure we are.
Must not know: any behaviour. Whoever acts on a knob is another module; nobody acts on a name.

A comment that begins with CONFLICT marks a knob on which sources disagree, and the decision taken.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from . import agents
from .access import DAY, FOREVER, HOUR, MINUTE, AccessPolicy, Result, Stance, Step
from .dialect import NO_LIMIT, Dialect, Source, knobs
from .knobs import (
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
    OrphanRules,
    Percent,
    Precedence,
    Records,
    TagConflict,
)


@dataclass(frozen=True, slots=True)
class _Knob:
    value: Any
    certainty: Certainty
    source: str


def _oracle(value: Any, source: str) -> _Knob:
    return _Knob(value, Certainty.ORACLE, source)


def _documented(value: Any, source: str) -> _Knob:
    return _Knob(value, Certainty.DOCUMENTED, source)


def _assumed(value: Any, source: str) -> _Knob:
    return _Knob(value, Certainty.ASSUMED, source)


def _as(base: Dialect, certainty: Certainty, source: str, *names: str) -> dict[str, _Knob]:
    """Knobs in which a dialect is known to agree with the one it is made from."""
    return {name: _Knob(getattr(base, name), certainty, source) for name in names}


def _dialect(name: str, base: Dialect, **known: _Knob) -> Dialect:
    """A dialect from the one it resembles and what is known of it.

    A knob that nothing is known of is the base's, and no more than assumed.
    """
    inherited = {knob: Source(Certainty.ASSUMED, f"no source: as {base.name}") for knob in knobs()}
    sources = {knob: Source(given.certainty, given.source) for knob, given in known.items()}
    made = base.but(name, **{knob: given.value for knob, given in known.items()})
    return replace(made, sources=MappingProxyType(inherited | sources))


_RFC_SAYS = {
    "bom": "RFC 9309 §2.3: UTF-8; silent on a mark, skipping it is what parsers do",
    "size_limit": "RFC 9309 §2.5: at least 500 KiB",
    "beyond_size": "RFC 9309 §2.5: a limit may be set",
    "agent_keys": "RFC 9309 §2.2",
    "allow_keys": "RFC 9309 §2.2",
    "disallow_keys": "RFC 9309 §2.2",
    "longer_keys": "RFC 9309 §2.2: leniency is for other records only",
    "missing_colon": "RFC 9309 §2.2",
    "blank_line": "RFC 9309 §2.2: emptyline inside a group",
    "extension_ends_agents": "RFC 9309 §2.2.4: other records must not interfere",
    "orphan_rules": "RFC 9309 §2.2.2",
    "agent_value": "RFC 9309 §2.2.1",
    "agent_match": "RFC 9309 §2.2.1",
    "own_records": "RFC 9309 §2.2.1",
    "agents": "RFC 9309 §2.2.1: own token, then *",
    "allow_lines": "RFC 9309 §2.2.2",
    "wildcards": "RFC 9309 §2.2.3",
    "no_slash": "RFC 9309 §2.2: a path pattern starts with /; §5.1 starts one with *",
    "percent": "RFC 9309 §2.2.2 and figures 4 and 6",
    "precedence": "RFC 9309 §2.2.2",
    "length": "RFC 9309 §2.2.2: most octets",
    "tie": "RFC 9309 §2.2.2",
    "empty_disallow": "RFC 9309 §2.2: empty-pattern",
    "robots_txt_allowed": "RFC 9309 §2.2.2",
    "sitemap_keys": "RFC 9309 §2.2.4",
    "access": "RFC 9309 §2.3.1 and §2.4",
}
_RFC_LEAVES_OPEN = {
    "tag_names": "RFC 9309 is silent; draft-illyes-repext-00: robots, and the product token",
    "tag_rules": "RFC 9309 is silent: all that an engine documents, so that no owner goes unheard",
    "tag_conflict": "RFC 9309 is silent; draft-illyes-repext-00: the sum of the negatives",
}

_plain = Dialect("rfc9309")
RFC9309 = replace(
    _plain,
    sources=MappingProxyType(
        {
            knob: Source(Certainty.DOCUMENTED, _RFC_SAYS[knob])
            if knob in _RFC_SAYS
            else Source(Certainty.ASSUMED, _RFC_LEAVES_OPEN.get(knob, "RFC 9309 is silent"))
            for knob in knobs()
        }
    ),
)

_CPP = "google/robotstxt, robots.cc"
_GDOC = "developers.google.com/crawling: How Google interprets the robots.txt specification"
_GMETA = "developers.google.com/search: Robots meta tag, data-nosnippet, and X-Robots-Tag"

GOOGLE = _dialect(
    "google",
    RFC9309,
    **_as(
        RFC9309,
        Certainty.ORACLE,
        _CPP,
        *("blank_line", "extension_ends_agents", "orphan_rules", "agent_value", "agent_match"),
        *("own_records", "star_records", "allow_keys", "allow_lines", "wildcards", "no_slash"),
        *("precedence", "length", "tie", "empty_disallow", "empty_allow", "nul_ends_line"),
    ),
    **_as(RFC9309, Certainty.DOCUMENTED, _GDOC, "size_limit", "beyond_size", "rule_limit"),
    bom=_oracle(Bom.SKIPPED_IN_PART, _CPP + ": byte by byte"),
    line_limit=_oracle(2083 * 8 - 1, _CPP + ": a line buffer of 2083 * 8 octets, one for its end"),
    agent_keys=_oracle(("user-agent", "useragent", "user agent"), _CPP),
    disallow_keys=_oracle(
        ("disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"), _CPP
    ),
    sitemap_keys=_oracle(("sitemap", "site-map"), _CPP),
    longer_keys=_oracle(True, _CPP + ": keys are compared by their start"),
    missing_colon=_oracle(True, _CPP + ": white space between exactly two words"),
    # CONFLICT: a page of 2021 sends Googlebot-Image to "*"; README and today's list to Googlebot.
    agents=_documented(agents.GOOGLE, _GDOC + "; google/robotstxt README"),
    # CONFLICT: RFC 9309 figure 6 lets %2A stand for "*"; the code does not (its issue 57).
    percent=_oracle(Percent.GOOGLE, _CPP + ": nothing is decoded"),
    index_html=_oracle(True, _CPP + ": Allow only"),
    robots_txt_allowed=_oracle(False, _CPP + ": the library makes no exception"),
    crawl_delay=_documented(CrawlDelay.IGNORED, _GDOC),
    request_rate=_oracle(False, _CPP + ": known but not used"),
    visit_time=_oracle(False, _CPP + ": known but not used"),
    tag_names=_documented(("googlebot", "googlebot-news"), _GMETA),
    tag_rules=_documented(
        (
            *("all", "noindex", "nofollow", "none", "nosnippet", "indexifembedded", "max-snippet"),
            *("max-image-preview", "max-video-preview", "notranslate", "noimageindex"),
            "unavailable_after",
        ),
        _GMETA + ": noarchive and nocache are no longer used",
    ),
    tag_conflict=_documented(TagConflict.RESTRICTIVE, _GMETA),
    access=_documented(
        AccessPolicy(
            too_many_requests=Result.UNREACHABLE,
            unreachable=(
                Step(12 * HOUR, Stance.DISALLOW, Stance.DISALLOW),
                Step(30 * DAY, Stance.RULES, Stance.ALLOW),
                Step(FOREVER, Stance.ALLOW, Stance.ALLOW, site_down=Stance.DISALLOW),
            ),
            lifetime_bounds=(MINUTE, 30 * DAY),
            schemes=frozenset({"http", "https", "ftp"}),
        ),
        _GDOC,
    ),
)

_K96 = "draft-koster-robots-00 (1996)"
_BOOK = "HTTP: The Definitive Guide, chapter 9"

KOSTER1996 = _dialect(
    "koster1996",
    RFC9309,
    **_as(RFC9309, Certainty.DOCUMENTED, _K96, "allow_lines", "robots_txt_allowed", "tie"),
    blank_line=_documented(BlankLine.ENDS_RECORD, _K96 + " 3.2; " + _BOOK),
    extension_ends_agents=_documented(True, _K96 + ": an extension is a rule line"),
    agent_value=_documented(AgentValue.WHOLE, _K96 + " 3.2.1"),
    # CONFLICT: the draft's value contains the token, the book's is contained in the name: either.
    agent_match=_documented(AgentMatch.EITHER, _K96 + " 3.2.1; " + _BOOK),
    agents=_documented(agents.table(), _K96 + " 3.2.1"),
    own_records=_documented(Records.FIRST, _K96 + " 3.2.1"),
    star_records=_documented(Records.FIRST, _K96 + " 3.2.1"),
    wildcards=_documented(False, _BOOK),
    percent=_documented(Percent.KOSTER, _K96 + " 3.2.2; " + _BOOK),
    precedence=_documented(Precedence.FIRST, _K96 + " 3.2.2"),
    # CONFLICT: the book's prose has an empty Disallow lock out; the draft's matrix allows all.
    empty_disallow=_documented(EmptyRule.ALLOWS, _K96 + " 4, matrix"),
    empty_allow=_assumed(EmptyRule.IGNORED, "not in the draft's grammar"),
    access=_documented(
        AccessPolicy(
            redirects=10,
            forbidden=Stance.DISALLOW,
            too_many_requests=Result.UNREACHABLE,
            unreachable=(Step(FOREVER, Stance.DEFER, Stance.DEFER),),
            lifetime=7 * DAY,
            lifetime_bounds=(MINUTE, 7 * DAY),
        ),
        _K96 + " 3.1, 3.4; " + _BOOK,
    ),
)

_WRR = "WWW::RobotRules 6.02 (Perl)"

ORIGINAL1994 = _dialect(
    "original1994",
    RFC9309,
    **_as(RFC9309, Certainty.ORACLE, _WRR, "agent_keys", "disallow_keys", "longer_keys"),
    **_as(RFC9309, Certainty.ORACLE, _WRR, "missing_colon", "extension_ends_agents"),
    bom=_oracle(Bom.KEPT, _WRR),
    size_limit=_oracle(NO_LIMIT, _WRR),
    nul_ends_line=_oracle(False, _WRR),
    blank_line=_oracle(BlankLine.ENDS_RECORD, _WRR),
    orphan_rules=_oracle(OrphanRules.FOR_ALL, _WRR),
    agent_value=_oracle(AgentValue.WHOLE, _WRR),
    agent_match=_oracle(AgentMatch.IN_NAME, _WRR),
    agents=_oracle(agents.table(), _WRR),
    own_records=_oracle(Records.FIRST, _WRR),
    star_records=_oracle(Records.ALL, _WRR),
    allow_lines=_oracle(False, _WRR),
    wildcards=_oracle(False, _WRR),
    no_slash=_oracle(NoSlash.RESOLVED, _WRR),
    percent=_oracle(Percent.URI, _WRR + ", URI"),
    precedence=_oracle(Precedence.FIRST, _WRR),
    empty_disallow=_oracle(EmptyRule.ALLOWS, _WRR),
    empty_allow=_oracle(EmptyRule.IGNORED, _WRR + ": no Allow lines"),
    robots_txt_allowed=_oracle(False, _WRR),
    crawl_delay=_oracle(CrawlDelay.IGNORED, _WRR),
    access=_oracle(
        AccessPolicy(
            text_only=True,
            redirects=7,
            too_many_requests=Result.UNAVAILABLE,
            other_status=Result.UNAVAILABLE,
            unreachable=(Step(FOREVER, Stance.ALLOW, Stance.ALLOW),),
            lifetime=365 * DAY,
            lifetime_bounds=(0.0, 365 * DAY),
        ),
        "LWP::RobotUA (Perl)",
    ),
)

_YC = agents.YANDEX_LIBRARY
_YHELP = "Yandex Webmaster help"
_YTAGS = "Yandex Webmaster help: Robots meta tag and X-Robots-Tag HTTP header"

YANDEX = _dialect(
    "yandex",
    RFC9309,
    **_as(RFC9309, Certainty.ORACLE, _YC, "bom", "agent_keys", "allow_keys", "disallow_keys"),
    **_as(RFC9309, Certainty.ORACLE, _YC, "longer_keys", "missing_colon", "orphan_rules"),
    **_as(RFC9309, Certainty.ORACLE, _YC, "precedence", "tie", "allow_lines", "wildcards"),
    **_as(RFC9309, Certainty.ORACLE, _YC, "size_limit", "agent_match"),
    **_as(RFC9309, Certainty.DOCUMENTED, _YHELP, "sitemap_keys"),
    beyond_size=_oracle(Beyond.OPEN, _YC),
    # CONFLICT: the help page says 2048 rules; the code opens the site at 10,000.
    rule_limit=_oracle(10_000, _YC),
    # CONFLICT: the help page forbids blank lines in a group; the code only ends a list of agents.
    blank_line=_oracle(BlankLine.ENDS_AGENTS, _YC),
    extension_ends_agents=_oracle(True, _YC),
    agent_value=_oracle(AgentValue.WHOLE, _YC),
    agents=_oracle(agents.YANDEX, _YC + ": prefixes of the full name"),
    own_records=_oracle(Records.HEAVIEST, _YC),
    star_records=_oracle(Records.HEAVIEST, _YC),
    no_slash=_oracle(NoSlash.IGNORED, _YC),
    # CONFLICT: the library compares octets as they are; what its caller does is not published.
    percent=_assumed(Percent.GOOGLE, "as google"),
    length=_oracle(Length.WITHOUT_WILDCARDS, _YC),
    empty_disallow=_oracle(EmptyRule.ALLOWS_ROOT, _YC),
    empty_allow=_oracle(EmptyRule.IGNORED, _YC),
    crawl_delay=_documented(CrawlDelay.IGNORED, _YHELP + ": since 2018"),
    tag_names=_documented(("yandex",), _YTAGS),
    tag_rules=_documented(
        ("all", "index", "follow", "archive", "noindex", "nofollow", "none", "noarchive"), _YTAGS
    ),
    tag_conflict=_documented(TagConflict.PERMISSIVE, _YTAGS + ": grants in meta tags only"),
    access=_documented(
        AccessPolicy(
            successful=range(200, 201),
            text_only=True,
            too_many_requests=Result.UNAVAILABLE,
            other_status=Result.UNAVAILABLE,
            unreachable=(Step(FOREVER, Stance.ALLOW, Stance.ALLOW),),
        ),
        _YHELP,
    ),
)

_BTAGS = "Bing Webmaster help: robots meta tags"
_BING_2019 = "F. Dubut (Bing), 2019"
_AS_ENGINES = AccessPolicy(too_many_requests=Result.UNREACHABLE)

BING = _dialect(
    "bing",
    RFC9309,
    **_as(RFC9309, Certainty.DOCUMENTED, "Google's page names Bing", "wildcards"),
    **_as(RFC9309, Certainty.DOCUMENTED, "Wikipedia, citing Bing: the most specific", "precedence"),
    agents=_documented(agents.BING, "Bing Webmaster Blog 2010"),
    # CONFLICT: google joins such groups (issue 51); Bing reads Crawl-delay as a line of the group.
    extension_ends_agents=_assumed(True, "Crawl-delay is a line of the group in Bing"),
    no_slash=_assumed(NoSlash.IGNORED, "every pattern starts with /"),
    percent=_assumed(Percent.GOOGLE, "as google"),
    crawl_delay=_documented(CrawlDelay.OWN_OR_ALL, _BING_2019),
    tag_names=_documented(("bingbot", "msnbot"), _BTAGS),
    tag_rules=_documented(
        ("index", "follow", "noindex", "nofollow", "noarchive", "nocache", "noodp", "nosnippet"),
        _BTAGS,
    ),
    access=_assumed(
        replace(_AS_ENGINES, lifetime=6 * HOUR), "some hours (Bing, 2012); else RFC 9309"
    ),
)

_BD = "Baidu robots.txt help"

BAIDU = _dialect(
    "baidu",
    RFC9309,
    **_as(RFC9309, Certainty.DOCUMENTED, _BD, "wildcards", "allow_lines"),
    blank_line=_documented(BlankLine.ENDS_RECORD, _BD),
    agents=_documented(agents.BAIDU, _BD),
    no_slash=_documented(NoSlash.ANYWHERE, _BD + ": .jpg$"),
    percent=_assumed(Percent.GOOGLE, "as google"),
    # CONFLICT: a webmaster's test of Baidu's tool (2014) found Allow winning; its text says order.
    precedence=_documented(Precedence.FIRST, _BD),
    empty_disallow=_documented(EmptyRule.ALLOWS, _BD),
    empty_allow=_assumed(EmptyRule.IGNORED, "no source"),
    tag_names=_documented(("baiduspider",), _BD),
    tag_rules=_documented(
        ("all", "index", "follow", "noindex", "nofollow", "none", "noarchive"), _BD
    ),
    access=_assumed(_AS_ENGINES, "no source: as google, without its ladder"),
)

_YH = "help.yahoo.com, Slurp pages (2007-2010)"

YAHOO = _dialect(
    "yahoo",
    RFC9309,
    **_as(RFC9309, Certainty.DOCUMENTED, _YH, "wildcards", "allow_lines"),
    blank_line=_documented(BlankLine.ENDS_RECORD, _YH + ": the 1996 standard"),
    extension_ends_agents=_assumed(True, "the 1996 standard"),
    agent_value=_documented(AgentValue.WHOLE, _YH),
    agent_match=_documented(AgentMatch.HAS_NAME, _YH),
    agents=_documented(agents.YAHOO, _YH),
    own_records=_documented(Records.FIRST, _YH),
    star_records=_documented(Records.FIRST, _YH),
    no_slash=_assumed(NoSlash.IGNORED, "no source"),
    percent=_assumed(Percent.GOOGLE, "as google"),
    precedence=_documented(Precedence.FIRST, _YH + ": the 1996 standard"),
    empty_allow=_assumed(EmptyRule.IGNORED, "no source"),
    crawl_delay=_documented(CrawlDelay.OWN, _YH),
    access=_documented(
        AccessPolicy(
            too_many_requests=Result.UNAVAILABLE,
            unreachable=(Step(FOREVER, Stance.ALLOW, Stance.ALLOW),),
        ),
        _YH,
    ),
)

_AP = "support.apple.com: About Applebot"

APPLE = _dialect(
    "apple",
    GOOGLE,
    agent_keys=_assumed(RFC9309.agent_keys, "no word of typos"),
    disallow_keys=_assumed(RFC9309.disallow_keys, "no word of typos"),
    longer_keys=_assumed(False, "no word of typos"),
    missing_colon=_assumed(False, "no word of typos"),
    index_html=_assumed(False, "no source"),
    robots_txt_allowed=_assumed(True, "RFC 9309 §2.2.2"),
    # CONFLICT: Apple's prose has Applebot skip what "*" forbids too; here its own group counts.
    agents=_documented(agents.APPLE, _AP),
    crawl_delay=_assumed(CrawlDelay.OWN, "no source"),
    tag_names=_documented((), _AP),
    tag_rules=_documented(("all", "noindex", "nofollow", "none", "nosnippet"), _AP),
    access=_assumed(_AS_ENGINES, "no source: RFC 9309, 429 as google"),
)

_DDG = "DuckDuckGo help pages: respects WWW::RobotRules"

# CONFLICT: by the letter, that means no Allow and no wildcards; rfc9309 is the careful choice.
DUCKDUCKGO = _dialect(
    "duckduckgo",
    ORIGINAL1994,
    **_as(ORIGINAL1994, Certainty.DOCUMENTED, _DDG, "blank_line", "agent_match", "allow_lines"),
    **_as(ORIGINAL1994, Certainty.DOCUMENTED, _DDG, "wildcards", "precedence", "no_slash"),
    agents=_documented(agents.DUCKDUCKGO, _DDG),
)

_NO_TAGS = "no source: as rfc9309"

SEZNAM = _dialect(
    "seznam",
    APPLE,
    **_as(RFC9309, Certainty.ASSUMED, _NO_TAGS, "tag_names", "tag_rules", "tag_conflict"),
    agents=_documented(agents.SEZNAM, "Seznam crawling-control help"),
    crawl_delay=_assumed(CrawlDelay.IGNORED, "Request-rate is what Seznam documents"),
    request_rate=_documented(True, "Seznam crawling-control help"),
    visit_time=_documented(True, "Seznam crawling-control help: time of day in Request-rate"),
)

NAVER = _dialect(
    "naver",
    APPLE,
    **_as(RFC9309, Certainty.ASSUMED, _NO_TAGS, "tag_names", "tag_rules", "tag_conflict"),
    agents=_documented(agents.NAVER, "Naver webmaster help"),
    crawl_delay=_documented(CrawlDelay.OWN, "Naver webmaster help"),
)

SOGOU = _dialect(
    "sogou",
    KOSTER1996,
    agents=_documented(agents.SOGOU, "Sogou webmaster help"),
    agent_match=_documented(AgentMatch.EQUAL, "Sogou webmaster help: names with spaces"),
    crawl_delay=_assumed(CrawlDelay.IGNORED, "one connection an address, every few seconds"),
)

QIHOO = _dialect(
    "360",
    APPLE,
    **_as(RFC9309, Certainty.ASSUMED, _NO_TAGS, "tag_names", "tag_rules", "tag_conflict"),
    agents=_documented(agents.QIHOO, "360 search webmaster help"),
    agent_value=_documented(AgentValue.WHOLE, "360 search webmaster help: names with digits"),
    agent_match=_documented(AgentMatch.PATTERN, "360 search webmaster help"),
    **_as(APPLE, Certainty.DOCUMENTED, "360 search webmaster help", "wildcards"),
)

DIALECTS: Mapping[str, Dialect] = MappingProxyType(
    {
        dialect.name: dialect
        for dialect in (
            *(RFC9309, GOOGLE, BING, YANDEX, BAIDU, KOSTER1996, ORIGINAL1994, YAHOO),
            *(APPLE, DUCKDUCKGO, SEZNAM, NAVER, SOGOU, QIHOO),
        )
    }
)


def dialect_of(dialect: str | Dialect) -> Dialect:
    """A dialect by name; a `Dialect` is given back. ValueError names the choices."""
    if isinstance(dialect, Dialect):
        return dialect
    if dialect in DIALECTS:
        return DIALECTS[dialect]
    raise ValueError(f"unknown dialect {dialect!r}; the dialects are {', '.join(DIALECTS)}")


def differences(a: str | Dialect, b: str | Dialect) -> dict[str, tuple[Any, Any]]:
    """The knobs in which two dialects differ, with both values."""
    a, b = dialect_of(a), dialect_of(b)
    pairs = {knob: (getattr(a, knob), getattr(b, knob)) for knob in knobs()}
    return {knob: pair for knob, pair in pairs.items() if pair[0] != pair[1]}
