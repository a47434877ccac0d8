"""What must be true of crawls that declare a use, of sites that say something about it in any form.

The forms: lines of robots.txt, groups of control tokens, tdmrep.json, response headers, robots
tags, and TDMRep's meta tags; and RSL licences, which are shown and not obeyed.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest
from scrapy import Request, signals

from scrapy_robots_policy.rep.preference import PURPOSES
from tests.audit.records import check, lines_in
from tests.crawls import REACTORS, Plan, Spider, crawl, crawl_apart
from tests.on_reactor import on_reactor
from tests.site import Answer, Site, moved, robots

pytestmark = pytest.mark.slow

TDMREP = "/.well-known/tdmrep.json"
RSL = 'rel="license"; type="application/rsl+xml"'

ROBOTS = """\
License: https://site.example/global.xml
User-agent: *
Disallow: /private/
Content-Usage: /usage/ train-ai=n, search=y
Content-Signal: search=yes, use=reference

User-agent: Google-Extended
Disallow: /token/
"""


def file(*rules: tuple[str, object]) -> Answer:
    entries = [{"location": path, "tdm-reservation": value} for path, value in rules]
    return Answer(json.dumps(entries).encode(), headers={"Content-Type": "application/json"})


def page(head: str = "", **headers: str) -> Answer:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    text = f"<html><head>{head}</head><body>page</body></html>"
    return Answer(text.encode(), headers={"Content-Type": "text/html", **named})


def meta(name: str, content: object) -> str:
    return f'<meta name="{name}" content="{content}">'


# Each page says one thing in one form: what its name says.
PAGES = {
    "/": page(),
    "/usage/": page(),
    "/token/": page(),
    "/tdm/": page(),
    "/usage-header": page(Content_Usage="train-ai=n"),
    "/signal-header": page(Content_Signal="ai-input=no"),
    "/level-header": page(Content_Signal="use=immediate"),
    "/noai-header": page(X_Robots_Tag="noai"),
    "/noai-meta": page(meta("robots", "noimageai")),
    "/noai-for-others": page(meta("otherbot", "noai"), X_Robots_Tag="otherbot: noai"),
    "/tdm-header": page(tdm_reservation="1"),
    "/tdm-meta": page(meta("tdm-reservation", 1)),
    "/tdm-meta-lifts-header": page(meta("tdm-reservation", 0), tdm_reservation="1"),
    "/tdm-neither": page(meta("tdm-reservation", 2), tdm_reservation="yes"),
    "/licence": page(
        '<link rel="license" type="application/rsl+xml" href="/html.xml">',
        Link=f"<https://site.example/header.xml>; {RSL}",
    ),
}
SCRIPT = {"/robots.txt": robots(ROBOTS), TDMREP: file(("/tdm/", 1), ("/", 0)), **PAGES}

TRAINING = {"/usage-header", "/noai-header", "/noai-meta", "/tdm-header", "/tdm-meta"}
MINING = {"/signal-header", "/tdm-header", "/tdm-meta"}
# (settings, pages that are not fetched, pages that are fetched and whose items are dropped)
DECLARED = {
    "nothing": ({}, set(), set()),
    "search": ({"ROBOTS_PURPOSE": "search"}, set(), set()),
    "ai-input": ({"ROBOTS_PURPOSE": "ai-input"}, {"/token/", "/tdm/"}, MINING),
    "train-ai": ({"ROBOTS_PURPOSE": "train-ai"}, {"/usage/", "/token/", "/tdm/"}, TRAINING),
    "without-tokens": (
        {"ROBOTS_PURPOSE": "train-ai", "ROBOTS_PURPOSE_TOKENS": []},
        {"/usage/", "/tdm/"},
        TRAINING,
    ),
    "token-alone": ({"ROBOTS_PURPOSE_TOKENS": "google-extended"}, {"/token/"}, set()),
    "all": (
        {"ROBOTS_PURPOSE": list(PURPOSES)},
        {"/usage/", "/token/", "/tdm/"},
        TRAINING | MINING,
    ),
    "immediate": ({"ROBOTS_CONTENT_USE": "immediate"}, set(), set()),
    "reference": ({"ROBOTS_CONTENT_USE": "reference"}, set(), {"/level-header"}),
    "full": ({"ROBOTS_CONTENT_USE": "full"}, set(PAGES), set()),
    "fetch-reserved": (
        {"ROBOTS_PURPOSE": "train-ai", "ROBOTS_TDMREP": "fetch"},
        {"/usage/", "/token/"},
        TRAINING | {"/tdm/"},
    ),
}


class Keeping(Spider):
    """Makes an item of every page."""

    @classmethod
    def from_crawler(cls, crawler, *args, **kwargs):
        spider = super().from_crawler(crawler, *args, **kwargs)
        spider.items = []
        crawler.signals.connect(spider.keep, signals.item_scraped)
        return spider

    def keep(self, item):
        self.items.append(item["url"])

    def parse(self, response):
        super().parse(response)
        yield {"url": response.url}


@pytest.mark.parametrize("name", DECLARED)
@on_reactor
async def test_each_form_is_obeyed_for_the_declared_use_and_nothing_is_fetched_twice(
    name, tmp_path
):
    declared, unfetched, dropped = DECLARED[name]
    paths = {"report": tmp_path / "report.json", "audit": tmp_path / "audit.jsonl"}
    settings = {
        **declared,
        "ROBOTS_REPORT": str(paths["report"]),
        "ROBOTS_AUDIT": str(paths["audit"]),
    }
    with Site(SCRIPT) as site:
        _, crawler = await crawl(*map(site.url, PAGES), settings=settings, spider=Keeping)
        assert set(site.pages) == PAGES.keys() - unfetched
        assert max(Counter(site.paths).values()) == 1
        asks = bool({"train-ai", "ai-input"} & set(_purposes(declared)))
        assert site.count(TDMREP) == asks
        kept = {url.removeprefix(site.origin) for url in crawler.spider.items}
        assert kept == PAGES.keys() - unfetched - dropped
        decisions = _decisions(paths["audit"], site.origin)
        _, differences = check(paths["audit"])
        assert differences == []
        reported = json.loads(paths["report"].read_text())["origins"][0]
        assert reported["tdmrep"] == ("200" if asks else "")
        refused = unfetched | dropped
        words = [words for words in reported["uses"] if " refused by " in words]
        assert bool(words) == bool(refused)
        assert {path for path, line in decisions.items() if line["verdict"] == "refused"} == (
            unfetched
        )


def _purposes(declared):
    purposes = declared.get("ROBOTS_PURPOSE", [])
    return [purposes] if isinstance(purposes, str) else purposes


def _decisions(path, origin):
    lines = (line for line in lines_in(path) if line["type"] == "decision")
    return {line["url"].removeprefix(origin): line for line in lines}


@on_reactor
async def test_the_record_has_every_preference_with_its_place_and_what_came_of_it(tmp_path):
    path = tmp_path / "audit.jsonl"
    settings = {"ROBOTS_PURPOSE": ["train-ai", "search"], "ROBOTS_AUDIT": str(path)}
    with Site(SCRIPT) as site:
        await crawl(*map(site.url, PAGES), settings=settings, spider=Keeping)
        origin = site.origin
    lines = lines_in(path)
    decisions = _decisions(path, origin)
    tdm = decisions["/tdm/"]
    assert tdm["refused_use"] == {
        "label": "tdm-reservation",
        "key": "",
        "value": "1",
        "line": 1,
        "place": "tdmrep.json",
    }
    (source,) = [
        line
        for line in lines
        if line.get("robots") == tdm["tdmrep"] != tdm["robots"] and line["type"] == "robots"
    ]
    assert source["url"] == origin + TDMREP
    token = decisions["/token/"]["refused_use"]
    assert (token["label"], token["key"], token["line"]) == ("User-agent", "Google-Extended", 8)
    pages = {line["url"].removeprefix(origin): line for line in lines if line["type"] == "page"}
    assert pages.keys() == PAGES.keys() - {
        *("/", "/usage/", "/token/", "/tdm/", "/noai-for-others", "/tdm-neither")
    }
    lifted = pages["/tdm-meta-lifts-header"]
    assert {one.get("place") for one in lifted["preferences"]} == {
        *(None, "tdmrep.json", "header", "meta tag")
    }
    assert [(one["preference"], one["by"]) for one in lifted["overridden"][-2:]] == [
        ("tdmrep.json rule 2, tdm-reservation: 0", "meta tag tdm-reservation: 0"),
        ("header tdm-reservation: 1", "meta tag tdm-reservation: 0"),
    ]
    assert {one["use"]: one["result"] for one in lifted["results"]} == {
        "search": "granted",
        "train-ai": "granted",
        "Google-Extended": "not stated",
        "Applebot-Extended": "not stated",
    }
    licences = [one for one in pages["/licence"]["preferences"] if one["label"] == "License"]
    assert [(one.get("place"), one["value"].removeprefix(origin)) for one in licences] == [
        (None, "https://site.example/global.xml"),
        ("header", "https://site.example/header.xml"),
        ("link element", "/html.xml"),
    ]


@on_reactor
async def test_the_report_has_what_a_site_says_in_each_form(tmp_path):
    path = tmp_path / "report.json"
    settings = {"ROBOTS_PURPOSE": "train-ai", "ROBOTS_REPORT": str(path)}
    with Site(SCRIPT) as site:
        await crawl(*map(site.url, PAGES), settings=settings)
    assert set(json.loads(path.read_text())["usage"]) == {
        "License",
        "Content-Signal: search=yes",
        "Content-Signal: use=reference",
        "tdmrep.json tdm-reservation: 0",
        "header Content-Usage: train-ai=n",
        "header Content-Signal: ai-input=no",
        "header Content-Signal: use=immediate",
        "header X-Robots-Tag: noai",
        "header tdm-reservation: 1",
        "header License",
        "meta tag robots: noimageai",
        "meta tag tdm-reservation: 0",
        "meta tag tdm-reservation: 1",
        "link element License",
    }


@pytest.mark.parametrize("kind", REACTORS)
def test_a_page_may_lift_the_reservation_of_the_file_if_it_is_fetched(kind):
    lifting = {
        TDMREP: file(("/", 1)),
        "/robots.txt": robots(""),
        "/lifts": page(tdm_reservation="0"),
        "/keeps": page(),
    }
    with Site(lifting) as site:
        settings = {
            **REACTORS[kind],
            "ADDONS": {"scrapy_robots_policy.Addon": 500},
            "ROBOTS_PURPOSE": "train-ai",
            "ROBOTS_TDMREP": "fetch",
        }
        seen = crawl_apart(Plan([site.url("/lifts"), site.url("/keeps")], settings))
        assert sorted(seen.answered) == [site.url("/keeps"), site.url("/lifts")]
        assert seen.stats["robots/tdmrep/fetched"] == 1


@on_reactor
async def test_a_page_that_takes_longer_than_its_files_live_is_refused_as_they_said():
    script = {"/robots.txt": robots(""), TDMREP: file(("/", 1)), "/": replace(page(), after=2.5)}
    with Site(script) as site:
        settings = {"ROBOTS_PURPOSE": "train-ai", "ROBOTS_TDMREP": "fetch", "ROBOTS_TTL": 1}
        seen, crawler = await crawl(site.url("/"), settings=settings, spider=Keeping)
        assert (seen.answered, crawler.spider.items) == ([site.url("/")], [])
        assert seen.stats["robots/tags/use/dropped"] == 1


# Answers for tdmrep.json that reserve nothing, and the reason that the report gives.
SILENT = {
    "missing": (Answer(status=404), "404"),
    "forbidden": (Answer(status=403), "403"),
    "failing": (Answer(status=500), "500"),
    "html": (page(), "200, an HTML page"),
    "object": (Answer(b'{"location": "/", "tdm-reservation": 1}'), "200, no JSON array"),
    "deep": (Answer(b"[" * 400_000), "200, no JSON (RecursionError)"),
    "large": (
        Answer(b"[" + b'{"location": "/x", "tdm-reservation": 0},' * 20_000),
        "200, no JSON (JSONDecodeError)",
    ),
    "not_text": (Answer(b'["\xe9"]'), "200, no JSON (UnicodeDecodeError)"),
    "reset": (Answer(b"[]", reset=1, promise=100), None),
    "loop": (moved(TDMREP + "?1"), None),
}


@pytest.mark.parametrize("name", SILENT)
@on_reactor
async def test_a_tdmrep_json_that_says_nothing_refuses_nothing_and_is_reported(name, tmp_path):
    answer, why = SILENT[name]
    report = tmp_path / "report.json"
    settings = {
        "ROBOTS_PURPOSE": "train-ai",
        "ROBOTS_ON_UNREACHABLE": "defer",
        "ROBOTS_FETCH_RETRIES": 0,
        "ROBOTS_REPORT": str(report),
    }
    with Site({"/robots.txt": robots(""), TDMREP: answer}) as site:
        seen, _ = await crawl(site.url("/a"), site.url("/b"), settings=settings)
        assert sorted(seen.answered) == [site.url("/a"), site.url("/b")]
        assert seen.stats["robots/tdmrep/fetched"] == 1
        (origin,) = json.loads(report.read_text())["origins"]
        assert origin["tdmrep"] if why is None else origin["tdmrep"] == why
        assert "robots/outcome/404" not in seen.stats
        assert seen.stats["robotstxt/request_count"] == 1


@on_reactor
async def test_a_tdmrep_json_that_never_comes_stops_no_other_host():
    opener = {"/robots.txt": robots("")}
    with (
        Site({**opener, TDMREP: Answer(gate="late")}) as late,
        Site({**opener, TDMREP: file(("/no", 1))}, "127.0.0.2") as other,
    ):
        urls = [late.url(f"/{n}") for n in range(40)] + [other.url(f"/{n}") for n in range(20)]
        late_gate = late.gate("late")

        class Opening(Spider):
            def parse(self, response):
                super().parse(response)
                if len(other.pages) == 20:
                    late_gate.set()

        settings = {
            "ROBOTS_PURPOSE": "train-ai",
            "CONCURRENT_REQUESTS": 8,
            "ROBOTS_FETCH_TIMEOUT": 200,
        }
        seen, _ = await crawl(*urls, settings=settings, spider=Opening)
        assert sorted(seen.answered) == sorted(urls)
        assert late.count(TDMREP) == other.count(TDMREP) == 1


@on_reactor
async def test_a_tdmrep_json_is_asked_for_only_where_it_may_decide():
    files = {
        "closed": robots("User-agent: *\nDisallow: /"),
        "hidden": robots("User-agent: *\nDisallow: /.well-known/"),
    }
    with (
        Site({"/robots.txt": files["closed"], TDMREP: file(("/", 1))}) as closed,
        Site({"/robots.txt": files["hidden"], TDMREP: file(("/", 1))}, "127.0.0.2") as hidden,
    ):
        seen, _ = await crawl(
            closed.url("/a"), hidden.url("/a"), settings={"ROBOTS_PURPOSE": "train-ai"}
        )
        assert closed.count(TDMREP) == hidden.count(TDMREP) == 0
        assert seen.answered == [hidden.url("/a")]
        assert seen.stats["robots/tdmrep/forbidden"] == 1


@on_reactor
async def test_a_tdmrep_json_takes_its_turn_where_a_delay_is_kept():
    slow = robots("User-agent: *\nCrawl-delay: 1\n")
    with Site({"/robots.txt": slow, TDMREP: file(("/no", 1))}) as site:
        await crawl(site.url("/a"), settings={"ROBOTS_PURPOSE": "train-ai"})
        assert site.paths == ["/robots.txt", TDMREP, "/a"]
        times = [hit.asked_at for hit in site.hits]
        assert min(later - sooner for sooner, later in pairwise(times)) > 0.9


class InTurn(Spider):
    """Asks for the second request when the first one is done."""

    second = ""

    def parse(self, response):
        super().parse(response)
        yield from self.then(response.url)

    def fail(self, failure):
        super().fail(failure)
        yield from self.then(failure.request.url)

    def then(self, url):
        if url != self.second:
            yield Request(self.second, self.parse, errback=self.fail)


@on_reactor
async def test_a_tdmrep_json_that_a_newer_robots_txt_forbids_is_not_asked_for_again(caplog):
    hidden = robots("User-agent: *\nDisallow: /.well-known/")
    busy = Answer(status=503, headers={"Retry-After": "6"})
    with (
        Site({"/robots.txt": (robots(""), hidden), TDMREP: busy}) as site,
        # When it has answered, the robots.txt of the first site is stale.
        Site({"/robots.txt": hidden, "/tick": Answer(after=1.5)}, "127.0.0.2") as other,
    ):
        settings = {"ROBOTS_PURPOSE": "train-ai", "ROBOTS_TTL": 1}
        first, second = site.url("/a"), site.url("/b")
        seen, _ = await crawl(
            first, other.url("/tick"), settings=settings, spider=InTurn, second=second
        )
        assert site.paths[:3] == ["/robots.txt", TDMREP, "/robots.txt"]
        assert site.pages == ["/a", "/b"]
        assert site.count(TDMREP) == 1
        assert "robots/tdmrep/fetched" not in seen.stats
        assert not [record for record in caplog.records if record.levelname == "ERROR"]


@on_reactor
async def test_a_robots_txt_of_the_user_is_obeyed_while_the_tdmrep_json_is_not_known():
    with Site({"/robots.txt": robots("User-agent: *\nDisallow: /open"), TDMREP: file()}) as site:
        own = {"127.0.0.1": {"robots_txt": "User-agent: *\nDisallow: /closed"}}
        settings = {"ROBOTS_PURPOSE": "train-ai", "ROBOTS_OVERRIDES": own}
        await crawl(site.url("/open"), site.url("/closed"), settings=settings)
    assert site.pages == ["/open"]
    assert (site.count("/robots.txt"), site.count(TDMREP)) == (0, 1)


@on_reactor
async def test_a_redirect_from_a_tdmrep_json_to_a_robots_txt_is_no_robots_txt_of_that_host():
    with (
        Site({"/robots.txt": robots("User-agent: *\nDisallow: /no")}, "127.0.0.2") as victim,
        Site({"/robots.txt": robots(""), TDMREP: moved(victim.url("/robots.txt"))}) as site,
    ):
        settings = {"ROBOTS_PURPOSE": "train-ai"}
        second = victim.url("/yes")
        seen, _ = await crawl(site.url("/a"), settings=settings, spider=InTurn, second=second)
        assert seen.answered == [site.url("/a"), second]
        assert (victim.count("/robots.txt"), victim.count(TDMREP)) == (2, 1)


@on_reactor
async def test_a_tdmrep_json_at_the_end_of_redirects_is_that_of_its_own_host_too():
    with (
        Site({"/robots.txt": robots(""), TDMREP: file(("/no", 1))}, "127.0.0.2") as other,
        Site({"/robots.txt": robots(""), TDMREP: moved(other.url(TDMREP))}) as site,
    ):
        settings = {"ROBOTS_PURPOSE": "train-ai"}
        second = other.url("/no")
        seen, _ = await crawl(site.url("/no"), settings=settings, spider=InTurn, second=second)
        assert seen.dropped.keys() == {site.url("/no"), other.url("/no")}
        assert other.count(TDMREP) == 1


@on_reactor
async def test_a_stored_tdmrep_json_is_not_fetched_again(tmp_path):
    settings = {"ROBOTS_PURPOSE": "train-ai", "ROBOTS_STORE": f"sqlite:{tmp_path / 'r.sqlite'}"}
    with Site({"/robots.txt": robots(""), TDMREP: file(("/no", 1))}) as site:
        for _ in range(2):
            seen, _ = await crawl(site.url("/no"), site.url("/yes"), settings=settings)
            assert seen.answered == [site.url("/yes")]
        assert (site.count(TDMREP), site.count("/robots.txt")) == (1, 1)
