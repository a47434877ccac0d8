"""Does for the core what it asks for, with Scrapy; nothing else knows both sides.

The core says what is to be done (`core.agenda`), and is told what came of it. An action that takes
time is a task of its own: no request that waits for it owns it, so one that is cancelled hurts no
other. Who waits is told to ask again: a lane of our queue is woken, a request from elsewhere has a
Deferred.

After whatever may have given the core something to do, `run` is called. Without asyncio a request
goes on within `callback`, and asks there: `run` then runs already, and does what came up as well.

What else may run: each `await` of a task lets requests ask, be cancelled, and lets the crawl close.
The core ignores what comes too late. From `close` on all tasks are cancelled, and what is asked
raises CrawlClosing.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Hashable, Mapping
from functools import cached_property, partial
from math import inf
from typing import Any, NamedTuple, Protocol
from weakref import WeakKeyDictionary

from scrapy import signals
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Request, Response
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred, DeferredList

from . import compat
from .compat import SLOT_KEY, start_task
from .core.agenda import (
    Claim,
    Fetch,
    Free,
    Keep,
    Leave,
    Read,
    Recall,
    Release,
    Take,
    Tell,
    Watch,
)
from .core.decision import forms_of
from .core.events import Delayed, LookedUp
from .core.overrides import RequestConfig
from .core.policy import NOT_WAITED, Asking, Judged, Policy, PolicySettings, Question, Wait, Waited
from .core.result import by_name, retry_after
from .core.turns import host_of
from .crawl_log import CrawlLog
from .events import Crawl
from .fetch.bodies import is_fetch
from .fetch.request import FetchOrder, FetchSlot
from .fetch.sockets import max_sockets
from .fetch.tries import Fetcher
from .rep import Origin, RuleSet, origin_of
from .rep.access import AccessResult
from .rep.documents import DOCUMENTS, origin_of_key
from .stats import PAUSED
from .stores import ALONE, GuardedCoordinator, MemoryStore, SharesPauses, Store, coordinator_of

FOLLOW_EVERY = 1.0  # seconds between two looks at the pauses of the fleet


class LaneQueue(Protocol):
    """A queue that keeps requests by lanes, which are texts."""

    @property
    def held(self) -> int:
        """How many requests it has that are not ready."""

    def wake(self, lane: str) -> None:
        """The first request of a lane may be ready."""


class Given(NamedTuple):
    """What the queue knows of a request that it gives: the answer, and how long that took."""

    answer: Judged
    waited: Waited


class Driver:
    """One crawl's core, and all that it needs.

    Attributes:
        queues: the queues whose lanes wait.
        given: what is known of requests that a queue has given, until they are decided.
        judged: what was decided about requests that are in a queue.
        fetching: the requests for a robots.txt that are under way: they take no place of a page.
        news: who waits and is in no queue.

    """

    def __init__(self, crawl: Crawl, store: Store, fetch: Fetcher) -> None:
        self.crawl, self.crawler, self.now = crawl, crawl.crawler, crawl.now
        self.configs, self.profile = crawl.settings.configs, crawl.settings.profile
        self.by_plugin = bool(self.profile.by_plugin)
        self.store, self.fetch, self.coordinator = store, fetch, coordinator_of(store)
        # What is forgotten of the sites is kept, packed: as by the store `memory:`, or that itself.
        packed = store if isinstance(store, MemoryStore) else MemoryStore()
        self.policy = Policy(self._settings(packed is not store), packed)
        self.queues: list[LaneQueue] = []
        self.given: WeakKeyDictionary[Request, Given] = WeakKeyDictionary()
        self.judged: WeakKeyDictionary[Request, Judged] = WeakKeyDictionary()
        self.fetching: set[Request] = set()
        self.news: dict[Hashable, Deferred[None]] = {}
        self._tasks: set[Deferred[None]] = set()
        self._puts: set[Deferred[None]] = set()
        self._readers: list[Read] = []
        self._is_running = self._watches = self._has_news_for_engine = False
        self._wakes_at, self._stop_timer = inf, _nothing
        self._does: Mapping[type, Callable[[Any], None]] = {
            Free: self._tell_news,
            Tell: self._tell,
            Fetch: lambda action: self._start(action.key, self._fetch(action)),
            Recall: lambda action: self._start(action.key, self._recall(action.key)),
            Claim: lambda action: self._start(action.key, self._claim(action.key)),
            Take: lambda action: start_task(self._take(action), self._tasks),
            Keep: lambda action: start_task(self._keep(action), self._puts),
            Release: lambda action: self.coordinator.release(action.key),
            Leave: lambda action: self.coordinator.leave(action.host, visited=action.visited),
            Read: self._read_later,
            Watch: lambda _action: self.watch(),
        }
        self._log = CrawlLog(crawl.crawler, __name__)
        self._shared_pauses: SharesPauses | None = None
        if isinstance(self.coordinator, GuardedCoordinator) and self.coordinator.shares_pauses:
            self._shared_pauses = self.coordinator

    def _settings(self, has_store: bool) -> PolicySettings:
        settings = self.crawl.settings
        return PolicySettings(
            access=settings.access_overrides,
            use=settings.use,
            dry_run=settings.dry_run,
            longest_delay=settings.longest_delay,
            longest_pause=settings.longest_pause,
            max_lookups=max(settings.max_waiting, 1),  # 0 would stop the crawl
            max_fetches=settings.max_fetches,
            max_sockets=max(max_sockets(), settings.max_fetches),
            has_store=has_store,
            is_shared=self.coordinator is not ALONE,
            route=partial(self.profile.route, sent=self.configs.sent),
        )

    @cached_property
    def engine(self) -> compat.EngineAccess:
        return compat.EngineAccess(self.crawler, self.close)

    # Questions.

    def question(self, request: Request, origin: Origin, config: RequestConfig) -> Question:
        forms = forms_of(request, by_plugin=self.by_plugin)
        return Question(origin, forms, config, self.engine.slot_key(request))

    def ask(self, request: Request, origin: Origin, config: RequestConfig) -> Judged | Wait:
        """The answer for a request that is in no queue."""
        asking = Asking(request, request, self.question(request, origin, config))
        return self.policy.ask(asking, self.now(), self.judged.get(request))

    async def wait(self, request: Request, origin: Origin) -> Judged:
        """Wait until a request goes or is refused. Raises CrawlClosing.

        What the user chose for it is asked for each time: a permission may have ended.
        """
        # Another middleware may have given it back in its turn: it must not wait for its own end.
        self.policy.turns.left(request, self.now())

        def ask() -> Judged | None:
            answer = self.ask(request, origin, self.configs.of(request, origin))
            return None if isinstance(answer, Wait) else answer

        answer: Judged = await self.until(request, ask)
        return answer

    def went(self, token: Hashable, request: Request, answer: Judged) -> Waited:
        """A request goes, or is refused, as it was told. Says for how long it has waited."""
        waited = self.policy.went(token, request, answer, self.now())
        if waited is not NOT_WAITED:
            self.crawl.events.tell(Delayed(answer.asked.origin, *waited))
        return waited

    async def until(self, token: Hashable, ask: Callable[[], Any]) -> Any:
        """Ask, each time that there is news, until there is an answer. Raises CrawlClosing."""
        try:
            while not (answer := ask()):
                news = self.news[token] = Deferred()
                self.run()
                await maybe_deferred_to_future(news)
        except BaseException:  # it is cancelled, or the crawl closes
            self.policy.forget(token, self.now())
            self.run()
            raise
        finally:
            self.news.pop(token, None)
        return answer

    # Actions.

    def run(self) -> None:
        """Do all that the core asks for, and see to it that it looks again in time."""
        agenda = self.policy.agenda
        if self._is_running:
            return
        if agenda:
            self._is_running = True
            try:
                for action in agenda.actions():
                    self._does[type(action)](action)
            finally:
                self._is_running = False
        if self._has_news_for_engine:
            self._has_news_for_engine = False
            self.engine.wake()
        if agenda.wake_at != self._wakes_at:
            self._stop_timer()
            self._wakes_at, self._stop_timer = agenda.wake_at, _nothing
            if self._wakes_at < inf:
                wait = max(self._wakes_at - self.now(), 0.0)
                self._stop_timer = compat.call_later(wait, self._ring)

    def _ring(self) -> None:
        self._wakes_at = inf
        self.policy.agenda.ring(self.now())
        self.run()

    def _tell_news(self, action: Free) -> None:
        for token in action.tokens:
            if isinstance(token, str):
                for queue in self.queues:
                    queue.wake(token)
                self._has_news_for_engine = True
            elif (news := self.news.pop(token, None)) is not None:
                news.callback(None)

    def _tell(self, action: Tell) -> None:
        self.crawl.events.tell(action.event)
        if isinstance(action.event, LookedUp):
            self._attend(action.event)

    def _attend(self, event: LookedUp) -> None:
        """Do what follows for Scrapy from news of a site."""
        rules = event.rules
        is_unreachable = rules.access.result is AccessResult.UNREACHABLE
        if is_unreachable and rules.dialect.access.asks_for_site:
            self.crawler.signals.connect(self._answers, signals.response_downloaded)
        if rules.rules is not None and self._has_parsed_listeners():
            start_task(self._send_parsed(rules.rules, event.page), self._tasks)

    def _has_parsed_listeners(self) -> bool:
        signal = compat.ROBOTS_PARSED
        return signal is not None and compat.has_receivers(self.crawler, signal)

    async def _send_parsed(self, rules: RuleSet, page: Request) -> None:
        """Scrapy 2.18's signal."""
        from .robotparser import RobotParser  # noqa: PLC0415 - it loads Protego, and few listen

        parser: Any = RobotParser(rules)
        await compat.send(self.crawler, compat.ROBOTS_PARSED, robotparser=parser, request=page)

    def _start(self, key: str, work: Coroutine[Any, Any, None]) -> None:
        """Run a part of a lookup as a task. A fault in it closes the site."""

        async def guarded() -> None:
            try:
                await work
            except BaseException as error:
                if self.policy.is_closed:
                    return
                self.policy.failed(key, error, self.now())
                self.run()
                if not isinstance(error, Exception):
                    raise  # it is cancelled: the event loop ends, and has not waited for the crawl

        start_task(guarded(), self._tasks)

    async def _recall(self, key: str) -> None:
        self.policy.recalled(key, await self.store.get(key), self.now())
        self.run()

    async def _claim(self, key: str) -> None:
        try:
            claim = await self.coordinator.claim(key)
        except BaseException:
            self.coordinator.release(key)
            raise
        self.policy.claimed(key, claim.entry, self.now(), granted=claim.granted)
        self.run()

    async def _take(self, action: Take) -> None:
        try:
            wait = await self.coordinator.take(action.host, action.delay)
        except BaseException:
            self.coordinator.leave(action.host, visited=False)
            raise
        self.policy.turns.taken(action.host, wait, self.now())
        self.run()

    async def _keep(self, action: Keep) -> None:
        await self.store.put(action.key, action.entry)
        if action.releases:
            self.coordinator.release(action.key)

    async def _fetch(self, action: Fetch) -> None:
        key, entry, dialect, page, in_haste = action
        try:
            order = FetchOrder(key, entry, dialect, page, _Visits(self, key, page), in_haste)
            fetched = await self.fetch(order)
        except BaseException:
            if self.policy.is_closed:
                self.coordinator.release(key)
            raise
        self.policy.fetched(key, fetched, self.now())
        self.run()

    def _read_later(self, action: Read) -> None:
        self._readers.append(action)
        if len(self._readers) == 1:
            compat.call_later(0.0, self._read)

    def _read(self) -> None:
        if self._readers:
            self.policy.read(*self._readers.pop(0), self.now())
            self.run()
        if self._readers:
            compat.call_later(0.0, self._read)

    # Visits.

    def watch(self) -> None:
        """From now on, tell the core which hosts are visited. Before, each request would pay for
        it. Those in a download slot went there unseen.
        """
        if not self._watches:
            self._watches = True
            connect = self.crawler.signals.connect
            connect(self._reached, signals.request_reached_downloader)
            connect(self._left, signals.request_left_downloader)
        self._look_around()
        # On asyncio, Scrapy takes a request out of its slot a moment before it goes.
        compat.call_later(0.0, self._look_around)

    def _look_around(self) -> None:
        for request in filter(self.engine.is_in_slot, self.engine.active):
            self._reached(request)

    def _reached(self, request: Request) -> None:
        host = host_of(origin_of(request.url) or "")
        self.policy.turns.reached(request, request.meta.get(SLOT_KEY, ""), host)

    def _left(self, request: Request) -> None:
        self.visited(request)

    def visited(self, request: Request) -> None:
        """The visit of a request is over."""
        self.policy.turns.visited(request, host_of(origin_of(request.url) or ""), self.now())
        self.run()

    def release_gone(self) -> None:
        """End the turns of requests that are not among the active ones any more."""
        active, engine = self.engine.active, self.engine
        for request in [one for one in self.policy.turns.under_way if one not in active]:
            assert isinstance(request, Request)
            # Scrapy goes on with one that was cancelled in its slot.
            if request not in self.fetching and not engine.is_in_slot(request):
                self.policy.turns.left(request, self.now())

    def begin_fetch(self, request: Request) -> None:
        """A robots.txt is about to be fetched. It takes no place of a page until `end_fetch`."""
        self.fetching.add(request)
        self.engine.make_room(len(self.fetching))

    def end_fetch(self, request: Request, *, is_redirected: bool) -> None:
        """The response of a fetch has come, or it was given up.

        Args:
            is_redirected: whether a redirect has led there. Else its entry has the time of the
                visit.

        """
        self.fetching.discard(request)
        self.engine.make_room(len(self.fetching))
        if request in self.policy.turns.under_way:
            self.release_gone()  # where it was no visit, its turn ends now
        elif is_redirected:
            self.visited(request)
        self.run()

    # Answers of pages.

    def _answers(self, request: Request) -> None:
        self.note_reachability(request, answers=True)

    def note_reachability(self, request: Request, *, answers: bool) -> None:
        """A page of a site was answered, or was not."""
        # Neither what a robots.txt is redirected to nor a spider's own request for one is a page.
        if not is_fetch(request) and not request.url.endswith(DOCUMENTS):
            self.policy.note_reachability(origin_of(request.url) or "", answers=answers)

    def answered(self, response: Response, request: Request) -> None:
        """A host may ask for a pause by its answer: RFC 6585 §4, RFC 9110 §10.2.3 and §15.6.4."""
        if response.status not in (429, 503):
            if self.policy.turns.pauses and response.status < 500:
                self.policy.answered(host_of(origin_of(request.url) or ""))
            return
        asked = retry_after(by_name(response.headers.items()), self.now())
        if is_fetch(request) or (response.status == 503 and asked is None):
            return
        host = host_of(origin_of(request.url) or "")
        seconds = self._pause(host, asked)
        if not seconds:
            return
        if self._shared_pauses is not None:
            start_task(self._shared_pauses.pause(host, seconds), self._tasks)
        assert self.crawler.stats is not None  # the crawl has begun
        self.crawler.stats.inc_value(PAUSED)
        self._log.info(
            "%(host)s answered %(status)d: it is left alone for %(seconds)g s",
            {"host": host, "status": response.status, "seconds": seconds},
        )

    def _pause(self, host: str, asked: float | None) -> float:
        """Leave a host alone. Gives the seconds; 0: it is left alone already."""
        seconds = self.policy.paused(host, asked, self.now())
        if seconds:
            for _, download in self.engine.take_queued(host, self.fetching):
                download.errback(NotYet())  # back to the scheduler: it would go in the pause
        self.run()
        return seconds

    def follow_pauses(self) -> None:
        """From now on, keep the pauses that other processes of the fleet are asked for."""
        if self.crawl.settings.longest_pause and self._shared_pauses is not None:
            start_task(self._follow(self._shared_pauses), self._tasks)

    async def _follow(self, shared: SharesPauses) -> None:
        while not self.policy.is_closed:
            await compat.sleep(FOLLOW_EVERY)
            for host, seconds in (await shared.pauses()).items():
                self._pause(host, seconds)

    # The end.

    def close(self) -> None:
        """The crawl begins to close: who waits is told so, no fetch begins, and all tasks end."""
        if self.policy.is_closed:
            return
        self.policy.close(self.now())
        self._readers.clear()
        for task in list(self._tasks):
            task.cancel()
        self.run()

    async def end(self) -> None:
        """The crawl has ended: give all turns back, store what came, close the store."""
        self.close()
        self.release_gone()  # while a crawl closes, nobody asks for those gone
        self.run()
        self._stop_timer()
        if self._puts:
            await maybe_deferred_to_future(DeferredList(list(self._puts)))
        await self.store.close()


class NotYet(IgnoreRequest):
    """The host of a request has asked for a pause before it was sent."""


class _Visits(FetchSlot):
    """The visits of one fetch: each waits for its turn, and for a place in the gate."""

    def __init__(self, driver: Driver, key: str, page: Request) -> None:
        self.driver, self.key, self.page = driver, key, page
        self.is_redirected = False

    def rest(self) -> None:
        self.driver.policy.rest(self.key, self.driver.now())
        self.driver.run()

    async def go_on(self, request: Request) -> None:
        policy, now = self.driver.policy, self.driver.now
        await self.driver.until(request, lambda: policy.resume(self.key, request, now()))

    async def begin(self, request: Request, hops: tuple[str, ...]) -> None:
        driver, origin = self.driver, origin_of(request.url)
        if origin is not None:  # else a hook has it read from a file
            is_elsewhere = origin != origin_of_key(self.key)
            slot = driver.engine.slot_key(request if is_elsewhere else self.page)
            config = driver.configs.of(self.page, origin)
            asked = Question(origin, (request.url,), config, slot)

            def visit() -> bool:
                return driver.policy.visit(self.key, request, asked, driver.now())

            await driver.until(request, visit)
            driver.policy.turns.sent(request, request, driver.now())
        self.is_redirected = bool(hops)
        driver.begin_fetch(request)

    def end(self, request: Request) -> None:
        self.driver.end_fetch(request, is_redirected=self.is_redirected)


def _nothing() -> None:
    """There is no timer."""
