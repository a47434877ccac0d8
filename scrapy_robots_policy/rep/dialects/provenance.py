"""Functions to define a dialect: each option with its source, and how sure it is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from .dialect import Dialect, Provenance, options
from .options import Certainty


@dataclass(frozen=True, slots=True)
class SourcedOption:
    """The value of an option with its source."""

    value: Any
    certainty: Certainty
    source: str


def oracle(value: Any, source: str) -> SourcedOption:
    return SourcedOption(value, Certainty.ORACLE, source)


def documented(value: Any, source: str) -> SourcedOption:
    return SourcedOption(value, Certainty.DOCUMENTED, source)


def assumed(value: Any, source: str) -> SourcedOption:
    return SourcedOption(value, Certainty.ASSUMED, source)


def agreed(
    base: Dialect, certainty: Certainty, source: str, *names: str
) -> dict[str, SourcedOption]:
    """Options that have the value of `base`, by a source of their own."""
    return {name: SourcedOption(getattr(base, name), certainty, source) for name in names}


def derive(name: str, base: Dialect, **sourced: SourcedOption) -> Dialect:
    """A dialect like `base`, but for its options with a source.

    An option without a source has the value of `base`, and is assumed.
    """
    inherited = dict.fromkeys(
        options(), Provenance(Certainty.ASSUMED, f"no source: as {base.name}")
    )
    sources = {
        option: Provenance(given.certainty, given.source) for option, given in sourced.items()
    }
    made = base.but(name, **{option: given.value for option, given in sourced.items()})
    return replace(made, sources=MappingProxyType(inherited | sources))
