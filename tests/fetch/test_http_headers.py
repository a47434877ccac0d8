"""What must be read from a response's headers."""

from __future__ import annotations

import pytest

from scrapy_robots_policy.fetch.http_headers import (
    can_be_sent,
    lifetime,
    media_type,
    retry_after,
    validator,
)

NOW = 1_795_000_000.0  # Wed, 18 Nov 2026 11:06:40 GMT
DATE = "Wed, 18 Nov 2026 10:51:40 GMT"  # the site's clock is a quarter of an hour late
AFTER_DATE = "Wed, 18 Nov 2026 11:51:40 GMT"  # an hour after DATE
LATER = "Wed, 18 Nov 2026 12:06:40 GMT"  # an hour after NOW

LIFETIMES = [
    ({}, None),
    ({"cache-control": "max-age=60"}, 60.0),
    ({"cache-control": 'public, MAX-AGE = "60"'}, 60.0),
    ({"cache-control": "max-age=60", "age": "20"}, 40.0),
    ({"cache-control": "max-age=60", "age": "90"}, 0.0),
    ({"cache-control": "max-age=60", "age": "old"}, 60.0),
    ({"cache-control": "max-age=60", "age": "20 , 0"}, 40.0),
    ({"cache-control": "max-age=60", "age": ", 20"}, 60.0),
    ({"cache-control": "max-age=60", "date": DATE}, 60.0),  # RFC 9111 §4.2.3: by its Age alone
    ({"cache-control": "max-age=-1"}, 0.0),
    ({"cache-control": "public, max-age", "expires": AFTER_DATE}, 0.0),
    ({"cache-control": "max-age-of=60"}, None),
    ({"cache-control": "max-age=\u0663"}, 0.0),  # a digit, but none of HTTP's
    ({"cache-control": f"max-age={'9' * 400}"}, 9_999_999_999.0),
    ({"cache-control": "s-maxage=60"}, None),  # for shared caches
    ({"cache-control": "no-cache"}, 0.0),
    ({"cache-control": "max-age=60, no-store"}, 0.0),
    ({"cache-control": "no-cacheable"}, None),
    ({"cache-control": "max-age=60", "expires": "0"}, 60.0),
    ({"expires": AFTER_DATE, "date": DATE}, 3600.0),  # RFC 9111 §4.2.1: by the site's clock
    ({"expires": AFTER_DATE, "date": DATE, "age": "3000"}, 600.0),
    ({"expires": AFTER_DATE, "date": "yesterday"}, 2700.0),
    ({"expires": LATER}, 3600.0),
    ({"expires": "Wed, 18 Nov 2020 12:06:40 GMT"}, 0.0),
    ({"expires": "0"}, 0.0),
    ({"expires": "-1", "date": DATE}, 0.0),
]


@pytest.mark.parametrize(("headers", "seconds"), LIFETIMES)
def test_lifetime(headers, seconds):
    assert lifetime(headers, NOW) == seconds


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120.0),
        (" 0 ", 0.0),
        (LATER, 3600.0),
        ("Wed, 18 Nov 2020 12:06:40 GMT", 0.0),
        ("", None),
        ("soon", None),
        ("-1", None),
        ("1" * 400, None),
        ("\u00b2", None),  # a digit to Python, and no number
        ("Wed, 18 Nov 99999999999999999999 12:06:40 GMT", None),
    ],
)
def test_retry_after(value, seconds):
    assert retry_after({"retry-after": value}, NOW) == seconds


@pytest.mark.parametrize(
    ("value", "kind"),
    [("Text/HTML; charset=x", "text/html"), (" text/plain ", "text/plain"), ("", "")],
)
def test_media_type(value, kind):
    assert media_type({"content-type": value}) == kind


def test_what_is_kept_of_a_header_is_bounded():
    headers = {"content-type": "x" * 10_000, "etag": "x" * 1001, "last-modified": "x" * 1000}
    assert len(media_type(headers)) == 100
    assert [len(validator(headers, name)) for name in ("etag", "last-modified")] == [0, 1000]


@pytest.mark.parametrize("value", ["", '"\x1b[2J"', '"a\0"', '"a"\r\nX: y', '"\x7f"'])
def test_a_control_character_cannot_be_sent(value):
    assert not can_be_sent(value)


@pytest.mark.parametrize("value", ['"1"', 'W/"a\tb"', '"\x80\xff"'])
def test_any_other_octet_can_be_sent(value):
    assert can_be_sent(value)
