"""How a dialect is written down: each option with its source and how sure we are.

Knows: that a dialect is made from another by what is known of it. Must not know: any dialect.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from .dialect import Dialect, Provenance, options
from .options import Certainty


@dataclass(frozen=True, slots=True)
class SourcedOption:
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
    """Options in which a dialect is known to agree with the one it is made from."""
    return {name: SourcedOption(getattr(base, name), certainty, source) for name in names}


def derive(name: str, base: Dialect, **known: SourcedOption) -> Dialect:
    """A dialect from the one it resembles and what is known of it.

    An option that nothing is known of is the base's, and no more than assumed.
    """
    inherited = dict.fromkeys(
        options(), Provenance(Certainty.ASSUMED, f"no source: as {base.name}")
    )
    sources = {option: Provenance(given.certainty, given.source) for option, given in known.items()}
    made = base.but(name, **{option: given.value for option, given in known.items()})
    return replace(made, sources=MappingProxyType(inherited | sources))
