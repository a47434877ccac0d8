"""What must be true of all that a world has seen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from math import inf

from scrapy_robots_policy.rep import Reason
from tests.model.changing_site import TIME_LIMIT, Fetch, Visit
from tests.model.counted import check_counts
from tests.model.oracle import FLOOR, OPEN_OR_CLOSED, PATIENCE, WAIT, Given, Knowledge, knowledge_at
from tests.model.plan import Manner
from tests.model.site_files import DOCUMENTS, ROBOTS_TXT, SITEMAP, TDMREP
from tests.model.world import Asked, World, policy_of

LEASE_LASTS = 300.0  # seconds that a process waits while another one fetches, then it fetches, too
LOOKS_EVERY = 2.0  # seconds: so often a process looks whether another one has fetched the file
PASSES, CLOSED, REFUSES_USE, DEFERRED = range(4)
OUTCOMES = {
    Reason.USE_REFUSED: REFUSES_USE,
    Reason.DEFERRED: DEFERRED,
}
Decides = dict[str, Knowledge]  # by document, what is known of those that decide about a page


def check(world: World) -> None:
    assert not world.faults, world.faults
    for asked in world.asked:
        check_decision(world, asked)
    for host, site in world.sites.items():
        for document, fetches in site.fetches.items():
            for number, fetch in enumerate(fetches):
                check_fetch(world, document, fetch, fetches[:number])
            check_stale_uses(world, host, document)
        for number, visit in enumerate(site.visits):
            check_pace(world, host, visit, site.visits[:number])
    check_counts(world)


def known(world: World, asked: Asked, document: str, now: float) -> list[Knowledge | None]:
    """What the process that was asked for a page may know of its host at a time. In a fleet it asks
    the others only when what it knows is stale.
    """
    process, host = asked.process, asked.host
    given = dict(world.plan.given).get(host)
    if given is not None and document == ROBOTS_TXT:
        return [Given(given)]
    fetches = world.known_fetches(process, host, document)
    passed_on = world.passed_on(process, host, document)
    # The first one that was passed on is used if nobody has asked the host before. A store may keep
    # others in place of what it had.
    every = world.sites[host].fetches[document]
    mine = [fetch for fetch in every if fetch.process == process or world.keeps != "memory"]
    asked_first_at = min((fetch.began for fetch in mine), default=inf)
    first = [fetch for fetch in passed_on[:1] if fetch.ended < asked_first_at]
    if world.keeps == "memory":
        passed_on = [fetch for fetch in passed_on[:1] if fetch.ended <= asked_first_at]
    is_of_fleet = world.keeps == "fleet"
    return knowledge_at(
        policy_of(document, asked),
        [*fetches, *passed_on],
        now,
        lambda fetch: is_of_fleet and fetch.process != process,
        [fetch for fetch in passed_on if fetch not in first],
    )


def deciding(world: World, asked: Asked) -> list[Decides]:
    """What may be used to decide about a request, and decides as it was decided."""
    outcome = outcome_of(asked)
    return [each for each in may_decide(world, asked) if outcome in outcomes(world, asked, each)]


def may_decide(world: World, asked: Asked) -> Iterator[Decides]:
    """What may be used to decide about a request: a robots.txt, and a tdmrep.json with it."""
    files = [
        [
            one
            for one in known(world, asked, document, asked.at)
            if one and may_be_used(world, one, asked) and not failed_for_another(world, one, asked)
        ]
        for document in DOCUMENTS
    ]
    for robots_txt in files[0]:
        yield {ROBOTS_TXT: robots_txt}
        if needs_tdmrep(world, asked, robots_txt, asked.at):
            yield from ({ROBOTS_TXT: robots_txt, TDMREP: tdmrep} for tdmrep in files[1])


def needs_tdmrep(world: World, asked: Asked, robots_txt: Knowledge, now: float) -> bool:
    """Only a crawl that trains needs it, for a page that may be fetched, and if it may be fetched
    itself.
    """
    if not world.plan.trains or robots_txt.mode(now) == OPEN_OR_CLOSED:
        return world.plan.trains
    return all(robots_txt.allows(path, asked.manner.agent, now) for path in (asked.path, TDMREP))


def may_be_used(world: World, knowledge: Knowledge, asked: Asked) -> bool:
    """Whether a request may be decided by what is known. What has grown too old while it waited
    for its turn counts only where it was fetched twice meanwhile: then no answer lives so long.
    """
    if knowledge.is_usable(asked.at) or asked.at - knowledge.last.ended < FLOOR:
        return True
    return was_fetched_for(knowledge, asked) and fetches_since(world, asked) > 1


def fetches_since(world: World, asked: Asked) -> int:
    """How many documents have come while a request waited."""
    return sum(
        asked.began <= fetch.ended <= asked.at
        for document in DOCUMENTS
        for fetch in world.known_fetches(asked.process, asked.host, document)
    )


def failed_for_another(world: World, knowledge: Knowledge, asked: Asked) -> bool:
    """Whether only a proxy has failed that a page does not go through, while the page waited."""
    last = knowledge.last
    if last is None or last.status is not None or last.process != asked.process:
        return False
    waited = asked.began < last.ended and not any_wait(world)
    return waited and last.page.manner.is_proxied and not asked.manner.is_proxied


def was_fetched_for(knowledge: Knowledge, asked: Asked) -> bool:
    """Whether a request has waited for an answer. Then it counts, however short its life."""
    return knowledge.last.ended >= asked.began


def outcome_of(asked: Asked) -> int:
    """What was decided. In a dry run a page may pass although it was decided otherwise."""
    if asked.verdict is None or asked.verdict.allowed:
        return PASSES
    return OUTCOMES.get(asked.verdict.reason, CLOSED)


def outcomes(world: World, asked: Asked, decides: Decides) -> tuple[int, ...]:
    """What may be decided about a request by what is known."""
    now, robots_txt = asked.at, decides[ROBOTS_TXT]
    if robots_txt.mode(now) == WAIT:
        began_in_time = robots_txt.last.began <= asked.began + PATIENCE or any_wait(world)
        ends = PATIENCE + min(asked.began, robots_txt.failing_since)
        return (DEFERRED,) if began_in_time and ends < robots_txt.fresh_until else ()
    if robots_txt.mode(now) == OPEN_OR_CLOSED:
        return PASSES, CLOSED, REFUSES_USE
    if not robots_txt.allows(asked.path, asked.manner.agent, now):
        return (CLOSED,)
    if world.plan.trains and any(one.reserves(asked.path, now) for one in decides.values()):
        return (REFUSES_USE,)
    if TDMREP not in decides and needs_tdmrep(world, asked, robots_txt, now):
        return ()
    return (PASSES,)


def check_decision(world: World, asked: Asked) -> None:
    """A request passes, and is refused, only by answers that may still be used. It does not wait
    where nothing asks for that.
    """
    assert asked.at is not None, asked
    assert asked.refused_at or not is_paused(world, asked.process, asked.at), f"paused: {asked}"
    if world.plan.obeys != "yes" or asked.is_exempt:
        assert asked.passed_at is not None, f"it was refused: {asked}"
    elif asked.passed_at is not None:
        assert outcome_of(asked) == PASSES, f"it has passed: {asked}"
    if world.plan.obeys == "no" or asked.is_exempt:
        assert asked.verdict is None, asked
        assert is_paused(world, asked.process, asked.began) or asked.at == asked.began, asked
        return
    assert deciding(world, asked), f"nothing that may be used decides so: {asked}"
    if needs_no_wait(world, asked):
        assert asked.at == asked.began, f"it had to wait for nothing: {asked}"


def needs_no_wait(world: World, asked: Asked) -> bool:
    """Whether all that decides about a page is known, and no delay is kept at its host."""
    began = asked.began
    if any_delay_of_others(world, asked) or is_paused(world, asked.process, began):
        return False
    for one in known(world, asked, ROBOTS_TXT, began):
        if one is None or not one.is_usable(began) or one.mode(began) in (WAIT, OPEN_OR_CLOSED):
            return False
        if world.plan.delay(asked.host, one.delay(began)):
            return False
        if needs_tdmrep(world, asked, one, began) and not all(
            tdmrep and tdmrep.is_usable(began) for tdmrep in known(world, asked, TDMREP, began)
        ):
            return False
    return True


def any_wait(world: World) -> bool:
    """Whether requests may have waited for something else than a robots.txt: the engine was paused,
    or a site has asked for a delay. There a try that is due begins only in its turn.
    """
    fetches = (fetch for site in world.sites.values() for fetch in site.fetches[ROBOTS_TXT])
    has_delay = any(fetch.answer.file.delay for fetch in fetches) or world.plan.own_delays
    return bool(has_delay or world.plan.download_delay or world.pauses)


def is_paused(world: World, process: int, at: float) -> bool:
    return any(began < at < end for number, began, end in world.pauses if number == process)


def any_delay_of_others(world: World, asked: Asked) -> bool:
    """Whether another dialect, or as another crawler, may have seen a delay at a host. The longest
    one is kept for all.
    """
    others = [
        other
        for other in world.asked
        if (other.process, other.host) == (asked.process, asked.host)
        if (other.dialect, other.manner.agent) != (asked.dialect, asked.manner.agent)
    ]
    fetches = world.known_fetches(asked.process, asked.host, ROBOTS_TXT)
    fetches += world.passed_on(asked.process, asked.host, ROBOTS_TXT)
    has_delay = any(world.plan.delay(asked.host, fetch.answer.file.delay) for fetch in fetches)
    return bool(others) and has_delay


def check_fetch(world: World, document: str, fetch: Fetch, earlier: list[Fetch]) -> None:
    """One process at a time fetches a document, none while it is fresh, and only where it is
    needed.
    """
    for other in earlier:
        if world.work_together(fetch.process, other.process):
            ended = ended_for_others(world, other)
            if other.process != fetch.process:
                ended = min(ended, other.began + LEASE_LASTS)
            is_over = ended <= fetch.began or was_forbidden(world, document, other, fetch.began)
            assert is_over, f"{fetch} while {other}"
    assert any(
        one is None or fetch.began >= max(one.fresh_until, one.last.ended + FLOOR)
        for one in known(world, fetch.page, document, fetch.began)
    ), f"{fetch} too soon after {earlier[-1:]}"
    is_too_late = fetch.answer.takes > TIME_LIMIT
    assert not is_too_late or fetch.status in (None, 301), f"it came after the time limit: {fetch}"
    assert world.plan.obeys != "no", fetch
    assert document == TDMREP or fetch.page.host not in dict(world.plan.given), fetch
    assert not fetch.page.is_exempt, fetch
    if document == TDMREP:
        assert may_need_tdmrep(world, fetch), f"nobody needs {fetch}"


def was_forbidden(world: World, document: str, fetch: Fetch, until: float) -> bool:
    """Whether a fetch of a tdmrep.json was given up among its redirects, since a robots.txt that
    came meanwhile forbids that file.
    """
    if document != TDMREP or fetch.ended < inf:
        return False
    page = fetch.page
    return any(
        one is not None and not one.allows(TDMREP, page.manner.agent, robots_txt.ended)
        for robots_txt in world.known_fetches(page.process, page.host, ROBOTS_TXT)
        if fetch.began <= robots_txt.ended <= until
        for one in known(world, page, ROBOTS_TXT, robots_txt.ended)
    )


def ended_for_others(world: World, fetch: Fetch | Visit) -> float:
    """When a fetch, or a part of one, has ended: a crawl that closes gives its fetches up."""
    return min(fetch.ended, world.closed_at.get(fetch.process, inf))


def may_need_tdmrep(world: World, fetch: Fetch) -> bool:
    """Whether a robots.txt that was known since a page was asked for lets its tdmrep.json be
    fetched.
    """
    asked = fetch.page
    later = world.known_fetches(asked.process, asked.host, ROBOTS_TXT)
    times = [one.ended for one in later if asked.began <= one.ended <= fetch.began]
    return any(
        needs_tdmrep(world, asked, one, now)
        for now in (asked.began, *times, fetch.began)
        for one in known(world, asked, ROBOTS_TXT, now)
        if one is not None
    )


def check_pace(world: World, host: str, visit: Visit, earlier: list[Visit]) -> None:
    """Between two visits of a host there is at least the delay that it asks for; none comes from a
    crawl that closes.
    """
    assert visit.began <= world.closed_at.get(visit.process, inf), f"{visit} after the end"
    delay = delay_at(world, host, visit)
    for other in earlier if delay else ():
        gap = delay
        if other.process != visit.process:
            if other.page.host != host or other.page.is_exempt:
                continue  # a redirect led there, or nothing was asked: that process knew no delay
            is_kept = world.work_together(visit.process, other.process)
            gap = min(delay, delay_at(world, host, other)) if is_kept else 0.0
        if gap:
            ended = other.ended if other.fetch is None else ended_for_others(world, other)
            assert visit.came >= ended + gap, f"{visit} {gap} s after {other}"


def delay_at(world: World, host: str, visit: Visit) -> float:
    """The delay that a visit must have kept."""
    asked = visit.page
    if world.plan.obeys == "no" or asked.is_exempt:
        return 0.0
    is_known_without_store = host in dict(world.plan.own_delays) or host in dict(world.plan.given)
    if host != asked.host and world.keeps != "memory" and not is_known_without_store:
        return 0.0  # a redirect leads here: nobody looks for what a store has of here
    if visit.fetch is None:
        knowledge = [decides[ROBOTS_TXT] for decides in deciding(world, asked)]
    else:
        knowledge = known(world, replace(asked, host=host), ROBOTS_TXT, visit.began)
    return min(
        (
            world.plan.delay(host, 0.0 if one is None else one.delay(visit.began))
            for one in knowledge
        ),
        default=0.0,
    )


def check_stale_uses(world: World, host: str, document: str) -> None:
    """By a stale answer a page passes only once, unless it has waited for that answer, or the file
    is being fetched again.
    """
    passed = [a for a in world.asked if a.host == host and a.verdict and a.passed_at is not None]
    passed.sort(key=lambda asked: (asked.process, asked.passed_at))
    slack = LOOKS_EVERY if world.keeps == "fleet" else 0.0
    for _, pages in groupby(passed, key=lambda asked: asked.process):
        first_uses: dict[Fetch, float] = {}
        for asked in pages:
            decides = deciding(world, asked)
            by = [one[document] for one in decides if document in one]
            if len(by) < len(decides) or not all(is_stale(one, asked.passed_at) for one in by):
                continue
            if was_fetched_for(by[-1], asked):
                continue
            at = asked.passed_at
            first_use = first_uses.setdefault(by[-1].last, at)
            delay = world.plan.delay(host, decides[-1][ROBOTS_TXT].delay(at))
            if first_use < at and not (slack and delay):
                assert any(
                    fetch.began <= at <= fetch.ended + slack
                    for fetch in world.sites[host].fetches[document]
                ), f"stale since {by[-1].fresh_until}, and used at {first_use}: {asked}"


def is_stale(knowledge: Knowledge, now: float) -> bool:
    return now >= knowledge.fresh_until and now >= knowledge.last.ended + FLOOR


def check_sitemaps(world: World) -> None:
    """The sitemaps are those of the robots.txt that is known now, however old. A crawl looks into
    its store only when it needs rules.
    """
    now = world.time.now()
    for number, crawl in world.crawls.items():
        for host in world.sites if world.plan.obeys != "no" else ():
            asked = Asked(number, host, "", Manner(), world.plan.dialect, now)
            files = [one and one.obeyed(now) for one in known(world, asked, ROBOTS_TXT, now)]
            permitted = [(SITEMAP,) if file and file.has_sitemap else () for file in files]
            if world.keeps != "memory":
                permitted.append(())
            assert crawl.sitemaps(host) in permitted, host
