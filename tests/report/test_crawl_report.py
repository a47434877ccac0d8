"""A crawl writes its report, and the report tells of that crawl."""

from __future__ import annotations

import json
import time
from contextlib import nullcontext
from datetime import datetime, timezone

import pytest
from scrapy.statscollectors import MemoryStatsCollector

from tests.crawls import Spider, crawl
from tests.on_reactor import on_reactor
from tests.site import PAGE, Answer, Site, robots

pytestmark = pytest.mark.slow

RULES = """\
User-agent: *
Disallow: /<b>
Disallow: /x
Crawl-delay: 0.05
Content-Usage: train-ai=n
"""
TAGGED = Answer(PAGE.body, headers={**PAGE.headers, "X-Robots-Tag": "noindex"})


class Gathering(Spider):
    def parse(self, response):
        yield {"url": response.url}


@on_reactor
async def test_the_report_has_the_figures_of_the_crawl(tmp_path):
    path = tmp_path / "report.html"
    open_site = Site({"/robots.txt": robots(RULES), "/a": TAGGED})
    with open_site as site, Site({"/robots.txt": Answer(status=503)}, "127.0.0.2") as closed:
        _, crawler = await crawl(
            *(site.url(path) for path in ("/a", "/x/1", "/x/2")),
            closed.url(),
            spider=Gathering,
            settings={
                "ROBOTS_REPORT": str(path),
                "ROBOTS_FETCH_RETRIES": 0,
                "ROBOTS_DIALECT": "bing",
                "ROBOTS_TAGS": {"noindex": "drop"},
                "USER_AGENT": "TestBot/1.0",
            },
        )
    data = json.loads(path.with_suffix(".json").read_text())
    lines = {line.pop("origin"): line for line in data.pop("origins")}
    assert data.pop("began") <= data.pop("ended")
    assert data.pop("waited") > 0
    assert data.pop("held") > 0  # for the turn after the robots.txt
    sums = {name: data.pop(name) for name in ("rules", "domains", "usage", "histograms")}
    assert [(rule["text"], rule["dropped"], rule["origins"]) for rule in sums["rules"]] == [
        ("Disallow: /x", 2, 1),
        ("robots.txt unreachable (503)", 1, 1),
    ]
    samples = {rule["text"]: sorted(rule["samples"]) for rule in sums["rules"]}
    assert samples["Disallow: /x"] == [site.url("/x/1"), site.url("/x/2")]
    assert {domain["domain"] for domain in sums["domains"]} == {"127.0.0.1", "127.0.0.2"}
    assert data.pop("compared") is None
    assert sums["usage"] == {"Content-Usage: train-ai=n": 1}
    totals = {name: sum(one["counts"]) for name, one in sums["histograms"].items()}
    assert totals == {"waits": 4, "held": 1, "ages": 0, "sizes": 1, "delays": 1}
    assert data == {
        "spider": "test",
        "agent": "TestBot",
        "dialect": "bing",
        "reason": "finished",
        "passed": 1,
        "dropped": 3,
        "stances": {"rules": 1, "disallow": 1},
        "stats": {
            name: count
            for name, count in crawler.stats.get_stats().items()
            if name.startswith("robots/")
        },
    }
    assert data["stats"]["robots/tags/noindex/dropped"] == 1
    drops = {origin: (line["dropped"], line["trouble"]) for origin, line in lines.items()}
    assert drops == {
        site.origin: ({"line 3, Disallow: /x": 2}, False),
        closed.origin: ({"robots.txt unreachable (503)": 1}, True),
    }
    assert (lines[site.origin]["delay"], lines[site.origin]["paced"]) == (0.05, "kept")
    text = path.read_text()
    for part in ("line 3, Disallow: /x", "robots.txt unreachable (503)", "noindex", closed.origin):
        assert part in text


@on_reactor
async def test_a_report_that_can_no_longer_be_written_is_an_error_in_the_log(tmp_path, caplog):
    class Spoiling(Spider):
        def parse(self, response):
            (tmp_path / "report.json").mkdir()

    with Site({"/robots.txt": robots("")}) as site:
        settings = {"ROBOTS_REPORT": str(tmp_path / "report.html")}
        seen, _ = await crawl(site.url(), spider=Spoiling, settings=settings)
    (error,) = (record for record in caplog.records if record.levelname == "ERROR")
    path = settings["ROBOTS_REPORT"]
    message = f"The report of the crawl could not be written to {path}: "
    assert error.getMessage().startswith(message)
    assert seen.stats["finish_reason"] == "finished"


class TextStats(MemoryStatsCollector):
    """Gives text, as the stats of scrapy-redis do."""

    def get_stats(self, spider=None):
        return {name: str(value) for name, value in super().get_stats().items()}


@on_reactor
async def test_a_report_is_written_of_stats_that_are_text(tmp_path):
    path = tmp_path / "report.html"
    settings = {"ROBOTS_REPORT": str(path), "STATS_CLASS": TextStats}
    with Site({"/robots.txt": robots(RULES)}) as site:
        await crawl(site.url("/a"), site.url("/x"), settings=settings)
    data = json.loads(path.with_suffix(".json").read_text())
    assert data["stats"]["robots/dropped/rule"] == data["dropped"] == 1
    assert "Dropped, by reason" in path.read_text()


class OthersStats(MemoryStatsCollector):
    """Another component has stats with names like ours."""

    def get_stats(self, spider=None):
        others = {"robots/began": datetime.now(timezone.utc), "robots/dropped/by_me": "many"}
        return {**super().get_stats(), **others}


@on_reactor
async def test_a_report_has_no_stats_that_are_no_numbers(tmp_path):
    path = tmp_path / "report.html"
    settings = {"ROBOTS_REPORT": str(path), "STATS_CLASS": OthersStats}
    with Site({"/robots.txt": robots(RULES)}) as site:
        await crawl(site.url("/x"), settings=settings)
    stats = json.loads(path.with_suffix(".json").read_text())["stats"]
    assert stats["robots/dropped/rule"] == 1
    assert not {"robots/began", "robots/dropped/by_me"} & stats.keys()


class LostStats(MemoryStatsCollector):
    """Its server is gone when the crawl ends: for writing only, or altogether."""

    is_lost = can_be_read = False

    def set_value(self, key, value, spider=None):
        if key == "robots/passed":
            self.is_lost = True
            raise ConnectionError("no stats are written")
        super().set_value(key, value)

    def get_stats(self, spider=None):
        if self.is_lost and not self.can_be_read:
            self.is_lost = False  # the tests read them, too
            raise ConnectionError("no stats are read")
        return super().get_stats()


class ReadOnlyStats(LostStats):
    can_be_read = True


@pytest.mark.parametrize("stats", [LostStats, ReadOnlyStats])
@on_reactor
async def test_a_report_is_written_though_the_stats_are_lost_and_the_log_has_the_error(
    tmp_path, caplog, stats
):
    path = tmp_path / "report.html"
    settings = {"ROBOTS_REPORT": str(path), "STATS_CLASS": stats}
    with Site({"/robots.txt": robots(RULES)}) as site:
        await crawl(site.url("/a"), site.url("/x"), settings=settings)
    data = json.loads(path.with_suffix(".json").read_text())
    assert (data["passed"], data["dropped"], bool(data["stats"])) == (1, 1, stats.can_be_read)
    assert "Disallow: /x" in path.read_text()
    errors = [str(record.exc_info[1]) for record in caplog.records if record.exc_info]
    read = [] if stats.can_be_read else ["no stats are read"]
    assert errors == [*read, "no stats are written"]


@on_reactor
async def test_a_crawl_takes_no_negative_time_where_the_clock_steps_back(tmp_path, monkeypatch):
    steps = []

    class Stepping(Spider):
        def parse(self, response):
            steps.append(-3600)

    clock = time.time
    monkeypatch.setattr(time, "time", lambda: clock() + sum(steps))
    path = tmp_path / "report.json"
    with Site({"/robots.txt": robots("")}) as site:
        await crawl(site.url(), spider=Stepping, settings={"ROBOTS_REPORT": str(path)})
    data = json.loads(path.read_text())
    assert data["began"] <= data["ended"]


@on_reactor
async def test_a_path_that_cannot_be_written_stops_the_spider_at_start(tmp_path):
    with Site({"/robots.txt": robots("")}) as site:
        for path in (tmp_path / "none" / "report.html", tmp_path / "report.pdf"):
            with pytest.raises(ValueError, match=r"^ROBOTS_REPORT is '.*': \w.*$"):
                await crawl(site.url(), settings={"ROBOTS_REPORT": str(path)})
        assert site.hits == []


# A feed or None, ROBOTS_REPORT, ROBOTS_AUDIT or None, and the sentence.
SHARED = {
    "a feed and the data": ("{}/a.json", "{}/a.json", None, "ROBOTS_REPORT and FEEDS both"),
    "a feed and the page": ("{}/a.html", "{}/a.html", None, "ROBOTS_REPORT and FEEDS both"),
    "a feed by its URI": ("file://{}/a.json", "{}/a.html", None, "ROBOTS_REPORT and FEEDS both"),
    "by names": ("{}/%(name)s.json", "{}/test.html", None, "ROBOTS_REPORT and FEEDS both"),
    "a feed and the record": ("{}/a.json", "{}/b.html", "{}/c/../a.json", "ROBOTS_AUDIT and FEEDS"),
    "both ours": (None, "{}/a.html", "{}/a.json", "ROBOTS_AUDIT and ROBOTS_REPORT both write"),
    "other files": ("{}/%(batch_id)d.json", "{}/a.html", "{}/b.json", ""),
}


@pytest.mark.parametrize("kind", SHARED)
@on_reactor
async def test_two_settings_that_name_one_file_stop_the_spider_at_start(kind, tmp_path):
    feed, report, record, why = SHARED[kind]
    settings = {"ROBOTS_REPORT": report.format(tmp_path)}
    settings |= {"ROBOTS_AUDIT": record.format(tmp_path)} if record else {}
    settings |= {"FEEDS": {feed.format(tmp_path): {"format": "json"}}} if feed else {}
    with Site({"/robots.txt": robots("")}) as site:
        with pytest.raises(ValueError, match=why) if why else nullcontext():
            await crawl(site.url("/a"), settings=settings)
        assert site.pages == ([] if why else ["/a"])


@on_reactor
async def test_a_report_is_compared_with_the_one_before_it(tmp_path):
    path = tmp_path / "report.html"
    settings = {"ROBOTS_REPORT": str(path), "ROBOTS_REPORT_BASE": str(tmp_path / "report.json")}
    settings["ROBOTS_FETCH_RETRIES"] = 0
    answers = [robots("User-agent: *\nDisallow: /x"), Answer(status=503)]
    with Site({"/robots.txt": answers}) as site:
        await crawl(site.url("/a"), site.url("/x"), settings=settings)
        first = path.read_text()
        await crawl(site.url("/a"), site.url("/x"), settings=settings)
    assert "Compared" not in first  # there was no report before it
    text = path.read_text()
    compared = json.loads(path.with_suffix(".json").read_text())["compared"]
    (change,) = compared["changes"]
    assert (change["before"], change["now"]) == ("rules (200)", "disallow (503)")
    assert {rule["text"]: rule["now"] - rule["before"] for rule in compared["rules"]} == {
        "robots.txt unreachable (503)": 2,
        "Disallow: /x": -1,
    }
    for part in ("Compared", "rules (200)", "disallow (503)", "robots.txt unreachable (503)"):
        assert part in text


@on_reactor
async def test_spiders_with_one_setting_have_a_report_each_and_are_compared_with_their_own(
    tmp_path,
):
    class Other(Spider):
        name = "other"

    settings = {
        "ROBOTS_REPORT": str(tmp_path / "%(name)s-100%%.html"),
        "ROBOTS_REPORT_BASE": str(tmp_path / "%(name)s-100%%.json"),
    }
    with Site({"/robots.txt": robots("User-agent: *\nDisallow: /x")}) as site:
        for spider in (Spider, Other, Spider):
            await crawl(site.url("/x"), spider=spider, settings=settings)
        await crawl(site.url("/a"), settings={"ROBOTS_REPORT": str(tmp_path / "%(time)s.json")})
    assert all((tmp_path / f"{name}-100%.html").exists() for name in ("test", "other"))
    of_spiders = [
        json.loads((tmp_path / f"{name}-100%.json").read_text()) for name in ("test", "other")
    ]
    assert [data["spider"] for data in of_spiders] == ["test", "other"]
    assert [data["compared"] is not None for data in of_spiders] == [True, False]
    (of_time,) = {*tmp_path.glob("*.json")} - {*tmp_path.glob("*100%.json")}
    assert len(of_time.stem) == len("2026-11-22T15-40-00")


@pytest.mark.parametrize(
    ("template", "names"),
    [
        (
            "%(name)s-%(time)s.json",
            ["test-2026-11-26T12-00-00.2.json", "test-2026-11-26T12-00-00.json"],
        ),
        ("%(name)s-%%(time)s.json", ["test-%(time)s.json"]),
    ],
)
@on_reactor
async def test_crawls_that_begin_in_one_second_have_a_report_each_if_the_time_is_in_its_path(
    tmp_path, monkeypatch, caplog, template, names
):
    class NoonOfOneDay(datetime):
        @classmethod
        def now(cls, tz=None):
            return cls(2026, 11, 26, 12, tzinfo=tz)

    caplog.set_level("INFO")
    monkeypatch.setattr("scrapy_robots_policy.config.policy_settings.datetime", NoonOfOneDay)
    with Site({"/robots.txt": robots("")}) as site:
        for _ in range(2):
            await crawl(site.url("/a"), settings={"ROBOTS_REPORT": str(tmp_path / template)})
    assert sorted(path.name for path in tmp_path.iterdir()) == names
    assert all(str(tmp_path / name) in caplog.text for name in names)


@pytest.mark.parametrize(
    ("text", "why"),
    [("{", "it is no JSON"), ("[" * 100_000, "it is no JSON"), ("{}", "it is no report's data")],
)
@on_reactor
async def test_a_base_that_is_no_report_stops_the_spider_at_start(tmp_path, text, why):
    base = tmp_path / "base.json"
    base.write_text(text)
    with Site({"/robots.txt": robots("")}) as site:
        with pytest.raises(ValueError, match=rf"^ROBOTS_REPORT_BASE is '.*': {why}$"):
            await crawl(site.url(), settings={"ROBOTS_REPORT_BASE": str(base)})
        assert site.hits == []


@on_reactor
async def test_a_base_that_breaks_during_the_crawl_is_a_warning(tmp_path, caplog):
    base, report = tmp_path / "base.json", tmp_path / "report.json"

    class Spoiling(Spider):
        def parse(self, response):
            base.write_text("{")

    with Site({"/robots.txt": robots("")}) as site:
        settings = {"ROBOTS_REPORT": str(report), "ROBOTS_REPORT_BASE": str(base)}
        await crawl(site.url(), spider=Spoiling, settings=settings)
    assert "The report is not compared with" in caplog.text
    assert json.loads(report.read_text())["passed"] == 1


@on_reactor
async def test_a_base_that_is_not_there_is_a_line_of_the_log(tmp_path, caplog):
    caplog.set_level("INFO")
    base, report = tmp_path / "base.json", tmp_path / "report.json"
    with Site({"/robots.txt": robots("")}) as site:
        settings = {"ROBOTS_REPORT": str(report), "ROBOTS_REPORT_BASE": str(base)}
        await crawl(site.url(), settings=settings)
    assert f"no earlier report at {base}" in caplog.text
