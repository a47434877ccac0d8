"""What page tags cost: crawls of pages with many links, with ROBOTS_TAGS and without, in turn.

    python benchmarks/page_tags.py [--rounds N] [--pages N] [--links N] [--nofollow N]

Each crawl has a process of its own. There are three callbacks:

hrefs   reads the text of all links and follows none
next    reads the same, and follows one link
follow  follows all links, of which Scrapy's duplicates filter drops nearly all

The links with rel="nofollow" are start URLs too, so that with and without tags the same pages are
fetched. Printed is the processor time for one page: the median over the rounds, and the ratio to
the crawl without tags in the same round, as median, least and greatest.
"""

from __future__ import annotations

import argparse
import functools
import json
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import scrapy
from crawling import OURS, OWN
from overhead import RULES
from scrapy.crawler import CrawlerProcess
from web import Reply, Web, hosts

CALLBACKS = ("hrefs", "next", "follow")
TAGS = {
    "none": {},
    "rel-nofollow": {"rel-nofollow": "drop"},
    "all": dict.fromkeys(("rel-nofollow", "nofollow", "noindex", "noarchive", "expired"), "drop"),
}
HEAD = "<html><head><title>page</title><meta name=description content='Some, many, links'></head>"


class Spider(scrapy.Spider):
    """Crawls the pages. `callback`: see above."""

    name = "page_tags"
    site: str
    pages: int
    nofollow: int
    callback: str

    async def start(self) -> AsyncIterator[Any]:
        for n in range(self.nofollow):
            yield scrapy.Request(f"{self.site}/leaf/{n}", self.parse_leaf)
        for n in range(self.pages):
            yield scrapy.Request(f"{self.site}/page/{n}", getattr(self, f"parse_{self.callback}"))

    def parse_leaf(self, response: Any) -> None:
        """It has no links."""

    def parse_hrefs(self, response: Any) -> Iterator[Any]:
        yield {"links": len(response.css("a::attr(href)").getall())}

    def parse_next(self, response: Any) -> Iterator[Any]:
        hrefs = response.css("a::attr(href)").getall()
        yield response.follow(hrefs[-1], self.parse_leaf)

    def parse_follow(self, response: Any) -> Iterator[Any]:
        yield from response.follow_all(css="a", callback=self.parse_leaf)


def answer(links: int, nofollow: int, _host: str, path: str) -> Reply:
    if path == "/robots.txt":
        return RULES
    if path.startswith("/leaf/"):
        return Reply()
    rel = (' rel="nofollow noopener"' if n < nofollow else "" for n in range(links))
    body = "".join(f'<li><a href="/leaf/{n}"{no}>link {n}</a></li>' for n, no in enumerate(rel))
    return Reply(f"{HEAD}<ul>{body}</ul></html>".encode())


def crawl() -> None:
    plan = json.load(sys.stdin)
    process = CrawlerProcess({**OWN, **OURS, "ROBOTS_TAGS": plan.pop("tags")})
    crawler = process.create_crawler(type("Spider", (Spider,), plan))
    process.crawl(crawler)
    began = time.process_time()
    process.start()
    spent = time.process_time() - began
    json.dump({"spent": spent, "stats": crawler.stats.get_stats()}, sys.stdout, default=str)


def processor_time(plan: dict[str, Any]) -> float:
    """Milliseconds a page."""
    done = subprocess.run(  # noqa: S603 - ourselves
        [sys.executable, str(Path(__file__).resolve()), "--crawl"],
        input=json.dumps(plan),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=600,
    )
    result = json.loads(done.stdout)
    check(plan, result["stats"])
    return float(result["spent"]) / plan["pages"] * 1e3


def check(plan: dict[str, Any], stats: dict[str, Any]) -> None:
    """The crawl has dropped exactly the requests that it follows and its tags refuse."""
    refused = plan["callback"] == "follow" and "rel-nofollow" in plan["tags"]
    dropped = plan["pages"] * plan["nofollow"] if refused else 0
    assert stats.get("robots/tags/rel-nofollow/dropped", 0) == dropped, stats
    assert stats["downloader/response_status_count/200"] > plan["pages"], stats


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--pages", type=int, default=100)
    parser.add_argument("--links", type=int, default=1000)
    parser.add_argument("--nofollow", type=int, default=20)
    parser.add_argument("--callbacks", nargs="+", choices=CALLBACKS, default=list(CALLBACKS))
    parser.add_argument("--crawl", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.crawl:
        crawl()
        return
    serve = functools.partial(answer, options.links, options.nofollow)
    print(f"{'callback':10} {'tags':14} {'ms a page':>10} {'ratio':>7} {'least':>7} {'most':>7}")
    with Web(hosts(1), serve) as web:
        site = {"site": web.url(web.addresses[0], "")}
        for callback in options.callbacks:
            counts = {"pages": options.pages, "nofollow": options.nofollow}
            show(callback, options.rounds, {**site, **counts, "callback": callback})


def show(callback: str, rounds: int, plan: dict[str, Any]) -> None:
    spent: dict[str, list[float]] = {name: [] for name in TAGS}
    for turn in range(rounds):
        names = list(TAGS)[turn % len(TAGS) :] + list(TAGS)[: turn % len(TAGS)]
        for name in names:
            spent[name].append(processor_time({**plan, "tags": TAGS[name]}))
    for name, times in spent.items():
        ratios = [one / base for one, base in zip(times, spent["none"], strict=True)]
        row = (statistics.median(ratios), min(ratios), max(ratios))
        print(
            f"{callback:10} {name:14} {statistics.median(times):10.2f}",
            *(f"{ratio:7.2f}" for ratio in row),
        )


if __name__ == "__main__":
    main()
