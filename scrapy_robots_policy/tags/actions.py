"""Which parts of what a page says are obeyed, and how.

Knows: the parts, the actions, and how a user writes them. Must not know: settings' names, what
pages say, how anything is dropped.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import Any


class Action(Enum):
    """What becomes of a request or an item that a page does not want."""

    OFF = "off"  # it passes; counted where a header says so, for HTML is not read
    COUNT = "count"  # it passes, and is counted
    MARK = "mark"  # an item passes with the part in its field `MARKS`
    DROP = "drop"


MARKS = "robots_tags"

ON_REQUESTS = ("nofollow", "rel-nofollow")
ON_ITEMS = ("noindex", "noarchive", "expired", "use")
BY_TAG = ("nofollow", "noindex", "noarchive", "expired")

Actions = Mapping[str, Action]

DEFAULTS: Actions = MappingProxyType(
    {**dict.fromkeys((*ON_REQUESTS, *ON_ITEMS), Action.OFF), "use": Action.DROP}
)
"""Nothing is obeyed until it is asked for; for "use" that is to declare a purpose."""


def read_actions(where: str, told: Any) -> Actions:
    """Actions by part, from what stands at `where`. ValueError names the choices."""
    if isinstance(told, Mapping):
        read = {part: _action(part, word) for part, word in told.items()}
        if None not in read.values():
            return {part: action for part, action in read.items() if action is not None}
    actions = ", ".join(repr(action.value) for action in Action)
    msg = (
        f"{where} is {told!r}; it must be a dict with, for {', '.join(DEFAULTS)}, "
        f"one of {actions} ('mark' for items only: {', '.join(ON_ITEMS)})"
    )
    raise ValueError(msg)


def _action(part: Any, word: Any) -> Action | None:
    action = next((one for one in Action if word in (one, one.value)), None)
    if part not in DEFAULTS or (action is Action.MARK and part not in ON_ITEMS):
        return None
    return action
