"""URLs as origins and as the path that rules are compared with."""

from __future__ import annotations

import string

import pytest

from scrapy_robots_policy.rep import DIALECTS, origin_of, parse
from scrapy_robots_policy.rep.url import (
    RULE_ESCAPES,
    URL_ESCAPES,
    Percent,
    path_of,
    without_dot_segments,
)

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
    "http://example.com。/": "http://example.com",  # RFC 3490 §3.1: a full stop
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
    "http://me;x@h/a;b@c": "/a;b@c",
    "http://me@x;y@h/a": "/a",
    "http://h?me;x@h/a": "/?me;x@h/a",
    "http://h/a@b;c": "/a@b;c",
    "//h/x": "/x",
    "h/x": "/x",
    "h": "/",
    "h?x://y": "/?x://y",
    "//a://b/x": "/x",
    "//a://b": "/",
    "//a/://b/x": "/://b/x",
    "//a?://b/x": "/?://b/x",
    "//a#://b/x": "/",
    "////a://b/x": "//a://b/x",
    "/x": "/x",
    "/x://y/z": "/x://y/z",
    "": "/",
    "#x": "/",
    "http://h/ä": "/ä",
    "http://h/a%3cb": "/a%3cb",
    "http://h/a b": "/a b",
    "http://h/\n": "/\n",
}

BYTES = [
    # how, rule or path, as it is compared
    (Percent.GOOGLE, "rule", "/a%3cb\xe4~%7e", "/a%3Cb%E4~%7E"),
    (Percent.GOOGLE, "path", "/a%3Cb%C3%A4*$", "/a%3Cb%C3%A4*$"),
    (Percent.GOOGLE, "path", "/ä", "/%C3%A4"),
    (Percent.GOOGLE, "path", "/ツ?ツ", "/%E3%83%84?%E3%83%84"),
    (Percent.GOOGLE, "path", "/\U0001f577", "/%F0%9F%95%B7"),
    # half a pair: no URL, and no reason to fail
    (Percent.GOOGLE, "path", "/\ud800", "/%ED%A0%80"),
    (Percent.GOOGLE, "path", "/%e3%83%84%2f", "/%E3%83%84%2F"),
    (Percent.GOOGLE, "path", "/%zz%2", "/%zz%2"),
    (Percent.RFC9309, "rule", "/%7ea%2f\xe4", "/~a%2F%E4"),
    (Percent.RFC9309, "rule", "/*$a$", "/*%24a$"),
    (Percent.RFC9309, "rule", "/%2a%24", "/%2A%24"),
    (Percent.RFC9309, "path", "/%7Ea*$", "/~a%2A%24"),
    (Percent.RFC9309, "path", "/%41%2D%2E%5F%3A%2F", "/A-._:%2F"),
    (Percent.RFC9309, "path", "/%2F?%2F%3F%26?%2F", "/%2F?/?%26?/"),
    (Percent.RFC9309, "rule", "/*%2F?%2F%3F%26?%2F", "/*%2F?/?%26?/"),
    (Percent.RFC9309, "rule", "/a%7cb|%20 ", "/a|b|  "),
    (Percent.KOSTER, "rule", "/%7e%2f%2F%41", "/~%2F%2FA"),
    (Percent.RFC9309, "path", "/ä%e3%2f", "/%C3%A4%E3%2F"),
    (Percent.KOSTER, "path", "/%C3%A4%3F", "/\xc3\xa4?"),
    (Percent.KOSTER, "path", "/ä%c3%a4%2f", "/\xc3\xa4\xc3\xa4%2F"),
    (Percent.URI, "rule", "/%7e a[b]\xe4", "/%7e%20a%5Bb%5D%E4"),
    (Percent.URI, "path", "/%7E%7e|ä", "/%7E%7e%7C%C3%A4"),
]


@pytest.mark.parametrize(("url", "origin"), ORIGINS.items())
def test_an_origin_is_scheme_host_and_effective_port(url: str, origin: str | None):
    assert origin_of(url) == origin


@pytest.mark.parametrize(("url", "path"), PATHS.items())
def test_rules_see_path_parameters_and_query(url: str, path: str):
    assert path_of(url) == path


@pytest.mark.parametrize(("percent", "side", "given", "compared"), BYTES)
def test_escapes_are_treated_the_dialects_way(
    percent: Percent, side: str, given: str, compared: str
):
    prepare = (RULE_ESCAPES if side == "rule" else URL_ESCAPES)[percent]
    assert prepare(given) == compared


ALIKE = set(string.ascii_letters + string.digits + "-._~:@!'(),[] \t\x0b\x0c\"<>\\^`{|}")
CHARS = sorted(set(string.printable) - set("\r\n#"))


@pytest.mark.parametrize(
    ("before", "alike"), [("/a", ALIKE | {"$", "*"}), ("/?a", ALIKE | {"$", "*", "/", "?"})]
)
def test_for_rfc9309_a_character_equals_its_escape_where_it_divides_nothing(
    before: str, alike: set[str]
):
    """RFC 9309 §2.2.2, figures 4 and 6; RFC 3986 §2.2: where it divides, it differs."""
    for char in CHARS:
        raw, escaped = f"{before}{char}b", f"{before}%{ord(char):02X}b"
        # A star in a rule stands for anything, its escape for a star (figure 6).
        pairs = [(escaped, raw)] if char == "*" else [(raw, escaped), (escaped, raw)]
        for rule, path in pairs:
            rules = parse(f"User-agent: *\nDisallow: {rule}\n".encode())
            allowed = [rules.allowed("http://h" + path, "FooBot") for _ in range(3)]
            assert allowed == [char not in alike] * 3, (rule, path)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_path_may_begin_with_any_character(dialect: str):
    """The first question looks only for rules that may match the start of the path."""
    for char in (*CHARS, "ä"):
        url = f"http://h/{char}b"
        for rule in (f"/{char}", "/b"):
            rules = parse(f"User-agent: *\nDisallow: {rule}\n".encode(), dialect)
            answers = [rules.allowed(url, "FooBot") for _ in range(3)]
            assert answers == [rules.verdict(url, "FooBot").allowed] * 3, (rule, url)


@pytest.mark.slow
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_rule_that_is_written_as_the_url_is_matches_it(dialect: str):
    for escape in (f"%{byte:02X}" for byte in range(256)):
        for rule, path in (
            (f"/a{escape}b", f"/a{escape}b"),
            (f"/?a{escape}b", f"/?a{escape}b"),
            (f"/*a{escape}b", f"/xa{escape}b"),
            (f"/*a{escape}b", f"/x?a{escape}b"),
            (f"/*?a{escape}b", f"/x?a{escape}b"),
        ):
            if DIALECTS[dialect].wildcards or "*" not in rule:
                rules = parse(f"User-agent: *\nDisallow: {rule}\n".encode(), dialect)
                assert not rules.allowed("http://h" + path, "FooBot"), (rule, path)
                assert not rules.verdict("http://h" + path, "FooBot").allowed, (rule, path)


# Where a rule does not say where the query starts, any "*" may take the "?".
IN_QUERY = [
    ("/*u=%2Fa", "/x/u=%2Fa", "/x/u=/a"),
    ("/*u=%2Fa", "/x?u=/a", "/x?u=a"),
    ("/*%3Fa%2F", "/?%3Fa%2F", "/?a%2F"),
    ("/*a**b%2F*%3F", "/?ab/?", "/?ba/?"),
    ("/*a**b%2F*%3F", "/a?b/?", "/b?a/?"),
    ("/*a**b%2F*%3F", "/ab%2F?%3F", "/ab/?%3F"),
    ("/a%2F*b%2F?c", "/a%2Fx?b/?c", "/a%2Fx?b?c"),
    ("/*a*b*c*d*%2Fx", "/a?bcd%2Fx", "/a?bdc%2Fx"),
    ("/****:*;%3F", "/a?=:a;%3F", "/a?=;a:%3F"),
    ("/*a*%2Fb$", "/?a/b", "/?a/bc"),
    ("/" + "*a" * 500 + "*%2F", "/" + "a" * 250 + "?" + "a" * 250 + "/", "/" + "a" * 500 + "?b"),
]


@pytest.mark.parametrize(("rule", "refused", "passes"), IN_QUERY)
def test_a_rule_that_does_not_say_where_the_query_starts_is_read_in_each_way(rule, refused, passes):
    rules = parse(f"User-agent: *\nDisallow: {rule}\n".encode())
    assert not rules.allowed(refused, "FooBot")
    [matched] = rules.matching(refused, "FooBot")
    assert rules.match(matched, refused) is not None
    assert rules.allowed(passes, "FooBot")


def test_read_either_way_a_rule_is_as_strong_as_it_is_long():
    rule, shorter, as_long = "/*u=%2Fa%2Fb", "/x?u=/a/bcd", "/x?u=/a/bcde"
    assert len(shorter) < len(rule) == len(as_long)
    for allow, allowed in ((shorter, False), (as_long, True)):
        rules = parse(f"User-agent: *\nDisallow: {rule}\nAllow: {allow}\n".encode())
        assert rules.allowed(f"http://h{as_long}", "FooBot") is allowed


# RFC 3986 §5.2.4
WITHOUT_DOTS = {
    "/a/../b": "/b",
    "/a/./b": "/a/b",
    "/a/%2E%2e/b": "/b",
    "/a/.%2e/b?x=/../y#/../z": "/b?x=/../y#/../z",
    "/a/b/..": "/a/",
    "/a/.": "/a/",
    "/a/..": "/",
    "/../../a": "/a",
    "/a/.../b": "/a/.../b",
    "/a//../b": "/a/b",
}


@pytest.mark.parametrize("path", WITHOUT_DOTS)
def test_dot_segments_are_taken_out_of_a_path(path: str):
    assert without_dot_segments(f"http://h{path}") == f"http://h{WITHOUT_DOTS[path]}"
