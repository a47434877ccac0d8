"""What must be true of pages that make work, or hide what they say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy import Request
from scrapy.http import HtmlResponse
from scrapy.utils.test import get_crawler

from scrapy_robots_policy import RobotsTagMiddleware
from scrapy_robots_policy.rep.tags import read_meta
from scrapy_robots_policy.tags import statements
from tests.on_reactor import on_reactor
from tests.tags.pages import Row, asking, crawl_rows
from tests.traced_memory import tracing_memory

pytestmark = pytest.mark.slow  # whole crawls

URL = "https://site.example/"
NOAI = "<meta name=robots content=noai>"
REFUSING = {
    "a number for a letter": b'<meta name="tdm&#45;reservation" content="1">',
    "a hexadecimal one": b"<META NAME=robots CONTENT=n&#x6F;ai>",
    "a page that has ended": b"<html><p>a</html>\n<meta name=robots content=noai>",
    "a number of very many digits": b"<meta name=robots content=n&#" + b"0" * 10_000 + b"111;ai>",
    "letters of both cases": b"<mEtA nAmE='TdM-rEsErVaTiOn' cOnTeNt=1>",
    "a NUL in the name of the tag": b"<me\0ta name=robots content=noai>",
    "a NUL in a word": b"<meta name=robots content=no\0ai>",
    "a NUL in a reference": b"<meta name=robots content=n&\0#111;ai>",
    "white space around =": b"<meta name = robots content = 'a>,noai'>",
    "a bare value with a quote": b"<meta a=b\"c content='d>\",noai' name=robots>",
    "a tag in a title": b"<p title=\"<meta a='\"><meta content=' >, noai' name='robots'>",
    "UTF-16": NOAI.encode("utf-16-le"),
    "UTF-16 in both cases": "\ufeff<p><MeTa NaMe=RoBoTs CoNtEnT=nOaI>".encode("utf-16-be"),
}
ENCODED = {
    "cp037": NOAI.encode("cp037"),
    "unicode_escape": rb"\ud800<meta name=robots content=n\u006fai>",
    "iso2022_jp": b"<meta name=robots content=no\x1b(Bai>",
}
SILENT = {
    "ordinary tags": b'<meta charset="utf-8"/><META name=a content="b=c > &#8217;"><link rel=x>',
    "a word in the text": b"<meta name='a' content='b'><p>noai, tdm-reservation</p>",
    "a word in another tag": b"<meta name='a' content='b'><p class='noai'>",
    "a word in a description": b"<meta name='description' content='what noai means'>",
    "a number above all characters": b"<meta name=a content='&#" + b"1" * 10_000 + b";'>",
    "a comment": b"<!-- <meta name=robots content=noai> -->",
    "bytes that are no text": bytes(range(256)) * 1_000,
}
ATTRIBUTES = (" a{}", " a{}='>'", ' a{} = "<"', "/a{}", " a{}=x", "\na{}=<p", " a{}='x'")


def row(body, kept, charset=""):
    kind = f"text/html; charset={charset}" if charset else "text/html"
    return Row(body, {"Content-Type": kind}, make=asking(), kept=kept)


def long_tag(attribute):
    """A tag of some 400 KB, and a refusal behind it."""
    return f"<p{''.join(attribute.format(number) for number in range(44_000))}>{NOAI}".encode()


@on_reactor
async def test_what_a_page_says_is_heard_however_it_is_written_and_nothing_else(web):
    rows = {name: row(body, False) for name, body in REFUSING.items()}
    rows |= {charset: row(body, False, charset) for charset, body in ENCODED.items()}
    rows |= {name: row(body, True) for name, body in SILENT.items()}
    spider = await crawl_rows(web, rows, ROBOTS_PURPOSE="train-ai")
    assert spider.items.keys() == {name for name, one in rows.items() if one.kept}


@on_reactor
async def test_a_tag_of_very_many_attributes_is_not_parsed_whole(web, monkeypatch):
    """libxml2 takes time by the square of their number: 17 s for each of these pages."""
    whole = property(lambda _: pytest.fail("parsed whole"))
    monkeypatch.setattr(HtmlResponse, "selector", whole)
    rows = {attribute: row(long_tag(attribute), False) for attribute in ATTRIBUTES}
    spider = await crawl_rows(web, rows, ROBOTS_PURPOSE="train-ai")
    assert spider.refused.keys() == rows.keys()


def output_of(response, *outputs, **settings):
    """What the middleware lets pass of what a callback has made of a page."""
    crawler = get_crawler(settings_dict=settings)
    crawler.spider = crawler._create_spider("test")
    middleware = RobotsTagMiddleware(crawler)
    return list(middleware.process_spider_output(response, outputs))


DROPPING = dict.fromkeys(("nofollow", "noindex", "noarchive", "expired", "rel-nofollow"), "drop")


@given(
    st.lists(st.text(max_size=40), max_size=3),
    st.text(max_size=100),
    st.sampled_from(["utf-8", "utf-16", "latin-1", "utf-7", "shift_jis"]),
)
def test_no_header_and_no_html_is_an_error(values, text, encoding):
    names = ("X-Robots-Tag", "Content-Usage", "Link", "tdm-reservation")
    headers = {name: [value.encode("utf-8", "replace") for value in values] for name in names}
    body = (
        f'<meta name="robots" content="{text}"><base href="{text}"><a rel=nofollow href="{text}">'
    )
    response = HtmlResponse(
        URL,
        headers=headers,
        body=body.encode(encoding, "ignore"),
        encoding=encoding,
        request=Request(URL),
    )
    outputs = ({"url": 1}, Request(f"{URL}a"))
    kept = output_of(response, *outputs, ROBOTS_TAGS=DROPPING, ROBOTS_PURPOSE="train-ai")
    assert [one for one in kept if one not in outputs] == []


def test_a_page_without_a_host_has_no_tags_to_obey():
    request = Request("data:text/html,")
    response = HtmlResponse(request.url, body=NOAI.encode(), request=request)
    assert output_of(response, {"url": 1}, ROBOTS_PURPOSE="train-ai") == [{"url": 1}]


@pytest.mark.parametrize("content", ["noindex", "max-snippet: 1, " * 1_000])
def test_of_very_many_tags_no_more_than_a_bound_is_read(content, monkeypatch):
    read = []
    monkeypatch.setattr(
        statements, "read_meta", lambda *args: read.append(args[1]) or read_meta(*args)
    )
    body = f"<meta name=robots content='{content}'>" * 20_000
    response = HtmlResponse(URL, body=body.encode(), request=Request(URL))
    output_of(response, {"url": 1}, ROBOTS_TAGS=DROPPING)
    assert len(read) <= statements.MAX_TAGS
    assert sum(map(len, read)) <= statements.MAX_CHARACTERS


@pytest.mark.parametrize(
    "href", ["/" + "a" * 500_000, "/?" + "a=b&" * 125_000, "/" + "a/" * 250_000]
)
def test_a_link_of_hundreds_of_kilobytes_takes_no_more_memory_than_its_page(href):
    body = f'<a href="/a" rel="nofollow">a</a><a href="{href}" rel="nofollow">b</a>'
    response = HtmlResponse(URL, body=body.encode(), encoding="utf-8", request=Request(URL))
    assert len(response.css("a")) == 2
    with tracing_memory() as memory:
        assert output_of(response, Request(f"{URL}a"), ROBOTS_TAGS=DROPPING) == []
        _, peak = memory()
    assert peak < 4 * len(body)
