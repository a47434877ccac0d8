"""A dialect as plain data and back, and its fingerprint: what a record needs to be replayed.

The data has every option that changes an answer. Sources and certainty change none, so they are
left out. Years later the engine's table may have changed; the record still has the old values.
"""

from __future__ import annotations

import json
import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from hashlib import sha256
from typing import Any, Union, get_args, get_origin, get_type_hints

from ..rep import Agent, Dialect

_encode_sorted = json.JSONEncoder(separators=(",", ":"), sort_keys=True).encode
_LEFT_OUT = frozenset({"name", "sources", "source", "certainty"})


def data_of(dialect: Dialect) -> dict[str, Any]:
    """All options of a dialect, as JSON can hold them."""
    data: dict[str, Any] = _plain(dialect)
    return data


def fingerprint(data: Mapping[str, Any]) -> str:
    """SHA-256 of the options as JSON, keys sorted, without spaces."""
    return sha256(_encode_sorted(data).encode("ascii")).hexdigest()


def dialect_from(name: str, data: Mapping[str, Any]) -> Dialect:
    """The dialect of such data. ValueError where it is none."""
    try:
        return Dialect(name, **_values(Dialect, data))
    except (TypeError, LookupError, AttributeError, ValueError) as error:
        raise ValueError(f"the dialect {name!r} cannot be read: {error}") from None


def _plain(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Agent):
        return [value.name, value.dialect, list(value.chain)]
    if is_dataclass(value):
        names = (item.name for item in fields(value) if item.name not in _LEFT_OUT)
        return {name: _plain(getattr(value, name)) for name in names}
    if isinstance(value, Mapping):
        return {key: _plain(value[key]) for key in value}
    if isinstance(value, range):
        return [value.start, value.stop]
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return "inf" if value == float("inf") else value


def _values(kind: type, data: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a dataclass. A field that the data lacks is newer than it: the default."""
    hints = get_type_hints(kind)
    return {name: _value(hints[name], data[name]) for name in data}


def _value(hint: Any, data: Any) -> Any:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return None if data is None else _value(arguments[0], data)
    if origin is tuple and arguments[-1] is Ellipsis:
        return tuple(_value(arguments[0], item) for item in data)
    if origin is tuple:
        return tuple(_value(kind, item) for kind, item in zip(arguments, data, strict=True))
    if origin is frozenset:
        return frozenset(data)
    if origin is not None:  # the crawlers by name
        return types.MappingProxyType(
            {key: Agent(item[0], item[1], tuple(item[2]), "") for key, item in data.items()}
        )
    return _single(hint, data)


def _single(hint: Any, data: Any) -> Any:
    if hint is range:
        return range(*data)
    if is_dataclass(hint):
        made: Any = hint
        return made(**_values(made, data))
    if hint is float:
        return float(data)
    return hint(data) if issubclass(hint, Enum) else data
