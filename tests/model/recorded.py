"""What must be true of the record of each crawl."""

from __future__ import annotations

from scrapy_robots_policy.record.replay import Difference, check
from tests.model.world import World


def check_records(world: World) -> None:
    """Each decision is in the record of its crawl, and is the same when it is made again."""
    for process in world.stats:
        if world.plan.obeys == "no":
            assert not world.record(process).exists()
            continue
        differences: list[Difference] = []
        checked = check([world.record(process)], None, differences.append, lambda *_: None)
        assert not checked.errors
        assert not differences
        decided = [asked for asked in world.asked if asked.process == process]
        exempt = [asked for asked in decided if asked.is_exempt]
        assert (checked.decisions, checked.exempt) == (len(decided) - len(exempt), len(exempt))
