"""A robots.txt, parsed: the object that answers.

Parsing is lazy: the User-agent lines are found at once, the group of a crawler when it is asked
about. The first question about a crawler is answered by trying the rules that can match the path.
For the second one the rules are laid out in an index, which is kept. The text is made from the
octets each time that it is needed: the octets are kept, and other objects may share them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import lru_cache, partial
from typing import TypeVar

from .agents import product_token
from .binding import BindingRules, Bindings
from .dialects.dialect import Dialect
from .dialects.engines import DIALECTS, dialect_of
from .group_rules import are_too_many, group_of, obeyed, rule_lines_of, rules_of
from .groups import Groups, GroupSpan
from .index import matching
from .lines import clean_text, grammar_of, is_too_large
from .pace import delay_for, may_have_delay
from .patterns import reading_of
from .preference import USER_AGENT, Overridden, Preference
from .url import origin_of, readable
from .usage import UsageLines
from .verdict import Details, Group, Reason, Rule, Verdict
from .wrong_type import check_octets, check_strings, check_type, not_a_string, wrong_type

T = TypeVar("T")

_product_token = lru_cache(maxsize=256)(product_token)  # each verdict has it


def parse(body: bytes, dialect: str | Dialect = "rfc9309") -> RuleSet:
    r"""Read a robots.txt. Total: any octets give rules.

    ValueError for an unknown dialect name; TypeError where `body` is no octets.

    >>> rules = parse(b"User-agent: *\nDisallow: /private/")
    >>> rules.allowed("https://example.com/private/x", "MyBot")
    False
    """
    return RuleSet(body, dialect_of(dialect))


class RuleSet:
    r"""What a robots.txt says, read in one dialect.

    In all its methods:
    url    an absolute URL ("https://example.com/a?b=c"), or a path ("/a?b=c"). Which site it is of
           is not looked at, but by dialects in which a rule may name a site.
    agent  the crawler: a product token ("MyBot") or a whole User-Agent header ("MyBot/1.0"). The
           dialect's table of crawlers says which names in the file bind it: in google,
           "Googlebot-News" obeys the group of that name, else that of Googlebot, else that of "*".

    Both must be strings, else a TypeError is raised; any string has an answer.

    Several threads may ask it: what is laid out is put in place whole, and not changed after that.
    It can be pickled; what is laid out is not.

    >>> rules = parse(b"User-agent: *\nDisallow: /*.pdf$\nAllow: /a.pdf$")
    >>> rules.allowed("/b.pdf", "MyBot"), rules.allowed("https://example.com/a.pdf", "MyBot")
    (False, True)
    >>> print(rules.verdict("/b.pdf", "MyBot"))
    disallowed by line 2, Disallow: /*.pdf$
    """

    __slots__ = (
        "_bindings",
        "_body",
        "_groups",
        "_may_have_usage",
        "_reading",
        "_usage",
        "dialect",
    )

    def __init__(self, body: bytes, dialect: Dialect) -> None:
        # A broad crawl parses a file for each origin: right types must cost no call.
        if not isinstance(body, bytes) or not isinstance(dialect, Dialect):
            check_octets(body)
            check_type("dialect", dialect, Dialect)
        self.dialect = dialect
        self._body = bytes(body)
        self._groups = Groups(self._text(), dialect)
        self._reading = reading_of(dialect)
        self._bindings = Bindings()
        self._usage: UsageLines | None = None
        self._may_have_usage: bool | None = None  # nobody has asked yet

    def __repr__(self) -> str:
        return f"<RuleSet of {len(self._body):,} octets, read as {self.dialect.name}>"

    def __reduce__(self) -> tuple[Callable[..., RuleSet], tuple[bytes, str | Dialect]]:
        name = self.dialect.name
        return parse, (self._body, name if DIALECTS.get(name) is self.dialect else self.dialect)

    @property
    def octets_held(self) -> int:
        """About how many octets of memory this object takes: it grows as more is asked.

        Counted are the file, its User-agent lines, and what is laid out, which is bounded.
        """
        usage = self._usage.octets_held if self._usage else 0
        return len(self._body) + self._groups.octets_held + usage + self._bindings.octets_held

    def allowed(self, url: str, agent: str) -> bool:
        """Whether the crawler may fetch the URL."""
        # A key may be a tuple, which is no agent: `_key` says so.
        binding = self._bindings.get(agent) if isinstance(agent, str) else None
        if binding is None:
            return self._allowed_at_first(url, agent)
        if binding.allows_all and isinstance(url, str):
            return True
        return binding.allowed(url)

    def checker(self, agent: str) -> Callable[[str], bool]:
        r"""`allowed` for one agent, as a function of the URL: faster for many URLs.

        >>> may_fetch = parse(b"User-agent: *\nDisallow: /a").checker("MyBot")
        >>> [url for url in ("/a", "/b", "https://example.com/c") if may_fetch(url)]
        ['/b', 'https://example.com/c']
        """
        _check_agent(agent)
        if self._reading.resolves:
            return partial(self.allowed, agent=agent)
        return self._binding("", agent).allowed

    def answers(self, agent: str, describe: Callable[[Verdict], T]) -> Callable[[str], T]:
        """What `describe` makes of the verdict, as a function of the URL: faster for many URLs.

        describe  called once for each rule that decides, with a verdict without details
        """
        _check_agent(agent)
        if not callable(describe):
            raise wrong_type("describe", "a function of a verdict", describe)
        if self._reading.resolves:
            return lambda url: describe(self.verdict(url, agent))
        binding = self._binding("", agent)
        by_rank = _ByRank(lambda rank: describe(self._verdict(binding, rank, agent, Details())))
        return binding.answers(by_rank)

    def verdict(self, url: str, agent: str) -> Verdict:
        """The same answer, with its reason and the rule that gave it.

        The group, the rules that were beaten and the preferences about the page's use are looked up
        when they are asked for.
        """
        binding = self._binding(url, agent)
        return self._verdict(binding, binding.decide(url), agent, Details(self, url, agent))

    def rank(self, url: str, agent: str) -> int:
        """What decides, as a number: where it is the same for two pages of a site, so is the
        verdict, without details.
        """
        return self._binding(url, agent).decide(url)

    def _verdict(self, binding: BindingRules, rank: int, agent: str, details: Details) -> Verdict:
        number = binding.numbers[rank]
        # What decides and is no rule is that robots.txt itself is always allowed.
        reason = Reason.RULE if number else Reason.ROBOTS_TXT if rank else binding.otherwise
        return Verdict(
            binding.allows[rank],
            reason,
            self.dialect.name,
            _product_token(agent),
            binding.rule(number, self._rules) if number else None,
            details=details,
        )

    def group(self, agent: str) -> Group | None:
        """The group that binds the crawler, with all its rules; None if there is none for it."""
        _check_agent(agent)
        text = self._text()
        name, groups = self._groups.find(agent, text)
        return group_of(name, groups, text, self.dialect) if groups else None

    def matching(self, url: str, agent: str) -> tuple[Rule, ...]:
        """The rules that bind the crawler and match the URL, strongest first."""
        self._key(url, agent)  # raises TypeError
        text = self._text()
        _, groups = self._groups.find(agent, text)
        lines = obeyed(rule_lines_of(groups, text, self.dialect), self.dialect)
        ranked = self._reading.ranked(lines, url)
        # A rule may have several patterns; what is no rule has the number 0.
        path = self._reading.path_of(url)
        numbers = dict.fromkeys(number for _, number, *_ in matching(ranked, path) if number)
        rules = tuple(rules_of(groups, text, self.dialect)) if numbers else ()
        return tuple(rules[number - 1] for number in numbers)

    def crawl_delay(self, agent: str) -> float | None:
        """Seconds between two requests that the file asks of the crawler; None: it asks for no
        delay, or the dialect does not read delays.
        """
        _check_agent(agent)
        if not may_have_delay(self._body, self.dialect):
            return None
        return delay_for(agent, self._groups, self._text(), self.dialect)

    def usage(self, url: str, agent: str, tokens: Collection[str] = ()) -> tuple[Preference, ...]:
        """The preferences that hold for the use of a page; none for one that may not be fetched.

        tokens  control tokens whose groups are asked too
        """
        check_strings("tokens", tokens)
        lines = self._usage_lines(url, agent)
        own = lines.preferences(self._reading.path_of(url), url, agent) if lines else ()
        if not tokens or not self.allowed(url, agent):
            return own
        by_tokens = (self._token_preference(url, token) for token in tokens)
        return (*own, *(preference for preference in by_tokens if preference))

    def overridden(self, url: str, agent: str) -> tuple[Overridden, ...]:
        """The preferences for the same page that do not hold, with those that override them."""
        lines = self._usage_lines(url, agent)
        return lines.overridden(self._reading.path_of(url), url, agent) if lines else ()

    def usage_lines(self, agent: str) -> tuple[tuple[str, tuple[Preference, ...]], ...]:
        """(path as written, preferences) of each line about the use of pages that binds the
        crawler. Which of them hold for a page is in `usage`.
        """
        _check_agent(agent)
        if not self.may_have_usage:
            return ()
        lines = self._all_usage_lines().lines_for(agent)
        return tuple((path, tuple(preferences)) for path, preferences in lines)

    @property
    def may_have_usage(self) -> bool:
        """Whether the file may have lines about the use of pages; without any there are none."""
        if self._may_have_usage is None:
            body = self._body[: self.dialect.size_limit].lower()
            self._may_have_usage = b"content-" in body or b"license" in body
        return self._may_have_usage

    def _usage_lines(self, url: str, agent: str) -> UsageLines | None:
        self._key(url, agent)  # raises TypeError, whatever the file says
        if not (self.may_have_usage and self.allowed(url, agent)):
            return None
        return self._all_usage_lines()

    def _all_usage_lines(self) -> UsageLines:
        if self._usage is None:
            self._usage = UsageLines(self._text(), self._groups, self.dialect)
        return self._usage

    def _token_preference(self, url: str, token: str) -> Preference | None:
        """The rule for a page in the groups that name a control token; None without such a rule.

        The groups for all crawlers are no fallback: they say nothing of a token.
        """
        origin = origin_of(url) if self._reading.resolves else None
        key = (USER_AGENT, token, origin)
        binding = self._bindings.get(key)
        if binding is None:
            text = self._text()
            binding = self._bound_by(key, self._groups.named(token.lower(), text), url, text)
        number = binding.numbers[binding.decide(url)]
        if not number:
            return None
        rule = binding.rule(number, self._rules)
        return Preference(USER_AGENT, token, rule.text, rule.line)

    @property
    def sitemaps(self) -> tuple[str, ...]:
        """The values of the Sitemap lines, each once, in the order of the file."""
        values = grammar_of(self.dialect).sitemap.findall(self._text())
        return tuple(dict.fromkeys(readable(value) for value in values if value))

    def _text(self) -> str:
        body, dialect = self._body, self.dialect
        return "\n" if is_too_large(body, dialect) else clean_text(body, dialect)

    def _allowed_at_first(self, url: str, agent: str) -> bool:
        """The answer where the agent has no index yet: it is for the second question."""
        key = self._key(url, agent)
        if key in self._bindings:
            return self._binding(url, agent).allowed(url)
        path = self._reading.path_of(url)
        self._bindings.make_room()
        self._bindings[key] = None
        text = self._text()
        _, groups = self._groups.find(agent, text)
        # Where more rules fit in than the dialect obeys, all are counted.
        has_few = len(self._body) < self.dialect.rule_limit
        lines = rule_lines_of(groups, text, self.dialect, path[1:2] if has_few else "%")
        lines = self._reading.near(obeyed(lines, self.dialect), path)
        strongest = next(matching(self._reading.ranked(lines, url), path), None)
        return strongest is None or strongest[2]

    def _binding(self, url: str, agent: str) -> BindingRules:
        """The rules that bind the crawler, laid out; from now on they are kept so."""
        key = self._key(url, agent)
        binding = self._bindings.get(key)
        if binding is None:
            text = self._text()
            _, groups = self._groups.find(agent, text)
            binding = self._bound_by(key, groups, url, text)
        return binding

    def _bound_by(
        self, key: object, groups: tuple[GroupSpan, ...], url: str, text: str
    ) -> BindingRules:
        """The rules of some groups, laid out, and kept under a key."""
        origin = origin_of(url) if self._reading.resolves else None
        shared = self._bindings.shared(groups, origin)
        binding = shared or self._laid_out(url, groups, origin, text)
        self._bindings.make_room(0 if shared else binding.octets_held)
        self._bindings[key] = binding
        return binding

    def _laid_out(
        self, url: str, groups: tuple[GroupSpan, ...], origin: str | None, text: str
    ) -> BindingRules:
        lines = rule_lines_of(groups, text, self.dialect)
        otherwise = Reason.NO_RULE if groups else Reason.NO_GROUP
        if is_too_large(self._body, self.dialect) or (groups and are_too_many(lines, self.dialect)):
            lines, otherwise = [], Reason.OVER_SIZE
        return BindingRules(lines, self._reading, url, groups, origin, otherwise)

    def _key(self, url: str, agent: str) -> object:
        """The key of what binds an agent. TypeError if one of the two is no string."""
        if not isinstance(url, str):
            raise not_a_string("url", url)
        if not isinstance(agent, str):
            raise not_a_string("agent", agent)
        return (agent, origin_of(url)) if self._reading.resolves else agent

    def _rules(self, groups: tuple[GroupSpan, ...]) -> Iterator[Rule]:
        return rules_of(groups, self._text(), self.dialect)


def _check_agent(agent: object) -> None:
    if not isinstance(agent, str):
        raise not_a_string("agent", agent)


class _ByRank(dict[int, T]):
    """What a function makes of each rank, by rank. It is called once for each."""

    def __init__(self, make: Callable[[int], T]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, rank: int) -> T:
        self[rank] = self._make(rank)
        return self[rank]
