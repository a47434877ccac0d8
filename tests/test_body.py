"""What must be true of bodies as they come in: see also test_fetcher.py."""

from __future__ import annotations

import gzip
import tracemalloc
import zlib
from contextlib import nullcontext

import pytest
from scrapy import Request, signals
from scrapy.exceptions import StopDownload
from scrapy.http import Response
from scrapy.utils.test import get_crawler

from scrapy_robots_policy.fetch import unpacking
from scrapy_robots_policy.fetch.body import Bodies

BOMBS = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "gzip, many members": lambda octets: gzip.compress(octets[: len(octets) // 50]) * 50,
}


@pytest.mark.parametrize("kind", BOMBS)
def test_no_more_is_unpacked_than_is_read(kind):
    packed, limit = BOMBS[kind](bytes(10_000_000)), 100_000
    tracemalloc.start()
    octets = unpacking.unpack(packed, [kind.partition(",")[0]], limit, is_whole=True)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert octets == bytes(limit)
    assert peak < 20 * limit


@pytest.mark.parametrize(("seconds", "is_late"), [(4.0, False), (6.0, True)])
def test_a_body_that_comes_an_octet_now_and_then_is_given_up_when_its_time_is_over(
    seconds, is_late
):
    now, crawler = [0.0], get_crawler()
    request = Request("https://here.example/robots.txt", meta={"download_timeout": 5.0})
    with Bodies(crawler, lambda _: None, lambda: now[0]).expected(request, 100) as body:
        crawler.signals.send_catch_log(signals.request_reached_downloader, request=request)
        now[0] = seconds
        arrived = crawler.signals.send_catch_log(
            signals.bytes_received, data=b"x", request=request, spider=None
        )
    stopped = [getattr(result, "value", None) for _, result in arrived]
    assert [isinstance(error, StopDownload) for error in stopped] == [is_late]
    with pytest.raises(TimeoutError) if is_late else nullcontext():
        body.octets(Response(request.url, body=b"x"))
