"""Keeps the record of a crawl: what it knew of each robots.txt, each decision, and the sums.

`Recorder` listens to the events of a crawl, and `RecordLines` makes the lines. What a decision
rests on stands before it in the same file: its dialect and its robots.txt. The line of a decision
is made before its request goes to the downloader, and is on the disk within a second (`writer`).
The first line says who crawled, with which software and by which settings.

Two lines of decisions differ in a few fields. The text of the other fields is kept and used again,
because a crawl writes a line for each page.
"""

from __future__ import annotations

import os
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping, Sequence
from itertools import chain, count
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

import scrapy
from scrapy.crawler import Crawler

from .. import compat
from ..core.decision import Decision
from ..core.events import Begun, Ended, Exempt, LookedUp, PageRefused, PageSpoke
from ..core.result import Exchange
from ..core.site import OriginRules
from ..crawl_log import CrawlLog
from ..distribution import installed_version
from ..events import Hears
from ..exceptions import CrawlClosing
from ..rep import AccessMode, CacheEntry, Dialect, Origin, Reason, Verdict
from ..rep.documents import url_of
from ..rep.usage.answer import UseAnswer
from ..rep.usage.preferences import DeclaredUse
from ..settings.crawl import CrawlSettings
from ..settings.kinds import SettingError
from ..settings.names import sent_user_agent
from ..settings.table import ATTRIBUTES, SETTINGS, is_set
from ..stats import AUDIT_FAILED
from .fields import (
    FORMAT,
    MAX_BYTES,
    answer_fields,
    circumstances,
    entry_fields,
    exchange_fields,
    fingerprint,
    group_fields,
    instant,
    members,
    packed,
    page_url,
    plain,
    preference_fields,
    verdict_fields,
)
from .writer import Writer

MAX_KEPT = 100_000  # origins, bytes and rules that are remembered; others are written again
MAX_GROUPS = 10_000  # others are looked up again

CLOSE_REASON = "robots_audit_failed"
MAX_EXCHANGES = 50  # of one lookup


def crawl_fields(crawler: Crawler, settings: CrawlSettings, now: float) -> dict[str, Any]:
    assert crawler.spider is not None
    assert settings.audit is not None
    return {
        "format": FORMAT,
        "crawl": uuid4().hex,
        "began": instant(now),
        "spider": crawler.spider.name,
        "package": installed_version(),
        "scrapy": scrapy.__version__,
        "dialect": settings.configs.default.dialect.name,
        "agent": settings.configs.default.agent,
        "user_agent": sent_user_agent(crawler.settings, crawler.spider)[1],
        "dry_run": settings.dry_run,
        "judged_by": plain(settings.deciding),
        "settings": _in_force(crawler),
    }


def _in_force(crawler: Crawler) -> dict[str, Any]:
    """The settings and the spider's attributes that somebody has set."""
    settings, spider = crawler.settings, crawler.spider
    in_force = {
        name: plain(settings[name])
        for name in SETTINGS
        if is_set(settings, name) and settings[name] is not None
    }
    for name in sorted(ATTRIBUTES):
        value = getattr(spider, name, None)
        if value is not None:
            in_force[f"spider.{name}"] = plain(value)
    return in_force


_Key = tuple[float, int, int]


class _Basis(NamedTuple):
    """What a decision rests on: the numbers of the lines of its files, and its dialect's name.

    Attributes:
        tdmrep: 0: no tdmrep.json was asked for.

    """

    robots: int
    dialect: str
    tdmrep: int


class _Written(NamedTuple):
    """The latest robots line of an origin: the entry that it is about, and its number."""

    key: _Key
    number: int


class RecordLines:
    """The lines of one crawl in one process.

    Attributes:
        use: what the crawl declares that it does with pages.
        sums: what the last line says.

    """

    def __init__(self, writer: Writer, use: DeclaredUse) -> None:
        self.writer, self.use = writer, use
        self.sums: Counter[str] = Counter()
        self._robots_number = 0  # of the latest robots line
        self._written: OrderedDict[str, _Written] = OrderedDict()  # by origin
        self._dialects: dict[Dialect, str] = {}  # the names by which lines refer to them
        self._bodies: OrderedDict[str, None] = OrderedDict()  # SHA-256 of those in the file
        self._groups: OrderedDict[tuple[object, ...], dict[str, Any]] = OrderedDict()

    def decision(self, decision: Decision, set_by: Mapping[str, str] | None) -> None:
        """Write the line of a decision.

        Args:
            set_by: where the user has set what is special to the request; None: nothing is.

        """
        refused = decision.verdict
        self.sums["passed" if refused is None else f"refused/{refused.reason.name.lower()}"] += 1
        rules, agent, basis = decision.rules, decision.config.agent, self._basis(decision)
        verdict = refused or rules.verdict_for_use(decision.url, agent, self.use)
        age = max(decision.at - rules.access.entry.current_at, 0.0)
        fields = {
            "at": instant(decision.at),
            "url": page_url(decision.url),
            **verdict_fields(verdict),
            **self._group(basis, rules, agent),
            "robots": basis.robots,
            **({"tdmrep": basis.tdmrep} if basis.tdmrep else {}),
            "age": round(age, 3),
            "agent": agent,
            "dialect": basis.dialect,
            **({"purposes": sorted(self.use.purposes)} if self.use.purposes else {}),
            **({} if rules.mode is AccessMode.RULES else {"mode": rules.mode.value}),
            **circumstances(decision, set_by),
        }
        self.writer.write("decision", members(fields))

    def exempt(self, url: str, why: str, at: float) -> None:
        """A request that no robots.txt is asked about."""
        self.sums["exempt"] += 1
        fields = {
            "at": instant(at),
            "url": page_url(url),
            "verdict": "passed",
            "reason": Reason.NOT_OBEYED.name.lower(),
            "exempt": why,
        }
        self.writer.write("decision", members(fields))

    def page(self, url: str, answer: UseAnswer, at: float) -> None:
        """What a page that was fetched says about its use."""
        fields = {
            "at": instant(at),
            "url": page_url(url),
            "preferences": preference_fields(answer.preferences),
            **answer_fields(answer),
        }
        self.writer.write("page", members(fields))
        self.sums["pages_with_preferences"] += 1

    def refusal(self, url: str, refusal: Verdict, at: float) -> None:
        """A page that was requested, and is refused by its own answer."""
        fields = {"at": instant(at), "url": page_url(url), **verdict_fields(refusal)}
        self.writer.write("answer", members(fields))
        self.sums[f"refused/{refusal.reason.name.lower()}"] += 1

    def robots(self, rules: OriginRules, source: str, exchanges: Sequence[Exchange] = ()) -> int:
        """Write what is known of a robots.txt; the number of the line, for decisions."""
        self._robots_number += 1
        entry, origin = rules.access.entry, rules.origin
        dialect = self._dialect(rules.dialect)
        fields = {
            "robots": self._robots_number,
            "origin": origin,
            "url": url_of(origin),
            "source": source,
            **entry_fields(entry),
            "dialect": dialect,
            "mode": rules.mode.value,
            "fresh_until": instant(rules.access.fresh_until),
        }
        if exchanges:
            fields["exchanges"] = [exchange_fields(exchange) for exchange in exchanges]
        if entry.body is not None and fields["sha256"] not in self._bodies:
            _keep(self._bodies, fields["sha256"], None)
            fields["body"] = packed(entry.body)
        self.writer.write("robots", members(fields))
        self.sums["robots"] += 1
        _keep(self._written, origin, _Written(_key(entry), self._robots_number))
        return self._robots_number

    def end(self, reason: str, at: float) -> None:
        sums = {name: self.sums[name] for name in sorted(self.sums)}
        self.writer.write("end", members({"at": instant(at), "reason": reason, "sums": sums}))

    def _basis(self, decision: Decision) -> _Basis:
        """What the decision rests on; the lines for it are written if they are not yet."""
        rules, config = decision.rules, decision.config
        return _Basis(
            self._number_of(rules, is_given=config.robots_txt is not None),
            self._dialect(config.dialect),
            0 if rules.tdmrep is None else self._number_of(rules.tdmrep),
        )

    def _group(self, basis: _Basis, rules: OriginRules, agent: str) -> dict[str, Any]:
        key = basis.robots, agent, basis.dialect, rules.mode  # which time may change
        fields = self._groups.get(key)
        if fields is None:
            fields = _keep(self._groups, key, group_fields(rules.rules, agent), MAX_GROUPS)
        return fields

    def _dialect(self, dialect: Dialect) -> str:
        """The name by which lines refer to a dialect; its line is written the first time."""
        label = self._dialects.get(dialect)
        if label is None:
            label = self._dialects[dialect] = self._free_label(dialect.name)
            fields = {"name": label, "fingerprint": fingerprint(dialect)}
            self.writer.write("dialect", members(fields))
        return label

    def _free_label(self, name: str) -> str:
        """A dialect's name, with a number where another dialect in the file is called so."""
        taken = self._dialects.values()
        labels = chain([name], (f"{name}#{number}" for number in count(2)))
        return next(label for label in labels if label not in taken)

    def _number_of(self, rules: OriginRules, *, is_given: bool = False) -> int:
        """The number of the robots line of a file; the line is written if it is not yet.

        Args:
            is_given: whether the user has set the file in place of the site's own.

        """
        written = self._written.get(rules.origin)
        if written is not None and written.key == _key(rules.access.entry):
            return written.number
        return self.robots(rules, "override" if is_given else "cache")


def _key(entry: CacheEntry) -> _Key:
    """What tells the entries of one origin apart."""
    return entry.asked_at, entry.failures, hash(entry.body)


def _keep(kept: OrderedDict[Any, Any], key: object, value: Any, max_kept: int = MAX_KEPT) -> Any:
    """Keep a value as the newest of at most so many."""
    kept[key] = value
    kept.move_to_end(key)
    if len(kept) > max_kept:
        kept.popitem(last=False)
    return value


class Recorder:
    """The record of one crawl in one process."""

    def __init__(self, crawler: Crawler, settings: CrawlSettings, now: Callable[[], float]) -> None:
        """SettingError where the file cannot be written."""
        assert settings.audit is not None
        assert crawler.spider is not None
        self.crawler, self.configs = crawler, settings.configs
        self.log = CrawlLog(crawler)
        self.writer = self._open(settings.audit, crawl_fields(crawler, settings, now()))
        self.lines = RecordLines(self.writer, settings.use)
        self.hears: Hears = {
            Begun: lambda _event: self.writer.keep(),
            LookedUp: self.looked_up,
            Decision: self.decided,
            Exempt: self.exempt,
            PageSpoke: self.page_spoke,
            PageRefused: self.page_refused,
            Ended: self.ended,
        }

    def _open(self, path: Path, fields: Mapping[str, Any]) -> Writer:
        crawl = members(fields)
        if len(crawl) > MAX_BYTES:  # neither it nor the longest file in it could be read again
            raise SettingError(
                f"ROBOTS_AUDIT cannot record settings of {len(crawl):,} bytes, such as long files "
                f"in ROBOTS_OVERRIDES; it records {MAX_BYTES:,} at most"
            )
        try:
            writer = Writer(path, self._on_error, compat.call_later)
            writer.begin(crawl)
        except OSError as error:
            no_file = f"no file can be written there: {error.strerror or error}"
            is_folder = os.path.isdir(path)  # noqa: PTH112 - Path.is_dir raises for one too long
            why = "it is a folder; name a file in it" if is_folder else no_file
            raise SettingError(f"ROBOTS_AUDIT is {str(path)!r}: {why}") from None
        except ValueError as error:  # the system's encoding has no such characters, for example
            raise SettingError(f"ROBOTS_AUDIT is {str(path)!r}: {error}") from None
        return writer

    # What the crawl reports.

    def looked_up(self, event: LookedUp) -> None:
        if self.writer.is_open:
            exchanges = event.exchanges[:MAX_EXCHANGES]
            self.lines.robots(event.rules, event.source.value, exchanges)

    def decided(self, decision: Decision) -> None:
        """Raises CrawlClosing if the record cannot be written and the crawl must not go on."""
        if self.writer.is_open:
            special = decision.config is not self.configs.default
            self.lines.decision(decision, self._set_by(decision) if special else None)
        self._must_go_on()

    def exempt(self, event: Exempt) -> None:
        """Raises CrawlClosing as `decided` does."""
        if self.writer.is_open:
            self.lines.exempt(event.request.url, event.why, event.at)
        self._must_go_on()

    def page_spoke(self, event: PageSpoke) -> None:
        if self.writer.is_open:
            self.lines.page(event.url, event.answer, event.at)

    def page_refused(self, event: PageRefused) -> None:
        if self.writer.is_open:
            self.lines.refusal(event.request.url, event.refusal, event.at)

    def ended(self, event: Ended) -> None:
        """Write the sums."""
        if not self.writer.is_open:
            return
        self.lines.end(event.reason, event.at)
        if not self.writer.close():
            return
        self.log.info(
            "The record of the crawl is in %(path)s: %(lines)d lines; the hash of the last one is "
            "%(hash)s",
            {"path": self.writer.path, "lines": self.writer.lines, "hash": self.writer.hash},
        )

    def _set_by(self, decision: Decision) -> dict[str, str]:
        """Where the user has set what is special to a request."""
        return self.configs.set_by(decision.request, Origin(decision.rules.origin))

    # When it can no longer be written.

    def _must_go_on(self) -> None:
        if not self.writer.is_open:
            raise CrawlClosing

    def _on_error(self, error: OSError) -> None:
        assert self.crawler.stats is not None
        self.crawler.stats.set_value(AUDIT_FAILED, 1)
        self.log.error(
            "The record of the crawl can no longer be written to %(path)s: %(error)s; the crawl "
            "closes",
            {"path": self.writer.path, "error": error.strerror or error},
        )
        compat.close_spider(self.crawler, CLOSE_REASON)
