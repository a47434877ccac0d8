"""No text of others makes a function take more than linear time.

`tests/rep/test_hostile.py` counts calls. It does not see what one call takes: an expression that
goes back, a search from the start of the file for each line, a long value that is compared again
and again. So here CPU time is compared: that of one long text, and that of `PARTS` short ones that
have as many characters together. Linear work takes 1 times as long, quadratic work `PARTS` times.
There is no bound on the time itself, and of some tries the best one counts: a busy machine fails no
test.
"""

from __future__ import annotations

import gc
import json
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import count, product
from typing import Any, NamedTuple

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse, Response

from scrapy_robots_policy.core.redirects import redirect_target
from scrapy_robots_policy.core.result import (
    by_name,
    check_answer,
    lifetime,
    media_type,
    retry_after,
    whole_lines,
)
from scrapy_robots_policy.core.unpacking import (
    UnreadableBodyError,
    can_unpack,
    encodings_of,
    unpack,
)
from scrapy_robots_policy.owners.lint import lint
from scrapy_robots_policy.rep import DIALECTS, FetchResult, judge, parse, product_token
from scrapy_robots_policy.rep.access import remember
from scrapy_robots_policy.rep.agents import chain_of, is_name, is_token, names_in_full
from scrapy_robots_policy.rep.delay import seconds as seconds_of
from scrapy_robots_policy.rep.escapes import brief, nearest, quoted, shown, without_userinfo
from scrapy_robots_policy.rep.page import (
    read_link_header,
    read_signal_header,
    read_tdm,
    read_usage_header,
    refusal_of,
)
from scrapy_robots_policy.rep.sniffing import (
    is_html_page,
    is_wide,
    looks_like_text,
    without_browser_page,
)
from scrapy_robots_policy.rep.tags import read_header, read_meta, tags_of
from scrapy_robots_policy.rep.tdmrep import TdmRules
from scrapy_robots_policy.rep.text import readable_lines
from scrapy_robots_policy.rep.url import client_forms, origin_of, path_of, server_forms
from scrapy_robots_policy.rep.usage.preferences import (
    CONTENT_SIGNAL,
    LICENSE,
    PURPOSES,
    TDM_POLICY,
    DeclaredUse,
    Place,
)
from scrapy_robots_policy.rep.usage.values import read_value, split_value
from scrapy_robots_policy.rep.verdict import refuse
from scrapy_robots_policy.tags.html import without_long_tags
from scrapy_robots_policy.tags.nofollow import nofollow_links
from scrapy_robots_policy.tags.preferences import header_preferences, html_preferences
from scrapy_robots_policy.tags.statements import header_statements, meta_statements

pytestmark = pytest.mark.slow

PARTS = 16
LIMIT = 3  # times as long; what is linear, with the sorting that it needs, takes 1.5 at most
TRIES = 5
ROUNDS = 8  # of a try, at most
SIZE = 4_000  # characters of the short texts
STEP = 17  # by so much texts differ: no cache knows a text from the one before
# CPU time that can be compared, in seconds. Shorter times count as this one.
SHORTEST = max(0.002, 4 * time.get_clock_info("thread_time").resolution)

Make = Callable[[int], Any]
Run = Callable[[Any], object]


class Case(NamedTuple):
    """What is done, with which text. `size`: of the short texts."""

    run: Run
    make: Make
    size: int = SIZE


def cpu_time(run: Run, texts: Iterable[Any]) -> float:
    begun = time.thread_time()
    for text in texts:
        run(text)
    return time.thread_time() - begun


def times_as_long(case: Case, lengths: Iterator[int]) -> float:
    """How many times as long one text takes as `PARTS` texts that are as long together."""
    of_one = of_parts = 0.0
    for _ in range(ROUNDS):
        sizes = [next(lengths) for _ in range(PARTS)]
        of_parts += cpu_time(case.run, [case.make(size) for size in sizes])
        of_one += cpu_time(case.run, [case.make(sum(sizes))])
        if of_parts >= SHORTEST:
            break
    return of_one / max(of_parts, SHORTEST)


def repeated(part: str, head: str = "", tail: str = "") -> Make:
    return lambda size: head + (part * (size // len(part) + 1))[:size] + tail


def numbered(part: str, head: str = "", tail: str = "") -> Make:
    """With numbers that no other text has."""

    def make(size: int) -> str:
        first = 100_000 * size
        numbers = range(first, first + size // len(part % first))
        return head + "".join(part % number for number in numbers) + tail

    return make


def nested(line: str, head: str = "") -> Make:
    """Each value starts with the one before."""
    return lambda size: (
        head + "".join(line % ("a" * length) for length in range(int((2 * size) ** 0.5)))
    )


def one_after_another(*makes: Make) -> Make:
    return lambda size: "".join(make(size // len(makes)) for make in makes)


# Files

FOO = "User-agent: FooBot\n"
URLS = ("https://example.com/" + "a" * 300, "/x?" + "a/%2F" * 50)
USE = DeclaredUse(frozenset(PURPOSES), "full", ("Google-Extended",))
SEVERAL = ("rfc9309", "google", "yandex", "koster1996", "original1994")
STANDARD, LENIENT, PERL, PATTERN = ("rfc9309",), ("google",), ("original1994",), ("360",)

FILES: dict[str, tuple[tuple[str, ...], Make]] = {
    "rules that match": (SEVERAL, repeated("Disallow: /\n", FOO)),
    "rules that match by a star": (STANDARD, repeated("Disallow: *a\n", FOO)),
    "rules without a path": (STANDARD, repeated("Disallow:\n", FOO)),
    "rules": (SEVERAL, numbered("Disallow: /%d\n", FOO)),
    "stars behind one start": (STANDARD, numbered("Disallow: /*%d\n", FOO)),
    "escaped slashes behind stars": (STANDARD, numbered("Disallow: /*a%%2F%d\n", FOO)),
    "stars in a rule": (STANDARD, repeated("*a", FOO + "Disallow: /", "b")),
    "stars and escaped slashes in a rule": (STANDARD, repeated("*%2F", FOO + "Disallow: /x")),
    "starts of starts": (SEVERAL, nested("Disallow: /%s\n", FOO)),
    "index pages": (LENIENT, numbered("Allow: /%d/index.html\n", FOO)),
    "rules that name sites": (PERL, numbered("Disallow: http://h%d/\n", FOO)),
    "a rule that is a long URL": (PERL, repeated("a.", FOO + "Disallow: http://")),
    "rules before all groups": (PERL, repeated("Disallow: /\n")),
    "groups": (SEVERAL, repeated(FOO + "Disallow: /x\n")),
    "groups of others": ((*SEVERAL, *PATTERN), numbered("User-agent: b%d\nDisallow: /\n")),
    "names with stars": (PATTERN, numbered("User-agent: *o*%d*\nDisallow: /\n")),
    "stars in a name": (PATTERN, repeated("*o", "User-agent: f")),
    "User-agent lines": (SEVERAL, repeated(FOO)),
    "User-agent lines between blank ones": (("yandex", "koster1996"), repeated(FOO + "\n")),
    "User-agent lines between delays": (("bing",), repeated(FOO + "Crawl-delay: 1\n")),
    "User-agent lines between uses": (STANDARD, repeated(FOO + "Content-Usage: a=n\n")),
    "a browser's header as a name": (STANDARD, repeated("a", "User-agent: Mozilla/5.0 foo2bot ")),
    "brackets in a name": (STANDARD, repeated("(", "User-agent: Mozilla/5.0 foo2bot ")),
    "delays": (STANDARD, repeated("Crawl-delay: 1\n", FOO)),
    "a delay": (STANDARD, repeated("1", FOO + "Crawl-delay: ")),
    "no delay": (STANDARD, repeated("1", FOO + "Crawl-delay: ", "x")),
    "sitemaps": (STANDARD, numbered("Sitemap: http://h/%d\n")),
    "line feeds": (SEVERAL, repeated("\n", FOO)),
    "carriage returns": (("rfc9309", "yandex"), repeated("\r", FOO)),
    "NULs": (SEVERAL, repeated("\0", FOO)),
    "comments": (SEVERAL, repeated("#\n", FOO)),
    "colons": (SEVERAL, repeated(":", FOO)),
    "spaces": (SEVERAL, repeated(" ", FOO, "x")),
    "lines of spaces": (SEVERAL, repeated(" \t\n", FOO)),
    "spaces after a key": (SEVERAL, repeated(" ", FOO + "disallow", "x: y")),
    "spaces in a key": (SEVERAL, repeated("a ", FOO)),
    "spaces in a value": (SEVERAL, repeated("a ", FOO + "Disallow: /")),
    "words without a colon": (LENIENT, repeated("a ", FOO + "disallow ")),
    "vertical tabs": (LENIENT, repeated("\v", FOO + "disallow ", " x\n")),
    "tabs after words": (LENIENT, repeated("allow \t", FOO)),
    "escapes": (SEVERAL, repeated("%41", FOO + "Disallow: /")),
    "escapes in escapes": (STANDARD, repeated("%2%46", FOO + "Disallow: /")),
    "high bytes": (SEVERAL, repeated("\xff", FOO + "Disallow: /")),
    "paths of uses": (STANDARD, numbered("Content-Usage: /%d a=n\n", FOO)),
    "paths of uses with stars": (STANDARD, numbered("Content-Usage: /*a k%d=n\n", FOO)),
    "uses for one page": (STANDARD, numbered("Content-Signal: k%d=no\n", FOO)),
    "one use again and again": (STANDARD, repeated("Content-Signal: a=no, a=yes\n", FOO)),
    "uses in a line": (STANDARD, numbered(", k%d=no", FOO + "Content-Signal: a=no")),
    "uses in a dictionary": (STANDARD, numbered(", k%d=n", FOO + "Content-Usage: a=n")),
    "licences outside all groups": (
        STANDARD,
        numbered("License: http://l/%d\n", "", FOO + "License: http://l/\n"),
    ),
}


def ask(dialect: str) -> Run:
    def run(text: str) -> None:
        rules = parse(text.encode("latin-1"), dialect)
        for agent in ("FooBot", "Foo2Bot"):
            for url in URLS:
                verdict = refuse(rules.verdict(url, agent), USE)
                decided = (verdict.rule,) if verdict.rule else ()
                for rule in (*decided, *verdict.beaten[:1]):
                    assert rules.match(rule, url)
                assert verdict.uses.preferences == verdict.usage
                assert rules.allowed(url, agent) is not bool(rules.objection(url, agent))
            list(rules.outcomes(URLS, agent))
            rules.group(agent)
            rules.crawl_delay(agent)
            rules.usage_lines(agent)
        assert str(verdict) + verdict.cause
        assert rules.sitemaps is not None

    return run


def of_files() -> Iterator[tuple[str, Case]]:
    for name, (dialects, make) in FILES.items():
        for dialect in dialects:
            yield f"{dialect}: {name}", Case(ask(dialect), make, 6_000)


# Texts in which a part is repeated in the place of "…"

BROWSER = "Mozilla/5.0 (…) …"
# Combining characters, which normal forms put in order. `urlsplit` normalizes hosts, and keeps what
# it has made of a URL: so no two rows have the same URL with them.
MARKS = "\u0300\u0323"
NAMES = ("a", "(", " ", ";", ",", "/", "a/", "a/v", "compatible;", "like ", "Chrome/1 ", "1", "-")
DATES = ("1", " ", ":00", "-", ",", "a", "(", "Mon, ", "01 Jan 2020 ")
RULES_OF_TAGS = (
    "a",
    " ",
    ",",
    ":",
    ", 1",
    "noindex,",
    "unavailable_after",
    "unavailable_after: 1,",
    "unavailable_afte",
    "b:,",
)
ITEMS = (
    "a",
    "=",
    ",",
    " ",
    "a=y, ",
    '"',
    "\\",
    '\\"',
    "(",
    ")",
    "a ",
    ";",
    ";a",
    "; a=1",
    "1",
    "%c3",
)
RSL = 'rel=license;type="application/rsl+xml"'
LINKS = (
    "<",
    "<a>",
    ";",
    "a",
    "=",
    '"',
    " ",
    ",",
    ";a=b",
    ';a="',
    ";rel=license",
    f"<a>;{RSL},",
    f'<//a>;anchor="b";{RSL},',
)
ADDRESSES = ("a", "/", ":", "://", "@", "?", "#", ";", ".", "[", "%41", "%", "\xff", "é", " ", "1")
STEPS = ("a/", "../", "a/../", "./", "%2e/", "%2E%2E/", ";/", "?;", "{")
LINES = ("a", "\0", "é", "\u202e", "\t", "://", "@", "//a:b@", "'", " ")
PAGES = (
    "<",
    ">",
    "<meta>",
    " <link>",
    "<title></title>",
    " ",
    "<head>",
    "&amp;",
    "\0",
    "\xff",
    "a",
)


def each(*runs: Run) -> Run:
    def run(text: Any) -> None:
        for one in runs:
            one(text)

    return run


def read_tags(text: str) -> None:
    tags = tags_of(read_header(text), "FooBot", DIALECTS["google"])
    for field in ("index", "max_snippet", "unavailable_after"):
        tags.cause(field)


def read_bytes(text: str) -> None:
    body = text.encode("latin-1")
    for read in (is_html_page, is_wide, looks_like_text, without_browser_page):
        read(body)
    entry = remember(None, FetchResult(200, body, media_type="text/html"), 0.0)
    assert judge(entry, 0.0, DIALECTS["rfc9309"].access).effect


def read_caching(text: str) -> None:
    headers = by_name([(b"Cache-Control", [text.encode()]), (b"Age", [text.encode()])])
    lifetime(headers, 0.0)
    media_type({"content-type": text})


def read_dates(text: str) -> None:
    lifetime({"expires": text, "date": text}, 0.0)
    retry_after({"retry-after": text}, 0.0)


def read_codings(text: str) -> None:
    assert can_unpack(encodings_of(text)) in (True, False)
    for status, name in ((206, "content-range"), (200, "transfer-encoding")):
        with suppress(UnreadableBodyError):
            check_answer(status, {name: text}, is_proxied=False, is_conditional=False)


def read_prices(text: str) -> None:
    for status in (401, 402):
        headers = {"www-authenticate": text, "crawler-price": text}
        refusal_of(status, headers, DIALECTS["rfc9309"], "FooBot")


def read_reservations(text: str) -> None:
    TdmRules(text.encode()).preferences(URLS[0])


def ask_about(*dialects: str) -> Run:
    """A URL may be what a site says, too: in its links and redirects."""
    body = b"User-agent: *\nDisallow: /*a*%2F*a*/\nAllow: /*%2F\nDisallow: /a*/\nAllow: /*a$\n"
    every = [parse(body, dialect) for dialect in dialects]

    def run(url: str) -> None:
        for rules in every:
            for rule in rules.matching(url, "FooBot"):
                assert rules.match(rule, url)
            assert rules.verdict(url, "FooBot").cause

    return run


HERE = "https://example.com/a"


class Row(NamedTuple):
    """A function, what is repeated, and where. Of some headers only a part is read."""

    run: Run
    around: tuple[str, ...]
    parts: tuple[str, ...]
    size: int = SIZE


TEXTS = {
    "product_token": Row(product_token, ("…", BROWSER, "compatible; …", "Bot…x"), NAMES),
    "chain_of": Row(lambda text: chain_of(text, DIALECTS["yandex"].agents), (BROWSER,), NAMES[:3]),
    "names_in_full": Row(
        lambda text: names_in_full(text, "foo2bot"), ("Foo2Bot …", "Mozilla/5.0 foo2bot …"), NAMES
    ),
    "is_name": Row(each(is_name, is_token), ("… ", "…a "), ("a", "1", "-", "%")),
    "read_header": Row(read_tags, ("…", "unavailable_after: …x"), RULES_OF_TAGS),
    "read_header of dates": Row(
        read_tags,
        ("unavailable_after: …", "unavailable_after: 2020-01-01T00:00:00…x"),
        DATES,
    ),
    "read_meta": Row(lambda text: list(read_meta("robots", text)), ("…",), RULES_OF_TAGS),
    "read_usage_header": Row(
        lambda text: read_usage_header([text]),
        ("…", "a=…", 'a="…', "a=(…", 'a=%"…', "a;b=…", "a=:…"),
        ITEMS,
    ),
    "read_signal_header": Row(lambda text: read_signal_header([text]), ("…",), ITEMS),
    "read_value": Row(
        each(
            lambda text: list(read_value(CONTENT_SIGNAL, text)),
            lambda text: split_value(CONTENT_SIGNAL, text),
            lambda text: list(read_value(LICENSE, text)),
        ),
        ("…", "/…"),
        ITEMS,
    ),
    "read_link_header": Row(
        lambda text: read_link_header([text], HERE), ("…", "<a>…", '<a>;b="…', "<…"), LINKS
    ),
    "read_link_header with marks": Row(
        lambda text: read_link_header([text], HERE),
        (f"<//…/3>;{RSL}", f'<//a>;{RSL};anchor="//…/4"'),
        (MARKS,),
        1_000,
    ),
    "redirect_target": Row(
        lambda text: redirect_target(HERE, text), ("…", "http://…/"), (*ADDRESSES, *STEPS)
    ),
    "redirect_target with marks": Row(
        lambda text: redirect_target(HERE, text), ("//…/5",), (MARKS,), 1_000
    ),
    "read_tdm": Row(
        lambda text: read_tdm(TDM_POLICY, text.split("|"), Place.HEADER), ("…",), ("a", " ", "a|")
    ),
    "refusal_of": Row(read_prices, ("…",), ("a", ",", " ", ", ", "license", ",licens", "\0")),
    "origin_of": Row(origin_of, ("http://…", "http://a:…", "http://…/", "…"), ADDRESSES),
    "origin_of with marks": Row(origin_of, ("http://…/1",), (MARKS,), 1_000),
    "forms": Row(
        each(path_of, server_forms, lambda url: client_forms(url, normalizes=True)),
        ("…", "http://h/…", "http://h/…?…"),
        (*ADDRESSES, *STEPS),
    ),
    "verdict of a URL": Row(
        ask_about(*SEVERAL),
        ("…", "http://h/…", "http://h/?…"),
        (*ADDRESSES, "*", "$", "%2F", "a/", "a%2Fa/"),
    ),
    "verdict of a URL with marks": Row(ask_about(*PERL), ("http://…/2",), (MARKS,), 1_000),
    "escapes": Row(each(shown, brief, quoted, without_userinfo), ("…", "://…@"), LINES),
    "nearest": Row(lambda text: nearest(text, DIALECTS), ("…",), LINES),
    "seconds": Row(seconds_of, ("…", "1.…", "1e…", "…x", "0.…1"), ("1", "0", ".", "e", "+")),
    "readable_lines": Row(
        lambda text: readable_lines(text.encode()), ("…",), ("a", "é", "\n", "\r", "\0")
    ),
    "kinds of bodies": Row(
        read_bytes, ("…", "<html><head>…", "<html><body><pre>…", "<html><body><pre>…</pre>"), PAGES
    ),
    "TdmRules": Row(
        read_reservations,
        ("…", "[…", '[{"location":"/…","tdm-reservation":1}]', "[1…]", "[…{}]"),
        (
            "[",
            "{",
            '{"a":',
            "1",
            '"',
            "a",
            ",",
            "\\u0041",
            "*a",
            "%2F",
            "{},",
            '{"location":"*a","tdm-reservation":1},',
            '{"location":"/","tdm-reservation":0},',
        ),
    ),
    "lifetime": Row(
        read_caching,
        ("…",),
        ("a", " ", ",", "max-age", "max-age=", "no-stor", "no-store,", "=", "1"),
    ),
    "dates": Row(read_dates, ("…", "Mon, 01 Jan 2020 …", "Mon, 01 Jan 2020 00:00:00 …"), DATES),
    "encodings": Row(read_codings, ("…", "bytes 0-…"), ("gzip,", ",", " ", "a", "1", "chunked,")),
    "whole_lines": Row(
        lambda text: whole_lines(text.encode(), len(text) // 2), ("…",), ("a", "\n", "a\r")
    ),
}


def in_place(around: str, part: str) -> Make:
    """The parts share the size."""
    head, *rest = around.split("…")
    return lambda size: (
        head + "".join(repeated(part)(size // len(rest)) + between for between in rest)
    )


def of_texts() -> Iterator[tuple[str, Case]]:
    for name, row in TEXTS.items():
        for around, part in product(row.around, row.parts):
            yield f"{name}: {part!r} in {around!r}", Case(row.run, in_place(around, part), row.size)


# Pages, their headers, and bodies

ATTRIBUTES = (
    " a",
    " a=",
    "'",
    '"',
    "=",
    " ",
    "/",
    "<",
    ">",
    " a='>'",
    ' a="',
    "<p ",
    "a",
    "<a b='",
)
NOFOLLOW = "<a rel=nofollow href='%s'>"
LICENCE = "<link rel=license type=application/rsl+xml href='%s'>"
PIECES: dict[str, Make] = {
    "attributes": numbered(" a%d=b", "<p"),
    "tags": numbered("<p%d>"),
    "ends of tags": one_after_another(repeated("<div>"), repeated("</b>")),
    "tags without an end": repeated("<a b='c' "),
    "comments without an end": repeated("<!-- "),
    "scripts without an end": repeated("<script>"),
    "attributes of many roots": numbered("<html a%d>"),
    "references": repeated("&#1"),
    "tags of robots": numbered("<meta name=robots content=noai%d>"),
    "tags of a crawler": repeated("<meta name=foobot content=noai,max-snippet:1>"),
    "a tag of robots": repeated("noai,", "<meta name=robots content='"),
    "reservations": numbered("<meta name=tdm-policy content=/%d>"),
    "licences": numbered(LICENCE.replace("%s", "/%d")),
    "licences with rel": repeated(LICENCE),
    "links": numbered(NOFOLLOW.replace("%s", "/%d")),
    "links with queries": numbered(NOFOLLOW.replace("%s", "?b=%d&a")),
    "steps up in a link": repeated("../a/", "<a rel=nofollow href='"),
    "rel of a link": repeated("nofollow,", "<a href=/ rel='"),
}
# Of a link, 65,536 characters are read.
MARKED = {
    "a link with marks": (NOFOLLOW.replace("%s", "//…/6"), 3_600),
    "a licence with marks": (LICENCE.replace("%s", "//…/7"), 1_000),
}


def page(text: str) -> HtmlResponse:
    return HtmlResponse(HERE, body=text.encode(), encoding="utf-8", request=Request(HERE))


def read_page(text: str) -> None:
    without_long_tags(text)
    response = page(text)
    html_preferences(response, "FooBot", DIALECTS["google"])
    list(meta_statements(response, ["robots", "foobot"]))
    links = nofollow_links(response)
    assert links is None or HERE + "b" not in links


def read_headers(text: str) -> None:
    value = text.encode("latin-1", "replace")
    names = ("X-Robots-Tag", "Content-Usage", "Content-Signal", "Link", "tdm-policy")
    response = Response(HERE, headers={name: [value, value] for name in names})
    list(header_statements(response))
    header_preferences(response, "FooBot", DIALECTS["google"])


def packed_as(part: bytes, head: bytes) -> Make:
    return lambda size: head + part * (size // len(part))


def unpack_all(packed: bytes) -> None:
    for encodings, is_whole in product((["gzip"], ["deflate"], ["gzip"] * 3), (True, False)):
        with suppress(UnreadableBodyError):
            unpack(packed, encodings, 4 * 1024 * 1024, is_whole=is_whole)


def of_pages() -> Iterator[tuple[str, Case]]:
    for name, make in PIECES.items():
        yield f"page: {name}", Case(read_page, make)
    for name, (tag, size) in MARKED.items():
        yield f"page: {name}", Case(read_page, in_place(tag, MARKS), size)
    for part, around in product(ATTRIBUTES, ("…", "<p…", "<p a='…")):
        make = in_place(around, part)
        yield f"without_long_tags: {part!r} in {around!r}", Case(without_long_tags, make)
    for part in (*RULES_OF_TAGS, *ITEMS, *LINKS):
        yield f"headers: {part!r}", Case(read_headers, repeated(part))
    blocks = packed_as(b"\0\0\0\xff\xff", b"\x78\x9c")  # empty blocks of zlib
    members = packed_as(bytes.fromhex("1f8b080000000000000303000000000000000000"), b"")
    yield "unpack: empty blocks", Case(unpack_all, blocks)
    yield "unpack: empty members", Case(unpack_all, members)
    yield "unpack: zeros", Case(unpack_all, packed_as(b"\0", b"\x78\x9c"))
    many_rules = json.dumps({"location": "/%d*", "tdm-reservation": 1}) + ","
    yield "TdmRules: rules", Case(read_reservations, numbered(many_rules, "[", "{}]"))


# Lint. Some of its checks ask more the shorter the file is, up to a number that is fixed: no row
# has many style sheets, or many rules with stars beside rules of the other kind.

LINT: dict[str, tuple[tuple[str, ...], Make]] = {
    "rules": (SEVERAL, numbered("Disallow: /%d\n", FOO)),
    "one rule again and again": (STANDARD, repeated("Disallow: /a\n", FOO)),
    "starts of starts": (STANDARD, nested("Disallow: /%s\n", FOO)),
    "rules that match nothing": (STANDARD, numbered("Disallow: a%d\n", FOO)),
    "rules with dollars and escapes": (STANDARD, numbered("Disallow: /%%41$%d\n", FOO)),
    "expressions": (STANDARD, repeated("(a|", FOO + "Disallow: /")),
    "brackets without an end": (STANDARD, repeated("(", FOO + "Disallow: /")),
    "labels of a host": (STANDARD, repeated("a.", FOO + "Disallow: ")),
    "keys in a value": (STANDARD, repeated("allow ", FOO + "Disallow: ")),
    "rules without a path": (STANDARD, repeated("Disallow:\n", FOO + "Disallow: /\n")),
    "unknown keys": (STANDARD, numbered("x%d: y\n", FOO)),
    "lines without a colon": (STANDARD, numbered("disallow /%d\n", FOO)),
    "comments": (STANDARD, repeated("# robots-lint: ignore R4\n", FOO)),
    "comments in a line": (STANDARD, repeated("# robots-lint: ignore ", FOO)),
    "codes in a comment": (STANDARD, repeated("R401, ", FOO + "# robots-lint: ignore ")),
    "groups": (SEVERAL, numbered("User-agent: b%d\nDisallow: /\n")),
    "groups of two names": (STANDARD, numbered("User-agent: b%d\nUser-agent: a\nDisallow: /\n")),
    "names with versions": (STANDARD, numbered("User-agent: b%d/1\nDisallow: /\n")),
    "lists of names": (STANDARD, numbered("User-agent: a%d, b\nDisallow: /\n")),
    "a browser's header as a name": (STANDARD, repeated("a", "User-agent: Mozilla/5.0 ")),
    "names in a line": (STANDARD, repeated("a, ", "User-agent: ")),
    "groups of one name, alike but for a line": (
        STANDARD,
        one_after_another(
            repeated("Noindex:\n", "User-agent: a\n", "\nAllow: /x\n"),
            repeated("User-agent: a\n", "", "\nUser-agent: a\n"),
            repeated("Noindex:\n", "", "\nAllow: /y\n"),
        ),
    ),
    "blank lines": (("koster1996",), repeated("\nDisallow: /a\n", FOO)),
    "User-agent lines between blank ones": (STANDARD, repeated(FOO + "\n")),
    "User-agent lines between sitemaps": (STANDARD, numbered("User-agent: b%d\nSitemap: /a\n")),
    "sitemaps": (STANDARD, numbered("Sitemap: http://h%d/\n")),
    "a sitemap with marks": (STANDARD, in_place("Sitemap: http://…/8", MARKS)),
    "uses": (STANDARD, numbered("Content-Signal: k%d=no\nContent-Usage: l=x\n", FOO)),
    "uses in a line that contradict each other": (
        STANDARD,
        lambda size: (
            f"{FOO}Content-Signal: é={'é' * (size // 4)}"
            + "".join(f",a{number}=1,a{number}=2" for number in range(size // 30))
        ),
    ),
    "delays": (STANDARD, numbered("Crawl-delay: 9%d\n", FOO)),
    "high bytes": (STANDARD, repeated("\x85", FOO + "Disallow: /")),
    "controls": (STANDARD, repeated("\x01", FOO + "Disallow: /")),
    "spaces that nobody sees": (STANDARD, repeated("\u200b", FOO + "Disallow: /")),
}
LINT_SIZES = {
    "groups of one name, alike but for a line": 16_000,
    "uses in a line that contradict each other": 20_000,
    "a sitemap with marks": 1_000,
}


def linted_as(dialect: str) -> Run:
    return lambda text: lint(text.encode(), dialect)


def of_lint() -> Iterator[tuple[str, Case]]:
    for name, (dialects, make) in LINT.items():
        for dialect in dialects:
            size = LINT_SIZES.get(name, 1_500)
            yield f"lint {dialect}: {name}", Case(linted_as(dialect), make, size)


CASES = dict((*of_files(), *of_texts(), *of_pages(), *of_lint()))


@pytest.fixture(scope="module", autouse=True)
def _without_the_collector():
    """It goes through what other tests have left."""
    is_enabled = gc.isenabled()
    gc.disable()
    yield
    if is_enabled:
        gc.enable()


@pytest.mark.parametrize("name", CASES)
def test_one_long_text_takes_no_longer_than_short_ones_that_are_as_long_together(name: str):
    case = CASES[name]
    case.run(case.make(case.size - 1))  # makes what is made once
    tries: list[float] = []
    while not tries or (min(tries) >= LIMIT and len(tries) < TRIES):
        tries.append(times_as_long(case, count(case.size + len(tries), STEP)))
    assert min(tries) < LIMIT
