"""Which request of the scheduler's queue may go now: nothing that waits has left the queue.

A lane is a part of the queue whose requests wait for the same things: those of one download slot
and one origin. Those with settings or a proxy of their own have lanes beside it, and exempt ones
have another, because the file or the turn that one waits for may not be what the next needs.

The queue asks about the first request of a lane. The answer is known at once: it may go, or it is
refused, and is then given too, because its errback waits; or the lane sleeps until it is told. The
question may begin the lookup of the robots.txt, or ask for the turn, while the request stays where
it is. A lane that has the turn keeps it until its first request is given.

A request that is given is decided already. Where nothing has changed when the middleware sees it,
nobody asks again (`Driver.given`).
"""

from __future__ import annotations

from typing import NamedTuple
from zlib import crc32

from scrapy.http import Request

from .core.policy import Asking, Judged, Question, Wait
from .driver import Driver, Given
from .exceptions import CrawlClosing
from .rep import origin_of
from .settings.kinds import SettingError
from .settings.requests import EXEMPT_KEY, META_KEY, is_exempt

# In the meta of a request that is put back, unfiltered: whether it was to be filtered. What comes
# of it, such as a redirect, is filtered as ever.
PUT_BACK_KEY = "robots_put_back"
MAX_SLOTS = 10_000
OWN_LANES = 61  # of one origin in one slot, for requests with settings or proxies of their own
_SEPARATOR = "\x1f"


class Ready(NamedTuple):
    """A request is given. `answer`: None: no rules are asked about it."""

    answer: Judged | None = None


def slot_of(lane: str) -> str:
    return lane.partition(_SEPARATOR)[0]


class Lanes:
    """Asked by the queues of a crawl.

    Attributes:
        missing: a sentence where this version of Scrapy has no queue that asks here.

    """

    def __init__(self, driver: Driver) -> None:
        self.driver, self.configs = driver, driver.configs
        self.missing: list[str] = []
        self._under_way: dict[str, set[Request]] = {}  # what was given, by slot
        self._sweep_at = MAX_SLOTS  # how many there are before those that are back are looked for

    def lane_of(self, request: Request) -> str:
        """The lane of a request. That of an origin `http://SLOT` is called as its slot is: so a job
        of Scrapy's own queue goes on.
        """
        judged, meta, own = self.driver.judged.get(request), request.meta, ""
        slot = self.driver.engine.slot_key(request) if judged is None else judged.asked.slot
        if meta.get(EXEMPT_KEY):
            own = EXEMPT_KEY
        elif META_KEY in meta or "proxy" in meta:
            of_own = f"{meta.get(META_KEY)!r}{meta.get('proxy')!r}"
            own = str(crc32(of_own.encode("utf-8", "replace")) % OWN_LANES)  # two may share one
        origin = origin_of(request.url) if judged is None else judged.asked.origin
        if not own and (origin is None or origin == f"http://{slot}"):
            return slot
        return f"{slot}{_SEPARATOR}{origin}{_SEPARATOR}{own}"

    def ask(self, lane: str, request: Request, now: float) -> Ready | None:
        """Whether the first request of a lane is to be given. None: the lane is told when to ask
        again, once `run` is called.
        """
        driver = self.driver
        judged = driver.judged.get(request)
        if judged is not None and not self.configs.layers:  # then no permission can have ended
            return self._answer(lane, request, judged.asked, now)
        origin = origin_of(request.url)
        if origin is None or is_exempt(request.meta, origin):
            return Ready()
        try:
            config = self.configs.of(request, origin)
        except SettingError:  # it fails when it goes
            return Ready()
        if not config.applies_to(origin):
            return Ready()
        return self._answer(lane, request, driver.question(request, origin, config), now)

    def _answer(self, lane: str, request: Request, asked: Question, now: float) -> Ready | None:
        asking, driver = Asking(lane, request, asked, is_queued=True), self.driver
        try:
            answer = driver.policy.ask(asking, now, driver.judged.get(request))
        except CrawlClosing:
            return None
        return None if isinstance(answer, Wait) else Ready(answer)

    def give(self, lane: str, request: Request, ready: Ready) -> None:
        """The first request of a lane leaves the queue."""
        if PUT_BACK_KEY in request.meta:
            request.dont_filter = not request.meta.pop(PUT_BACK_KEY)
        if len(self._under_way) >= self._sweep_at:
            active, known = self.driver.engine.active, self._under_way.items()
            self._under_way = {slot: given & active for slot, given in known if given & active}
            self._sweep_at = max(MAX_SLOTS, 2 * len(self._under_way))
        self._under_way.setdefault(slot_of(lane), set()).add(request)
        self.driver.judged.pop(request, None)
        if ready.answer is not None:
            waited = self.driver.went(lane, request, ready.answer)
            self.driver.given[request] = Given(ready.answer, waited)

    def has_place(self, slot: str) -> tuple[int, bool]:
        """(how many requests of a slot were given and are not back, whether one more may be)"""
        engine, given = self.driver.engine, self._under_way.get(slot)
        if given:
            given &= engine.active
        under_way = len(given or ())
        return under_way, under_way < engine.concurrency_of(slot)

    def forget(self, lane: str) -> None:
        """The queue has no request of a lane any more."""
        self.driver.policy.forget(lane, self.driver.now())
