"""What must be true of the guard around a store that others wrote: no call raises or hangs."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from itertools import pairwise

import pytest
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import CancelledError, Deferred

from scrapy_robots_policy import compat
from scrapy_robots_policy.rep import CacheEntry, FetchResult
from scrapy_robots_policy.stores import ALONE, Claim, EntryError, GuardedStore, MemoryStore
from scrapy_robots_policy.stores.breaker import FIRST_PAUSE, LONGEST_PAUSE, CircuitBreaker
from scrapy_robots_policy.stores.guarded import MAX_WAIT, Deadline, within
from tests.admission.test_delay_queue import cancel
from tests.on_reactor import on_reactor, pending_timers, start, until_idle
from tests.stores.members import Events

ORIGIN, OTHER, HOST = "https://example.com", "https://other.example", "example.com"
RECORD = CacheEntry(FetchResult(404), 1.0)


class Scripted:
    """A store and a coordinator that do what a test says: `then` answers for all."""

    def __init__(self, then):
        self.then, self.calls = then, []

    async def _call(self, verb, *_):
        self.calls.append(verb)
        return await self.then(verb)

    async def get(self, origin):
        return await self._call("get")

    async def put(self, origin, record):
        await self._call("put")

    async def close(self):
        await self._call("close")

    @property
    def coordinator(self):
        return self

    async def claim(self, origin):
        return await self._call("claim")

    def release(self, origin):
        self.calls.append("release")
        raise OSError("release")

    async def take(self, host, delay):
        return await self._call("take")

    def leave(self, host, *, visited):
        self.calls.append("leave")
        raise OSError("leave")


def guarded(then, **limits):
    """(a guard, the store in it, its events, whose clock only the test moves)."""
    events, store = Events(), Scripted(then)
    return GuardedStore(store, events, now=events.now, **limits), store, events


async def fails(verb):
    raise OSError(verb)


async def hangs(verb):
    await maybe_deferred_to_future(Deferred())


async def does_not_end(verb):
    """Does not let itself be cancelled."""
    while True:
        try:
            await compat.sleep(3600)
        except BaseException:  # noqa: BLE001, PERF203 - that is what it is for
            continue


def gives(value):
    async def give(verb):
        return value

    return give


async def is_cancelled(verb):
    raise CancelledError


async def is_cancelled_by_asyncio(verb):
    raise asyncio.CancelledError


KINDS = {
    "fails": fails,
    "hangs": hangs,
    "cancels itself": is_cancelled,
    "cancels itself, with asyncio": is_cancelled_by_asyncio,
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@on_reactor
async def test_a_call_that_fails_or_hangs_is_a_miss(kind):
    for verb, arguments in (("get", (ORIGIN,)), ("put", (ORIGIN, RECORD)), ("close", ())):
        store, _, events = guarded(KINDS[kind], answer_within=0.05, close_within=0.05)
        assert await getattr(store, verb)(*arguments) is None
        assert [failure.split()[0] for failure in events.failed] == [verb]


@pytest.mark.slow
@on_reactor
async def test_a_call_that_ignores_its_cancellation_is_not_waited_for():
    with pytest.raises(Deadline, match=r"no answer within 0\.05 s"):
        await within(0.05, lambda: does_not_end("get"))


@on_reactor
async def test_an_answer_that_came_while_a_callback_held_the_event_loop_up_is_read(monkeypatch):
    timers = pending_timers(monkeypatch)
    answer = Deferred()
    call = start(within(2.0, lambda: maybe_deferred_to_future(answer)))
    await until_idle()
    timers.pop()()  # late, however much: an answer may be there, but nobody has read it
    await until_idle()
    answer.callback("the answer")
    assert await maybe_deferred_to_future(call) == "the answer"


@pytest.mark.slow
@on_reactor
async def test_a_call_that_is_given_up_is_cancelled():
    ended = []

    async def work():
        try:
            await compat.sleep(3600)
        finally:
            ended.append(True)

    with pytest.raises(Deadline):
        await within(0.05, work)
    await until_idle()
    waiting = start(within(3600, work))
    await until_idle()
    waiting.addErrback(lambda _: None)
    waiting.cancel()
    await until_idle()
    assert ended == [True, True]


@pytest.mark.parametrize("verb", ["get", "claim", "take"])
@on_reactor
async def test_a_caller_that_is_cancelled_goes_no_further_and_the_store_has_not_failed(verb):
    store, _, events = guarded(hangs)
    calls = {
        "get": lambda: store.get(ORIGIN),
        "claim": lambda: store.coordinator.claim(ORIGIN),
        "take": lambda: store.coordinator.take(HOST, 5.0),
    }
    answered = []

    async def caller():
        answered.append(await calls[verb]())

    waiting = start(caller())
    await until_idle()
    await cancel(waiting)
    assert (answered, events.failed) == ([], [])


@on_reactor
async def test_no_timer_is_left_of_a_call_that_was_answered(monkeypatch):
    timers = pending_timers(monkeypatch)
    assert await within(3600, lambda: gives(RECORD)("get")) == RECORD
    assert timers == []


WRONG_ENTRIES = {
    "text": "User-agent: *",
    "record_of_texts": replace(RECORD, asked_at="soon"),
    "infinite": replace(RECORD, asked_at=float("inf")),
    "not_a_number": replace(RECORD, latest=FetchResult(503, retry_after=float("nan"))),
    "huge": replace(RECORD, failing_since=10**400),
    "hops": replace(RECORD, latest=FetchResult(200, hops=["x"])),
    "octets": replace(RECORD, octets="Disallow: /"),
    "hops_of_numbers": replace(RECORD, latest=FetchResult(200, hops=(1,))),
    "status": replace(RECORD, latest=FetchResult("200")),
    "status_of_four_digits": replace(RECORD, latest=FetchResult(2000)),
    "flag": replace(RECORD, asked_at=True),
    "failures": replace(RECORD, failures=2**63),
}


@pytest.mark.parametrize("kind", WRONG_ENTRIES)
@on_reactor
async def test_a_value_that_is_no_entry_is_a_miss_and_the_store_stays_in_use(kind):
    store, inner, events = guarded(gives(WRONG_ENTRIES[kind]))
    assert await store.get(ORIGIN) is None
    assert await store.get(OTHER) is None
    assert inner.calls == ["get", "get"]
    assert len(events.failed) == 2


@on_reactor
async def test_after_each_failure_the_store_is_not_used_for_twice_as_long():
    store, inner, events = guarded(fails)
    tried = []
    for _ in range(200):
        before = len(inner.calls)
        await store.get(ORIGIN)
        if len(inner.calls) > before:
            tried.append(events.time)
        events.time += 0.5
    pauses = [later - earlier for earlier, later in pairwise(tried)]
    assert pauses == [1, 2, 4, 8, 16, LONGEST_PAUSE, LONGEST_PAUSE]


@on_reactor
async def test_a_store_that_works_again_is_used_again():
    store, inner, events = guarded(fails)
    await store.get(ORIGIN)
    inner.then = gives(RECORD)
    assert await store.get(ORIGIN) is None
    events.time += 1.1
    assert await store.get(ORIGIN) == RECORD
    assert await store.get(OTHER) == RECORD
    assert len(events.failed) == 1


@on_reactor
async def test_a_store_that_cannot_be_written_is_still_read():
    async def is_full(verb):
        if verb == "put":
            raise OSError("No space left on device")
        return RECORD

    store, inner, events = guarded(is_full)
    for _ in range(3):
        await store.put(ORIGIN, RECORD)
        assert await store.get(OTHER) == RECORD
    assert events.failed == ["put No space left on device"]
    assert inner.calls == ["put", "get", "get", "get"]


@on_reactor
async def test_nothing_is_written_while_a_store_cannot_be_read():
    store, inner, events = guarded(fails)
    await store.get(ORIGIN)
    await store.put(ORIGIN, RECORD)
    assert inner.calls == ["get"]
    events.time += 2.0
    await store.put(ORIGIN, RECORD)
    assert inner.calls == ["get", "put"]


@on_reactor
async def test_a_store_that_failed_is_still_closed():
    store, inner, _ = guarded(fails)
    await store.get(ORIGIN)
    await store.close()
    assert inner.calls == ["get", "close"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@on_reactor
async def test_a_coordinator_that_fails_or_hangs_grants_everything(kind):
    store, inner, events = guarded(KINDS[kind], answer_within=0.05)
    assert await store.coordinator.claim(ORIGIN) == Claim(granted=True, entry=None)
    events.time += 60
    assert await store.coordinator.take(HOST, 5.0) == 0.0
    store.coordinator.release(ORIGIN)
    store.coordinator.leave(HOST, visited=True)
    assert inner.calls == ["claim", "take", "release", "leave"]
    assert [failure.split()[0] for failure in events.failed] == inner.calls


@pytest.mark.parametrize(
    ("answer", "seconds"),
    [(0, 0.0), (2.5, 2.5), (float("inf"), MAX_WAIT), (-1, 0.0), (float("nan"), 0.0), ("x", 0.0)],
)
@on_reactor
async def test_a_coordinator_can_delay_a_request_for_a_limited_time_only(answer, seconds):
    store, _, _ = guarded(gives(answer))
    assert await store.coordinator.take(HOST, 5.0) == seconds


@pytest.mark.parametrize("record", ["no entry", replace(RECORD, asked_at=None)])
@on_reactor
async def test_a_claim_with_a_wrong_entry_gives_no_entry(record):
    store, _, events = guarded(gives(Claim(granted=False, entry=record)))
    assert await store.coordinator.claim(ORIGIN) == Claim(granted=True, entry=None)
    assert len(events.failed) == 1


def test_a_store_without_a_coordinator_stays_without_one():
    assert GuardedStore(MemoryStore(), Events()).coordinator is ALONE
    assert issubclass(EntryError, ValueError)


def test_the_breaker_lets_one_call_try_and_closes_only_after_a_while():
    events = Events(time=1000.0)
    breaker = CircuitBreaker(events.now)
    assert breaker.permits()
    assert breaker.failed(breaker.faults)
    assert not breaker.permits()
    events.time += 1.5  # half-open
    assert breaker.permits()
    assert not breaker.permits()
    breaker.worked()
    assert breaker.permits()
    assert not breaker.is_over()  # only 1.5 s since the fault
    assert not breaker.failed(breaker.faults)  # so this is the same trouble
    breaker.worked()
    events.time += 3.5
    assert breaker.is_over()
    assert not breaker.is_over()
    assert breaker.failed(breaker.faults)


def test_calls_that_fail_together_are_one_fault():
    breaker = CircuitBreaker(Events().now)
    before = breaker.faults
    assert [breaker.failed(before) for _ in range(5)] == [True, False, False, False, False]
    assert breaker.faults == 1


def test_any_number_of_faults_pauses_for_the_longest_time():
    events = Events()
    breaker = CircuitBreaker(events.now)
    for _ in range(2_000):
        breaker.failed(breaker.faults)
    assert not breaker.permits()
    events.time += LONGEST_PAUSE
    assert breaker.permits()


@on_reactor
async def test_after_a_calm_time_a_fault_pauses_as_the_first_one_did():
    answers = iter([fails, fails, gives(RECORD), fails, gives(RECORD)])

    async def answer(verb):
        return await next(answers)(verb)

    store, inner, events = guarded(answer)
    for pause in (LONGEST_PAUSE, LONGEST_PAUSE, LONGEST_PAUSE, FIRST_PAUSE * 2):
        await store.get(ORIGIN)
        events.time += pause
    assert await store.get(ORIGIN) == RECORD
    assert len(inner.calls) == 5
