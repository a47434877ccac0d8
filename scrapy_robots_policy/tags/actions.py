"""Which parts of a page's tags are obeyed, and how.

Knows: the parts, the actions, and how a user writes them. Must not know: settings' names, how tags
are written, how anything is dropped.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import Any


class Action(Enum):
    """What becomes of a request or an item that the tags of its page refuse."""

    OFF = "off"  # it passes; counted if the tag is in a header, as HTML is not read
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
"""Tags are obeyed only where the user sets it; "use" also needs a declared purpose."""


def read_actions(where: str, value: Any) -> Actions:
    """Actions by part, from the value of the setting, attribute or meta key `where`.

    ValueError names the choices.
    """
    if isinstance(value, Mapping):
        actions = {part: _action(part, word) for part, word in value.items()}
        if None not in actions.values():
            return {part: action for part, action in actions.items() if action is not None}
    choices = ", ".join(repr(action.value) for action in Action)
    msg = (
        f"{where} is {value!r}; it must be a dict with, for {', '.join(DEFAULTS)}, "
        f"one of {choices} ('mark' for items only: {', '.join(ON_ITEMS)})"
    )
    raise ValueError(msg)


def _action(part: Any, word: Any) -> Action | None:
    action = next((one for one in Action if word in (one, one.value)), None)
    if part not in DEFAULTS or (action is Action.MARK and part not in ON_ITEMS):
        return None
    return action
