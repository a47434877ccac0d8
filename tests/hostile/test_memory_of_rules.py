"""Files that take many times their size when they are parsed do not fill the memory of a crawl."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from tests.crawls import OURS, Plan, crawl_apart
from tests.site import Site, robots

pytestmark = pytest.mark.slow

HOSTS = 40
FILES = {  # each of some 430 KB
    "wildcards": "".join(f"Disallow: /*{n}*a{n}$\n" for n in range(18_500)),
    "preferences": "".join(f"Content-Usage: /{n} a=n\n" for n in range(17_000)),
}


@pytest.mark.parametrize("name", FILES)
def test_forty_hosts_with_half_a_megabyte_of_lines_stay_within_the_bound(name):
    text = f"User-agent: *\n{FILES[name]}"
    assert len(text) > 400_000
    with ExitStack() as stack:
        sites = [
            stack.enter_context(Site({"/robots.txt": robots(text)}, f"127.3.0.{n}"))
            for n in range(1, HOSTS + 1)
        ]
        # The second question to an origin lays its rules out.
        urls = [site.url(f"/{n}") for n in range(2) for site in sites]
        settings = {**OURS, "MEMUSAGE_CHECK_INTERVAL_SECONDS": 0.1, "CLOSESPIDER_TIMEOUT": 0}
        seen = crawl_apart(Plan(urls, settings))
    assert len(seen.answered) == len(urls)
    grown = seen.stats["memusage/max"] - seen.stats["memusage/startup"]
    assert grown < 1.5 * 128 * 1024**2
