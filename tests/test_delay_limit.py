"""What must be true of the delay that is kept, by what the site and the user ask for."""

from __future__ import annotations

import pytest

from scrapy_robots_policy.rep.delay_limit import NONE, Delay, DelayLimit, OverMost

CLAMP = DelayLimit(most=20.0, over_most=OverMost.CLAMP)
SKIP = DelayLimit(most=20.0, over_most=OverMost.SKIP)
IGNORE = DelayLimit(most=20.0, over_most=OverMost.IGNORE)
OFF = DelayLimit(obeys=False)

# (limit, the site's delay, the user's own delay for the host, what is kept)
CASES = {
    "no delay": (CLAMP, None, None, NONE),
    "a delay of 0": (CLAMP, 0.0, None, NONE),
    "below the maximum": (SKIP, 19.9, None, Delay(19.9, 19.9, "kept")),
    "exactly the maximum": (SKIP, 20.0, None, Delay(20.0, 20.0, "kept")),
    "above, clamped": (CLAMP, 20.1, None, Delay(20.0, 20.1, "clamped")),
    "above, skipped": (SKIP, 20.1, None, Delay(0.0, 20.1, "skipped")),
    "above, ignored": (IGNORE, 20.1, None, Delay(0.0, 20.1, "ignored")),
    "switched off": (OFF, 5.0, None, NONE),
    "set for the host": (SKIP, 5.0, 2.0, Delay(2.0, 2.0, "set")),
    "set above the maximum": (SKIP, 5.0, 60.0, Delay(60.0, 60.0, "set")),
    "set to 0": (CLAMP, 5.0, 0.0, NONE),
    "set where delays are off": (OFF, None, 2.0, Delay(2.0, 2.0, "set")),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_kept(case):
    limit, of_site, of_user, kept = CASES[case]
    assert limit.delay(of_site, of_user) == kept
    assert kept.skips is (kept.done == "skipped")
