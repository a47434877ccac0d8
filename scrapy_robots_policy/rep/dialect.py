"""A dialect: a value with an option for everything that engines do differently.

RFC 9309 is the base: its values are the defaults. An engine is its differences from them, each with
the source that says so (`engines`). What no source says is inherited. What no engine does
differently is no option: an Allow wins over a Disallow of the same length, everywhere.

What an option does is in the one module of `rep` that acts on it. Code outside `rep` asks rules and
verdicts, not options.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from enum import Enum
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple

from .access import AccessPolicy
from .agents import Agent, Certainty, crawlers_of
from .checks import check_fields, hints_of
from .escapes import quoted
from .url import Percent

KIB = 1024
NO_LIMIT = 1 << 62


class Text(Enum):
    """How the bytes of a file become its lines."""

    STANDARD = "a byte order mark is skipped, and a NUL ends its line"
    # robots.cc takes bytes one by one: EF and EF BB are skipped, too. Its line buffer has 2083 * 8
    # bytes, one of them for the end.
    GOOGLE = "a part of a byte order mark is skipped, too; 16,663 bytes are read of a line"
    YANDEX = "of two carriage returns in a row, only the first ends a line"
    PERL = "a byte order mark and a NUL are part of a line"


class Beyond(Enum):
    """What happens to a file that is larger than the dialect's limit."""

    CUT = "cut"  # the rest is not read
    OPEN = "open"  # no rule of the file is obeyed


class Keys(Enum):
    """How the words before the colon are read."""

    EXACT = "as they are spelt"
    # robots.cc, kAllowFrequentTypos
    LENIENT = "also misspelt, longer, or without the colon"


class BlankLine(Enum):
    """What a blank line does."""

    NOTHING = "nothing"
    ENDS_AGENTS = "ends a list of agents"  # so does a line with only a comment
    ENDS_GROUP = "ends a group"


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


class SeveralGroups(Enum):
    """Which of several groups that name a crawler bind it."""

    ALL = "all"
    FIRST = "first"
    FIRST_NAMED = "first with its name, all for *"
    HEAVIEST = "those whose list of agents holds the longest value"


class NoSlash(Enum):
    """How a rule without "/" or "*" at its start is read."""

    LITERAL = "literal"  # it matches no path
    IGNORED = "ignored"
    ANYWHERE = "anywhere"  # as if it started with "*"
    REFERENCE = "as a URL"  # "a" is "/a"; "http://example.com/a" is "/a" of that site only


class Precedence(Enum):
    """Which of several matching rules decides."""

    LONGEST = "longest"
    FIRST = "first"


class Length(Enum):
    """How the length of a rule is counted."""

    BYTES = "bytes"
    WITHOUT_WILDCARDS = "bytes but * and final $"


class EmptyRule(Enum):
    """How a Disallow with no path is read. An Allow with none is ignored everywhere."""

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
    "all",
    "index",
    "follow",
    "archive",
    "noindex",
    "nofollow",
    "none",
    "noarchive",
    "nocache",
    "nosnippet",
    "max-snippet",
    "max-image-preview",
    "max-video-preview",
    "noimageindex",
    "notranslate",
    "unavailable_after",
    "indexifembedded",
    "noodp",
)
"""All rules that an engine documents for X-Robots-Tag or the robots meta tag."""


class Source(NamedTuple):
    """The source of an option's value, and how sure it is."""

    certainty: Certainty
    text: str


def _option(default: Any, meaning: str, clause: str = "") -> Any:
    """An option: RFC 9309's value, or what makes it; what it is about; where the RFC says so."""
    metadata = {"meaning": meaning, "clause": clause}
    if callable(default):
        return field(default_factory=default, metadata=metadata)
    return field(default=default, metadata=metadata)


@dataclass(frozen=True)
class Dialect:
    """How one engine reads robots.txt files. The defaults are RFC 9309's.

    Make one from another with `but`: `DIALECTS["google"].but("mine", crawl_delay="own group")`.

    Attributes:
        name: as `ROBOTS_DIALECT` and the commands take it.
        sources: where the values come from that this dialect sets, by option.

    """

    name: str

    # reading the file
    text: Text = _option(
        Text.STANDARD,
        "how bytes become lines",
        "§2.3: UTF-8; silent on a mark and on NUL: what most parsers do",
    )
    size_limit: int = _option(500 * KIB, "bytes read of a file", "§2.5: at least 500 KiB")
    beyond_size: Beyond = _option(
        Beyond.CUT,
        "of a larger file, the rest is not read, or no rule is obeyed",
        "§2.5: a limit may be set",
    )
    rule_limit: int = _option(
        NO_LIMIT, "a crawler with so many rules, or more, obeys none; ignored lines do not count"
    )
    keys: Keys = _option(
        Keys.EXACT,
        "how the words before the colon are read",
        "§2.2: leniency is for other records only",
    )

    # groups
    blank_line: BlankLine = _option(
        BlankLine.NOTHING, "what a blank line does", "§2.2: emptyline inside a group"
    )
    extension_ends_agents: bool = _option(
        False,
        "any other line ends a list of User-agent lines",
        "§2.2.4: other records must not interfere",
    )
    orphan_rules: OrphanRules = _option(
        OrphanRules.IGNORED, "rules before the first User-agent line", "§2.2.2"
    )
    several_groups: SeveralGroups = _option(
        SeveralGroups.ALL, "which of several groups that name the crawler bind it", "§2.2.1"
    )

    # agents
    agent_value: AgentValue = _option(
        AgentValue.TOKEN, "what part of a User-agent line's value names a crawler", "§2.2.1"
    )
    agent_match: AgentMatch = _option(
        AgentMatch.EQUAL, "how it is compared with the crawler's name", "§2.2.1"
    )
    agents: Mapping[str, Agent] = _option(
        lambda: crawlers_of("rfc9309"), "the engine's crawlers", "§2.2.1: own token, then *"
    )

    # rules
    allow_lines: bool = _option(True, "Allow lines are read", "§2.2.2")
    wildcards: bool = _option(True, "`*` and a final `$` are special", "§2.2.3")
    no_slash: NoSlash = _option(
        NoSlash.LITERAL,
        "how a rule without `/` or `*` at its start is read",
        "§2.2: a path pattern starts with /; §5.1 starts one with *",
    )
    percent: Percent = _option(
        Percent.RFC9309, "how percent-escapes are compared", "§2.2.2 and figures 4 and 6"
    )
    precedence: Precedence = _option(
        Precedence.LONGEST, "which of several matching rules decides", "§2.2.2"
    )
    length: Length = _option(Length.BYTES, "how a rule's length is counted", "§2.2.2: most bytes")
    empty_disallow: EmptyRule = _option(
        EmptyRule.ALLOWS, "a Disallow without a path", "§2.2: empty-pattern"
    )
    index_html: bool = _option(False, "Allow: …/index.html allows the directory too")
    robots_txt_allowed: bool = _option(True, "/robots.txt itself is always allowed", "§2.2.2")

    # other lines
    crawl_delay: CrawlDelay = _option(CrawlDelay.OWN, "Crawl-delay")

    # robots tags of pages
    tag_names: tuple[str, ...] = _option(
        (ANY_NAME,), "the names in robots tags that bind the engine's crawlers"
    )
    tags_by_name: tuple[str, ...] = _option(
        (), "the engine's crawlers that tags bind by their own names only, not by `robots`"
    )
    tag_rules: tuple[str, ...] = _option(TAG_RULES, "the rules of robots tags that are read")
    tag_conflict: TagConflict = _option(
        TagConflict.RESTRICTIVE, "which of two contradicting robots tags holds"
    )

    access: AccessPolicy = _option(
        AccessPolicy(),
        "how the result of a fetch is read, and for how long (its table is below)",
        "§2.3.1 and §2.4",
    )
    sources: Mapping[str, Source] = field(
        default_factory=lambda: MappingProxyType({}), repr=False, compare=False
    )

    def __post_init__(self) -> None:
        check_fields(self, f"Dialect {quoted(self.name)}", hints_of(Dialect))
        for fault in _faults(self):
            raise ValueError(f"Dialect {quoted(self.name)}: {fault}")

    def __hash__(self) -> int:
        return hash(self.name)

    def __deepcopy__(self, memo: object) -> Dialect:
        return self  # a value; Scrapy copies its settings deeply

    def but(self, name: str, **values: Any) -> Dialect:
        """A dialect with this one's options, but those given here.

        Args:
            name: of the new dialect.
            values: by option. An enum's member may be given by its name or value:
                `precedence="first"`.

        Raises:
            ValueError: an option or a value is unknown, or no rule of any file would be obeyed. It
                names the option, and the choices.

        """
        for option in values:
            if option not in options():
                raise ValueError(
                    f"Dialect {name!r} has no option {option!r}; "
                    f"the options are {', '.join(options())}"
                )
        by_hand = dict.fromkeys(values, Source(Certainty.ASSUMED, "set by hand"))
        sources = MappingProxyType({**self.sources, **by_hand})
        return replace(self, name=name, **values, sources=sources)

    def __reduce__(self) -> tuple[object, tuple[dict[str, Any]]]:
        return _unpickled, (
            {item.name: _picklable(getattr(self, item.name)) for item in fields(self)},
        )


def _picklable(value: Any) -> Any:
    return dict(value) if isinstance(value, MappingProxyType) else value


def _unpickled(values: dict[str, Any]) -> Dialect:
    for name, value in values.items():
        if isinstance(value, dict):
            values[name] = MappingProxyType(value)
    return Dialect(**values)


def _faults(dialect: Dialect) -> Iterator[str]:
    """What is wrong with the values of the options, though each is of its type."""
    if not dialect.name.isprintable() or not dialect.name.strip():
        yield "name must be a text that can be printed"
    for option in ("size_limit", "rule_limit"):
        if getattr(dialect, option) < 1:
            yield f"{option} is 0, with which no rule is obeyed; it must be 1 or more"
    for rule in dialect.tag_rules:
        if rule not in TAG_RULES:
            yield f"tag_rules has {quoted(rule)}, it must have some of {', '.join(TAG_RULES)}"
    for option in ("tag_names", "tags_by_name"):
        for name in getattr(dialect, option):
            if not name or name != name.lower():
                yield f"{option} has {quoted(name)}, it must have names in lower case"
    # Crawlers are looked up by their names in lower case: another key would never be found.
    for key, agent in dialect.agents.items():
        if not isinstance(agent, Agent) or key != agent.name.lower():
            what = f"the Agent {agent.name!r}" if isinstance(agent, Agent) else quoted(agent)
            yield (
                f"agents has {what} under {quoted(key)}, it must have each Agent "
                "under its own name in lower case, as add_agents puts it"
            )


@cache
def options() -> Mapping[str, type]:
    """The options of a dialect, by name, with the type of each; in the order of the table."""
    hints = hints_of(Dialect)
    names = [item.name for item in fields(Dialect) if item.name not in ("name", "sources")]
    kinds = {name: getattr(hints[name], "__origin__", hints[name]) for name in names}
    return MappingProxyType(kinds)
