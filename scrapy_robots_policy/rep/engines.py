"""The table of dialects: what each standard and each engine does otherwise than RFC 9309.

A dialect is its differences, each with the source that says so; what its sources do not say is as
in RFC 9309. No other module may ask for a dialect's name: they act on options.

A comment that begins with CONFLICT marks an option on which sources disagree, and says which one is
followed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Any, NamedTuple

from .access import DAY, FOREVER, HOUR, MINUTE, AccessMode, AccessPolicy, AccessResult, Step
from .agents import Agent, Certainty, add_agents, agent_table, crawlers_of
from .dialect import (
    NO_LIMIT,
    AgentMatch,
    AgentValue,
    Beyond,
    BlankLine,
    CrawlDelay,
    Dialect,
    EmptyRule,
    Keys,
    Length,
    NoSlash,
    OrphanRules,
    Precedence,
    SeveralGroups,
    Source,
    TagConflict,
    Text,
    options,
)
from .escapes import quoted
from .url import Percent

_ALLOW, _DISALLOW, _DEFER, _RULES = (
    AccessMode.ALLOW,
    AccessMode.DISALLOW,
    AccessMode.DEFER,
    AccessMode.RULES,
)
_UNAVAILABLE, _UNREACHABLE = AccessResult.UNAVAILABLE, AccessResult.UNREACHABLE
_ALWAYS_OPEN = (Step(FOREVER, _ALLOW, _ALLOW),)


class _Sourced(NamedTuple):
    """The value of an option, with its source."""

    value: Any
    source: Source


def _oracle(value: Any, source: str) -> _Sourced:
    return _Sourced(value, Source(Certainty.ORACLE, source))


def _documented(value: Any, source: str) -> _Sourced:
    return _Sourced(value, Source(Certainty.DOCUMENTED, source))


def _engine(name: str, **differences: _Sourced) -> Dialect:
    """RFC 9309's dialect, but for some options. `agents` has to be among them."""
    values = {option: given.value for option, given in differences.items()}
    sources = {option: given.source for option, given in differences.items()}
    return replace(RFC9309, name=name, **values, sources=MappingProxyType(sources))


RFC9309 = Dialect(
    "rfc9309",
    sources=MappingProxyType(
        {
            option.name: Source(Certainty.DOCUMENTED, f"RFC 9309 {option.metadata['clause']}")
            for option in fields(Dialect)
            if option.metadata.get("clause")
        }
    ),
)

_CPP = "google/robotstxt, robots.cc"
_GDOC = "developers.google.com/crawling: How Google interprets the robots.txt specification"
_GMETA = "developers.google.com/search: Robots meta tag, data-nosnippet, and X-Robots-Tag"

# Google's parser cuts a value at its first digit (run): no line names this crawler of another one.
_GOOGLE_READS = add_agents(
    crawlers_of("google"),
    Agent("360Spider", "google", ("*",), _CPP, Certainty.ORACLE),
)

GOOGLE = _engine(
    "google",
    text=_oracle(Text.GOOGLE, _CPP),
    keys=_oracle(Keys.LENIENT, _CPP + ": kAllowFrequentTypos; keys are compared by their start"),
    # CONFLICT: a page of 2021 sends Googlebot-Image to "*"; README and today's list to Googlebot.
    agent_value=_oracle(
        AgentValue.TOKEN, _CPP + ": but MJ12bot and other names with digits bind here, not there"
    ),
    agents=_documented(_GOOGLE_READS, _GDOC + "; google/robotstxt README"),
    # CONFLICT: RFC 9309 figure 6 lets %2A stand for "*"; the code does not (its issue 57).
    percent=_oracle(Percent.GOOGLE, _CPP + ": nothing is decoded"),
    index_html=_oracle(True, _CPP + ": Allow only"),
    robots_txt_allowed=_oracle(False, _CPP + ": the library makes no exception"),
    crawl_delay=_documented(CrawlDelay.IGNORED, _GDOC),
    tag_names=_documented(("googlebot", "googlebot-news"), _GMETA),
    tags_by_name=_documented(
        (
            "adsbot-google",
            "adsbot-google-mobile",
            "apis-google",
            "mediapartners-google",
            "googleother",
            "googleother-image",
            "googleother-video",
            "storebot-google",
        ),
        _GMETA + ": robots is for search crawlers, AdsBot-Google's own name for it",
    ),
    tag_rules=_documented(
        (
            "all",
            "noindex",
            "nofollow",
            "none",
            "nosnippet",
            "indexifembedded",
            "max-snippet",
            "max-image-preview",
            "max-video-preview",
            "notranslate",
            "noimageindex",
            "unavailable_after",
        ),
        _GMETA + ": noarchive and nocache are no longer used",
    ),
    access=_documented(
        AccessPolicy(
            too_many_requests=_UNREACHABLE,
            unreachable=(
                Step(12 * HOUR, _DISALLOW, _DISALLOW),
                Step(30 * DAY, _RULES, _ALLOW),
                Step(FOREVER, _ALLOW, _ALLOW, site_down=_DISALLOW),
            ),
            lifetime_bounds=(MINUTE, 30 * DAY),
            schemes=frozenset({"http", "https", "ftp"}),
        ),
        _GDOC,
    ),
)

_BTAGS = "Bing Webmaster help: robots meta tags"
_BTAGS_2020 = "Bing Webmaster Blog, April 2020: max-snippet, max-image-preview, max-video-preview"

BING = _engine(
    "bing",
    agents=_documented(crawlers_of("bing"), "Bing Webmaster Blog 2010"),
    crawl_delay=_documented(CrawlDelay.OWN_OR_ALL, "F. Dubut (Bing), 2019"),
    tag_names=_documented(("bingbot", "msnbot"), _BTAGS),
    tag_rules=_documented(
        (
            "index",
            "follow",
            "noindex",
            "nofollow",
            "noarchive",
            "nocache",
            "noodp",
            "nosnippet",
            "max-snippet",
            "max-image-preview",
            "max-video-preview",
        ),
        f"{_BTAGS}; {_BTAGS_2020}",
    ),
)

_YC = "Yandex's robots.txt library (ydb-platform/ydb, library/cpp/robots_txt)"
_YHELP = "Yandex Webmaster help"
_YTAGS = "Yandex Webmaster help: Robots meta tag and X-Robots-Tag HTTP header"

YANDEX = _engine(
    "yandex",
    text=_oracle(Text.YANDEX, _YC + ": after a return, only a line feed is skipped; C strings"),
    # The library counts the bytes of its rules only; the help page has the file's size.
    beyond_size=_documented(Beyond.OPEN, _YHELP + ": 500 KB"),
    # CONFLICT: the help page says 2048 rules; the code opens the site at 10,000.
    # It also adds up the rules of all crawlers that its caller names, which are not published. Here
    # the rules of one crawler count, which opens no site that the library keeps closed.
    rule_limit=_oracle(10_000, _YC),
    # CONFLICT: the help page forbids blank lines in a group; the code only ends a list of crawlers.
    blank_line=_oracle(BlankLine.ENDS_AGENTS, _YC),
    extension_ends_agents=_oracle(True, _YC),
    several_groups=_oracle(SeveralGroups.HEAVIEST, _YC),
    agent_value=_oracle(AgentValue.WHOLE, _YC),
    agents=_oracle(crawlers_of("yandex"), _YC + ": prefixes of the full name"),
    wildcards=_oracle(True, _YC + ": but it does not go back after *: its /*aab misses /aaab"),
    no_slash=_oracle(NoSlash.IGNORED, _YC),
    percent=_oracle(Percent.GOOGLE, _YC + ": it decodes nothing; its callers are not published"),
    length=_oracle(Length.WITHOUT_WILDCARDS, _YC),
    empty_disallow=_oracle(EmptyRule.ALLOWS_ROOT, _YC),
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
            html_page=_UNAVAILABLE,
            other_status=_UNAVAILABLE,
            unreachable=_ALWAYS_OPEN,
        ),
        _YHELP,
    ),
)

_BD = "Baidu robots.txt help"

BAIDU = _engine(
    "baidu",
    blank_line=_documented(BlankLine.ENDS_GROUP, _BD),
    agents=_documented(crawlers_of("baidu"), _BD),
    no_slash=_documented(NoSlash.ANYWHERE, _BD + ": .jpg$"),
    # CONFLICT: a webmaster's test of Baidu's tool (2014) found Allow winning; its text says order.
    precedence=_documented(Precedence.FIRST, _BD),
    tag_names=_documented(("baiduspider",), _BD),
    tag_rules=_documented(
        ("all", "index", "follow", "noindex", "nofollow", "none", "noarchive"), _BD
    ),
)

_K96 = "draft-koster-robots-00 (1996)"
_BOOK = "HTTP, The Definitive Guide: chapter 9"

KOSTER1996 = _engine(
    "koster1996",
    blank_line=_documented(BlankLine.ENDS_GROUP, _K96 + ": 3.2; " + _BOOK),
    extension_ends_agents=_documented(True, _K96 + ": an extension is a rule line"),
    several_groups=_documented(SeveralGroups.FIRST, _K96 + ": 3.2.1"),
    agent_value=_documented(AgentValue.WHOLE, _K96 + ": 3.2.1"),
    # CONFLICT: the draft's value contains the token, the book's is contained in the name: either.
    agent_match=_documented(AgentMatch.EITHER, _K96 + ": 3.2.1; " + _BOOK),
    agents=_documented(agent_table(), _K96 + ": 3.2.1"),
    wildcards=_documented(False, _BOOK),
    percent=_documented(Percent.KOSTER, _K96 + ": 3.2.2; " + _BOOK),
    precedence=_documented(Precedence.FIRST, _K96 + ": 3.2.2"),
    # CONFLICT: the book's prose has an empty Disallow lock out; the draft's matrix allows all.
    empty_disallow=_documented(EmptyRule.ALLOWS, _K96 + ": 4, matrix"),
    access=_documented(
        AccessPolicy(
            redirects=10,
            forbidden=_DISALLOW,
            too_many_requests=_UNREACHABLE,
            unreachable=(Step(FOREVER, _DEFER, _DEFER),),
            lifetime=7 * DAY,
            lifetime_bounds=(MINUTE, 7 * DAY),
        ),
        _K96 + ": 3.1, 3.4; " + _BOOK,
    ),
)

_WRR = "WWW::RobotRules 6.02 (Perl)"

ORIGINAL1994 = _engine(
    "original1994",
    text=_oracle(Text.PERL, _WRR),
    size_limit=_oracle(NO_LIMIT, _WRR),
    blank_line=_oracle(BlankLine.ENDS_GROUP, _WRR),
    orphan_rules=_oracle(OrphanRules.FOR_ALL, _WRR),
    several_groups=_oracle(SeveralGroups.FIRST_NAMED, _WRR),
    agent_value=_oracle(AgentValue.WHOLE, _WRR),
    agent_match=_oracle(AgentMatch.IN_NAME, _WRR),
    agents=_oracle(agent_table(), _WRR),
    allow_lines=_oracle(False, _WRR),
    wildcards=_oracle(False, _WRR),
    # Perl's URI also resolves "..", "//host" and "<URL:…>", and reads "*:x" as "/x": not done here.
    no_slash=_oracle(NoSlash.REFERENCE, _WRR + ": its own tests; not all of Perl's URI"),
    percent=_oracle(Percent.URI, _WRR + ", URI"),
    precedence=_oracle(Precedence.FIRST, _WRR),
    robots_txt_allowed=_oracle(False, _WRR),
    crawl_delay=_oracle(CrawlDelay.IGNORED, _WRR),
    access=_oracle(
        AccessPolicy(
            text_only=True,
            redirects=7,
            other_status=_UNAVAILABLE,
            unreachable=_ALWAYS_OPEN,
            lifetime=365 * DAY,
            lifetime_bounds=(0.0, 365 * DAY),
        ),
        "LWP::RobotUA (Perl)",
    ),
)

_YH = "help.yahoo.com, Slurp pages (2007-2010)"

YAHOO = _engine(
    "yahoo",
    blank_line=_documented(BlankLine.ENDS_GROUP, _YH + ": the 1996 standard"),
    extension_ends_agents=_documented(True, _YH + ": the 1996 standard"),
    several_groups=_documented(SeveralGroups.FIRST, _YH),
    agent_value=_documented(AgentValue.WHOLE, _YH),
    agent_match=_documented(AgentMatch.HAS_NAME, _YH),
    agents=_documented(crawlers_of("yahoo"), _YH),
    precedence=_documented(Precedence.FIRST, _YH + ": the 1996 standard"),
    access=_documented(AccessPolicy(unreachable=_ALWAYS_OPEN), _YH),
)

_AP = "support.apple.com: About Applebot"

APPLE = _engine(
    "apple",
    # CONFLICT: Apple's prose has Applebot skip what "*" forbids too; here its own group counts.
    agents=_documented(crawlers_of("apple"), _AP),
    crawl_delay=_documented(CrawlDelay.IGNORED, _AP + ": does not follow crawl-delay"),
    tag_names=_documented((), _AP),
    tag_rules=_documented(("all", "noindex", "nofollow", "none", "nosnippet"), _AP),
)

_SG = "Sogou webmaster help"

SOGOU = _engine(
    "sogou",
    agent_value=_documented(AgentValue.WHOLE, _SG + ": names with spaces"),
    agents=_documented(crawlers_of("sogou"), _SG),
)

_360 = "360 search webmaster help"

QIHOO = _engine(
    "360",
    agent_value=_documented(AgentValue.WHOLE, _360 + ": names with digits"),
    agent_match=_documented(AgentMatch.PATTERN, _360),
    agents=_documented(crawlers_of("360"), _360),
)

_AMZ = "developer.amazon.com/amazonbot"

AMAZON = _engine(
    "amazon",
    # CONFLICT: Amazon's prose has Amazonbot skip what "*" forbids too; here its own group counts.
    agents=_documented(crawlers_of("amazon"), _AMZ),
    crawl_delay=_documented(CrawlDelay.IGNORED, _AMZ + ": does not support crawl-delay"),
    # CONFLICT: until April 2026 the page counted every 3xx and 4xx as a failure, for which the copy
    # is used. RFC 9309 has redirects followed; here a 4xx withdraws the copy, as elsewhere.
    access=_documented(
        AccessPolicy(
            too_many_requests=_UNREACHABLE,
            unreachable=(Step(30 * DAY, _RULES, _ALLOW), *_ALWAYS_OPEN),
        ),
        _AMZ + ": a copy of the last 30 days, else as if there were no file; changes in 24 hours",
    ),
)

DIALECTS: Mapping[str, Dialect] = MappingProxyType(
    {
        dialect.name: dialect
        for dialect in (
            RFC9309,
            GOOGLE,
            BING,
            YANDEX,
            BAIDU,
            KOSTER1996,
            ORIGINAL1994,
            YAHOO,
            APPLE,
            SOGOU,
            QIHOO,
            AMAZON,
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


_SILENT = Source(Certainty.ASSUMED, "RFC 9309 is silent")
_INHERITED = Source(Certainty.ASSUMED, "no source: as rfc9309")


def source_of(dialect: Dialect, option: str) -> Source:
    """Where the value of an option comes from."""
    return dialect.sources.get(option, _SILENT if dialect is RFC9309 else _INHERITED)


def differences(a: str | Dialect, b: str | Dialect) -> dict[str, tuple[Any, Any]]:
    """The options in which two dialects differ: {option: (value of a, value of b)}.

    ValueError if there is no dialect of that name.
    """
    a, b = dialect_of(a), dialect_of(b)
    pairs = {option: (getattr(a, option), getattr(b, option)) for option in options()}
    return {option: pair for option, pair in pairs.items() if pair[0] != pair[1]}


Answer = Any  # a value with ==


@dataclass(frozen=True, slots=True)
class Cause:
    """The options that make the difference, each with its two values: (here, there).

    Attributes:
        together: False: each option alone gives the other answer. True: only all of them do.

    """

    options: dict[str, tuple[Any, Any]]
    together: bool = False

    def __str__(self) -> str:
        return (" with " if self.together else " or ").join(self.options)


def cause(ask: Callable[[Dialect], Answer], here: Dialect, there: Dialect) -> Cause | None:
    """The options of `here` that, with the values of `there`, give the answer of `there`.

    No table says what an option changes: options are set to the other's values one by one, and the
    question is asked again. If no option does it alone, a set is given from which none can be left
    out. None if both dialects give the same answer.
    """
    wanted = ask(there)
    if ask(here) == wanted:
        return None
    pairs = differences(here, there)
    alone = {
        option: pair
        for option, pair in pairs.items()
        if ask(with_values(here, {option: pair})) == wanted
    }
    if alone:
        return Cause(alone)
    for option in list(pairs):
        fewer = {other: pair for other, pair in pairs.items() if other != option}
        if ask(with_values(here, fewer)) == wanted:
            pairs = fewer
    return Cause(pairs, together=True)


def with_values(here: Dialect, pairs: dict[str, tuple[Any, Any]]) -> Dialect:
    """`here` with the second value of each pair."""
    changed = {option: value for option, (_, value) in pairs.items()}
    return here.but(f"{here.name}, {', '.join(changed)} changed", **changed)
