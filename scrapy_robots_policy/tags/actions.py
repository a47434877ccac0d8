"""The parts of a page's robots tags, and what the user wants done about each."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import Any


class Action(Enum):
    """What happens to a request or an item that a tag of its page refuses."""

    OFF = "off"  # it passes. Tags in headers are counted; the HTML is not parsed
    COUNT = "count"  # it passes, and is counted
    MARK = "mark"  # an item passes, with the part's name in its field `MARKS`
    DROP = "drop"


MARKS = "robots_tags"  # the field of an item

ON_REQUESTS = ("nofollow", "rel-nofollow")
ON_ITEMS = ("noindex", "noarchive", "expired", "use")
BY_TAG = ("nofollow", "noindex", "noarchive", "expired")

Actions = Mapping[str, Action]

DEFAULTS: Actions = MappingProxyType(
    {**dict.fromkeys((*ON_REQUESTS, *ON_ITEMS), Action.OFF), "use": Action.DROP}
)
"""The user must switch each part on. "use" is on, but does nothing without a ROBOTS_PURPOSE."""


def read_actions(where: str, value: Any) -> Actions:
    """Actions by part, from the value of the setting, attribute or meta key `where`.

    ValueError names the choices.
    """
    if isinstance(value, Mapping):
        actions = {part: _action(part, name) for part, name in value.items()}
        if None not in actions.values():
            return {part: action for part, action in actions.items() if action is not None}
    choices = ", ".join(repr(action.value) for action in Action)
    msg = (
        f"{where} is {value!r}; it must be a dict with, for {', '.join(DEFAULTS)}, "
        f"one of {choices} ('mark' for items only: {', '.join(ON_ITEMS)})"
    )
    raise ValueError(msg)


def _action(part: Any, name: Any) -> Action | None:
    action = next((choice for choice in Action if name in (choice, choice.value)), None)
    if part not in DEFAULTS or (action is Action.MARK and part not in ON_ITEMS):
        return None
    return action
