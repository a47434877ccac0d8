"""What the stats of a crawl must say of all that was seen."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tests.model.changing_site import Fetch
from tests.model.site_files import ROBOTS_TXT, TDMREP
from tests.model.world import World

FETCHES = {ROBOTS_TXT: "robots/", TDMREP: "robots/tdmrep/"}


def check_counts(world: World) -> None:
    for process, stats in world.stats.items():
        counted = {key: value for key, value in stats.items() if key.startswith("robots/")}
        in_stats = in_part(counted, "robots/refused/", "robots/would_refuse/")
        assert in_stats == refused(world, process)
        passed = passed_by(world, process) if world.plan.obeys != "no" else None
        assert counted.get("robots/passed") == passed, (counted, passed)
        for document, prefix in FETCHES.items():
            check_fetches(world, process, document, counted, prefix)


def in_part(counted: dict[str, Any], *prefixes: str) -> Counter[str]:
    return Counter({key: n for key, n in counted.items() if key.startswith(prefixes)})


def refused(world: World, process: int) -> Counter[str]:
    """The pages that were refused, or would have been, by reason."""
    kind = "would_refuse" if world.plan.obeys == "dry run" else "refused"
    return Counter(
        f"robots/{kind}/{asked.verdict.reason.name.lower()}"
        for asked in world.asked
        if asked.process == process and asked.verdict and not asked.verdict.allowed
    )


def passed_by(world: World, process: int) -> int:
    """How many pages have passed. Nothing is asked about one that is exempt."""
    return sum(
        asked.process == process and asked.passed_at is not None and not asked.is_exempt
        for asked in world.asked
    )


def check_fetches(
    world: World, process: int, document: str, counted: dict[str, Any], prefix: str
) -> None:
    """A fetch counts once, with all its redirects, as what came at their end. One that ends when
    the crawl closes may count.
    """
    end = world.closed_at[process]
    fetches = [f for site in world.sites.values() for f in site.fetches[document]]
    fetches = [f for f in fetches if f.process == process and not f.is_superseded]
    mine = [f for f in fetches if f.ended <= end]
    surely = [f for f in mine if f.ended < end]
    fetched = counted.get(f"{prefix}fetched", 0)
    assert len(surely) <= fetched <= len(mine), (
        f"{fetched} counted, {len(surely)} to {len(mine)} seen"
    )
    outcomes = in_part(counted, f"{prefix}outcome/")
    assert outcomes_of(surely, prefix) <= outcomes <= outcomes_of(mine, prefix)


def outcomes_of(fetches: list[Fetch], prefix: str) -> Counter[str]:
    return Counter(f"{prefix}outcome/{outcome_of(fetch)}" for fetch in fetches)


def outcome_of(fetch: Fetch) -> str:
    if fetch.status is not None:
        return str(fetch.status)
    return fetch.cause
