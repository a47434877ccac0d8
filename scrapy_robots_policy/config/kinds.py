"""Kinds of values: how the value of a setting is read, and the words for what it must be.

Settings come as Python values or, from `-s` and scrapyd, as text. A kind reads both.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from inspect import iscoroutinefunction, signature
from typing import Any, Protocol, TypeVar

from scrapy.utils.misc import load_object

from ..fetch.redirects import host_pattern
from ..rep.escapes import quoted

Read_co = TypeVar("Read_co", covariant=True)

# From Python 3.14 on, annotations are evaluated when they are asked for, and one may name what only
# a type checker imports.
_AS_WRITTEN: Mapping[str, Any] = (
    {"annotation_format": import_module("annotationlib").Format.STRING}
    if sys.version_info >= (3, 14)
    else {}
)


class SettingError(ValueError):
    """A wrong value, in one sentence: the setting, the value, and what it must be."""


class Kind(Protocol[Read_co]):
    """`words` say what a value must be, for an error and for docs/settings.md."""

    @property
    def words(self) -> str: ...

    def read(self, name: str, value: Any) -> Read_co:
        """The value of the setting `name`. SettingError where it is of another kind."""


def wrong(name: str, value: Any, words: str, why: str = "") -> SettingError:
    """The error for a wrong value; `why` says what came of trying."""
    return SettingError(f"{name} is {quoted(value)}{why and ', ' + why}; it must be {words}")


def loaded(value: Any) -> tuple[Any, str]:
    """(what an import path names, why it names nothing). A value that is no text stays itself."""
    if not isinstance(value, str):
        return value, ""
    try:
        return load_object(value), ""
    except Exception as error:  # noqa: BLE001 - the module may be the user's, and do anything
        message = " ".join(str(error).split())
        return None, f"which cannot be imported ({type(error).__name__}: {message})"


def from_json(value: Any) -> Any:
    """What a text of JSON holds; anything else as it is."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def dict_in(name: str, value: Any, words: str) -> Mapping[Any, Any]:
    """A dict, or what a text of JSON holds of one. SettingError where the value is neither."""
    given = from_json(value)
    if not isinstance(given, Mapping):
        is_no_json = isinstance(value, str) and given is value
        raise wrong(name, value, words, "which is no JSON" if is_no_json else "")
    return given


def names_in(name: str, value: Any, words: str) -> tuple[str, ...]:
    """The names of a list, or of a text with commas. SettingError where the value is neither."""
    names = value
    if isinstance(value, str):
        listing = from_json(value)
        names = listing if isinstance(listing, list) else value.split(",")
    is_listing = isinstance(names, list | tuple | set | frozenset)
    if not is_listing or not all(isinstance(one, str) for one in names):
        raise wrong(name, value, words)
    return tuple(one.strip() for one in names if one.strip())


def _number(value: Any) -> float:
    """The number that a value, or a text, is; not a number where it is none."""
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return float("nan")


class Flag:
    """True or False, as Scrapy's `getbool` reads them; but of all numbers 0 and 1 only. Any other
    one may be meant as a number of seconds, and `getbool` takes 0.5 for False.
    """

    words = "True or False"

    def read(self, name: str, value: Any) -> bool:
        if value in ("True", "true", "False", "false"):
            return bool(value.lower() == "true")
        number = _number(value)
        if number not in (0, 1):
            raise wrong(name, value, self.words)
        return number == 1


@dataclass(frozen=True, slots=True)
class Seconds:
    """A finite number of seconds, `min` or more."""

    min: float = 0.0

    @property
    def words(self) -> str:
        return f"a number of seconds from {self.min:g} up"

    def read(self, name: str, value: Any) -> float:
        number = _number(value)
        if isinstance(value, bool) or not self.min <= number < float("inf"):
            raise wrong(name, value, self.words)
        return number


@dataclass(frozen=True, slots=True)
class WholeNumber:
    """An integer, `min` or more."""

    min: int = 0

    @property
    def words(self) -> str:
        return f"a whole number from {self.min} up"

    def read(self, name: str, value: Any) -> int:
        number = _number(value)
        if isinstance(value, bool) or number < self.min or not number.is_integer():
            raise wrong(name, value, self.words)
        return int(number)


@dataclass(frozen=True, slots=True)
class Choice:
    """One of some words; each stands for a value."""

    values: Mapping[str, Any]

    @property
    def words(self) -> str:
        return "one of " + ", ".join(self.values)

    def read(self, name: str, value: Any) -> Any:
        if not isinstance(value, str) or value not in self.values:
            raise wrong(name, value, self.words)
        return self.values[value]


class Names:
    """A list of names. A text that only resembles JSON, as a shell makes `[proxy]` of `["proxy"]`,
    would name keys that no request has, and no proxy.
    """

    words = "a list of names"

    def read(self, name: str, value: Any) -> tuple[str, ...]:
        names = names_in(name, value, self.words)
        is_no_json = isinstance(value, str) and from_json(value) is value
        if is_no_json and any(one[0] in "[]{}\"'" for one in names):
            raise wrong(name, value, self.words, "which is no JSON")
        return names


class HostPatterns:
    """A list of hosts, and of patterns of hosts."""

    words = "a list of hosts, or of patterns such as '*.example.com'"

    def read(self, name: str, value: Any) -> tuple[str, ...]:
        return tuple(_pattern(name, host) for host in names_in(name, value, self.words))


def _pattern(name: str, host: str) -> str:
    try:
        return host_pattern(host)
    except ValueError:
        raise SettingError(
            f"{name} has {host!r}, which is no host, and no pattern such as '*.example.com'"
        ) from None


class Function:
    """A function, or the import path of one."""

    words = "a function of two requests, or the import path of one"

    def read(self, name: str, value: Any) -> Callable[..., Any]:
        function, why = loaded(value)
        if iscoroutinefunction(function):
            raise wrong(name, value, self.words, "which is a coroutine function")
        if not callable(function):
            raise wrong(name, value, self.words, why)
        if not _takes_two(function):
            raise wrong(name, value, self.words, "which does not take two arguments")
        called: Callable[..., Any] = function
        return called


def _takes_two(function: Callable[..., Any]) -> bool:
    try:
        signature(function, **_AS_WRITTEN).bind(None, None)
    except TypeError:
        return False
    except ValueError:  # some functions written in C do not say what they take
        pass
    return True
