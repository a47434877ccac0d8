"""How a dialect reads what engines read differently: it is asked, about a file of a few lines.

Only `rep` looks at the options of a dialect. Lint and `diff` ask, as a user would: so they stay
right when an option is added, or gets a new value.
"""

from __future__ import annotations

from functools import lru_cache

from ...rep.agents import STAR
from ...rep.dialect import Dialect
from ...rep.rules import RuleSet
from ...rep.text import clean_text, grammar_of

SITE = "http://example.com"  # where a path is asked about: in some dialects a rule may name a site
MARK = b"\xef\xbb\xbf"  # a byte order mark
SOMEBODY = "qzxj"  # a crawler that no file names: the groups for all crawlers bind it
_asked_once = lru_cache(maxsize=128)


def group_alone(dialect: Dialect, *rules: str, agent: str = STAR) -> RuleSet:
    """A file of one group: a User-agent line, and these lines after it."""
    return RuleSet("\n".join((f"User-agent: {agent}", *rules)).encode("latin-1"), dialect)


@_asked_once
def has_wildcards(dialect: Dialect) -> bool:
    """Whether "*" in a rule stands for any text, and a final "$" for the end of the path."""
    return not group_alone(dialect, "Disallow: /*x").allowed("/ax", SOMEBODY)


@_asked_once
def reads_allow(dialect: Dialect) -> bool:
    """Whether an Allow line is a rule."""
    return group_alone(dialect, "Allow: /ax", "Disallow: /a").allowed("/ax", SOMEBODY)


@_asked_once
def reads_delays(dialect: Dialect) -> bool:
    """Whether Crawl-delay is kept."""
    return group_alone(dialect, "Crawl-delay: 1").crawl_delay(SOMEBODY) is not None


@_asked_once
def binds_orphans(dialect: Dialect) -> bool:
    """Whether rules before the first User-agent line bind all crawlers."""
    return not RuleSet(b"Disallow: /", dialect).allowed("/", SOMEBODY)


@_asked_once
def reads_first_only(dialect: Dialect, name: str) -> bool:
    """Whether of several groups with the same name the first binds alone; "*" is a name, too."""
    name = STAR if name == STAR else SOMEBODY
    groups = group_alone(
        dialect, "Disallow: /a", "", f"User-agent: {name}", "Disallow: /b", agent=name
    )
    return groups.allowed("/b", SOMEBODY)


@_asked_once
def reads_whole_names(dialect: Dialect) -> bool:
    """Whether the whole value of a User-agent line is a name, not only the token it starts with."""
    line = grammar_of(dialect).agent.match("\nUser-agent: a 1")
    return line is not None and line[2] == "a 1"


@_asked_once
def skips_mark(dialect: Dialect) -> bool:
    """Whether a byte order mark is no part of the first line."""
    return clean_text(MARK, dialect) == "\n"
