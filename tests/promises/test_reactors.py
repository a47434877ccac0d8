"""README: with any reactor or none. The same few crawls on each, in processes of their own.

They have real sockets, and a warning of Python's or a traceback in the log fails them.
"""

from __future__ import annotations

from itertools import pairwise

import pytest

from tests.crawls import OURS, REACTORS, Plan, crawl_apart
from tests.site import Answer, Opener, Site, robots

pytestmark = pytest.mark.slow  # processes

SECRET = robots("User-agent: *\nDisallow: /secret\n")


@pytest.fixture(params=REACTORS)
def run(request):
    """Crawls on one kind of reactor."""

    def run(urls, **options):
        settings = {**OURS, **REACTORS[request.param], **options.pop("settings", {})}
        return crawl_apart(Plan(urls, settings, **options))

    return run


def test_every_request_that_waited_is_decided_though_the_first_asker_gave_up(run):
    paths = ["/a", "/b", "/secret", "/secret2", "/a/../secret3"]
    with Site({"/robots.txt": SECRET}) as site:
        seen = run([site.url(path) for path in paths], cancel_first=True)
        assert (site.paths[0], site.count("/robots.txt")) == ("/robots.txt", 1)
        assert site.pages == ["/a", "/b"]
        assert len(seen.dropped) == 3


def test_robots_txt_files_that_come_late_leave_places_and_connections_for_pages(run):
    late = [Site({"/robots.txt": robots("", gate="open")}, f"127.0.0.{n}") for n in range(2, 22)]
    other = Site({"/robots.txt": robots("")})
    try:
        page = Opener(10, *(site.gate("open") for site in late))
        other.script |= {f"/{n}": page for n in range(10)}
        urls = [site.url() for site in late] + [other.url(f"/{n}") for n in range(10)]
        seen = run(urls, settings={"CONCURRENT_REQUESTS": 4})
        assert sorted(seen.answered) == sorted(urls)
        assert [site.count("/robots.txt") for site in late] == [1] * 20
    finally:
        for site in [other, *late]:
            site.close()


def test_a_delay_is_kept_and_an_interrupt_ends_the_crawl_in_good_order(run):
    with Site({"/robots.txt": robots("User-agent: *\nCrawl-delay: 0.3")}) as site:
        urls = [site.url(f"/{n}") for n in range(50)]
        seen = run(urls, interrupt_at=urls[3])
        assert min(b.asked_at - a.answered_at for a, b in pairwise(site.hits)) >= 0.3
        assert (seen.dropped, seen.stats["finish_reason"]) == ({}, "shutdown")
        assert len(seen.answered) + seen.stats.get("robots/put_back", 0) <= 50


def test_files_that_never_come_or_come_in_drips_are_given_up_and_are_no_fault_of_ours(run):
    drip = robots("User-agent: *\nAllow: /\n" * 100, drip=0.05)
    silent, cut = robots("", after=None), robots("User-agent: *\nAllow: /", promise=1000)
    scripts = [drip, silent, cut, Answer(raw=b"nonsense\r\n\r\n")]
    sites = [Site({"/robots.txt": one}, f"127.0.0.{n}") for n, one in enumerate(scripts, 2)]
    try:
        settings = {"ROBOTS_FETCH_TIMEOUT": 0.5, "RETRY_TIMES": 0}
        seen = run([site.url("/page") for site in sites], settings=settings)
        assert (len(seen.dropped), seen.answered) == (4, [])
        assert [site.pages for site in sites] == [[]] * 4
    finally:
        for site in sites:
            site.close()


def test_a_store_outlives_the_crawl(run, tmp_path):
    with Site({"/robots.txt": SECRET}) as site:
        settings = {"ROBOTS_STORE": f"sqlite:{tmp_path / 'robots.sqlite'}"}
        for page in ("/1", "/2"):
            seen = run([site.url(page), site.url("/secret")], settings=settings)
            assert (seen.answered, list(seen.dropped)) == ([site.url(page)], [site.url("/secret")])
        assert site.count("/robots.txt") == 1


@pytest.mark.parametrize("on_disk", [False, True])
def test_a_host_that_answers_429_is_left_alone(run, on_disk, tmp_path):
    busy = Answer(status=429, headers={"Retry-After": "1"})
    with Site({"/robots.txt": SECRET, "/0": [busy, Answer()]}) as site:
        urls = [site.url(f"/{n}") for n in range(9)]
        job = {"JOBDIR": str(tmp_path)} if on_disk else {}
        seen = run(urls, settings={"CONCURRENT_REQUESTS_PER_DOMAIN": 1, **job})
        assert sorted(seen.answered) == urls
        refused, after = next((a, b) for a, b in pairwise(site.hits) if a.path == "/0")
        assert after.asked_at - refused.answered_at >= 0.9


@pytest.mark.parametrize("on_disk", [False, True])
def test_a_forbidden_link_is_heard_of_and_not_fetched(run, on_disk, tmp_path):
    with Site({"/robots.txt": SECRET}) as site:
        job = {"JOBDIR": str(tmp_path)} if on_disk else {}
        links = [site.url(f"/secret/{n}") for n in range(9)]
        seen = run([site.url("/")], settings=job, then={site.url("/"): links})
        assert sorted(seen.dropped) == links
        assert site.pages == ["/"]
