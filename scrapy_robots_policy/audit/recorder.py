"""Writes what a crawl obeys while it crawls: each robots.txt, each decision, and the sums.

A decision is written before its request goes to the downloader. What it rests on stands before it
in the same file: its dialect, and its robots.txt.
"""

from __future__ import annotations

import logging
from collections import Counter, OrderedDict
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from scrapy.crawler import Crawler
from scrapy.http import Request

from .. import compat
from ..admission.listener import Decided
from ..config import PolicySettings, RequestConfig, RequestConfigs, SettingError
from ..exceptions import CrawlClosing
from ..fetch.exchange import Exchange
from ..rep import CacheEntry, Dialect, Reason, Verdict
from ..rep.documents import url_of
from ..rep.escapes import without_userinfo
from ..rep.use_answer import UseAnswer
from ..rep.verdict import refuse
from ..resolver.events import Source
from ..resolver.origin import OriginRules
from ..stats import AUDIT_FAILED
from .crawl_line import crawl_fields
from .dialect_data import data_of, fingerprint
from .fields import (
    answer_fields,
    entry_fields,
    exchange_fields,
    group_fields,
    instant,
    packed,
    preference_fields,
    verdict_fields,
)
from .writer import Writer

logger = logging.getLogger("scrapy_robots_policy")

CLOSE_REASON = "robots_audit_failed"
MAX_KEPT = 100_000  # origins, octets and rules that are remembered; others are written again
MAX_EXCHANGES = 50  # of one lookup

_Key = tuple[float, int, int]


class Recorder:
    """The record of one crawl in one process.

    configs  finds where the user has set what differs for a request
    now      seconds since the epoch
    """

    def __init__(
        self,
        crawler: Crawler,
        settings: PolicySettings,
        configs: RequestConfigs,
        now: Any,
    ) -> None:
        """SettingError where the file cannot be written."""
        assert settings.audit is not None
        assert crawler.spider is not None
        self.crawler, self.settings, self.configs, self.now = crawler, settings, configs, now
        self.audit = settings.audit
        self._crawl = crawl_fields(crawler, settings, now())
        self._next = self._part = 0
        self._sums: Counter[str] = Counter()
        self._exchanges: dict[str, list[Exchange]] = {}
        self._sources: OrderedDict[str, tuple[_Key, str]] = OrderedDict()
        self._begin_file()
        path = self.audit.path(crawler.spider.name, datetime.now(timezone.utc).replace(tzinfo=None))
        self.writer = self._open(path)

    def _open(self, path: Path) -> Writer:
        failed: list[OSError] = []
        try:
            writer = Writer(
                path, self.audit.max_octets, compat.call_later, self._on_new_file, failed.append
            )
            writer.write_now("crawl", {**self._crawl, "part": 1})
        except OSError as error:
            failed.append(error)
        if failed:
            why = failed[0].strerror or failed[0]
            raise SettingError(f"ROBOTS_AUDIT is {str(path)!r}: {why}")
        writer.on_error = self._on_error
        return writer

    # What the crawl tells.

    def on_exchange(self, origin: str, exchange: Exchange) -> None:
        exchanges = self._exchanges.setdefault(origin, [])
        if len(exchanges) < MAX_EXCHANGES:
            exchanges.append(exchange)

    def on_learned(self, rules: OriginRules, source: Source) -> None:
        if self.writer.is_open:
            self._robots(rules, source.value)

    def on_decided(self, decided: Decided) -> None:
        """Raises CrawlClosing if the record cannot be written and the crawl must not go on."""
        verdict = decided.verdict or self._passed(decided)
        if self.writer.is_open:
            self._decision(decided, verdict)
        self._must_go_on()

    def on_page(self, url: str, answer: UseAnswer) -> None:
        """What a page says about its use, in headers and tags, and the answer to it."""
        if self.writer.is_open:
            fields = {
                "at": instant(self.now()),
                "url": without_userinfo(url),
                "preferences": preference_fields(answer.preferences),
                **answer_fields(answer),
            }
            self.writer.write("page", fields)
            self._sums["pages_with_preferences"] += 1

    def on_exempt(self, request: Request, why: str) -> None:
        """A request that no robots.txt is asked about. Raises CrawlClosing as `on_decided` does."""
        self._sums["exempt"] += 1
        fields = {
            "at": instant(self.now()),
            "url": without_userinfo(request.url),
            "verdict": "passed",
            "reason": Reason.NOT_OBEYED.name.lower(),
            "exempt": why,
        }
        if self.audit.passed == "all":
            self._write_decision(fields)
        elif self.audit.passed == "first":
            self._write_first((why, request.url.split("/", 3)[2:3]), fields)
        self._must_go_on()

    def close(self, reason: str) -> None:
        """Write the sums. `reason` is the one for which the spider was closed."""
        if not self.writer.is_open:
            return
        sums = {name: self._sums[name] for name in sorted(self._sums)}
        self.writer.write("end", {"at": instant(self.now()), "reason": reason, "sums": sums})
        self.writer.close()
        logger.info(
            "The record of the crawl is in %(paths)s: %(lines)d lines; the hash of the last one is "
            "%(hash)s",
            {
                "paths": ", ".join(map(str, self.writer.paths)),
                "lines": self.writer.lines,
                "hash": self.writer.hash,
            },
            extra={"spider": self.crawler.spider},
        )

    # How it is written.

    def _begin_file(self) -> None:
        """What each file has for itself."""
        self._dialects: dict[Dialect, str] = {}
        self._robots_lines: OrderedDict[str, tuple[_Key, int]] = OrderedDict()
        self._octets: OrderedDict[str, None] = OrderedDict()
        self._groups: OrderedDict[tuple[int, str, str], dict[str, Any]] = OrderedDict()
        self._firsts: OrderedDict[object, None] = OrderedDict()
        self._part += 1

    def _on_new_file(self) -> None:
        self._begin_file()
        self.writer.write("crawl", {**self._crawl, "part": self._part})

    def _passed(self, decided: Decided) -> Verdict:
        """The verdict on a request that passes."""
        url, rules = decided.forms[0], decided.rules
        verdict = rules.verdict(url, decided.config.agent)
        return refuse(verdict, self.settings.use, rules.reserved(url))

    def _decision(self, decided: Decided, verdict: Verdict) -> None:
        rules, config = decided.rules, decided.config
        self._sums[f"refused/{verdict.reason.name.lower()}" if decided.verdict else "passed"] += 1
        if decided.verdict is None and self.audit.passed == "none":
            return
        self.writer.make_room()
        robots = self._robots_id(rules, config)
        dialect = self._dialect(config.dialect)
        fields = {
            "at": instant(decided.at),
            "url": without_userinfo(decided.request.url),
            **verdict_fields(verdict),
            **self._group(robots, rules, config.agent, dialect),
            "robots": robots,
            **({} if rules.tdmrep is None else {"tdmrep": self._file_id(rules.tdmrep)}),
            "age": round(max(decided.at - rules.access.entry.current_at, 0.0), 3),
            "agent": config.agent,
            "dialect": dialect,
            **self._circumstances(decided),
        }
        if decided.verdict is None and self.audit.passed == "first":
            self._write_first((robots, config.agent, dialect, verdict.reason, verdict.line), fields)
        else:
            self._write_decision(fields)

    def _circumstances(self, decided: Decided) -> dict[str, Any]:
        """What is not the case for most decisions."""
        config, request = decided.config, decided.request
        fields: dict[str, Any] = {}
        if self.settings.use.purposes:
            fields["purposes"] = sorted(self.settings.use.purposes)
        if decided.rules.mode.value != "rules":
            fields["mode"] = decided.rules.mode.value
        if config is not self.configs.default:
            fields |= self._override(request, config, decided.rules.origin)
        if len(decided.forms) > 1:
            fields["forms"] = [without_userinfo(form) for form in decided.forms]
        if decided.waited >= 0.001:
            fields["waited"] = round(decided.waited, 3)
        if decided.dry_run:
            fields["dry_run"] = True
        return fields

    def _override(self, request: Request, config: RequestConfig, origin: Any) -> dict[str, Any]:
        user_agent = request.headers.get(b"User-Agent")
        places = self.configs.places(request.meta, user_agent, origin)
        fields: dict[str, Any] = {"set_by": places} if places else {}
        if not config.obey:
            fields["obey"] = False
        if config.crawl_delay is not None:
            fields["crawl_delay"] = config.crawl_delay
        return fields

    def _group(self, robots: int, rules: OriginRules, agent: str, dialect: str) -> dict[str, Any]:
        key = robots, agent, dialect
        fields = self._groups.get(key)
        if fields is None:
            fields = _keep(self._groups, key, group_fields(rules.rules, agent))
        return fields

    def _dialect(self, dialect: Dialect) -> str:
        """The name by which lines refer to a dialect; its data is written the first time."""
        label = self._dialects.get(dialect)
        if label is None:
            taken = sum(other.name == dialect.name for other in self._dialects)
            label = self._dialects[dialect] = dialect.name + (f"#{taken + 1}" if taken else "")
            data = data_of(dialect)
            fields = {"name": label, "fingerprint": fingerprint(data), "options": data}
            self.writer.write("dialect", fields)
        return label

    def _robots_id(self, rules: OriginRules, config: RequestConfig) -> int:
        entry = rules.access.entry
        written = self._robots_lines.get(rules.origin)
        if written is not None and written[0] == _key(entry):
            return written[1]
        if config.robots_txt is not None or not config.obey:
            return self._robots(rules, "override")
        return self._file_id(rules)

    def _file_id(self, rules: OriginRules) -> int:
        """The number of the line of a file that was fetched; it is written if it is not yet."""
        entry = rules.access.entry
        written = self._robots_lines.get(rules.origin)
        if written is not None and written[0] == _key(entry):
            return written[1]
        before = self._sources.get(rules.origin)
        is_known = before is not None and before[0] == _key(entry)
        return self._robots(rules, before[1] if before is not None and is_known else "cache")

    def _robots(self, rules: OriginRules, source: str) -> int:
        """Write what is known of a robots.txt; the number of the line, for decisions."""
        self._next += 1
        entry, origin = rules.access.entry, rules.origin
        dialect = self._dialect(rules.dialect)
        fields = {
            "robots": self._next,
            "origin": origin,
            "url": url_of(origin),
            "source": source,
            **entry_fields(entry),
            "dialect": dialect,
            "mode": rules.mode.value,
            "fresh_until": instant(rules.access.fresh_until),
        }
        exchanges = self._exchanges.pop(origin, None)
        if exchanges:
            fields["exchanges"] = [exchange_fields(exchange) for exchange in exchanges]
        if entry.octets is not None and fields["sha256"] not in self._octets:
            _keep(self._octets, fields["sha256"], None)
            fields["octets"] = packed(entry.octets)
        self.writer.write("robots", fields)
        self._sums["robots"] += 1
        _keep(self._sources, origin, (_key(entry), source))
        _keep(self._robots_lines, origin, (_key(entry), self._next))
        return self._next

    def _write_first(self, key: object, fields: dict[str, Any]) -> None:
        if key not in self._firsts:
            _keep(self._firsts, key, None)
            self._write_decision(fields)

    def _write_decision(self, fields: dict[str, Any]) -> None:
        self.writer.write("decision", fields)

    # When it can no longer be written.

    def _must_go_on(self) -> None:
        if self.audit.stops and not self.writer.is_open:
            raise CrawlClosing

    def _on_error(self, error: OSError) -> None:
        assert self.crawler.stats is not None
        self.crawler.stats.set_value(AUDIT_FAILED, 1)
        then = "the crawl closes" if self.audit.stops else "the crawl goes on without it"
        logger.error(
            "The record of the crawl can no longer be written to %(path)s: %(error)s; %(then)s",
            {"path": self.writer.paths[-1], "error": error.strerror or error, "then": then},
            extra={"spider": self.crawler.spider},
        )
        if self.audit.stops:
            compat.close_spider(self.crawler, CLOSE_REASON)


def _key(entry: CacheEntry) -> _Key:
    """Two entries of an origin differ in it."""
    return entry.asked_at, entry.failures, hash(entry.octets)


def _keep(kept: OrderedDict[Any, Any], key: object, value: Any) -> Any:
    """Keep a value as the newest of at most `MAX_KEPT`."""
    kept[key] = value
    kept.move_to_end(key)
    if len(kept) > MAX_KEPT:
        kept.popitem(last=False)
    return value
