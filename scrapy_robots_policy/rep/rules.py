"""A robots.txt, parsed: the object that answers.

How a file becomes an answer, with the clauses of RFC 9309:

1. Bytes become text (§2.3), and the text has lines (§2.2): `text`.
2. User-agent lines, and the rules after them, are groups. Those that name the crawler bind it, else
   those for "*" (§2.2.1): `groups`.
3. Rules compete: the longest that matches the path of the URL decides; of an Allow and a Disallow
   of the same length the Allow does; where none matches, the page is allowed (§2.2.2, §2.2.3):
   `match`.

Groups are found at the first question, and the rules of a crawler are laid out in an index at the
first one about it. Each question, whatever it is, is answered by this index.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import repeat
from typing import Any, NamedTuple

from .agents import product_token
from .checks import check_body, check_strings, check_type, not_a_string
from .delay import seconds
from .dialect import CrawlDelay, Dialect
from .engines import DIALECTS, dialect_of
from .groups import Groups, GroupSpan
from .match import (
    NOTHING,
    ROBOTS_TXT,
    Index,
    MatchedPart,
    Ranked,
    allows,
    place_of,
    reading_of,
)
from .text import bytes_read, clean_text, grammar_of, line_numbers
from .url import readable
from .usage.lines import UsageLines
from .usage.preferences import USER_AGENT, Overridden, Preference
from .verdict import Details, Group, Reason, Rule, Verdict

# Agents, and sets of groups, whose rules are kept. A crawl asks as one agent or a few.
_MAX_AGENTS = 256
_MAX_INDEXES = 32
_MAX_RULES = 100  # that are kept as objects: most refusals are by a few

_product_token = lru_cache(maxsize=256)(product_token)  # each verdict has it


def parse(body: bytes, dialect: str | Dialect = "rfc9309") -> RuleSet:
    r"""Read a robots.txt. Any bytes give rules.

    Raises:
        ValueError: there is no dialect of that name.
        TypeError: `body` is no bytes.

    Examples:
        >>> rules = parse(b"User-agent: *\nDisallow: /private/")
        >>> rules.allowed("https://example.com/private/x", "MyBot")
        False

    """
    return RuleSet(body, dialect_of(dialect))


class RuleMatch(NamedTuple):
    """How a rule matches a URL, both in the form in which the dialect compares them.

    The matched parts, one after the other, and `rest` are the path. The rule says nothing of
    `rest`.
    """

    parts: tuple[MatchedPart, ...]
    rest: str


class Outcome(NamedTuple):
    """A verdict without the question.

    Attributes:
        rule: the rule that decided; None if none did.

    """

    allowed: bool
    reason: Reason
    rule: Rule | None


class _Bound(NamedTuple):
    """The rules of some groups, laid out.

    Attributes:
        has_rules: whether there is a rule line.
        refuses: whether there is one that refuses something: many files have none for most
            crawlers.
        otherwise: the reason why a path is allowed that no rule matches.

    """

    rules: Index
    has_rules: bool
    refuses: bool
    otherwise: Reason


class RuleSet:
    r"""What a robots.txt says, read in one dialect.

    In all its methods `url` is an absolute URL ("https://example.com/a?b=c") or a path ("/a?b=c"),
    and `agent` is the crawler: a product token ("MyBot") or a whole User-Agent header
    ("MyBot/1.0"). Which site a URL is of is not looked at, but by dialects in which a rule may name
    a site. The dialect's table of crawlers says which names in the file bind the crawler: in
    google, "Googlebot-News" obeys the group of that name, else that of Googlebot, else that of "*".
    Both must be strings, else a TypeError is raised; any string has an answer.

    Several threads may ask it: what is laid out is put in place whole, and not changed after that.
    It can be pickled; what is laid out is not.

    Examples:
        >>> rules = parse(b"User-agent: *\nDisallow: /*.pdf$\nAllow: /a.pdf$")
        >>> rules.allowed("/b.pdf", "MyBot"), rules.allowed("https://example.com/a.pdf", "MyBot")
        (False, True)
        >>> print(rules.verdict("/b.pdf", "MyBot"))
        refused by line 2, Disallow: /*.pdf$

    """

    __slots__ = (
        "_bound_by_agent",
        "_bound_by_groups",
        "_delays",
        "_found",
        "_grammar",
        "_is_over",
        "_may_have_usage",
        "_reading",
        "_rules",
        "_text",
        "_tried",
        "_usage",
        "dialect",
    )

    def __init__(self, body: bytes, dialect: Dialect) -> None:
        # A broad crawl parses a file for each origin: right types must cost no call.
        if not isinstance(body, bytes) or not isinstance(dialect, Dialect):
            check_body(body)
            check_type("dialect", dialect, Dialect)
            body = bytes(body)
        is_over = len(body) > 0 == bytes_read(len(body), dialect)
        self._read("\n" if is_over else clean_text(body, dialect), dialect, is_over)

    def _read(self, text: str, dialect: Dialect, is_over: bool) -> None:
        self.dialect, self._text, self._is_over = dialect, text, is_over
        self._found: Groups | None = None
        self._grammar, self._reading = grammar_of(dialect), reading_of(dialect)
        self._bound_by_agent: dict[str, _Bound] = {}
        self._bound_by_groups: dict[tuple[int, ...], _Bound] = {}
        self._tried: dict[str, int] = {}  # by agent
        self._delays: dict[str, float | None] = {}  # by agent
        self._rules: dict[int, Rule] = {}  # those that have decided
        self._usage: UsageLines | None = None
        self._may_have_usage: bool | None = None  # nobody has asked yet

    def __repr__(self) -> str:
        return f"<RuleSet of {len(self._text) - 1:,} bytes, read as {self.dialect.name}>"

    def __reduce__(self) -> tuple[Callable[..., RuleSet], tuple[Any, ...]]:
        name = self.dialect.name
        dialect = name if DIALECTS.get(name) is self.dialect else self.dialect
        return _unpickled, (self._text, dialect, self._is_over)

    def allowed(self, url: str, agent: str) -> bool:
        """Whether the crawler may fetch the URL."""
        bound = self._bound(agent)
        if not bound.refuses and isinstance(url, str):
            return True
        return allows(self._decide(bound, url))

    def verdict(self, url: str, agent: str) -> Verdict:
        """The same answer, with its reason and the rule that gave it.

        The group, the rules that were beaten and the preferences about the page's use are looked up
        when they are asked for.
        """
        bound = self._bound(agent)
        return self._verdict(bound, self._decide(bound, url), url, agent)

    def objection(self, url: str, agent: str) -> Verdict | None:
        """The verdict where the page may not be fetched; None where it may. One question for both
        answers: most pages may, and nobody asks why.
        """
        bound = self._bound(agent)
        if not bound.refuses and isinstance(url, str):
            return None
        strength = self._decide(bound, url)
        return None if allows(strength) else self._verdict(bound, strength, url, agent)

    def most_tried(self, agent: str) -> int:
        """How many rules are compared with one URL at most: all that may start as it does. One
        question takes time by that number.
        """
        tried = self._tried.get(agent)
        if tried is None:
            tried = self._tried[agent] = self._bound(agent).rules.most_tried()
        return tried

    def outcomes(self, urls: Iterable[str], agent: str) -> Iterator[Outcome]:
        """The same answers for many URLs, at the least cost for each.

        What the same rule decides has the same outcome, one object: what is made of it need be made
        once.
        """
        bound = self._bound(agent)
        by_strength = {NOTHING: self._outcome(bound, NOTHING)}
        if not bound.has_rules:
            yield from repeat(by_strength[NOTHING], sum(1 for _ in urls))
            return
        line_feeds: list[int] = []
        for url in urls:
            strength = self._decide(bound, url)
            outcome = by_strength.get(strength)
            if outcome is None:
                if len(by_strength) == _MAX_RULES:  # to count lines from the start takes too long
                    line_feeds = [one.start() for one in re.finditer("\n", self._text)]
                outcome = by_strength[strength] = self._outcome(bound, strength, line_feeds)
            yield outcome

    def _outcome(self, bound: _Bound, strength: int, line_feeds: Sequence[int] = ()) -> Outcome:
        """`line_feeds`: where they stand in the text; none: they are to be counted."""
        reason, rule = bound.otherwise, None
        if strength == ROBOTS_TXT:
            reason = Reason.ROBOTS_TXT
        elif strength:
            reason, rule = Reason.RULE, self._rule(place_of(strength), line_feeds)
        return Outcome(allows(strength), reason, rule)

    def _verdict(self, bound: _Bound, strength: int, url: str, agent: str) -> Verdict:
        allowed, reason, rule = self._outcome(bound, strength)
        return Verdict(
            allowed,
            reason,
            self.dialect.name,
            _product_token(agent),
            rule,
            details=Details(self, url, agent),
        )

    def group(self, agent: str) -> Group | None:
        """The group that binds the crawler, with all its rules; None if there is none for it."""
        _check_agent(agent)
        name, spans = self._groups.find(agent)
        if not spans:
            return None
        numbers = line_numbers(self._text, [head for span in spans for head in span.heads])
        lines = list(self._lines_in(spans))
        numbers_of_rules = line_numbers(self._text, [line.start() for line in lines])
        rules = tuple(
            Rule(line[1] is not None, line[2], number)
            for line, number in zip(lines, numbers_of_rules, strict=True)
        )
        return Group(name, tuple(numbers), rules)

    def matching(self, url: str, agent: str) -> tuple[Rule, ...]:
        """The rules that bind the crawler and match the URL, strongest first."""
        bound = self._bound(agent)
        every = (
            one
            for path in self._paths_of(url)
            for one in bound.rules.every(path, self._patterns_at)
        )
        strengths = sorted(every, reverse=True)
        # A rule may have several patterns.
        places = list(dict.fromkeys(map(place_of, strengths)))
        in_order = sorted(places)
        numbers = dict(zip(in_order, line_numbers(self._text, in_order), strict=True))
        lines = ((self._line_at(place), numbers[place]) for place in places)
        return tuple(Rule(allow, path, number) for (allow, path, _), number in lines)

    def match(self, rule: Rule, url: str) -> RuleMatch | None:
        """How a rule matches a URL, part by part; None if it does not match."""
        for path in self._paths_of(url):
            for _, _, pattern in self._reading.patterns(rule.allow, rule.path):
                if pattern.matches(path):
                    parts = tuple(pattern.parts(path))
                    return RuleMatch(parts, path[sum(len(part.path) for part in parts) :])
        return None

    def crawl_delay(self, agent: str) -> float | None:
        """Seconds between two requests that the file asks of the crawler; None: it asks for no
        delay, or the dialect does not read delays.
        """
        try:
            return self._delays[agent]
        except (KeyError, TypeError):
            _check_agent(agent)
        reads, pace, delay = self.dialect.crawl_delay, self._grammar.pace, None
        if reads is not CrawlDelay.IGNORED and "-delay" in self._text.lower():
            delay = self._longest_delay(self._groups.parts_for(agent, pace))
            if delay is None and reads is CrawlDelay.OWN_OR_ALL:
                delay = self._longest_delay(self._groups.parts_for_all(pace))
        if len(self._delays) >= _MAX_AGENTS:
            self._delays.clear()
        self._delays[agent] = delay
        return delay

    def _longest_delay(self, parts: Iterable[tuple[int, int]]) -> float | None:
        values = (
            value for part in parts for value in self._grammar.delay.findall(self._text, *part)
        )
        delays = (delay for value in values if (delay := seconds(value)) is not None)
        return max(delays, default=None)

    def usage(self, url: str, agent: str, tokens: Collection[str] = ()) -> tuple[Preference, ...]:
        """The preferences that hold for the use of a page; none for one that may not be fetched.

        Args:
            tokens: control tokens whose groups are asked too.

        """
        check_strings("tokens", tokens)
        if not (self.may_have_usage or tokens) or not self.allowed(url, agent):
            return ()
        path = self._reading.path_of(url)
        own = self._usage_lines().preferences(path, agent) if self.may_have_usage else ()
        by_tokens = (self._token_preference(url, token) for token in tokens)
        return (*own, *(preference for preference in by_tokens if preference))

    def overridden(self, url: str, agent: str) -> tuple[Overridden, ...]:
        """The preferences for the same page that do not hold, with those that override them."""
        if not self.may_have_usage or not self.allowed(url, agent):
            return ()
        return self._usage_lines().overridden(self._reading.path_of(url), agent)

    def usage_lines(self, agent: str) -> tuple[tuple[str, tuple[Preference, ...]], ...]:
        """(path as written, preferences) of each line about the use of pages that binds the
        crawler. Which of them hold for a page is in `usage`.
        """
        _check_agent(agent)
        lines = self._usage_lines().lines_for(agent) if self.may_have_usage else []
        return tuple((line.path or "/", line.preferences) for line in lines)

    @property
    def may_have_usage(self) -> bool:
        """Whether the file may have lines about the use of pages; without any there are none."""
        if self._may_have_usage is None:
            text = self._text.lower()
            self._may_have_usage = "content-" in text or "license" in text
        return self._may_have_usage

    def _usage_lines(self) -> UsageLines:
        if self._usage is None:
            self._usage = UsageLines(self._text, self._groups, self.dialect)
        return self._usage

    def _token_preference(self, url: str, token: str) -> Preference | None:
        """The rule for a page in the groups that name a control token; None without such a rule.

        The groups for all crawlers are no fallback: they say nothing of a token.
        """
        bound = self._laid_out(self._groups.named(token.lower()))
        strength = self._decide(bound, url)
        if strength in (NOTHING, ROBOTS_TXT):
            return None
        rule = self._rule(place_of(strength))
        return Preference(USER_AGENT, token, rule.text, rule.line)

    @property
    def sitemaps(self) -> tuple[str, ...]:
        """The values of the Sitemap lines, each once, in the order of the file."""
        values = self._grammar.sitemap.findall(self._text)
        return tuple(dict.fromkeys(readable(value) for value in values if value))

    @property
    def _groups(self) -> Groups:
        """Found at the first question."""
        if self._found is None:
            self._found = Groups(self._text, self.dialect)
        return self._found

    def _bound(self, agent: str) -> _Bound:
        """The rules that bind the crawler, laid out; from now on they are kept so."""
        try:
            return self._bound_by_agent[agent]
        except (KeyError, TypeError):
            _check_agent(agent)
        bound = self._laid_out(self._groups.find(agent)[1])
        if len(self._bound_by_agent) >= _MAX_AGENTS:
            self._bound_by_agent.clear()
            self._tried.clear()
        self._bound_by_agent[agent] = bound
        return bound

    def _laid_out(self, spans: tuple[GroupSpan, ...]) -> _Bound:
        """The rules of some groups, laid out. Most agents are bound by the same ones."""
        key = tuple(span.start for span in spans)
        bound = self._bound_by_groups.get(key)
        if bound is None:
            lines = list(self._reading.keys(self._lines_in(spans)))
            otherwise = Reason.NO_RULE if spans else Reason.NO_GROUP
            if self._is_over or self._are_too_many(lines):
                lines, otherwise = [], Reason.OVER_SIZE
            refuses = any(line[1] is None and line[2] for line in self._lines_in(spans))
            bound = _Bound(Index(lines), bool(lines), refuses, otherwise)
            if len(self._bound_by_groups) >= _MAX_INDEXES:
                self._bound_by_groups.clear()
                self._bound_by_agent.clear()
            self._bound_by_groups[key] = bound
        return bound

    def _lines_in(self, spans: Iterable[GroupSpan]) -> Iterator[re.Match[str]]:
        for span in spans:
            yield from self._grammar.rule.finditer(self._text, span.start, span.end)

    def _are_too_many(self, lines: Collection[tuple[str, int]]) -> bool:
        """Whether so many rules bind one crawler that the dialect obeys none. Ignored ones do not
        count.
        """
        reading = self._reading
        if not reading.are_too_many(len(lines)):
            return False
        read = (self._line_at(place) for _, place in lines)
        return reading.are_too_many(sum(reading.is_read(allow, value) for allow, value, _ in read))

    def _patterns_at(self, places: Iterable[int]) -> Iterator[Ranked]:
        for place in places:
            allow, value, start = self._line_at(place)
            yield from self._reading.ranked(allow, value, place, start)

    def _line_at(self, place: int) -> tuple[bool, str, str]:
        """(whether it allows, the value, its literal start) of the rule line that starts there."""
        line = self._grammar.rule.match(self._text, place)
        assert line is not None  # a rule line starts there
        return line[1] is not None, line[2], line[3]

    def _decide(self, bound: _Bound, url: str) -> int:
        """The strength of what decides; `NOTHING` if no rule matches."""
        reading = self._reading
        path = reading.path_of(url)
        if path == "/robots.txt" and bound.has_rules and self.dialect.robots_txt_allowed:
            return ROBOTS_TXT
        strength = bound.rules.strongest(path, self._patterns_at)
        if reading.reads_sites and (site := reading.with_site(url)):
            strength = max(strength, bound.rules.strongest(site, self._patterns_at))
        return strength

    def _paths_of(self, url: str) -> tuple[str, ...]:
        """The path of a URL, and the URL itself where rules may name a site."""
        path = self._reading.path_of(url)
        site = self._reading.with_site(url) if self._reading.reads_sites else ""
        return (path, site) if site else (path,)

    def _rule(self, place: int, line_feeds: Sequence[int] = ()) -> Rule:
        rule = self._rules.get(place)
        if rule is None:
            allow, path, _ = self._line_at(place)
            number = bisect_right(line_feeds, place) or self._text.count("\n", 0, place + 1)
            rule = Rule(allow, path, number)
            if len(self._rules) >= _MAX_RULES:
                self._rules.clear()
            self._rules[place] = rule
        return rule


def _unpickled(text: str, dialect: str | Dialect, is_over: bool) -> RuleSet:
    rules = RuleSet.__new__(RuleSet)
    rules._read(text, dialect_of(dialect), is_over)  # noqa: SLF001 - of this module
    return rules


def _check_agent(agent: object) -> None:
    if not isinstance(agent, str):
        raise not_a_string("agent", agent)
