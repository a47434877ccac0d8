"""Functions to define a dialect: each option with its source, and how sure it is."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

from .dialect import Dialect, Provenance, options
from .options import Certainty


class SourcedOption(NamedTuple):
    """The value of an option with its source."""

    value: Any
    provenance: Provenance


def oracle(value: Any, source: str) -> SourcedOption:
    return SourcedOption(value, Provenance(Certainty.ORACLE, source))


def documented(value: Any, source: str) -> SourcedOption:
    return SourcedOption(value, Provenance(Certainty.DOCUMENTED, source))


def assumed(value: Any, source: str) -> SourcedOption:
    return SourcedOption(value, Provenance(Certainty.ASSUMED, source))


def agreed(
    base: Dialect, certainty: Certainty, source: str, *names: str
) -> dict[str, SourcedOption]:
    """Options that have the value of `base`, by a source of their own."""
    provenance = Provenance(certainty, source)
    return {name: SourcedOption(getattr(base, name), provenance) for name in names}


def derive(name: str, base: Dialect, **sourced: SourcedOption) -> Dialect:
    """A dialect like `base`, but for its options with a source.

    An option without a source has the value of `base`, and is assumed.
    """
    made = base.but(name, **{option: given.value for option, given in sourced.items()})
    as_base = Provenance(Certainty.ASSUMED, f"no source: as {base.name}")
    sources = {option: given.provenance for option, given in sourced.items()}
    return replace(made, sources=MappingProxyType(dict.fromkeys(options(), as_base) | sources))
