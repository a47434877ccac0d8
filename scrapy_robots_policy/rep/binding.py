"""The rules that bind one crawler, in an index; and a bounded cache of such indexes by crawler."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence

from .groups import GroupSpan
from .index import Index
from .patterns import Reading, RuleLine
from .verdict import Reason, Rule

MAX_KEPT = 100  # rules of a group that are kept as objects: most refusals are by a few
RULE_OCTETS = 150  # of memory that one of them takes, about

_MAX_AGENTS = 256  # for so many agents it is remembered what binds them; a crawl asks as one or few
_MAX_OCTETS = 8 * 1024 * 1024  # of all indexes of one file; the newest is always kept
_AGENT_OCTETS = 200  # of memory that an agent takes without its index, about


class BindingRules(Index):
    """An index with its rules. It is made once; only the numbers of their lines are read later.

    groups     where the rules stand in the text
    origin     the site that they are read for, where a rule may name a site
    otherwise  the reason why a path is allowed about which no rule says anything
    """

    __slots__ = (
        "_allow_lines",
        "_kept",
        "_line_numbers",
        "_paths",
        "groups",
        "origin",
        "otherwise",
    )

    def __init__(
        self,
        lines: Sequence[RuleLine],
        reading: Reading,
        url: str,
        groups: tuple[GroupSpan, ...],
        origin: str | None,
        otherwise: Reason,
    ) -> None:
        super().__init__(reading.ranked(lines, url), reading)
        self.groups, self.origin = groups, origin
        self.otherwise = otherwise
        # A plain path is the very string that stands in the index.
        self._paths = [start + rest for _, start, rest in lines]
        self._allow_lines = bytes(key != "" for key, _, _ in lines)
        self._line_numbers: array[int] | None = None
        self._kept: dict[int, Rule] = {}
        self.octets_held += 2 * sum(map(len, self._paths))

    def rule(self, number: int, rules: Callable[[tuple[GroupSpan, ...]], Iterable[Rule]]) -> Rule:
        """A rule by its number in the group. `rules` reads all rules of some groups."""
        rule = self._kept.get(number)
        if rule is not None:
            return rule
        if self._line_numbers is None:
            self._line_numbers = array("I", (rule.line for rule in rules(self.groups)))
        at = number - 1
        rule = Rule(self._allow_lines[at] == 1, self._paths[at], self._line_numbers[at])
        if len(self._kept) < MAX_KEPT:
            self._kept[number] = rule
            self.octets_held += RULE_OCTETS
        return rule


class Bindings(dict[object, BindingRules | None]):
    """What binds an agent. None: there was one question about it, which needs no index.

    The key is the agent, with the origin where a rule may name a site.
    """

    __slots__ = ()

    @property
    def octets_held(self) -> int:
        return len(self) * _AGENT_OCTETS + self._octets_laid_out()

    def shared(self, groups: tuple[GroupSpan, ...], origin: str | None) -> BindingRules | None:
        """What binds another agent by the same groups: most agents are bound by the same ones."""
        for binding in list(self.values()):
            if binding and (binding.groups, binding.origin) == (groups, origin):
                return binding
        return None

    def make_room(self, octets: int = 0) -> None:
        """Forget what is laid out if it is too much, or will be too much with `octets` more."""
        too_much = octets and self._octets_laid_out() + octets > _MAX_OCTETS
        if too_much or len(self) >= _MAX_AGENTS:
            self.clear()

    def _octets_laid_out(self) -> int:
        return sum(binding.octets_held for binding in {*self.values()} if binding)
