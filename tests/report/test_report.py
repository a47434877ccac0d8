"""What must be true of one crawl's report, its stats and its log: they tell of that crawl."""

from __future__ import annotations

import json
import logging
import sys
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser

import pytest
import pytest_twisted
from scrapy import Request
from scrapy.statscollectors import MemoryStatsCollector
from scrapy.utils.defer import deferred_from_coro

from tests.crawls import Spider
from tests.on_reactor import on_reactor
from tests.scripted import Web, name_server
from tests.site import Answer, robots
from tests.virtual_time import virtual_time

pytestmark = pytest.mark.slow  # whole crawls

MARKUP = "<script>alert(1)</script><img src=x onerror=alert(2)>"
RULES = f"""\
User-agent: *
Disallow: /x
Disallow: /<b>
Crawl-delay: 2
Content-Usage: train-ai=n
Content-Signal: {MARKUP}\x1b=no
"""
WEB = {
    "a.test": {
        "/robots.txt": robots(RULES, after=0.5),
        "/tagged": Answer(headers={"X-Robots-Tag": "noindex"}),
    },
    "closed.test": {"/robots.txt": Answer(status=503)},
    "gone.test": {"/robots.txt": Answer(status=404)},
    "html.test": {"/robots.txt": Answer(b"<html></html>")},
}
REQUESTS = (
    *(f"http://a.test{path}" for path in ("/tagged", "/x/1", "/x/2", "/y")),
    Request("http://a.test/<b>", meta={"robots": {"dialect": "rfc9309"}}),
    "http://closed.test/",
    "http://gone.test/",
    "http://html.test/",
)
SETTINGS = {
    "ROBOTS_DIALECT": "bing",
    "ROBOTS_PURPOSE": "search",
    "ROBOTS_TAGS": {"noindex": "drop"},
    "USER_AGENT": "TestBot/1.0 (+https://tests.dev/bot)",
}


class Gathering(Spider):
    def parse(self, response):
        super().parse(response)
        yield {"url": response.url}


class Reported(logging.Handler):
    """One crawl: its log, its stats, and its report, in the folder where it alone writes."""

    def __init__(self, folder):
        super().__init__(logging.DEBUG)
        self.folder, self.records = folder, []

    def emit(self, record):
        self.records.append((record.levelname, record.getMessage()))

    async def run(self, web):
        logger = logging.getLogger("scrapy_robots_policy")
        logger.addHandler(self)
        logger.setLevel(logging.DEBUG)
        settings = {**SETTINGS, "ROBOTS_REPORT": str(self.folder / "%(name)s at %(time)s.html")}
        self.seen = await web.crawl(*REQUESTS, settings=settings, spider=Gathering)
        logger.removeHandler(self)

    def read(self, kind):
        (path,) = self.folder.glob(f"*.{kind}")
        return path.name, path.read_text("utf-8")

    @property
    def data(self):
        return json.loads(self.read("json")[1])


@pytest.fixture(scope="module")
def reported(tmp_path_factory):
    one = Reported(tmp_path_factory.mktemp("report"))
    with virtual_time() as time, name_server() as names:
        pytest_twisted.blockon(deferred_from_coro(one.run(Web(WEB, time, names))))
    return one


def test_the_name_and_the_time_of_a_crawl_stand_in_the_names_of_its_page_and_its_data(reported):
    names = sorted(path.name for path in reported.folder.iterdir())
    assert len(names) == 2
    assert names[0].removesuffix(".html") == names[1].removesuffix(".json")
    name, _, time = names[0].removesuffix(".html").partition(" at ")
    assert (name, len(time)) == ("test", len("2026-11-22T15-40-00"))


# What the data says at least, of the crawl and of each origin.
FIGURES = {
    "spider": "test",
    "agent": "TestBot",
    "dialect": "bing",
    "reason": "finished",
    "passed": 4,
    "refused": 4,
    "modes": {"rules": 2, "allow": 1, "disallow": 1},
}
ORIGINS = {
    "http://a.test": {
        "mode": "rules",
        "why": "200",
        "trouble": False,
        "passed": 2,
        "refused": {"line 2, Disallow: /x": 2, "line 3, Disallow: /<b>": 1},
        "longest_wait": 0.5,
        "waited": 1.0,
        "delay": 2.0,
        "size": len(RULES),
    },
    "http://closed.test": {
        "mode": "disallow",
        "why": "503",
        "trouble": True,
        "refused": {"robots.txt unreachable (503)": 1},
    },
    "http://gone.test": {"mode": "allow", "why": "404", "passed": 1, "refused": {}},
    "http://html.test": {"mode": "rules", "passed": 1, "trouble": False},
}


def test_the_data_has_the_figures_of_the_crawl(reported):
    data = reported.data
    assert data == data | FIGURES
    assert (data["began"], data["waited"]) == ("2027-01-16T00:00:00+00:00", 1.0)
    assert data["began"] < data["ended"]
    assert data["held"] > 0  # for the turns that the delay gives
    origins = {line["origin"]: line for line in data["origins"]}
    assert origins.keys() == ORIGINS.keys()
    for origin, fields in ORIGINS.items():
        assert origins[origin] == origins[origin] | fields
    assert {rule["text"]: (rule["refused"], rule["origins"]) for rule in data["rules"]} == {
        "Disallow: /x": (2, 1),
        "Disallow: /<b>": (1, 1),
        "robots.txt unreachable (503)": (1, 1),
    }
    samples = {rule["text"]: sorted(rule["samples"]) for rule in data["rules"]}
    assert samples["Disallow: /x"] == ["http://a.test/x/1", "http://a.test/x/2"]
    assert data["usage"]["Content-Usage: train-ai=n"] == 1


STATS = {
    "robots/fetched": 4,
    "robots/outcome/200": 2,
    "robots/outcome/404": 1,
    "robots/outcome/503": 1,
    "robots/mode/rules": 2,
    "robots/mode/allow": 1,
    "robots/mode/disallow": 1,
    "robots/crawl_delay/kept": 1,
    "robots/refused/rule": 3,
    "robots/refused/unreachable": 1,
    "robots/tags/noindex/dropped": 1,
    "robots/passed": 4,
}


def test_the_stats_count_what_the_crawl_met_and_the_report_has_them(reported):
    stats = reported.seen.stats
    assert stats == stats | STATS | {"robotstxt/request_count": 4, "robotstxt/forbidden": 4}
    assert reported.data["stats"] == {name: stats[name] for name in reported.data["stats"]}
    assert reported.data["stats"].keys() >= STATS.keys()


# The level of a line of the log, and its key facts.
LINES = [
    ("INFO", "read as bing, as TestBot", "purposes: search"),
    ("INFO", "4 of ", "refused"),
    ("DEBUG", "http://a.test", "200"),
    ("DEBUG", "http://a.test", "2 s"),
    ("DEBUG", "http://gone.test", "404"),
    ("WARNING", "http://closed.test", "503"),
    ("WARNING", "http://html.test", "HTML"),
    ("DEBUG", "http://a.test/x/1", "line 2, Disallow: /x"),
    ("DEBUG", "http://a.test/x/2", "line 2, Disallow: /x"),
    ("DEBUG", "http://a.test/%3Cb%3E", "line 3, Disallow: /<b>"),
    ("DEBUG", "http://closed.test/", "robots.txt unreachable (503)"),
    ("WARNING", "http://a.test/tagged", "X-Robots-Tag: noindex"),
    ("INFO", "report", ".html"),
]


def test_the_log_has_a_line_for_each_robots_txt_each_delay_and_each_drop(reported):
    for level, *facts in LINES:
        lines = [text for name, text in reported.records if name == level]
        assert any(all(fact in text for fact in facts) for text in lines), facts
    assert len(reported.records) == len(LINES)


class Page(HTMLParser):
    """The tags of a page, their attributes, the texts that are shown, and those of scripts."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.texts, self.scripts = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data):
        (self.scripts if self.cdata_elem == "script" else self.texts).append(data)

    def values(self, *names):
        return [value for name, value in self.attributes if name in names]


def test_the_page_shows_the_figures_and_what_sites_say_as_text(reported):
    page = Page(reported.read("html")[1])
    for text in (
        "Disallow: /x",
        "Disallow: /<b>",
        "http://closed.test",
        "http://a.test",
        "robots.txt unreachable (503)",
        "TestBot",
        f"Content-Signal: {MARKUP}\\x1b=no",
    ):
        assert text in page.texts, text
    assert "img" not in page.tags
    assert [name for name, _ in page.attributes if name.startswith("on") or name == "style"] == []
    assert "script" not in page.tags


def test_the_page_loads_nothing_and_admits_no_script_and_no_style_but_its_own(reported):
    text = reported.read("html")[1]
    page = Page(text)
    (policy,) = (value for value in page.values("content") if "default-src" in value)
    own = text.rpartition("<style>")[2].partition("</style>")[0]
    digest = b64encode(sha256(own.encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy
    data = reported.read("json")[0].replace(" ", "%20")
    assert page.values("href", "src") == ["data:,", data]
    for loading in ("url(", "@import", "fetch(", "XMLHttp", "innerHTML", "import("):
        assert loading not in text


WRONG = ("no/such/report.html", "report.pdf", "report", "folder.html")


@pytest.mark.parametrize("name", WRONG)
@on_reactor
async def test_a_place_where_no_report_can_be_written_stops_the_spider_with_a_sentence(
    name, tmp_path, web
):
    (tmp_path / "folder.html").mkdir()
    site = web(WEB)
    with pytest.raises(ValueError, match=r"^ROBOTS_REPORT is '.*': .+$"):
        await site.crawl("http://gone.test/", settings={"ROBOTS_REPORT": str(tmp_path / name)})
    assert site.hits == []


@on_reactor
async def test_a_page_without_jinja2_stops_the_spider_with_a_sentence(tmp_path, web, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    site = web(WEB)
    with pytest.raises(
        ValueError, match=r"^ROBOTS_REPORT is '.*': .*scrapy-robots-policy\[tools\]"
    ):
        await site.crawl(
            "http://gone.test/", settings={"ROBOTS_REPORT": str(tmp_path / "report.html")}
        )
    data = {"ROBOTS_REPORT": str(tmp_path / "report.json")}
    seen = await site.crawl("http://gone.test/", settings=data)
    assert seen.answered == ["http://gone.test/"]


class LostStats(MemoryStatsCollector):
    """Its server is gone when the crawl ends."""

    def set_value(self, key, value, spider=None):
        if key == "robots/passed":
            raise ConnectionError
        super().set_value(key, value)


@pytest.mark.parametrize("collector", [LostStats, "scrapy.statscollectors.DummyStatsCollector"])
@on_reactor
async def test_a_report_and_a_record_are_whole_though_the_stats_are_lost(collector, tmp_path, web):
    report, record = tmp_path / "report.json", tmp_path / "audit.jsonl"
    settings = {"ROBOTS_REPORT": str(report), "ROBOTS_AUDIT": str(record)}
    settings["STATS_CLASS"] = collector
    await web(WEB).crawl("http://a.test/x", "http://gone.test/", settings=settings)
    data = json.loads(report.read_text("utf-8"))
    assert (data["passed"], data["refused"]) == (1, 1)
    assert '"type":"end"' in record.read_text("utf-8")


@on_reactor
async def test_a_report_that_can_no_longer_be_written_is_an_error_in_the_log(tmp_path, web, caplog):
    class Spoiling(Spider):
        def parse(self, response):
            (tmp_path / "report.json").mkdir()

    settings = {"ROBOTS_REPORT": str(tmp_path / "report.html")}
    seen = await web(WEB).crawl("http://gone.test/", settings=settings, spider=Spoiling)
    (error,) = (record for record in caplog.records if record.levelname == "ERROR")
    assert settings["ROBOTS_REPORT"] in error.getMessage()
    assert seen.stats["finish_reason"] == "finished"
    assert [path.name for path in tmp_path.iterdir()] == ["report.json"]  # no half of a pair


@on_reactor
async def test_the_report_of_a_dry_run_says_what_would_be_refused(tmp_path, web):
    path = tmp_path / "report.html"
    settings = {"ROBOTS_REPORT": str(path), "ROBOTS_DRY_RUN": True}
    site = web(WEB)
    await site.crawl("http://a.test/x", settings=settings)
    assert site.pages == ["http://a.test/x"]
    assert "would be refused" in Page(path.read_text("utf-8")).texts


@on_reactor
async def test_the_page_shows_the_worst_of_many_origins_and_the_data_has_all(tmp_path, web):
    path = tmp_path / "report.html"
    hosts = {f"{number}.test": {"/robots.txt": robots("")} for number in range(200)}
    worst = f"http://{len(hosts) - 1}.test"
    hosts[worst.removeprefix("http://")] = {"/robots.txt": robots("User-agent: *\nDisallow: /")}
    await web(hosts).crawl(
        *(f"http://{host}/" for host in hosts), settings={"ROBOTS_REPORT": str(path)}
    )
    origins = json.loads(path.with_suffix(".json").read_text("utf-8"))["origins"]
    assert len(origins) == len(hosts)
    shown = {one["origin"] for one in origins} & set(Page(path.read_text("utf-8")).texts)
    assert worst in shown
    assert len(shown) < len(hosts) / 2
