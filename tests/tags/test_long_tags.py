"""What must be true of HTML with very many attributes in a tag."""

from __future__ import annotations

import pytest
from parsel import Selector
from scrapy.http import HtmlResponse

from scrapy_robots_policy.rep import DIALECTS
from scrapy_robots_policy.tags.long_tags import MAX_ATTRIBUTES, without_long_tags
from scrapy_robots_policy.tags.page_preferences import html_preferences
from scrapy_robots_policy.tags.response import elements

NOAI = "<meta name=robots content=noai>"
ATTRIBUTES = [" a{}", " a{}='>'", ' a{} = "<"', "/a{}", " a{}=x", "\na{}=<p", " a{}='x'"]


def tag(attribute: str, count: int) -> str:
    return f"<p{''.join(attribute.format(number) for number in range(count))}>"


@pytest.mark.parametrize("attribute", ATTRIBUTES)
def test_a_tag_keeps_its_first_attributes_and_the_page_all_its_tags(attribute):
    long, longest = tag(attribute, 5_000), tag(attribute, MAX_ATTRIBUTES)
    html = f"<b>{long}<i x='{long[:100]}'>{NOAI}{long}{NOAI}"
    cut = without_long_tags(html)
    assert cut == f"<b>{longest}<i x='{long[:100]}'>{NOAI}{longest}{NOAI}"
    assert without_long_tags(longest) == longest


@pytest.mark.parametrize("attribute", ATTRIBUTES)
def test_a_cut_tag_has_few_attributes_to_a_parser(attribute):
    html = without_long_tags(tag(attribute, 5_000) + NOAI)
    (paragraph,) = Selector(text=html, type="html").root.iter("p")
    assert len(paragraph.attrib) <= MAX_ATTRIBUTES


@pytest.mark.parametrize("attribute", ATTRIBUTES)
def test_what_a_page_says_is_read_behind_a_tag_of_very_many_attributes(attribute, monkeypatch):
    """The selector of the response would take 17 s for 44,000 of them."""
    body = (tag(attribute, 5_000) + NOAI).encode()
    response = HtmlResponse("https://site.example/", body=body, encoding="utf-8")
    monkeypatch.setattr(HtmlResponse, "selector", property(lambda _: pytest.fail("parsed whole")))
    (preference,) = html_preferences(response, "FooBot", DIALECTS["rfc9309"])
    assert preference.value == "noai"


@pytest.mark.parametrize(
    "html", ["", "<", "<p", "<p a", "<p a='", "text", tag(" a{}", 3), "<p a=>"]
)
def test_other_html_is_left_as_it_is(html):
    assert without_long_tags(html) == html
    response = HtmlResponse("https://site.example/", body=html.encode(), encoding="utf-8")
    attributes = [dict(paragraph.attrib) for paragraph in elements(response, "p")]
    assert attributes == [dict(paragraph.attrib) for paragraph in response.selector.root.iter("p")]


def test_an_equal_page_is_read_by_its_own_selector():
    """Callbacks use that, too: a second one would parse the page twice."""
    for _ in range(2):
        response = HtmlResponse("https://site.example/", body=NOAI.encode(), encoding="utf-8")
        (root,) = response.selector.root.xpath("/*")
        (meta,) = elements(response, "meta")
        assert meta.getroottree().getroot() is root
