"""What must be true of the records of whole crawls: all that was asked and decided is in them."""

from __future__ import annotations

import json
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from scrapy import Request
from scrapy.statscollectors import MemoryStatsCollector

from scrapy_robots_policy.audit.fields import seconds_of
from tests.audit.records import (
    check,
    decisions_in,
    lines_in,
    octets_in,
    verified,
)
from tests.crawls import (
    OURS,
    REACTORS,
    Middleware,
    Plan,
    Spider,
    crawl,
    crawl_apart,
    crawl_killed,
    crawl_process,
    middleware_of,
)
from tests.on_reactor import on_reactor
from tests.site import PAGE, Answer, Site, moved, robots

CLOCKS = 0.1  # seconds that the clocks of two processes may be apart

pytestmark = pytest.mark.slow

SECRET = "User-agent: *\nDisallow: /secret\nContent-Signal: ai-train=no\n"


def of_url(lines, url):
    (line,) = [line for line in lines if line.get("url") == url and line["type"] == "decision"]
    return line


class LostStats(MemoryStatsCollector):
    """Its server is gone when the crawl ends."""

    def set_value(self, key, value, spider=None):
        if key == "robots/passed":
            raise ConnectionError
        super().set_value(key, value)


@on_reactor
async def test_a_record_has_its_end_though_the_stats_are_lost(tmp_path):
    path = tmp_path / "audit.jsonl"
    settings = {"ROBOTS_AUDIT": str(path), "STATS_CLASS": LostStats}
    with Site({"/robots.txt": robots(SECRET)}) as site:
        _, crawler = await crawl(site.url("/a"), settings=settings)
    assert verified(path).decisions == 1
    assert middleware_of(crawler).status_line._cancel is None


@pytest.mark.parametrize("kind", REACTORS)
def test_all_that_was_decided_is_in_the_record(tmp_path, kind):
    path = tmp_path / "audit.jsonl.gz"
    with Site({"/robots.txt": robots(SECRET)}) as site:
        urls = [site.url(f"/{n}") for n in range(20)] + [site.url("/secret"), site.url("/secret/2")]
        settings = {**OURS, **REACTORS[kind], "ROBOTS_AUDIT": str(path)}
        seen = crawl_apart(Plan(urls, {**settings, "USER_AGENT": "Bot/1.0 (+mailto:a@b.example)"}))
    lines = lines_in(path)
    decided = {line["url"]: line for line in lines if line["type"] == "decision"}
    assert sorted(decided) == sorted(urls)
    refused = {url for url, line in decided.items() if line["verdict"] == "refused"}
    assert refused == set(seen.dropped)
    assert (
        decided[site.url("/secret")]
        | {
            "reason": "rule",
            "line": 2,
            "rule": "Disallow: /secret",
            "group": "*",
            "group_line": 1,
            "agent": "Bot",
            "dialect": "rfc9309",
        }
        == decided[site.url("/secret")]
    )
    (file,) = [line for line in lines if line["type"] == "robots"]
    (exchange,) = file["exchanges"]
    assert (file["source"], file["size"], exchange["status"]) == ("site", len(SECRET), 200)
    assert exchange["sent"]["user-agent"] == "Bot/1.0 (+mailto:a@b.example)"
    assert exchange["asked"] <= exchange["answered"] <= file["answered"]
    assert lines[-1]["sums"] == {"passed": 20, "refused/rule": 2, "robots": 1}
    assert verified(path).decisions == 22


class AtTheDownloader(Middleware):
    """Notes, of each request that reaches it, whether the record has its line by then."""

    def process_request(self, request, spider=None):
        writer = middleware_of(self.crawler).recorder.writer
        written = octets_in(writer.paths[-1]) + b"".join(writer._gathered)
        has_line = f'"url":"{request.url}","verdict"'.encode() in written
        self.crawler.stats.inc_value(f"has_line/{has_line}")


@on_reactor
async def test_a_request_comes_to_the_downloader_after_its_line_is_made(tmp_path):
    with Site({"/robots.txt": robots(SECRET)}) as site:
        urls = [site.url(f"/{n}") for n in range(20)]
        settings = {
            "ROBOTS_AUDIT": tmp_path / "audit.jsonl",
            "DOWNLOADER_MIDDLEWARES": {AtTheDownloader: 999},
        }
        seen, _ = await crawl(*urls, site.url("/secret"), settings=settings)
    # The robots.txt itself comes before its own line, and has none of a decision.
    assert {key: seen.stats[key] for key in seen.stats if key.startswith("has_line")} == {
        "has_line/True": 20,
        "has_line/False": 1,
    }


@on_reactor
async def test_redirects_failures_and_repeated_tries_are_in_the_record(tmp_path):
    path = tmp_path / "audit.jsonl"
    closed = Site({"/robots.txt": Answer(status=503)}, "127.0.0.2")
    script = {
        "/robots.txt": moved("/r2"),
        "/r2": robots(SECRET, headers={"Cache-Control": "max-age=600", "Set-Cookie": "c=1"}),
    }
    with closed, Site(script) as site:
        settings = {"ROBOTS_AUDIT": path, "ROBOTS_FETCH_RETRIES": 1}
        await crawl(site.url("/a"), closed.url("/b"), settings=settings)
    by_origin = {line["origin"]: line for line in lines_in(path) if line["type"] == "robots"}
    assert [(e["url"], e["status"]) for e in by_origin[site.origin]["exchanges"]] == [
        (site.url("/robots.txt"), 301),
        (site.url("/r2"), 200),
    ]
    received = by_origin[site.origin]["exchanges"][1]["received"]
    assert received["cache-control"] == "max-age=600"
    assert "set-cookie" not in received
    assert by_origin[site.origin]["hops"] == [site.url("/r2")]
    assert [e["status"] for e in by_origin[closed.origin]["exchanges"]] == [503, 503]
    line = of_url(lines_in(path), closed.url("/b"))
    assert (line["verdict"], line["reason"], line["why"]) == ("refused", "unreachable", "503")
    assert line["mode"] == "disallow"
    assert verified(path).decisions == 2


@on_reactor
async def test_what_the_user_has_set_is_in_the_record_with_its_place(tmp_path):
    path = tmp_path / "audit.jsonl"
    given, closed = (Site({"/robots.txt": Answer(status=503)}, f"127.0.0.{n}") for n in (2, 3))
    with given, closed, Site({"/robots.txt": robots(SECRET)}) as site:
        overrides = {
            "127.0.0.2": {"robots_txt": "User-agent: *\nDisallow: /own\n"},
            "127.0.0.3": {"obey": False},
        }
        meta = {"robots": {"dialect": "google", "agent": "Other"}}
        await crawl(
            given.url("/own"),
            given.url("/a"),
            closed.url("/b"),
            Request(site.url("/secret"), meta={"dont_obey_robotstxt": True}),
            Request(site.url("/c"), meta=meta),
            Request(site.url("/d"), headers={"User-Agent": "Third/1.0"}),
            settings={
                "ROBOTS_AUDIT": path,
                "ROBOTS_OVERRIDES": overrides,
                "ROBOTS_STORE": "memory:",
            },
        )
    lines = lines_in(path)
    own = of_url(lines, given.url("/own"))
    assert own["verdict"] == "refused"
    assert own["set_by"] == {"robots_txt": "ROBOTS_OVERRIDES['127.0.0.2']"}
    sources = {line["origin"]: line["source"] for line in lines if line["type"] == "robots"}
    assert sources == {given.origin: "override", site.origin: "site"}
    assert of_url(lines, closed.url("/b"))["exempt"] == "ROBOTS_OVERRIDES['127.0.0.3']"
    assert of_url(lines, site.url("/secret"))["exempt"] == "request.meta['dont_obey_robotstxt']"
    chosen = of_url(lines, site.url("/c"))
    assert (chosen["dialect"], chosen["agent"]) == ("google", "Other")
    assert set(chosen["set_by"].values()) == {"request.meta['robots']"}
    named = of_url(lines, site.url("/d"))
    assert named["agent"] == "Third"
    assert named["set_by"] == {"agent": "User-Agent header of the request"}
    checked = verified(path)
    assert (checked.decisions, checked.exempt) == (4, 2)


SENT = "MyBot/1.0 (+https://bücher.example)"


@pytest.mark.parametrize(
    "settings", [{"USER_AGENT": SENT}, {"DEFAULT_REQUEST_HEADERS": {"User-Agent": SENT}}]
)
@on_reactor
async def test_a_header_that_scrapy_adds_is_no_choice_of_a_redirect_or_a_retry(settings, tmp_path):
    path = tmp_path / "audit.jsonl"
    with Site({"/robots.txt": robots(SECRET)}) as site:
        site.script |= {"/a": moved(site.url("/b")), "/c": [Answer(status=503), Answer()]}
        settings = {**settings, "ROBOTS_AUDIT": path}
        await crawl(site.url("/a"), site.url("/c"), settings=settings)
        assert sorted(site.pages) == ["/a", "/b", "/c", "/c"]
    decisions = decisions_in(path)
    assert [line["agent"] for line in decisions] == ["MyBot"] * 4
    assert not any("set_by" in line for line in decisions)


@on_reactor
async def test_what_was_heard_and_for_what_is_in_the_record(tmp_path):
    path = tmp_path / "audit.jsonl"
    with Site({"/robots.txt": robots(SECRET)}) as site:
        await crawl(
            site.url("/a"), settings={"ROBOTS_AUDIT": path, "ROBOTS_PURPOSE": "search,train-ai"}
        )
    (line,) = decisions_in(path)
    preference = {"label": "Content-Signal", "key": "ai-train", "value": "no", "line": 3}
    assert line["preferences"] == [preference]
    assert line["refused_use"] == preference
    assert line["purposes"] == ["search", "train-ai"]
    assert (line["verdict"], line["reason"], line["line"]) == ("refused", "use_refused", 3)
    verified(path)


@on_reactor
async def test_a_dry_run_says_that_the_request_went_all_the_same(tmp_path):
    path = tmp_path / "audit.jsonl"
    with Site({"/robots.txt": robots(SECRET)}) as site:
        urls = [site.url("/secret"), site.url("/a"), site.url("/secret/2")]
        await crawl(*urls, settings={"ROBOTS_AUDIT": path, "ROBOTS_DRY_RUN": True})
        assert site.pages == ["/a", "/secret", "/secret/2"]
    lines = {line["url"]: line for line in decisions_in(path)}
    assert len(lines) == len(decisions_in(path)) == 3
    assert (lines[urls[0]]["verdict"], lines[urls[0]]["dry_run"]) == ("refused", True)
    assert "dry_run" not in lines[urls[1]]
    verified(path)


@on_reactor
async def test_how_long_a_request_waited_is_in_the_record(tmp_path):
    path = tmp_path / "audit.jsonl"
    with Site({"/robots.txt": robots(SECRET, after=0.2)}) as site:
        await crawl(site.url("/a"), settings={"ROBOTS_AUDIT": path})
    (line,) = decisions_in(path)
    assert line["waited"] >= 0.2


@on_reactor
async def test_no_secret_is_in_the_record(tmp_path):
    path = tmp_path / "audit.jsonl"
    with Site({"/robots.txt": robots(SECRET)}) as site:
        host = site.origin.removeprefix("http://")
        with_password = f"http://user:hu@hush@{host}/a"
        headers = {"Authorization": "Basic hush", "Cookie": "session=hush"}
        await crawl(
            Request(with_password, headers=headers, cookies={"token": "hush"}),
            settings={
                "ROBOTS_AUDIT": path,
                "ROBOTS_OVERRIDES": {"x.example": {"robots_txt": "http://u:hush@x.example/"}},
            },
        )
    assert b"hush" not in octets_in(path)
    (line,) = decisions_in(path)
    assert line["url"] == f"http://{host}/a"
    verified(path)


def test_a_copy_from_a_store_says_so_and_how_old_it_is(tmp_path):
    first, second = tmp_path / "1.jsonl", tmp_path / "2.jsonl"
    settings = {**OURS, "ROBOTS_STORE": f"sqlite:{tmp_path / 'robots.sqlite'}"}
    with Site({"/robots.txt": robots(SECRET)}) as site:
        for path in (first, second):
            crawl_apart(Plan([site.url("/a")], {**settings, "ROBOTS_AUDIT": str(path)}))
    sources = [line["source"] for line in lines_in(first, second) if line["type"] == "robots"]
    assert sources == ["site", "store"]
    (line,) = decisions_in(second)
    assert line["age"] > 0
    verified(first, second)


class Counted:
    """A page that sets an event when it was asked for so often, and a file has grown some times."""

    def __init__(self, count, path):
        self.left, self.path, self.reached = count, path, threading.Event()
        self._sizes = set()

    def __call__(self, _headers):
        self.left -= 1
        self._sizes.add(self.path.stat().st_size)
        if self.left <= 0 and len(self._sizes) > 4:
            self.reached.set()
        return PAGE


@pytest.mark.parametrize("name", ["audit.jsonl", "audit.jsonl.gz"])
def test_a_killed_crawl_has_recorded_all_up_to_its_last_flush(tmp_path, name):
    path = tmp_path / name
    counted = Counted(400, path)
    paths = [f"/{n}" for n in range(20_000)]
    with Site({"/robots.txt": robots(SECRET), **dict.fromkeys(paths, counted)}) as site:
        plan = Plan([site.url(path) for path in paths], {**OURS, "ROBOTS_AUDIT": str(path)})
        crawl_killed(plan, counted.reached)
        hits = [hit for hit in site.hits if hit.path != "/robots.txt"]
    checked = verified(path, has_notes=True)
    assert "ends without the sums" in checked.notes[-1]
    assert checked.decisions > 0
    lines = [json.loads(line) for line in octets_in(path).split(b"\n")[:-1]]
    recorded = {line["url"]: line["at"] for line in lines if line["type"] == "decision"}
    flushed = seconds_of(max(recorded.values())) - (time.time() - time.monotonic())
    missing = [hit for hit in hits if site.url(hit.path) not in recorded]
    assert len(missing) < len(hits)
    # A decision comes before its request. What is missing was decided after the last flush.
    assert all(hit.asked_at > flushed - CLOCKS for hit in missing)


@pytest.mark.parametrize("kind", REACTORS)
@pytest.mark.parametrize("name", ["audit.jsonl", "audit.jsonl.gz"])
def test_a_crawl_that_is_stopped_by_force_has_recorded_all_that_it_asked_for(tmp_path, name, kind):
    path = tmp_path / name
    settings = {**OURS, **REACTORS[kind], "ROBOTS_AUDIT": str(path)}
    script = {"/robots.txt": robots(SECRET), "/hangs": Answer(after=None)}
    with Site(script) as site:
        urls = [site.url("/hangs"), site.url("/stop")]
        process = crawl_process(Plan(urls, settings, interrupt_at=urls[1], interrupts=2))
    assert process.returncode == 0, process.stderr
    checked, differences = check(path)
    assert (checked.errors, differences, checked.decisions) == ([], [], 2)


def run_with_limit(plan, octets):
    """A crawl whose files cannot grow beyond so many octets."""
    resource = pytest.importorskip("resource")

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (octets, octets))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    return crawl_process(plan, preexec_fn=limit)


@pytest.mark.parametrize("on_error", ["stop", "warn"])
def test_a_disk_that_is_full_stops_the_crawl_or_is_said(tmp_path, on_error):
    path, count = tmp_path / "audit.jsonl", 1500
    with Site({"/robots.txt": robots(SECRET)}) as site:
        urls = [site.url(f"/{n}") for n in range(count)]
        settings = {**OURS, "ROBOTS_AUDIT": str(path), "ROBOTS_AUDIT_ON_ERROR": on_error}
        process = run_with_limit(Plan(urls, settings), 60_000)
        pages = len(site.pages)
    assert process.returncode == 0, process.stderr
    seen = json.loads(process.stdout)
    assert process.stderr.count("The record of the crawl can no longer be written") == 1
    assert seen["stats"]["robots/audit/failed"] == 1
    if on_error == "stop":
        assert seen["stats"]["finish_reason"] == "robots_audit_failed"
        assert pages < count
    else:
        assert seen["stats"]["finish_reason"] == "finished"
        assert pages == count
    checked = verified(path, has_notes=True)
    assert 0 < checked.decisions < count


@pytest.mark.parametrize("place", ["/dev/full", "no/such/folder/audit.jsonl", "."])
def test_a_file_that_cannot_be_written_stops_the_crawl_at_start(tmp_path, place):
    with Site({"/robots.txt": robots(SECRET)}) as site:
        settings = {**OURS, "ROBOTS_AUDIT": str(tmp_path / place)}
        process = crawl_process(Plan([site.url("/a")], settings))
        assert f"ROBOTS_AUDIT is {str(tmp_path / place)!r}: " in process.stderr
        assert site.paths == []


def test_a_disk_that_is_full_at_start_keeps_no_part_of_a_record(tmp_path):
    with Site({"/robots.txt": robots(SECRET)}) as site:
        settings = {**OURS, "ROBOTS_AUDIT": str(tmp_path / "audit.jsonl")}
        process = run_with_limit(Plan([site.url("/a")], settings), 100)
        assert "no file can be written there: File too large" in process.stderr
        assert site.paths == []
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize("setting", ["ROBOTS_DIALECT", "ROBOTS_TAGS"])
def test_a_wrong_setting_leaves_no_record_of_a_crawl_that_has_never_begun(setting, tmp_path):
    settings = {**OURS, "ROBOTS_AUDIT": str(tmp_path / "audit.jsonl"), setting: "wrong"}
    process = crawl_process(Plan(["http://127.0.0.1/"], settings))
    assert f"ERROR: {setting} is 'wrong'" in process.stderr
    assert [*tmp_path.iterdir()] == []


class Failing:
    """A component of the user's that cannot be made; it is made after ours."""

    def __init__(self):
        raise RuntimeError("it cannot be made")


def test_a_component_that_fails_at_start_leaves_no_record_of_a_crawl_that_has_never_begun(tmp_path):
    pipelines = {f"{__name__}.Failing": 300}
    settings = {
        **OURS,
        "ROBOTS_AUDIT": str(tmp_path / "audit.jsonl"),
        "ITEM_PIPELINES": pipelines,
    }
    process = crawl_process(Plan(["http://127.0.0.1/"], settings))
    assert "it cannot be made" in process.stderr
    assert [*tmp_path.iterdir()] == []


class Looking(Spider):
    """Looks before its first request whether its record is one that is deleted."""

    async def start(self):
        self.may_be_deleted = middleware_of(self.crawler).recorder.writer._undo.alive
        async for request in super().start():
            yield request


@on_reactor
async def test_the_record_of_a_crawl_that_has_begun_is_kept_whatever_happens(tmp_path):
    with Site({"/robots.txt": robots(SECRET)}) as site:
        settings = {"ROBOTS_AUDIT": str(tmp_path / "audit.jsonl")}
        _, crawler = await crawl(site.url("/a"), spider=Looking, settings=settings)
    assert crawler.spider.may_be_deleted is False


def test_eight_crawlers_of_a_fleet_write_files_that_verify_together(tmp_path, redis):
    settings = {
        **OURS,
        "ROBOTS_AUDIT": str(tmp_path / "%(name)s.jsonl.gz"),
        "ROBOTS_STORE": redis.url,
    }
    with Site({"/robots.txt": robots(SECRET, after=0.3)}) as site:
        plans = [Plan([site.url(f"/{n}/{m}") for m in range(10)], settings) for n in range(8)]
        with ThreadPoolExecutor(len(plans)) as threads:
            list(threads.map(crawl_apart, plans))
        assert site.count("/robots.txt") == 1
    paths = sorted(tmp_path.iterdir())
    numbered = [f"test.{n}.jsonl.gz" for n in range(2, 9)]
    assert [one.name for one in paths] == [*numbered, "test.jsonl.gz"]
    assert verified(*paths).decisions == 80
    sources = [line["source"] for line in lines_in(*paths) if line["type"] == "robots"]
    assert sources.count("site") == 1
    assert set(sources) <= {"site", "store", "fleet"}
    assert len(sources) == 8
