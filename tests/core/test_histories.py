"""What the core must be true to, whatever happens: histories without a clock, drawn at random.

`World` says what is drawn, and what is checked: no page goes against its rules or by rules that are
too old, none is lost or decided twice, no host is visited before its delay is over, and who waits
does not ask again and again. 100,000 histories take some minutes: `make histories`.
"""

from __future__ import annotations

import os

import pytest

from tests.core.world import World

HISTORIES = int(os.environ.get("HISTORIES", "1500"))
PART = 100


@pytest.mark.parametrize("first", range(0, HISTORIES, PART))
def test_a_history_loses_nothing_goes_against_no_rule_and_comes_to_an_end(first):
    worlds = [World(seed).run() for seed in range(first, first + PART)]
    assert [fault for world in worlds for fault in world.faults] == []
    outcomes = {page.outcome for world in worlds for page in world.pages}
    assert outcomes >= {"went", "refused"}


@pytest.mark.parametrize("seed", [91_487])
def test_a_request_that_begins_a_lookup_gives_its_turn_to_it(seed):
    """It waits outside the queue, and its rules expire at the moment of its turn."""
    assert World(seed).run().faults == []
