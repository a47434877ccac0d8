"""The example project, run as a user runs it and judged by the requests that its sites got."""

from __future__ import annotations

import json
import re

import pytest

from tests.example.example_runs import run_in_project

pytestmark = pytest.mark.slow

ALL = {"/", "/news", "/private/", "/private/press/", "/report.pdf", "/list?session=1"}
BY_THE_RULES = {"/", "/news", "/private/press/"}
NOTHING: set[str] = set()

FETCHED = {
    "rules": BY_THE_RULES,
    "busy": NOTHING,  # 503: closed until it answers otherwise
    "missing": ALL,  # 404: the body is not read
    "moved": BY_THE_RULES,  # the rules of the site it redirects to
    "slow": ALL,
    "silent": NOTHING,  # a timeout: as 503
    "garbage": ALL,  # no rule can be read in it
}


DROPS_BY_THE_RULES = [
    "1 line 10, Disallow: /*?*session=",
    "1 line 7, Disallow: /private/",
    "1 line 9, Disallow: /*.pdf$",
]

# mode, passed, dropped, why; then how many were dropped for what. The waiting times are left out.
TABLE = {
    "rules": ["rules 3 3 200", *DROPS_BY_THE_RULES],
    "busy": ["disallow 0 1 503", "1 robots.txt unreachable (503)"],
    "missing": ["allow 6 0 404"],
    "moved": ["rules 3 3 200 after 1 redirect", *DROPS_BY_THE_RULES],
    "slow": ["rules 6 0 200"],
    "silent": ["disallow 0 1 timeout", "1 robots.txt unreachable (timeout)"],
    "garbage": ["rules 6 0 200"],
}


@pytest.fixture(scope="module")
def crawl(tmp_path_factory):
    """The finished process, and [site, path] of every request that the sites got, in order."""
    log_path = tmp_path_factory.mktemp("site") / "log.json"
    command = ["-m", "scrapy", "crawl", "polite", "--loglevel", "WARNING"]
    process = run_in_project(*command, "--set", f"SITE_LOG={log_path}")
    return process, json.loads(log_path.read_text())


def test_the_crawl_logs_no_error(crawl):
    process, _ = crawl

    assert " ERROR: " not in process.stderr


@pytest.mark.parametrize(("site", "pages"), FETCHED.items())
def test_exactly_the_allowed_pages_of_each_site_are_fetched(crawl, site, pages):
    _, log = crawl
    paths = [path for asked_site, path in log if asked_site == site and path != "/robots.txt"]

    assert sorted(paths) == sorted(pages)


def test_no_site_waits_for_the_robots_txt_of_another(crawl):
    _, log = crawl
    sites = [site for site, path in log if path != "/robots.txt"]

    assert "slow" not in sites[: -len(ALL)]


def test_the_table_has_the_counts_of_every_site(crawl):
    process, _ = crawl

    assert read_table(process.stdout) == TABLE


def read_table(printed):
    """What was printed of each site, in the words of `TABLE`; a list of the sites comes first."""
    head, _, table = printed.partition("\n\n")
    names = dict(zip((line.split()[0] for line in head.splitlines()), TABLE, strict=True))
    results = {}
    for line in table.splitlines()[1:]:
        first, *words = re.sub(r" \d+\.\d s ", " ", line).split()
        if first in names:
            results[names[first]] = causes = [" ".join(words)]
        else:
            causes.append(" ".join([first, *words]))
    return {site: [row, *sorted(causes)] for site, (row, *causes) in results.items()}


def test_a_dialect_can_be_set_at_every_level():
    process = run_in_project("-m", "example.dialects")
    results = dict(re.split(r"\s{2,}", line) for line in process.stdout.splitlines())

    assert {label: outcome for label, outcome in results.items() if outcome != "fetched"} == {
        "as_project first /page.htm": "dropped: line 6, Disallow: /*.htm",
        "as_baidu first /a/b": "dropped: line 2, Disallow: /a/",
        "as_baidu first /photo.jpg": "dropped: line 4, Disallow: .jpg$",
        "mixed first /page.htm": "dropped: line 6, Disallow: /*.htm",
        "mixed first /a/b {'dialect': 'koster1996'}": "dropped: line 2, Disallow: /a/",
        "mixed second /a/b": "dropped: line 2, Disallow: /a/",
    }
    assert len(results) == 3 * 6
