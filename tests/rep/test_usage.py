"""What robots.txt files and headers say of the use of pages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_robots_policy.rep import DIALECTS, Reason, parse
from scrapy_robots_policy.rep.page import read_tdm, read_usage_header
from scrapy_robots_policy.rep.tdmrep import TdmRules
from scrapy_robots_policy.rep.usage.preferences import PURPOSES, DeclaredUse, Place, Preference
from scrapy_robots_policy.rep.verdict import refuse
from tests.traced_memory import tracing_memory

SITE = "https://site.example"

AIPREF = """\
User-Agent: *
Allow: /
Disallow: /never/
Content-Usage: train-ai=n
Content-Usage: /ai-ok/ train-ai=y

User-Agent: ExampleBot
Content-Usage: train-ai=y
"""
AIPREF_WITH_PATHS = AIPREF.replace("Usage: train-ai", "Usage: / train-ai")
SIGNALS = """\
User-Agent: *
Content-Signal: search=yes,ai-train=no,use=reference
Allow: /
"""
FILE_WIDE = """\
Content-Signal: ai-train=no, search=yes
License: https://site.example/license.xml
User-agent: *
Allow: /
User-agent: FriendBot
Content-Signal: AI-Train = Yes
License: https://site.example/friends.xml
"""


def group(*lines):
    return "User-agent: *\n" + "\n".join(lines)


GLOBAL = "line 2, License: https://site.example/license.xml"
FRIENDS = "line 7, License: https://site.example/friends.xml"
FILES = [
    # the drafts' example, with and without the path "/"
    *(
        (text, agent, path, lines)
        for text, root in ((AIPREF, ""), (AIPREF_WITH_PATHS, ""))
        for agent, path, lines in (
            ("FooBot", "/test", ["line 4, Content-Usage: train-ai=n"]),
            ("FooBot", "/never/test", []),
            ("FooBot", "/ai-ok/test", ["line 5, Content-Usage: train-ai=y"]),
            ("ExampleBot", "/test", ["line 8, Content-Usage: train-ai=y"]),
            ("ExampleBot", "/never/test", ["line 8, Content-Usage: train-ai=y"]),
        )
    ),
    # Cloudflare's example: what is not said is neither granted nor refused
    (
        SIGNALS,
        "FooBot",
        "/",
        [f"line 2, Content-Signal: {x}" for x in ("search=yes", "ai-train=no", "use=reference")],
    ),
    # outside of groups: for those whose own group says nothing
    (
        FILE_WIDE,
        "FooBot",
        "/",
        ["line 1, Content-Signal: ai-train=no", "line 1, Content-Signal: search=yes", GLOBAL],
    ),
    (FILE_WIDE, "FriendBot", "/", ["line 6, Content-Signal: ai-train=yes", FRIENDS]),
    ("Content-Usage: train-ai=n\nUser-agent: *\nAllow: /", "FooBot", "/", []),
    # equal paths: the most restrictive, whatever the order
    (group("Content-Usage: a=y", "Content-Usage: a=n"), "Foo", "/", ["line 3, Content-Usage: a=n"]),
    (group("Content-Usage: a=n", "Content-Usage: a=y"), "Foo", "/", ["line 2, Content-Usage: a=n"]),
    (
        group("Content-Usage: / a=y", "Content-Usage: b=n, a=?0"),
        "Foo",
        "/",
        ["line 2, Content-Usage: a=y"],  # attach-05, 3.1: no path is weaker than "/"
    ),
    # the longest path decides alone
    (
        group("Content-Usage: / a=n, b=n", "Content-Usage: /x/ a=y"),
        "Foo",
        "/x/y",
        ["line 3, Content-Usage: a=y"],
    ),
    (
        group("Content-Usage: /*.pdf$ a=n", "Content-Usage: a=y"),
        "Foo",
        "/x.pdf",
        ["line 2, Content-Usage: a=n"],
    ),
    (group("Content-Usage: /%7Ex a=n"), "Foo", "/~x", ["line 2, Content-Usage: a=n"]),
    (group("Content-Usage: /only/here a=n"), "Foo", "/", []),
    (group("Content-Usage: /empty"), "Foo", "/empty", []),
    # between User-agent lines: for those above it
    *(
        (f"User-agent: Foo\n{line}\nUser-agent: Bar\n{other}", agent, "/", [f"line {at}, {said}"])
        for line, other in (
            ("Content-Usage: a=n", "Content-Usage: a=y"),
            ("Content-Signal: a=no", "Content-Signal: a=yes"),
            ("Content-Usage: a=n", "License: https://site.example/a.xml"),
        )
        for agent, at, said in (("Foo", 2, line), ("Bar", 4, other))
    ),
    ("User-agent: Foo\nContent-Usage: a=n\nUser-agent: Bar\nAllow: /", "Bar", "/", []),
    (
        "User-agent: Foo\nCrawl-delay: 9\nUser-agent: Bar\nContent-Usage: a=n",
        "Foo",
        "/",
        ["line 4, Content-Usage: a=n"],
    ),
    ("User-agent: Foo\nAllow: /\nUser-agent: Bar\nContent-Usage: a=n\nAllow: /", "Foo", "/", []),
    # how it is written
    (
        group("  CONTENT-usage\t:  / \t a=n , b=y # c=n"),
        "Foo",
        "/",
        ["line 2, Content-Usage: a=n", "line 2, Content-Usage: b=y"],
    ),
    (group("Content-Usage: a=n, a=y"), "Foo", "/", ["line 2, Content-Usage: a=y"]),
    (group("Content-Usage: A=n"), "Foo", "/", []),
    (group("Content-Usage: a=n b=n"), "Foo", "/", []),
    (group("Content-Usage: a=n,"), "Foo", "/", []),
    (
        group("Content-Usage: a=n;why=law, b"),
        "Foo",
        "/",
        ["line 2, Content-Usage: a=n", "line 2, Content-Usage: b=?1"],
    ),
    (
        group("Content-Signal: nonsense, =no, ai-train=no"),
        "Foo",
        "/",
        ["line 2, Content-Signal: ai-train=no"],
    ),
    (group("Content-Signal: /x/ ai-train=no"), "Foo", "/", []),
    (group("License:"), "Foo", "/", []),
    # a licence has no path (RSL 1.0, 4.4), and a relative one is shown as it stands
    (group("License: /l.xml"), "Foo", "/", ["line 2, License: /l.xml"]),
    (group("License: /x https://a.b/l"), "Foo", "/", ["line 2, License: /x https://a.b/l"]),
]


@pytest.mark.parametrize(("text", "agent", "path", "expected"), FILES)
def test_a_file_says(text, agent, path, expected):
    rules = parse(text.encode())
    assert [str(preference) for preference in rules.usage(SITE + path, agent)] == expected
    assert rules.verdict(SITE + path, agent).usage == rules.usage(SITE + path, agent)


INDEX = "/index.html"

MANY = {
    "licences": [f"License: https://site.example/{n}.xml" for n in range(300)],
    "unknown keys": [f"Content-Signal: key-{n}=no" for n in range(300)],
    "two paths of one length": [
        line
        for n in range(300)
        for line in (f"Content-Usage: /a* k{n}=n", f"Content-Usage: /*b j{n}=n")
    ],
    "one key": ["Content-Signal: ai-train=no"] * 300,
}


@pytest.mark.parametrize("kind", MANY)
def test_of_many_preferences_those_that_may_refuse_a_use_and_a_few_more_are_kept(kind):
    refusals = (
        "Content-Signal: ai-train=no",
        *(f"Content-Usage: /{p} train-ai=n" for p in ("a*", "*b")),
    )
    rules = parse(group(*MANY[kind], *refusals).encode())
    preferences = rules.usage(SITE + "/ab", "Foo")
    assert {"ai-train", "train-ai"} <= {one.key for one in preferences}
    assert len(preferences) <= 102
    assert len(rules.overridden(SITE + "/ab", "Foo")) <= 100


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_line_about_an_index_page_says_nothing_of_its_directory(dialect):
    text = group("Content-Usage: / train-ai=n", "Content-Usage: /index.html train-ai=y")
    rules = parse(text.encode(), dialect)
    values = {path: [one.value for one in rules.usage(SITE + path, "Foo")] for path in ("/", INDEX)}
    assert values == {"/": ["n"], INDEX: ["y"]}


def test_a_blank_line_takes_a_signal_out_of_its_group_where_it_ends_records():
    text = (
        b"User-agent: FooBot\nAllow: /\n\nContent-Signal: ai-train=no\nContent-Usage: train-ai=n\n"
    )
    assert len(parse(text, "rfc9309").usage(SITE, "FooBot")) == 2
    assert parse(text, "rfc9309").usage(SITE, "BarBot") == ()
    for agent in ("FooBot", "BarBot"):
        preferences = parse(text, "koster1996").usage(SITE, agent)
        assert [str(one) for one in preferences] == ["line 4, Content-Signal: ai-train=no"]


HEADERS = [
    ([], {}),
    (["train-ai=n"], {"train-ai": "n"}),
    (["train-ai=y, search=n"], {"train-ai": "y", "search": "n"}),
    (["train-ai=n", "search=y"], {"train-ai": "n", "search": "y"}),
    (["train-ai=n", "train-ai=y"], {"train-ai": "y"}),
    # white space around a dictionary: RFC 9651, 4.2 and 4.2.2
    (["  train-ai=n \t"], {"train-ai": "n"}),
    (["\ttrain-ai=n"], {}),
    (['train-ai=n;q=1, x=(a "b" 1), y=:YQ==:'], {"train-ai": "n", "x": '(a "b" 1)', "y": ":YQ==:"}),
    (
        ['x="a, b", d=@99, n=-1.5, f=?0, t'],
        {"x": '"a, b"', "d": "@99", "n": "-1.5", "f": "?0", "t": "?1"},
    ),
    (["train-ai=n, x=:a:"], {}),  # one character of base64 is no byte: RFC 9651, 4.2.7
    (["train-ai=n, x=:aGk:, y=:aGk=:"], {"train-ai": "n", "x": ":aGk:", "y": ":aGk=:"}),
    (["train-ai=n, y=:Y=Q=:"], {}),  # base64 ends with its "=": RFC 9651, 4.2.7
    (["Train-AI=n"], {}),
    # numbers: RFC 9651, 4.2.4
    (["n=123456789012345, d=123456789012.1"], {"n": "123456789012345", "d": "123456789012.1"}),
    *(([f"train-ai=n, x={number}"], {}) for number in ("1" * 16, "1234567890123.5", "1.1234")),
    # display strings: RFC 9651, 4.2.10
    ([r'train-ai=n;why=%"\o/ %c3%a9"'], {"train-ai": "n"}),
    (['train-ai=n;why=%"%C3%A9"'], {}),
    # ... of UTF-8 alone: its first and last characters of each length, and what is just beside them
    *(
        ([f'train-ai=n, x=%"{body}", y=1'], {"train-ai": "n", "x": f'%"{body}"', "y": "1"})
        for body in (
            "%00",
            "%7f",
            "%c2%80",
            "%df%bf",
            "%e0%a0%80",
            "%ed%9f%bf",
            "%ee%80%80",
            "%ef%bf%bf",
            "%f0%90%80%80",
            "%f3%bf%bf%bf",
            "%f4%8f%bf%bf",
        )
    ),
    *(
        ([f'train-ai=n, x=%"{body}"'], {})
        for body in (
            "%80",
            "%c1%bf",
            "%c3",
            "%c3x",
            "%c3%c3",
            "%e0%9f%bf",
            "%ed%a0%80",
            "%e2%82",
            "%f0%8f%bf%bf",
            "%f4%90%80%80",
            "%f5%80%80%80",
            "%ff",
        )
    ),
    (['train-ai=n, x=("a" %"%ff")'], {}),
    (['train-ai=n, x="%ff"'], {"train-ai": "n", "x": '"%ff"'}),
    (["train-ai=n, oops="], {}),
    (["/path train-ai=n"], {}),
    (["é=n"], {}),
]


@pytest.mark.parametrize(("values", "expected"), HEADERS)
def test_a_header_is_a_structured_dictionary(values, expected):
    assert {
        preference.key: preference.value for preference in read_usage_header(values)
    } == expected


# The least that RFC 9651 wants all to read (§3.1.1, 3.1.2, 3.2, 3.3.3), escaped where it can be.
LEAST = [
    f"x=({' '.join('a' * 256)})",
    "x=1" + "".join(f";p{n}=1" for n in range(256)),
    ", ".join(f"k{n}=1" for n in range(1024)),
    'x="' + r"\"" * 1024 + '"',
    'x=%"' + "%c3%a9" * 1024 + '"',
]


@pytest.mark.parametrize("value", LEAST)
def test_a_dictionary_as_large_as_all_must_read_is_read(value):
    first, *_ = read_usage_header([f"train-ai=n, {value}"])
    assert first.value == "n"


SIZE = 400_000
HUGE = [
    f'x="{"a" * SIZE}"',
    'x="' + r"\"" * (SIZE // 2) + '"',
    'x=%"' + "%c3%a9" * (SIZE // 6) + '"',
    f"x=({'a ' * (SIZE // 2)}a)",
    "x" + ";p" * (SIZE // 2),
]


@pytest.mark.parametrize("value", HUGE)
def test_a_huge_value_takes_a_small_multiple_of_its_length(value):
    with tracing_memory() as memory:
        read_usage_header([value])
        _, peak = memory()
    assert peak < 20 * SIZE


TRAINING = DeclaredUse(frozenset({"train-ai"}))
REFUSALS = [
    ("Content-Usage: train-ai=n", {"train-ai"}),
    ("Content-Usage: train-ai=y", set()),
    ("Content-Usage: train-ai=no", set()),
    ("Content-Usage: ai-use=n", {"ai-input"}),
    ("Content-Usage: search=n", {"search"}),
    ("Content-Usage: made-up=n", set()),
    ("Content-Signal: ai-train=no", {"train-ai"}),
    ("Content-Signal: ai-input=no, search=no", {"ai-input", "search"}),
    ("Content-Signal: train-ai=no", set()),
    ("Content-Signal: use=reference", set()),
    ("License: https://site.example/no.xml", set()),
]


@pytest.mark.parametrize(("line", "refused"), REFUSALS)
def test_a_purpose_is_refused(line, refused):
    preferences = parse(group(line).encode()).usage(SITE, "FooBot")
    by_use = {name: DeclaredUse(frozenset({name})).refusal(preferences) for name in PURPOSES}
    assert {name for name, refusal in by_use.items() if refusal} == refused


POLICY = "https://site.example/é"
FROM_EACH_PLACE = {
    "robots.txt": parse(f"License: {POLICY}".encode()).usage("/", "a"),
    "tdmrep.json": TdmRules(
        f'[{{"location": "/", "tdm-reservation": 1, "tdm-policy": "{POLICY}"}}]'.encode()
    ).preferences("/"),
    "header": read_tdm("tdm-policy", [POLICY.encode().decode("latin-1")], Place.HEADER),
    "meta tag": read_tdm("tdm-policy", [POLICY], Place.META),
}


@pytest.mark.parametrize("place", FROM_EACH_PLACE)
def test_letters_beyond_ascii_are_shown_as_they_were_written(place):
    preference = FROM_EACH_PLACE[place][-1]
    assert preference.place.value == place
    assert str(preference).endswith(f": {POLICY}")
    assert preference.readable.value == POLICY


def test_a_refusal_wins_over_a_grant_in_another_vocabulary():
    text = group("Content-Usage: train-ai=y", "Content-Signal: ai-train=no")
    preference = TRAINING.refusal(parse(text.encode()).usage(SITE, "FooBot"))
    assert preference == Preference("Content-Signal", "ai-train", "no", 3)
    assert (preference.refuses, preference.grants) == (True, False)


def test_a_refused_use_is_a_verdict_with_its_line():
    rules = parse(AIPREF.encode())
    verdict = rules.verdict(SITE + "/test", "FooBot")
    refused = refuse(verdict, DeclaredUse(frozenset({"search", "train-ai"})))
    assert (refused.allowed, refused.reason, refused.line) == (False, Reason.USE_REFUSED, 4)
    assert str(refused) == "refused by line 4, Content-Usage: train-ai=n"
    assert (refused.rule, refused.beaten) == (None, (verdict.rule,))
    assert refuse(verdict, DeclaredUse(frozenset({"search"}))).allowed
    assert refuse(verdict, DeclaredUse()) is verdict
    forbidden = rules.verdict(SITE + "/never/", "FooBot")
    still = refuse(forbidden, TRAINING)
    assert (still.allowed, still.reason, still.rule) == (False, Reason.RULE, forbidden.rule)


LINES = st.lists(
    st.one_of(
        st.text(max_size=30),
        st.sampled_from(
            [
                "User-agent: *",
                "User-agent: FooBot",
                "",
                "Disallow: /x",
                "Allow: /",
                "Content-Usage: train-ai=n",
                "Content-Usage: /x train-ai=y, search=n",
                "Content-Signal: ai-train=no",
                "Content-Signal: /x",
                "License: https://l.example",
            ]
        ),
    )
)


@pytest.mark.slow
@given(LINES, st.sampled_from(list(DIALECTS.values())), st.sampled_from(["/", "/x", "/x/y", "/z"]))
def test_no_file_raises_and_what_is_forbidden_has_no_use(lines, dialect, path):
    rules = parse("\n".join(lines).encode("utf-8", "replace"), dialect)
    preferences = rules.usage(SITE + path, "FooBot")
    assert rules.allowed(SITE + path, "FooBot") or not preferences
    assert len(set(preferences)) == len(preferences)
    assert rules.verdict(SITE + path, "FooBot").usage == preferences


@pytest.mark.slow
@given(
    st.lists(st.one_of(st.text(), st.sampled_from([value for row in HEADERS for value in row[0]])))
)
def test_no_header_raises(values):
    assert all(preference.line == 0 for preference in read_usage_header(values))


def test_a_token_without_a_name_has_no_preference():
    assert parse(b"User-agent: *\nDisallow: /x").usage("/", "FooBot", [""]) == ()
