"""The settings, as one table: that of docs/settings.md is made from it (`docs/settings_table.py`).

CONTRIBUTING.md has the steps that a new setting needs. Settings come as Python values or, from `-s`
and scrapyd, as text. A kind reads both. A wrong value is a `SettingError` of one sentence: the
setting, the value, and what it must be.

`%(name)s` and `%(time)s` in the path of a file stand for the spider's name and the time, as in the
names of Scrapy's feeds: so several spiders have one setting, and a file each.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from importlib import import_module
from inspect import iscoroutinefunction, signature
from math import inf
from os import PathLike, fspath
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from scrapy import Spider
from scrapy.settings import BaseSettings
from scrapy.utils.misc import load_object

from .core.host_patterns import host_pattern
from .fetch.request import CARRIED_META
from .rep import DIALECTS, Dialect, dialect_of, product_token
from .rep.access import AccessMode
from .rep.agents import is_name, names_a_crawler
from .rep.escapes import listed, nearest, quoted
from .rep.usage.preferences import LEVELS, PURPOSES
from .tags.actions import DEFAULTS, read_actions

# From Python 3.14 on, annotations are evaluated when they are asked for, and one may name what only
# a type checker imports.
_AS_WRITTEN: Mapping[str, Any] = (
    {"annotation_format": import_module("annotationlib").Format.STRING}
    if sys.version_info >= (3, 14)
    else {}
)


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


def loaded(value: Any) -> Any:
    """What an import path names. A value that is no text stays itself."""
    if not isinstance(value, str):
        return value
    try:
        return load_object(value)
    except Exception as error:  # noqa: BLE001 - the module may be the user's, and do anything
        message = " ".join(str(error).split())
        why = f"which cannot be imported ({type(error).__name__}: {message})"
        raise _WrongError(why) from None


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


def _seconds(least: float = 0.0) -> Kind:
    """A finite number of seconds."""

    def convert(_name: str, value: Any) -> float:
        number = float(value)
        if isinstance(value, bool) or not least <= number < inf:
            raise ValueError
        return number

    return Kind(f"a number of seconds from {least:g} up", convert)


def _whole_number(least: int = 0) -> Kind:
    def convert(_name: str, value: Any) -> int:
        number = float(value)
        if isinstance(value, bool) or number < least or not number.is_integer():
            raise ValueError
        return int(number)

    return Kind(f"a whole number from {least} up", convert)


def _choice(values: Mapping[str, Any]) -> Kind:
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
    function: Callable[..., Any] = loaded(value)
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
            dialect = loaded(value)
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


NAME, TIME = "%(name)s", "%(time)s"


def _path(name: str, value: Any) -> str:
    template = fspath(value) if isinstance(value, PathLike) else value
    if not isinstance(template, str) or not template or "\0" in template:
        raise ValueError
    if "%" in re.sub(f"%%|{re.escape(NAME)}|{re.escape(TIME)}", "", template):
        raise SettingError(
            f"{name} is {quoted(value)}; it may have '%' only in {listed((NAME, TIME))}; "
            "write %% for any other '%'"
        )
    return template


def has_time(template: str) -> bool:
    """Whether the time is a part of the path."""
    return TIME in template.replace("%%", "")


def filled(template: str, name: str, now: datetime) -> Path:
    """The path for a spider's name; the time is written as in the names of Scrapy's feeds."""
    time = now.replace(tzinfo=None).isoformat(timespec="seconds").replace(":", "-")
    return Path(template % {"name": name, "time": time})


def _elsewhere(words: str) -> Kind:
    """A value that is read together with other settings: `overrides`, `policy`."""
    return Kind(words, lambda _name, value: value)


FLAG = Kind("True or False", _flag)
ACTIONS = Kind("a dict of actions by part", _actions)
HOSTS = Kind("a list of hosts, or of patterns such as '*.example.com'", _hosts)
MODES = (AccessMode.ALLOW, AccessMode.DISALLOW, AccessMode.DEFER)


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting.

    Attributes:
        default: the value where none is set, written as in settings.py; None: no value.
        meaning: what the value does, for docs/settings.md; its links are relative to docs/.
        attribute: the spider's attribute that is read instead where the spider has it.
        no_value: the words of that page for a default of None.

    """

    name: str
    kind: Kind
    default: Any
    meaning: str
    attribute: str = ""
    no_value: str = "none"


_TABLE = (
    Setting(
        "ROBOTS_DIALECT",
        DIALECT,
        "rfc9309",
        "The [dialect](dialects.md) in which every robots.txt is read.",
        attribute="robots_dialect",
    ),
    Setting(
        "ROBOTS_OVERRIDES",
        _elsewhere("a dict of host patterns"),
        None,
        "Settings that differ for single hosts, as [below](#single-hosts).",
    ),
    Setting(
        "ROBOTS_STORE",
        _elsewhere("a URI, a store's class, a store, or the import path of either"),
        "memory:",
        "Where robots.txt files are kept. `memory:` lasts as long as the crawl. `sqlite:PATH` is a "
        "file that outlives the crawl and that several crawls on one machine may share; a folder "
        "that is missing is created. `sqlite:` alone is `robots.sqlite` in the project's `.scrapy` "
        "folder. `redis://…` is shared by a [fleet](fleets.md). You can also [write a "
        "store](stores.md).",
    ),
    Setting(
        "ROBOTS_TTL",
        _seconds(),
        None,
        "How long a robots.txt stays fresh. Its HTTP caching headers can make that shorter, never "
        "longer.",
        no_value="the dialect's",
    ),
    Setting(
        "ROBOTS_ON_UNREACHABLE",
        _choice({mode.value: mode for mode in MODES}),
        None,
        "What happens to requests while a robots.txt is unreachable (no answer, or a 5xx status) "
        "and there is no copy of it. `allow`: they pass. `disallow`: they are refused. `defer`: "
        "they wait for the next tries, ten minutes at most. With this setting a copy is obeyed for "
        "as long as the file is unreachable.",
        no_value="the dialect's",
    ),
    Setting(
        "ROBOTS_FETCH_TIMEOUT",
        _seconds(0.001),
        30.0,
        "The time limit of one request for a robots.txt. It is a quarter of that while [many sites "
        "are slow](when-things-fail.md#many-slow-sites).",
    ),
    Setting(
        "ROBOTS_FETCH_META",
        Kind("a list of names", _keys),
        list(CARRIED_META),
        "The keys that a request for a robots.txt copies from the `meta` of the page's request "
        "that waits for it. A robots.txt needs no browser: leave `playwright` and the like out.",
    ),
    Setting(
        "ROBOTS_FETCH_HOOK",
        Kind("a function of two requests, or the import path of one", _hook),
        None,
        "Called with the page's request and the request for its robots.txt. It may change the "
        "latter, or return another request.",
    ),
    Setting(
        "ROBOTS_REDIRECTS",
        _choice({"anywhere": False, "same-site": True}),
        "anywhere",
        "Where redirects of a robots.txt may lead: `anywhere`, or to the `same-site` only; never "
        "from a public address to a private one. A redirect that is refused makes the file "
        "unreachable. See [redirects](when-things-fail.md#redirects).",
    ),
    Setting(
        "ROBOTS_REDIRECT_HOSTS",
        HOSTS,
        [],
        "Hosts to which a redirect of a robots.txt may lead in any case, with or without a port.",
    ),
    Setting(
        "ROBOTS_MAX_FETCHES",
        _whole_number(1),
        100,
        "How many fetches of a robots.txt may be under way. After 2 seconds a fetch no longer "
        "counts. They take no place of `CONCURRENT_REQUESTS`.",
    ),
    Setting(
        "ROBOTS_MAX_WAITING",
        _whole_number(),
        1000,
        "How many requests may wait without a place of `CONCURRENT_REQUESTS`. From then on no "
        "more are taken from the scheduler. With the queue of the add-on, of each host one waits.",
    ),
    Setting(
        "ROBOTS_CRAWL_DELAY_MAX",
        _seconds(),
        300.0,
        "The longest delay between two requests that is kept, also where a site asks for more; 0: "
        "none is kept.",
    ),
    Setting(
        "ROBOTS_PAUSE_MAX",
        _seconds(),
        300.0,
        "The longest pause of a host that answers a page with 429, or with 503 and Retry-After; 0: "
        "none is kept. Other hosts go on. Without Retry-After, the pause after a 429 is 5 seconds, "
        "and twice as long each time.",
    ),
    Setting(
        "ROBOTS_TAGS",
        ACTIONS,
        {"use": DEFAULTS["use"].value},
        "What happens to what a page does not want: `nofollow` and `rel-nofollow` for requests; "
        "`noindex`, `noarchive`, `expired` and `use` for items. An action is `off`, `count`, "
        "`mark` (items only) or `drop`. See [page rules](page-rules.md).",
    ),
    Setting(
        "ROBOTS_PURPOSE",
        Kind(_PURPOSES, _purposes),
        None,
        "What the crawl is for. Pages that their site refuses for that use are refused. See "
        "[page rules](page-rules.md).",
        attribute="robots_purpose",
    ),
    Setting(
        "ROBOTS_CONTENT_USE",
        _choice({level: level for level in LEVELS}),
        None,
        "The most that the crawl does with a page: keep nothing (`immediate`), keep an index, a "
        "link or an excerpt (`reference`), or reproduce it (`full`). Pages whose site grants less "
        "by `Content-Signal: use=` are refused. See [reservations](reservations.md).",
        attribute="robots_content_use",
    ),
    Setting(
        "ROBOTS_TDMREP",
        _choice({"refuse": False, "fetch": True}),
        "refuse",
        "What happens to pages that their site's tdmrep.json reserves against the purpose. "
        "`refuse`: they are refused. `fetch`: they are fetched, because the header or the meta tag "
        "of a page may override the file; where none does, the items of the page are dropped. See "
        "[reservations](reservations.md).",
    ),
    Setting(
        "ROBOTS_PURPOSE_TOKENS",
        Kind("a list of product tokens such as 'Google-Extended'", _tokens),
        None,
        "Control tokens whose groups in a robots.txt are asked too, such as `Google-Extended`. "
        "Pages that such a group disallows are refused. `[]`: none are asked. See "
        "[reservations](reservations.md).",
        attribute="robots_purpose_tokens",
        no_value="those that control the purpose",
    ),
    Setting(
        "ROBOTS_DRY_RUN",
        FLAG,
        False,
        "Requests that would be refused, and items that would be dropped, pass all the same, and "
        "are only counted. See [the how-to page](how-to/dry-run.md).",
    ),
    Setting(
        "ROBOTS_REPORT",
        Kind("the path of a file that ends in .html or .json", _path),
        None,
        "Where the crawl's report is written: a page (`.html`), with its figures beside it as "
        "`.json`; or the figures alone. `%(name)s` and `%(time)s` are the spider's name and the "
        "time. With `%(time)s`, a name that is taken gets a number; without it, the earlier report "
        "is replaced. The folder must be there.",
    ),
    Setting(
        "ROBOTS_AUDIT",
        Kind("the path of a file", _path),
        None,
        "Where the [record of the crawl](audit.md) is written: each robots.txt and each "
        "decision, as lines of JSON. `.gz` at the end packs it; `%(name)s` and `%(time)s` are the "
        "spider's name and the time. A name that is taken gets a number. The folder must be there.",
    ),
    Setting(
        "ROBOTS_KEEP_VERDICTS",
        FLAG,
        False,
        'Each request that passes gets its verdict as `meta["robots_verdict"]`: for items that '
        "say by which rule their page was fetched.",
    ),
    Setting(
        "ROBOTS_ITEM_FIELD",
        Kind("the name of a field", _field),
        None,
        "Each item that has such a field gets the verdict on its page there, as plain data: "
        "`allowed`, `reason`, `rule`, `line`, `agent`, `dialect`, and the `sha256` of the "
        "robots.txt.",
    ),
    Setting(
        "ROBOTSTXT_OBEY",
        FLAG,
        True,
        "Scrapy's setting. Only `False`, set by you, turns `RobotsPolicyMiddleware` off. "
        "`ROBOTS_TAGS` is obeyed all the same.",
    ),
    Setting(
        "ROBOTSTXT_USER_AGENT",
        _elsewhere("a product token"),
        None,
        "Scrapy's setting: the crawler's name in robots.txt files, such as `\"MyBot\"`.",
        no_value="[the first that is set](#the-crawlers-name)",
    ),
)

SETTINGS: Mapping[str, Setting] = MappingProxyType({setting.name: setting for setting in _TABLE})

ATTRIBUTES = frozenset(
    {setting.attribute for setting in _TABLE if setting.attribute}
    | {"robots_overrides", "robots_tags", "robots_user_agent"}  # they complete what is set
)
"""The attributes of a spider that are read."""


class Values:
    """The values of a crawl's settings by name, read as they are asked for.

    A value of None counts as not set: an environment variable may be missing.
    """

    def __init__(self, settings: BaseSettings, spider: Spider | None = None) -> None:
        self.settings, self.spider = settings, spider

    def check(self) -> None:
        """SettingError that names all wrong values, where several are wrong."""
        errors = [error for name in SETTINGS if (error := self._error(name))]
        if errors:
            raise SettingError("; ".join(errors))

    def _error(self, name: str) -> str:
        try:
            self[name]
        except SettingError as error:
            return str(error)
        return ""

    def __getitem__(self, name: str) -> Any:
        """The value, or that of the spider's attribute. SettingError where it is wrong."""
        setting = SETTINGS[name]
        own = getattr(self.spider, setting.attribute, None) if setting.attribute else None
        if own is not None:
            return setting.kind.read(setting.attribute, own)
        value = self.settings.get(name) if is_set(self.settings, name) else None
        if value is None:
            value = setting.default
        return None if value is None else setting.kind.read(name, value)


def is_set(settings: BaseSettings, name: str) -> bool:
    """Whether anybody but Scrapy itself has set it: its default for ROBOTSTXT_OBEY is False."""
    return (settings.getpriority(name) or 0) > 0
