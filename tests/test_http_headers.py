"""What must be read from a response's headers."""

from __future__ import annotations

import pytest

from scrapy_robots_policy.fetch.http_headers import lifetime, media_type, retry_after

NOW = 1_795_000_000.0  # Thu, 18 Nov 2026 08:26:40 GMT
DATE = "Wed, 18 Nov 2026 11:06:40 GMT"
LATER = "Wed, 18 Nov 2026 12:06:40 GMT"

LIFETIMES = [
    ({}, None),
    ({"cache-control": "max-age=60"}, 60.0),
    ({"cache-control": 'public, MAX-AGE = "60"'}, 60.0),
    ({"cache-control": "max-age=60", "age": "20"}, 40.0),
    ({"cache-control": "max-age=60", "age": "90"}, 0.0),
    ({"cache-control": "max-age=60", "age": "old"}, 60.0),
    ({"cache-control": "s-maxage=60"}, None),  # for shared caches
    ({"cache-control": "no-cache"}, 0.0),
    ({"cache-control": "max-age=60, no-store"}, 0.0),
    ({"cache-control": "no-cacheable"}, None),
    ({"cache-control": "max-age=60", "expires": "0"}, 60.0),
    ({"expires": LATER, "date": DATE}, 3600.0),
    ({"expires": LATER}, 3600.0),
    ({"expires": "Wed, 18 Nov 2020 12:06:40 GMT"}, 0.0),
    ({"expires": "0"}, 0.0),
    ({"expires": "-1", "date": DATE}, 0.0),
]


@pytest.mark.parametrize(("headers", "seconds"), LIFETIMES)
def test_lifetime(headers, seconds):
    assert lifetime(headers, NOW) == seconds


@pytest.mark.parametrize(
    ("told", "seconds"),
    [
        ("120", 120.0),
        (" 0 ", 0.0),
        (LATER, 3600.0),
        ("Wed, 18 Nov 2020 12:06:40 GMT", 0.0),
        ("", None),
        ("soon", None),
        ("-1", None),
        ("1" * 400, None),
    ],
)
def test_retry_after(told, seconds):
    assert retry_after({"retry-after": told}, NOW) == seconds


@pytest.mark.parametrize(
    ("told", "kind"),
    [("Text/HTML; charset=x", "text/html"), (" text/plain ", "text/plain"), ("", "")],
)
def test_media_type(told, kind):
    assert media_type({"content-type": told}) == kind
