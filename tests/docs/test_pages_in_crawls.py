"""Examples of the docs that need a crawl: docs/monitoring.md, docs/migration.md, docs/fleets.md."""

from __future__ import annotations

import re

import pytest

from tests.crawls import crawl
from tests.docs.markdown import ROOT, blocks
from tests.on_reactor import on_reactor
from tests.site import Answer, Site, robots

pytestmark = pytest.mark.slow

RULES = "User-agent: *\nDisallow: /x\nCrawl-delay: 0.01\n"


def texts_of(name):
    return [block.text for block in blocks(ROOT / "docs" / name)]


def names_in(code):
    names: dict = {}
    exec(code, names)
    return names


@on_reactor
async def test_the_extension_of_the_page_on_monitoring_writes_a_file_for_prometheus(tmp_path):
    (code,) = [text for text in texts_of("monitoring.md") if "class PrometheusFile" in text]
    path = tmp_path / "robots.prom"
    settings = {"EXTENSIONS": {names_in(code)["PrometheusFile"]: 0}, "PROMETHEUS_FILE": str(path)}
    with Site({"/robots.txt": robots(RULES)}) as site:
        await crawl(site.url("/a"), site.url("/x"), settings=settings)
    lines = path.read_text().splitlines()
    assert "# TYPE scrapy_robots_refused_total counter" in lines
    assert 'scrapy_robots_refused_total{what="rule"} 1.0' in lines
    assert 'scrapy_robots_passed_total{what=""} 1.0' in lines


@on_reactor
async def test_the_redis_user_of_the_page_on_fleets_has_all_the_rights_that_a_crawl_needs(redis):
    (command,) = [text for text in texts_of("fleets.md") if text.startswith("ACL")]
    user, password = re.match(r"ACL SETUSER (\w+) on >(\w+) ", command).groups()
    # The pause lasts until the pauses of the fleet are looked at, which is once a second.
    script = {"/robots.txt": robots(RULES), "/a": Answer(status=429, headers={"Retry-After": "2"})}
    with redis.client() as admin, Site(script) as site:
        admin.execute_command(*command.split())
        url = redis.url.replace("//", f"//{user}:{password}@")
        settings = {"ROBOTS_STORE": url, "RETRY_TIMES": 1}
        _, crawler = await crawl(*map(site.url, ("/a", "/b")), settings=settings)
        kept = {*admin.keys()}
        admin.execute_command("ACL", "DELUSER", user)
    stats = crawler.stats.get_stats()
    assert stats["robots/paused"]
    assert {name: stats[name] for name in stats if "store" in name and "fail" in name} == {}
    assert f"robots:{{{site.origin}}}:record".encode() in kept
