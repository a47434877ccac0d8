"""The file /.well-known/tdmrep.json: TDM Reservation Protocol, W3C Community Group Final Report,
10 May 2024 (w3c/tdm-reservation-protocol, commit 1a547b5).

Its rules are laid out like those of a robots.txt: the specification takes the paths, "*" and "$"
from there. It has one difference, which a dialect has an option for: the first rule that matches
counts. So any file takes linear time to read, and a page costs what one of robots.txt costs.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from .access import FOREVER, AccessMode, AccessPolicy, AccessResult, Step
from .dialect import Precedence
from .engines import RFC9309
from .match import Index, Ranked, place_of, reading_of
from .url import as_utf8
from .usage.preferences import TDM_POLICY, TDM_RESERVATION, Place, Preference

DIALECT = RFC9309.but(
    "tdmrep",
    precedence=Precedence.FIRST,
    robots_txt_allowed=False,
    # What the file does not say is no reservation: a file that is not there, or cannot be had,
    # allows everything. A copy stays in force while the site fails.
    access=AccessPolicy(
        html_page=AccessResult.UNAVAILABLE,
        too_many_requests=AccessResult.UNREACHABLE,
        unreachable=(Step(FOREVER, AccessMode.RULES, AccessMode.ALLOW),),
    ),
)
"""How the file is fetched, kept and matched."""


class _TdmRule(NamedTuple):
    """One object of the file. `reservation` is None where the value is neither 0 nor 1: unset.

    Attributes:
        number: its place among all objects of the file, from 1.

    """

    number: int
    location: str
    reservation: str | None
    policy: str


class TdmRules:
    """The rules of a tdmrep.json.

    Attributes:
        error: why the bytes are no such file; "": they are one.

    """

    __slots__ = ("_index", "_reading", "_rules", "error")

    def __init__(self, body: bytes) -> None:
        """Total: any bytes give rules. Bytes that cannot be read give none."""
        self.error, self._rules = _read(body)
        self._reading = reading_of(DIALECT)
        self._index = Index([("", at) for at in range(len(self._rules))])

    def _patterns_at(self, places: Iterable[int]) -> Iterator[Ranked]:
        for place in places:
            yield from self._reading.ranked(False, as_utf8(self._rules[place].location), place)

    def preferences(self, url: str) -> tuple[Preference, ...]:
        """What the first rule that matches says of a page; nothing where none matches."""
        strength = self._index.strongest(self._reading.path_of(url), self._patterns_at)
        if not strength:
            return ()
        rule = self._rules[place_of(strength)]
        fields = ((TDM_RESERVATION, rule.reservation), (TDM_POLICY, rule.policy))
        return tuple(
            Preference(label, "", value, rule.number, Place.TDMREP)
            for label, value in fields
            if value
        )


def _read(body: bytes) -> tuple[str, list[_TdmRule]]:
    """(why the bytes cannot be read, the rules)"""
    try:
        file = json.loads(body)
    except (ValueError, RecursionError) as error:
        return f"no JSON ({type(error).__name__})", []
    if not isinstance(file, list):
        return "no JSON array", []
    rules = (_rule(number, item) for number, item in enumerate(file, 1))
    return "", [rule for rule in rules if rule is not None]


def _rule(number: int, item: Any) -> _TdmRule | None:
    """None where the object has no location or no reservation: both are mandatory."""
    if not isinstance(item, dict) or TDM_RESERVATION not in item:
        return None
    location, policy = item.get("location"), item.get(TDM_POLICY)
    if not isinstance(location, str) or not location:
        return None
    reservation = _reservation(item[TDM_RESERVATION])
    return _TdmRule(number, location, reservation, policy if isinstance(policy, str) else "")


def _reservation(value: Any) -> str | None:
    """The value 0 or 1, as a number or, as in headers, as text. Any other is an error: unset."""
    if isinstance(value, bool) or value not in (0, 1, "0", "1"):
        return None
    return str(int(value))  # JSON's 1.0 is 1
