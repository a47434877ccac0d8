"""A dialect: a value with an option for everything that engines do differently.

The table of dialects is in `engines`. What an option does is in the one module that acts on it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from types import MappingProxyType
from typing import Any

from ..access_policy import AccessPolicy
from ..agents import Agent
from ..escapes import quoted
from ..field_values import check_fields, hints_of
from .crawlers import crawlers_of
from .options import (
    ANY_NAME,
    TAG_RULES,
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
    Tie,
)

KIB = 1024
NO_LIMIT = 1 << 62


@dataclass(frozen=True, slots=True)
class Provenance:
    """The source of an option's value, and how sure it is."""

    certainty: Certainty
    text: str


@dataclass(frozen=True)
class Dialect:
    """How one engine reads robots.txt files. The defaults are RFC 9309's.

    Make one from another with `but`: `DIALECTS["google"].but("mine", tie="disallow")`.
    """

    name: str

    # reading the file
    bom: Bom = Bom.SKIPPED
    size_limit: int = 500 * KIB  # octets
    beyond_size: Beyond = Beyond.CUT
    rule_limit: int = NO_LIMIT  # with so many rules, none is obeyed; ignored ones do not count
    line_limit: int = NO_LIMIT  # octets that are read of a line
    nul_ends_line: bool = True
    double_returns: bool = False  # of two carriage returns in a row, only the first ends a line
    agent_keys: tuple[str, ...] = ("user-agent",)
    allow_keys: tuple[str, ...] = ("allow",)
    disallow_keys: tuple[str, ...] = ("disallow",)
    sitemap_keys: tuple[str, ...] = ("sitemap",)
    longer_keys: bool = False  # keys are compared by their start: "Disallowed: /" is a Disallow
    missing_colon: bool = False  # white space replaces the colon, between exactly two words

    # groups (records, in the standards of 1994 and 1996)
    blank_line: BlankLine = BlankLine.NOTHING
    extension_ends_agents: bool = False
    orphan_rules: OrphanRules = OrphanRules.IGNORED

    # agents
    agent_value: AgentValue = AgentValue.TOKEN
    agent_match: AgentMatch = AgentMatch.EQUAL
    own_records: Records = Records.ALL
    star_records: Records = Records.ALL
    agents: Mapping[str, Agent] = field(default_factory=lambda: crawlers_of("rfc9309"))

    # rules
    allow_lines: bool = True
    wildcards: bool = True
    no_slash: NoSlash = NoSlash.LITERAL
    percent: Percent = Percent.RFC9309
    precedence: Precedence = Precedence.LONGEST
    length: Length = Length.OCTETS
    tie: Tie = Tie.ALLOW
    empty_disallow: EmptyRule = EmptyRule.ALLOWS
    empty_allow: EmptyRule = EmptyRule.ALLOWS
    index_html: bool = False  # Allow: …/index.html allows the directory too
    robots_txt_allowed: bool = True

    # other lines
    crawl_delay: CrawlDelay = CrawlDelay.OWN

    # robots tags of pages
    tag_names: tuple[str, ...] = (ANY_NAME,)  # names in tags that bind the engine's crawlers
    tag_rules: tuple[str, ...] = TAG_RULES
    tag_conflict: TagConflict = TagConflict.RESTRICTIVE

    access: AccessPolicy = AccessPolicy()
    sources: Mapping[str, Provenance] = field(
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

    @property
    def is_experimental(self) -> bool:
        """Whether more than half of its options are assumed, because there is no source."""
        sources = [self.sources.get(option) for option in options()]
        sourced = [item for item in sources if item and item.certainty is not Certainty.ASSUMED]
        return 2 * len(sourced) < len(sources)

    def but(self, name: str, **values: Any) -> Dialect:
        """A dialect with this one's options, but those given here.

        An option may be given as its value or as the name or value of an enum's member:
        `tie="disallow"`. ValueError names the option, and the choices, if an option or a value is
        unknown, and if a value would make the dialect obey no rule of any file.
        """
        for option in values:
            if option not in options():
                raise ValueError(
                    f"Dialect {name!r} has no option {option!r}; "
                    f"the options are {', '.join(options())}"
                )
        by_hand = dict.fromkeys(values, Provenance(Certainty.ASSUMED, "set by hand"))
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


# What a line can have before its colon.
_KEY = re.compile(r"[!-~](?:[ -~]*[!-~])?")
_LIMITS = ("size_limit", "rule_limit", "line_limit")
_KEYS = ("agent_keys", "disallow_keys", "allow_keys", "sitemap_keys")


def _faults(dialect: Dialect) -> Iterator[str]:
    """What is wrong with the values of the options, though each is of its type."""
    if not dialect.name.isprintable() or not dialect.name.strip():
        yield "name must be a text that can be printed"
    for option in _LIMITS:
        if getattr(dialect, option) < 1:
            yield f"{option} is 0, with which no rule is obeyed; it must be 1 or more"
    yield from _faults_of_keys(dialect)
    for rule in dialect.tag_rules:
        if rule not in TAG_RULES:
            yield f"tag_rules has {quoted(rule)}, it must have some of {', '.join(TAG_RULES)}"
    for name in dialect.tag_names:
        if not name or name != name.lower():
            yield f"tag_names has {quoted(name)}, it must have names in lower case"
    yield from _faults_of_agents(dialect.agents)


def _faults_of_keys(dialect: Dialect) -> Iterator[str]:
    option_of: dict[str, str] = {}
    for option in _KEYS:
        keys = getattr(dialect, option)
        if not keys:
            yield f"{option} is empty, it must have one key or more"
        for key in keys:
            if not _KEY.fullmatch(key) or ":" in key or "#" in key:
                yield f"{option} has {quoted(key)}, which no line can have before its colon"
            if option_of.setdefault(key.lower(), option) != option:
                yield f"{option} has {quoted(key)}, which {option_of[key.lower()]} has too"


def _faults_of_agents(agents: Mapping[str, Agent]) -> Iterator[str]:
    """Crawlers are looked up by their names in lower case: another key would never be found."""
    for key, agent in agents.items():
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
