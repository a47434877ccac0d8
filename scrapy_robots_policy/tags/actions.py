"""What the user wants done about what a page says, by part."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import Any

MARKS = "robots_tags"  # the field of an item
ON_REQUESTS = ("nofollow", "rel-nofollow")
ON_ITEMS = ("noindex", "noarchive", "expired", "use")
BY_TAG = ("nofollow", "noindex", "noarchive", "expired")


class Action(Enum):
    """What happens to a request or an item that a tag of its page refuses."""

    OFF = "off"  # it passes. Tags in headers are counted; the HTML is not parsed
    COUNT = "count"  # it passes, and is counted
    MARK = "mark"  # an item passes, with the part's name in its field `MARKS`
    DROP = "drop"


Actions = Mapping[str, Action]
DEFAULTS: Actions = MappingProxyType(
    {**dict.fromkeys((*ON_REQUESTS, *ON_ITEMS), Action.OFF), "use": Action.DROP}
)
"""The user must switch each part on. "use" is on, but does nothing without a ROBOTS_PURPOSE."""


def read_actions(where: str, value: Any) -> Actions:
    """Actions by part, from the value of the setting, attribute or meta key `where`.

    ValueError names the part, and its choices.
    """
    if not isinstance(value, Mapping):
        raise ValueError(f"{where} is {value!r}; it must be a dict of actions by part")
    return {part: _action(where, part, name) for part, name in value.items()}


def _action(where: str, part: Any, name: Any) -> Action:
    if part not in DEFAULTS:
        raise ValueError(f"{where} has the key {part!r}; the keys are {', '.join(DEFAULTS)}")
    choices = [action for action in Action if action is not Action.MARK or part in ON_ITEMS]
    for action in choices:
        if name in (action, action.value):
            return action
    words = ", ".join(action.value for action in choices)
    raise ValueError(f"{where} has {name!r} for {part!r}; it must be one of {words}")
