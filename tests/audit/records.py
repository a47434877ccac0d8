"""Records that are written without a crawl: the recorder is called as the middleware calls it."""

from __future__ import annotations

import json
import time
import zlib
from collections.abc import Callable, Iterable, Mapping
from importlib.resources import files
from math import inf
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from scrapy import Request, Spider
from scrapy.utils.test import get_crawler

from scrapy_robots_policy.admission.crawl_policy import CrawlPolicy
from scrapy_robots_policy.admission.listener import Decision
from scrapy_robots_policy.audit.chain import START, members, sealed
from scrapy_robots_policy.audit.recorder import Recorder
from scrapy_robots_policy.audit.verify import Check, Checked, Difference
from scrapy_robots_policy.config import PolicySettings
from scrapy_robots_policy.rep import DIALECTS, FetchResult, Origin, Verdict, origin_of, tdmrep
from scrapy_robots_policy.rep.cache_entry import remember
from scrapy_robots_policy.rep.documents import TDMREP, key_of
from scrapy_robots_policy.rep.url import server_forms
from scrapy_robots_policy.resolver.origin import OriginState

SCHEMA = json.loads((files("scrapy_robots_policy.audit") / "line_schema.json").read_text("utf-8"))
VALIDATORS = {kind: Draft202012Validator(schema) for kind, schema in SCHEMA["$defs"].items()}


def served(text: str | bytes) -> FetchResult:
    return FetchResult(200, text if isinstance(text, bytes) else text.encode())


class Timer:
    """Takes what is to be called later, and calls it when `fire` is called."""

    def __init__(self) -> None:
        self.calls: list[tuple[float, Callable[[], object]]] = []

    def __call__(self, seconds: float, function: Callable[[], object]) -> Callable[[], None]:
        self.calls.append((seconds, function))
        return self.calls.clear

    def fire(self) -> None:
        ((_, function),) = self.calls
        self.calls.clear()
        function()


class Recording:
    """A record that is being written. `decide` gives the engine's verdict, as in a crawl."""

    def __init__(self, path: Path, results: Mapping[str, FetchResult], **settings: Any) -> None:
        values = {"ROBOTS_AUDIT": str(path), "USER_AGENT": "Bot/1.0", **settings}
        self.crawler = get_crawler(settings_dict=values)
        self.crawler.spider = Spider("recorded")
        self.settings = PolicySettings.from_crawler(self.crawler)
        self.default = self.settings.configs.default
        self.now = time.time()
        self.timer = Timer()
        self.recorder = Recorder(self.crawler, self.settings, lambda: self.now, self.timer)
        self.states = {
            origin: OriginState(
                origin, self.settings.access_overrides, remember(None, result, self.now)
            )
            for origin, result in results.items()
        }

    def decide(
        self, url: str, request: Request | None = None, **circumstances: Any
    ) -> Verdict | None:
        origin = origin_of(url)
        assert origin is not None
        config = circumstances.pop("config", self.default)
        rules = self.states[origin].rules(config.dialect, self.now)
        assert rules is not None
        reserving = self.states.get(key_of(origin, TDMREP))
        if reserving is not None:
            reserved = reserving.rules(tdmrep.DIALECT, self.now)
            assert reserved is not None
            rules = rules.with_tdmrep(reserved)
        policy = CrawlPolicy(
            self.settings.delay_limit,
            self.settings.use,
            self.settings.defer_timeout,
            self.settings.approved,
        )
        forms = server_forms(url)
        verdict = policy.objection(forms, rules, config, self.now)
        self.recorder.on_decided(
            request or Request(url),
            Decision(forms, rules, config, verdict, self.now, **circumstances),
        )
        return verdict

    def close(self) -> list[Path]:
        self.recorder.close("finished")
        return self.recorder.writer.paths


HERE = Origin("https://here.example")
RULES = "User-agent: *\nDisallow: /no\nAllow: /no/but\nContent-Signal: ai-train=no\n"
URLS = [f"{HERE}{path}" for path in ("/", "/no", "/no/but", "/no/x", "/yes?q=1")]


def record(path: Path, urls: Iterable[str] = URLS, **settings: Any) -> list[Path]:
    """A small record of one host."""
    recording = Recording(path, {HERE: served(RULES)}, **settings)
    for url in urls:
        recording.decide(url)
    return recording.close()


def octets_in(path: Path) -> bytes:
    octets = path.read_bytes()
    return zlib.decompressobj(31).decompress(octets) if path.suffix == ".gz" else octets


def lines_in(*paths: Path) -> list[dict[str, Any]]:
    """The lines of a record. Each is as the schema of the package says."""
    lines = [json.loads(line) for path in paths for line in octets_in(path).split(b"\n") if line]
    for line in lines:
        VALIDATORS[line["type"]].validate(line)
    return lines


def decisions_in(*paths: Path) -> list[dict[str, Any]]:
    return [line for line in lines_in(*paths) if line["type"] == "decision"]


def check(*paths: Path, dialect: str = "", now: float = inf) -> tuple[Checked, list[Difference]]:
    differences: list[Difference] = []
    other = DIALECTS[dialect] if dialect else None
    checked = Check(other, differences.append, lambda _file: None, now).run(paths)
    return checked, differences


def verified(*paths: Path, has_notes: bool = False) -> Checked:
    """The check of a record in which nothing is wrong."""
    checked, differences = check(*paths)
    assert (checked.errors, differences) == ([], []), (checked.errors, differences)
    assert bool(checked.notes) is has_notes, checked.notes
    return checked


def forged(path, kind, **changes):
    """Change the first line of a kind, and write all later hashes anew, as a forger could."""
    lines, prev, done = lines_in(path), START, False
    octets = b""
    for line in lines:
        if line["type"] == kind and not done:
            line.update(changes)
            done = True
        name, *_ = line.pop("type"), line.pop("prev"), line.pop("hash")
        written, prev = sealed(name, prev, members(line))
        octets += written
    path.write_bytes(octets)
