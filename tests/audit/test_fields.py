"""What must be true of the fields of a line: no secret, and a bound for each."""

from __future__ import annotations

import pytest

from scrapy_robots_policy.audit.decision_fields import (
    MAX_PREFERENCES,
    MAX_TEXT,
    answer_fields,
    preference_fields,
)
from scrapy_robots_policy.audit.fields import (
    MAX_OCTETS,
    entry_fields,
    exchange_fields,
    instant,
    packed,
    plain,
    unpacked,
)
from scrapy_robots_policy.fetch.exchange import Exchange
from scrapy_robots_policy.rep import CacheEntry, FetchResult
from scrapy_robots_policy.rep.preference import Preference
from scrapy_robots_policy.rep.use_answer import Overridden, UseAnswer

URL = "http://user:hush@here.example/robots.txt"
SHOWN = "http://here.example/robots.txt"


def test_an_exchange_is_recorded_without_secrets():
    secrets = dict.fromkeys(("authorization", "cookie", "proxy-authorization", "x-key"), "hush")
    sent = {"user-agent": "Bot", "if-none-match": '"1"', **secrets}
    received = {"location": URL, "set-cookie": "hush", "etag": '"2"'}
    fields = exchange_fields(Exchange(URL, 0.0, 1.0, 301, "", sent, received))
    assert fields["url"] == fields["received"].pop("location") == SHOWN
    assert fields["received"] == {"etag": '"2"'}
    assert fields["sent"] == {"user-agent": "Bot", "if-none-match": '"1"'}


def test_the_way_of_redirects_is_recorded_without_secrets():
    assert entry_fields(CacheEntry(FetchResult(200, hops=(URL,)), 0.0))["hops"] == [SHOWN]


def test_a_setting_that_names_several_urls_is_recorded_without_their_secrets():
    assert plain(f"{URL} {URL}") == f"{SHOWN} {SHOWN}"


@pytest.mark.parametrize("seconds", [1e12, 1e30, float("inf"), float("nan"), -1e30])
def test_a_moment_beyond_all_dates_is_none(seconds):
    assert instant(seconds) is None


@pytest.mark.slow
def test_octets_are_unpacked_no_further_than_a_robots_txt_goes():
    assert unpacked(packed(b"x" * MAX_OCTETS)) == b"x" * MAX_OCTETS
    with pytest.raises(ValueError, match="far too many"):
        unpacked(packed(b"x" * (MAX_OCTETS + 1)))


@pytest.mark.parametrize("text", ["!" + packed(b"x"), packed(b"x")[:8], "", "eA=="])
def test_what_is_no_packed_file_is_refused(text):
    with pytest.raises(ValueError):  # noqa: PT011 - of several modules
        unpacked(text)


def test_what_a_site_says_of_use_is_cut():
    long = Preference("Content-Usage", "k" * 1000, "v" * 1000, 1)
    (fields,) = preference_fields([long])
    assert len(fields["key"]) == len(fields["value"]) == MAX_TEXT + 1
    assert len(preference_fields([long] * 1000)) == MAX_PREFERENCES
    many = UseAnswer(overridden=(Overridden(long, long, "nearer"),) * 1000)
    assert len(answer_fields(many)["overridden"]) == MAX_PREFERENCES
