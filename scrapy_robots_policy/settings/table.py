"""Every setting: its name, kind, default and sentence. docs/settings.md is made of the table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from scrapy import Spider
from scrapy.settings import BaseSettings

from ..fetch.request import CARRIED_META
from ..rep.usage.preferences import LEVELS
from ..tags.actions import DEFAULTS
from .files import _elsewhere, _path
from .kinds import (
    _PURPOSES,
    ACTIONS,
    DIALECT,
    FLAG,
    HOSTS,
    MODES,
    Kind,
    SettingError,
    _choice,
    _field,
    _hook,
    _keys,
    _purposes,
    _seconds,
    _tokens,
    _whole_number,
)


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
