"""The life of a robots.txt as a table: (what happened, when) → what may be done, and until when.

R its rules, A everything, D nothing, W nothing yet (wait for the next try).
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product

import pytest

from scrapy_robots_policy.rep import (
    DIALECTS,
    Access,
    AccessMode,
    AccessPolicy,
    Dialect,
    FetchResult,
    advance,
    dialect_of,
    judge,
)
from scrapy_robots_policy.rep.access import (
    FOREVER,
    AccessOverrides,
    Step,
    goes_far_enough,
    holds,
    is_fresh,
    remember,
)

MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0
START = 1_000_000.0
LETTERS = {
    AccessMode.RULES: "R",
    AccessMode.ALLOW: "A",
    AccessMode.DISALLOW: "D",
    AccessMode.DEFER: "W",
}

OURS = b"User-agent: *\nDisallow: /x"
GOOD = FetchResult(200, OURS)
TIMEOUT = FetchResult(None, cause="timeout")


def live(dialect: str | Dialect, *happened: tuple[float, FetchResult]) -> Access:
    """What may be done after outcomes at instants (seconds after START)."""
    policy = dialect_of(dialect).access
    access = None
    for at, outcome in happened:
        access = advance(access.entry if access else None, outcome, START + at, policy)
    assert access is not None
    return access


def daily(outcome: FetchResult, last: float, first: float = 0.0) -> list[tuple[float, FetchResult]]:
    """The same outcome once a day, from `first` on, and then at `last`."""
    days = int((last - first) // DAY)
    return [*((first + day * DAY, outcome) for day in range(days + 1)), (last, outcome)]


CUT = FetchResult(200, b"#" * 101, is_cut=True)
FIVE = ("http://b/",) * 5
# What was tried for another dialect; whether one that follows five redirects and reads a hundred
# bytes has to ask no more.
TRIES = {
    "a whole file": ([FetchResult(200, b"#")], True),
    "a file cut after what is read": ([CUT], True),
    "a file cut before": ([replace(CUT, body=b"#" * 100)], False),
    "five redirects, and one more": ([FetchResult(301, hops=FIVE, is_cut=True)], True),
    "four redirects, and one more": ([FetchResult(301, hops=FIVE[1:], is_cut=True)], False),
    "four redirects in a circle": ([FetchResult(301, hops=FIVE[1:])], True),
    "a file cut before, then no answer": ([replace(CUT, body=b"#"), TIMEOUT], True),
    "a file cut before, confirmed": (
        [replace(CUT, body=b"#"), TIMEOUT, FetchResult(304, is_cut=True)],
        False,
    ),
    "a file cut before, confirmed to nobody's question": (
        [replace(CUT, body=b"#"), FetchResult(304)],
        True,
    ),
}


@pytest.mark.parametrize("tried", TRIES)
def test_what_was_fetched_for_another_dialect_has_to_go_far_enough(tried: str):
    outcomes, is_enough = TRIES[tried]
    entry = None
    for outcome in outcomes:
        entry = remember(entry, outcome, START)
    assert entry is not None
    assert goes_far_enough(entry, DIALECTS["rfc9309"].access, 100) is is_enough


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_bytes_are_at_hand_exactly_where_the_rules_hold(dialect: str):
    for outcomes in (
        [(0, GOOD)],
        [(0, GOOD), (DAY, FetchResult(503))],
        [(0, GOOD), (DAY, TIMEOUT)],
        [(0, FetchResult(503))],
        [(0, TIMEOUT)],
        [(0, FetchResult(404))],
    ):
        access = live(dialect, *outcomes)
        assert (access.body == OURS) is (access.mode is AccessMode.RULES)


def test_where_no_step_is_taken_time_alone_climbs_the_ladder():
    policy = DIALECTS["google"].access
    once = live("google", (0, GOOD), (DAY, FetchResult(503))).entry
    often = live("google", (0, GOOD), *daily(FetchResult(503), 30.5 * DAY, first=DAY)).entry
    for entry, ages, modes in (
        (once, (0, 12 * HOUR - 1, 12 * HOUR, 30 * DAY, 900 * DAY), "DDRRR"),  # known for a day
        (often, (29.5 * DAY, 30 * DAY - 1, 30 * DAY, 900 * DAY), "RRAA"),
    ):
        at = [START + DAY + age for age in ages]
        assert "".join(LETTERS[judge(entry, now, policy).mode] for now in at) == modes


def test_whether_the_site_answers_is_taken_from_who_knows_it():
    result = FetchResult(None, cause="timeout", site_answers=True)
    assert live("google", *daily(result, 31 * DAY)).mode is AccessMode.ALLOW
    result = FetchResult(503, site_answers=False)
    assert live("google", *daily(result, 31 * DAY)).mode is AccessMode.DISALLOW


LIVES = {
    # what happened: mode, bytes left, failures counted, failing for so long
    "304 renews the copy": ([(0, GOOD), (DAY, FetchResult(304))], ("R", OURS, 0, None)),
    "404 withdraws the copy": ([(0, GOOD), (DAY, FetchResult(404))], ("A", None, 0, None)),
    "and a later 503 finds none": (
        [(0, GOOD), (HOUR, FetchResult(404)), (DAY, FetchResult(503))],
        ("D", None, 1, 0.0),
    ),
    "a redirect without end withdraws the copy": (
        [(0, GOOD), (DAY, FetchResult(301))],
        ("A", None, 0, None),
    ),
    "a failure keeps the copy": ([(0, GOOD), (DAY, FetchResult(503))], ("R", OURS, 1, 0.0)),
    "429 keeps the copy": ([(0, GOOD), (DAY, FetchResult(429))], ("A", OURS, 1, 0.0)),
    "failures are counted from the first": (
        [(0, GOOD), (DAY, FetchResult(503)), (DAY + HOUR, TIMEOUT)],
        ("R", OURS, 2, HOUR),
    ),
    "a good answer ends the run": (
        [(0, FetchResult(503)), (HOUR, GOOD)],
        ("R", OURS, 0, None),
    ),
    "a missing file ends the run": ([(0, TIMEOUT), (HOUR, FetchResult(404))], ("A", None, 0, None)),
    "304 after a failure ends the run": (
        [(0, GOOD), (DAY, FetchResult(503)), (DAY + HOUR, FetchResult(304))],
        ("R", OURS, 0, None),
    ),
    "304 without a copy is a failure": (
        [(0, FetchResult(503)), (HOUR, FetchResult(304)), (DAY, FetchResult(304))],
        ("D", None, 3, DAY),
    ),
    "and after 30 days of it the standard allows all": (
        daily(FetchResult(304), 30 * DAY),
        ("A", None, 32, 30 * DAY),
    ),
    "a day counts where nobody has asked for a month": (
        [(0, FetchResult(503)), (31 * DAY, TIMEOUT)],
        ("D", None, 2, DAY),
    ),
    "nor do sparse failures open a site": (
        [(n * 15 * DAY, FetchResult(503)) for n in range(30)],
        ("D", None, 30, 29 * DAY),
    ),
    "but for 30 days of them": (
        [(n * 15 * DAY, FetchResult(503)) for n in range(31)],
        ("A", None, 31, 30 * DAY),
    ),
    "an empty file is a file": ([(0, FetchResult(200))], ("R", b"", 0, None)),
}


@pytest.mark.parametrize(("happened", "expected"), LIVES.values(), ids=LIVES)
def test_facts_are_remembered(
    happened: list[tuple[float, FetchResult]], expected: tuple[object, ...]
):
    access = live("rfc9309", *happened)
    entry, since = access.entry, access.entry.failing_since
    failing_for = None if since is None else START + happened[-1][0] - since
    assert (LETTERS[access.mode], entry.body, entry.failures, failing_for) == expected


LIMITED = FetchResult(429)
AS_5XX = DIALECTS["rfc9309"].but("strict", access=AccessPolicy(too_many_requests="unreachable"))
AFTER_LIMITS = {
    # what came before the last try, a 503; the modes of rfc9309, and where 429 is as 5xx
    "30 days of 429": (daily(LIMITED, 30 * DAY), "DA"),
    "30 days of 429, 29 of 503": (
        [*daily(LIMITED, 30 * DAY), *daily(FetchResult(503), 59 * DAY, first=30 * DAY + HOUR)],
        "DA",
    ),
    "30 days of 429, 30 of 503": (
        [*daily(LIMITED, 30 * DAY), *daily(FetchResult(503), 60 * DAY, first=30 * DAY + HOUR)],
        "AA",
    ),
    "429, a month of nothing, and one 503 before another": (
        [(0, LIMITED), (DAY, FetchResult(503)), (31 * DAY, TIMEOUT)],
        "DD",
    ),
    "30 days of 503, with a 429 among the last": (
        [*daily(FetchResult(503), 30 * DAY), (30 * DAY + HOUR, LIMITED), (31 * DAY, TIMEOUT)],
        "DA",
    ),
    "30 days of 503": (daily(FetchResult(503), 30 * DAY), "AA"),
}


@pytest.mark.parametrize("before", AFTER_LIMITS)
def test_where_a_429_is_an_answer_it_ends_the_run_of_failures(before: str):
    happened, modes = AFTER_LIMITS[before]
    last = (happened[-1][0] + HOUR, FetchResult(503))
    given = [LETTERS[live(dialect, *happened, last).mode] for dialect in ("rfc9309", AS_5XX)]
    assert given == [*modes]


def test_the_run_after_a_429_leaves_out_the_time_in_which_nobody_asked():
    entry = live("rfc9309", (0, LIMITED), (HOUR, TIMEOUT), (10 * DAY + HOUR, TIMEOUT)).entry
    assert entry.unreachable_since == START + 9 * DAY + HOUR
    ended = live("rfc9309", (0, LIMITED), (HOUR, TIMEOUT), (DAY, GOOD)).entry
    assert ended.unreachable_since is None


def test_a_304_renews_what_it_speaks_of_and_no_more():
    served = FetchResult(
        200, OURS, lifetime=HOUR, etag='"1"', last_modified="Mon", hops=("http://b/",)
    )
    entry = live("rfc9309", (0, served), (DAY, FetchResult(304, etag='"2"'))).entry
    assert (entry.latest.etag, entry.latest.last_modified) == ('"1"', "Mon")
    assert (entry.latest.status, entry.latest.lifetime) == (200, HOUR)
    assert entry.fetched_at == entry.asked_at == START + DAY


def test_the_next_try_after_a_failure_is_still_conditional():
    served = FetchResult(200, OURS, etag='"1"', last_modified="Mon")
    latest = live(
        "rfc9309", (0, served), (DAY, FetchResult(503)), (DAY + HOUR, TIMEOUT)
    ).entry.latest
    assert (latest.etag, latest.last_modified, latest.cause) == ('"1"', "Mon", "timeout")


def test_the_validators_of_a_copy_are_for_no_other_url():
    """A 304 of another URL would give the copy a new life."""
    moved = FetchResult(503, hops=("http://b/robots.txt",))
    served = FetchResult(200, OURS, etag='"1"', last_modified="Mon")
    latest = live("rfc9309", (0, served), (DAY, moved)).entry.latest
    assert (latest.etag, latest.last_modified, latest.hops) == ("", "", moved.hops)


def test_the_file_of_another_status_than_200_is_asked_for_anew_after_a_failure():
    """A 304 would give back a copy that `yandex` reads, which reads none of a 203."""
    served = FetchResult(203, OURS, etag='"1"', last_modified="Mon")
    access = live("yandex", (0, served), (DAY, FetchResult(304)))
    assert (access.entry.latest.status, access.entry.latest.etag) == (203, '"1"')
    assert access.mode is AccessMode.ALLOW
    for failures in ((503,), (503, 502)):
        failed = [(DAY + at, FetchResult(status)) for at, status in enumerate(failures)]
        latest = live("yandex", (0, served), *failed).entry.latest
        assert (latest.etag, latest.last_modified) == ("", "")


COPIES = {
    "of a type that is read": ("text/plain", AccessMode.RULES),
    "of a type that is not read": ("image/gif", AccessMode.ALLOW),
}
FAILURES = [
    TIMEOUT,
    FetchResult(503, media_type="application/json", lifetime=MINUTE),
    FetchResult(103),
]


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("copy", COPIES)
def test_after_a_failure_a_304_gives_the_copy_back_as_it_was(copy: str, failure: FetchResult):
    media_type, mode = COPIES[copy]
    served = FetchResult(200, OURS, media_type=media_type)
    access = live("yandex", (0, served), (DAY, failure), (DAY + HOUR, FetchResult(304)))
    assert access.mode is mode
    assert access.fresh_until == START + DAY + HOUR + DAY


@pytest.mark.parametrize("steps", [(), (Step(DAY, AccessMode.RULES, AccessMode.ALLOW),)])
def test_a_policy_says_what_holds_however_long_a_file_is_unreachable(steps: tuple[Step, ...]):
    with pytest.raises(ValueError, match="until FOREVER"):
        AccessPolicy(unreachable=steps)


RULES, ALLOW = AccessMode.RULES, AccessMode.ALLOW
LAST = Step(FOREVER, RULES, ALLOW)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"text_only": "yes"}, "text_only is 'yes', it must be of type bool"),
        ({"successful": 200}, "successful is 200, it must be of type range"),
        ({"successful": range(201, 300)}, "successful must have 200, else no file is read"),
        ({"html_page": ALLOW}, "html_page is <AccessMode.ALLOW: 'allow'>, it must be 'successful'"),
        ({"redirects": -1}, "redirects is -1, it must be of type int, 0 or more"),
        ({"forbidden": "open"}, "forbidden is 'open', it must be 'rules' or 'allow' or 'disallow'"),
        ({"forbidden": RULES}, "forbidden is 'rules', but there is no file whose rules hold"),
        ({"unreachable": [LAST]}, "unreachable is [Step(until=inf, "),
        ({"unreachable": (LAST, LAST)}, "each step of unreachable must be until later than"),
        ({"lifetime": "60"}, "lifetime is '60', it must be of type float, 0 or more"),
        ({"lifetime": float("nan")}, "lifetime is nan, it must be of type float, 0 or more"),
        ({"lifetime_bounds": (1.0,)}, "lifetime_bounds is (1.0,), it must be of type tuple with 2"),
        ({"lifetime_bounds": (2.0, 1.0)}, "lifetime_bounds is (2.0, 1.0), it must be (min, max)"),
        ({"schemes": "http"}, "schemes is 'http', it must be of type frozenset with values of"),
        ({"schemes": frozenset()}, "schemes is frozenset(), it must have one or more of http,"),
        ({"schemes": frozenset({"HTTP"})}, "schemes is frozenset({'HTTP'}), it must have one or"),
    ],
)
def test_a_policy_that_would_fail_in_mid_crawl_or_open_sites_is_refused(wrong, sentence: str):
    with pytest.raises(ValueError, match="^AccessPolicy: " + re.escape(sentence)):
        AccessPolicy(**wrong)


def test_a_policy_takes_the_words_for_its_modes_as_a_dialect_does():
    policy = AccessPolicy(forbidden="disallow", unreachable=(Step(FOREVER, "rules", "allow"),))
    assert policy == AccessPolicy(forbidden=AccessMode.DISALLOW, unreachable=(LAST,))
    assert advance(None, FetchResult(403), START, policy).mode is AccessMode.DISALLOW


LIFETIMES = [
    # dialect, what HTTP caching said, seconds of freshness
    ("rfc9309", None, DAY),
    ("rfc9309", 2 * HOUR, 2 * HOUR),
    ("rfc9309", 0.0, MINUTE),
    ("rfc9309", 7 * DAY, DAY),
    ("google", None, DAY),
    ("google", 7 * DAY, 7 * DAY),
    ("google", 60 * DAY, 30 * DAY),
    ("koster1996", None, 7 * DAY),
    ("koster1996", HOUR, HOUR),
    ("original1994", None, 365 * DAY),
    ("original1994", 0.0, 0.0),
    ("bing", None, DAY),
    ("baidu", None, DAY),
    ("yandex", None, DAY),
    ("yahoo", None, DAY),
    ("apple", None, DAY),
    ("sogou", None, DAY),
    ("360", None, DAY),
    ("amazon", None, DAY),
]


@pytest.mark.parametrize(("dialect", "cache_lifetime", "lifetime"), LIFETIMES)
@pytest.mark.parametrize("status", [200, 404])
def test_an_answer_is_fresh_for_its_lifetime_within_bounds(
    dialect: str, cache_lifetime: float | None, lifetime: float, status: int
):
    access = live(dialect, (0, FetchResult(status, lifetime=cache_lifetime)))
    assert access.fresh_until == START + lifetime
    assert access.holds_until == START + 2 * lifetime  # while a refresh runs


def test_what_is_fresh_holds_and_what_is_old_holds_a_while():
    access = live("rfc9309", (0, GOOD))
    states = [
        (is_fresh(access, START + at), holds(access, START + at))
        for at in (0, DAY - 1, DAY, 2 * DAY - 1, 2 * DAY)
    ]
    assert states == [(True, True), (True, True), (False, True), (False, True), (False, False)]


@pytest.mark.parametrize(
    ("failures", "retry_after", "wait"),
    [
        *[(1, None, 10), (2, None, 20), (3, None, 40), (9, None, 2560)],
        *[(10, None, HOUR), (40, None, HOUR)],  # the longest wait
        *[(1, 120.0, 120), (1, 5.0, 10), (5, 30.0, 160), (1, DAY, HOUR)],
    ],
)
def test_the_wait_for_the_next_try_doubles_and_heeds_retry_after(
    failures: int, retry_after: float | None, wait: float
):
    failure = FetchResult(503, retry_after=retry_after)
    access = live("rfc9309", *[(float(n), failure) for n in range(failures)])
    assert access.fresh_until == START + failures - 1 + wait


def test_the_next_try_is_never_later_than_the_next_rung():
    times = [12 * HOUR - 5.0, 12 * HOUR - 1.0]
    access = live("google", (0, FetchResult(503)), *[(at, FetchResult(503)) for at in times])
    assert access.fresh_until == START + 12 * HOUR


CLIMBED = [
    # dialect, with a copy or without, the only failure's age: what holds then without another try
    ("rfc9309", False, 29 * DAY, ""),
    ("rfc9309", False, 31 * DAY, ""),
    ("rfc9309", True, 23 * HOUR, "R"),
    ("rfc9309", True, 29 * DAY, ""),
    ("google", False, 13 * HOUR, ""),
    ("google", True, 13 * HOUR, ""),
    ("google", False, 31 * DAY, ""),
    ("amazon", True, 23 * HOUR, "R"),
    ("amazon", True, 31 * DAY, ""),
    ("amazon", False, 23 * HOUR, "A"),
    ("amazon", False, 31 * DAY, ""),
    ("yahoo", False, 23 * HOUR, "A"),
    ("yahoo", False, 31 * DAY, ""),
]


@pytest.mark.parametrize(("dialect", "has_copy", "age", "held"), CLIMBED)
def test_no_site_is_opened_by_time_alone(dialect: str, has_copy: bool, age: float, held: str):
    copy = [(0.0, GOOD)] if has_copy else []
    entry = live(dialect, *copy, (DAY, FetchResult(503))).entry
    now = START + DAY + age
    access = judge(entry, now, DIALECTS[dialect].access)
    assert not is_fresh(access, now)
    assert LETTERS[access.mode] * holds(access, now) == held


def test_a_refusal_for_want_of_an_answer_holds_only_until_the_next_try():
    refused = live("rfc9309", (0, FetchResult(503)))
    assert refused.holds_until == refused.fresh_until
    old_rules = live("rfc9309", (0, GOOD), (DAY, FetchResult(503)))
    assert old_rules.holds_until == old_rules.fresh_until + DAY  # as of a file that came
    late = daily(FetchResult(503), 30.5 * DAY, first=DAY)
    assert live("amazon", (0, GOOD), *late).holds_until == START + 31 * DAY  # the end of that rung


def overridden(
    dialect: str, overrides: AccessOverrides, *happened: tuple[float, FetchResult]
) -> Access:
    policy = overrides.over(DIALECTS[dialect].access)
    access = None
    for at, outcome in happened:
        access = advance(access.entry if access else None, outcome, START + at, policy)
    assert access is not None
    return access


OVERRIDDEN = [
    # dialect, lifetime of the user, what HTTP caching said, seconds of freshness
    ("rfc9309", HOUR, None, HOUR),
    ("rfc9309", HOUR, DAY, HOUR),
    ("rfc9309", HOUR, 2 * MINUTE, 2 * MINUTE),
    ("rfc9309", HOUR, 0.0, MINUTE),
    ("rfc9309", 7 * DAY, None, 7 * DAY),
    ("rfc9309", 7 * DAY, 3 * DAY, 3 * DAY),
    ("rfc9309", 1.0, 0.0, 1.0),
    ("koster1996", HOUR, None, HOUR),
    ("original1994", DAY, None, DAY),
]


@pytest.mark.parametrize(("dialect", "ttl", "cache_lifetime", "lifetime"), OVERRIDDEN)
def test_an_overridden_lifetime_stands_for_the_dialects_and_its_longest(
    dialect: str, ttl: float, cache_lifetime: float | None, lifetime: float
):
    access = overridden(
        dialect, AccessOverrides(lifetime=ttl), (0, FetchResult(200, lifetime=cache_lifetime))
    )
    assert access.fresh_until == START + lifetime


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_mode_of_an_override_stands_for_the_whole_ladder(dialect: str):
    modes = (AccessMode.ALLOW, AccessMode.DISALLOW, AccessMode.DEFER)
    ages = (0.0, HOUR, 13 * HOUR, 31 * DAY)
    for mode, failure, age in product(modes, (FetchResult(503), TIMEOUT), ages):
        overrides = AccessOverrides(unreachable=mode)
        failed = [(DAY, failure), (DAY + age, failure)]
        assert overridden(dialect, overrides, *failed).mode is mode, (failure, age)
        assert overridden(dialect, overrides, (0, GOOD), *failed).mode is AccessMode.RULES


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_mode_of_an_override_is_not_for_what_was_answered(dialect: str):
    overrides = AccessOverrides(unreachable=AccessMode.DEFER)
    for status in (200, 204, 302, 401, 404):
        answered = (0.0, FetchResult(status))
        expected = live(dialect, answered).mode
        assert overridden(dialect, overrides, answered).mode is expected, status


@pytest.mark.parametrize(
    ("status", "keeps"),
    [(299, False), (300, False), (404, False), (499, False), (500, True), (599, True)],
)
def test_a_copy_outlives_a_failure_and_no_other_answer(status: int, keeps: bool):
    entry = remember(
        remember(None, GOOD, 0.0), FetchResult(status, b"" if status > 299 else b"new"), 1.0
    )
    assert (entry.body == OURS) is keeps


@pytest.mark.parametrize(
    "arguments", [(GOOD, AccessPolicy()), (remember(None, GOOD, 0.0), "rfc9309")]
)
def test_what_is_no_entry_or_no_policy_is_not_judged(arguments):
    with pytest.raises(TypeError):
        judge(arguments[0], 0.0, arguments[1])
