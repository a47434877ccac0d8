"""The kinds of values that settings have, and what is wrong with one, in a sentence."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from inspect import iscoroutinefunction, signature
from typing import Any, NamedTuple

from ..core.host_patterns import host_pattern
from ..imports import imported
from ..rep import DIALECTS, Dialect, dialect_of, product_token
from ..rep.access import AccessMode
from ..rep.agents import is_name, names_a_crawler
from ..rep.escapes import nearest, quoted
from ..rep.usage.preferences import PURPOSES
from ..tags.actions import read_actions

# From Python 3.14 on, annotations are evaluated when they are asked for, and one may name what only
# a type checker imports.
_AS_WRITTEN: Mapping[str, Any] = (
    {"annotation_format": import_module("annotationlib").Format.STRING}
    if sys.version_info >= (3, 14)
    else {}
)


MAX_SECONDS = 1e9  # 31 years


class SettingError(ValueError):
    """A wrong value, in one sentence: the setting, the value, and what it must be."""


class _WrongError(Exception):
    """A value is of another kind. The message says what came of trying, in a few words."""


class Kind(NamedTuple):
    """A kind of values.

    Attributes:
        words: what a value must be, for an error and for docs/settings.md.
        convert: gives the value that is meant by one of the setting of this name. It may raise any
            error for what is of another kind.

    """

    words: str
    convert: Callable[[str, Any], Any]

    def read(self, name: str, value: Any) -> Any:
        """The value of a setting. SettingError where it is of another kind."""
        why = ""
        try:
            return self.convert(name, value)
        except SettingError:
            raise
        except _WrongError as error:
            why = f", {error}"
        except (AttributeError, KeyError, OverflowError, TypeError, ValueError):
            pass
        raise SettingError(f"{name} is {quoted(value)}{why}; it must be {self.words}")


def _imported(value: Any) -> Any:
    try:
        return imported(value)
    except ValueError as error:
        raise _WrongError(f"which {error}") from None


def from_json(value: Any) -> Any:
    """What a text of JSON holds; anything else as it is."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def dict_of(value: Any) -> Mapping[Any, Any]:
    """A dict, or what a text of JSON holds of one."""
    given = from_json(value)
    if not isinstance(given, Mapping):
        is_no_json = isinstance(value, str) and given is value
        raise _WrongError("which is no JSON") if is_no_json else ValueError
    return given


def _names(_name: str, value: Any) -> tuple[str, ...]:
    """The names of a list, or of a text with commas."""
    names = value
    if isinstance(value, str):
        listing = from_json(value)
        names = listing if isinstance(listing, list) else value.split(",")
    is_listing = isinstance(names, list | tuple | set | frozenset)
    if not is_listing or not all(isinstance(one, str) for one in names):
        raise ValueError
    return tuple(one.strip() for one in names if one.strip())


def _keys(name: str, value: Any) -> tuple[str, ...]:
    """A text that only resembles JSON, as a shell makes `[proxy]` of `["proxy"]`, would name keys
    that no request has, and no proxy.
    """
    names = _names(name, value)
    is_no_json = isinstance(value, str) and from_json(value) is value
    if is_no_json and any(one[0] in "[]{}\"'" for one in names):
        raise _WrongError("which is no JSON")
    return names


def _flag(_name: str, value: Any) -> bool:
    """As Scrapy's `getbool` reads it; but of all numbers 0 and 1 only. Any other one may be meant
    as a number of seconds, and `getbool` takes 0.5 for False.
    """
    words = {"True": True, "true": True, "False": False, "false": False}
    if isinstance(value, str) and value in words:
        return words[value]
    return {0.0: False, 1.0: True}[float(value)]


def seconds_from(least: float) -> Kind:
    """A number of seconds that a timer can wait for."""

    def convert(_name: str, value: Any) -> float:
        number = float(value)
        if isinstance(value, bool) or not least <= number < MAX_SECONDS:
            raise ValueError
        return number

    return Kind(f"a number of seconds from {least:g} up", convert)


def whole_number_from(least: int) -> Kind:
    def convert(_name: str, value: Any) -> int:
        number = float(value)
        if isinstance(value, bool) or number < least or not number.is_integer():
            raise ValueError
        return int(number)

    return Kind(f"a whole number from {least} up", convert)


def choice(values: Mapping[str, Any]) -> Kind:
    """One of some words; each stands for a value."""
    return Kind("one of " + ", ".join(values), lambda _name, value: values[value])


def _hosts(name: str, value: Any) -> tuple[str, ...]:
    return tuple(_pattern(name, host) for host in _names(name, value))


def _pattern(name: str, host: str) -> str:
    try:
        return host_pattern(host)
    except ValueError:
        raise SettingError(
            f"{name} has {host!r}, which is no host, and no pattern such as '*.example.com'"
        ) from None


def _hook(_name: str, value: Any) -> Callable[..., Any]:
    function: Callable[..., Any] = _imported(value)
    if iscoroutinefunction(function):
        raise _WrongError("which is a coroutine function")
    if not callable(function):
        raise TypeError
    try:
        signature(function, **_AS_WRITTEN).bind(None, None)
    except TypeError:
        raise _WrongError("which does not take two arguments") from None
    except ValueError:  # some functions written in C do not say what they take
        pass
    return function


def _dialect(name: str, value: Any) -> Dialect:
    """A dialect by its name, by an import path, or itself."""
    dialect, why = value, ""
    if isinstance(value, str) and value not in DIALECTS and "." in value:
        try:
            dialect = _imported(value)
        except _WrongError as error:
            dialect, why = None, f", {error}"
        dialect = dialect if isinstance(dialect, Dialect) else None
    try:
        return dialect_of(dialect)
    except ValueError:
        near = nearest(value, DIALECTS) if isinstance(value, str) else ""
        raise SettingError(
            f"{name} is {quoted(value)}{why}; it must be {', '.join(DIALECTS)}, a Dialect, or the "
            f"import path of one{near}"
        ) from None


DIALECT = Kind("a dialect's name, a `Dialect`, or the import path of one", _dialect)


def agent_of(dialect: Dialect | None = None) -> Kind:
    """A product token, or a User-Agent header that begins with one.

    Args:
        dialect: its crawlers may have names that are no product tokens.

    """

    def convert(name: str, value: Any) -> str:
        token = product_token(value) if isinstance(value, str) else ""
        if not names_a_crawler(token, dialect.agents if dialect else {}):
            raise SettingError(
                f"{name} is {quoted(value)}, which gives the product token {token!r}; a crawler's "
                "name is one word in ASCII, with a letter in it: set it to one, such as 'MyBot'"
            )
        return token

    return Kind("a product token such as 'MyBot'", convert)


def _purposes(name: str, value: Any) -> frozenset[str]:
    names = frozenset(_names(name, value))
    for wrong in sorted(names - set(PURPOSES)):
        turned = "-".join(reversed(wrong.split("-")))  # ai-train is Content-Signal's word
        near = nearest(turned, PURPOSES) or nearest(wrong, PURPOSES)
        raise SettingError(f"{name} is {quoted(value)}; it must be {_PURPOSES}{near}")
    return names


_PURPOSES = "one or several of " + ", ".join(PURPOSES)


def _tokens(name: str, value: Any) -> tuple[str, ...]:
    names = _names(name, value)
    if not all(map(is_name, names)):
        raise ValueError
    return tuple({token.lower(): token for token in names}.values())  # each once


def _actions(name: str, value: Any) -> Mapping[str, Any]:
    actions = dict_of(value)
    try:
        return read_actions(name, actions)
    except ValueError as error:
        raise SettingError(str(error)) from None


def _field(_name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


FLAG = Kind("True or False", _flag)
SECONDS = seconds_from(0)
KEYS = Kind("a list of names", _keys)
HOOK = Kind("a function of two requests, or the import path of one", _hook)
PURPOSE = Kind(_PURPOSES, _purposes)
TOKENS = Kind("a list of product tokens such as 'Google-Extended'", _tokens)
FIELD = Kind("the name of a field", _field)
ACTIONS = Kind("a dict of actions by part", _actions)
HOSTS = Kind("a list of hosts, or of patterns such as '*.example.com'", _hosts)
MODES = (AccessMode.ALLOW, AccessMode.DISALLOW, AccessMode.DEFER)
