"""Every setting: its name, kind, default and sentence. docs/settings.md is made of the table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from types import MappingProxyType
from typing import Any

from scrapy import Spider
from scrapy.settings import BaseSettings

from ..fetch.request import CARRIED_META
from ..rep.usage.preferences import LEVELS
from ..tags.actions import DEFAULTS
from .files import RECORD, REPORT
from .kinds import (
    ACTIONS,
    DIALECT,
    FIELD,
    FLAG,
    HOOK,
    HOSTS,
    KEYS,
    MODES,
    PURPOSE,
    SECONDS,
    TOKENS,
    Kind,
    SettingError,
    choice,
    seconds_from,
    whole_number_from,
)


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting.

    Attributes:
        default: the value where none is set, written as in settings.py; None: no value.
        meaning: what the value does, for docs/settings.md; its links are relative to docs/.
        wrong: a value that stops the spider.
        decides: whether a decision depends on it, and its own line in a record does not say how.
        attribute: the spider's attribute that is read instead where the spider has it.
        no_value: the words of that page for a default of None.

    """

    name: str
    kind: Kind
    default: Any
    meaning: str
    _: KW_ONLY
    wrong: Any
    decides: bool = False
    attribute: str = ""
    no_value: str = "none"


def _as_it_is(words: str) -> Kind:
    """A value that is read together with others: `requests`, `store`, `names`."""
    return Kind(words, lambda _name, value: value)


_TABLE = (
    Setting(
        "ROBOTS_DIALECT",
        DIALECT,
        "rfc9309",
        "The [dialect](dialects.md) in which every robots.txt is read.",
        attribute="robots_dialect",
        wrong="gogle",
    ),
    Setting(
        "ROBOTS_OVERRIDES",
        _as_it_is("a dict of host patterns"),
        None,
        "Settings that differ for single hosts, as [below](#single-hosts).",
        wrong=["a.example"],
    ),
    Setting(
        "ROBOTS_STORE",
        _as_it_is("a URI, a store's class, a store, or the import path of either"),
        "memory:",
        "Where robots.txt files are kept. `memory:` lasts as long as the crawl. `sqlite:PATH` is a "
        "file that outlives the crawl and that several crawls on one machine may share; a folder "
        "that is missing is created. `sqlite:` alone is `robots.sqlite` in the project's `.scrapy` "
        "folder. `redis://…` is shared by a [fleet](fleets.md). You can also [write a "
        "store](stores.md).",
        wrong="nowhere:",
    ),
    Setting(
        "ROBOTS_TTL",
        SECONDS,
        None,
        "How long a robots.txt stays fresh. Its HTTP caching headers can make that shorter, never "
        "longer.",
        no_value="the dialect's",
        wrong="a day",
        decides=True,
    ),
    Setting(
        "ROBOTS_ON_UNREACHABLE",
        choice({mode.value: mode for mode in MODES}),
        None,
        "What happens to requests while a robots.txt is unreachable (no answer, or a 5xx status) "
        "and there is no copy of it. `allow`: they pass. `disallow`: they are refused. `defer`: "
        "they wait for the next tries, ten minutes at most. With this setting a copy is obeyed for "
        "as long as the file is unreachable.",
        no_value="the dialect's",
        wrong="open",
        decides=True,
    ),
    Setting(
        "ROBOTS_FETCH_TIMEOUT",
        seconds_from(0.001),
        30.0,
        "The time limit of one request for a robots.txt. It is a quarter of that while [many sites "
        "are slow](when-things-fail.md#many-slow-sites).",
        wrong=0,
    ),
    Setting(
        "ROBOTS_FETCH_META",
        KEYS,
        list(CARRIED_META),
        "The keys that a request for a robots.txt copies from the `meta` of the page's request "
        "that waits for it. A robots.txt needs no browser: leave `playwright` and the like out.",
        wrong=5,
    ),
    Setting(
        "ROBOTS_FETCH_HOOK",
        HOOK,
        None,
        "Called with the page's request and the request for its robots.txt. It may change the "
        "latter, or return another request.",
        wrong="no.such",
    ),
    Setting(
        "ROBOTS_REDIRECTS",
        choice({"anywhere": False, "same-site": True}),
        "anywhere",
        "Where redirects of a robots.txt may lead: `anywhere`, or to the `same-site` only; never "
        "from a public address to a private one. A redirect that is refused makes the file "
        "unreachable. See [redirects](when-things-fail.md#redirects).",
        wrong="nowhere",
    ),
    Setting(
        "ROBOTS_REDIRECT_HOSTS",
        HOSTS,
        [],
        "Hosts to which a redirect of a robots.txt may lead in any case, with or without a port.",
        wrong=["a b"],
    ),
    Setting(
        "ROBOTS_MAX_FETCHES",
        whole_number_from(1),
        100,
        "How many fetches of a robots.txt may be under way. After 2 seconds a fetch no longer "
        "counts. They take no place of `CONCURRENT_REQUESTS`.",
        wrong=0,
    ),
    Setting(
        "ROBOTS_MAX_WAITING",
        whole_number_from(0),
        1000,
        "How many robots.txt are looked up at a time for requests in the queue; those that wait "
        "for the delay of their host do not count. Beside a queue or a scheduler of another kind: "
        "how many requests wait in memory.",
        wrong="ten",
    ),
    Setting(
        "ROBOTS_CRAWL_DELAY_MAX",
        SECONDS,
        300.0,
        "The longest delay between two requests that is kept, also where a site asks for more; 0: "
        "none is kept.",
        wrong=-1,
    ),
    Setting(
        "ROBOTS_PAUSE_MAX",
        SECONDS,
        300.0,
        "The longest pause of a host that answers a page with 429, or with 503 and Retry-After; 0: "
        "none is kept. Other hosts go on. Without Retry-After, the pause after a 429 is 5 seconds, "
        "and twice as long each time.",
        wrong=-1,
    ),
    Setting(
        "ROBOTS_TAGS",
        ACTIONS,
        {"use": DEFAULTS["use"].value},
        "What happens to what a page does not want: `nofollow` and `rel-nofollow` for requests; "
        "`noindex`, `noarchive`, `expired` and `use` for items. An action is `off`, `count`, "
        "`mark` (items only) or `drop`. See [page rules](page-rules.md).",
        wrong={"noindex": "remove"},
    ),
    Setting(
        "ROBOTS_PURPOSE",
        PURPOSE,
        None,
        "What the crawl is for. Pages that their site refuses for that use are refused. See "
        "[page rules](page-rules.md).",
        attribute="robots_purpose",
        wrong="training",
        decides=True,
    ),
    Setting(
        "ROBOTS_CONTENT_USE",
        choice({level: level for level in LEVELS}),
        None,
        "The most that the crawl does with a page: keep nothing (`immediate`), keep an index, a "
        "link or an excerpt (`reference`), or reproduce it (`full`). Pages whose site grants less "
        "by `Content-Signal: use=` are refused. See [reservations](reservations.md).",
        attribute="robots_content_use",
        wrong="all",
        decides=True,
    ),
    Setting(
        "ROBOTS_TDMREP",
        choice({"refuse": False, "fetch": True}),
        "refuse",
        "What happens to pages that their site's tdmrep.json reserves against the purpose. "
        "`refuse`: they are refused. `fetch`: they are fetched, because the header or the meta tag "
        "of a page may override the file; where none does, the items of the page are dropped. See "
        "[reservations](reservations.md).",
        wrong="obey",
        decides=True,
    ),
    Setting(
        "ROBOTS_PURPOSE_TOKENS",
        TOKENS,
        None,
        "Control tokens whose groups in a robots.txt are asked too, such as `Google-Extended`. "
        "Pages that such a group disallows are refused. `[]`: none are asked. See "
        "[reservations](reservations.md).",
        attribute="robots_purpose_tokens",
        no_value="those that control the purpose",
        wrong=["a b"],
        decides=True,
    ),
    Setting(
        "ROBOTS_DRY_RUN",
        FLAG,
        False,
        "Requests that would be refused, and items that would be dropped, pass all the same, and "
        "are only counted. See [the how-to page](how-to/dry-run.md).",
        wrong="maybe",
    ),
    Setting(
        "ROBOTS_REPORT",
        REPORT,
        None,
        "Where the crawl's report is written: a page (`.html`), with its figures beside it as "
        "`.json`; or the figures alone. `%(name)s` and `%(time)s` are the spider's name and the "
        "time. With `%(time)s`, a name that is taken gets a number; without it, the earlier report "
        "is replaced. The folder must be there.",
        wrong="report.txt",
    ),
    Setting(
        "ROBOTS_AUDIT",
        RECORD,
        None,
        "Where the [record of the crawl](audit.md) is written: each robots.txt and each "
        "decision, as lines of JSON. `.gz` at the end packs it; `%(name)s` and `%(time)s` are the "
        "spider's name and the time. A name that is taken gets a number. The folder must be there.",
        wrong="%(spider)s.jsonl",
    ),
    Setting(
        "ROBOTS_KEEP_VERDICTS",
        FLAG,
        False,
        'Each request that passes gets its verdict as `meta["robots_verdict"]`: for items that '
        "say by which rule their page was fetched.",
        wrong=2,
    ),
    Setting(
        "ROBOTS_ITEM_FIELD",
        FIELD,
        None,
        "Each item that has such a field gets the verdict on its page there, as plain data: "
        "`allowed`, `reason`, `rule`, `line`, `agent`, `dialect`, and the `sha256` of the "
        "robots.txt.",
        wrong=5,
    ),
    Setting(
        "ROBOTSTXT_OBEY",
        FLAG,
        True,
        "Scrapy's setting. Only `False`, set by you, turns `RobotsPolicyMiddleware` off. "
        "`ROBOTS_TAGS` is obeyed all the same.",
        wrong="no",
    ),
    Setting(
        "ROBOTSTXT_USER_AGENT",
        _as_it_is("a product token"),
        None,
        "Scrapy's setting: the crawler's name in robots.txt files, such as `\"MyBot\"`.",
        no_value="[the first that is set](#the-crawlers-name)",
        wrong="my bot",
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
        source, value = self._given(name)
        return read(name, value, source)

    def deciding(self) -> dict[str, Any]:
        """What a record must have: the values as they are set, by the names of their settings."""
        return {name: self._given(name)[1] for name in SETTINGS if SETTINGS[name].decides}

    def _given(self, name: str) -> tuple[str, Any]:
        """(the setting or the attribute that is read, its value as it is set)"""
        setting = SETTINGS[name]
        own = getattr(self.spider, setting.attribute, None) if setting.attribute else None
        if own is not None:
            return setting.attribute, own
        value = self.settings.get(name) if is_set(self.settings, name) else None
        return name, setting.default if value is None else value


def read(name: str, value: Any, source: str = "") -> Any:
    """What a value of a setting means. SettingError, which names the source, where it is wrong."""
    return None if value is None else SETTINGS[name].kind.read(source or name, value)


def is_set(settings: BaseSettings, name: str) -> bool:
    """Whether anybody but Scrapy itself has set it: its default for ROBOTSTXT_OBEY is False."""
    return (settings.getpriority(name) or 0) > 0
