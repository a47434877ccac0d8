"""What must be true of all that a world has seen."""

from __future__ import annotations

from itertools import groupby
from math import inf

from scrapy_robots_policy.rep import Reason
from tests.model.changing_site import SITEMAP, Fetch, Visit
from tests.model.oracle import FLOOR, OPEN_OR_CLOSED, PATIENCE, WAIT, Knowledge, knowledge_at
from tests.model.world import Asked, World

LOOKS_EVERY = 2.0  # seconds: so often a process looks whether another one has fetched the file


def check(world: World) -> None:
    assert not world.faults
    for asked in world.asked:
        check_decision(world, asked)
    for host, site in world.sites.items():
        for number, fetch in enumerate(site.fetches):
            check_fetch(world, host, fetch, site.fetches[:number])
        for number, visit in enumerate(site.visits):
            check_pace(world, host, visit, site.visits[:number])
        check_stale_uses(world, host)


def known(world: World, process: int, host: str, now: float) -> list[Knowledge | None]:
    """What a process may know of a host at a time. In a fleet it asks only when that is stale."""
    fetches = world.known_fetches(process, host)
    is_of_fleet = world.keeps == "fleet"
    return knowledge_at(
        world.policy, fetches, now, lambda fetch: is_of_fleet and fetch.process != process
    )


def deciding(world: World, asked: Asked) -> list[Knowledge]:
    """What may be used to decide about a request, and decides as it was decided."""
    every = known(world, asked.process, asked.host, asked.at)
    return [one for one in every if one and may_be_used(one, asked) and decides_so(one, asked)]


def may_be_used(knowledge: Knowledge, asked: Asked) -> bool:
    if knowledge.is_usable(asked.at) or was_fetched_for(knowledge, asked):
        return True
    return asked.at - knowledge.last.ended < FLOOR


def was_fetched_for(knowledge: Knowledge, asked: Asked) -> bool:
    """Whether a request has waited for an answer. Then it counts, however short its life."""
    return knowledge.last.ended >= asked.began


def decides_so(knowledge: Knowledge, asked: Asked) -> bool:
    has_passed = asked.passed_at is not None
    if knowledge.mode(asked.at) == WAIT:
        ends = asked.began + PATIENCE
        is_last_try = knowledge.last.began <= ends < knowledge.fresh_until
        return not has_passed and is_last_try and asked.verdict.reason is Reason.DEFERRED
    if knowledge.mode(asked.at) == OPEN_OR_CLOSED:
        return True
    allows, opens_in = knowledge.allows(asked.path, asked.at), knowledge.opens_in(asked.at)
    if has_passed:
        return allows and not opens_in
    return not allows or opens_in > PATIENCE


def check_decision(world: World, asked: Asked) -> None:
    """A request passes, and is refused, only by an answer that may still be used. It does not wait
    where nothing asks for that.
    """
    assert deciding(world, asked), f"nothing that may be used decides so: {asked}"
    before = known(world, asked.process, asked.host, asked.began)
    if all(needs_no_wait(one, asked.began) for one in before):
        assert asked.at == asked.began, f"it had to wait for nothing: {asked}"


def needs_no_wait(knowledge: Knowledge | None, now: float) -> bool:
    if knowledge is None or not knowledge.is_usable(now):
        return False
    if knowledge.mode(now) in (WAIT, OPEN_OR_CLOSED):
        return False
    return not knowledge.delay(now) and not knowledge.opens_in(now)


def check_fetch(world: World, host: str, fetch: Fetch, earlier: list[Fetch]) -> None:
    """One process at a time fetches a robots.txt, and none while it is fresh."""
    for other in earlier:
        if world.work_together(fetch.process, other.process):
            ended = inf if other.ended is None else other.ended
            ended = min(ended, world.closed_at.get(other.process, inf))
            assert ended <= fetch.began, f"{fetch} while {other}"
    learned = [other for other in world.known_fetches(fetch.process, host) if other in earlier]
    assert any(
        one is None or fetch.began >= max(one.fresh_until, one.last.ended + FLOOR)
        for one in knowledge_at(world.policy, learned, fetch.began)
    ), f"{fetch} too soon after {earlier[-1]}"


def check_pace(world: World, host: str, visit: Visit, earlier: list[Visit]) -> None:
    """Between two visits of a host there is at least the delay that it asks for; none comes from a
    crawl that closes.
    """
    assert visit.began <= world.closed_at.get(visit.process, inf), f"{visit} after the end"
    delay = delay_at(world, host, visit)
    for other in earlier if delay else ():
        gap = delay
        if other.process != visit.process:
            is_kept = world.work_together(visit.process, other.process)
            gap = min(delay, delay_at(world, host, other)) if is_kept else 0.0
        if gap:
            assert other.ended is not None, f"{visit} while {other}"
            assert visit.began >= other.ended + gap, f"{visit} {gap} s after {other}"


def delay_at(world: World, host: str, visit: Visit) -> float:
    """The delay that a visit must have kept."""
    if visit.asked is not None:
        knowledge = deciding(world, visit.asked)
    else:
        knowledge = known(world, visit.process, host, visit.began)
    return min((0.0 if one is None else one.delay(visit.began) for one in knowledge), default=0.0)


def check_stale_uses(world: World, host: str) -> None:
    """By a stale answer a page passes only once, unless it has waited for that answer, or the file
    is being fetched again.
    """
    passed = [a for a in world.asked if a.host == host and a.passed_at is not None]
    passed.sort(key=lambda asked: (asked.process, asked.passed_at))
    slack = LOOKS_EVERY if world.keeps == "fleet" else 0.0
    for _, pages in groupby(passed, key=lambda asked: asked.process):
        first_uses: dict[Fetch, float] = {}
        for asked in pages:
            by = deciding(world, asked)
            if not all(is_stale(one, asked.passed_at) for one in by):
                continue
            if was_fetched_for(by[-1], asked):
                continue
            at = asked.passed_at
            first_use = first_uses.setdefault(by[-1].last, at)
            if first_use < at and not (slack and by[-1].delay(at)):
                assert any(
                    fetch.began <= at and (fetch.ended is None or fetch.ended >= at - slack)
                    for fetch in world.sites[host].fetches
                ), f"stale since {by[-1].fresh_until}, and used at {first_use}: {asked}"


def is_stale(knowledge: Knowledge, now: float) -> bool:
    return now >= max(knowledge.fresh_until, knowledge.last.ended + FLOOR)


def check_sitemaps(world: World) -> None:
    """The sitemaps are those of the robots.txt that is known now, however old. A crawl looks into
    its store only when it needs rules.
    """
    now = world.time.now()
    for number, crawl in world.crawls.items():
        for host in world.sites:
            files = [one and one.obeyed(now) for one in known(world, number, host, now)]
            permitted = [(SITEMAP,) if file and file.has_sitemap else () for file in files]
            if world.keeps != "memory":
                permitted.append(())
            assert crawl.sitemaps(host) in permitted, host
