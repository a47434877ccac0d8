"""Which option it is: why two dialects answer one question differently.

Knows: dialects as values, and a question that can be asked of any of them.
Must not know: what an option does, who the dialects are, what the question is.

Nothing is looked up by name: options are turned, and the question is asked again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .dialects.dialect import Dialect
from .dialects.engines import differences

Answer = Any  # anything that can be compared


@dataclass(frozen=True, slots=True)
class Cause:
    """The options that make the difference, each with its value here and there.

    together  False: each of them alone gives the other answer. True: only all of them do.
    """

    options: dict[str, tuple[Any, Any]]
    together: bool = False

    def __str__(self) -> str:
        return (" with " if self.together else " or ").join(self.options)


def cause(ask: Callable[[Dialect], Answer], here: Dialect, there: Dialect) -> Cause | None:
    """The options of `here` that, set as they are `there`, give the answer of `there`.

    None where both answer alike. Where no option does it alone: a smallest set that does.
    """
    wanted = ask(there)
    if ask(here) == wanted:
        return None
    pairs = differences(here, there)
    alone = {
        option: pair for option, pair in pairs.items() if ask(turn(here, {option: pair})) == wanted
    }
    if alone:
        return Cause(alone)
    for option in list(pairs):
        fewer = {other: pair for other, pair in pairs.items() if other != option}
        if ask(turn(here, fewer)) == wanted:
            pairs = fewer
    return Cause(pairs, together=True)


def turn(here: Dialect, pairs: dict[str, tuple[Any, Any]]) -> Dialect:
    """`here` with the options as they are in the other."""
    changed = {option: value for option, (_, value) in pairs.items()}
    return here.but(f"{here.name}, {', '.join(changed)} turned", **changed)
