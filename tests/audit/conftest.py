"""One crawl with a bit of everything, and its record."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_twisted
from scrapy import Request
from scrapy.utils.defer import deferred_from_coro

from tests.crawls import Seen, Spider
from tests.scripted import Web, name_server
from tests.site import Answer, moved, robots
from tests.virtual_time import virtual_time

RULES = """\
User-agent: *
Disallow: /secret
Disallow: /<script>alert(1)</script>
Disallow: /\x1b[2J
Allow: /secret/but
Content-Usage: /training train-ai=n
"""
RESERVED = b'[{"location": "/mine", "tdm-reservation": 1}]'
SITE = {
    "/robots.txt": moved("/rules.txt"),
    "/rules.txt": robots(RULES, after=0.5, headers={"ETag": '"7"', "Set-Cookie": "id=hush"}),
    "/.well-known/tdmrep.json": Answer(RESERVED),
    "/old": moved("/new"),
    "/noai": Answer(headers={"X-Robots-Tag": "noai"}),
}
GONE = {"/robots.txt": Answer(status=404)}
WEB = {"site.test": SITE, "gone.test": GONE, "closed.test": {"/robots.txt": Answer(status=503)}}
EXEMPT = {"dont_obey_robotstxt": True}
GOOGLE = {"robots": {"dialect": "google", "agent": "Other"}}
WITH_SECRETS = Request(
    "http://user:hush@site.test/private", headers={"Authorization": "hush"}, cookies={"id": "hush"}
)
REQUESTS = (
    "http://site.test/a",
    "http://site.test/secret",
    "http://site.test/secret/but",
    "http://site.test/<script>alert(1)</script>",
    "http://site.test/training",
    "http://site.test/mine",
    "http://site.test/noai",
    "http://site.test/old",
    "http://gone.test/ü?q=a b",
    "http://closed.test/a",
    "http://own.test/a",
    "http://own.test/b",
    Request("http://site.test/secret/exempt", meta=EXEMPT),
    Request("http://site.test/google", meta=GOOGLE),
    WITH_SECRETS,
)
SETTINGS = {
    "ROBOTS_PURPOSE": "train-ai",
    "ROBOTS_OVERRIDES": {
        "own.test": {
            "robots_txt": "User-agent: *\nDisallow: /b\nSitemap: http://u:hush@x.test/?password=hush"
        }
    },
    "USER_AGENT": "Bot/1.0 (+https://tests.dev/bot)",
}


class Gathering(Spider):
    def parse(self, response):
        super().parse(response)
        yield {"url": response.url}


@dataclass
class Recorded:
    path: Path
    seen: Seen

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.path.read_bytes().splitlines()]

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [line for line in self.lines if line["type"] == kind]


@pytest.fixture(scope="session")
def recorded(tmp_path_factory):
    path = tmp_path_factory.mktemp("record") / "audit.jsonl"
    settings = {**SETTINGS, "ROBOTS_AUDIT": str(path)}
    with virtual_time() as time, name_server() as names:
        crawl = Web(WEB, time, names).crawl(*REQUESTS, settings=settings, spider=Gathering)
        seen = pytest_twisted.blockon(deferred_from_coro(crawl))
    return Recorded(path, seen)


@pytest.fixture
def copied(recorded, tmp_path):
    """Writes a record of other lines."""

    def write(data):
        path = tmp_path / "copy.jsonl"
        path.write_bytes(data)
        return path

    return write
