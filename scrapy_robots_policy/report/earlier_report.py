"""An earlier report's data, and how a crawl differs from it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

from ..rep.escapes import brief
from .counts import THE_REST, rule_text

MAX_OCTETS = 256 * 1024 * 1024


class OriginFigures(NamedTuple):
    """What is compared of an origin: fields of `OriginCounts`; `dropped` is over all causes."""

    mode: str
    why: str
    dropped: int
    trouble: bool


class Change(NamedTuple):
    """An origin whose access mode, or the reason for it, is another than before."""

    origin: str
    before: str
    now: str
    dropped_before: int
    dropped: int


class ChangedRule(NamedTuple):
    """A rule text or other cause, with the requests that it dropped before and now."""

    text: str
    before: int
    now: int


@dataclass(frozen=True, slots=True)
class EarlierReport:
    """What is kept of an earlier report.

    began         as in its data, in ISO 8601
    trouble       how many origins were in trouble
    waited, held  seconds that requests waited in all: for robots.txt files, for their turn
    rules         the rule texts and other causes that dropped something, with their counts
    """

    began: str
    passed: int
    dropped: int
    trouble: int
    waited: float
    held: float
    origins: Mapping[str, OriginFigures]
    rules: Mapping[str, int]

    @classmethod
    def read(cls, path: Path) -> EarlierReport:
        """FileNotFoundError if there is no file yet; ValueError, with the reason, if it cannot be
        read or is no report.
        """
        try:
            with path.open("rb") as file:
                octets = file.read(MAX_OCTETS + 1)
        except FileNotFoundError:
            raise
        except OSError as error:
            raise ValueError(f"it cannot be read: {error.strerror}") from None
        if len(octets) > MAX_OCTETS:
            raise ValueError(f"it has more than {MAX_OCTETS:,} octets")
        try:
            data = json.loads(octets)
        except (ValueError, RecursionError):
            raise ValueError("it is no JSON") from None
        try:
            return cls._of(data)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
            raise ValueError("it is no report's data") from None

    @classmethod
    def _of(cls, data: Any) -> EarlierReport:
        origins: dict[str, OriginFigures] = {}
        rules: dict[str, int] = {}
        waited = held = 0.0
        for line in data["origins"]:
            dropped = {str(cause): int(count) for cause, count in line["dropped"].items()}
            if line["origin"] != THE_REST:  # it is none: several share it
                origins[str(line["origin"])] = OriginFigures(
                    str(line["stance"]),
                    str(line["why"]),
                    sum(dropped.values()),
                    bool(line["trouble"]),
                )
            waited += float(line["waited"])
            held += float(line.get("held", 0.0))  # not in the data of 0.1.0
            for cause, count in dropped.items():
                rules[rule_text(cause)] = rules.get(rule_text(cause), 0) + count
        if not isfinite(waited + held):
            raise ValueError  # no page could show it, and the whole report would be lost
        trouble = sum(figures.trouble for figures in origins.values())
        passed, dropped_in_all = int(data["passed"]), int(data["dropped"])
        began = str(data["began"])
        return cls(began, passed, dropped_in_all, trouble, waited, held, origins, rules)


def changes(base: EarlierReport, now: Mapping[str, OriginFigures]) -> Sequence[Change]:
    """The origins of both crawls that are read otherwise now; the most dropped first."""
    both = ((origin, base.origins[origin], now[origin]) for origin in now if origin in base.origins)
    changed = (
        Change(origin, _worded(before), _worded(after), before.dropped, after.dropped)
        for origin, before, after in both
        if (before.mode, before.why) != (after.mode, after.why)
    )
    return sorted(changed, key=lambda one: (-abs(one.dropped - one.dropped_before), one))


def changed_rules(base: EarlierReport, now: Mapping[str, int]) -> Sequence[ChangedRule]:
    """The rules that drop more or fewer requests than before; the largest difference first."""
    texts = {*base.rules, *now}
    rules = (ChangedRule(text, base.rules.get(text, 0), now.get(text, 0)) for text in texts)
    changed = (rule for rule in rules if rule.before != rule.now)
    return sorted(changed, key=lambda rule: (-abs(rule.now - rule.before), rule.text))


def _worded(figures: OriginFigures) -> str:
    mode, why = figures.mode, figures.why
    return brief(f"{mode} ({why})" if why else mode or "not fetched")
