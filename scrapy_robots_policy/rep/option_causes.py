"""Which options make two dialects answer one question differently.

No table says what an option changes. Options of one dialect are set to the other's values, and the
question is asked again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .dialects.dialect import Dialect
from .dialects.engines import differences

Answer = Any  # a value with ==


@dataclass(frozen=True, slots=True)
class Cause:
    """The options that make the difference, each with its two values: (here, there).

    together  False: each option alone gives the other answer. True: only all of them do.
    """

    options: dict[str, tuple[Any, Any]]
    together: bool = False

    def __str__(self) -> str:
        return (" with " if self.together else " or ").join(self.options)


def cause(ask: Callable[[Dialect], Answer], here: Dialect, there: Dialect) -> Cause | None:
    """The options of `here` that, with the values of `there`, give the answer of `there`.

    None if both give the same answer. If no option does it alone: a set from which no option can
    be left out.
    """
    wanted = ask(there)
    if ask(here) == wanted:
        return None
    pairs = differences(here, there)
    alone = {
        option: pair
        for option, pair in pairs.items()
        if ask(with_values(here, {option: pair})) == wanted
    }
    if alone:
        return Cause(alone)
    for option in list(pairs):
        fewer = {other: pair for other, pair in pairs.items() if other != option}
        if ask(with_values(here, fewer)) == wanted:
            pairs = fewer
    return Cause(pairs, together=True)


def with_values(here: Dialect, pairs: dict[str, tuple[Any, Any]]) -> Dialect:
    """`here` with the second value of each pair."""
    changed = {option: value for option, (_, value) in pairs.items()}
    return here.but(f"{here.name}, {', '.join(changed)} changed", **changed)
