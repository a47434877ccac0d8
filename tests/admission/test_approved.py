"""What must be true where robots.txt files were approved, and where verdicts are kept."""

from __future__ import annotations

from hashlib import sha256

import pytest
from scrapy import Request
from scrapy.utils.test import get_crawler

from scrapy_robots_policy.config import SettingError, Values
from scrapy_robots_policy.rep import Reason
from tests.audit.records import check, decisions_in
from tests.crawls import Spider, crawl
from tests.on_reactor import on_reactor
from tests.site import Answer, Site, moved, robots

SECRET = "User-agent: *\nDisallow: /secret\n"
DIGEST = sha256(SECRET.encode()).hexdigest()


@pytest.mark.slow
@on_reactor
async def test_only_sites_with_the_approved_file_are_crawled(tmp_path):
    script = {"/robots.txt": robots(SECRET)}
    same, changed, unknown = (Site(script, f"127.0.0.{n}") for n in (2, 3, 4))
    gone = Site({"/robots.txt": Answer(status=404)}, "127.0.0.5")
    with same, changed, unknown, gone:
        approved = {same.origin: DIGEST.upper(), changed.origin: "0" * 64, gone.url("/"): "none"}
        urls = [site.url("/a") for site in (same, changed, unknown, gone)]
        settings = {"ROBOTS_APPROVED": approved, "ROBOTS_AUDIT": tmp_path / "audit.jsonl"}
        seen, _ = await crawl(*urls, same.url("/secret"), settings=settings)
    words = "Forbidden by robots.txt: robots.txt is not the approved one"
    assert seen.dropped == {
        changed.url("/a"): f"{words} (changed since approval)",
        unknown.url("/a"): f"{words} (none was approved for this site)",
        same.url("/secret"): "Forbidden by robots.txt: line 2, Disallow: /secret",
    }
    assert seen.stats["robots/dropped/not_approved"] == 2
    checked, differences = check(tmp_path / "audit.jsonl")
    assert (checked.errors, differences) == ([], [])
    reasons = [line["reason"] for line in decisions_in(tmp_path / "audit.jsonl")]
    assert reasons.count("not_approved") == 2


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("x", "it must be a dict of origins"),
        ({"example.com": DIGEST}, "a key must be an origin such as 'https://example.com'"),
        ({"https://example.com": "abc"}, "it must be a SHA-256 of 64 hexadecimal digits"),
        ({"https://example.com": None}, "it must be a SHA-256 of 64 hexadecimal digits"),
    ],
)
def test_a_wrong_approval_is_refused(value, why):
    values = Values(get_crawler(settings_dict={"ROBOTS_APPROVED": value}).settings)
    with pytest.raises(SettingError, match=why):
        values["ROBOTS_APPROVED"]


class Keeping(Spider):
    """Keeps what the responses' metas say."""

    def parse(self, response):
        super().parse(response)
        self.verdicts[response.url] = response.meta.get("robots_verdict")


@pytest.mark.slow
@on_reactor
async def test_a_response_has_the_verdict_of_its_own_request():
    script = {"/robots.txt": robots("User-agent: *\nDisallow: /a\nAllow: /a/b\n")}
    with Site({**script, "/moved": moved("/a/b")}) as site:
        exempt = Request(site.url("/x"), meta={"dont_obey_robotstxt": True, "robots_verdict": 1})
        _, crawler = await crawl(
            site.url("/moved"),
            site.url("/c"),
            exempt,
            spider=Keeping,
            settings={"ROBOTS_KEEP_VERDICTS": True},
        )
    verdicts = crawler.spider.verdicts
    assert str(verdicts[site.url("/a/b")]) == "allowed by line 3, Allow: /a/b"
    assert verdicts[site.url("/c")].reason is Reason.NO_RULE
    assert verdicts[site.url("/x")] is None
