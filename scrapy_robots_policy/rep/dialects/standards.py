"""The three standards, as dialects: RFC 9309, the draft of 1996, and the text of 1994.

A comment that begins with CONFLICT marks an option on which sources disagree, and says which one is
followed.
"""

from __future__ import annotations

from types import MappingProxyType

from ..access_policy import DAY, FOREVER, MINUTE, AccessMode, AccessPolicy, AccessResult, Step
from ..agents import agent_table
from .dialect import NO_LIMIT, Dialect, Provenance, options
from .options import (
    AgentMatch,
    AgentValue,
    BlankLine,
    Bom,
    Certainty,
    CrawlDelay,
    EmptyRule,
    NoSlash,
    OrphanRules,
    Percent,
    Precedence,
    Records,
)
from .provenance import agreed, assumed, derive, documented, oracle

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
    "tag_rules": "RFC 9309 is silent: all that an engine documents",
    "tag_conflict": "RFC 9309 is silent; draft-illyes-repext-00: the sum of the negatives",
}

RFC9309 = Dialect(
    "rfc9309",
    sources=MappingProxyType(
        {
            option: Provenance(Certainty.DOCUMENTED, _RFC_SAYS[option])
            if option in _RFC_SAYS
            else Provenance(Certainty.ASSUMED, _RFC_LEAVES_OPEN.get(option, "RFC 9309 is silent"))
            for option in options()
        }
    ),
)

_K96 = "draft-koster-robots-00 (1996)"
_BOOK = "HTTP: The Definitive Guide, chapter 9"

KOSTER1996 = derive(
    "koster1996",
    RFC9309,
    **agreed(RFC9309, Certainty.DOCUMENTED, _K96, "allow_lines", "robots_txt_allowed", "tie"),
    blank_line=documented(BlankLine.ENDS_RECORD, _K96 + " 3.2; " + _BOOK),
    extension_ends_agents=documented(True, _K96 + ": an extension is a rule line"),
    agent_value=documented(AgentValue.WHOLE, _K96 + " 3.2.1"),
    # CONFLICT: the draft's value contains the token, the book's is contained in the name: either.
    agent_match=documented(AgentMatch.EITHER, _K96 + " 3.2.1; " + _BOOK),
    agents=documented(agent_table(), _K96 + " 3.2.1"),
    own_records=documented(Records.FIRST, _K96 + " 3.2.1"),
    star_records=documented(Records.FIRST, _K96 + " 3.2.1"),
    wildcards=documented(False, _BOOK),
    percent=documented(Percent.KOSTER, _K96 + " 3.2.2; " + _BOOK),
    precedence=documented(Precedence.FIRST, _K96 + " 3.2.2"),
    # CONFLICT: the book's prose has an empty Disallow lock out; the draft's matrix allows all.
    empty_disallow=documented(EmptyRule.ALLOWS, _K96 + " 4, matrix"),
    empty_allow=assumed(EmptyRule.IGNORED, "not in the draft's grammar"),
    access=documented(
        AccessPolicy(
            redirects=10,
            forbidden=AccessMode.DISALLOW,
            too_many_requests=AccessResult.UNREACHABLE,
            unreachable=(Step(FOREVER, AccessMode.DEFER, AccessMode.DEFER),),
            lifetime=7 * DAY,
            lifetime_bounds=(MINUTE, 7 * DAY),
        ),
        _K96 + " 3.1, 3.4; " + _BOOK,
    ),
)

_WRR = "WWW::RobotRules 6.02 (Perl)"

ORIGINAL1994 = derive(
    "original1994",
    RFC9309,
    **agreed(RFC9309, Certainty.ORACLE, _WRR, "agent_keys", "disallow_keys", "longer_keys"),
    **agreed(RFC9309, Certainty.ORACLE, _WRR, "missing_colon", "extension_ends_agents"),
    bom=oracle(Bom.KEPT, _WRR),
    size_limit=oracle(NO_LIMIT, _WRR),
    nul_ends_line=oracle(False, _WRR),
    blank_line=oracle(BlankLine.ENDS_RECORD, _WRR),
    orphan_rules=oracle(OrphanRules.FOR_ALL, _WRR),
    agent_value=oracle(AgentValue.WHOLE, _WRR),
    agent_match=oracle(AgentMatch.IN_NAME, _WRR),
    agents=oracle(agent_table(), _WRR),
    own_records=oracle(Records.FIRST, _WRR),
    star_records=oracle(Records.ALL, _WRR),
    allow_lines=oracle(False, _WRR),
    wildcards=oracle(False, _WRR),
    no_slash=oracle(NoSlash.RESOLVED, _WRR),
    percent=oracle(Percent.URI, _WRR + ", URI"),
    precedence=oracle(Precedence.FIRST, _WRR),
    empty_disallow=oracle(EmptyRule.ALLOWS, _WRR),
    empty_allow=oracle(EmptyRule.IGNORED, _WRR + ": no Allow lines"),
    robots_txt_allowed=oracle(False, _WRR),
    crawl_delay=oracle(CrawlDelay.IGNORED, _WRR),
    access=oracle(
        AccessPolicy(
            text_only=True,
            redirects=7,
            too_many_requests=AccessResult.UNAVAILABLE,
            other_status=AccessResult.UNAVAILABLE,
            unreachable=(Step(FOREVER, AccessMode.ALLOW, AccessMode.ALLOW),),
            lifetime=365 * DAY,
            lifetime_bounds=(0.0, 365 * DAY),
        ),
        "LWP::RobotUA (Perl)",
    ),
)
