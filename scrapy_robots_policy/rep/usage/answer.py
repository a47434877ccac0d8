"""What a site says to the uses that a crawl declares, by all preferences for one page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum

from .preferences import (
    CONTENT_USAGE,
    PURPOSES,
    TDM_POLICY,
    TDM_RESERVATION,
    VOCAB,
    DeclaredUse,
    Overridden,
    Place,
    Preference,
)

# TDMRep, "Processing priority": the later one supersedes the earlier.
_TDM_PLACES = (Place.TDMREP, Place.HEADER, Place.META)
_TDM_WHY = "a {} overrides a {}: TDMRep, Processing priority"
_REFUSAL_COUNTS = f"any refusal counts: {VOCAB}, Combining Preferences"
_SEARCH_COUNTS = f"search=y covers what a search application does inside: {VOCAB}, 4.3"


class Result(Enum):
    """What the site says to one declared use."""

    REFUSED = "refused"
    GRANTED = "granted"
    OPEN = "not stated"


@dataclass(frozen=True, slots=True)
class UseResult:
    """The result for one declared use. `by`: the preference that decides; None: there is none."""

    name: str
    result: Result
    by: Preference | None = None

    def __str__(self) -> str:
        return f"{self.name} {self.result.value}" + (f" by {self.by}" if self.by else "")


@dataclass(frozen=True, slots=True)
class UseAnswer:
    """The answer.

    Attributes:
        preferences: all of them.
        holding: those that hold.
        overridden: those that do not, each with what overrides it.
        results: one for each declared use.

    """

    preferences: tuple[Preference, ...] = ()
    holding: tuple[Preference, ...] = ()
    overridden: tuple[Overridden, ...] = ()
    results: tuple[UseResult, ...] = ()

    @property
    def refused(self) -> Preference | None:
        """The preference that refuses a declared use; None: none is refused."""
        return next((one.by for one in self.results if one.result is Result.REFUSED), None)


def answer(
    preferences: Iterable[Preference],
    use: DeclaredUse,
    overridden: Iterable[Overridden] = (),
) -> UseAnswer:
    """The answer for a page.

    Args:
        preferences: what holds in each of the places: robots.txt, tdmrep.json, headers, tags.
        overridden: what was overridden inside of one place already.

    """
    every = tuple(preferences)
    holding, superseded = superseding(every)
    results = tuple(_result(name, use, holding) for name in use.names)
    more = (*_outvoted(results, use, holding), *_inside_search(use, holding))
    return UseAnswer(every, holding, (*overridden, *superseded, *more), results)


def superseding(
    preferences: Iterable[Preference],
) -> tuple[tuple[Preference, ...], tuple[Overridden, ...]]:
    """(the preferences that hold, those of TDMRep that a later place supersedes)"""
    every = tuple(preferences)
    overridden: list[Overridden] = []
    for label in (TDM_RESERVATION, TDM_POLICY):
        of_label = [one for one in every if one.label == label]
        if len(of_label) < 2:
            continue
        last = max(of_label, key=_rank)
        for one in of_label:
            if _TDM_PLACES.index(one.place) < _TDM_PLACES.index(last.place):
                why = _TDM_WHY.format(last.place.value, one.place.value)
                overridden.append(Overridden(one, last, why))
    gone = {id(one.preference) for one in overridden}
    return tuple(one for one in every if id(one) not in gone), tuple(overridden)


def _rank(preference: Preference) -> tuple[int, bool]:
    """The place, and in one place, which contradicts itself, the reservation."""
    return _TDM_PLACES.index(preference.place), preference.refuses


def _result(name: str, use: DeclaredUse, holding: Iterable[Preference]) -> UseResult:
    """vocab-08, "Combining Preferences": any refusal refuses; else any grant grants."""
    concerned = [one for one in holding if use.concerns(name, one)]
    for one in concerned:
        if use.is_refused_by(one):
            return UseResult(name, Result.REFUSED, one)
    for one in concerned:
        if one.grants or one.level >= 0:
            return UseResult(name, Result.GRANTED, one)
    return UseResult(name, Result.OPEN)


def _outvoted(
    results: Iterable[UseResult], use: DeclaredUse, holding: Iterable[Preference]
) -> Iterator[Overridden]:
    """The grants that a refusal of the same use overrides."""
    for result in results:
        if result.result is Result.REFUSED and result.by is not None:
            for one in holding:
                if use.concerns(result.name, one) and not use.is_refused_by(one):
                    yield Overridden(one, result.by, _REFUSAL_COUNTS)


def _inside_search(use: DeclaredUse, holding: tuple[Preference, ...]) -> Iterator[Overridden]:
    """A search engine's own training and AI use is part of search, where search is granted.

    Only for a crawl that declares search and not the purpose that is refused: that one it declares
    beyond search.
    """
    if "search" not in use.purposes:
        return
    of_usage = [one for one in holding if one.label == CONTENT_USAGE]
    granted = next((one for one in of_usage if one.key == "search" and one.grants), None)
    if granted is None:
        return
    for name in sorted(PURPOSES.keys() - use.purposes):
        for one in of_usage:
            if one.refuses and (one.label, one.key) in PURPOSES[name]:
                yield Overridden(one, granted, _SEARCH_COUNTS)
