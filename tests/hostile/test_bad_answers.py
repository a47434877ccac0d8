"""Every bad answer leaves as much of a site open as its case says: in a crawl and for a command."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest

from tests.commands.run import robots as command
from tests.crawls import OURS, Plan, crawl_apart
from tests.site import Answer, Site

from .bad_answers import CASES, EVERYTHING, RULES

pytestmark = pytest.mark.slow

AT_ONCE = {"RETRY_TIMES": 0, "ROBOTS_FETCH_TIMEOUT": 10, "RETRY_ENABLED": False}
MOVED = Answer(RULES, headers={"Content-Type": "text/plain"})  # where a redirect leads
SLOW = ("never", "a byte now and then", "headers, a byte now and then")


@contextmanager
def all_sites() -> Iterator[dict[str, Site]]:
    """A site for each case, each on an address of its own."""
    with ExitStack() as stack:
        yield {
            name: stack.enter_context(
                Site({"/robots.txt": case.answer, "/robots.txt?r": MOVED}, f"127.2.0.{number}")
            )
            for number, (name, case) in enumerate(CASES.items(), 1)
        }


def test_a_crawl_fetches_exactly_what_the_answers_leave_open():
    with all_sites() as sites:
        urls = [site.url(path) for site in sites.values() for path in sorted(EVERYTHING)]
        seen = crawl_apart(Plan(urls, {**OURS, **AT_ONCE}))
        fetched = {name: frozenset(site.pages) for name, site in sites.items()}
    assert {name: pages for name, pages in fetched.items() if not CASES[name].permits(pages)} == {}
    assert len(seen.answered) + len(seen.dropped) == len(urls)


# Answers that are no HTTP. `requests` reads some of them as far as they go.
LENIENT = {
    "chunked, a number with a sign",
    "chunked, a number with a prefix",
    "chunked, a number in two parts",
    "hints before the answer",
}


@pytest.mark.parametrize("name", [name for name in CASES if name not in LENIENT])
def test_the_command_decides_as_a_crawl(name):
    with Site({"/robots.txt": CASES[name].answer, "/robots.txt?r": MOVED}) as site:
        urls = [site.url(path) for path in sorted(EVERYTHING)]
        result = command("check", "--json", "--timeout", "1" if name in SLOW else "30", *urls)
    answers = [json.loads(line) for line in result.lines]
    allowed = {one["url"][len(site.origin) :] for one in answers if one["allowed"]}
    assert len(answers) == len(urls)
    assert CASES[name].permits(frozenset(allowed))
