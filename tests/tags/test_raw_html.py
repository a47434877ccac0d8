"""What must be true of the look at a page's octets that decides whether the page is parsed."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scrapy.http import HtmlResponse

from scrapy_robots_policy.rep import DIALECTS
from scrapy_robots_policy.tags.page_preferences import html_preferences, parsed_preferences
from scrapy_robots_policy.tags.raw_html import ASCII_BASED, may_state_use
from tests.traced_memory import tracing_memory

DIALECT = DIALECTS["rfc9309"]
OTHER = ["utf-16", "utf-16-le", "utf-32-be", "utf-7", "iso2022_jp", "iso2022_kr", "hz", "cp037"]
# Characters that encodings of East Asia end with the octet of an ASCII letter or sign.
WIDE = "表ソ能十　漢字ÿü"

STATING = [
    '<meta name="tdm-reservation" content="1">',
    "<meta name=tdm-policy content=https://site.example/policy>",
    '<meta name="robots" content="noindex, noai">',
    "<META CONTENT='noimageai' NAME='ROBOTS' />",
    '<meta name="FooBot" content="noai">',
    '<link rel="license" type="application/rsl+xml" href="/license.xml">',
    "<LINK HREF=/license.xml TYPE='application/rsl+xml; a=b' REL='nofollow license'>",
]
AROUND = [
    "",
    '<html><head><meta charset=utf-8><link rel="stylesheet" href="/a.css">',
    '<!DOCTYPE html><html><head><meta name="description" content="a &#8217; b &amp; c"><p>\n',
    "<script>a = b + c; if (a<meta) {x = '<link '}</script>",
    "<!-- <meta name='x' content='a>b'> --><div title=\"<meta a='\">",
    "<body><p>text & more</p>",
    "<html></html>",
    "<meta a==\"x content='",
    '<meta @a="b content=" c>',
    WIDE,
]
# What a change puts into a page. "\f" and "\v" are white space to some parsers only.
PUT = [*"<>=\"'/ \n\t\f\v&;+\0\x1b~", "<meta ", "<link", "<!--", "-->", '="', "='", "&#0;"]
PUT += ["&#x1;", "&#xD800;", "&shy;", "a=", '">', "/>", "<![CDATA[", "]]>", "\ufeff", *WIDE, "K"]


def referred(character: str, chance: random.Random) -> str:
    """A character as one of its references."""
    names = {"+": "&plus;", "/": "&sol;"}
    number, end = ord(character), chance.choice(["", ";", ";"])
    forms = [f"&#{number}{end}", f"&#x{number:x}{end}", f"&#X00{number:X}{end}", f"&#000{number};"]
    return chance.choice([*forms, names.get(character, forms[0])])


def changed(page: str, chance: random.Random) -> str:
    """A page with one change."""
    at = chance.randrange(len(page) + 1)
    one = page[at : at + 1]
    changes = [
        page[:at] + one.swapcase() + page[at + 1 :],
        page[:at] + one + page[at + 1 :].swapcase(),
        page[:at] + (referred(one, chance) if one else "") + page[at + 1 :],
        page[:at] + chance.choice(PUT) + page[at:],
        page[:at] + chance.choice(PUT) + page[at + 1 :],
        page[:at] + page[at + 1 :],
    ]
    return chance.choice(changes)


@st.composite
def pages(draw: st.DrawFn) -> str:
    parts = [*AROUND, *STATING]
    chosen = draw(st.lists(st.sampled_from(parts), max_size=3))
    page = "".join([*chosen, draw(st.sampled_from(STATING)), draw(st.sampled_from(parts))])
    chance = random.Random(draw(st.integers(0, 2**32)))
    for _ in range(draw(st.integers(0, 4))):
        page = changed(page, chance)
    return page


@pytest.mark.slow
@settings(max_examples=1000)
@given(pages(), st.sampled_from([*["utf-8"] * 8, *sorted(ASCII_BASED), *OTHER]))
def test_no_page_that_says_something_is_left_unparsed(page, encoding):
    body = page.encode(encoding, "ignore")
    response = HtmlResponse("https://site.example/", body=body, encoding=encoding)
    assert may_state_use(response) or not parsed_preferences(response, "FooBot", DIALECT)


@pytest.mark.slow
@pytest.mark.parametrize("encoding", sorted(ASCII_BASED))
def test_an_encoding_made_of_ascii_shows_its_ascii_in_the_octets(encoding):
    """Where text has a run of ASCII characters, the octets have it, too; and no sign of HTML is
    taken for a part of another character, even after an octet that is wrong there.
    """
    for first in [0x5C, 0x7E, *range(0x80, 0x100)]:
        for second in range(256):
            octets = bytes([*b"n", first, second, *b"o"])
            text = octets.decode(encoding, "replace")
            for run in re.findall(r"[\0-\x7f]+", text):
                assert run.encode() in octets
            assert second not in b"<>\"'=&+-/ \t\r\n" or chr(second) in text


# Pages that say something in a way that a search for tags, or for words, does not see at once.
HIDDEN = {
    "a number for a letter": (b'<meta name="tdm&#45;reservation" content="1">', "utf-8"),
    "a hexadecimal one": (b"<META NAME=robots CONTENT=n&#x6F;ai>", "utf-8"),
    "a number for a capital": (b"<meta name=robots content=N&#79;AI>", "utf-8"),
    "a page that has ended": (b"<html><p>a</html>\n<meta name=robots content=noai>", "utf-8"),
    "a link after a page that has ended": (
        b"<html></html><html><link rel=license type=application/rsl+xml href=/l.xml></html>",
        "utf-8",
    ),
    "a number of very many digits": (
        b"<meta name=robots content=n&#" + b"0" * 10_000 + b"111;ai>",
        "utf-8",
    ),
    "a number of more digits than int() takes": (
        b"<meta name=robots content=n&#" + b"0" * 5_000 + b"111;ai>",
        "utf-8",
    ),
    "letters of both cases": (b"<mEtA nAmE='TdM-rEsErVaTiOn' cOnTeNt=1>", "utf-8"),
    "a link in both cases, with no head": (
        b"<p>text<lInK rEl=LiCeNsE tYpE='aPpLiCaTiOn/RsL+xMl' hReF=/l.xml>",
        "utf-8",
    ),
    "a NUL in the name of the tag": (b"<me\0ta name=robots content=noai>", "utf-8"),
    "a NUL in a word": (b"<meta name=robots content=no\0ai>", "utf-8"),
    "a NUL in a reference": (b"<meta name=robots content=n&\0#111;ai>", "utf-8"),
    "white space around =": (b"<meta name = robots content = 'a>,noai'>", "utf-8"),
    "a bare value with a quote": (b"<meta a=b\"c content='d>\",noai' name=robots>", "utf-8"),
    "a tag that begins in a title": (
        b"<p title=\"<meta a='\"><meta content=' >, noai' name='robots'>",
        "utf-8",
    ),
    "a tag that begins in a title, in the other quotes": (
        b'<p title=\'<meta a="\'><meta content=" >, noai" name="robots">',
        "utf-8",
    ),
    "UTF-16": ("<meta name=robots content=noai>".encode("utf-16-le"), "utf-16-le"),
    "UTF-16 in both cases": (
        "\ufeff<p><MeTa NaMe=RoBoTs CoNtEnT=nOaI>".encode("utf-16-be"),
        "utf-16",
    ),
    "EBCDIC": ("<meta name=robots content=noai>".encode("cp037"), "cp037"),
    "half a pair of UTF-16": (rb"\ud800<meta name=robots content=n\u006fai>", "unicode_escape"),
    "a shift in a word": (b"<meta name=robots content=no\x1b(Bai>", "iso2022_jp"),
}


@pytest.mark.parametrize("name", HIDDEN)
def test_a_word_that_is_hidden_from_a_search_is_found(name):
    body, encoding = HIDDEN[name]
    response = HtmlResponse("https://site.example/", body=body, encoding=encoding)
    assert html_preferences(response, "FooBot", DIALECT)


# The same, where only some parsers read what it says: those of HTML 5 know more names.
HIDDEN_TO_SOME = {
    "named references": b"<link rel=license type=application&sol;rsl&plus;xml href=/l.xml>",
    "a reference that is left out": b"<meta name=robots content='no&#0;ai'>",
    "a form feed": b"<meta a=\x0c'b content=' c>,noai' name=robots>",
}


@pytest.mark.parametrize("name", HIDDEN_TO_SOME)
def test_a_page_is_parsed_if_some_parser_reads_a_word_in_it(name):
    body = HIDDEN_TO_SOME[name]
    assert may_state_use(HtmlResponse("https://site.example/", body=body, encoding="utf-8"))


# Pages that say nothing, and whether they are parsed.
SILENT = {
    "nothing": ("<html><head><title>t</title></head><p>text</p>", False),
    "ordinary tags": (
        '<meta charset="utf-8"/><META name=a content="b=c > &#8217;"><link href=/a.css?b+c rel=x>',
        False,
    ),
    "a word in the text": ("<meta name='a' content='b'><p>noai, tdm-reservation</p>", False),
    "a word in another tag": ("<meta name='a' content='b'><p class='noai'>", False),
    "an odd tag and no word": ("<meta name = 'a' content='<b>'><p>text</p>", False),
    "a word in a meta tag": ("<meta name='description' content='what noai means'>", True),
    "a number above all characters": (
        "<meta name='description' content='&#" + "1" * 10_000 + ";'>",
        True,
    ),
    "an odd tag and a word": ("<meta name = 'a'><p>noai</p>", True),
}


@pytest.mark.parametrize("name", SILENT)
def test_a_page_is_parsed_only_if_a_tag_has_a_word(name):
    page, parsed = SILENT[name]
    response = HtmlResponse("https://site.example/", body=page.encode(), encoding="utf-8")
    assert may_state_use(response) is parsed
    assert html_preferences(response, "FooBot", DIALECT) == ()


def test_a_page_of_ordinary_tags_is_not_decoded(monkeypatch):
    page = b"<meta charset='utf-8'><meta name='a' content='b'><p>text</p>"
    response = HtmlResponse("https://site.example/", body=page, encoding="utf-8")
    monkeypatch.setattr(HtmlResponse, "text", property(lambda _: pytest.fail("decoded")))
    assert not may_state_use(response)


# Pages that make a search take memory: one tag of very many attributes; no page, but a file of
# random octets that is sent as HTML.
LARGE = {
    "attributes": (b"<meta" + b" a" * 100_000 + b"><meta name='a' content='noa'>", 4),
    "random octets": (random.Random(1).randbytes(1_000_000), 12),
}


@pytest.mark.parametrize("name", LARGE)
def test_a_search_takes_few_times_the_memory_of_its_page(name):
    body, most = LARGE[name]
    response = HtmlResponse("https://site.example/", body=body, encoding="utf-8")
    assert response.text
    with tracing_memory() as memory:
        assert not may_state_use(response)
        _, peak = memory()
    assert peak < most * len(body)
