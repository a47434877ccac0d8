"""The rules of files that the user has set in place of those of sites: in ROBOTS_OVERRIDES, say."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field

from ..rep import Dialect, RuleSet, parse
from .origin import OVERHEAD, OriginRules, rules_given

MAX_OCTETS = 128 * 1024 * 1024
MAX_ORIGINS = 1000  # of one file, for which its rules are kept as those of the origin


@dataclass(slots=True, eq=False)
class _GivenFile:
    """One file in one dialect.

    octets_held  what its parsed rules took when they were weighed last. The file itself does not
                 count: the setting has it
    """

    octets: bytes
    rules: RuleSet
    octets_held: int = 0
    by_origin: dict[str, OriginRules] = field(default_factory=dict)

    def of(self, origin: str) -> OriginRules:
        rules = self.by_origin.get(origin)
        if rules is None:
            if len(self.by_origin) >= MAX_ORIGINS:
                self.by_origin.clear()
            rules = self.by_origin[origin] = rules_given(
                origin, self.rules.dialect, self.octets, self.rules
            )
        return rules

    def weigh(self) -> int:
        """How many octets it has grown by: more is laid out as more is asked."""
        before = self.octets_held
        parsed = self.rules.octets_held - len(self.octets)
        self.octets_held = parsed + OVERHEAD * (1 + len(self.by_origin))
        return self.octets_held - before


class GivenRules:
    """One file is parsed once for any number of origins. The rules that were not used for longest
    are forgotten where all take more than `max_octets`; the newest always stay.
    """

    def __init__(self, max_octets: int = MAX_OCTETS) -> None:
        self.max_octets, self.octets = max_octets, 0
        self._files: OrderedDict[tuple[bytes, Dialect], _GivenFile] = OrderedDict()

    def __len__(self) -> int:
        return len(self._files)

    def of(self, origin: str, dialect: Dialect, octets: bytes) -> OriginRules:
        """The rules of a file for an origin. They stay fresh."""
        key = octets, dialect
        file = self._files.get(key)
        if file is None:
            file = self._files[key] = _GivenFile(octets, parse(octets, dialect))
        else:
            self._files.move_to_end(key)
        rules = file.of(origin)
        self.octets += file.weigh()
        while self.octets > self.max_octets and len(self._files) > 1:
            self.octets -= self._files.popitem(last=False)[1].octets_held
        return rules
