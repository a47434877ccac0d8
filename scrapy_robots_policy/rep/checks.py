"""Values that callers hand in, checked: one sentence about each wrong one, in place of Python's own
from deep inside, or of a site that is opened without a word.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from enum import Enum
from functools import cache
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from .escapes import quoted


def wrong_type(name: str, wanted: str, value: object) -> TypeError:
    """The error for an argument. `wanted`: what it must be, "a str"."""
    return TypeError(f"{name} must be {wanted}, not {type(value).__name__}")


def not_a_string(name: str, value: object) -> TypeError:
    """The error for a URL, an agent or the like that is no string."""
    return wrong_type(name, "a str", value)


def check_type(name: str, value: object, kind: type) -> None:
    """TypeError unless an argument is of that type."""
    if not isinstance(value, kind):
        raise wrong_type(name, f"of type {kind.__name__}", value)


def check_body(body: object) -> None:
    """TypeError unless it can be the bytes of a robots.txt."""
    if not isinstance(body, bytes | bytearray | memoryview):
        raise wrong_type("a robots.txt", "bytes", body)


def check_strings(name: str, values: object) -> None:
    """TypeError unless the values are a collection of strings. One string is no collection here:
    its letters would be taken for the values.
    """
    if isinstance(values, str | bytes | bytearray) or not isinstance(values, Collection):
        raise wrong_type(name, "a collection of str", values)
    for value in values:
        if not isinstance(value, str):
            raise not_a_string(f"each of {name}", value)


def check_fields(owner: object, name: str, fields: Mapping[str, Any]) -> None:
    """Check fields of a frozen dataclass, by their types. A word for an enum's member becomes it.

    Args:
        name: the owner in the ValueError for a value that is none of the type's.

    """
    for field, hint in fields.items():
        given = getattr(owner, field)
        value = _value(f"{name}: {field}", hint, given)
        if value is not given:
            object.__setattr__(owner, field, value)


@cache
def hints_of(kind: type) -> Mapping[str, Any]:
    """The fields of a dataclass, by name, with the type of each."""
    return get_type_hints(kind)


def _value(name: str, hint: Any, value: Any) -> Any:
    if get_origin(hint) in (Union, UnionType):
        if value is None:
            return None
        hint = get_args(hint)[0]
    if _is_of(hint, value):
        return value
    choices = list(hint) if isinstance(hint, type) and issubclass(hint, Enum) else []
    for choice in choices:
        if value in (choice.value, choice.name.lower()):
            return choice
    wanted = " or ".join(repr(choice.value) for choice in choices) or f"of type {_words(hint)}"
    raise ValueError(f"{name} is {quoted(value)}, it must be {wanted}")


def _is_of(hint: Any, value: object) -> bool:
    if hint in (int, float):
        kinds = int if hint is int else (int, float)
        return isinstance(value, kinds) and not isinstance(value, bool) and value >= 0
    kind, items = get_origin(hint) or hint, get_args(hint)
    if not isinstance(value, kind):
        return False
    if kind is frozenset:
        return all(_is_of(items[0], item) for item in value)
    if kind is not tuple:
        return True
    if items[-1] is Ellipsis:
        return all(_is_of(items[0], item) for item in value)
    return len(value) == len(items) and all(map(_is_of, items, value))


def _words(hint: Any) -> str:
    kind, items = get_origin(hint) or hint, get_args(hint)
    if kind in (int, float):
        return f"{kind.__name__}, 0 or more"
    if kind not in (tuple, frozenset):
        return str(kind.__name__)
    several = f"{len(items)} values" if kind is tuple and items[-1] is not Ellipsis else "values"
    return f"{kind.__name__} with {several} of type {_words(items[0])} alone"
