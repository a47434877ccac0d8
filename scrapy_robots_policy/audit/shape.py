"""The shape of a line: whether it has the fields of the package's schema, and of the right types.

Anybody may have written a record, and its readers rely on both. A field that is new is no fault.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import NoneType
from typing import Any

_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (NoneType,),
    "array": (list,),
    "object": (dict,),
}
_MAX_WHOLE = 2**63  # SQLite takes no larger one, and a float has an end


def fault(fields: Mapping[str, Any]) -> str:
    """What is wrong with the fields of a line, in words; "" if nothing is."""
    schema = _lines().get(fields["type"])
    if schema is None:
        return ""
    for name in schema["required"]:
        if name not in fields:
            return f"{name!r} is missing"
    expected = schema["properties"]
    for name in fields:
        if name in expected and not _fits(fields[name], expected[name]):
            return f"{name!r} has the wrong type"
    return ""


def is_known(kind: str) -> bool:
    """Whether a line of this type is one that is described."""
    return kind in _lines()


@cache
def _lines() -> Mapping[str, Mapping[str, Any]]:
    """The schemas by the type of the line."""
    text = (files(__package__) / "line_schema.json").read_text("utf-8")
    lines: dict[str, Mapping[str, Any]] = json.loads(text)["$defs"]
    return lines


def _fits(value: Any, schema: Mapping[str, Any]) -> bool:
    if "anyOf" in schema:
        return any(_fits(value, choice) for choice in schema["anyOf"])
    name = schema.get("type")
    if name is None:  # a constant, or a choice of constants
        choices = schema["enum"] if "enum" in schema else [schema["const"]]
        return any(isinstance(value, type(choice)) for choice in choices)
    has_type = isinstance(value, _TYPES[name])
    if isinstance(value, int) and name in ("integer", "number"):
        return abs(value) < _MAX_WHOLE and not isinstance(value, bool)
    if has_type and name == "array":
        return all(_fits(item, schema["items"]) for item in value)
    if has_type and name == "object":
        return _members_fit(value, schema)
    return has_type


def _members_fit(value: Mapping[str, Any], schema: Mapping[str, Any]) -> bool:
    if not value.keys() >= set(schema.get("required", ())):
        return False
    named, others = schema.get("properties", {}), schema.get("additionalProperties")
    expected = ((value[key], named.get(key, others)) for key in value)
    return all(_fits(item, of_item) for item, of_item in expected if isinstance(of_item, dict))
