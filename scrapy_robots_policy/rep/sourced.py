"""How a dialect is written down: each knob with its source and how sure we are.

Knows: that a dialect is made from another by what is known of it. Must not know: any dialect.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from .dialect import Dialect, Source, knobs
from .knobs import Certainty


@dataclass(frozen=True, slots=True)
class Knob:
    value: Any
    certainty: Certainty
    source: str


def oracle(value: Any, source: str) -> Knob:
    return Knob(value, Certainty.ORACLE, source)


def documented(value: Any, source: str) -> Knob:
    return Knob(value, Certainty.DOCUMENTED, source)


def assumed(value: Any, source: str) -> Knob:
    return Knob(value, Certainty.ASSUMED, source)


def agreed(base: Dialect, certainty: Certainty, source: str, *names: str) -> dict[str, Knob]:
    """Knobs in which a dialect is known to agree with the one it is made from."""
    return {name: Knob(getattr(base, name), certainty, source) for name in names}


def derive(name: str, base: Dialect, **known: Knob) -> Dialect:
    """A dialect from the one it resembles and what is known of it.

    A knob that nothing is known of is the base's, and no more than assumed.
    """
    inherited = dict.fromkeys(knobs(), Source(Certainty.ASSUMED, f"no source: as {base.name}"))
    sources = {knob: Source(given.certainty, given.source) for knob, given in known.items()}
    made = base.but(name, **{knob: given.value for knob, given in known.items()})
    return replace(made, sources=MappingProxyType(inherited | sources))
