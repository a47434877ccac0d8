"""A robots.txt, parsed: the object that answers.

Knows: how text, groups, patterns and index come together. Must not know: where the octets come
from, nor whether they are fresh.

Parsing is lazy: the User-agent lines are found at once, the group of a crawler when it asks. To its
first question only the rules are read that can match the path; at the second one, all are laid out
in an index. The text is made anew from the octets for whoever needs it, so that what is held is the
octets, which others may hold too, and what was asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from .agents import product_token
from .dialects.dialect import Dialect
from .dialects.engines import dialect_of
from .dialects.options import CrawlDelay
from .directives import VisitTime, read_delay, read_visit_times
from .groups import Groups, GroupSpan
from .index import NO_ADDRESS, Index, Rules, rank_once
from .lines import clean_text, grammar_of, is_too_large, line_numbers, rule_lines
from .patterns import ABOVE_ALL, ALLOWED, NOTHING, ROBOTS_TXT, Reading, reading_of
from .references import BASE
from .url import origin_of, path_of, readable, site_of
from .usage import Preference, UsageLines
from .verdict import Group, Reason, Rule, Verdict

_MOST_AGENTS = 256  # answers for so many agents are kept laid out; a crawl asks as one or a few


@lru_cache(maxsize=1024)
def _rule_near(reading: Reading, start: str) -> re.Pattern[str]:
    """The expression for the rules that can match a path that starts so, and a few more; `start`
    is "" for all rules.
    """
    return rule_lines(reading.dialect, reading.literal, reading.unlike(start))


def parse(body: bytes, dialect: str | Dialect = "rfc9309") -> RuleSet:
    """Read a robots.txt. Total: any octets give rules. ValueError for an unknown dialect name."""
    return RuleSet(body, dialect_of(dialect))


class RuleSet:
    """What a robots.txt says, read in one dialect."""

    __slots__ = ("_body", "_groups", "_indexes", "_made", "_reading", "_usage", "dialect")

    def __init__(self, body: bytes, dialect: Dialect) -> None:
        self.dialect = dialect
        self._reading = reading_of(dialect)
        self._body = body
        self._made: str | None = self._clean()
        self._groups = Groups(self._made, dialect)
        # By agent; None: it has asked once. By agent and origin where a rule may be a URL.
        self._indexes: dict[object, Index | None] = {}
        self._usage: UsageLines | None = None

    def allowed(self, url: str, agent: str) -> bool:
        """Whether the crawler may fetch it. `agent`: a product token, or a User-Agent header."""
        index = self._indexes.get(agent)
        if index is None:
            return self._rank(url, agent) & ALLOWED == ALLOWED
        if index.is_empty:
            return True
        # Most URLs have nothing to rewrite, and are of the site that was asked for first. What else
        # is rewritten than escapes, no plain rule holds: it has matched before, or never will.
        odd = "%" in url or "#" in url
        if not (odd or index.is_plain):
            odd = "*" in url or "$" in url or not url.isascii()
        rank = NO_ADDRESS if odd else index.rank(url)
        if rank == NO_ADDRESS:
            rank = index.rank(index.site + self._path(url))
        return rank & ALLOWED == ALLOWED

    def verdict(self, url: str, agent: str) -> Verdict:
        """The same answer, with the rule that gave it and the rules it beat."""
        path = self._path(url)
        group = self.group(agent)
        rules = group.rules if group else ()
        matching = self._matching(rules, path, url)
        rank, rule = matching[0] if matching else (NOTHING, None)
        if 0 < len(rules) < self.dialect.rule_limit and self._is_above_all(path):
            rank, rule = ABOVE_ALL, None
        return Verdict(
            allowed=rank & ALLOWED == ALLOWED,
            reason=self._reason(rank, rule, group),
            dialect=self.dialect.name,
            agent=product_token(agent),
            rule=rule,
            group=group,
            beaten=tuple(beaten for _, beaten in matching if beaten is not rule),
            usage=self.usage(url, agent),
        )

    def _reason(self, rank: int, rule: Rule | None, group: Group | None) -> Reason:
        if rule:
            return Reason.RULE
        if rank == ABOVE_ALL:
            return Reason.ROBOTS_TXT
        too_large = is_too_large(self._body, self.dialect)
        if too_large or (group and len(group.rules) >= self.dialect.rule_limit):
            return Reason.OVER_SIZE
        return Reason.NO_RULE if group else Reason.NO_GROUP

    def group(self, agent: str) -> Group | None:
        """The group that binds the crawler, with all its rules; None if there is none for it."""
        text = self._text()
        name, records = self._groups.find(agent, text)
        return self._group(name, records, text) if records else None

    def crawl_delay(self, agent: str) -> float | None:
        """Seconds between two requests that the file asks of the crawler; None: it asks for no
        delay, or the dialect does not read delays.
        """
        text = self._text()
        spans = self._groups.pace_spans(agent, text)
        delay = read_delay(self._directives(spans, text), self.dialect)
        if delay is None and self.dialect.crawl_delay is CrawlDelay.OWN_OR_ALL:
            spans = self._groups.pace_spans_of_all(text)
            delay = read_delay(self._directives(spans, text), self.dialect)
        return delay

    def visit_times(self, agent: str) -> tuple[VisitTime, ...]:
        """The hours in which the file wants the crawler to come; none: at any time. They are given
        in every dialect: `Dialect.visit_time` says whether its crawlers keep them.
        """
        text = self._text()
        spans = self._groups.pace_spans(agent, text)
        return read_visit_times(self._directives(spans, text))

    def _directives(self, spans: Iterable[tuple[int, int]], text: str) -> Iterator[tuple[str, str]]:
        """The (key, value) lines of parts of the text, rules among them."""
        directive = grammar_of(self.dialect).directive
        for start, end in spans:
            yield from directive.findall(text, start, end)

    def usage(self, url: str, agent: str) -> tuple[Preference, ...]:
        """What is said of the use of a page; nothing of one that may not be fetched."""
        if not self.allowed(url, agent):
            return ()
        if self._usage is None:
            self._usage = UsageLines(self._text(), self._groups, self.dialect)
        return self._usage.preferences(self._path(url), url, agent)

    @property
    def sitemaps(self) -> tuple[str, ...]:
        """The values of the Sitemap lines, each once, in the order of the file."""
        values = grammar_of(self.dialect).sitemap.findall(self._text())
        return tuple(dict.fromkeys(readable(value) for value in values if value))

    def _path(self, url: str) -> str:
        return self._reading.octets_of(path_of(url))

    def _text(self) -> str:
        """The text: the one made at parsing for the first who asks, then a new one each time."""
        text, self._made = self._made or self._clean(), None
        return text

    def _clean(self) -> str:
        body, dialect = self._body, self.dialect
        return "\n" if is_too_large(body, dialect) else clean_text(body, dialect)

    def _rank(self, url: str, agent: str) -> int:
        """The rank of the rule that decides; to a first question, one that says the same."""
        key: object = (agent, origin_of(url)) if self._reading.resolves else agent
        path, indexes = self._path(url), self._indexes
        if key not in indexes:
            if len(indexes) >= _MOST_AGENTS:
                indexes.clear()
            indexes[key] = None
            return self._rank_once(path, url, agent)
        index = indexes[key]
        if index is None:
            index = indexes[key] = self._laid_out(url, agent)
        return index.rank(index.site + path)

    def _rank_once(self, path: str, url: str, agent: str) -> int:
        if self._is_above_all(path):
            return ABOVE_ALL
        # Where more rules fit in than the dialect obeys, all are counted.
        start = path[:2] if len(self._body) < self.dialect.rule_limit else ""
        rules = self._rules(agent, _rule_near(self._reading, start))
        return rank_once(rules, path, self._reading, url)

    def _is_above_all(self, path: str) -> bool:
        return path == BASE and self.dialect.robots_txt_allowed

    def _laid_out(self, url: str, agent: str) -> Index:
        index = Index(site_of(url, self.dialect.percent))
        rules = self._rules(agent, _rule_near(self._reading, ""))
        index.add_rules(rules, self._reading, url)
        if rules and self.dialect.robots_txt_allowed:
            index.add(ROBOTS_TXT, ABOVE_ALL)
        return index

    def _rules(self, agent: str, line: re.Pattern[str]) -> Rules:
        """The rules that bind the crawler; none where there are more than the dialect obeys."""
        text = self._text()
        _, records = self._groups.find(agent, text)
        rules: list[tuple[str, str, str]] = []
        for record in records:
            rules += line.findall(text, record.start, record.end)
        return rules if len(rules) < self.dialect.rule_limit else []

    def _group(self, name: str, records: tuple[GroupSpan, ...], text: str) -> Group:
        grammar = grammar_of(self.dialect)
        agents = (
            found.start()
            for record in records
            for found in grammar.agent.finditer(text, record.head, record.end)
        )
        rules = [
            found
            for record in records
            for found in grammar.rule.finditer(text, record.start, record.end)
        ]
        numbers = line_numbers(text, (found.start() for found in rules))
        return Group(
            name,
            tuple(line_numbers(text, agents)),
            tuple(
                Rule(found[1] is not None, found[2], number)
                for found, number in zip(rules, numbers, strict=True)
            ),
        )

    def _matching(self, rules: tuple[Rule, ...], path: str, url: str) -> list[tuple[int, Rule]]:
        """The rules of a group that match, strongest first, each with its rank."""
        if len(rules) >= self.dialect.rule_limit:
            return []
        ranked = [
            (max(ranks), rule)
            for order, rule in enumerate(rules)
            if (ranks := self._ranks(rule, len(rules) - order, path, url))
        ]
        return sorted(ranked, key=lambda item: item[0], reverse=True)

    def _ranks(self, rule: Rule, order: int, path: str, url: str) -> list[int]:
        reading = self._reading
        return [
            reading.rank(pattern.length, order, pattern.bits)
            for pattern in reading.patterns(rule.allow, rule.path, url)
            if pattern.matches(path)
        ]
