"""What a page costs that says nothing about its use, with a declared purpose and without.

    python benchmarks/page_use.py [--rounds N] [--pages N] [--kib N]

Two steps are timed, each in processor time of this process: the decision about a request, and what
the tag middleware does with the response. The site's robots.txt has a few rules and no line about
use, and its tdmrep.json is not there. Responses are new for each round, as in a crawl: their text
is decoded when it is first needed.

response  a page of links: many tags, and one meta tag
callback  the same page, whose callback has read its links: the text is decoded already
article   a page of text, with 25 meta tags, 12 links to style sheets, a script and references

Printed are microseconds a page, the least of the rounds: the others had more noise.
"""

from __future__ import annotations

import argparse
import logging
import time
from collections.abc import Callable
from typing import Any

from scrapy.http import HtmlResponse, Request
from scrapy.utils.test import get_crawler

from scrapy_robots_policy import RobotsTagMiddleware
from scrapy_robots_policy.admission.crawl_policy import CrawlPolicy
from scrapy_robots_policy.config import PolicySettings
from scrapy_robots_policy.rep import Origin
from scrapy_robots_policy.resolver.origin import rules_given

RULES = b"User-agent: *\n" + b"".join(b"Disallow: /private/%d/\n" % n for n in range(30))
HEADERS = {
    "Content-Type": "text/html; charset=utf-8",
    "Server": "nginx",
    "Date": "today",
    "Vary": "Accept-Encoding",
    "ETag": '"x"',
    "Cache-Control": "max-age=60",
    "Link": '<https://h.example/wp-json/>; rel="https://api.w.org/"',
}
HEAD = "<html><head><title>page</title><meta name=description content='Some links'></head><body>"
DECLARED: dict[str, dict[str, Any]] = {
    "nothing": {},
    "search": {"ROBOTS_PURPOSE": "search"},
    "train-ai": {"ROBOTS_PURPOSE": "train-ai"},
}


def listing(kib: int) -> str:
    link = '<li><a href="/leaf/{}">a link with some words around it</a></li>\n'
    return HEAD + "".join(link.format(n) for n in range(16 * kib))


def article(kib: int) -> str:
    meta = '<meta property="og:{}" content="a description with some words &#8211; number {}">\n'
    style = '<link rel="stylesheet" href="/assets/{}.css?v=1" media="all">\n'
    text = "<p class='text'>Some words that are the text of a page, it&#8217;s &amp; on.</p>\n"
    tags = [*(meta.format(n, n) for n in range(25)), *(style.format(n) for n in range(12))]
    script = "<script>" + "a = b + c; if (a < 3) { d += 1 }\n" * (8 * kib) + "</script>"
    return HEAD.replace("<body>", "".join(tags) + script + "<body>") + text * (9 * kib)


def responses(count: int, page: str) -> list[HtmlResponse]:
    body = page.encode()
    made = []
    for n in range(count):
        request = Request(f"https://h.example/page/{n}")
        # The octets of no page are those of another: none is in the processor's cache.
        octets = bytes(bytearray(body))
        made.append(HtmlResponse(request.url, body=octets, headers=HEADERS, request=request))
    return made


def crawler_of(settings: dict[str, Any]) -> Any:
    crawler = get_crawler(settings_dict={"USER_AGENT": "BenchBot/1.0", **settings})
    crawler.spider = crawler._create_spider("bench")  # noqa: SLF001 - as Scrapy does it
    return crawler


def of_decisions(settings: dict[str, Any], pages: int, _kib: int) -> Callable[[], None]:
    read = PolicySettings.from_crawler(crawler_of(settings))
    policy = CrawlPolicy(read.delay_limit, read.use, read.defer_timeout)
    config = read.configs.default
    rules = rules_given(Origin("https://h.example"), config.dialect, RULES)
    urls = [(f"https://h.example/page/{n}",) for n in range(pages)]

    def work() -> None:
        for forms in urls:
            assert policy.objection(forms, rules, config, 0.0) is None

    return work


def of_responses(
    settings: dict[str, Any],
    pages: int,
    kib: int,
    *,
    page: Callable[[int], str] = listing,
    reads: bool = False,
) -> Callable[[], None]:
    middleware = RobotsTagMiddleware(crawler_of(settings))
    made = responses(pages, page(kib))
    if reads:
        for response in made:
            response.css("a::attr(href)").getall()

    def work() -> None:
        for response in made:
            assert list(middleware.process_spider_output(response, [{}])) == [{}]

    return work


STEPS: dict[str, Callable[..., Callable[[], None]]] = {
    "decision": of_decisions,
    "response": of_responses,
    "callback": lambda *plan: of_responses(*plan, reads=True),
    "article": lambda *plan: of_responses(*plan, page=article),
}


def least(step: str, settings: dict[str, Any], options: argparse.Namespace) -> float:
    """Microseconds a page."""
    times = []
    for _ in range(options.rounds):
        work = STEPS[step](settings, options.pages, options.kib)
        began = time.process_time()
        work()
        times.append((time.process_time() - began) / options.pages * 1e6)
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--pages", type=int, default=400)
    parser.add_argument("--kib", type=int, default=60, help="of HTML in a page")
    options = parser.parse_args()
    logging.disable(logging.WARNING)  # of a crawler without a contact
    print(f"{'declared':10}" + "".join(f"{step:>12}" for step in STEPS) + "   µs a page")
    for name, settings in DECLARED.items():
        cells = (f"{least(step, settings, options):12.2f}" for step in STEPS)
        print(f"{name:10}" + "".join(cells))


if __name__ == "__main__":
    main()
