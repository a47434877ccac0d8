"""When a request may go: what is known of each site, who looks it up, who waits. Pure.

The caller asks about a request (`ask`) and is told: it goes, by these rules; it is refused, by this
verdict; or it waits, and is told when to ask again. Each question is one step over the newest
state. So no answer is stale, whatever has happened since the last one: rules were fetched or have
grown too old, a permission has ended, the request was cancelled, the crawl closes.

What the outside has to do stands in the agenda, and what came of it is told by a method here. There
is no clock, no I/O and no event loop; a token stands for whoever asks.

**A site** is looked up by one lookup at a time. The words are those of RFC 9111: an answer is fresh
for a time; when it is stale it is used once more while it is validated; when it is too old even for
that, requests wait. A tdmrep.json is looked up in the same way: it is another document of the
origin.

| a lookup is in | event                                    | next    | who asks again   |
| -------------- | ---------------------------------------- | ------- | ---------------- |
| -              | somebody needs the rules, nothing is known | recall  |                  |
| -              | somebody needs the rules                 | gate    |                  |
| recall         | `recalled`, new enough                   | -       | who waits for it |
| recall         | `recalled`, nothing, or a stale entry    | gate    | who waits for it |
| gate           | there is room                            | claim   |                  |
| claim          | `claimed`: somebody has fetched it       | -       | who waits for it |
| claim          | `claimed`: the lease is ours; no fleet   | fetch   |                  |
| claim          | `claimed`: another process fetches       | sleep   |                  |
| sleep          | its time comes                           | gate    |                  |
| fetch          | `fetched`: nothing came, others wait who go another way | fetch | |
| fetch          | `fetched`: a failure, in a fleet         | confirm |                  |
| fetch          | `fetched`                                | -       | who waits for it |
| confirm        | `claimed`: the newest entry of the fleet | -       | who waits for it |
| any            | `failed`                                 | -       | who waits for it |

A fetch visits its host as a page does. Where the host asks for a delay, it waits for its turn,
before all pages (`visit`). It may wait for hours and uses no socket, so it leaves the gate
meanwhile, and takes no room of `max_lookups`.

**A token waits** for rules at a site (it has a `Seat` there) or for a turn (`turns`), never for
both. If rules expire faster than it gets its turn, it would fetch them again and again. So rules
that were fetched while it waited count, even when they have expired, until some seconds after it
was told that it may go.

**Bounds.** Sites have one in number and one in bytes (`site`). What waits in a queue begins no more
than `max_lookups` lookups at a time; what comes from elsewhere holds a place of the caller's.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import partial
from math import inf
from typing import Any, NamedTuple, TypeAlias

from ..rep import AccessMode, CacheEntry, Dialect, FetchResult, Origin, Verdict, origin_of, tdmrep
from ..rep.access import AccessOverrides, holds, is_fresh, remember
from ..rep.documents import TDMREP, document_of, key_of, url_of
from ..rep.url import path_of
from ..rep.usage.preferences import NO_USE, TDM_RESERVATION, DeclaredUse
from .agenda import Agenda, Claim, Fetch, Keep, Read, Recall, Release, Tell, Token
from .codec import EntryError
from .decision import delay_of, objection
from .events import Fetched, LookedUp, Source, StoreFailed
from .gate import Gate
from .memory import MemoryStore
from .overrides import RequestConfig
from .site import OriginRules, Site, Sites, rules_given
from .turns import Asker, Turns, host_of

LARGE = 64 * 1024  # bytes of a file that takes some ten milliseconds to parse, and to lay out
MIN_LIFE = 1.0  # seconds in which no site is asked twice, whatever lifetime its answer has
PATIENCE = 600.0  # seconds after a site has begun to defer: then nothing waits for it
LAST_CALL = 10.0  # seconds in which who may go has to go, if its rules have expired
MAX_SKEW = 60.0  # seconds that a store's entry may be ahead of this machine's clock
MOST_TRIED = 200  # rules that are compared for a question that begins nothing: 50 microseconds
MAX_ROUTES = 3  # requests whose proxies or headers differ that are tried until one gets an answer

# Seconds to wait while another process fetches: the first look, the longest pause, and in all.
FIRST_LOOK, LONGEST_SLEEP = 0.05, 2.0
LEASE_PATIENCE = 300.0


class CrawlClosing(Exception):  # noqa: N818 - no error: the crawl ends
    """The crawl is closing: no request goes any more."""


class Wait(Enum):
    """What a request waits for. Its token is told when to ask again."""

    RULES = "its robots.txt"
    TURN = "its turn"


class Question(NamedTuple):
    """One request, as the policy sees it.

    Attributes:
        origin: of its URL.
        forms: its URLs to judge, its own first (`core.decision.forms_of`).
        config: what the user chose for it.
        slot: where delays are kept, where several hosts share one.

    """

    origin: Origin
    forms: tuple[str, ...]
    config: RequestConfig
    slot: str


class Asking(NamedTuple):
    """Somebody asks about a request.

    Attributes:
        token: whoever is told to ask again.
        page: the request itself: a fetch takes its proxy and headers, events name it.
        is_queued: whether it waits in a queue, where it costs nothing.

    """

    token: Token
    page: Any
    asked: Question
    is_queued: bool = False


class Judged(NamedTuple):
    """What was decided about a request, and by which rules. `refusal`: None: it may go."""

    asked: Question
    rules: OriginRules
    refusal: Verdict | None


Answer: TypeAlias = Judged | Wait
"""The request goes, or is refused; or it waits."""


class Waited(NamedTuple):
    """For how long a request has waited for its robots.txt and for its turn, in seconds."""

    rules: float = 0.0
    turn: float = 0.0


NOT_WAITED = Waited()


def _one_route(_page: Any) -> Hashable:
    return None


@dataclass(frozen=True, slots=True)
class PolicySettings:
    """What the user chose for all requests.

    Attributes:
        access: limits on every dialect's access policy.
        use: what is done with pages.
        dry_run: whether what is forbidden passes all the same.
        longest_delay, longest_pause: seconds.
        max_lookups: how many lookups requests of a queue may begin at a time.
        max_fetches, max_sockets: as of the `Gate`.
        has_store: whether there is a store beyond this process.
        is_shared: whether other processes share it, and one pace.
        route: what a fetch takes from a page; fetches by the same route fail alike.

    """

    access: AccessOverrides = field(default_factory=AccessOverrides)
    use: DeclaredUse = NO_USE
    dry_run: bool = False
    longest_delay: float = 300.0
    longest_pause: float = 300.0
    max_lookups: int = 1000
    max_fetches: int = 100
    max_sockets: int = 4000
    has_store: bool = False
    is_shared: bool = False
    route: Callable[[Any], Hashable] = _one_route


class Step(Enum):
    """Where a lookup is."""

    RECALL = "recall"
    GATE = "gate"
    CLAIM = "claim"
    SLEEP = "sleep"
    FETCH = "fetch"
    CONFIRM = "confirm"


@dataclass(slots=True, eq=False)
class Lookup:
    """The lookup of one document.

    Attributes:
        asking: for whom it is fetched.
        route: that of the page as it came; None: the page waits, and has it still.
        began, slept: when it began; when it first wanted the lease.
        is_in_gate: whether it has a place in the gate.
        visitor: the request that waits to visit its host.
        fetched: what came, while a failure is confirmed.

    """

    dialect: Dialect
    asking: Asking
    route: Hashable
    began: float
    step: Step = Step.RECALL
    is_in_gate: bool = False
    visitor: Token | None = None
    tried: set[Hashable] = field(default_factory=set)
    before: OriginRules | None = None
    fetched: Fetched | None = None


@dataclass(slots=True)
class Seat:
    """A token that waits at a site, or has waited and does not go yet.

    Attributes:
        came: when it began to wait; served: when it got its rules.
        deferred: the entry that has put it off, by when it was asked for.

    """

    asking: Asking
    came: float
    served: float | None = None
    deferred: float | None = None


class Policy:
    """Says of each request when it may go.

    Attributes:
        agenda: what is to be done.
        turns: whose turn it is at each host.

    """

    def __init__(self, settings: PolicySettings, packed: MemoryStore | None = None) -> None:
        """`packed`: keeps what is forgotten of the sites."""
        self.settings, self._packed = settings, packed or MemoryStore()
        self.agenda = Agenda()
        self.turns = Turns(self.agenda, is_shared=settings.is_shared)
        self.sites = Sites(settings.access, self._pack)
        self.gate: Gate[str] = Gate(settings.max_fetches, settings.max_sockets)
        self.is_closed = False
        self._asks_tdmrep = settings.use.may_be_refused_by(TDM_RESERVATION)
        self._seats: dict[Token, list[Site]] = {}  # where each has one
        self._held_since: dict[Token, float] = {}  # who waits for a turn
        self._room: dict[Token, None] = {}  # who waits to begin a lookup
        self._invited: set[Token] = set()  # who was told that there is room, and has not asked yet
        self._looking: set[str] = set()  # lookups that take room

    # Questions.

    def ask(self, asking: Asking, now: float, judged: Judged | None = None) -> Answer:
        """What becomes of a request. Raises CrawlClosing.

        Args:
            judged: what was decided about the same request before.

        """
        token, _, asked, _ = asking
        told = self.agenda.told.pop(token, now)
        if self.is_closed:
            raise CrawlClosing
        if now - told > LAST_CALL:
            self._begin_anew(token, now)
            told = now
        rules = self._rules(asking, now)
        if self._room or self._invited:
            self._invited.discard(token)  # it may have needed no room
            self._let_into_room(now)
        if rules is None:
            return Wait.RULES
        if judged is None or judged.rules is not rules or judged.asked.config != asked.config:
            judged = self._judge(asked, rules)
        if judged.refusal is not None and not self.settings.dry_run:
            self.turns.leave(token, now)
            return judged
        self._keep_delay(asked, rules, now)
        if self.turns:
            host = host_of(asked.origin)
            if not self.turns.ask(token, asked.slot, host, now):
                self._held_since.setdefault(token, now)
                return Wait.TURN
        if token in self._seats:
            self.agenda.told[token] = told  # it may go since then
        return judged

    def went(self, token: Token, request: Token, answer: Judged, now: float) -> Waited:
        """A request goes, or is refused, as the answer for `token` says. Gives for how long that
        has waited.
        """
        if answer.refusal is not None and not self.settings.dry_run:
            return self.forget(token, now)
        self.turns.sent(token, request, now)
        return self._waited(token, now)

    def forget(self, token: Token, now: float) -> Waited:
        """A token is refused, was cancelled, or is empty: it waits no more."""
        self.turns.leave(token, now)
        if self._room or self._invited:
            self._room.pop(token, None)
            self._invited.discard(token)
            self._let_into_room(now)
        return self._waited(token, now)

    def peek(self, asked: Question, now: float) -> Judged | None:
        """What fresh rules decide about a request; None: none are known, or they take long to
        compare. Nothing begins.
        """
        rules = self._known(asked, now)
        if rules is None or rules.most_tried(asked.config.agent) > MOST_TRIED:
            return None
        return self._judge(asked, rules)

    def _judge(self, asked: Question, rules: OriginRules) -> Judged:
        refusal = objection(asked.forms, rules, asked.config.agent, self.settings.use)
        return Judged(asked, rules, refusal)

    def is_current(self, judged: Judged) -> bool:
        """Whether the rules that decided about a request are those that are known now."""
        if judged.asked.config.robots_txt is not None:
            return True
        site = self.sites.get(judged.rules.origin)
        entry = None if site is None else site.entry
        return entry is judged.rules.access.entry

    def latest(self, asked: Question, now: float) -> OriginRules | None:
        """All that is in memory, however old; None: nothing is. Nothing begins."""
        rules = self.latest_robots_txt(asked.origin, asked.config, now)
        if rules is None or not self._needs_tdmrep(asked, rules):
            return rules
        reserved = self._latest(key_of(asked.origin, TDMREP), tdmrep.DIALECT, now)
        return rules if reserved is None else rules.with_tdmrep(reserved)

    def latest_robots_txt(
        self, origin: Origin, config: RequestConfig, now: float
    ) -> OriginRules | None:
        """The rules of the robots.txt that is in memory, however old. Nothing begins."""
        return _given(origin, config) or self._latest(origin, config.dialect, now)

    @property
    def is_full(self) -> bool:
        """Whether as many lookups are under way as requests of a queue may begin."""
        return len(self._looking) >= self.settings.max_lookups

    def waiting(self) -> tuple[int, int, int]:
        """(tokens that wait for rules, documents they wait for, those of them that are put off)"""
        waits = {
            site: sum(seat.served is None for seat in site.seats.values())
            for sites in self._seats.values()
            for site in sites
        }
        waited_for = [site for site, tokens in waits.items() if tokens]
        return sum(waits.values()), len(waited_for), sum(not one.lookup for one in waited_for)

    # What has happened to requests.

    def rest(self, key: str, now: float) -> None:
        """The fetch of a document waits before its next try. It takes no place in the gate until it
        visits its host again.
        """
        site = self.sites.get(key)
        self._leave_gate(key, None if site is None else site.lookup, now)

    def resume(self, key: str, request: Token, now: float) -> bool:
        """Whether a fetch has a place in the gate again. False: its token is told when to ask."""
        look: Lookup | None = self.sites.open(key).lookup
        if look is None or look.is_in_gate:
            return True
        if look.visitor is None:
            look.visitor = request
            self._enter_gate(key, look, now)
        return look.is_in_gate

    def visit(self, key: str, request: Token, asked: Question, now: float) -> bool:
        """Whether a request of the fetch of a document may be sent to its host. False: its token is
        told when to ask again.

        Args:
            asked: about that request, for the page for which the document is fetched.

        """
        self.agenda.told.pop(request, None)
        if self.is_closed:
            raise CrawlClosing
        self._keep_old_delay(asked, now)
        look = self.sites.open(key).lookup
        host = host_of(asked.origin)
        if not self.turns.ask(request, asked.slot, host, now, first=True):
            self._looking.discard(key)
            self._leave_gate(key, look, now)
            self._let_into_room(now)
            return False
        return self.resume(key, request, now)

    def paused(self, host: str, seconds: float | None, now: float) -> float:
        """A host wants to be left alone. Gives the seconds; 0: it is left alone already."""
        longest = self.settings.longest_pause
        return self.turns.pause(host, seconds, longest, now) if longest else 0.0

    def answered(self, host: str) -> None:
        """A page of a host has come: the next pause without a time is a short one again."""
        if self.turns.pauses and (pause := self.turns.pauses.get(host)):
            pause.count = 0

    def note_reachability(self, origin: str, *, answers: bool) -> None:
        """A page of a site was answered, or was not.

        Google allows a robots.txt that was unreachable for 30 days only if other pages are there.
        An answer counts until the next one, however old it is: while it lets requests pass, each of
        them is a new one. If it were forgotten with time, no request would pass to show it anew.
        """
        site = self._site(origin)
        if site is not None:
            site.is_reachable = answers

    def close(self, now: float) -> None:
        """The crawl closes. Who waits asks again, and is told so."""
        self.is_closed = True
        self.gate.close()
        visitors = (site.lookup.visitor for site in self.sites if site.lookup)
        waiting = {*self._seats, *self._room, *self.turns.tokens, *visitors} - {None}
        self.agenda.free(waiting, now)

    # What has become of the actions.

    def recalled(self, key: str, entry: CacheEntry | None, now: float) -> None:
        """The store's answer."""
        site, look = self._at(key, Step.RECALL)
        if site is None or look is None:
            return
        source = Source.CACHE if site.from_redirect else Source.STORE
        if self._adopt(site, entry, now):
            source = Source.STORE
        site.from_redirect = False
        rules = site.rules(look.dialect, now)
        if rules is not None:
            self._tell(look, rules, source, now)
            if self._is_new_enough(rules, now):
                self._end(site, now)
                return
            look.route = self.settings.route(look.asking.page)
            self.agenda.free(site.seats, now)  # stale rules may be usable
        self._enter_gate(key, look, now)

    def claimed(self, key: str, entry: CacheEntry | None, now: float, *, granted: bool) -> None:
        """The fleet's answer: whether the lease is ours, and the newest entry."""
        site, look = self._at(key, Step.CLAIM, Step.CONFIRM)
        if site is None or look is None:
            return
        before = site.rules(look.dialect, now)
        is_newer = self._adopt(site, entry, now)
        if look.step is Step.CONFIRM:
            self._remember(site, look, now)
            return
        rules = site.rules(look.dialect, now) if is_newer else None
        if rules is not None and self._is_new_enough(rules, now):
            self.agenda.add(Release(key))
            self._tell(look, rules, Source.FLEET, now, before)
            self._end(site, now)
        elif granted or now - look.began > LEASE_PATIENCE:
            look.step, look.before = Step.FETCH, site.rules(look.dialect, now)
            self._fetch(site, look)
        else:
            look.step = Step.SLEEP
            self._leave_gate(key, look, now)
            sleep = min(max((now - look.began) / 4, FIRST_LOOK), LONGEST_SLEEP)
            self.agenda.at(now + sleep, partial(self._end_sleep, site, look))

    def fetched(self, key: str, fetched: Fetched, now: float) -> None:
        """What came of a fetch.

        Where nothing came back, it is tried for others with another proxy or header. One request's
        dead proxy says nothing about the site that others reach without it. In a crawl that rotates
        its proxies, of which one in five is dead, a fifth of the sites would be closed; with three
        tries it is one in 125.
        """
        site, look = self._at(key, Step.FETCH)
        if site is None or look is None:
            return
        if look.fetched is not None:
            fetched = fetched._replace(exchanges=(*look.fetched.exchanges, *fetched.exchanges))
        look.fetched = fetched
        if fetched.result.status is None and not self.is_closed:
            route = self.settings.route
            look.tried.add(route(look.asking.page) if look.route is None else look.route)
            look.route = None
            seats = (seat.asking for seat in site.seats.values() if seat.served is None)
            others = [one for one in seats if route(one.page) not in look.tried]
            if others and len(look.tried) < MAX_ROUTES:
                look.asking = others[0]
                self._fetch(site, look)
                return
        self.agenda.add(Tell(fetched))
        if site.entry is None and fetched.copy is not None:
            site.entry = fetched.copy
            rules = site.rules(look.dialect, now)
            if rules is not None and self._is_new_enough(rules, now):
                self.agenda.add(Release(key))
                self._tell(look, rules, Source.STORE, now)
                self._end(site, now)
                return
        if self.settings.is_shared and site.remember(fetched.result, now).failures:
            # Another process may have stored a newer entry meanwhile: ours is a failure after that.
            look.step = Step.CONFIRM
            self.agenda.add(Claim(key))
        else:
            self._remember(site, look, now)

    def failed(self, key: str, error: BaseException, now: float) -> None:
        """A lookup has failed by a fault. It closes the site as a network error does, and never
        opens one.
        """
        site = self.sites.get(key)
        if site is None or site.lookup is None:
            return
        result = FetchResult(None, cause=f"{type(error).__name__} while fetching")
        site.entry = site.remember(result, now)
        self.agenda.add(Release(key))
        self.agenda.add(Tell(Fetched(key, result, error, is_fault=True)))
        self._end(site, now)

    def read(self, key: str, dialect: Dialect, url: str, agent: str, now: float) -> None:
        """Unpack, parse and lay out a large file. It has a turn of the event loop for itself, else
        many pages that are refused one after the other stop all else for seconds.
        """
        site = self.sites.open(key)
        if site.entry is None:
            site.entry = self._packed.recall(key)
            self.sites.weigh(site)
        rules = site.rules(dialect, now)
        if rules is not None:
            rules.objection(url, agent)
        site.unread.discard(dialect)
        self.agenda.free(site.seats, now)

    # The rules.

    def _rules(self, asking: Asking, now: float) -> OriginRules | None:
        """All that decides about a request, where it is known and not too old."""
        asked = asking.asked
        rules = _given(asked.origin, asked.config)
        if rules is None:
            rules = self._of(asked.origin, asked.config.dialect, asking, now)
        if rules is None or not self._asks_tdmrep or not self._needs_tdmrep(asked, rules):
            return rules
        reserved = self._of(key_of(asked.origin, TDMREP), tdmrep.DIALECT, asking, now)
        return None if reserved is None else rules.with_tdmrep(reserved)

    def _known(self, asked: Question, now: float) -> OriginRules | None:
        """The same by fresh rules alone; nothing begins."""
        rules = _given(asked.origin, asked.config)
        if rules is None:
            rules = self._fresh(asked.origin, asked.config.dialect, now)
        if rules is None or not self._asks_tdmrep or not self._needs_tdmrep(asked, rules):
            return rules
        reserved = self._fresh(key_of(asked.origin, TDMREP), tdmrep.DIALECT, now)
        return None if reserved is None else rules.with_tdmrep(reserved)

    def _fresh(self, key: str, dialect: Dialect, now: float) -> OriginRules | None:
        if self._is_unread(key, dialect):
            return None
        site = self._site(key)
        if site is None or site.from_redirect:
            return None
        rules = site.rules(dialect, now)
        is_known = rules is not None and rules.mode is not AccessMode.DEFER
        return rules if is_known and rules and now < rules.access.fresh_until else None

    def _of(self, key: str, dialect: Dialect, asking: Asking, now: float) -> OriginRules | None:
        """The rules of a document that may decide now; what is stale is validated. None: the token
        has a seat at its site, and is told when to ask again.
        """
        token = asking.token
        if self._is_unread(key, dialect):
            self.turns.leave(token, now)
            self._read_later(key, dialect, asking, now)
            return None
        site = self._site(key)
        rules = None if site is None or site.from_redirect else site.rules(dialect, now)
        if site is not None and rules is not None and rules.mode is not AccessMode.DEFER:
            if now < rules.access.fresh_until or now - rules.access.entry.asked_at < MIN_LIFE:
                return self._served(site, token, rules, now)
            if holds(rules.access, now):
                if site.lookup is None:
                    # Middlewares add headers and a proxy to the page, as it goes.
                    self._begin(site, dialect, asking, now, self.settings.route(asking.page))
                return self._served(site, token, rules, now)
        site = site or self.sites.open(key)
        seat = self._seat(site, asking, now)
        if rules is not None and rules.mode is AccessMode.DEFER:
            # Not only since it came: of many pages each would wait so long, one by one.
            entry, until = rules.access.entry, rules.access.fresh_until
            ends = PATIENCE + min(seat.came, entry.failing_since or seat.came)
            if until > max(ends, now):
                return self._served(site, token, rules, now)
            seat.deferred = entry.asked_at
            if now < until:
                self.turns.leave(token, now)
                self._put_off(site, until)
                return None
        elif rules is not None and seat.came <= rules.access.entry.asked_at != seat.deferred:
            return self._served(site, token, rules, now)  # fetched for it, however short its life
        seat.served = None
        if site.lookup is not None or not asking.is_queued:
            self.turns.leave(token, now)  # the robots.txt takes the turn that it may have had
        if site.lookup is None and (not asking.is_queued or self._may_visit(asking, now)):
            self._begin_if_room(site, dialect, asking, now)
        return None

    def _may_visit(self, asking: Asking, now: float) -> bool:
        """Whether the host of a robots.txt may be visited now. Else who waits in a queue stands in
        line for it there: its fetch would wait in memory.
        """
        token, _, asked, _ = asking
        host = host_of(asked.origin)
        may_go = not self.turns or self.turns.ask(token, asked.slot, host, now, first=True)
        if may_go:
            self.turns.leave(token, now)  # the fetch asks for the turn again, before all pages
        return may_go

    def _begin_anew(self, token: Token, now: float) -> None:
        """A token might have gone, and has not asked for some time: its wait begins now."""
        for site in self._seats.get(token, ()):
            site.seats[token].came = now

    def _served(self, site: Site, token: Token, rules: OriginRules, now: float) -> OriginRules:
        if token in self._seats and (seat := site.seats.get(token)) is not None:
            seat.served = now if seat.served is None else seat.served
        return rules

    def _seat(self, site: Site, asking: Asking, now: float) -> Seat:
        token = asking.token
        seat = site.seats.get(token)
        if seat is None:
            seat = site.seats[token] = Seat(asking, now)
            self._seats.setdefault(token, []).append(site)
        seat.asking = asking
        return seat

    def _waited(self, token: Token, now: float) -> Waited:
        """Take the seats of a token away."""
        self.agenda.told.pop(token, None)
        sites, since = self._seats.pop(token, None), self._held_since.pop(token, None)
        if sites is None and since is None:
            return NOT_WAITED
        seats = [site.seats.pop(token) for site in sites or ()]
        waits = [(now if one.served is None else one.served) - one.came for one in seats]
        return Waited(sum(waits), 0.0 if since is None else now - since)

    def _needs_tdmrep(self, asked: Question, rules: OriginRules) -> bool:
        """Whether the site's tdmrep.json may decide about a request that declares a purpose.

        Only robots.txt itself is free of its own rules: a tdmrep.json that it forbids is not
        requested, and reserves nothing.
        """
        config = asked.config
        if not self._asks_tdmrep or not config.obey:
            return False
        if objection(asked.forms, rules, config.agent, self.settings.use) is not None:
            return False
        return rules.allowed(url_of(key_of(asked.origin, TDMREP)), config.agent)

    # What is in memory.

    def _site(self, key: str) -> Site | None:
        """What is in memory of a site; unpacked, where it was packed."""
        site = self.sites.get(key)
        if site is None and (entry := self._packed.recall(key)):
            site = self.sites.open(key)
            site.entry = entry
            self.sites.weigh(site)
        return site

    def _latest(self, key: str, dialect: Dialect, now: float) -> OriginRules | None:
        site = self._site(key)
        return None if site is None else site.rules(dialect, now)

    def _pack(self, site: Site) -> None:
        if site.entry is not None:
            self._packed.keep(site.key, site.entry)

    def _is_unread(self, key: str, dialect: Dialect) -> bool:
        """Whether a file has to be unpacked or parsed first that takes a turn of the loop."""
        site = self.sites.get(key)
        if site is None or site.entry is None:
            return self._packed.file_size(key) > LARGE
        size = len(site.entry.body or b"")
        return size > LARGE and not site.has_read(dialect)

    def _read_later(self, key: str, dialect: Dialect, asking: Asking, now: float) -> None:
        site = self.sites.open(key)
        self._seat(site, asking, now)
        if dialect not in site.unread:
            site.unread.add(dialect)
            asked = asking.asked
            self.agenda.add(Read(key, dialect, asked.forms[0], asked.config.agent))

    # The lookup.

    def _put_off(self, site: Site, until: float) -> None:
        """Have who waits for a site ask again at an instant, if they have not to before.

        Meanwhile no lookup is under way: a request whose dialect does not defer may begin one.
        """
        if site.lookup is None and (site.wakes_at is None or until < site.wakes_at):
            site.wakes_at = until
            self.agenda.at(until, partial(self._end_defer, site, until))

    def _end_defer(self, site: Site, until: float, now: float) -> None:
        if site.wakes_at == until:  # no lookup has begun, and no shorter time was set
            site.wakes_at = None
            self.agenda.free(site.seats, now)

    def _begin_if_room(self, site: Site, dialect: Dialect, asking: Asking, now: float) -> None:
        if asking.is_queued and self.is_full:
            self._room[asking.token] = None
            return
        self._looking.add(site.key)
        self._begin(site, dialect, asking, now, None)

    def _let_into_room(self, now: float) -> None:
        """Have as many ask again as may begin a lookup."""
        while self._room and len(self._looking) + len(self._invited) < self.settings.max_lookups:
            token = next(iter(self._room))
            del self._room[token]
            self._invited.add(token)
            self.agenda.free((token,), now)

    def _begin(
        self, site: Site, dialect: Dialect, asking: Asking, now: float, route: Hashable
    ) -> None:
        if self.is_closed:
            return
        site.wakes_at = None
        look = site.lookup = Lookup(dialect, asking, route, now)
        if not (site.entry is None or site.from_redirect):
            self._enter_gate(site.key, look, now)
        elif self.settings.has_store:
            self.agenda.add(Recall(site.key))
        else:
            self.recalled(site.key, None, now)

    def _enter_gate(self, key: str, look: Lookup, now: float) -> None:
        if look.step is not Step.FETCH:
            look.step = Step.GATE
        entry = self.sites.open(key).entry
        self.gate.enter(key, has_failed=entry is not None and entry.failing_since is not None)
        self._let_in(now)

    def _leave_gate(self, key: str, look: Lookup | None, now: float) -> None:
        if look is not None and look.is_in_gate:
            look.is_in_gate = False
            self.gate.leave(key)
            self._let_in(now)

    def _let_in(self, now: float) -> None:
        """Let lookups through the gate while there is room, and look again when there may be."""
        for key in self.gate.let_in(now):
            look = self.sites.open(key).lookup
            if look is None:
                self.gate.leave(key)
                continue
            look.is_in_gate = True
            if look.step is Step.FETCH:
                visitor, look.visitor = look.visitor, None
                self.agenda.free((visitor,), now)
                continue
            look.step = Step.CLAIM
            if self.settings.is_shared:
                self.agenda.add(Claim(key))
            else:
                self.claimed(key, None, now, granted=True)
        self.agenda.at(self.gate.wake_at(), self._let_in)

    def _end_sleep(self, site: Site, look: Lookup, now: float) -> None:
        if site.lookup is look and not self.is_closed:
            self._enter_gate(site.key, look, now)

    def _fetch(self, site: Site, look: Lookup) -> None:
        in_haste = self.gate.is_short_of_sockets()
        self.agenda.add(Fetch(site.key, site.entry, look.dialect, look.asking.page, in_haste))

    def _remember(self, site: Site, look: Lookup, now: float) -> None:
        """Keep what came of a fetch, here, in the store, and for the origin of its redirects."""
        assert look.fetched is not None
        result = look.fetched.result
        site.entry = site.remember(result, now)
        if self.settings.has_store:
            self.agenda.add(Keep(site.key, site.entry, releases=True))
        self._share_target(site.key, result, now)
        rules = site.rules(look.dialect, now)
        assert rules is not None  # there is an entry
        self._tell(look, rules, Source.SITE, now, look.before, look.fetched)
        self._end(site, now)

    def _share_target(self, key: str, result: FetchResult, now: float) -> None:
        """Keep what was found at the end of redirects for its own origin too.

        Only where the last URL is the place of that origin's own document of the same kind.
        """
        if result.status not in range(200, 300) or not result.hops:
            return
        origin, document = origin_of(result.hops[-1]), document_of(key)
        if origin is None or path_of(result.hops[-1]) != document:
            return
        target = key_of(origin, document)
        entry = remember(None, replace(result, hops=()), now)
        if self.settings.has_store:
            self.agenda.add(Keep(target, entry, releases=False))
        site = self._site(target) or self.sites.open(target)
        if site.entry is None and site.lookup is None:
            site.entry, site.from_redirect = entry, True
            self.sites.weigh(site)

    def _tell(
        self,
        look: Lookup,
        rules: OriginRules,
        source: Source,
        now: float,
        before: OriginRules | None = None,
        fetched: Fetched | None = None,
    ) -> None:
        """There is news of a site. From now on the delay that its rules ask for is kept.

        A page that older rules let pass may still be on its way. It counts as a visit: the next
        page waits until that visit and the delay after it are over.
        """
        _, page, asked, _ = look.asking
        exchanges, config = fetched.exchanges if fetched else (), asked.config
        event = LookedUp(rules, before, source, page, config, now, exchanges)
        self.agenda.add(Tell(event))
        if document_of(rules.origin) != TDMREP:
            self._keep_delay(asked, rules, now)

    def _end(self, site: Site, now: float) -> None:
        """A lookup has ended: who waits asks again."""
        look, site.lookup, site.wakes_at = site.lookup, None, None
        if look is not None and look.visitor is not None:
            self.gate.withdraw(site.key)
        self._leave_gate(site.key, look, now)
        self._looking.discard(site.key)
        self.sites.weigh(site)
        self.agenda.free(site.seats, now)
        self._let_into_room(now)

    def _at(self, key: str, *steps: Step) -> tuple[Site | None, Lookup | None]:
        """A site and its lookup, if that is at one of these steps: it may have failed meanwhile."""
        site = self.sites.get(key)
        look = None if site is None else site.lookup
        return (site, look) if look is not None and look.step in steps else (None, None)

    def _is_new_enough(self, rules: OriginRules, now: float) -> bool:
        """Whether what came from elsewhere than the site is not to be fetched yet."""
        return is_fresh(rules.access, now) or now - rules.access.entry.asked_at < MIN_LIFE

    def _adopt(self, site: Site, entry: CacheEntry | None, now: float) -> bool:
        """Use an entry of a store if it is newer than ours. One of the future is not used."""
        if entry is None:
            return False
        ahead = entry.asked_at - now
        if ahead > MAX_SKEW:
            msg = f"an entry that is {ahead:.0f} s ahead of this machine's clock"
            self.agenda.add(Tell(StoreFailed("use", EntryError(msg))))
            return False
        if site.entry is not None and entry.asked_at <= site.entry.asked_at:
            return False
        site.entry = entry
        return True

    # Delays.

    def _keep_delay(self, asked: Question, rules: OriginRules, now: float) -> None:
        """From now on keep the delay that rules ask for."""
        delay = delay_of(rules, asked.config, self.settings.longest_delay).seconds
        if delay or self.turns.by_slot:
            self._keep(asked, rules.origin, delay, rules.access.entry.asked_at, now)

    def _keep_old_delay(self, asked: Question, now: float) -> None:
        """Keep the delay that an old copy, or the user, asks for at the host of a fetch.

        No page of this process may have taken a turn so far; but other processes of the fleet
        visit the host, too.
        """
        rules = self.latest_robots_txt(asked.origin, asked.config, now)
        if rules is not None:
            self._keep_delay(asked, rules, now)
        elif asked.config.crawl_delay:
            self._keep(asked, asked.origin, asked.config.crawl_delay, -inf, now)

    def _keep(self, asked: Question, origin: str, delay: float, at: float, now: float) -> None:
        asker = Asker(origin, asked.config.agent, asked.config.dialect.name)
        self.turns.keep(asked.slot, host_of(origin), asker, delay, at, now)


def _given(origin: Origin, config: RequestConfig) -> OriginRules | None:
    """The rules of the file that the user has set in place of the site's own."""
    body = config.robots_txt
    return None if body is None else rules_given(origin, config.dialect, body)
