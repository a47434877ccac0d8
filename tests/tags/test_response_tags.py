"""What must be true of what is read from a response: nofollow links, meta tags."""

from __future__ import annotations

import pytest
import scrapy
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor
from w3lib.url import canonicalize_url

from scrapy_robots_policy.tags import response as page
from scrapy_robots_policy.tags.response import meta_statements, nofollow_links
from tests.traced_memory import tracing_memory

SITE = "https://site.example/folder/page?q=1"


def response(body: str, encoding: str = "utf-8", url: str = SITE) -> HtmlResponse:
    return HtmlResponse(url, body=body.encode(encoding), encoding=encoding)


def link(href: str, rel: str = "") -> str:
    return f'<a href="{href}" rel="{rel}">text</a>'


# What a page links to: (a request's URL, links with nofollow, links without, is it refused)
LINKS = {
    "refused": ("https://site.example/a", ["/a"], ["/b"], True),
    "no link": ("https://site.example/b", ["/a"], [], False),
    "also without nofollow": ("https://site.example/a", ["/a"], ["/a"], False),
    "without, as an absolute URL": (
        "https://site.example/a",
        ["/a"],
        ["HTTPS://SITE.example/a#top"],
        False,
    ),
    "without, as a relative one": ("https://site.example/a", ["/a"], ["x/../../a"], False),
    "the order of a query": ("https://site.example/?a=1&b=2", ["/?b=2&a=1"], [], True),
    "the order of a query, without": (
        "https://site.example/?a=1&b=2",
        ["/?b=2&a=1"],
        ["/?a=1&b=2"],
        False,
    ),
    "a query alone": ("https://site.example/folder/page?p=2", ["?p=2"], ["?p=3"], True),
    "a blank value": ("https://site.example/a?p=", ["/a?p"], [], True),
    "an empty query": ("https://site.example/a", ["/a?"], [], True),
    "case": ("https://site.example/A", ["/A"], ["/a"], True),
    "another folder": ("https://site.example/a/x", ["/b/x"], [], False),
    "another host": ("https://other.example/a", ["//other.example/a"], ["/a"], True),
    "a host alone": ("https://other.example/", ["//other.example"], [], True),
    "a host alone, without": (
        "https://other.example/",
        ["//other.example"],
        ["https://other.example/"],
        False,
    ),
    "a port": ("https://other.example:8/a", ["//other.example:8/a"], ["//other.example/a"], True),
    "a slash at the end": ("https://site.example/a/", ["/a/"], ["/a"], True),
    "no slash at the end": ("https://site.example/a", ["/a/"], [], False),
    "dots": ("https://site.example/a/", ["/a/b/.."], [], True),
    "dots with a slash": ("https://site.example/a/", ["/a/b/../"], ["/a/b/"], True),
    "dots in a name": ("https://site.example/.a..b", ["/.a..b"], [], True),
    "the page without its fragment": ("https://site.example/folder/page?q=1", ["#top"], [], True),
    "a fragment": ("https://site.example/a#x", ["/a#y"], [], True),
    "escapes of ASCII": ("https://site.example/abc", ["/%61bc"], [], True),
    "escapes of ASCII, without": ("https://site.example/abc", ["/abc"], ["/%61bc"], False),
    "escapes in lower case": ("https://site.example/%C3%A9", ["/%c3%a9"], [], True),
    "an escape that is no UTF-8": ("https://site.example/%E9?%E9", ["/%e9?%e9="], [], True),
    "not ASCII": ("https://site.example/%C3%A9", ["/é"], [], True),
    "not ASCII, without": ("https://site.example/%C3%A9", ["/é"], ["/%C3%A9"], False),
    "a host that is not ASCII": (
        "https://xn--bcher-kva.example/a",
        ["//bücher.example/a"],
        [],
        True,
    ),
    "a path of its own kind": ("https://site.example/a;b/c,d", ["/a;b/c,d"], [], True),
    "white space around": ("https://site.example/a", [" \n/a\t"], [], True),
    "a tab within": ("https://site.example/ab", ["/a\tb"], [], True),
    "another scheme": ("ftp://site.example/a", ["ftp://site.example/a"], [], True),
    "no http": (
        "https://site.example/a",
        ["javascript:a()", "data:text/plain,a", "mailto:a"],
        [],
        False,
    ),
    "a space before the fragment": ("https://site.example/a%20#x", ["/a #x"], [], True),
    "not a URL that can be read": ("http://a:b/", ["//a:b/"], [], False),
    "no URL": ("https://site.example/a", ["//[broken", "http://a:b/", "/a"], ["//[broken"], True),
}


@pytest.mark.parametrize("case", LINKS)
def test_a_request_is_refused_if_all_links_to_its_url_have_nofollow(case):
    url, refused, others, expected = LINKS[case]
    body = "".join([*(link(href, "nofollow") for href in refused), *map(link, others)])
    links = nofollow_links(response(body))
    assert (links is not None and url in links) == expected


RELS = {
    "nofollow": True,
    "NoFollow": True,
    "ugc nofollow": True,
    "nofollow,ugc": True,
    "noopener\tnofollow\nugc": True,
    **{"nofollow".replace(letter, f"&#{ord(letter)};"): True for letter in "flnow"},
    **{"NOFOLLOW".replace(letter, f"&#x{ord(letter):x};"): True for letter in "FLNOW"},
    "&#x4e;OFOLLOW": True,
    "no&#X066;ollow": True,
    "no&#0102ollow": True,
    "ugc&#32;no&#102;ollow": True,
    "no&#1021;ollow": False,
    "no&#8217;follow": False,
    "": False,
    "follow": False,
    "nofollowing": False,
    "x-nofollow": False,
}


@pytest.mark.parametrize("rel", RELS)
@pytest.mark.parametrize("tag", ["a", "AREA"])
def test_which_values_of_rel_are_nofollow(tag, rel):
    links = nofollow_links(response(f'<{tag} href="/a" rel="{rel}">'))
    assert (links is not None and "https://site.example/a" in links) == RELS[rel]


def test_only_pages_that_may_have_nofollow_are_searched_for_links(monkeypatch):
    monkeypatch.setattr("scrapy_robots_policy.tags.response.elements", fail_to_search)
    others = "".join(f"&#{n};&#x{n:x};" for n in range(1500) if chr(n) not in "FLNOWflnow")
    assert nofollow_links(response(f"{link('/a')}{others}&amp;&nbsp;")) is None


def fail_to_search(*_names):
    raise AssertionError("the elements of the page are looked at")


@pytest.mark.parametrize("href", ["data:,a", "JavaScript:a()", "mailto:a@b.example", "tel:1"])
def test_links_to_no_pages_are_not_canonicalised(monkeypatch, href):
    counting = Counting(monkeypatch)
    links = nofollow_links(response(link(href, "nofollow") + link("/a;", "nofollow") + link(href)))
    assert "https://site.example/b;" not in links
    assert [url for url in counting.urls if "site.example" not in url] == []


def test_links_are_joined_with_the_base_of_the_page():
    body = '<base href="//other.example/x/">' + link("a", "nofollow") + '<a rel="nofollow">'
    links = nofollow_links(response(body))
    assert "https://other.example/x/a" in links
    assert "https://site.example/folder/a" not in links


EXTRACTORS = {
    "follow_all": lambda html: html.follow_all(css="a"),
    "urljoin": lambda html: map(
        scrapy.Request, map(html.urljoin, html.css("a::attr(href)").getall())
    ),
    "LinkExtractor": lambda html: map(html.follow, LinkExtractor().extract_links(html)),
    "LinkExtractor, canonicalize": lambda html: [
        scrapy.Request(link.url)
        for link in LinkExtractor(canonicalize=True, unique=False).extract_links(html)
    ],
}
HREFS = [
    "/x?b=2&a=1#f",
    "/é?é=ü",
    "//bücher.example/ü?a=%e9+b%20c",
    "a/../b/",
    "?z",
    "x y",
    "/%7e?%7E",
]


@pytest.mark.parametrize("extractor", EXTRACTORS)
@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_a_request_is_refused_however_the_spider_makes_it(extractor, encoding):
    body = "".join(link(href, "nofollow") for href in HREFS)
    html = response(body, encoding)
    requests = list(EXTRACTORS[extractor](html))
    links = nofollow_links(html)
    assert len(requests) == len(HREFS)
    assert [request.url for request in requests if request.url not in links] == []


PIECES = st.sampled_from(
    [
        *(
            "/",
            "//",
            ".",
            "..",
            "./",
            "../",
            "?",
            "&",
            "=",
            "#",
            ";",
            ":",
            "+",
            "%",
            " ",
            "\t",
            "@",
        ),
        *("a", "b", "A", "a.b", "-", "~", "é", "%61", "%2f", "%3F", "%C3%A9", "%e9", "%25", "1"),
        *("http:", "https://", "ftp:", "data:", "h.example", "a/", "a/b", "?a=1", "&b", "[", "\\"),
    ]
)
SOME_HREFS = st.lists(PIECES, max_size=7).map("".join).map(str.strip)
BASES = st.sampled_from(
    [
        SITE,
        "http://h.example",
        "http://h.example/a//b/c;d?a=1&b",
        "http://me:1@h.example:8/%61/é(/",
        "ftp://h.example/a/b",
        "data:text/html,a",
    ]
)


def absolute(html, href):
    try:
        return html.urljoin(href)
    except ValueError:
        return ""


def canonical(url):
    try:
        return canonicalize_url(url) if url else ""
    except ValueError:
        return ""


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(st.lists(SOME_HREFS), st.lists(SOME_HREFS), BASES)
@example(["%61b://["], [], "data:text/html,a")
def test_links_answer_as_if_all_of_them_were_canonicalised(refused, others, base):
    html = response("", url=base)
    links = page.NofollowLinks(html, set(refused), set(others))
    urls = {href: absolute(html, href) for href in [*refused, *others]}
    expected = {canonical(urls[href]) for href in refused} - {
        canonical(urls[href]) for href in others
    }
    for url in filter(None, urls.values()):
        assert (url in links) == (canonical(url) in expected - {""})


@pytest.mark.slow
@settings(max_examples=500, deadline=None)
@given(SOME_HREFS, BASES)
@example("foo/../", SITE)
@example("//h.example", SITE)
@example("b", "http://h.example/x//a")
def test_a_link_and_its_canonical_url_have_the_same_ending(href, base):
    url = canonical(absolute(response("", url=base), href))
    if url:
        assert page._ending(href) in (None, page._canonical_ending(url))


class Counting:
    """Stands in for canonicalize_url and counts."""

    def __init__(self, monkeypatch):
        self.urls = []
        monkeypatch.setattr(page, "canonicalize_url", self)

    def __call__(self, url, **more):
        self.urls.append(url)
        return canonicalize_url(url, **more)


def many(count, nofollow, shape="/{n}"):
    body = "".join(
        link(shape.format(n=n), "nofollow" if n < nofollow else "") for n in range(count)
    )
    return response(body)


def test_only_links_that_may_be_refused_are_canonicalised(monkeypatch):
    counting = Counting(monkeypatch)
    links = nofollow_links(many(1000, 20))
    assert counting.urls == []
    assert "https://site.example/500" not in links
    assert counting.urls == []
    assert "https://site.example/7" in links
    assert counting.urls == ["https://site.example/7"] * 2  # the request and the link
    assert all(f"https://site.example/{n}" in links for n in range(20))
    assert len(counting.urls) <= 2 * 21


def test_links_to_parts_of_the_page_are_canonicalised_as_one(monkeypatch):
    counting = Counting(monkeypatch)
    links = nofollow_links(many(100, 50, "#part{n}"))
    assert SITE not in links
    # The request, the links with nofollow, those without. From Python 3.14 on, a "#" that is joined
    # to a URL stays.
    assert [url.removesuffix("#") for url in counting.urls] == [SITE] * 3


LONG_HREFS = ["/" + "a" * 500_000, "/?" + "a=b&" * 125_000, "/" + "a/" * 250_000]


@pytest.mark.parametrize("href", LONG_HREFS)
def test_a_link_of_hundreds_of_kilobytes_takes_no_more_memory_than_its_page(href):
    html = response(link("/a", "nofollow") + link(href, "nofollow"))
    assert len(html.css("a")) == 2
    with tracing_memory() as memory:
        assert "https://site.example/a" in nofollow_links(html)
        _, peak = memory()
    assert peak < 4 * len(html.body)


# Pages that make the most work: all links alike but for the folder, or none of them ordinary.
SHAPES = ["/{n}/same", "/%61{n}", "/same?a={n};"]


@pytest.mark.parametrize("shape", SHAPES)
def test_no_link_is_canonicalised_twice_however_many_requests_there_are(monkeypatch, shape):
    counting = Counting(monkeypatch)
    html = many(200, 100, shape)
    links = nofollow_links(html)
    requests = [html.urljoin(shape.format(n=n)) for n in range(200)]
    assert sum(url in links for url in requests) == 100
    assert len(counting.urls) <= 200 + len(requests)


def test_a_page_with_half_a_pair_of_utf_16_is_read():
    """Some encodings that a header may name decode to a lone surrogate, which no UTF-8 has."""
    html = HtmlResponse(
        "https://site.example/",
        body=rb"<meta name=robots content='noai, nofollow'>\ud800<a href=/b rel=nofollow>",
        headers={"Content-Type": "text/html; charset=unicode-escape"},
    )
    assert "\ud800" in html.text
    assert [one.rule for one in meta_statements(html, {"robots"})] == ["noai", "nofollow"]
    assert "https://site.example/b" in nofollow_links(html)


@pytest.mark.parametrize("base", ["http://[site]/", "http://site.example:99999/"])
def test_a_page_whose_base_is_no_url_is_read(base):
    html = response(
        f"<base href='{base}'><meta name=robots content=noindex>"
        + link("https://site.example/a", "nofollow")
    )
    assert [str(one) for one in meta_statements(html, {"robots"})] == ["meta robots: noindex"]
    assert "https://other.example/" not in nofollow_links(html)


def test_nofollow_is_read_in_utf_16_that_is_not_declared():
    body = link("/a", "nofollow").encode("utf-16-le")
    html = HtmlResponse(SITE, body=body, headers={"Content-Type": "text/html"})
    assert html.css("a::attr(href)").getall() == ["/a"]
    assert "https://site.example/a" in nofollow_links(html)


def test_what_stands_after_the_end_of_a_page_is_read():
    html = response(
        "<html><p>text</html><!-- two pages in one --><html><meta name=robots content=noindex>"
        + link("/a", "nofollow")
        + link("/b", "nofollow")
        + "</html>"
        + link("/b")
    )
    assert [str(one) for one in meta_statements(html, {"robots"})] == ["meta robots: noindex"]
    links = nofollow_links(html)
    assert "https://site.example/a" in links
    assert "https://site.example/b" not in links


def test_a_meta_tag_is_read_if_it_has_one_of_the_names():
    html = response(
        '<meta name=" ROBOTS" content="noindex"><meta name="description" content="noindex">'
        '<meta content="noindex"><meta name="robots"><body><META NAME=mybot CONTENT=nofollow>'
    )
    statements = meta_statements(html, {"robots", "mybot"})
    assert [str(one) for one in statements] == ["meta robots: noindex", "meta mybot: nofollow"]
