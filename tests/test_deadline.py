"""What must be true of the limit on a whole download: see also the slow answers in hostile/."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import pytest
from scrapy import Request, signals
from scrapy.utils.test import get_crawler

from scrapy_robots_policy import compat
from scrapy_robots_policy.fetch.body import Bodies
from scrapy_robots_policy.fetch.deadline import LOOK_EVERY, Deadline
from tests.on_reactor import WAIT_DEADLINE

Result = TypeVar("Result")


class Timers:
    """Timers that run when the test says so.

    set     (seconds, function) of those that are set
    pauses  the seconds of all that ever were
    """

    def __init__(self) -> None:
        self.set: list[tuple[float, Callable[[], object]]] = []
        self.pauses: list[float] = []

    def call_later(self, seconds: float, function: Callable[[], object]) -> Callable[[], None]:
        timer = (seconds, function)
        self.set.append(timer)
        self.pauses.append(seconds)
        return lambda: self.set.remove(timer)

    def run_one(self) -> None:
        _, function = self.set.pop()
        function()

    def run(self) -> None:
        """Until none is set."""
        while self.set:
            self.run_one()


def sent() -> bool:
    return True


@pytest.fixture
def timers(monkeypatch):
    made = Timers()
    monkeypatch.setattr(compat, "call_later", made.call_later)
    return made


def in_a_loop(work: Coroutine[Any, Any, Result]) -> Result:
    """Run it in an event loop of its own: this thread may have the reactor's."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result(WAIT_DEADLINE)


def run(download: Callable[[Deadline, asyncio.Future[None]], Awaitable[None]]) -> None:
    """`download` gets a deadline that was entered, and what never comes."""

    async def inside() -> None:
        never: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        with Deadline() as deadline:
            await download(deadline, never)

    in_a_loop(inside())


def test_a_download_ends_in_a_timeout_when_its_time_is_over(timers):
    async def download(deadline, never):
        deadline.start(5.0, sent)
        asyncio.get_running_loop().call_soon(timers.run)
        await never

    with pytest.raises(TimeoutError):
        run(download)
    assert timers.set == []


def test_a_task_that_was_ended_by_a_deadline_goes_on(timers):
    async def download() -> None:
        with Deadline() as deadline:
            deadline.start(5.0, sent)
            asyncio.get_running_loop().call_soon(timers.run)
            await asyncio.get_running_loop().create_future()

    async def inside() -> int:
        with pytest.raises(TimeoutError):
            await download()
        await asyncio.sleep(0)
        # From Python 3.11 a task counts who has cancelled it, and asyncio.timeout goes by that.
        cancelling: Callable[[], int] = getattr(asyncio.current_task(), "cancelling", int)
        return cancelling()

    assert in_a_loop(inside()) == 0


def test_the_time_begins_when_the_request_leaves_its_download_slot(timers):
    looks = iter([False, False, True])

    async def download(deadline, _never):
        deadline.start(5.0, lambda: next(looks))
        for _ in range(3):
            timers.run_one()

    run(download)
    assert timers.pauses == [LOOK_EVERY, LOOK_EVERY, LOOK_EVERY, 5.0]
    assert timers.set == []


def test_a_download_that_comes_in_time_leaves_no_timer(timers):
    async def download(deadline, _never):
        deadline.start(5.0, sent)

    run(download)
    assert timers.set == []


def test_a_request_that_reaches_the_downloader_again_has_one_timer(timers):
    async def download(deadline, _never):
        deadline.start(5.0, sent)
        deadline.start(5.0, sent)
        assert len(timers.set) == 1

    run(download)


def test_a_request_without_a_limit_has_no_timer(timers):
    async def download(deadline, _never):
        deadline.start(0.0, sent)

    run(download)
    assert timers.set == []


def test_who_cancels_the_task_is_not_told_of_a_timeout(timers):
    async def download(deadline, never):
        deadline.start(5.0, sent)
        task = asyncio.current_task()
        assert task is not None
        asyncio.get_running_loop().call_soon(task.cancel)
        await never

    with pytest.raises(asyncio.CancelledError):
        run(download)
    assert timers.set == []


def test_without_asyncio_nothing_is_limited(timers):
    with Deadline() as deadline:
        deadline.start(5.0, sent)
    assert timers.set == []


def test_the_time_of_a_robots_txt_begins_when_its_request_reaches_the_downloader(timers):
    crawler = get_crawler()
    request = Request("https://here.example/robots.txt", meta={"download_timeout": 5.0})

    async def fetch() -> None:
        with Bodies(crawler, lambda _: None).expected(request, 100):
            assert timers.set == []
            crawler.signals.send_catch_log(signals.request_reached_downloader, request=request)
            assert len(timers.set) == 1

    in_a_loop(fetch())
    assert timers.set == []
