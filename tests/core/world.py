"""Processes, sites, a store and a fleet without a clock: what drives the core is drawn at random.

Each process has a queue of lanes, a few places for downloads, and requests that come from
elsewhere. All that takes time in a crawl takes a random time here: the store, leases, fetches,
pages. Processes die, requests are cancelled, hosts ask for pauses, the crawl closes.

What must be true is checked on the way and at the end: see `World.faults`.
"""

from __future__ import annotations

import heapq
import random
from collections import defaultdict, deque
from dataclasses import dataclass, field
from itertools import count, pairwise

from scrapy_robots_policy.core.agenda import (
    Claim,
    Fetch,
    Free,
    Keep,
    Leave,
    Read,
    Recall,
    Release,
    Take,
)
from scrapy_robots_policy.core.events import Fetched
from scrapy_robots_policy.core.overrides import RequestConfig
from scrapy_robots_policy.core.policy import (
    Asking,
    CrawlClosing,
    Policy,
    PolicySettings,
    Question,
    Wait,
)
from scrapy_robots_policy.core.result import fetch_limit
from scrapy_robots_policy.rep import DIALECTS, Dialect, FetchResult
from scrapy_robots_policy.rep.access import AccessMode, AccessOverrides
from scrapy_robots_policy.rep.usage.preferences import DeclaredUse

START = 1_000_000.0
LEASE = 10.0  # seconds that what a dead process had stays taken
PLACES = 3  # of a process, for pages of its queue
MAX_STEPS = 20_000
HOSTS = "ab"
PATHS = ("yes", "no", "late")
LARGE = b"#" * 512_001  # more than RFC 9309 asks for


@dataclass(eq=False)
class Page:
    """One request."""

    number: int
    host: str
    path: str
    slot: str
    route: str
    agent: str
    dialect: Dialect
    goes_past_the_queue: bool
    outcome: str = ""


@dataclass
class Process:
    number: int
    policy: Policy
    lanes: dict[str, deque[Page]] = field(default_factory=lambda: defaultdict(deque))
    awake: dict[str, None] = field(default_factory=dict)
    active: set[Page] = field(default_factory=set)
    outside: set[Page] = field(default_factory=set)
    visitors: dict[object, tuple] = field(default_factory=dict)  # fetches that wait to visit
    is_dead: bool = False
    wakes: float = float("inf")


class World:
    """One history, drawn from a seed."""

    def __init__(self, seed: int) -> None:
        self.seed, self.draw = seed, random.Random(seed)
        self.now, self._events, self._numbers = START, [], count()
        self.faults: list[str] = []
        self.asks, self.steps = 0, 0
        self.is_closed = False
        draw = self.draw
        self.is_fleet = draw.random() < 0.4
        self.has_store = self.is_fleet or draw.random() < 0.5
        self.dialect = DIALECTS[draw.choice(["rfc9309", "rfc9309", "koster1996", "bing"])]
        self.delay = draw.choice([0, 2, 7, 30])
        self.lifetime = draw.choice([None, 0, 5, 60])
        self.is_large = draw.random() < 0.03
        self.shares_slot = draw.random() < 0.2
        self.use = DeclaredUse(frozenset({"train-ai"} if draw.random() < 0.2 else ()))
        self.is_up = dict.fromkeys(HOSTS, True)
        self.is_changed = dict.fromkeys(HOSTS, False)
        self.store: dict[str, object] = {}
        self.leases: dict[str, tuple[int, float]] = {}
        self.turns: dict[str, tuple[int, float]] = {}
        self.came: dict[Page, float] = {}
        self.visits: dict[str, list[list[float]]] = defaultdict(list)
        self.knew_delay: dict[str, float] = {}  # since when each host's delay is known to somebody
        self.processes = [self._process(n) for n in range(2 if self.is_fleet else 1)]
        self.pages = [self._page(n) for n in range(draw.choice([4, 12, 20]))]

    def _process(self, number: int) -> Process:
        settings = PolicySettings(
            access=AccessOverrides(self.lifetime),
            use=self.use,
            max_lookups=self.draw.choice([1, 2, 1000]),
            max_fetches=self.draw.choice([1, 100]),
            max_sockets=self.draw.choice([1, 4, 4000]),
            has_store=self.has_store,
            is_shared=self.is_fleet,
            route=lambda page: page.route,
        )
        return Process(number, Policy(settings))

    def _page(self, number: int) -> Page:
        draw = self.draw
        host = draw.choice(HOSTS)
        slot = "both" if self.shares_slot else draw.choice([host, host, host, "own"])
        past = draw.random() < 0.3
        route = draw.choice(["", "", "dead", "other"])
        is_other = self.is_large and draw.random() < 0.3
        dialect = DIALECTS["original1994"] if is_other else self.dialect
        return Page(number, host, draw.choice(PATHS), slot, route, "bot", dialect, past)

    # The run.

    def run(self) -> World:
        draw = self.draw
        for page in self.pages:
            process = draw.choice(self.processes)
            self.at(draw.choice([0, 0, 0, draw.uniform(0, 200)]), self._arrive, process, page)
        for host in HOSTS:
            if draw.random() < 0.4:
                self.is_up[host] = draw.random() < 0.5
                self.at(draw.uniform(0, 100), self.is_up.__setitem__, host, True)
            self.at(draw.uniform(0, 300), self.is_changed.__setitem__, host, True)
        if draw.random() < 0.2:
            self.at(draw.uniform(0, 60), self._close)
        if self.is_fleet and draw.random() < 0.3:
            self.at(draw.uniform(0, 40), self._die, self.processes[0])
        while self._events and self.steps < MAX_STEPS:
            time, _, what, arguments = heapq.heappop(self._events)
            self.now = max(self.now, time)
            self.steps += 1
            what(*arguments)
        self._check_the_end()
        return self

    def at(self, seconds: float, what, *arguments) -> None:
        heapq.heappush(self._events, (self.now + seconds, next(self._numbers), what, arguments))

    def fault(self, words: str) -> None:
        self.faults.append(f"{self.seed}: at {self.now - START:.2f}: {words}")

    # Requests.

    def _arrive(self, process: Process, page: Page) -> None:
        self.came[page] = self.now
        if process.is_dead:
            page.outcome = "dead"
        elif self.is_closed:
            page.outcome = "closed"
        elif page.goes_past_the_queue:
            process.outside.add(page)
            self._ask_outside(process, page)
        else:
            lane = f"{page.slot} {page.host} {page.route}"
            process.lanes[lane].append(page)
            process.awake[lane] = None
            self._pop(process)
        if self.draw.random() < 0.1:
            self.at(self.draw.uniform(0, 5), self._cancel, process, page)

    def _question(self, page: Page) -> Question:
        origin = f"http://{page.host}.test"
        config = RequestConfig(page.dialect, page.agent)
        forms = (f"{origin}/{page.path}",)
        return Question(origin, forms, config, page.slot)

    def _ask(self, process: Process, token: object, page: Page):
        self.asks += 1
        try:
            asking = Asking(token, page, self._question(page), not page.goes_past_the_queue)
            return process.policy.ask(asking, self.now)
        except CrawlClosing:
            return None

    def _ask_outside(self, process: Process, page: Page) -> None:
        if page not in process.outside or page.outcome:
            return
        answer = self._ask(process, page, page)
        if answer is None:
            process.policy.forget(page, self.now)
            process.outside.discard(page)
            page.outcome = "closed"
        elif not isinstance(answer, Wait):
            process.outside.discard(page)
            self._go(process, page, page, answer)
        self._act(process)

    def _pop(self, process: Process) -> None:
        """Give what is ready, as the scheduler's queue does."""
        while len(process.active) < PLACES and not process.is_dead and not self.is_closed:
            ready = None
            for lane in list(process.awake):
                if not process.lanes[lane]:
                    process.policy.forget(lane, self.now)
                    del process.awake[lane]
                    continue
                page = process.lanes[lane][0]
                answer = self._ask(process, lane, page)
                if isinstance(answer, Wait):
                    del process.awake[lane]
                    continue
                ready = lane, page, answer
                break
            if ready is None:
                break
            lane, page, answer = ready
            process.lanes[lane].popleft()
            del process.awake[lane]
            process.awake[lane] = None  # to the end of the line
            if answer is None:
                page.outcome = "closed"
                process.policy.forget(lane, self.now)
            else:
                process.active.add(page)
                self._go(process, lane, page, answer)
        self._act(process)

    def _go(self, process: Process, token: object, page: Page, answer) -> None:
        """The request goes, or is refused."""
        if page.outcome:
            self.fault(f"page {page.number} is decided a second time")
        if answer.refusal is not None:
            process.policy.forget(token, self.now)
            page.outcome = "refused"
            process.active.discard(page)
            self.at(0, self._pop, process)
            return
        self._check_rules(page, answer)
        process.policy.went(token, page, answer, self.now)
        page.outcome = "went"
        if self.draw.random() < 0.1:  # another middleware answers it, or keeps it
            self.at(self.draw.choice([0, 1, 100]), self._gone, process, page)
        else:
            self.at(self.draw.choice([0, 0.001]), self._reached, process, page)

    def _reached(self, process: Process, page: Page) -> None:
        if process.is_dead:
            return
        process.policy.turns.reached(page, page.slot, f"{page.host}.test")
        self._begin_visit(page.host, page)
        self._act(process)
        self.at(self.draw.uniform(0, 3), self._visited, process, page)

    def _visited(self, process: Process, page: Page) -> None:
        self._end_visit(page.host, page)
        if process.is_dead:
            return
        if self.draw.random() < 0.05:
            seconds = self.draw.choice([None, 20.0])
            process.policy.paused(f"{page.host}.test", seconds, self.now)
        else:
            process.policy.answered(f"{page.host}.test")
        process.policy.turns.visited(page, f"{page.host}.test", self.now)
        self._leave_place(process, page)

    def _gone(self, process: Process, page: Page) -> None:
        if not process.is_dead:
            process.policy.turns.left(page, self.now)
            self._leave_place(process, page)

    def _leave_place(self, process: Process, page: Page) -> None:
        process.active.discard(page)
        self._act(process)
        self._pop(process)

    def _cancel(self, process: Process, page: Page) -> None:
        if page in process.outside and not page.outcome:
            process.outside.discard(page)
            process.policy.forget(page, self.now)
            page.outcome = "cancelled"
            self._act(process)

    # What the outside does.

    def _act(self, process: Process) -> None:
        if process.is_dead:
            return
        agenda = process.policy.agenda
        for action in agenda.actions():
            self._do(process, action)
        if agenda.wake_at < process.wakes:
            process.wakes = agenda.wake_at
            self.at(max(agenda.wake_at - self.now, 0.0), self._ring, process)

    def _do(self, process: Process, action) -> None:
        later, kind = self.draw.uniform(0, 1), type(action)
        if kind in (Recall, Claim):
            what = self._recalled if kind is Recall else self._claimed
            self.at(later, what, process, action.key)
        elif kind is Fetch:
            self._fetch(process, action)
        elif kind is Keep:
            self.store[action.key] = action.entry
        elif kind in (Read, Take):
            what = self._read if kind is Read else self._taken
            self.at(0 if kind is Read else later, what, process, action)
        elif kind is Leave and self.turns.get(action.host, (None, 0))[0] == process.number:
            rest = self.delay if action.visited else 0
            self.turns[action.host] = (-1, self.now + rest)
        elif kind is Free:
            for token in action.tokens:
                self._free(process, token)
        if kind is Release or (kind is Keep and action.releases):
            self._release(process, action.key)

    def _free(self, process: Process, token: object) -> None:
        if isinstance(token, str):
            process.awake[token] = None
            self.at(0, self._pop, process)
        elif token in process.visitors:
            self.at(0, self._visit, process, token)
        elif token in process.outside:
            self.at(0, self._ask_outside, process, token)

    def _ring(self, process: Process) -> None:
        process.wakes = float("inf")
        if not process.is_dead:
            process.policy.agenda.ring(self.now)
            self._act(process)

    def _recalled(self, process: Process, key: str) -> None:
        if not process.is_dead:
            process.policy.recalled(key, self.store.get(key), self.now)
            self._act(process)

    def _claimed(self, process: Process, key: str) -> None:
        if process.is_dead:
            return
        owner, since = self.leases.get(key, (process.number, self.now))
        if self.processes[owner].is_dead and self.now - since > LEASE:
            owner, since = process.number, self.now
        granted = owner == process.number
        if granted:
            self.leases[key] = process.number, self.now
        process.policy.claimed(key, self.store.get(key), self.now, granted=granted)
        self._act(process)

    def _release(self, process: Process, key: str) -> None:
        if self.leases.get(key, (None, 0))[0] == process.number:
            del self.leases[key]

    def _taken(self, process: Process, action: Take) -> None:
        if process.is_dead:
            return
        owner, free_at = self.turns.get(action.host, (-1, 0.0))
        if owner >= 0 and self.processes[owner].is_dead:
            owner, free_at = -1, self.now + LEASE + self.delay
            self.turns[action.host] = owner, free_at
        wait = max(free_at - self.now, 0.0) if owner in (-1, process.number) else action.delay
        if not wait:
            self.turns[action.host] = process.number, 0.0
        process.policy.turns.taken(action.host, wait, self.now)
        self._act(process)

    def _read(self, process: Process, action: Read) -> None:
        if not process.is_dead:
            process.policy.read(*action, self.now)
            self._act(process)

    def _fetch(self, process: Process, action: Fetch) -> None:
        token = object()
        process.visitors[token] = action, action.page
        self.at(0, self._visit, process, token)

    def _visit(self, process: Process, token: object) -> None:
        if process.is_dead or token not in process.visitors:
            return
        action, page = process.visitors[token]
        host = action.key[7]
        asked = self._question(page)._replace(origin=f"http://{host}.test")
        try:
            may_go = process.policy.visit(action.key, token, asked, self.now)
        except CrawlClosing:
            del process.visitors[token]
            return
        if may_go:
            del process.visitors[token]
            process.policy.turns.sent(token, token, self.now)
            process.policy.turns.reached(token, page.slot, f"{host}.test")
            self._begin_visit(host, token)
            self.at(self.draw.uniform(0, 5), self._came, process, action, token, page)
        self._act(process)

    def _came(self, process: Process, action: Fetch, token: object, page: Page) -> None:
        host = action.key[7]
        self._end_visit(host, token)
        if process.is_dead:
            return
        policy = process.policy
        policy.turns.visited(token, f"{host}.test", self.now)
        if page.route == "dead":
            result = FetchResult(None, cause="proxy")
        elif not self.is_up[host]:
            result = FetchResult(503)
        elif action.key.endswith(".json"):
            result = FetchResult(200, b"[]", media_type="application/json")
        else:
            is_cut = self.is_large and fetch_limit(action.dialect) < len(LARGE)
            result = FetchResult(200, self.file(host), is_cut=is_cut)
        if self.draw.random() < 0.02:
            policy.failed(action.key, RuntimeError("a fault"), self.now)
        else:
            if result.status == 200 and result.body != b"[]":
                self.knew_delay.setdefault(host, self.now)
            policy.fetched(action.key, Fetched(action.key, result), self.now)
        self._act(process)

    def file(self, host: str) -> bytes:
        late = b"Disallow: /late\n" if self.is_changed[host] else b""
        delay = b"Crawl-delay: %d\n" % self.delay if self.delay else b""
        large = LARGE if self.is_large else b""
        return b"User-agent: *\nDisallow: /no\n%b%b%b" % (late, delay, large)

    def _close(self) -> None:
        self.is_closed = True
        for process in self.processes:
            if not process.is_dead:
                process.policy.close(self.now)
                self._act(process)

    def _die(self, process: Process) -> None:
        process.is_dead = True
        for page in (*process.outside, *(page for lane in process.lanes.values() for page in lane)):
            page.outcome = page.outcome or "dead"

    # What must be true.

    def _begin_visit(self, host: str, token: object) -> None:
        self.visits[host].append([self.now, float("inf"), token])

    def _end_visit(self, host: str, token: object) -> None:
        for visit in self.visits[host]:
            if visit[2] is token:
                visit[1] = self.now

    def _check_rules(self, page: Page, answer) -> None:
        came = self.came[page]
        if page.path == "no" and answer.rules.mode is AccessMode.RULES:
            self.fault(f"page {page.number} goes against the rules")
        if answer.rules.mode is AccessMode.DISALLOW:
            self.fault(f"page {page.number} goes though the site is closed")
        entry = answer.rules.access.entry
        lifetime = page.dialect.access.lifetime if self.lifetime is None else self.lifetime
        is_for_it = entry.asked_at >= came  # fetched while it waited
        is_usable = is_for_it or self.now - entry.asked_at <= max(2 * lifetime, 1) + 0.001
        if entry.failing_since is None and not is_usable:
            self.fault(f"page {page.number} goes by rules of {self.now - entry.asked_at:.0f} s ago")

    def _check_the_end(self) -> None:
        if self.steps >= MAX_STEPS:
            self.fault(f"a livelock: {self.asks} questions")
        for page in self.pages:
            waits_in_queue = self.is_closed and not page.goes_past_the_queue
            if not page.outcome and not waits_in_queue:
                self.fault(f"page {page.number} of {page.host} is lost")
        if self.asks > 150 * len(self.pages):
            self.fault(f"{self.asks} questions for {len(self.pages)} pages")
        is_paced = self.delay and not self.is_large and self.dialect.crawl_delay.value != "ignored"
        for host in HOSTS if is_paced and self.lifetime is None else ():
            self._check_pace(host)

    def _check_pace(self, host: str) -> None:
        """All visits that begin when each process knows the delay."""
        known = self.knew_delay.get(host, float("inf"))
        visits = sorted(self.visits[host], key=lambda visit: visit[0])
        for earlier, later in pairwise(visits):
            gap = later[0] - earlier[1]
            if earlier[0] >= known + 30 and gap < self.delay - 0.001:
                self.fault(f"{host} is visited {gap:.2f} s after the last visit")
