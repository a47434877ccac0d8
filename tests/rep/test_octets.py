"""URLs as origins and as the path that rules are compared with."""

from __future__ import annotations

import pytest

from scrapy_robots_policy.rep import origin_of
from scrapy_robots_policy.rep.dialects.options import Percent
from scrapy_robots_policy.rep.url import path_of, rule_octets, url_octets

ORIGINS = {
    "http://example.com": "http://example.com",
    "http://example.com/a?b#c": "http://example.com",
    "HTTP://EXAMPLE.com/": "http://example.com",
    "http://example.com:80/": "http://example.com",
    "https://example.com:443/": "https://example.com",
    "ftp://example.com:21/": "ftp://example.com",
    "http://example.com:443/": "http://example.com:443",
    "http://example.com:/": "http://example.com",
    "http://example.com:080/": "http://example.com",
    "http://user:secret@example.com/": "http://example.com",
    "http://user@example.com:8080/": "http://example.com:8080",
    "http://example.com./": "http://example.com",
    "http://bücher.example/": "http://xn--bcher-kva.example",
    "http://BÜCHER.example/": "http://xn--bcher-kva.example",
    "http://xn--bcher-kva.example/": "http://xn--bcher-kva.example",
    "http://127.0.0.1:8000/": "http://127.0.0.1:8000",
    "http://[::1]/": "http://[::1]",
    "http://[2001:DB8::1]:80/": "http://[2001:db8::1]",
    "http://[::1]:8080/x": "http://[::1]:8080",
    "http://under_score.example/": "http://under_score.example",
    # no robots.txt speaks for these
    "": None,
    "/a": None,
    "//example.com/a": None,
    "example.com": None,
    "mailto:a@example.com": None,
    "data:text/plain,x": None,
    "file:///etc/passwd": None,
    "s3://bucket/key": None,
    "http://": None,
    "http:///a": None,
    "http://:80/": None,
    "http://example.com:port/": None,
    "http://example.com:99999/": None,
    "http://example.com:-1/": None,
    "http://[::1/": None,
}

PATHS = {
    "http://h/a": "/a",
    "http://h": "/",
    "http://h/": "/",
    "http://h?a": "/?a",
    "http://h;x": "/;x",
    "http://h#x": "/",
    "http://h/a#b": "/a",
    "http://h/a?b#c?d": "/a?b",
    "http://h/a?": "/a?",
    "http://h/a;b?c": "/a;b?c",
    "http://h//a": "//a",
    "http://h/http://x": "/http://x",
    "http://h?u=http://x/y": "/?u=http://x/y",
    "http://user@h:80/a": "/a",
    "//h/x": "/x",
    "h/x": "/x",
    "h": "/",
    "h?x://y": "/?x://y",
    "/x": "/x",
    "/x://y/z": "/x://y/z",
    "": "/",
    "#x": "/",
    "http://h/ä": "/%C3%A4",
    "http://h/ツ?ツ": "/%E3%83%84?%E3%83%84",
    "http://h/\U0001f577": "/%F0%9F%95%B7",
    "http://h/\ud800": "/%ED%A0%80",  # half a pair: no URL, and no reason to fail
    "http://h/%e3%83%84": "/%E3%83%84",
    "http://h/a%3cb": "/a%3Cb",
    "http://h/%zz%2": "/%zz%2",
    "http://h/%2f": "/%2F",
    "http://h/a b": "/a b",
    "http://h/\n": "/\n",
}

OCTETS = [
    # how, rule or path, as it is compared
    (Percent.GOOGLE, "rule", "/a%3cb\xe4~%7e", "/a%3Cb%E4~%7E"),
    (Percent.GOOGLE, "path", "/a%3Cb%C3%A4*$", "/a%3Cb%C3%A4*$"),
    (Percent.RFC9309, "rule", "/%7ea%2f\xe4", "/~a%2F%E4"),
    (Percent.RFC9309, "rule", "/*$a$", "/*%24a$"),
    (Percent.RFC9309, "rule", "/%2a%24", "/%2A%24"),
    (Percent.RFC9309, "path", "/%7Ea*$", "/~a%2A%24"),
    (Percent.RFC9309, "path", "/%41%2D%2E%5F%3A", "/A-._%3A"),
    (Percent.KOSTER, "rule", "/%7e%2f%2F%41", "/~%2F%2FA"),
    (Percent.KOSTER, "path", "/%C3%A4%3F", "/\xc3\xa4?"),
    (Percent.URI, "rule", "/%7e a[b]\xe4", "/%7e%20a%5Bb%5D%E4"),
    (Percent.URI, "path", "/%7E|", "/%7E%7C"),
]


@pytest.mark.parametrize(("url", "origin"), ORIGINS.items())
def test_an_origin_is_scheme_host_and_effective_port(url: str, origin: str | None):
    assert origin_of(url) == origin


@pytest.mark.parametrize(("url", "path"), PATHS.items())
def test_rules_see_path_parameters_and_query_in_their_rfc3986_form(url: str, path: str):
    assert path_of(url) == path


@pytest.mark.parametrize(("percent", "side", "given", "compared"), OCTETS)
def test_escapes_are_treated_the_dialects_way(
    percent: Percent, side: str, given: str, compared: str
):
    prepare = rule_octets(percent) if side == "rule" else url_octets(percent)
    assert prepare(given) == compared
