"""docs/how-to/single-hosts.md: a permission has a name, a reason and an end."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone

import pytest

from tests.on_reactor import on_reactor
from tests.scripted import Timed
from tests.site import robots

pytestmark = pytest.mark.slow  # whole crawls

DAY = 86_400.0
OURS = "scrapy_robots_policy.RobotsPriorityQueue"
SECRET = robots("User-agent: *\nDisallow: /no")


@on_reactor
async def test_a_permission_is_shown_and_ends(web, tmp_path, caplog):
    caplog.set_level("INFO")
    site = web({"a.test": {"/robots.txt": SECRET}})
    today = datetime.fromtimestamp(site.time.now(), timezone.utc).date()
    until = str(today + timedelta(days=1))
    permission = {"obey": False, "by": "Anna", "why": "she owns the site", "until": until}
    settings = {
        "ROBOTS_OVERRIDES": {"a.test": permission},
        "ROBOTS_AUDIT": str(tmp_path / "a.jsonl"),
        "ROBOTS_REPORT": str(tmp_path / "r.html"),
    }
    urls = [f"http://a.test/no/{n}" for n in range(5)]
    times = [0, DAY, 2 * DAY - 1, 2 * DAY + 1, 2 * DAY + 2]
    plan = list(zip(times, urls, strict=True))
    seen = await site.crawl(settings=settings, spider=Timed, plan=plan)
    assert (seen.answered, list(seen.dropped)) == (urls[:3], urls[3:])

    shown = f"ROBOTS_OVERRIDES['a.test'], by Anna, until {until}: she owns the site"
    lines = [one.getMessage() for one in caplog.records if shown in one.getMessage()]
    assert lines == [f"Used: {shown}", f"Ended, and no longer used: {shown}"]
    recorded = map(json.loads, (tmp_path / "a.jsonl").read_text().splitlines())
    assert [one["exempt"] for one in recorded if "exempt" in one] == [shown] * 3
    report = json.loads((tmp_path / "r.json").read_text())
    assert report["permissions"] == {shown: False}
    assert "she owns the site" in (tmp_path / "r.html").read_text()


@on_reactor
async def test_a_permission_that_ended_before_the_crawl_permits_nothing(web, caplog):
    site = web({"a.test": {"/robots.txt": SECRET}})
    ended = {"obey": False, "until": "2020-01-31"}
    links = ("http://a.test/no", "http://a.test/no/2")
    seen = await site.crawl(*links, settings={"ROBOTS_OVERRIDES": {"a.test": ended}})
    assert sorted(seen.dropped) == sorted(links)
    assert [one.levelname for one in caplog.records if "until 2020" in one.getMessage()] == [
        "WARNING"
    ]


@pytest.mark.parametrize("queue", [OURS, "scrapy.pqueues.ScrapyPriorityQueue"])
@on_reactor
async def test_a_permission_that_ends_lets_no_page_pass_that_waits(queue, web):
    site = web({"a.test": {"/robots.txt": SECRET}})
    until = str(datetime.fromtimestamp(site.time.now(), timezone.utc).date())
    permission = {"obey": False, "crawl_delay": 3_600 * 5, "until": until}
    settings = {
        "ROBOTS_OVERRIDES": {"a.test": permission},
        "SCHEDULER_PRIORITY_QUEUE": queue,
        "CLOSESPIDER_TIMEOUT": 0,
    }
    urls = [f"http://a.test/no/{n}" for n in range(8)]
    seen = await site.crawl(*urls, settings=settings)
    assert len(seen.answered) == 5
    assert len(seen.dropped) == 3
    assert max(hit.began for hit in site.visits()) < DAY
