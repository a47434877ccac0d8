"""`diff`: what a change of a robots.txt opens and closes, for whom, and nothing else."""

from __future__ import annotations

import json
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrapy_robots_policy.rep import parse

from .run import policy

OLD = (
    "User-agent: *\nDisallow: /a\nDisallow: /b/*.pdf$\nCrawl-delay: 5\n\n"
    "User-agent: X\nDisallow: /\n"
)
NEW = "User-agent: *\nDisallow: /c\nDisallow: /b/*.pdf$\n\nUser-agent: Y\nDisallow: /b\n"


@pytest.fixture(scope="module")
def diff(tmp_path_factory):
    """Compares two texts."""
    paths = [tmp_path_factory.mktemp("diff") / name for name in ("old.txt", "new.txt")]

    def run(old, new, *options):
        for path, text in zip(paths, (old, new), strict=True):
            path.write_text(text, "utf-8", "surrogateescape")
        return policy("diff", *paths, *options)

    return run


def rows_of(output):
    return [one for line in output.lines for one in json.loads(line)["changes"]]


def test_a_change_is_shown_by_crawler_and_rule(diff):
    output = diff(OLD, NEW)
    assert output.status == 1
    assert [" ".join(line.split()) for line in output.lines] == [
        "every other crawler",
        "opens /a no rule matches before: line 2, Disallow: /a",
        "closes /c line 2, Disallow: /c before: no rule matches",
        "delay none before: 5 seconds",
        "",
        "X",
        "opens / (and 1 more) no rule matches before: line 7, Disallow: /",
        "",
        "Y",
        "opens /a no rule matches before: line 2, Disallow: /a",
        "closes /b line 6, Disallow: /b before: no rule matches",
        "delay none before: 5 seconds",
    ]


def test_a_change_as_json_has_both_rules(diff):
    values = [json.loads(line) for line in diff(OLD, NEW, "--json").lines]
    assert [value["crawlers"] for value in values] == [["*"], ["X"], ["Y"]]
    assert values[0]["changes"][0] == {
        "change": "opens",
        "path": "/a",
        "paths": 1,
        "before": {"line": 2, "cause": "line 2, Disallow: /a"},
        "after": {"line": 0, "cause": "no rule matches"},
    }
    assert values[0]["delay"] == {"before": 5.0, "after": None}


ALIKE = [
    (OLD, OLD.replace("\n", "\r\n")),
    ("User-agent: *\nDisallow: /a\n", "# b\nUser-agent: *\nDisallow: /a\nDisallow: /a/b\n"),
    ("", "User-agent: *\nDisallow:\n"),
    ("User-agent: *\nDisallow: /\n", "User-agent: *\nDisallow: /\nContent-Signal: ai-train=no\n"),
    ("Content-Signal: ai-train=no\n", "# more\nContent-Signal: ai-train=no\n"),
]


@pytest.mark.parametrize(("old", "new"), ALIKE)
def test_a_change_of_the_text_alone_is_none(diff, old, new):
    output = diff(old, new)
    assert (output.status, output.lines) == (0, ["no answer changes in rfc9309"])
    output = diff(old, new, "--json")
    assert (output.status, output.out) == (0, "")


# rules before, rules after, the dialect, and what is shown to change
PATHS = [
    ("", "Disallow: /часть", "rfc9309", ("closes", "/%D1%87%D0%B0%D1%81%D1%82%D1%8C")),
    ("", "Disallow: /caf\udce9", "google", ("closes", "/caf%E9")),  # a byte that is no UTF-8
    # a page of another rule: by what stands behind its wildcard, or before it
    (
        "Disallow: /admin/",
        "Allow: /*.css$\nDisallow: /admin/",
        "rfc9309",
        ("opens", "/admin/x.css"),
    ),
    ("Disallow: /*b=*", "Allow: /a*c$\nDisallow: /*b=*", "rfc9309", ("opens", "/axb=xxc")),
    # what one rule holds stands for a "*" of the other in no path
    ("Disallow: /a/*", "Disallow: /a/x", "rfc9309", ("opens", "/a/z")),
    ("", "Disallow: /a*", "koster1996", ("closes", "/a*")),
]


@pytest.mark.parametrize(("old", "new", "dialect", "change"), PATHS)
def test_a_path_whose_answer_changes_is_shown(diff, old, new, dialect, change):
    texts = [f"User-agent: *\n{rules}\n" for rules in (old, new)]
    output = diff(*texts, "--json", "--dialect", dialect)
    assert change in [(one["change"], one["path"]) for one in rows_of(output)]


# the value of a User-agent line, the dialect, and the crawler that it binds there
NAMES = [
    ("Googlebot*", "rfc9309", ["Googlebot"]),
    ("Googlebot Images", "google", ["Googlebot"]),
    ("*oogle*bot", "360", ["ooglebot"]),
    ("*", "rfc9309", ["*"]),
    ("Googlebot Images", "yandex", None),
]


@pytest.mark.parametrize(("value", "dialect", "crawlers"), NAMES)
def test_a_crawler_is_named_by_a_line_with_more_than_its_name(diff, value, dialect, crawlers):
    output = diff("", f"User-agent: {value}\nDisallow: /\n", "--json", "--dialect", dialect)
    shown = [json.loads(line)["crawlers"] for line in output.lines]
    assert shown == ([crawlers] if crawlers else [])


GROUP = "User-agent: a\nUser-agent: b\nDisallow: {}\nCrawl-delay: {}\n"
MANY = "".join(f"User-agent: Bot{letter}\n" for letter in "abcdefghijkl") + "Disallow: {}\n"
SHOWN = [
    (GROUP.format("/", 5), GROUP.format("/", 9.5), "a, b delay 9.5 seconds before: 5 seconds"),
    (MANY.format("/a"), MANY.format(""), "Bota, Botb, and 4 more opens /a"),
    (
        "User-agent: *\nContent-Signal: ai-train=yes\n",
        "User-agent: *\nContent-Signal: ai-train=no\nDisallow: /b\n",
        "use / line 2, Content-Signal: ai-train=no before: Content-Signal: ai-train=yes closes /b",
    ),
    (f"User-agent: *\nDisallow: /{'x' * 100_000}\n", "", "opens /xxx"),
]


@pytest.mark.parametrize(("old", "new", "words"), SHOWN)
def test_who_is_bound_alike_is_shown_once_with_all_that_changes(diff, old, new, words):
    output = diff(old, new)
    assert output.says(words), output
    assert len(output.out) < 2000


# lines before, lines after, and for each preference that changes: a path, and what holds for it
CHANGES_OF_USE = [
    (
        "License: https://a.example/1\nLicense: https://a.example/2",
        "License: https://a.example/2",
        [("/", "line 2, License: https://a.example/1", "not stated")],
    ),
    (
        "Content-Usage: /a train-ai=n\nDisallow: /b",
        "Content-Usage: /a train-ai=n\nDisallow: /b\nContent-Usage: /a/b train-ai=y",
        [("/a/b", "line 2, Content-Usage: train-ai=n", "line 4, Content-Usage: train-ai=y")],
    ),
    (
        "Disallow: /a\nContent-Usage: / train-ai=n\nAllow: /a/b",
        "Disallow: /a\nContent-Usage: /a train-ai=n\nAllow: /a/b",
        [("/", "line 3, Content-Usage: train-ai=n", "not stated")],
    ),
]


@pytest.mark.parametrize(("old", "new", "changes"), CHANGES_OF_USE)
def test_a_preference_that_changes_is_shown_with_both_lines(diff, old, new, changes):
    rows = rows_of(diff(f"User-agent: *\n{old}\n", f"User-agent: *\n{new}\n", "--json"))
    assert {one["change"] for one in rows} == {"use"}
    assert [(one["path"], one["before"]["cause"], one["after"]["cause"]) for one in rows] == changes


@pytest.mark.slow
def test_nobody_is_told_that_no_answer_changes_where_not_all_were_asked_about(diff):
    names = "abcdefghijklmnopqrstuvwxyz"
    text = "".join(f"User-agent: {name}\nDisallow: /{name}\n" for name in names)
    text += "".join(f"User-agent: {name}\n" for name in names)
    text += "".join(f"Disallow: /{n}\n" for n in range(5_000))
    output = diff(text, f"{text}User-agent: z\nDisallow: /b\n")
    assert (output.status, output.out) == (2, "")
    assert "too many lines: not asked about were " in output.err


VALUES = [
    "/",
    "/a",
    "/a/",
    "/a/b",
    "/b",
    "/x",
    "/a/x",
    "/a$",
    "/a/b$",
    "",
    "b",
    "b/",
    "/*b",
    "/*.c$",
    "*.c",
    "/a*",
    "/a/*",
    "/*/b$",
    "/*x",
    "/*a*b",
    "/%61/*",
    "http://h/a",
]
LINES = st.one_of(
    st.builds("{}: {}".format, st.sampled_from(["Disallow", "Allow"]), st.sampled_from(VALUES)),
    st.sampled_from(["User-agent: *", "User-agent: Foo", "User-agent: Bar*", ""]),
)
ASKED = ["/" + "".join(parts) for n in range(4) for parts in product("ab/x", repeat=n)]
ASKED += [f"{path}.c" for path in ASKED]
CRAWLERS = ("*", "Foo", "Bar")


@pytest.mark.slow
@given(st.lists(LINES, max_size=9), st.integers(0, 9), st.lists(LINES, max_size=2), st.data())
@settings(max_examples=150)
def test_a_change_is_shown_where_an_answer_changes_and_nowhere_else(diff, lines, at, more, data):
    dialect = data.draw(st.sampled_from(["rfc9309", "google", "yandex", "baidu", "koster1996"]))
    gone = data.draw(st.integers(0, 2))
    changed = [*lines[:at], *more, *lines[at + gone :]]
    texts = ["\n".join(["User-agent: *", *one]) for one in (lines, changed)]
    before, after = (parse(text.encode(), dialect) for text in texts)
    values = [json.loads(line) for line in diff(*texts, "--json", "--dialect", dialect).lines]
    shown = {name: value["changes"] for value in values for name in value["crawlers"]}
    for crawler in CRAWLERS:
        if any(before.allowed(p, crawler) is not after.allowed(p, crawler) for p in ASKED):
            assert shown.get(crawler, shown.get("*")), crawler
    for crawler, changes in shown.items():
        for one in changes:
            answers = [file.verdict(one["path"], crawler) for file in (before, after)]
            assert [answer.line for answer in answers] == [
                one[time]["line"] for time in ("before", "after")
            ]
            assert [answer.allowed for answer in answers] == [
                one["change"] == kind for kind in ("closes", "opens")
            ]


@pytest.mark.parametrize("end", ["", "Disallow: /*/b$"])
def test_rules_in_another_order_change_answers_where_the_first_decides(diff, end):
    old = "User-agent: *\nAllow: /a\nDisallow: /*/b$\n"
    new = f"User-agent: *\nDisallow: /*/b$\nAllow: /a\n{end}"
    assert diff(old, new, "--dialect", "baidu").status == 1
    assert diff(old, new, "--dialect", "rfc9309").status == 0


def test_a_rule_about_an_empty_segment_is_looked_at(diff):
    assert diff("User-agent: *\nDisallow: //", "User-agent: *\nDisallow:").status == 1
