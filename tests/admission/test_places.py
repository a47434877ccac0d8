"""What must be true of the places that waiting requests lend. The engine is the test's own."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from types import SimpleNamespace

import pytest
from scrapy import Request, signals
from scrapy.core.downloader import Downloader
from scrapy.core.scheduler import Scheduler
from scrapy.http.request import NO_CALLBACK
from scrapy.signalmanager import SignalManager

from scrapy_robots_policy.admission.concurrency import Concurrency
from scrapy_robots_policy.admission.delay_queues import DelayQueues
from scrapy_robots_policy.exceptions import CrawlClosing
from scrapy_robots_policy.fetch.order import FetchOrder, FetchPlace
from scrapy_robots_policy.rep.dialects.standards import RFC9309
from scrapy_robots_policy.stores import ALONE
from tests.admission.test_delay_queue import ASKER, DELAY, Clock, cancel
from tests.on_reactor import Gate, all_of, on_reactor, pending_timers, start, until_idle


def scheduler_with(kind=Scheduler, **queues):
    """A scheduler whose queues, `mqs` and `dqs`, have requests for so many download slots."""
    scheduler = kind.__new__(kind)
    for name, queued in {"mqs": None, "dqs": None, **queues}.items():
        queue = SimpleNamespace() if queued is None else SimpleNamespace(pqueues=queued)
        setattr(scheduler, name, queue)
    return scheduler


ORDER = FetchOrder("http://host", None, RFC9309, None)


class Places:
    """Requests to hosts, each of which waits until it is sent.

    limit   CONCURRENT_REQUESTS
    queued  the hosts for which the scheduler's queue has requests; None: it does not tell
    """

    def __init__(self, limit, max_waiting=100, queued=None):
        downloader = SimpleNamespace(
            total_concurrency=limit,
            active=set(),
            get_slot_key=lambda request: request.url.split("/")[2],
        )
        downloader.needs_backout = Downloader.needs_backout.__get__(downloader)
        self.downloader, self.clock = downloader, Clock()
        self.delays = DelayQueues(ALONE, self.clock.now, self.clock.call_later)
        self.signals = SignalManager(self)
        self.wakes = 0
        nextcall = SimpleNamespace(schedule=self.wake)
        scheduler = scheduler_with(mqs=queued)
        slot = SimpleNamespace(nextcall=nextcall, close=lambda: None, scheduler=scheduler)
        self.engine = SimpleNamespace(downloader=downloader, _slot=slot)
        crawler = SimpleNamespace(engine=self.engine, signals=self.signals, spider=None)
        self.closed = []
        self.concurrency = Concurrency(
            crawler,
            max_waiting,
            self.delays,
            lambda: self.closed.append(self.delays),
            lambda *_: None,
            lambda _: None,
            sets_delays=False,
        )
        assert self.concurrency.engine.can_lend  # from now on the downloader asks it
        self.sent = []
        self.lent = ExitStack()  # a wait that nobody holds would end

    def request(self, url, callback=None):
        request = Request(f"http://{url}", callback)
        self.downloader.active.add(request)
        return request

    def wake(self):
        self.wakes += 1

    def lend(self, url):
        """(a request that waits, what ends its wait)"""
        return self.lend_place_of(self.request(url))

    def lend_place_of(self, request):
        wait = self.lent.enter_context(ExitStack())
        wait.enter_context(self.concurrency.lend(request))
        return request, wait

    async def go(self, request, wait):
        with wait:
            await self.concurrency.reacquire(request)
            self.sent.append(request.url[len("http://") :])

    def schedule(self, url):
        request = Request(f"http://{url}")
        self.signals.send_catch_log(signals.request_scheduled, request=request)

    def is_full(self):
        return self.downloader.needs_backout()


@on_reactor
async def test_a_request_whose_wait_has_ended_goes_while_a_place_is_free():
    places = Places(2)
    lent = [places.lend(f"host/{n}") for n in range(4)]
    for request, wait in lent:
        start(places.go(request, wait))
    await until_idle()
    assert places.sent == ["host/0", "host/1"]
    places.downloader.active.discard(lent[0][0])
    assert places.is_full()
    await until_idle()
    assert places.sent == ["host/0", "host/1", "host/2"]


@on_reactor
async def test_while_the_engine_is_paused_no_request_goes_whose_wait_has_ended():
    places = Places(10)
    lent = [places.lend(f"host/{n}") for n in range(3)]
    start(places.go(*lent[0]))
    await until_idle()
    places.engine.paused = True
    for one in lent[1:]:
        start(places.go(*one))
    assert not places.is_full()  # the engine asks while it reads Spider.start
    await until_idle()
    assert places.sent == ["host/0"]
    places.engine.paused = False
    assert not places.is_full()
    await until_idle()
    assert places.sent == ["host/0", "host/1", "host/2"]


@on_reactor
async def test_a_crawl_that_closes_while_the_engine_is_paused_ends_all_waits():
    places, failures = Places(10), []
    places.engine.paused = True
    start(places.go(*places.lend("host/0"))).addErrback(failures.append)
    await until_idle()
    places.concurrency._close()
    await until_idle()
    assert places.sent == []
    assert [failure.type for failure in failures] == [CrawlClosing]


@on_reactor
async def test_a_request_that_is_cancelled_while_it_queues_for_a_place_leaves_the_queue():
    places = Places(1)
    sent = places.request("host/0")
    lent = [places.lend(f"host/{n}") for n in (1, 2)]
    first, second = (start(places.go(*one)) for one in lent)
    await until_idle()  # both are in the queue
    await cancel(second)
    places.downloader.active.discard(lent[1][0])
    assert places.is_full()
    await until_idle()
    assert not first.called  # the place is taken
    places.downloader.active.discard(sent)
    assert places.is_full()
    await until_idle()
    assert first.called


@on_reactor
async def test_nothing_waits_once_the_crawl_closes():
    places = Places(1)
    request, _ = places.lend("host/1")
    places.concurrency._close()
    with pytest.raises(CrawlClosing):
        places.lend("host/2")
    for wait in (places.concurrency.reacquire(request), places.concurrency.sleep(10)):
        with pytest.raises(CrawlClosing):
            await wait
    assert places.closed == [places.delays]


@on_reactor
async def test_requests_that_queue_for_a_place_as_the_crawl_closes_raise_that_it_closes():
    places, failures = Places(1), []
    for request, wait in [places.lend(f"host/{n}") for n in range(3)]:
        start(places.go(request, wait)).addErrback(failures.append)
    await until_idle()
    places.concurrency._close()
    await until_idle()
    assert places.sent == ["host/0"]
    assert [failure.type for failure in failures] == [CrawlClosing] * 2


@on_reactor
async def test_a_request_that_ends_as_the_crawl_closes_may_cancel_another_one():
    places = Places(1)
    lent = [places.lend(f"host/{n}") for n in range(3)]
    tasks = [start(places.go(*one)) for one in lent]
    for task in tasks:
        task.addErrback(lambda _: None)
    await until_idle()
    first, second = places.concurrency._returning
    first.addBoth(lambda _: second.cancel())
    places.concurrency._close()
    places.downloader.active.clear()
    assert not places.is_full()  # the engine may ask before they go on: nobody is let go twice
    await until_idle()
    assert [task.called for task in tasks] == [True] * 3


@on_reactor
async def test_a_wait_for_a_time_that_is_cancelled_leaves_no_timer(monkeypatch):
    places, timers = Places(1), pending_timers(monkeypatch)
    waiting = start(places.concurrency.sleep(10))
    await until_idle()
    assert places.concurrency.sleeping == len(timers) == 1
    await cancel(waiting)
    assert places.concurrency.sleeping == len(timers) == 0


@on_reactor
async def test_a_host_whose_requests_are_gone_is_forgotten():
    places = Places(1)
    for n in range(10):
        _, wait = places.lend(f"host{n}/")
        wait.close()
    assert not places.concurrency._waiting_in
    assert not places.concurrency.waiting


@on_reactor
async def test_a_turn_ends_with_its_request_when_the_engine_asks_for_another_one():
    places = Places(10)
    queue = places.delays.queue("host", ASKER, DELAY, since_visit=DELAY)
    request = places.request("host/1")
    async with queue.turn(request) as turn:
        turn.used()
    assert not places.is_full()
    assert places.delays.under_way
    places.downloader.active.discard(request)
    assert not places.is_full()
    assert not places.delays.under_way


@on_reactor
async def test_a_robots_txt_takes_its_turn_before_pages_and_none_goes_meanwhile():
    places, sent = Places(10), []
    queue = places.delays.queue("host", ASKER, DELAY, since_visit=DELAY)
    before, page, document = (Request(f"http://host/{n}") for n in ("1", "2", "robots.txt"))

    async def go(request):
        async with queue.turn(request) as turn:
            turn.used()
            sent.append(request)

    async def fetch():
        await places.concurrency.admit_fetch(document, ORDER)
        sent.append(document)

    tasks = [start(go(before)), start(go(page)), start(fetch())]
    await until_idle()
    assert sent == [before]
    places.delays.release_gone({page, document})  # it never reached the downloader
    await until_idle()
    assert sent == [before, document]
    assert places.concurrency.fetching == {document}
    places.delays.release_gone({page})
    await all_of(tasks)
    assert sent == [before, document, page]


@on_reactor
async def test_a_robots_txt_keeps_its_turn_until_the_engine_has_it():
    # Its download begins a moment later where a middleware is a plugin's, on asyncio.
    places = Places(10)
    queue = places.delays.queue("host", ASKER, DELAY, since_visit=DELAY)
    document = Request("http://host/robots.txt")
    await places.concurrency.admit_fetch(document, ORDER)
    assert not places.is_full()  # the engine asks meanwhile whether it may have a page
    assert places.delays.under_way == {document: {queue}}
    wakes = places.wakes
    places.concurrency.end_fetch(document)  # a middleware has answered or dropped it
    assert places.wakes == wakes + 1
    assert not places.is_full()
    assert not places.delays.under_way


@on_reactor
async def test_a_robots_txt_gives_no_place_away_before_the_engine_has_it():
    places, document = Places(1), Request("http://host/robots.txt")
    places.request("other/page")
    await places.concurrency.admit_fetch(document, ORDER)
    assert places.is_full()  # the page has the only place
    places.downloader.active.add(document)
    assert places.is_full()
    places.downloader.active.clear()
    assert not places.is_full()


class NotedPlace(FetchPlace):
    """Notes what becomes of it. A gate decides when it may be taken again."""

    def __init__(self):
        self.events, self.gate = [], Gate()

    def give_back(self):
        self.events.append("given back")

    async def take(self):
        self.events.append("wanted")
        await self.gate.pass_()
        self.events.append("taken")


@on_reactor
async def test_a_fetch_gives_its_place_to_others_until_its_turn_at_its_host_has_come():
    places, place = Places(10), NotedPlace()
    queue = places.delays.queue("host", ASKER, DELAY, since_visit=0)
    document = places.request("host/robots.txt")
    fetch = start(places.concurrency.admit_fetch(document, replace(ORDER, place=place)))
    await until_idle()
    assert place.events == ["given back"]
    await places.clock.forward(DELAY)
    assert place.events == ["given back", "wanted"]
    assert not places.concurrency.fetching
    place.gate.open()
    await all_of([fetch])
    assert place.events == ["given back", "wanted", "taken"]
    assert places.concurrency.fetching == {document}
    assert places.delays.under_way == {document: {queue}}


@on_reactor
async def test_beyond_twice_the_waiting_requests_no_idle_host_gets_another_one():
    places = Places(1000, max_waiting=10)
    for n in range(10):
        places.lend(f"host{n}/")
    assert not places.is_full()
    for n in range(10, 100):
        places.schedule(f"host{n}/")
    for n in range(10, 20):
        assert not places.is_full()
        places.lend(f"host{n}/")
    assert places.is_full()


@on_reactor
async def test_a_request_that_is_taken_although_enough_wait_is_taken_once():
    places = Places(1000, max_waiting=4)
    for n in range(4):
        places.lend(f"host{n}/")
    assert not places.is_full()
    places.request("other/")  # it needs not wait
    assert places.is_full()
    places.schedule("other/2")
    assert not places.is_full()


@pytest.mark.parametrize("asks_first", [True, False], ids=["asyncio", "no asyncio"])
@on_reactor
async def test_although_enough_wait_the_engine_goes_on_while_it_gets_requests_of_idle_hosts(
    asks_first,
):
    """Without asyncio a request waits, or passes, before the engine asks for the next one."""
    places = Places(1000, max_waiting=10)
    for n in range(10):
        places.lend(f"host{n}/")
    assert not places.is_full()
    for n in range(10, 15):
        request = places.request(f"host{n}/")
        assert not asks_first or places.is_full()
        places.lend_place_of(request)
        assert not places.is_full()
    for n in range(20):
        places.request(f"known{n}/")
        assert not asks_first or places.is_full()
        wakes = places.wakes
        places.concurrency.took_from_idle_host()
        assert places.wakes > wakes
        assert not places.is_full()


@on_reactor
async def test_a_robots_txt_that_is_fetched_is_no_request_that_was_taken_although_enough_wait():
    places = Places(1000, max_waiting=4)
    for n in range(4):
        places.lend(f"host{n}/")
    assert not places.is_full()
    places.concurrency.fetching.add(places.request("host0/robots.txt"))
    assert not places.is_full()


@on_reactor
async def test_the_engine_is_woken_when_a_place_is_lent_and_when_it_is_lent_again():
    places = Places(1)
    request, _ = places.lend("host/")
    assert places.wakes == 1
    places.concurrency.lend_again(request)
    assert places.wakes == 2


@on_reactor
async def test_nobody_listens_to_what_is_scheduled_once_nobody_waits():
    places = Places(1000, max_waiting=4)
    for n in range(4):
        places.lend(f"host{n}/")
    assert not places.is_full()
    assert places.concurrency.is_saturated
    places.lent.close()
    assert not places.is_full()
    assert not places.concurrency.is_saturated


@on_reactor
async def test_what_is_scheduled_for_a_host_with_many_waiting_requests_is_not_taken():
    places = Places(1000, max_waiting=4)
    for url in ("host/1", "host/2", "other/1", "another/1"):
        places.lend(url)
    assert not places.is_full()
    places.request("host/x")
    assert places.is_full()
    places.schedule("host/4")
    assert places.is_full()


@pytest.mark.parametrize(
    ("queued", "is_full"), [({"host": 1}, True), ({"host": 1, "other": 1}, False), (None, False)]
)
@on_reactor
async def test_a_queue_is_left_if_it_has_nothing_but_requests_of_hosts_with_many_waiting(
    queued, is_full
):
    places = Places(1000, 10, queued)
    lent = [places.lend(f"host/{n}") for n in range(places.concurrency.max_per_host)]
    for _ in range(3):
        assert places.is_full() is is_full
        places.request("other/known")
    _, wait = lent[0]
    wait.close()
    assert not places.is_full()
    places.lend("host/again")  # the others of its host count as before
    assert places.is_full() is is_full


@on_reactor
async def test_although_enough_wait_other_hosts_in_the_queue_get_their_requests():
    places = Places(1000, max_waiting=4, queued={"host": 1, "other": 1})
    for n in range(4):
        places.lend(f"host/{n}")
    for n in range(3):
        assert not places.is_full()
        places.lend(f"host/{4 + n}")  # the queue may give it, where other hosts are as busy
    del places.engine._slot.scheduler.mqs.pqueues["other"]
    assert places.is_full()


@pytest.mark.parametrize(
    ("queued", "has_queued", "stops_others"),
    [
        ({"host": 1}, True, False),  # it has no others
        ({"host": 1, "other": 1}, True, True),
        (None, True, True),  # it may have others
        (None, False, False),
    ],
)
@on_reactor
async def test_requests_that_wait_stop_others_only_while_no_more_is_taken(
    queued, has_queued, stops_others
):
    places = Places(1000, 10, queued)
    places.concurrency.engine.has_queued = lambda: has_queued
    assert not places.concurrency.stops_others
    lent = [places.lend(f"host/{n}") for n in range(20)]
    assert places.is_full()
    assert places.concurrency.stops_others is stops_others
    for _, wait in lent:
        wait.close()
    assert not places.is_full()
    assert not places.concurrency.stops_others


class OwnScheduler(Scheduler):
    """A scheduler of the user's."""


A, B = {"a": 1}, {"b": 1}
QUEUED = {
    "the queue in memory": (scheduler_with(mqs=A, dqs=B), {"a"}),
    "that on the disk, where the first is empty": (scheduler_with(mqs={}, dqs=B), {"b"}),
    "both are empty": (scheduler_with(mqs={}, dqs={}), set()),
    "queues that do not tell": (scheduler_with(), set()),
    "a queue with something else": (scheduler_with(mqs=[1]), set()),
    "a scheduler of the user's": (scheduler_with(OwnScheduler, mqs=A), set()),
    "no such attribute": (None, set()),
}


@pytest.mark.parametrize("has_requests", [False, True, None])
def test_a_scheduler_says_whether_it_has_requests_and_without_one_there_are_none(has_requests):
    places = Places(1)
    scheduler = SimpleNamespace(has_pending_requests=lambda: has_requests)
    places.engine._slot.scheduler = None if has_requests is None else scheduler
    assert places.concurrency.engine.has_queued() is bool(has_requests)


@pytest.mark.parametrize("case", QUEUED)
def test_the_hosts_are_told_for_which_scrapys_scheduler_may_have_the_next_request(case):
    scheduler, hosts = QUEUED[case]
    places = Places(1)
    places.engine._slot.scheduler = scheduler
    assert places.concurrency.engine.queued_slots() == hosts


@pytest.mark.parametrize("max_waiting", [0, 1])
@on_reactor
async def test_one_request_may_wait_at_least(max_waiting):
    places = Places(1000, max_waiting)
    assert not places.is_full()
    places.lend("host/1")
    assert places.concurrency.max_waiting == places.concurrency.max_per_host == 1


@on_reactor
async def test_what_a_component_fetches_waits_for_no_place():
    places = Places(1)
    places.request("host/page")
    request = places.request("other/token", NO_CALLBACK)
    start(places.go(request, places.concurrency.lend(request)))
    await until_idle()
    assert places.sent == ["other/token"]
