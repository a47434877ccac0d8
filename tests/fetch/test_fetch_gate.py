"""What must be true of how many robots.txt are fetched at a time. The clock is the test's own."""

from __future__ import annotations

import sys

import pytest
from twisted.internet.defer import Deferred

from scrapy_robots_policy import compat
from scrapy_robots_policy.fetch import fetch_gate
from scrapy_robots_policy.fetch.fetch_gate import (
    FILES_LEFT,
    MAX_SOCKETS,
    YOUNG,
    FetchGate,
    max_sockets,
)
from tests.admission.test_delay_queue import Clock, cancel
from tests.on_reactor import Gate, all_of, on_reactor, start, until_idle


class Fetches:
    """Fetches through one gate, each of which goes on until `end`, or the end of the test."""

    def __init__(self, max_young, max_open):
        self.clock = Clock()
        self.gate = FetchGate(max_young, max_open, self.clock.now, self.clock.call_later)
        self.began, self.ends = [], {}

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        for end in self.ends.values():
            end.open()
        await until_idle()

    def start(self, *names, has_failed=False):
        return [start(self._fetch(name, has_failed)) for name in names]

    async def _fetch(self, name, has_failed):
        self.ends[name] = Gate()
        async with self.gate.enter(has_failed=has_failed):
            self.began.append(name)
            await self.ends[name].pass_()

    async def end(self, name):
        self.ends[name].open()
        await until_idle()


@on_reactor
async def test_no_more_young_fetches_are_under_way_than_may_be():
    async with Fetches(2, 100) as fetches:
        fetches.start(*"abcde")
        await until_idle()
        assert fetches.began == ["a", "b"]
        await fetches.end("a")
        assert fetches.began == ["a", "b", "c"]


@on_reactor
async def test_a_fetch_without_an_answer_for_a_while_delays_no_other():
    async with Fetches(2, 100) as fetches:
        fetches.start(*"abcde")
        await until_idle()
        await fetches.clock.forward(YOUNG - 0.1)
        assert len(fetches.began) == 2
        await fetches.clock.forward(0.1)
        assert len(fetches.began) == 4
        await fetches.clock.forward(YOUNG)
        assert len(fetches.began) == 5


@on_reactor
async def test_no_more_fetches_are_under_way_in_all_than_the_system_allows():
    async with Fetches(2, 3) as fetches:
        fetches.start(*"abcde")
        await until_idle()
        for _ in range(3):
            await fetches.clock.forward(YOUNG)
        assert fetches.began == ["a", "b", "c"]
        await fetches.end("a")
        assert fetches.began == ["a", "b", "c", "d"]


@on_reactor
async def test_sockets_are_short_when_more_than_half_of_them_are_taken():
    async with Fetches(3, 4) as fetches:
        fetches.start("a", "b")
        await until_idle()
        assert not fetches.gate.is_short_of_sockets()
        fetches.start("c")
        await until_idle()
        assert fetches.gate.is_short_of_sockets()
        await fetches.end("a")
        assert not fetches.gate.is_short_of_sockets()


@on_reactor
async def test_an_origin_whose_fetch_failed_waits_for_all_others():
    async with Fetches(1, 100) as fetches:
        fetches.start("a")
        await until_idle()
        fetches.start("failed", has_failed=True)
        fetches.start("b", "c")
        await until_idle()
        for name in "abc":
            await fetches.end(name)
        assert fetches.began == ["a", "b", "c", "failed"]


@on_reactor
async def test_a_fetch_goes_after_those_that_queue_even_if_it_finds_room_first():
    async with Fetches(1, 100) as fetches:
        fetches.start("a", "b")
        await until_idle()
        fetches.clock.time += YOUNG  # "a" leaves room, and its timer is late
        fetches.start("c")
        await until_idle()
        assert fetches.began == ["a", "b"]
        await fetches.end("b")
        assert fetches.began == ["a", "b", "c"]


@on_reactor
async def test_no_fetch_begins_once_the_gate_is_closed():
    async with Fetches(1, 100) as fetches:
        _, second = fetches.start("a", "b")
        await until_idle()
        fetches.gate.close()
        late = fetches.start("c")[0]
        await fetches.end("a")
        await fetches.clock.forward(YOUNG)
        assert fetches.began == ["a"]
        for task in (second, late):
            await cancel(task)


@on_reactor
async def test_no_more_young_fetches_are_under_way_than_may_be_in_all():
    async with Fetches(100, 2) as fetches:
        fetches.start(*"abc")
        await until_idle()
        assert fetches.began == ["a", "b"]


@pytest.mark.parametrize(
    ("limit", "sockets"),
    [(1024, 1024 - FILES_LEFT), (100, 1), (1 << 20, MAX_SOCKETS), ("none", MAX_SOCKETS)],
)
def test_pages_and_logs_are_left_open_files(limit, sockets, monkeypatch):
    resource = pytest.importorskip("resource")
    limit = resource.RLIM_INFINITY if limit == "none" else limit  # -1 up to Python 3.14
    monkeypatch.setattr(resource, "getrlimit", lambda _: (limit, limit))
    assert max_sockets() == sockets


def test_robots_txt_takes_no_more_sockets_than_windows_can_wait_for(monkeypatch):
    monkeypatch.setitem(sys.modules, "resource", None)  # as there: it cannot be imported
    monkeypatch.setattr("sys.platform", "win32")
    assert max_sockets() == 512 - FILES_LEFT


def test_robots_txt_takes_no_more_sockets_than_select_can_wait_for(monkeypatch):
    resource = pytest.importorskip("resource")
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1 << 20, 1 << 20))
    assert max_sockets() == MAX_SOCKETS
    monkeypatch.setattr(fetch_gate, "SelectReactor", object)
    assert max_sockets() == 1024 - FILES_LEFT


@on_reactor
async def test_a_gate_that_is_closed_leaves_no_timer():
    async with Fetches(2, 100) as fetches:
        *_, waiting = fetches.start(*"abc")
        await until_idle()
        assert fetches.clock.timers
        fetches.gate.close()
        assert not fetches.clock.timers
        await fetches.end("a")  # while the others are still to be cancelled
        assert not fetches.clock.timers
        await cancel(waiting)


@on_reactor
async def test_a_fetch_cancelled_in_the_queue_leaves_it():
    async with Fetches(1, 100) as fetches:
        _, second, _ = fetches.start(*"abc")
        await until_idle()
        await cancel(second)
        await fetches.end("a")
        assert fetches.began == ["a", "c"]


@on_reactor
async def test_a_fetch_cancelled_just_when_it_is_let_in_gives_its_place_back():
    if not compat.has_asyncio():
        return  # a coroutine goes on as soon as it is let in
    async with Fetches(1, 1) as fetches:
        _, second, _ = fetches.start(*"abc")
        await until_idle()
        second.addErrback(lambda _: None)
        fetches.gate._queue[0].addCallback(lambda _: second.cancel())
        await fetches.end("a")
        assert fetches.began == ["a", "c"]


@pytest.mark.slow
@on_reactor
async def test_a_thousand_fetches_that_end_at_once_are_let_in_after_one_that_was_slow():
    """Without asyncio each of them begins and ends while the one before it leaves."""
    async with Fetches(1, 1) as fetches:
        fetches.start("slow")
        ended = []

        async def end_at_once(number):
            async with fetches.gate.enter(has_failed=False):
                ended.append(number)

        all_fetches = [start(end_at_once(number)) for number in range(1000)]
        await until_idle()
        await fetches.end("slow")
        await all_of(all_fetches)
        assert ended == list(range(1000))


def test_fetches_that_end_at_once_are_let_in_one_after_the_other_however_many_queue():
    """Without asyncio a fetch may end within the call that lets it in: a call in each call."""
    clock, errors = Clock(), []
    gate = FetchGate(1, 1, clock.now, clock.call_later)
    for ticket in [Deferred() for _ in range(3_000)]:
        ticket.addCallback(lambda _, ticket=ticket: gate.leave(ticket)).addErrback(errors.append)
        gate._queue.append(ticket)
    gate._let_in()
    assert (errors, gate._open, len(gate._queue)) == ([], 0, 0)
