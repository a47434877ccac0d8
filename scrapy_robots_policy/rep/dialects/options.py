"""The vocabulary of a dialect: the values its options can take.

Knows: names. Must not know: which dialect takes which value (`dialects`), nor what any does.
"""

from __future__ import annotations

from enum import Enum


class Certainty(Enum):
    """How sure we are of an option."""

    ORACLE = "oracle"  # run against, or read in, the engine's own published code
    DOCUMENTED = "documented"  # the engine, or the standard, says so
    ASSUMED = "assumed"  # no source: the most likely reading


class Bom(Enum):
    """What happens to a UTF-8 byte order mark at the start of the file."""

    SKIPPED = "skipped"  # EF BB BF
    SKIPPED_IN_PART = "skipped, whole or in part"  # EF and EF BB too
    KEPT = "kept"  # it spoils the first line


class Beyond(Enum):
    """What happens to a file that is larger than the dialect reads."""

    CUT = "cut"  # the rest is not read
    OPEN = "open"  # the whole file is not obeyed


class BlankLine(Enum):
    """What a blank line does."""

    NOTHING = "nothing"
    ENDS_AGENTS = "ends a list of agents"  # a line that holds only a comment does so too
    ENDS_RECORD = "ends a record"


class OrphanRules(Enum):
    """Rules before the first User-agent line."""

    IGNORED = "ignored"
    FOR_ALL = "for all"


class AgentValue(Enum):
    """What part of a User-agent line's value names a crawler."""

    TOKEN = "token"  # the leading [A-Za-z_-]+ (RFC 9309 §2.2.1)
    WHOLE = "whole"


class AgentMatch(Enum):
    """How the value of a User-agent line is compared with a crawler's name. Case never counts."""

    EQUAL = "equal"
    PATTERN = "pattern"  # equal, "*" in the value standing for anything
    IN_NAME = "in name"  # the value stands in the name
    HAS_NAME = "has name"  # the name stands in the value
    EITHER = "either"


class Records(Enum):
    """Which of several records that name a crawler bind it."""

    ALL = "all"
    FIRST = "first"
    HEAVIEST = "those whose list of agents holds the longest value"


class NoSlash(Enum):
    """How a rule is read that starts with neither "/" nor "*"."""

    LITERAL = "literal"  # it can never match a path
    IGNORED = "ignored"
    ANYWHERE = "anywhere"  # as if "*" stood before it
    RESOLVED = "resolved"  # as a URL reference, against the address of the file


class Percent(Enum):
    """What is done to percent-escapes before rule and path are compared."""

    GOOGLE = "google"  # rules: upper-case escapes, encode octets from 0x80 on
    RFC9309 = "rfc9309"  # both: the same, and decode all that divides nothing; escape "*" and "$"
    KOSTER = "koster"  # both: decode all but %2F
    URI = "uri"  # both: escape what may not stand in a URI, decode nothing


class Precedence(Enum):
    """Which of several matching rules decides."""

    LONGEST = "longest"
    FIRST = "first"


class Length(Enum):
    """How the length of a rule is counted."""

    OCTETS = "octets"
    WITHOUT_WILDCARDS = "octets but * and final $"


class Tie(Enum):
    """Which rule decides among equally long ones."""

    ALLOW = "allow"
    DISALLOW = "disallow"


class EmptyRule(Enum):
    """How a rule with no path is read."""

    IGNORED = "ignored"
    ALLOWS = "allows"  # an Allow of the empty path: matches everything, with no length
    ALLOWS_ROOT = "allows /"  # an Allow of "/"


class CrawlDelay(Enum):
    """Whether Crawl-delay is honoured."""

    IGNORED = "ignored"
    OWN = "own group"
    OWN_OR_ALL = "own group, else *"


class TagConflict(Enum):
    """What holds where the robots tags of a page contradict each other."""

    RESTRICTIVE = "the sum of the negatives"
    PERMISSIVE = "what a meta tag grants"


ANY_NAME = "*"

TAG_RULES = (
    *("all", "index", "follow", "archive", "noindex", "nofollow", "none", "noarchive", "nocache"),
    *("nosnippet", "max-snippet", "max-image-preview", "max-video-preview", "noimageindex"),
    *("notranslate", "unavailable_after", "indexifembedded", "noodp"),
)
"""All rules that an engine documents for X-Robots-Tag or the robots meta tag."""
