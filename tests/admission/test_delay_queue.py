"""What must be true of a host's queue where requests are cancelled, or go past it.

The clock is the test's own: nothing waits, and nothing depends on how fast the machine is.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlsplit

import pytest
import scrapy
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred

from scrapy_robots_policy import compat
from scrapy_robots_policy.admission import delay_queue, delay_queues
from scrapy_robots_policy.admission.delay_queue import MAX_HELD, Asker, DelayQueue
from scrapy_robots_policy.admission.delay_queues import MAX_ASKERS, DelayQueues
from scrapy_robots_policy.exceptions import CrawlClosing
from scrapy_robots_policy.stores.interface import ALONE
from tests.calls import counting_calls
from tests.on_reactor import Gate, all_of, on_reactor, start, until_idle

DELAY = 10.0
ASKER = Asker("http://host", "bot", "rfc9309")


@dataclass
class Clock:
    """`time` moves by `forward` only, which calls what is due."""

    time: float = 1000.0
    timers: list = field(default_factory=list)

    def now(self):
        return self.time

    def call_later(self, seconds, call):
        timer = (self.time + seconds, call)
        self.timers.append(timer)
        return lambda: timer in self.timers and self.timers.remove(timer)

    def fire(self, seconds=0.0):
        self.time += seconds
        for timer in [timer for timer in self.timers if timer[0] <= self.time]:
            self.timers.remove(timer)
            timer[1]()

    async def forward(self, seconds):
        self.fire(seconds)
        await until_idle()


class Coordinator:
    """Grants a turn when the gate is open, after the waits that it is given."""

    def __init__(self, *waits):
        self.waits = list(waits)
        self.gate = Gate()
        self.takes, self.left = 0, []

    async def take(self, host, delay):
        self.takes += 1
        await self.gate.pass_()
        return self.waits.pop(0) if self.waits else 0.0

    def leave(self, host, *, visited):
        self.left.append(visited)


class Host:
    """One host's queue, and what becomes of the requests that go through it."""

    def __init__(self, coordinator=ALONE):
        self.clock = Clock()
        self.held = []
        self.queues = DelayQueues(
            coordinator,
            self.clock.now,
            self.clock.call_later,
            lambda request, seconds: self.held.append((request, seconds)),
        )
        self.queue = self.queues.queue("host", ASKER, DELAY, since_visit=DELAY)
        self.clock.timers.clear()  # that of the second look into the download slots: all are empty
        self.active, self.sent = set(), []

    def request(self, path):
        """A request, and the task in which it waits for its turn and goes."""
        request = scrapy.Request(f"http://host{path}")
        return request, start(self.go(request))

    async def go(self, request, *, first=False):
        async with self.queue.turn(request, first=first) as turn:
            self.sent.append(urlsplit(request.url).path)
            self.active.add(request)
            turn.used()

    def reach(self, request):
        """A request, with a turn or past the queue, has reached the downloader."""
        self.active.add(request)
        self.queues.reached(request)

    async def end(self, request):
        self.active.discard(request)
        self.queues.release_gone(self.active)
        await until_idle()


async def cancel(task):
    task.addErrback(lambda _: None)
    task.cancel()
    await until_idle()


@on_reactor
async def test_one_request_goes_at_a_time_and_the_next_one_a_delay_after_its_end():
    host = Host()
    first, _ = host.request("/1")
    host.request("/2")
    await until_idle()
    host.reach(first)
    await host.clock.forward(100 * DELAY)
    assert host.sent == ["/1"]  # its transfer takes long
    await host.end(first)
    await host.clock.forward(DELAY - 0.1)
    assert host.sent == ["/1"]
    await host.clock.forward(0.1)
    assert host.sent == ["/1", "/2"]


@on_reactor
async def test_a_request_that_is_cancelled_in_the_queue_leaves_it():
    host = Host()
    first, _ = host.request("/1")
    _, second = host.request("/2")
    host.request("/3")
    await until_idle()
    host.reach(first)
    await cancel(second)
    await host.end(first)
    await host.clock.forward(DELAY)
    assert host.sent == ["/1", "/3"]


@on_reactor
async def test_a_request_cancelled_just_when_its_turn_comes_gives_it_back():
    if not compat.has_asyncio():
        pytest.skip("without asyncio a turn that is given is taken at once")
    host = Host()
    host.queue.free_at = host.clock.time + 1
    _, first = host.request("/1")
    host.request("/2")
    await until_idle()
    host.clock.fire(1)  # the turn is given, and the task has not gone on yet
    await cancel(first)
    assert host.sent == ["/2"]


@on_reactor
async def test_a_request_that_is_cancelled_while_it_claims_the_fleets_turn_gives_its_own_back():
    coordinator = Coordinator()
    host = Host(coordinator)
    _, first = host.request("/1")
    host.request("/2")
    await until_idle()
    assert coordinator.takes == 1
    await cancel(first)
    coordinator.gate.open()
    await until_idle()
    assert host.sent == ["/2"]
    assert coordinator.left == [False]


@on_reactor
async def test_a_request_cancelled_before_the_downloader_costs_no_delay():
    host = Host()
    first, _ = host.request("/1")
    host.request("/2")
    await until_idle()
    await host.end(first)
    assert host.sent == ["/1", "/2"]


@on_reactor
async def test_a_request_that_other_middlewares_hold_back_loses_its_turn():
    host = Host()
    first, _ = host.request("/1")
    for path in ("/2", "/3"):
        host.request(path)
    await until_idle()
    await host.clock.forward(MAX_HELD - 1)
    assert host.sent == ["/1"]
    await host.clock.forward(1)
    assert host.sent == ["/1", "/2"]
    await host.clock.forward(MAX_HELD)
    assert host.sent == ["/1", "/2", "/3"]
    assert host.held == [(first, MAX_HELD)]  # one call for all of them
    host.reach(first)
    await host.end(first)
    host.request("/4")
    await host.clock.forward(MAX_HELD)
    assert host.sent[-1] == "/4"


@on_reactor
async def test_a_request_that_was_held_back_is_a_visit_when_it_goes():
    host = Host()
    first, _ = host.request("/1")
    second, _ = host.request("/2")
    host.request("/3")
    await until_idle()
    await host.clock.forward(MAX_HELD)
    assert host.sent == ["/1", "/2"]
    host.reach(second)
    host.reach(first)
    await host.end(second)
    await host.clock.forward(100 * DELAY)
    assert host.sent == ["/1", "/2"]
    await host.end(first)
    await host.clock.forward(DELAY)
    assert host.sent == ["/1", "/2", "/3"]


@on_reactor
async def test_a_transfer_may_take_longer_than_middlewares_may_hold_a_request_back():
    host = Host()
    first, _ = host.request("/1")
    host.request("/2")
    await until_idle()
    host.reach(first)
    await host.clock.forward(100 * MAX_HELD)
    assert (host.sent, host.held) == (["/1"], [])


@on_reactor
async def test_a_turn_that_is_used_while_the_crawl_closes_leaves_no_timer():
    host = Host()
    async with host.queue.turn(scrapy.Request("http://host/1")) as turn:
        host.queues.close()
        turn.used()
    assert host.clock.timers == []


@on_reactor
async def test_a_transfer_that_is_cancelled_was_a_visit():
    coordinator = Coordinator()
    coordinator.gate.open()
    host = Host(coordinator)
    first, _ = host.request("/1")
    host.request("/2")
    await until_idle()
    host.reach(first)
    await host.end(first)
    assert coordinator.left == [True]
    assert host.sent == ["/1"]
    await host.clock.forward(DELAY)
    assert host.sent == ["/1", "/2"]


@on_reactor
async def test_a_visit_outside_the_queue_delays_it_even_if_another_one_is_cancelled():
    host = Host()
    first, _ = host.request("/1")
    host.request("/2")
    await until_idle()
    exempt = scrapy.Request("http://host/exempt")
    host.reach(exempt)
    await host.end(exempt)
    await host.end(first)  # it has never reached the downloader
    await host.clock.forward(DELAY - 0.1)
    assert host.sent == ["/1"]
    await host.clock.forward(0.1)
    assert host.sent == ["/1", "/2"]


@on_reactor
async def test_another_process_makes_the_wait_longer_never_shorter():
    coordinator = Coordinator(3.0)
    host = Host(coordinator)
    host.request("/1")
    await until_idle()
    exempt = scrapy.Request("http://host/exempt")
    host.reach(exempt)
    await host.end(exempt)  # from now on this process rests for the whole delay
    coordinator.gate.open()
    await until_idle()
    await host.clock.forward(3.0)
    assert host.sent == []
    await host.clock.forward(DELAY - 3.0)
    assert host.sent == ["/1"]


@on_reactor
async def test_a_request_that_waits_for_another_process_stays_the_first_in_line():
    coordinator = Coordinator(3.0)
    host = Host(coordinator)
    host.request("/1")
    host.request("/2")
    await until_idle()
    coordinator.gate.open()
    await until_idle()
    await host.clock.forward(3.0)
    assert host.sent == ["/1"]


@on_reactor
async def test_a_request_cancelled_while_another_process_visits_ends_nobody_elses_turn():
    coordinator = Coordinator(3.0)
    host = Host(coordinator)
    _, first = host.request("/1")
    host.request("/2")
    await until_idle()
    coordinator.gate.open()
    await until_idle()  # the first one waits again: another process has the host
    coordinator.gate = Gate()
    start(host.go(scrapy.Request("http://host/robots.txt"), first=True))
    await until_idle()
    await host.clock.forward(3.0)  # the turn of the robots.txt has come
    await cancel(first)
    coordinator.gate.open()
    await until_idle()
    assert host.sent == ["/robots.txt"]
    assert coordinator.left == []


@on_reactor
async def test_no_request_goes_while_a_visit_outside_the_queue_is_in_transfer():
    host = Host()
    exempt = scrapy.Request("http://host/exempt")
    host.reach(exempt)
    host.request("/1")
    await until_idle()
    await host.clock.forward(100 * DELAY)
    assert host.sent == []
    await host.end(exempt)
    await host.clock.forward(DELAY)
    assert host.sent == ["/1"]


@pytest.mark.parametrize(
    ("since_visit", "rest"), [(0.0, DELAY), (4.0, DELAY - 4), (3600.0, 0.0), (-3600.0, DELAY)]
)
def test_a_new_queue_keeps_its_delay_after_the_robots_txt_even_if_the_clock_steps_back(
    since_visit, rest
):
    clock = Clock()
    queues = DelayQueues(ALONE, clock.now, clock.call_later)
    queue = queues.queue("host", ASKER, DELAY, since_visit)
    assert queue.free_at == clock.time + rest


def test_a_delay_that_another_origin_asks_for_makes_the_wait_longer_never_shorter():
    host = Host()
    host.queue.free_at = host.clock.time + DELAY
    another = Asker("http://host:8080", "bot", "rfc9309")
    host.queues.queue("host", another, DELAY / 2, since_visit=3600.0)
    assert host.queue.free_at == host.clock.time + DELAY


@on_reactor
async def test_a_longer_delay_counts_from_the_last_visit_and_not_from_the_robots_txt():
    host = Host()
    visit, _ = host.request("/1")
    host.reach(visit)
    await host.end(visit)
    await host.clock.forward(1.0)
    slower = Asker("http://host", "slowbot", "rfc9309")
    host.queues.queue("host", slower, 3 * DELAY, since_visit=3600.0)
    assert host.queue.free_at == host.clock.time + 3 * DELAY - 1.0


SLOW = Asker("http://host", "slowbot", "rfc9309")


@pytest.mark.parametrize(
    ("asker", "delay", "left"),
    [(ASKER, DELAY / 5, DELAY / 5), (SLOW, DELAY / 5, DELAY), (SLOW, 0.0, DELAY)],
    ids=["of the only crawler", "of the slower of two", "of the slower of two, that ends"],
)
@on_reactor
async def test_a_delay_that_becomes_shorter_is_so_for_those_that_wait_already(asker, delay, left):
    host = Host()
    host.queues.queue("host", asker, 3 * DELAY, since_visit=3600.0)
    await host.clock.forward(3 * DELAY)
    visit, _ = host.request("/1")
    await until_idle()
    host.reach(visit)
    await host.end(visit)
    host.request("/2")
    await until_idle()
    host.queues.queue("host", asker, delay, since_visit=3600.0)
    await host.clock.forward(left - 1.0)
    assert host.sent == ["/1"]
    await host.clock.forward(1.0)
    assert host.sent == ["/1", "/2"]


@pytest.mark.parametrize("origin", ["https://host", "http://host:8080", "https://host:444"])
def test_a_host_has_one_queue_whatever_its_schemes_ports_and_slots(origin):
    host = Host()
    another = Asker(origin, "bot", "rfc9309")
    assert host.queues.queue("another slot", another, DELAY, since_visit=DELAY) is host.queue
    assert host.queues.queue("another slot", another, 0.0, since_visit=0.0) is host.queue
    assert host.queues.find("another slot", f"{origin}/page") is host.queue


@on_reactor
async def test_what_is_in_the_downloader_when_a_host_first_asks_for_a_delay_is_a_visit_to_it():
    host = Host()
    unseen, elsewhere = scrapy.Request("http://another/1"), scrapy.Request("http://yet.another/1")
    host.active |= {unseen, elsewhere}
    asker = Asker("http://another", "bot", "rfc9309")
    queue = host.queues.queue("another", asker, DELAY, DELAY, in_slots=lambda: host.active)
    assert not queue.is_idle  # at once: the next page may ask for its turn before any timer fires
    await host.clock.forward(2 * DELAY)
    assert not queue.is_idle  # it takes long
    await host.end(unseen)
    assert queue.free_at == host.clock.time + DELAY
    assert not host.queues.under_way


def test_a_host_keeps_to_its_queue_in_the_slot_of_another_one():
    host = Host()
    another = Asker("http://another", "bot", "rfc9309")
    queue = host.queues.queue("another slot", another, DELAY, since_visit=DELAY)
    assert host.queues.find("another slot", another.origin) is queue
    assert host.queues.find("another slot", ASKER.origin) is host.queue


def test_a_host_keeps_to_its_queue_until_no_crawler_of_it_is_asked_for_a_delay():
    host = Host()
    another = ASKER._replace(agent="another")
    host.queues.queue("host", another, DELAY, since_visit=DELAY)
    host.queues.queue("host", ASKER, 0.0, since_visit=0.0)
    assert host.queues.find("another slot", ASKER.origin) is host.queue
    host.queues.queue("host", another, 0.0, since_visit=0.0)
    assert host.queues.find("another slot", ASKER.origin) is None


def test_a_delay_ends_only_with_the_word_of_who_asked_for_it():
    host = Host()
    another = Asker("http://host", "another", "rfc9309")
    assert host.queues.queue("host", another, 0.0, since_visit=0.0) is host.queue
    assert host.queue.delay == DELAY
    assert host.queues.queue("host", ASKER, 0.0, since_visit=0.0) is None


@on_reactor
async def test_a_visit_in_the_queue_of_a_shared_slot_delays_the_queue_that_its_host_gets():
    host = Host()
    visit = scrapy.Request("http://another/1", meta={"download_slot": "host"})
    start(host.go(visit))
    await until_idle()
    host.reach(visit)
    asker = Asker("http://another", "bot", "rfc9309")
    queue = host.queues.queue("its own slot", asker, DELAY, DELAY, in_slots=lambda: host.active)
    await host.clock.forward(2 * DELAY)
    assert (host.queue.is_idle, queue.is_idle) == (False, False)  # it takes long
    await host.end(visit)
    assert (host.queue.free_at, queue.free_at) == (host.clock.time + DELAY,) * 2
    assert not host.queues.under_way


@on_reactor
async def test_requests_in_the_queue_go_when_the_delay_ends_whoever_passes_by_it():
    host = Host()
    host.queue.free_at = host.clock.time + DELAY
    requests = [host.request(path)[0] for path in ("/1", "/2")]
    passing = scrapy.Request("http://host/passing")
    host.reach(passing)
    await until_idle()
    host.queues.queue("host", ASKER, 0.0, since_visit=0.0)
    await until_idle()
    assert host.sent == ["/1"]
    await host.end(requests[0])
    assert host.sent == ["/1", "/2"]


@on_reactor
async def test_a_request_that_takes_its_turn_to_another_slot_makes_a_visit():
    """A later middleware may choose a slot for each proxy; its own origin asks for no delay."""
    host = Host()
    request = scrapy.Request("http://another/1", meta={"download_slot": "slot of a proxy"})
    start(host.go(request))
    host.request("/2")
    await until_idle()
    host.active.add(request)
    host.queues.reached(request)
    await host.end(request)
    await host.clock.forward(DELAY - 0.1)
    assert host.sent == ["/1"]
    await host.clock.forward(0.1)
    assert host.sent == ["/1", "/2"]


def test_the_engines_next_request_costs_no_call_for_each_host_that_is_visited():
    host = Host()
    open_queues(host.queues, 300)
    for number in range(300):
        request = scrapy.Request(f"http://host{number}/")
        host.active.add(request)
        host.queues.reached(request)
    with counting_calls() as counts:
        host.queues.release_gone(host.active)
    assert counts["call"] < 10


@pytest.mark.slow
def test_the_delays_of_one_queue_are_bounded_in_number_and_the_longest_is_kept():
    host = Host()
    for number in range(1_000):
        asker = Asker(f"http://host{number}", "bot", "rfc9309")
        host.queues.queue("host", asker, DELAY / 2, DELAY)
    assert host.queue.delay == DELAY
    assert len(host.queue.delays) == len(host.queues.by_host) == MAX_ASKERS


def open_queues(queues, number):
    for n in range(number):
        asker = Asker(f"http://host{n}", "bot", "rfc9309")
        queues.queue(f"host{n}", asker, DELAY, since_visit=DELAY)


IN_USE = {
    "rests": lambda host: setattr(host.queue, "free_at", host.clock.time + DELAY),
    "is visited": lambda host: host.reach(scrapy.Request("http://host/")),
}


@pytest.mark.parametrize("use", IN_USE)
def test_of_too_many_queues_only_those_that_nobody_needs_are_dropped(use, monkeypatch):
    monkeypatch.setattr(delay_queues, "MAX_QUEUES", 10)
    host = Host()
    IN_USE[use](host)
    open_queues(host.queues, 100)
    assert host.queues.find("host", "") is host.queues.find("", ASKER.origin) is host.queue
    assert len(host.queues.by_slot) == len(host.queues.by_host) <= 20


def test_queues_that_are_all_in_use_are_looked_at_in_linear_time(monkeypatch):
    monkeypatch.setattr(delay_queues, "MAX_QUEUES", 10)
    looks = []
    monkeypatch.setattr(DelayQueue, "is_idle", property(looks.append))
    open_queues(Host().queues, 1_000)
    assert len(looks) < 2_000


@on_reactor
async def test_a_queue_that_is_closed_takes_no_request_and_leaves_no_timer():
    host = Host()
    host.queue.free_at = host.clock.time + DELAY
    _, waiting = host.request("/1")
    await until_idle()
    host.queues.close()
    _, late = host.request("/2")
    await until_idle()
    assert waiting.called
    assert late.called
    for task in (waiting, late):
        with pytest.raises(CrawlClosing):
            await maybe_deferred_to_future(task)
    assert host.clock.timers == []


def test_a_queue_that_closes_lets_nobody_go(monkeypatch):
    """Without asyncio a request goes on within `errback`, while the others are still queued."""
    monkeypatch.setattr(delay_queue, "maybe_deferred_to_future", lambda deferred: deferred)
    host = Host()
    host.queue.free_at = host.clock.time + DELAY
    for path in ("/1", "/2"):
        task = Deferred.fromCoroutine(host.go(scrapy.Request(f"http://host{path}")))
        task.addErrback(lambda failure: failure.trap(CrawlClosing))
    host.clock.time += DELAY
    host.queues.close()
    assert host.sent == []


def test_all_queues_close_even_if_one_more_opens_meanwhile(monkeypatch):
    """Without asyncio what waits for a request goes on within `errback`, and may ask for more."""
    monkeypatch.setattr(delay_queue, "maybe_deferred_to_future", lambda deferred: deferred)
    host = Host()
    host.queue.free_at = host.clock.time + DELAY
    other = Asker("http://another", "bot", "rfc9309")
    task = Deferred.fromCoroutine(host.go(scrapy.Request("http://host/1")))
    task.addErrback(lambda _: host.queues.queue("another", other, DELAY, since_visit=0.0))
    host.queues.close()
    assert [queue.is_closed for queue in host.queues.by_slot.values()] == [True, True]


def test_an_origin_is_found_by_its_slot_again_when_nobody_is_asked_for_a_delay():
    host = Host()
    assert host.queues.find("another slot", ASKER.origin) is host.queue
    host.queues.queue("another slot", ASKER, 0.0, since_visit=0.0)
    assert host.queues.find("another slot", ASKER.origin) is None


@on_reactor
async def test_no_request_waits_for_a_delay_that_a_closing_crawl_hears_of():
    host = Host()
    host.queues.close()
    asker = Asker("http://another", "bot", "rfc9309")
    host.queue = host.queues.queue("another", asker, DELAY, since_visit=0.0)
    with pytest.raises(CrawlClosing):
        await host.go(scrapy.Request("http://another/1"))
    assert host.sent == []


@pytest.mark.slow
@on_reactor
async def test_a_thousand_requests_that_give_their_turn_back_unused_are_let_go_one_by_one():
    """Without asyncio each of them comes and goes while the one before it gives its turn back."""
    host = Host()
    host.queue.free_at = host.clock.time + 1
    gave_back = []

    async def give_back(number):
        async with host.queue.turn(scrapy.Request(f"http://host/{number}")):
            gave_back.append(number)

    all_requests = [start(give_back(number)) for number in range(1000)]
    await until_idle()
    host.clock.fire(1)
    await all_of(all_requests)
    assert gave_back == list(range(1000))
