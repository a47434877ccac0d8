"""What must be true of the limits on the time of a robots.txt. The timers are the test's own."""

from __future__ import annotations

import asyncio

import pytest
from scrapy.http import Response
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import CancelledError, Deferred

from scrapy_robots_policy.fetch.deadline import (
    KeptByMiddlewareError,
    limit_middlewares,
    limit_transfer,
)
from tests.admission.test_delay_queue import cancel
from tests.on_reactor import all_of, on_reactor, pending_timers, start, until_idle


@on_reactor
async def test_a_transfer_that_ends_in_its_time_leaves_no_timer(monkeypatch):
    timers, answer = pending_timers(monkeypatch), Deferred()
    transfer = start(limit_transfer(maybe_deferred_to_future(answer), 5))
    await until_idle()
    assert len(timers) == 1
    response = Response("http://here.example/robots.txt")
    answer.callback(response)
    assert await all_of([transfer]) == [response]
    assert timers == []


@pytest.mark.parametrize("has_reached_downloader", [False, True])
@on_reactor
async def test_a_download_ends_if_no_middleware_has_let_it_go_in_time(
    has_reached_downloader, monkeypatch
):
    timers, failures = pending_timers(monkeypatch), []
    download = maybe_deferred_to_future(Deferred())
    limited = start(limit_middlewares(download, lambda: has_reached_downloader))
    limited.addErrback(failures.append)
    await until_idle()
    (end,) = timers
    end()
    await until_idle()
    ends_in = [] if has_reached_downloader else [KeptByMiddlewareError]
    assert [failure.type for failure in failures] == ends_in
    await cancel(limited)


@on_reactor
async def test_a_download_that_is_cancelled_in_its_time_ends_as_cancelled(monkeypatch):
    pending_timers(monkeypatch)
    failures = []
    limited = start(limit_transfer(maybe_deferred_to_future(Deferred()), 5))
    limited.addErrback(failures.append)
    await until_idle()
    await cancel(limited)
    (failure,) = failures
    assert failure.check(CancelledError, asyncio.CancelledError)
