"""What a crawl may do, by RFC 9309 §2.3, §2.4, docs/dialects.md, docs/life-of-a-robots-txt.md,
docs/when-things-fail.md and docs/reservations.md.

It is plain and slow, and uses nothing of the package. Times are seconds; `fetches` are those that a
crawl knows of, the latest one last.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass
from math import inf

from tests.model.changing_site import Fetch
from tests.model.site_files import AGENT, File, TdmFile

HOUR, DAY = 3600.0, 86_400.0
RULES, OPEN, CLOSED, WAIT = "rules", "open", "closed", "wait"
OPEN_OR_CLOSED = "open if pages are answered"  # `test_robots_txt_lifecycle` has that rule
FLOOR = 1.0  # between two fetches, whatever lifetime an answer has (docs/when-things-fail.md)
PATIENCE = 600.0  # after that nothing waits for a site that defers


@dataclass(frozen=True)
class Policy:
    """A table of docs/dialects.md.

    failing    what holds while the file is unreachable: (for how long, with a copy, without one)
    no_answer  what holds in the last of these times if there was no response at all; "": the same
    """

    lifetime: float = DAY
    min_lifetime: float = 60.0
    max_lifetime: float = DAY
    redirects: int = 5
    forbidden: str = OPEN  # 401, 403
    fails_by_429: bool = False
    fails_by_5xx: bool = True
    failing: tuple[tuple[float, str, str], ...] = ((30 * DAY, RULES, CLOSED), (inf, RULES, OPEN))
    no_answer: str = ""


POLICIES = {
    "rfc9309": Policy(),
    "google": Policy(
        max_lifetime=30 * DAY,
        fails_by_429=True,
        failing=((12 * HOUR, CLOSED, CLOSED), (30 * DAY, RULES, OPEN), (inf, OPEN, OPEN)),
        no_answer=OPEN_OR_CLOSED,
    ),
    "koster1996": Policy(
        lifetime=7 * DAY,
        max_lifetime=7 * DAY,
        redirects=10,
        forbidden=CLOSED,
        fails_by_429=True,
        failing=((inf, WAIT, WAIT),),
    ),
    "original1994": Policy(
        lifetime=365 * DAY,
        min_lifetime=0.0,
        max_lifetime=365 * DAY,
        redirects=7,
        fails_by_5xx=False,
        failing=((inf, OPEN, OPEN),),
    ),
}
TDMREP_POLICY = Policy(fails_by_429=True, failing=((inf, RULES, OPEN),))  # docs/reservations.md


LONGEST_DELAY = 10.0  # ROBOTS_CRAWL_DELAY_MAX, where a crawl has one


def objection(redirects: str, host: str, target: str) -> str:
    """Why a redirect from one host to another is not followed (docs/when-things-fail.md); "" if it
    is. All hosts are addresses, so each is a site of its own.
    """
    if host == target or (redirects == "to private hosts" and not is_public(target)):
        return ""
    if redirects == "on the site":
        return "redirect to another site"
    return "redirect to a private address" if is_public(host) and not is_public(target) else ""


def is_public(host: str) -> bool:
    return not host.startswith("10.")


class Knowledge:
    """What a crawl knows of a document after some fetches, one or more, by the table of a dialect.

    copy        the last file that came, unless the site has withdrawn it since
    failed_for  how long the file has been unreachable when the last fetch ended, as it is counted
    failures    how many fetches in a row have brought neither a file nor the lack of one
    status      that of the last fetch; 301: there were too many redirects
    """

    def __init__(self, policy: Policy, fetches: Sequence[Fetch]) -> None:
        self.policy, self.copy = policy, None
        self.failed_for, self.failures = 0.0, 0
        self.last: Fetch | None = None
        for fetch in fetches:
            self._learn(fetch)

    def _learn(self, fetch: Fetch) -> None:
        if fetch.status in (200, 304):
            self.copy, self.failures = fetch.answer.file, 0
        elif is_settled(fetch):
            self.copy, self.failures = None, 0  # §2.3.1.2, §2.3.1.3: there is none
        else:
            # Of the time between two tries a day counts at most. Where a 429 is an answer, the
            # days count anew after it.
            goes_on = self.failures and (self.last.status != 429 or self.policy.fails_by_429)
            gap = min(fetch.ended - self.last.ended, DAY) if goes_on else 0.0
            self.failed_for = self.failed_for + gap if goes_on else 0.0
            self.failures += 1
        self.last = fetch
        is_too_far = fetch.status is not None and fetch.hops > self.policy.redirects
        self.status = 301 if is_too_far else fetch.status

    @property
    def goes_far_enough(self) -> bool:
        """Whether the last fetch has followed as many redirects as this dialect does, or all."""
        return not self.last.is_cut or self.last.hops >= self.policy.redirects

    @property
    def failing_since(self) -> float:
        return self.last.ended - self.failed_for

    @property
    def _fails(self) -> bool:
        """Whether the last fetch has failed, in this dialect."""
        if self.status is None:
            return True
        if self.status == 429:
            return self.policy.fails_by_429
        return self.status >= 500 and self.policy.fails_by_5xx

    def mode(self, now: float) -> str:
        status = self.status
        if not self._fails:
            if status in (200, 304):
                return RULES
            return self.policy.forbidden if status in (401, 403) else OPEN
        failed_for = self.failed_for + min(now - self.last.ended, DAY)
        until, with_copy, without = next(s for s in self.policy.failing if failed_for < s[0])
        if until == inf and status is None and self.policy.no_answer:
            return self.policy.no_answer
        return without if self.copy is None else with_copy

    @property
    def fresh_until(self) -> float:
        """From then on, and not before, the file is fetched again."""
        if not self._fails:
            return self.last.ended + self._lifetime
        wait = min(10 * 2.0 ** (self.failures - 1), HOUR)  # 10 s, 20 s … an hour
        if self.status is not None:
            wait = max(wait, min(self.last.answer.retry_after or 0.0, HOUR))
        changes_in = min(
            s[0] - self.failed_for for s in self.policy.failing if s[0] > self.failed_for
        )
        return self.last.ended + min(wait, changes_in)

    @property
    def _lifetime(self) -> float:
        """§2.4: by HTTP caching, within the dialect's bounds."""
        asked_for = self.last.answer.lifetime
        if asked_for is None or self.last.status == 301:  # the redirect itself asks for none
            return self.policy.lifetime
        return min(max(asked_for, self.policy.min_lifetime), self.policy.max_lifetime)

    def is_usable(self, now: float) -> bool:
        """Whether it may be used at a time: it is fresh, or stale for no longer than a lifetime."""
        if now < self.fresh_until:
            return True
        if not self._fails:
            return now < self.fresh_until + self._lifetime
        mode, before = self.mode(now), self.mode(self.last.ended)
        is_as_before = mode == before or {mode, before} == {OPEN, OPEN_OR_CLOSED}
        is_closed = mode in (CLOSED, WAIT)
        return is_as_before and not is_closed and now < self.fresh_until + self.policy.lifetime

    def obeyed(self, now: float) -> File | TdmFile | None:
        """The file whose rules hold; None: there is none."""
        return self.copy if self.mode(now) == RULES else None

    def allows(self, path: str, agent: str, now: float) -> bool:
        """Of a robots.txt: whether a page may be fetched."""
        file = self.obeyed(now)
        if file is None:
            return self.mode(now) == OPEN
        has_own_group = agent == AGENT and file.own is not None  # §2.2.1
        return path not in (file.own if has_own_group else file.closed)

    def reserves(self, path: str, now: float) -> bool:
        """Whether the file refuses the use of a page for training."""
        file = self.obeyed(now)
        if isinstance(file, TdmFile):
            return path in (file.reserved or ())
        return file is not None and (path in file.untrained or file.signal is False)

    def delay(self, now: float) -> float:
        file = self.obeyed(now)
        return 0.0 if file is None else file.delay


class Given(Knowledge):
    """A robots.txt that the user has set in place of a site's own: it is fresh for ever."""

    fresh_until = inf

    def __init__(self, file: File) -> None:
        super().__init__(Policy(), ())
        self.copy = file

    def mode(self, now: float) -> str:
        return RULES


def is_settled(fetch: Fetch) -> bool:
    """Whether a fetch has brought the file or the lack of one: what was known before is past."""
    return fetch.status is not None and fetch.status < 500 and fetch.status != 429


def knowledge_at(
    policy: Policy,
    fetches: Iterable[Fetch],
    now: float,
    may_miss: Callable[[Fetch], bool] = lambda _: False,
    passed_on: Container[Fetch] = (),
) -> list[Knowledge | None]:
    """What a crawl may know at a time, the oldest first; None: nothing.

    It is more than one if a fetch ended at that very time, or if the latest ones may be missed:
    another process made them.

    passed_on  the fetches that may be missed wherever they stand
    """
    known = (fetch for fetch in fetches if fetch.ended <= now)
    ended = sorted(known, key=lambda fetch: fetch.ended)
    certain = len(ended)
    while certain and (ended[certain - 1].ended == now or may_miss(ended[certain - 1])):
        certain -= 1
    every: dict[tuple[Fetch, ...], None] = {}
    ways: list[tuple[Fetch, ...]] = [()]
    for number, fetch in enumerate(ended):
        if number >= certain:
            every |= dict.fromkeys(ways)
        longer = [(fetch,) if is_settled(fetch) else (*way, fetch) for way in ways]
        ways = list(dict.fromkeys([*ways, *longer] if fetch in passed_on else longer))
    every |= dict.fromkeys(ways)
    knowledge = [Knowledge(policy, way) if way else None for way in every]
    return [None if one is None or not one.goes_far_enough else one for one in knowledge]
