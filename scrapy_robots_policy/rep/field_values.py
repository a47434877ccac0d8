"""The fields of a dialect and of its parts, checked when one is made.

A value of a wrong type would stop a crawl in its middle, or open a site without a word.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from functools import cache
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from .escapes import quoted


def check_fields(owner: object, name: str, fields: Mapping[str, Any]) -> None:
    """Check fields of a frozen dataclass, by their types. A word for an enum's member becomes it.

    name  the owner in the ValueError for a value that is none of the type's
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
