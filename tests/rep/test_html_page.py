"""What must be true of HTML in place of a robots.txt: only a browser's page is unwrapped."""

from __future__ import annotations

import pytest

from scrapy_robots_policy.rep import DIALECTS, AccessMode, FetchResult, advance, parse
from scrapy_robots_policy.rep.access import WIDE
from scrapy_robots_policy.rep.sniffing import is_html_page, without_browser_page

TEXT = b"User-agent: *\nDisallow: /private?a=1&b=<c>\n"
ESCAPED = b"User-agent: *\nDisallow: /private?a=1&amp;b=&lt;c&gt;\n"

WRAPPED = {
    "Chromium": b'<html><head><meta name="color-scheme" content="light dark"></head><body><pre '
    b'style="word-wrap: break-word; white-space: pre-wrap;">%s</pre></body></html>',
    "Firefox": b'<html><head><link rel="stylesheet" href="resource://content-accessible/'
    b'plaintext.css"></head><body><pre>%s</pre></body></html>',
    "WebKit": b'<html><head></head><body><pre style="a">%s</pre></body></html>',
    "with a container": b'<html><body><pre>%s</pre><div class="json"></div></body></html>',
    "with white space": b"<!DOCTYPE html>\n<HTML>\n<BODY>\n<PRE>%s</PRE>\n</BODY>\n</HTML>\n",
    "cut at the end": b"<html><body><pre>%s</pre>",
    "cut in the text": b"<html><body><pre>%sDisallow: /b",
}


@pytest.mark.parametrize("browser", WRAPPED)
def test_the_text_in_a_browsers_page_is_read(browser: str):
    page = WRAPPED[browser] % ESCAPED
    assert is_html_page(page)
    assert without_browser_page(page) == TEXT


NOT_WRAPPED = {
    "a robots.txt": TEXT,
    "nothing": b"",
    "a page": b"<html><head><title>a</title></head><body><pre>Disallow: /</pre></body></html>",
    "a page with more": b"<html><body><pre>Disallow: /</pre><p>more</p></body></html>",
    "a page with tags in it": b"<html><body><pre><b>Disallow: /</b></pre></body></html>",
    "a page with a script": b"<html><body><script></script><pre>Disallow: /</pre></body></html>",
    "a page with a long end": b"<html><body><pre>a</pre>" + b" " * 1000 + b"</body></html>",
    "a fragment": b"<pre>Disallow: /</pre>",
}


@pytest.mark.parametrize("name", NOT_WRAPPED)
def test_nothing_else_is_unwrapped(name: str):
    assert without_browser_page(NOT_WRAPPED[name]) == NOT_WRAPPED[name]


RULES = b"\nUser-agent: *\nDisallow: /\n"
HTML = b"<!doctype html><html><body>User-agent: *\nDisallow: /\n</body></html>"


@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_html_page_is_read_as_the_dialect_reads_it(dialect: str):
    access = advance(None, FetchResult(200, HTML), 0.0, DIALECTS[dialect].access)
    assert access.is_html
    assert access.why == "200, an HTML page"
    assert access.mode is (AccessMode.ALLOW if dialect == "yandex" else AccessMode.RULES)


@pytest.mark.parametrize(
    "encoding", [f"utf-{n}{order}" for n in (16, 32) for order in ("-le", "-be")]
)
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_file_in_utf16_or_utf32_says_that_nobody_can_read_it(dialect, mark, encoding):
    body = f"{mark}User-agent: *\nDisallow: /\n".encode(encoding)
    access = advance(None, FetchResult(200, body), 0.0, DIALECTS[dialect].access)
    assert access.oddity == WIDE
    assert access.why == "200, in UTF-16 or UTF-32, which nobody can read"
    assert parse(body, dialect).allowed("/a", "MyBot")


@pytest.mark.parametrize(
    "start",
    [*(b"\0" * n for n in range(10)), b"\0\n", b"\xff\xfe", b"\xef\xbb\xbf", b"a\0\n"],
)
def test_a_file_in_bytes_is_not_in_utf16(start):
    access = advance(None, FetchResult(200, start + RULES), 0.0, DIALECTS["rfc9309"].access)
    assert access.oddity == ""
    assert access.why == "200"
    assert not parse(start + RULES).allowed("/a", "MyBot")


@pytest.mark.parametrize("status", [404, 503, None])
def test_the_page_of_an_error_is_no_html_page_in_place_of_a_file(status: int | None):
    access = advance(None, FetchResult(status, HTML), 0.0, DIALECTS["rfc9309"].access)
    assert not access.is_html
    wide = FetchResult(status, RULES.decode().encode("utf-16"))
    assert not advance(None, wide, 0.0, DIALECTS["rfc9309"].access).oddity
