"""A crawl writes its report, and the report tells of that crawl."""

from __future__ import annotations

import json

import pytest

from tests.crawls import Spider, crawl
from tests.on_reactor import on_reactor
from tests.site import PAGE, Answer, Site, robots

pytestmark = pytest.mark.slow

RULES = "User-agent: *\nDisallow: /<b>\nDisallow: /x\nCrawl-delay: 0.05\n"
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
    assert error.getMessage().startswith("The report of the crawl could not be written: ")
    assert seen.stats["finish_reason"] == "finished"


@on_reactor
async def test_a_path_that_cannot_be_written_stops_the_spider_at_start(tmp_path):
    with Site({"/robots.txt": robots("")}) as site:
        for path in (tmp_path / "none" / "report.html", tmp_path / "report.pdf"):
            with pytest.raises(ValueError, match=r"^ROBOTS_REPORT is '.*': \w.*$"):
                await crawl(site.url(), settings={"ROBOTS_REPORT": str(path)})
        assert site.hits == []
