"""What must be true of the delay that a site asks for, and of the user's limit."""

from __future__ import annotations

import pytest

from scrapy_robots_policy.rep.delay_limit import LONGEST, DelayLimit, OverMax

CLAMP, SKIP, IGNORE, QUEUE = OverMax.CLAMP, OverMax.SKIP, OverMax.IGNORE, OverMax.QUEUE

# what is done over 10 s, what the site asks for, the user's own delay: seconds, what was done
CASES = [
    (CLAMP, None, None, 0, ""),
    (CLAMP, 0, None, 0, ""),
    (CLAMP, 9, None, 9, "kept"),
    (CLAMP, 10, None, 10, "kept"),
    (SKIP, 10, None, 10, "kept"),  # exactly the limit is not over it
    (IGNORE, 10, None, 10, "kept"),
    (CLAMP, 10.5, None, 10, "clamped to 10 s"),
    (SKIP, 10.5, None, 0, "skipped"),
    (IGNORE, 10.5, None, 0, "ignored"),
    (QUEUE, 10, None, 10, "kept"),
    (QUEUE, 10.5, None, 10.5, "queued"),
    (QUEUE, 1e300, None, LONGEST, "queued"),
    (QUEUE, 20, 5, 5, "set"),
    (CLAMP, 5, 20, 20, "set"),
    (SKIP, 20, 0, 0, ""),
]


@pytest.mark.parametrize(("over_max", "requested", "own", "seconds", "action"), CASES)
def test_a_delay_is_kept_up_to_the_users_limit(over_max, requested, own, seconds, action):
    delay = DelayLimit(True, 10, over_max).delay(requested, own)
    assert (delay.seconds, str(delay), delay.skips) == (seconds, action, action == "skipped")


def test_a_delay_is_not_kept_where_the_user_does_not_want_it():
    assert DelayLimit(False).delay(5, None).seconds == 0
    assert DelayLimit(False).delay(5, 2).seconds == 2
