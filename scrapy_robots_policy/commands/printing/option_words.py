"""Options of dialects in a few words: their values, and how two dialects differ."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

from ...rep.dialect import NO_LIMIT
from ...rep.engines import Cause


def described(why: Cause, here_name: str) -> str:
    """Each option with its value there and its value here: "precedence: first (google: longest)".

    here_name  the name of the dialect here
    """
    changes = [
        f"{option}: {value_text(there)} ({here_name}: {value_text(here)})"
        for option, (here, there) in why.options.items()
    ]
    return (" and " if why.together else ", or ").join(changes)


def value_text(value: Any) -> str:
    """An option's value in a few words; "…" for a value that has no short text."""
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return " ".join(value)
    if isinstance(value, int):
        return "none" if value >= NO_LIMIT else f"{value:,}"
    if isinstance(value, Mapping):
        return f"{len(value)} crawlers"
    return "…"
