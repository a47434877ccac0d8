"""X-Robots-Tag and robots meta tags, as each engine reads them."""

from __future__ import annotations

from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_robots_policy.rep import DIALECTS
from scrapy_robots_policy.rep.dialect import TAG_RULES, Certainty, TagConflict
from scrapy_robots_policy.rep.tags import (
    MAX_LENGTH,
    ImagePreview,
    Tags,
    names_of,
    read_header,
    read_meta,
    tags_of,
)

JUNE_2010 = 1277478000.0  # 25 Jun 2010 15:00:00 UTC
AUGUST_2006 = 1156518000.0  # 25 Aug 2006 15:00:00 UTC

# How each field's value is written in a header: (header, fields that differ from saying nothing).
HEADERS = [
    ("", {}),
    (" , ,", {}),
    ("all", {}),
    ("index, follow", {}),
    ("noindex", {"index": False}),
    ("NoIndex , NOFOLLOW", {"index": False, "follow": False}),
    ("none", {"index": False, "follow": False}),
    ("noindex, all", {"index": False}),
    ("noarchive", {"archive": False}),
    ("nocache, noarchive", {"archive": False}),
    ("noimageindex, notranslate", {"image_index": False, "translate": False}),
    ("nosnippet", {"max_snippet": 0}),
    ("max-snippet: 50", {"max_snippet": 50}),
    ("max-snippet:50, max-snippet:20", {"max_snippet": 20}),
    ("max-snippet:50, nosnippet", {"max_snippet": 0}),
    ("max-snippet:-1", {}),
    ("max-snippet:many, max-snippet:, max-snippet", {}),
    ("max-image-preview:none", {"max_image_preview": ImagePreview.NONE}),
    ("max-image-preview: STANDARD", {"max_image_preview": ImagePreview.STANDARD}),
    ("max-image-preview:large", {}),
    ("max-image-preview:huge", {}),
    ("max-video-preview:7", {"max_video_preview": 7}),
    ("indexifembedded, unheard-of, 3, noindex", {"index": False}),
    ("unavailable_after: 25 Jun 2010 15:00:00 UTC", {"unavailable_after": JUNE_2010}),
    ("unavailable_after: 25 Jun 2010 15:00:00 PST", {"unavailable_after": JUNE_2010 + 8 * 3600}),
    ("unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT", {"unavailable_after": JUNE_2010}),
    ("unavailable_after: Friday, 25-Aug-06 15:00:00 UTC", {"unavailable_after": AUGUST_2006}),
    ("unavailable_after: 2010-06-25T15:00:00Z", {"unavailable_after": JUNE_2010}),
    ("unavailable_after: 2010-06-25T17:00:00+02:00", {"unavailable_after": JUNE_2010}),
    ("unavailable_after: 2010-06-25T15:00:00", {"unavailable_after": JUNE_2010}),
    # as PHP and .NET write it
    ("unavailable_after: 2010-06-25T17:00:00+0200", {"unavailable_after": JUNE_2010}),
    ("unavailable_after: 2010-06-25T15:00:00.0000000Z", {"unavailable_after": JUNE_2010}),
    ("unavailable_after: 2010-06-25T13:30:00.5-01:30", {"unavailable_after": JUNE_2010}),
    ("unavailable_after: 2010-06-25 17:00+02", {"unavailable_after": JUNE_2010}),
    ("unavailable_after: 2010-06-25", {"unavailable_after": JUNE_2010 - 15 * 3600}),
    ("unavailable_after: soon", {}),
    (f"unavailable_after: 25 Jun {10**20} 15:00:00 UTC", {}),
    (f"unavailable_after: 25 Jun 2010 15:00:00 +{10**20}", {}),
    ("unavailable_after:", {}),
    (
        "unavailable_after: Friday, 25-Aug-06 15:00:00 UTC, noindex",
        {"unavailable_after": AUGUST_2006, "index": False},
    ),
    (
        "nofollow, Unavailable_After: 25 Jun 2010 15:00:00 UTC, max-snippet:9",
        {"follow": False, "unavailable_after": JUNE_2010, "max_snippet": 9},
    ),
    (
        "unavailable_after: 25 Jun 2010 15:00:00 UTC, unavailable_after: 2006-08-25T15:00:00Z",
        {"unavailable_after": AUGUST_2006},
    ),
    # whom it addresses
    ("mybot: noindex", {"index": False}),
    ("MyBot : noindex, nofollow", {"index": False, "follow": False}),
    ("otherbot: noindex", {}),
    ("otherbot: noindex, nofollow", {}),
    ("nofollow, otherbot: noindex", {"follow": False}),
    ("otherbot: noindex, mybot: nofollow", {"follow": False}),
    ("mybot: unavailable_after: 25 Jun 2010 15:00:00 UTC", {"unavailable_after": JUNE_2010}),
    ("otherbot: unavailable_after: 25 Jun 2010 15:00:00 UTC, noindex", {}),
    ("*: noindex", {"index": False}),
    (": noindex", {"index": False}),
    ("robots: noindex", {"index": False}),
]


def statements_of(*headers, metas=()):
    for header in headers:
        yield from read_header(header)
    for name, content in metas:
        yield from read_meta(name, content)


def differing(tags):
    nothing = Tags()
    names = [field.name for field in fields(Tags) if field.name != "statements"]
    return {
        name: getattr(tags, name) for name in names if getattr(tags, name) != getattr(nothing, name)
    }


@pytest.mark.parametrize(("header", "expected"), HEADERS)
def test_a_header_says(header, expected):
    assert differing(tags_of(read_header(header), "MyBot", DIALECTS["rfc9309"])) == expected


# (dialect, agent, headers, meta tags, what the page says to that crawler)
PAGES = [
    # Google: the sum of the negatives, of generic and specific tags
    (
        "google",
        "Googlebot",
        [],
        [("robots", "nofollow"), ("googlebot", "noindex")],
        "noindex nofollow",
    ),
    ("google", "Googlebot", [], [("ROBOTS", "NOINDEX"), ("Googlebot", "index")], "noindex"),
    ("google", "Googlebot", ["googlebot: nofollow", "otherbot: noindex, nofollow"], [], "nofollow"),
    ("google", "Googlebot", [], [("googlebot-news", "noindex")], ""),
    ("google", "Googlebot-News", [], [("googlebot-news", "noindex")], "noindex"),
    ("google", "Googlebot-News", [], [("googlebot", "noindex")], "noindex"),
    ("google", "Googlebot-Image", [], [("googlebot-image", "noindex")], ""),
    ("google", "Googlebot-Image", [], [("googlebot", "noindex")], "noindex"),
    ("google", "Googlebot", [], [("robots", "noarchive, nocache")], ""),
    ("google", "MyBot", [], [("mybot", "noindex")], "noindex"),
    ("google", "MyBot", [], [("googlebot", "noindex")], ""),
    ("google", "Googlebot", [], [("description", "noindex"), ("", "noindex")], ""),
    # Bing
    ("bing", "bingbot", [], [("msnbot", "noindex")], "noindex"),
    ("bing", "bingbot", ["noarchive, nocache"], [], "noarchive"),
    ("bing", "bingbot", [], [("bingbot", "nosnippet"), ("googlebot", "noindex")], "nosnippet"),
    ("bing", "bingbot", ["max-snippet: 0, notranslate"], [], "nosnippet"),
    # Yandex: a meta tag that grants wins; a header cannot grant
    ("yandex", "YandexBot", [], [("robots", "all"), ("robots", "noindex, nofollow")], ""),
    ("yandex", "YandexBot", [], [("robots", "noindex, nofollow"), ("yandex", "index")], "nofollow"),
    ("yandex", "YandexBot", ["noindex"], [("robots", "index")], ""),
    ("yandex", "YandexBot", ["noindex", "index, all"], [], "noindex"),
    ("yandex", "YandexBot", ["noarchive"], [("robots", "archive")], ""),
    ("yandex", "YandexBot", ["yandex: none"], [("yandexbot", "noarchive")], "noindex nofollow"),
    # the others
    ("baidu", "Baiduspider-image", [], [("Baiduspider", "noarchive")], "noarchive"),
    # a tag by any other name of the engine's crawlers binds none of them
    ("baidu", "Baiduspider-image", [], [("baiduspider-image", "noindex")], ""),
    ("bing", "adidxbot", [], [("adidxbot", "noindex")], ""),
    # a grant wins at Yandex only
    ("google", "Googlebot", [], [("robots", "noindex"), ("googlebot", "all")], "noindex"),
    ("bing", "bingbot", [], [("robots", "noindex"), ("bingbot", "index")], "noindex"),
    ("apple", "Applebot", [], [("robots", "noindex"), ("robots", "all")], "noindex"),
    ("baidu", "Baiduspider", [], [("robots", "noindex"), ("baiduspider", "index")], "noindex"),
    ("apple", "Applebot", ["nosnippet"], [("applebot", "noindex")], "nosnippet"),
    ("apple", "Applebot", [], [("googlebot", "noindex"), ("robots", "noarchive")], ""),
    ("sogou", "Sogou web spider", ["sogou web spider: noindex"], [], "noindex"),
    ("amazon", "Amazonbot", ["noarchive, none"], [], "noindex nofollow noarchive"),
    ("rfc9309", "GPTBot/1.2 (+https://x.example)", ["gptbot: noindex"], [], "noindex"),
]
WORDS = {
    "noindex": ("index", False),
    "nofollow": ("follow", False),
    "noarchive": ("archive", False),
    "nosnippet": ("max_snippet", 0),
}


@pytest.mark.parametrize(("dialect", "agent", "headers", "metas", "expected"), PAGES)
def test_a_page_says_to_a_crawler(dialect, agent, headers, metas, expected):
    tags = tags_of(statements_of(*headers, metas=metas), agent, DIALECTS[dialect])
    assert differing(tags) == dict(WORDS[word] for word in expected.split())


# All rules that restrict, and those that each engine documents.
RESTRICTING = {
    **dict.fromkeys(("noindex", "nofollow", "none", "noarchive", "nocache", "nosnippet"), ""),
    **dict.fromkeys(("noimageindex", "notranslate"), ""),
    "max-snippet": "5",
    "max-image-preview": "none",
    "max-video-preview": "5",
    "unavailable_after": "2010-06-25",
}
DOCUMENTED = {
    "google": {*RESTRICTING} - {"noarchive", "nocache"},
    "bing": {*RESTRICTING} - {"none", "noimageindex", "notranslate", "unavailable_after"},
    "apple": {"noindex", "nofollow", "none", "nosnippet"},
    "baidu": {"noindex", "nofollow", "none", "noarchive"},
    "yandex": {"noindex", "nofollow", "none", "noarchive"},
}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_engine_obeys_the_rules_that_it_documents_and_all_where_it_documents_none(dialect):
    obeyed = {
        rule
        for rule, value in RESTRICTING.items()
        for tags in [
            tags_of(read_meta("robots", f"{rule}:{value}"), "FooBot", DIALECTS[dialect]),
        ]
        if differing(tags)
    }
    assert obeyed == DOCUMENTED.get(dialect, {*RESTRICTING})


def test_the_statement_that_decided_is_the_cause():
    page = list(
        statements_of("nofollow, max-snippet:50, max-snippet:20", metas=[("mybot", "none")])
    )
    tags = tags_of(page, "MyBot", DIALECTS["rfc9309"])
    causes = {name: str(tags.cause(name)) for name in ("index", "follow", "max_snippet", "archive")}
    assert causes == {
        "index": "meta mybot: none",
        "follow": "X-Robots-Tag: nofollow",
        "max_snippet": "X-Robots-Tag: max-snippet: 20",
        "archive": "None",
    }
    assert str(next(read_header("mybot: none"))) == "X-Robots-Tag: mybot: none"


def test_a_grant_leaves_no_cause():
    page = statements_of("noindex", metas=[("robots", "all")])
    assert tags_of(page, "YandexBot", DIALECTS["yandex"]).cause("index") is None


@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=DIALECTS)
def test_every_dialect_knows_rules_that_exist_and_hears_robots(dialect):
    assert set(dialect.tag_rules) <= set(TAG_RULES)
    assert {"noindex", "nofollow"} <= set(dialect.tag_rules)
    for agent in ("MyBot", *dialect.agents):
        assert ("robots" in names_of(agent, dialect)) is (agent not in dialect.tags_by_name)


@pytest.mark.parametrize(
    "agent", ["AdsBot-Google", "APIs-Google", "Mediapartners-Google", "GoogleOther/1.0"]
)
def test_a_crawler_that_is_no_search_crawler_is_addressed_by_its_name(agent):
    google, name = DIALECTS["google"], agent.partition("/")[0]
    for names, index in ((["robots"], True), ([name.upper()], False)):
        page = statements_of(metas=[(one, "noindex") for one in names])
        assert tags_of(page, agent, google).index is index
    assert not tags_of(statements_of("noindex"), "Googlebot", google).index


def test_a_rule_that_nobody_reads_takes_none_behind_it_along():
    page = statements_of("unavailable-after: 2020-01-01, noindex")
    assert not tags_of(page, "Googlebot", DIALECTS["google"]).index


def test_a_conflict_is_settled_for_the_owner_unless_the_engine_says_otherwise():
    for dialect in DIALECTS.values():
        if dialect.tag_conflict is TagConflict.PERMISSIVE:
            assert dialect.sources["tag_conflict"].certainty is Certainty.DOCUMENTED


PIECES = st.sampled_from(
    [*TAG_RULES, *(header for header, _ in HEADERS), "googlebot", "mybot", ":", ",", " ", "7"]
)
CONTENTS = st.one_of(st.text(), st.lists(PIECES).map(", ".join), st.lists(PIECES).map("".join))
AGENTS = st.sampled_from(["Googlebot", "YandexBot", "bingbot", "MyBot", "Sogou web spider", ""])
DIALECT = st.sampled_from(list(DIALECTS.values()))
TAGS = st.one_of(
    CONTENTS.map(lambda content: list(read_header(content))),
    st.tuples(st.sampled_from(["robots", "googlebot", "yandex", "mybot"]), CONTENTS).map(
        lambda tag: list(read_meta(*tag))
    ),
)


@pytest.mark.slow
@given(TAGS, AGENTS, DIALECT)
def test_no_content_raises(tag, agent, dialect):
    tags = tags_of(tag, agent, dialect)
    assert set(map(str, tags.statements)) <= set(map(str, tag))
    assert all(tags.cause(name) in tag for name in differing(tags))


def strictness(tags):
    """Each field so that more is stricter."""
    far = float("inf")
    return (
        *(not getattr(tags, name) for name in ("index", "follow", "archive")),
        *(not getattr(tags, name) for name in ("image_index", "translate")),
        -tags.max_image_preview,
        *(
            -far if limit is None else -limit
            for limit in (
                tags.max_snippet,
                tags.max_video_preview,
                tags.unavailable_after,
            )
        ),
    )


@pytest.mark.slow
@given(TAGS, TAGS, AGENTS, DIALECT.filter(lambda d: d.tag_conflict is TagConflict.RESTRICTIVE))
def test_another_tag_never_makes_the_sum_of_negatives_more_permissive(one, other, agent, dialect):
    alone = strictness(tags_of(one, agent, dialect))
    for both in ([*one, *other], [*other, *one]):
        together = strictness(tags_of(both, agent, dialect))
        assert all(after >= before for before, after in zip(alone, together, strict=True))


# Text that a site may send to make reading slow, each repeated until the limit is passed.
HOSTILE = {
    "rules": "noindex,",
    "commas": ",",
    "commas and spaces": ", ",
    "no comma": "noindex ",
    "agents": "mybot: noindex,",
    "nearly dates": "unavailable_afte",
    "dates without a comma": "unavailable_after ",
    "dates": "unavailable_after: 25 Jun 2010,",
    "one date of many parts": "unavailable_after: 1, 1, 1, 1, ",
    "digits": ", 1",
    "colons": ":",
    "control characters": "noindex: \x9b31m\x1b[2J\r\n,",
    "limits": "max-snippet: 999999999,",
}


@pytest.mark.slow
@pytest.mark.parametrize("unit", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_is_read_up_to_a_limit(unit):
    page = list(read_header(unit * (5 * MAX_LENGTH // len(unit))))
    assert sum(len(str(one.value)) + len(one.rule) for one in page) <= MAX_LENGTH


def test_a_rule_after_the_limit_is_not_read():
    filler = "x" * (MAX_LENGTH - len(",noindex"))
    for text, index in ((f"{filler},noindex", False), (f"{filler}xxxxxxxxx,noindex", True)):
        for page in (read_header(text), read_meta("robots", text)):
            assert tags_of(page, "MyBot", DIALECTS["rfc9309"]).index == index
