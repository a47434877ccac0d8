"""The values that the options of a dialect can have."""

from __future__ import annotations

from enum import Enum


class Certainty(Enum):
    """How sure the value of an option is."""

    ORACLE = "oracle"  # the engine's published code was run or read
    DOCUMENTED = "documented"  # the engine's documentation or a standard has it
    ASSUMED = "assumed"  # there is no source: the most likely value


class Bom(Enum):
    """What happens to a UTF-8 byte order mark at the start of the file."""

    SKIPPED = "skipped"  # EF BB BF
    SKIPPED_IN_PART = "skipped, whole or in part"  # EF and EF BB too
    KEPT = "kept"  # the first line cannot be read


class Beyond(Enum):
    """What happens to a file that is larger than the dialect's limit."""

    CUT = "cut"  # the rest is not read
    OPEN = "open"  # no rule of the file is obeyed


class BlankLine(Enum):
    """What a blank line does."""

    NOTHING = "nothing"
    ENDS_AGENTS = "ends a list of agents"  # so does a line with only a comment
    ENDS_RECORD = "ends a record"


class OrphanRules(Enum):
    """Rules before the first User-agent line."""

    IGNORED = "ignored"
    FOR_ALL = "for all"


class AgentValue(Enum):
    """The part of a User-agent line's value that names a crawler."""

    TOKEN = "token"  # the leading [A-Za-z_-]+ (RFC 9309 §2.2.1)
    WHOLE = "whole"


class AgentMatch(Enum):
    """How the value of a User-agent line is compared with a crawler's name; in any case."""

    EQUAL = "equal"
    PATTERN = "pattern"  # equal, but "*" in the value stands for any text
    IN_NAME = "in name"  # the value is part of the name
    HAS_NAME = "has name"  # the name is part of the value
    EITHER = "either"


class Records(Enum):
    """Which of several groups that name a crawler bind it."""

    ALL = "all"
    FIRST = "first"
    HEAVIEST = "those whose list of agents holds the longest value"


class NoSlash(Enum):
    """How a rule without "/" or "*" at its start is read."""

    LITERAL = "literal"  # it matches no path
    IGNORED = "ignored"
    ANYWHERE = "anywhere"  # as if it started with "*"
    RESOLVED = "resolved"  # as a URL reference, resolved against the URL of the file


class Percent(Enum):
    """What is done to percent-escapes before a rule and a path are compared."""

    GOOGLE = "google"  # in rules: upper-case escapes, encode octets from 0x80 on
    # in both: the same, decode escapes but those of delimiters, escape "*" and "$"
    RFC9309 = "rfc9309"
    KOSTER = "koster"  # in both: decode all but %2F
    URI = "uri"  # in both: encode characters that a URI must not have, decode nothing


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
    """Which of the robots tags of a page holds, if they contradict each other."""

    RESTRICTIVE = "the sum of the negatives"
    PERMISSIVE = "what a meta tag grants"


ANY_NAME = "*"

TAG_RULES = (
    *("all", "index", "follow", "archive", "noindex", "nofollow", "none", "noarchive", "nocache"),
    *("nosnippet", "max-snippet", "max-image-preview", "max-video-preview", "noimageindex"),
    *("notranslate", "unavailable_after", "indexifembedded", "noodp"),
)
"""All rules that an engine documents for X-Robots-Tag or the robots meta tag."""
