"""docs/waiting-and-delays.md: the queue gives no request of a host that is not ready."""

from __future__ import annotations

import json
from functools import partial
from itertools import pairwise

import pytest
from scrapy import Request

from scrapy_robots_policy import Addon
from tests.crawls import Spider
from tests.on_reactor import on_reactor
from tests.scripted import Timed
from tests.site import Answer, moved, robots

pytestmark = pytest.mark.slow  # whole crawls

OPEN, SILENT, PACED = robots(""), robots("", after=None), robots("User-agent: *\nCrawl-delay: 60")
EXEMPT = {"dont_obey_robotstxt": True}


class Unserializable(Spider):
    """The first request of the host has a callback that no file can keep."""

    async def start(self):
        yield Request("http://a.test/1", partial(self.parse))
        for number in range(2, 6):
            yield Request(f"http://a.test/{number}", self.parse)


@on_reactor
async def test_a_request_that_cannot_go_to_the_disk_stops_no_other_of_its_host(web, tmp_path):
    site = web({"a.test": {"/robots.txt": OPEN}})
    await site.crawl(settings={"JOBDIR": str(tmp_path)}, spider=Unserializable)
    assert sorted(site.pages) == [f"http://a.test/{number}" for number in range(1, 6)]


class OnSite(Spider):
    allowed_domains = ("a.test",)


@on_reactor
async def test_what_a_page_leads_to_is_filtered_though_the_page_went_back_to_the_queue(web):
    to_other = Answer(status=302, headers={"Location": "http://b.test/x"})
    to_login = Answer(status=302, headers={"Location": "http://a.test/login"})
    pages = {"/1": to_other, "/2": to_login, "/3": to_login}
    site = web({"a.test": {"/robots.txt": PACED, **pages}, "b.test": {"/robots.txt": OPEN}})
    urls = [f"http://a.test{path}" for path in pages]
    await site.crawl(*urls, spider=OnSite, settings={"CLOSESPIDER_TIMEOUT": 0})
    assert "http://b.test/x" not in site.pages
    assert site.pages.count("http://a.test/login") == 1


@pytest.mark.parametrize("deferring", [False, True])
@on_reactor
async def test_a_site_does_not_wait_for_another_one_of_its_host(deferring, web):
    late = Answer(status=503) if deferring else SILENT
    site = web({"a.test:8080": {"/robots.txt": late}, "a.test": {"/robots.txt": OPEN}})
    settings = {"ROBOTS_ON_UNREACHABLE": "defer"} if deferring else {}
    urls = ["http://a.test:8080/1", *(f"http://a.test/{number}" for number in range(5))]
    await site.crawl(*urls, settings=settings)
    assert max(hit.began for hit in site.visits() if ":8080" not in hit.url) < 5.0


@on_reactor
async def test_hosts_that_share_a_slot_do_not_wait_for_each_other(web):
    dead = {f"dead{number}.test": {"/robots.txt": SILENT} for number in range(60)}
    healthy = {f"healthy{number}.test": {"/robots.txt": OPEN} for number in range(10)}
    site = web({**dead, **healthy})
    await site.crawl(
        *(Request(f"http://{host}/", meta={"download_slot": "all"}) for host in [*dead, *healthy])
    )
    assert max(hit.began for hit in site.visits()) < 10.0


@pytest.mark.parametrize("robots_txt", [PACED, SILENT], ids=["a delay", "a file that is late"])
@on_reactor
async def test_an_exempt_request_waits_for_nothing(robots_txt, web):
    site = web({"a.test": {"/robots.txt": robots_txt}})
    plan = [(0.0, f"http://a.test/{number}") for number in range(3)]
    plan.append((5.0, Request("http://a.test/exempt", meta=EXEMPT)))
    await site.crawl(spider=Timed, plan=plan, settings={"CLOSESPIDER_TIMEOUT": 0})
    (exempt,) = (hit for hit in site.visits() if hit.url.endswith("/exempt"))
    assert exempt.began < 11.0


@on_reactor
async def test_the_log_says_what_waits_in_the_queue(web, caplog):
    caplog.set_level("INFO")
    site = web({"a.test": {"/robots.txt": PACED}})
    urls = [f"http://a.test/{number}" for number in range(3)]
    await site.crawl(*urls, settings={"LOGSTATS_INTERVAL": 50, "CLOSESPIDER_TIMEOUT": 0})
    assert any("3 requests in the queue" in line for line in caplog.messages)


@pytest.mark.parametrize("lifetime", [0, 30, 119, 121, 3600])
@on_reactor
async def test_a_page_goes_though_its_rules_live_for_less_time_than_its_delay(lifetime, web):
    headers = {"Cache-Control": f"max-age={lifetime}"}
    paced = robots("User-agent: *\nCrawl-delay: 120", headers=headers)
    site = web({"a.test": {"/robots.txt": paced}})
    urls = [f"http://a.test/{number}" for number in range(3)]
    seen = await site.crawl(*urls, settings={"CLOSESPIDER_TIMEOUT": 0})
    assert sorted(seen.answered) == urls
    assert site.now < 1500.0


SETTINGS = {
    "": {},
    "one at a time": {"CONCURRENT_REQUESTS": 1},
    "a delay of Scrapy's": {"DOWNLOAD_DELAY": 3},
    "autothrottle": {"AUTOTHROTTLE_ENABLED": True},
    "one may wait": {"ROBOTS_MAX_WAITING": 1},
    "on the disk": {"JOBDIR": "job"},
}


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("delay", [0, 1.5, 7, 61])
@on_reactor
async def test_each_page_comes_once_and_no_sooner_than_its_delay(name, delay, web, tmp_path):
    settings = {**SETTINGS[name], "CLOSESPIDER_TIMEOUT": 0}
    if "JOBDIR" in settings:
        settings["JOBDIR"] = str(tmp_path)
    text = f"User-agent: *\nCrawl-delay: {delay}" if delay else ""
    hosts = {
        f"h{number}.test": {"/robots.txt": robots(text, after=0.3 * number), "*": Answer(after=0.2)}
        for number in range(4)
    }
    site = web(hosts)
    urls = [f"http{s}://{host}/{n}" for n in range(3) for s in ("", "s") for host in hosts]
    urls += [Request(f"http://{host}/slot", meta={"download_slot": "x"}) for host in hosts]
    urls += [Request(f"http://{host}/own", meta={"proxy": "http://p.test:1"}) for host in hosts]
    seen = await site.crawl(*urls, settings=settings)
    assert len(site.pages) == len({*site.pages}) == len(urls)
    assert seen.stats["scheduler/enqueued"] < 3 * len(urls)
    for host in hosts if delay else ():
        visits = sorted(site.visits(host), key=lambda visit: visit.began)
        rests = [after.began - before.ended for before, after in pairwise(visits)]
        assert min(rests) >= delay - 0.01


@pytest.mark.parametrize(
    ("settings", "is_ours"),
    [
        ({}, True),
        ({"SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.ScrapyPriorityQueue"}, False),
        ({"JOBDIR": [0, -1]}, False),
        ({"JOBDIR": {"a.test": [0]}}, True),
        ({"JOBDIR": []}, True),
    ],
    ids=str,
)
def test_the_add_on_sets_the_queue_where_the_crawl_can_have_it(settings, is_ours, tmp_path):
    from scrapy.settings import Settings  # noqa: PLC0415 - beside its only use

    if "JOBDIR" in settings:
        (tmp_path / "requests.queue").mkdir()
        (tmp_path / "requests.queue/active.json").write_text(json.dumps(settings["JOBDIR"]))
        settings = {"JOBDIR": str(tmp_path)}
    merged = Settings(settings)
    Addon().update_settings(merged)
    assert ("scrapy_robots_policy" in merged["SCHEDULER_PRIORITY_QUEUE"]) is is_ours


@on_reactor
async def test_what_an_exempt_page_leads_to_leaves_the_queue_once_in_its_turn(web):
    """Its meta says that it is exempt, but it was so for the site that it was made for."""
    to_b = {"/1": moved("http://b.test/1")}
    site = web({"a.test": {"/robots.txt": OPEN, **to_b}, "b.test": {"/robots.txt": PACED}})
    plan = [(0.0, "http://b.test/0"), (65.0, Request("http://a.test/1", meta=EXEMPT))]
    seen = await site.crawl(spider=Timed, plan=plan, settings={"CLOSESPIDER_TIMEOUT": 0})
    assert site.pages == ["http://b.test/0", "http://a.test/1", "http://b.test/1"]
    assert seen.stats["scheduler/dequeued"] == 3


@on_reactor
async def test_a_start_url_without_a_slash_is_of_the_same_site(web):
    site = web({"a.test": {"/robots.txt": SILENT}})
    crawl = site.start("http://a.test", *(f"http://a.test/{number}" for number in range(50)))
    await site.time.forward(5.0)
    assert crawl.crawler.stats.get_value("scheduler/dequeued", 0) == 0
    assert len(site.fetches()) == 1
    await crawl.close()
