"""README: which requests pass, which are dropped, and what a spider learns of it."""

from __future__ import annotations

import copy
import pickle

import pytest
import scrapy
from scrapy.exceptions import IgnoreRequest

from scrapy_robots_policy import Disallowed, RobotsPolicyMiddleware, compat
from scrapy_robots_policy.rep import Reason
from tests.crawls import Chain, Spider
from tests.on_reactor import on_reactor
from tests.site import Answer, moved, robots

pytestmark = pytest.mark.slow  # whole crawls

SECRET = robots("User-agent: *\nDisallow: /secret")
A, SECRET_PAGE = "http://a.test/a", "http://a.test/secret"


@on_reactor
async def test_the_errback_of_a_refused_request_gets_the_verdict_with_reason_rule_and_line(web):
    crawl = web({"a.test": {"/robots.txt": SECRET}}).start(SECRET_PAGE)
    seen = await crawl.end()
    (error,) = crawl.crawler.spider.errors
    assert isinstance(error, Disallowed)
    assert isinstance(error, IgnoreRequest)
    verdict = error.verdict
    assert (verdict.allowed, verdict.reason, verdict.line) == (False, Reason.RULE, 2)
    assert (str(verdict.rule), verdict.dialect) == ("Disallow: /secret", "rfc9309")
    assert seen.dropped == {SECRET_PAGE: "Refused by robots.txt: line 2, Disallow: /secret"}
    for copied in (pickle.loads(pickle.dumps(error)), copy.deepcopy(error)):
        assert (copied.verdict, copied.url, str(copied)) == (verdict, SECRET_PAGE, str(error))


@on_reactor
async def test_the_stats_say_what_was_fetched_dropped_and_passed(web):
    site = web({"a.test": {"/robots.txt": SECRET}, "b.test": {"/robots.txt": Answer(status=503)}})
    seen = await site.crawl(A, SECRET_PAGE, f"{SECRET_PAGE}/2", "http://b.test/")
    assert (
        seen.robots_stats.items()
        >= {
            "robotstxt/request_count": 2,
            "robotstxt/response_count": 2,
            "robotstxt/response_status_count/200": 1,
            "robotstxt/response_status_count/503": 1,
            "robotstxt/forbidden": 3,
            "robots/fetched": 2,
            "robots/outcome/200": 1,
            "robots/outcome/503": 1,
            "robots/refused/rule": 2,
            "robots/refused/unreachable": 1,
            "robots/passed": 1,
        }.items()
    )


@on_reactor
async def test_the_log_says_once_what_is_made_of_each_robots_txt(web, caplog):
    caplog.set_level("DEBUG")
    site = web({"a.test": {"/robots.txt": SECRET}, "b.test": {"/robots.txt": Answer(status=503)}})
    await site.crawl(*(f"http://{host}.test/{n}" for host in "ab" for n in range(3)))
    lines = [r for r in caplog.records if r.getMessage().startswith("robots.txt of")]
    assert sorted((line.levelname, line.getMessage()) for line in lines) == [
        ("DEBUG", "robots.txt of http://a.test: 200, its rules are obeyed (rfc9309)"),
        ("WARNING", "robots.txt of http://b.test: 503, nothing is allowed (rfc9309)"),
    ]


SPELLINGS = [
    "/a/../private/1",
    "/./private/2",
    "/%2e/private/3",
    "/a/%2E%2e/private/4",
    "/%70rivate/5",
    "/a%3Bb",
    "/private?x#y",
]


@pytest.mark.parametrize("dialect", ["rfc9309", "google", "yandex"])
@on_reactor
async def test_no_spelling_of_a_forbidden_path_is_fetched(dialect, web):
    text = "User-agent: *\nDisallow: /private\nDisallow: /a;b\n"
    site = web({"a.test": {"/robots.txt": robots(text)}})
    urls = [f"http://a.test{path}" for path in [*SPELLINGS, "/open"]]
    await site.crawl(*urls, settings={"ROBOTS_DIALECT": dialect})
    forbidden = [url for url in site.pages if "private" in url or url.endswith("/a;b")]
    assert (forbidden, "http://a.test/open" in site.pages) == ([], True)


GROUPS = robots("User-agent: *\nDisallow: /\n\nUser-agent: mybot\nAllow: /\n")
CHROME = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120"
NAMES = {
    "the default": ({}, {}, {}, False),
    "USER_AGENT": ({"USER_AGENT": "MyBot/1.0 (+https://x)"}, {}, {}, True),
    "USER_AGENT as a browser's": (
        {"USER_AGENT": "Mozilla/5.0 (compatible; MyBot/1.0; +https://x)"},
        {},
        {},
        True,
    ),
    "a browser": ({"USER_AGENT": CHROME}, {}, {}, False),
    "ROBOTSTXT_USER_AGENT": ({"ROBOTSTXT_USER_AGENT": "MyBot"}, {}, {}, True),
    "ROBOTSTXT_USER_AGENT before the header": (
        {"ROBOTSTXT_USER_AGENT": "Other"},
        {},
        {"headers": {"User-Agent": "MyBot"}},
        False,
    ),
    "the header": ({}, {}, {"headers": {"User-Agent": "MyBot/2"}}, True),
    "the spider": ({}, {"robots_user_agent": "MyBot"}, {}, True),
    "the spider's user_agent": ({}, {"user_agent": "MyBot/1"}, {}, True),
    "the request": (
        {"ROBOTSTXT_USER_AGENT": "Other"},
        {},
        {"meta": {"robots": {"agent": "MyBot"}}},
        True,
    ),
    "an override": ({"ROBOTS_OVERRIDES": {"*.test": {"agent": "MyBot"}}}, {}, {}, True),
    "an override of another host": (
        {"ROBOTS_OVERRIDES": {"b.test": {"agent": "MyBot"}}},
        {},
        {},
        False,
    ),
}


@pytest.mark.parametrize("name", NAMES)
@on_reactor
async def test_the_group_is_that_of_the_crawlers_product_token(name, web):
    settings, attributes, request, passes = NAMES[name]
    site = web({"a.test": {"/robots.txt": GROUPS}})
    await site.crawl(scrapy.Request(A, **request), settings=settings, **attributes)
    assert (site.pages == [A]) is passes


# Refused by the first rule that matches, which koster1996 obeys; allowed by the longest.
ORDER = robots("User-agent: *\nDisallow: /a\nAllow: /a/b")
ORDERED = "http://a.test/a/b"
KOSTER = {"dialect": "koster1996"}
# Each level beside the next weaker one, which says the contrary.
STRENGTH = {
    "the default": ({}, {}, {}, True),
    "the setting": ({"ROBOTS_DIALECT": "koster1996"}, {}, {}, False),
    "an override": ({"ROBOTS_OVERRIDES": {"a.test": KOSTER}}, {}, {}, False),
    "the spider's attribute": (
        {"ROBOTS_OVERRIDES": {"a.test": {"dialect": "rfc9309"}}},
        {"robots_dialect": "koster1996"},
        {},
        False,
    ),
    "the spider's override": (
        {},
        {"robots_dialect": "rfc9309", "robots_overrides": {"a.test": KOSTER}},
        {},
        False,
    ),
    "the request": (
        {},
        {"robots_overrides": {"a.test": KOSTER}},
        {"robots": {"dialect": "rfc9309"}},
        True,
    ),
    "obey in an override": (
        {"ROBOTS_OVERRIDES": {"a.test": {**KOSTER, "obey": False}}},
        {},
        {},
        True,
    ),
    "a file in an override": (
        {"ROBOTS_OVERRIDES": {"a.test": {"robots_txt": "User-agent: *\nDisallow: /a/b"}}},
        {},
        {},
        False,
    ),
    "the most precise host": (
        {"ROBOTS_OVERRIDES": {"*.test": {"dialect": "rfc9309"}, "a.test": KOSTER}},
        {},
        {},
        False,
    ),
}


@pytest.mark.parametrize("name", STRENGTH)
@on_reactor
async def test_the_strongest_choice_wins(name, web):
    settings, attributes, meta, passes = STRENGTH[name]
    site = web({"a.test": {"/robots.txt": ORDER}})
    await site.crawl(scrapy.Request(ORDERED, meta=meta), settings=settings, **attributes)
    assert (site.pages == [ORDERED]) is passes


WRONG = ["google", {"dialcet": "google"}, {"dialect": "goggle"}]


@pytest.mark.parametrize("value", WRONG)
@on_reactor
async def test_a_wrong_choice_of_a_request_fails_that_request_only(value, web):
    site = web({"a.test": {"/robots.txt": SECRET}})
    seen = await site.crawl(scrapy.Request(SECRET_PAGE, meta={"robots": value}), A)
    assert site.pages == [A]
    assert "request.meta['robots']" in seen.dropped[SECRET_PAGE]
    assert "must be" in seen.dropped[SECRET_PAGE]


OWN_WORDS = {
    "agent": {"meta": {"robots": {"agent": "mybot"}}},
    "header": {"headers": {"User-Agent": "MyBot/2"}},
    "exempt": {"meta": {"dont_obey_robotstxt": True}},
}


@pytest.mark.parametrize("name", OWN_WORDS)
@on_reactor
async def test_a_requests_own_choice_holds_for_no_other_request(name, web):
    site = web({"a.test": {"/robots.txt": GROUPS}})
    own = [scrapy.Request(f"{A}?{n}", **OWN_WORDS[name]) for n in (1, 3)]
    await site.crawl(own[0], spider=Chain, ahead=[f"{A}?2", own[1], f"{A}?4"])
    assert site.pages == [f"{A}?1", f"{A}?3"]


@on_reactor
async def test_an_exemption_ends_with_the_site_for_which_it_was_made(web):
    closed = robots("User-agent: *\nDisallow: /")
    site = web({
        "a.test": {"/robots.txt": closed, "/a": moved("http://b.test/b"), "/1": moved("/2")},
        "b.test": {"/robots.txt": closed},
    })  # fmt: skip
    exempt = {"dont_obey_robotstxt": True}
    urls = [A, "http://a.test/1"]
    await site.crawl(*(scrapy.Request(url, meta=exempt) for url in urls))
    assert site.pages == [A, "http://a.test/1", "http://a.test/2"]
    assert [hit.url for hit in site.fetches()] == ["http://b.test/robots.txt"]


@on_reactor
async def test_robotstxt_obey_false_switches_all_off(web):
    site = web({"a.test": {"/robots.txt": SECRET}})
    seen = await site.crawl(SECRET_PAGE, settings={"ROBOTSTXT_OBEY": False})
    assert (site.urls, seen.robots_stats) == ([SECRET_PAGE], {})


@on_reactor
async def test_a_robots_txt_may_be_fetched_as_a_page(web):
    site = web({"a.test": {"/robots.txt": robots("User-agent: *\nDisallow: /")}})
    seen = await site.crawl("http://a.test/robots.txt", "http://a.test/", "data:,hello")
    assert sorted(seen.answered) == ["data:,hello", "http://a.test/robots.txt"]


@on_reactor
async def test_a_dry_run_drops_nothing_and_counts_what_it_would_drop(web):
    paced = robots("User-agent: *\nDisallow: /secret\nCrawl-delay: 5")
    site = web({"a.test": {"/robots.txt": paced}})
    seen = await site.crawl(A, SECRET_PAGE, settings={"ROBOTS_DRY_RUN": True})
    assert sorted(site.pages) == [A, SECRET_PAGE]
    assert seen.stats["robots/would_refuse/rule"] == 1
    assert "robotstxt/forbidden" not in seen.stats


class Keeping(Spider):
    """Keeps the verdicts that the responses bring."""

    def parse(self, response):
        super().parse(response)
        self.verdicts[response.url] = response.meta.get("robots_verdict")


@on_reactor
async def test_a_response_has_the_verdict_of_its_own_request(web):
    site = web({"a.test": {"/robots.txt": ORDER, "/moved": moved("/a/b")}})
    exempt = scrapy.Request(
        "http://a.test/x", meta={"dont_obey_robotstxt": True, "robots_verdict": 1}
    )
    urls = ["http://a.test/moved", "http://a.test/c", exempt]
    crawl = site.start(*urls, spider=Keeping, settings={"ROBOTS_KEEP_VERDICTS": True})
    await crawl.end()
    verdicts = crawl.crawler.spider.verdicts
    assert str(verdicts[ORDERED]) == "allowed by line 3, Allow: /a/b"
    assert verdicts["http://a.test/c"].reason is Reason.NO_RULE
    assert verdicts["http://a.test/x"] is None


PASSES = {
    "a page": (1, {}),
    "a page that is tried again twice": (1, {"/a": [Answer(status=503)] * 2 + [Answer()]}),
    "a redirect": (2, {"/a": moved("/b")}),
}


@pytest.mark.parametrize("name", PASSES)
@on_reactor
async def test_a_page_that_is_tried_again_counts_once(name, web):
    count, script = PASSES[name]
    site = web({"a.test": {"/robots.txt": SECRET, **script}})
    seen = await site.crawl(A, settings={"RETRY_ENABLED": True, "RETRY_TIMES": 2})
    assert (seen.stats["robots/passed"], len(seen.answered)) == (count, 1)


class Follows:
    """A middleware that follows redirects by itself, as a browser does."""

    def process_response(self, request, response, spider=None):
        to = response.headers.get("X-Leads-To")
        return response.replace(url=to.decode()) if to else response


@on_reactor
async def test_a_page_to_which_a_browser_was_redirected_is_judged_by_its_own_site(web):
    leads = {f"/{n}": Answer(headers={"X-Leads-To": f"http://b.test/{n}"}) for n in ("no", "yes")}
    site = web({
        "a.test": {"/robots.txt": robots(""), **leads},
        "b.test": {"/robots.txt": robots("User-agent: *\nDisallow: /no")},
    })  # fmt: skip
    settings = {"DOWNLOADER_MIDDLEWARES": {Follows: 950}}
    seen = await site.crawl("http://a.test/no", "http://a.test/yes", settings=settings)
    assert seen.answered == ["http://b.test/yes"]
    assert "Disallow: /no" in seen.dropped["http://a.test/no"]


class Asking(Spider):
    """Asks the middleware, when the first page is there, and fetches nothing for it."""

    def parse(self, response):
        super().parse(response)
        ours = self.crawler.get_downloader_middleware(RobotsPolicyMiddleware)
        self.verdict = ours.verdict(scrapy.Request(SECRET_PAGE))
        self.unknown = ours.verdict(scrapy.Request("http://b.test/"))
        self.sitemaps = ours.sitemaps("http://a.test/")
        self.of_no_host = ours.sitemaps("http://\ud800.test/")


@on_reactor
async def test_a_spider_learns_verdicts_and_sitemaps_without_a_fetch(web):
    text = f"{SECRET.body.decode()}\nSitemap: http://a.test/map.xml"
    site = web({"a.test": {"/robots.txt": robots(text)}})
    crawl = site.start(A, spider=Asking)
    await crawl.end()
    spider = crawl.crawler.spider
    assert (spider.verdict.allowed, spider.verdict.line) == (False, 2)
    assert (spider.unknown, spider.sitemaps) == (None, ("http://a.test/map.xml",))
    assert spider.of_no_host == ()
    assert site.urls == ["http://a.test/robots.txt", A]


class Listening(Spider):
    """Listens to Scrapy's signal for a robots.txt that was parsed."""

    parsed = ()

    async def start(self):
        self.crawler.signals.connect(self.on_parsed, compat.ROBOTS_PARSED)
        async for request in super().start():
            yield request

    async def on_parsed(self, robotparser, request):
        allowed = robotparser.allowed(request.url, "x")
        self.parsed = (*self.parsed, (request.url, robotparser.crawl_delay("x"), allowed))


@pytest.mark.skipif(compat.ROBOTS_PARSED is None, reason="the signal came with Scrapy 2.18")
@on_reactor
async def test_robots_parsed_is_sent_for_a_file_that_was_parsed(web):
    rules = robots("User-agent: *\nCrawl-delay: 3\nDisallow: /secret")
    site = web({"a.test": {"/robots.txt": rules}, "b.test": {"/robots.txt": Answer(status=404)}})
    crawl = site.start(SECRET_PAGE, "http://b.test/", spider=Listening)
    await crawl.end()
    assert crawl.crawler.spider.parsed == ((SECRET_PAGE, 3.0, False),)


RESERVED = b'[{"location": "/art", "tdm-reservation": 1}]'
FILES = {
    "/robots.txt": robots(
        "User-agent: *\nContent-Usage: /notes train-ai=n\nDisallow: /secret\n"
        "\nUser-agent: Google-Extended\nDisallow: /photos"
    ),
    "/.well-known/tdmrep.json": Answer(RESERVED, headers={"Content-Type": "application/json"}),
}
ALL = ["/art", "/notes", "/photos", "/plain"]
PURPOSES = {
    "none": ({}, ALL),
    "search": ({"ROBOTS_PURPOSE": "search"}, ALL),
    "train-ai": ({"ROBOTS_PURPOSE": "train-ai"}, ["/plain"]),
    "train-ai, no tokens": (
        {"ROBOTS_PURPOSE": "train-ai", "ROBOTS_PURPOSE_TOKENS": []},
        ["/photos", "/plain"],
    ),
    "train-ai, tdmrep.json is only fetched": (
        {"ROBOTS_PURPOSE": "train-ai", "ROBOTS_TDMREP": "fetch"},
        ["/art", "/plain"],
    ),
}


@pytest.mark.parametrize("name", PURPOSES)
@on_reactor
async def test_pages_whose_site_refuses_the_declared_use_are_left_out(name, web):
    settings, passes = PURPOSES[name]
    site = web({"a.test": FILES})
    urls = [f"http://a.test{path}" for path in [*ALL, "/secret"]]
    seen = await site.crawl(*urls, settings=settings)
    assert sorted(site.pages) == [f"http://a.test{path}" for path in passes]
    assert len(seen.answered) + len(seen.dropped) == 5


@on_reactor
async def test_a_wrong_setting_stops_the_spider_at_start_with_one_sentence(web):
    site = web({"a.test": {"/robots.txt": SECRET}})
    with pytest.raises(ValueError, match=r"ROBOTS_DIALECT is 'goggle'.*rfc9309, google"):
        await site.crawl(A, settings={"ROBOTS_DIALECT": "goggle"})
    assert site.hits == []


@on_reactor
async def test_the_log_says_what_is_asked_for_and_what_came_of_it(web, caplog):
    caplog.set_level("INFO")
    site = web({"a.test": {"/robots.txt": robots("User-agent: *\nDisallow: /no")}})
    urls = ["http://a.test/no", "http://a.test/1", "http://a.test/2"]
    settings = {"ROBOTSTXT_USER_AGENT": "MyBot", "ROBOTS_PURPOSE": "search"}
    await site.crawl(*urls, settings=settings)
    lines = [(one.levelname, one.getMessage()) for one in caplog.records if "robots" in one.name]
    assert lines[0] == ("INFO", "robots.txt is read as rfc9309, as MyBot (purposes: search)")
    assert lines[-1] == ("INFO", "1 of 3 pages refused")


@on_reactor
async def test_a_dry_run_says_so_at_its_start_and_its_end(web, caplog):
    caplog.set_level("DEBUG")
    site = web({"a.test": {"/robots.txt": robots("User-agent: *\nDisallow: /no")}})
    await site.crawl("http://a.test/no", "http://a.test/1", settings={"ROBOTS_DRY_RUN": True})
    ours = [one for one in caplog.records if one.name.startswith("scrapy_robots_policy")]
    assert [one.getMessage() for one in ours if one.levelname == "WARNING"] == [
        "A dry run: what is forbidden is fetched all the same, and counted",
        "A dry run: 1 of 2 pages would have been refused",
    ]
    [refused] = [one.getMessage() for one in ours if "refused by robots.txt" in one.getMessage()]
    assert refused.startswith("Would be refused by robots.txt: <GET http://a.test/no>, line 2, ")
