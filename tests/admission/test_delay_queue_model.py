"""What must be true of a host's queue, whatever happens in whatever order. The clock is the test's.

A seed gives the events: requests come and are cancelled, reach the downloader or never do, and are
gone; others go past the queue; another process has the host; the delay changes, ends, comes back.
"""

from __future__ import annotations

import random
from itertools import count

import pytest
import scrapy
from twisted.python.failure import Failure

from scrapy_robots_policy import compat
from tests.admission.test_delay_queue import ASKER, DELAY, Host
from tests.on_reactor import on_reactor, start, until_idle

EVENTS = 150


class Fleet:
    """Another process has the host now and then."""

    def __init__(self, chance):
        self.chance, self.is_taken = chance, False

    async def take(self, host, delay):
        await compat.sleep(0)
        if self.chance.random() < 0.3:
            return self.chance.uniform(0.1, delay)
        assert not self.is_taken
        self.is_taken = True
        return 0.0

    def leave(self, host, *, visited):
        self.is_taken = False


class Model(Host):
    """A host whose requests check that their turn may come when it comes."""

    def __init__(self, seed):
        self.chance = random.Random(seed)
        super().__init__(Fleet(self.chance))
        self.delay, self.ended_at = DELAY, 0.0
        self.waiting, self.with_turn, self.in_transfer = {}, set(), set()
        self.cancelled, self.failures = set(), []
        self.numbers = count()

    def new_request(self):
        return scrapy.Request("http://host/", priority=next(self.numbers))

    def come(self):
        request = self.new_request()
        queue = self.queues.queue("host", ASKER, self.delay, since_visit=DELAY)
        if queue is None:
            self.active.add(request)
        else:
            task = self.waiting[request] = start(self.wait(request, queue))
            task.addBoth(self.end_wait, request)

    def end_wait(self, result, request):
        del self.waiting[request]
        if isinstance(result, Failure) and request not in self.cancelled:
            self.failures.append(result)

    def pass_by(self):
        self.active.add(self.new_request())

    async def wait(self, request, queue):
        async with queue.turn(request, first=self.chance.random() < 0.2) as turn:
            assert not self.with_turn
            if self.delay:
                assert not self.in_transfer
                assert self.clock.time >= self.ended_at + self.delay
            self.active.add(request)
            self.with_turn.add(request)
            turn.used()

    def cancel(self):
        request = self.one_of(self.waiting)
        if request is not None:
            self.cancelled.add(request)
            self.waiting[request].cancel()

    def reach_downloader(self):
        request = self.one_of(self.active - self.in_transfer)
        if request is not None:
            self.in_transfer.add(request)
            self.reach(request)

    def leave(self):
        """A request leaves the downloader, or is dropped before it."""
        self.end_one_of(self.active)

    def end_one_of(self, requests):
        request = self.one_of(requests)
        if request is None:
            return
        if request in self.in_transfer:
            self.ended_at = self.clock.time
        for those in (self.active, self.in_transfer, self.with_turn):
            those.discard(request)
        self.queues.left(request)
        self.queues.release_gone(self.active)

    def change_delay(self):
        self.delay = self.chance.choice([0.0, DELAY / 5, DELAY])
        self.queues.queue("host", ASKER, self.delay, since_visit=0.0)

    def let_time_pass(self):
        self.clock.fire(self.chance.uniform(0.0, DELAY))

    def one_of(self, requests):
        return (
            self.chance.choice(sorted(requests, key=lambda request: request.priority))
            if requests
            else None
        )


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
@on_reactor
async def test_turns_come_one_at_a_time_a_delay_apart_and_to_all(seed):
    host = Model(seed)
    events = [host.come, host.come, host.pass_by, host.change_delay, host.cancel, host.cancel]
    events += [host.reach_downloader] * 2 + [host.leave] * 3 + [host.let_time_pass] * 3
    for _ in range(EVENTS):
        event = host.chance.choice(events)
        if event != host.cancel:  # a request may be cancelled just when its turn has come
            await until_idle()
        event()
    await until_idle()
    if seed % 2:  # the delay ends, and only requests that had to wait are gone from now on
        host.queues.queue("host", ASKER, 0.0, since_visit=0.0)
        host.delay, gone = 0.0, host.with_turn
    else:
        gone = host.active
    for _ in range(EVENTS):
        host.end_one_of(gone)
        await host.clock.forward(host.delay)
    assert not host.waiting
    while host.active:
        host.leave()
    await host.clock.forward(DELAY)
    assert not host.failures
    assert host.queue.is_idle
    assert not host.queues.under_way
    assert not host.clock.timers
    assert not host.queues.coordinator.is_taken
