"""Which hosts are ready for another request: what waits for a known time stays in the queue.

A host, here always a download slot, is ready while nothing of it waits and no delay of it runs. The
first request of a new host goes out and starts the lookup of its robots.txt. Its fellows stay in
the queue, on the disk with a JOBDIR, until the rules are there. After each page of a host with a
delay the rest stays in the queue until the delay is over. So memory does not grow with what waits,
and no host stops another one.

After `pop`, asyncio may run other tasks before `process_request` sees the request. Until then the
host counts as busy (`_unseen`, at most 10 ms). A host whose last request went on at once is quick:
more of its requests go out without that pause.

Usually one request of a slot goes out, and the rest stay in the queue until its robots.txt is
known. Three kinds of slots are different.

a. A slot with several sites, or with requests that have their own settings or proxy. Up to 100
   requests go out, because the file that one waits for may not be the one that the next needs.
b. A slot with exempt requests. They need no file, so a delay does not hold the slot.
c. A slot with requests of another host than its name's. The pause of one host does not hold it,
   because the other host has asked for none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from math import inf
from typing import Protocol
from weakref import WeakKeyDictionary, WeakSet

from scrapy.http import Request

from . import compat
from .delays import DelayQueue, DelayQueues, host_of
from .rep import origin_of
from .rep.url import host_of_origin
from .settings.requests import EXEMPT_KEY, is_exempt

UNSEEN = 0.01  # seconds that a request may take from the queue to the middleware
# In the meta of a request that is put back, unfiltered: whether it was to be filtered. What comes
# of it, such as a redirect, is filtered as ever.
PUT_BACK_KEY = "robots_put_back"
MAX_QUICK = 10_000  # hosts; a crawl has fewer at a time
MAX_WAITING = 100  # requests of one slot that is no single site's
_OWN = ("robots", "proxy")  # in the meta of a request


class HostQueue(Protocol):
    """A queue that keeps requests by their download slots."""

    @property
    def held(self) -> int:
        """How many requests it has for hosts that are not ready."""

    def wake(self, slot: str) -> None:
        """The slot may be ready again."""


class Hosts:
    """The hosts of a crawl.

    Attributes:
        slot_key: the download slot of a request.
        wake_engine: has the engine ask for requests soon.
        missing: a sentence where this version of Scrapy has no queue that asks here.

    """

    def __init__(
        self,
        delays: DelayQueues,
        slot_key: Callable[[Request], str],
        wake_engine: Callable[[], None],
    ) -> None:
        self.delays, self.slot_key, self.wake_engine = delays, slot_key, wake_engine
        self.queues: list[HostQueue] = []
        self.missing: list[str] = []
        self._waiting: Counter[str] = Counter()  # requests, by slot
        self._sites: dict[str, str] = {}  # of a request that the queue got, by slot
        self._several: set[str] = set()  # slots of several sites, settings or proxies
        self._exempt: set[str] = set()  # slots that have exempt requests, too
        self._shared: set[str] = set()  # slots that have requests of another host than their name's
        self._quick: set[str] = set()
        self._given: WeakSet[Request] = WeakSet()
        self._again: WeakSet[Request] = WeakSet()  # those that were put back before
        self._unseen: WeakKeyDictionary[Request, str] = WeakKeyDictionary()
        self._unseen_since: dict[str, float] = {}
        self._alarm_at = inf
        self._stop_alarm: Callable[[], None] = lambda: None
        delays.on_change = self.changed

    def watch(self, slot: str) -> float:
        """When the queue may give the next request of a slot, by the clock of the delays. A time
        that is past: now; infinite: `wake` will tell.
        """
        if slot in self._quick:
            return 0.0
        if slot in self._unseen_since:
            until = self._unseen_since[slot] + UNSEEN
            if until > compat.monotonic():
                return until
            del self._unseen_since[slot]
        waiting = self._waiting.get(slot, 0)
        if not self._is_held_as_one(slot):
            return 0.0 if waiting < MAX_WAITING else inf
        if waiting >= (MAX_WAITING if slot in self._several else 1):
            return inf
        return self.delays.watch(slot)

    def expect(self, request: Request) -> None:
        """The queue is about to get a request."""
        slot, meta, origin = self.slot_key(request), request.meta, origin_of(request.url)
        if slot not in self._shared and origin and host_of_origin(origin) != slot:
            self._shared.add(slot)
            self.changed(slot)
        if EXEMPT_KEY in meta and origin and is_exempt(meta, origin):
            self._exempt.add(slot)
            self.changed(slot)
        if slot not in self._several:
            if len(self._sites) >= MAX_QUICK:
                self._sites.clear()
            is_other = self._sites.setdefault(slot, origin or "") != (origin or "")
            if is_other or not meta.keys().isdisjoint(_OWN):
                self._several.add(slot)
                self.changed(slot)

    def give(self, slot: str, request: Request) -> None:
        """The queue gives a request."""
        if PUT_BACK_KEY in request.meta:
            request.dont_filter = not request.meta.pop(PUT_BACK_KEY)
            self._again.add(request)
        self._given.add(request)
        if slot not in self._quick:
            self._unseen[request] = slot
            self._unseen_since[slot] = compat.monotonic()

    def forget(self, slot: str) -> None:
        """The queue has no request of a slot any more."""
        self._exempt.discard(slot)
        self._shared.discard(slot)
        if slot not in self._waiting:
            self._several.discard(slot)

    def came_from_queue(self, request: Request) -> bool:
        return request in self._given

    def may_go_back(
        self, request: Request, slot: str, turns: DelayQueue | None, *, looked_up: bool
    ) -> bool:
        """Whether the queue will keep a request until its turn: the delay is that of its slot.

        Args:
            looked_up: whether it has just waited for its rules. Where they live for less time than
                the delay, the file would be fetched again each time that it comes out of the queue,
                and each fetch is a visit, after which it has to wait: once is enough.

        """
        if looked_up and request in self._again:
            return False
        is_of_slot = self.delays.of_slot(slot) is turns and self._is_held_as_one(slot)
        return is_of_slot and request in self._given

    def _is_held_as_one(self, slot: str) -> bool:
        """Whether all requests that the queue has for a slot wait for the turns of its host."""
        is_others_too = slot in self._shared and self.delays.is_paused(slot)
        return slot not in self._exempt and not is_others_too

    def passes(self, request: Request) -> None:
        """A request goes on, or is refused, without a wait."""
        if self._unseen and (slot := self._seen(request)):
            if len(self._quick) >= MAX_QUICK:
                self._quick.clear()
            self._quick.add(slot)
            self.changed(slot)

    def waits(self, request: Request, slot: str) -> None:
        """A request begins to wait; `goes_on` ends that."""
        given_as = self._seen(request)
        self._quick -= {slot, given_as}
        self._waiting[slot] += 1
        if slot != host_of(request.url) or not request.meta.keys().isdisjoint(_OWN):
            self._several.add(slot)
        if given_as and (given_as != slot or slot in self._several):
            self.changed(given_as)

    def goes_on(self, slot: str) -> None:
        self._waiting[slot] -= 1
        if not self._waiting[slot]:
            del self._waiting[slot]
        self.changed(slot)

    def _seen(self, request: Request) -> str:
        slot = self._unseen.pop(request, "")
        if slot:
            self._unseen_since.pop(slot, None)
        return slot

    def changed(self, slot: str) -> None:
        """A slot may be ready again, or at another time than it was."""
        if self.queues:
            for queue in self.queues:
                queue.wake(slot)
            self.wake_engine()

    def wake_at(self, time: float) -> None:
        """Have the engine ask for requests at a time, by the clock of the delays."""
        if time < self._alarm_at:
            self._stop_alarm()
            self._alarm_at = time
            self._stop_alarm = compat.call_later(max(time - compat.monotonic(), 0.0), self._alarm)

    def _alarm(self) -> None:
        self._alarm_at = inf
        self.wake_engine()

    def close(self) -> None:
        """The crawl begins to close: no alarm rings any more."""
        self._stop_alarm()
        self._alarm_at = -inf
