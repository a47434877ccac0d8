"""`diff`: what a change of a robots.txt opens and closes."""

from __future__ import annotations

import json

import pytest

from scrapy_robots_policy.commands.verbs import file_changes
from tests.site import Answer, Site
from tests.site import robots as served

from .run import policy, robots

OLD = (
    "User-agent: *\nDisallow: /a\nDisallow: /b/*.pdf$\nCrawl-delay: 5\n\n"
    "User-agent: X\nDisallow: /\n"
)
NEW = "User-agent: *\nDisallow: /c\nDisallow: /b/*.pdf$\n\nUser-agent: Y\nDisallow: /b\n"


@pytest.fixture
def files(tmp_path):
    def write(old, new):
        paths = tmp_path / "old.txt", tmp_path / "new.txt"
        for path, text in zip(paths, (old, new), strict=True):
            path.write_text(text, "utf-8")
        return paths

    return write


def test_a_change_is_shown_by_crawler_and_rule(files):
    output = robots("diff", *files(OLD, NEW))
    assert output.status == 1
    words = [line.split() for line in output.lines]
    texts = [" ".join(line) for line in words]
    assert texts == [
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


def test_a_change_as_json_has_both_rules(files):
    values = [json.loads(line) for line in policy("diff", *files(OLD, NEW), "--json").lines]
    assert [value["crawlers"] for value in values] == [["*"], ["X"], ["Y"]]
    (opens, closes) = values[0]["changes"]
    assert opens == {
        "change": "opens",
        "path": "/a",
        "paths": 1,
        "before": {"line": 2, "cause": "line 2, Disallow: /a"},
        "after": {"line": 0, "cause": "no rule matches"},
    }
    assert (closes["change"], closes["after"]["line"]) == ("closes", 2)
    assert values[0]["delay"] == {"before": 5.0, "after": None}


ALIKE = [
    (OLD, OLD),
    (OLD, OLD.replace("\n", "\r\n")),
    ("User-agent: *\nDisallow: /a\n", "# b\nUser-agent: *\nDisallow: /a\nDisallow: /a/b\n"),
    ("", "User-agent: *\nDisallow:\n"),
]


@pytest.mark.parametrize(("old", "new"), ALIKE)
def test_a_change_of_the_text_alone_is_none(files, old, new):
    output = policy("diff", *files(old, new))
    assert (output.status, output.lines) == (0, ["no answer changes in rfc9309"])
    output = policy("diff", *files(old, new), "--json")
    assert (output.status, output.out) == (0, "")


IN_OTHER_SCRIPTS = [
    ("/часть", "/%D1%87%D0%B0%D1%81%D1%82%D1%8C"),
    ("/*/ы$", "/x/%D1%8B"),
    ("/caf\udce9", "/caf%E9"),  # an octet that is no UTF-8
]


@pytest.mark.parametrize("dialect", ["rfc9309", "google", "yandex"])
@pytest.mark.parametrize(("rule", "path"), IN_OTHER_SCRIPTS)
def test_a_rule_in_another_script_closes_its_path(tmp_path, rule, path, dialect):
    old, new = tmp_path / "old.txt", tmp_path / "new.txt"
    old.write_bytes(b"")
    new.write_text(f"User-agent: *\nDisallow: {rule}\n", "utf-8", "surrogateescape")
    output = policy("diff", old, new, "--json", "--dialect", dialect)
    changes = [change for line in output.lines for change in json.loads(line)["changes"]]
    assert [(one["change"], one["path"]) for one in changes] == [("closes", path)]


# rules before, rules after, the dialect, and what is shown to change
ONLY_SOME_PAGES = [
    # a page of another rule: by what stands behind its wildcard, or before it
    ("Disallow: /admin/", "Allow: /*.css$", "rfc9309", ("opens", "/admin/x.css")),
    ("Disallow: /*.pdf$", "Allow: /public/", "rfc9309", ("opens", "/public/x.pdf")),
    ("Disallow: /*.pdf$", "Allow: public/", "baidu", ("opens", "/xpublic/x.pdf")),
    ("Disallow: /*b=*", "Allow: /a*c$", "rfc9309", ("opens", "/axb=xxc")),
    # what one rule holds stands for a "*" of the other in no path
    ("Disallow: /a/*", "Disallow: /a/x", "rfc9309", ("opens", "/a/z")),
    ("Disallow: /a/*", "Disallow: /a/%78", "rfc9309", ("opens", "/a/z")),
    # no wildcards, and values that are references
    ("", "Disallow: /a*", "koster1996", ("closes", "/a*")),
    ("", "Disallow: a", "original1994", ("closes", "/a")),
    ("", "Disallow: http://example.com/a", "original1994", ("closes", "http://example.com/a")),
]


@pytest.mark.parametrize(("old", "new", "dialect", "change"), ONLY_SOME_PAGES)
def test_a_change_of_some_pages_only_is_found(files, old, new, dialect, change):
    """Both files have the old rules where the new one allows something."""
    kept = old if new.startswith("Allow") else ""
    paths = files(f"User-agent: *\n{old}\n", f"User-agent: *\n{new}\n{kept}\n")
    output = policy("diff", *paths, "--json", "--dialect", dialect)
    changes = [one for line in output.lines for one in json.loads(line)["changes"]]
    assert change in [(one["change"], one["path"]) for one in changes]


def test_where_too_many_rules_would_be_looked_at_together_that_is_shown(files, monkeypatch):
    monkeypatch.setattr(file_changes, "MAX_PAIRS", 10)
    rules = "".join(f"Disallow: /{n}*\n" for n in range(9))
    output = policy("diff", *files(f"User-agent: *\n{rules}", f"User-agent: *\n{rules}Allow: /b"))
    assert (output.status, output.lines) == (0, ["no answer changes in rfc9309"])
    paths = files(f"User-agent: *\n{rules}", f"User-agent: *\n{rules}Allow: /b\nAllow: /c")
    output = policy("diff", *paths)
    assert (output.status, output.out) == (2, "")
    assert output.err == "robots-policy: too many lines: not asked about were every other crawler\n"


def test_a_delay_is_shown_for_those_crawlers_of_a_group_that_it_is_for(files):
    text = "User-agent: a\nCrawl-delay: {}\nUser-agent: b\nCrawl-delay: 1\nDisallow: /\n"
    output = policy("diff", *files(text.format(5), text.format(9)))
    assert output.lines == ["a", "  delay    9 seconds  before: 5 seconds"]
    text = "User-agent: b\nCrawl-delay: 1\nUser-agent: a\nCrawl-delay: {}\nDisallow: /\n"
    output = policy("diff", *files(text.format(5), text.format(9)))
    assert output.lines == ["a", "  delay    9 seconds  before: 5 seconds"]


def test_each_change_of_a_delay_is_shown_exactly(files):
    text = "User-agent: *\nCrawl-delay: {}\n"
    output = policy("diff", *files(text.format(92), text.format(91.5)))
    assert output.lines == ["every other crawler", "  delay    91.5 seconds  before: 92 seconds"]


def test_a_rule_that_binds_some_crawlers_of_a_group_is_shown_for_them_alone(files):
    """Rules before the first User-agent line are for all crawlers in some dialects."""
    names = "User-agent: a\nUser-agent: *\nDisallow: /b\n"
    paths = files(names, f"Disallow: /c\n{names}")
    output = policy("diff", *paths, "--dialect", "original1994")
    assert output.lines[0] == "every other crawler"
    assert [line.split()[:2] for line in output.lines[1:]] == [["closes", "/c"]]


# the value of a User-agent line, the dialect, and the crawler that it binds there
NO_NAMES_OF_CRAWLERS = [
    ("Googlebot*", "rfc9309", "Googlebot"),
    ("Googlebot Images", "google", "Googlebot"),
    ("Googlebot Images", "yahoo", "Googlebot"),
    ("*oogle*bot", "360", "ooglebot"),
]


@pytest.mark.parametrize(("value", "dialect", "crawler"), NO_NAMES_OF_CRAWLERS)
def test_a_crawler_is_named_by_a_line_with_more_than_its_name(files, value, dialect, crawler):
    paths = files("", f"User-agent: {value}\nDisallow: /\n")
    (line,) = policy("diff", *paths, "--json", "--dialect", dialect).lines
    assert json.loads(line)["crawlers"] == [crawler]


@pytest.mark.parametrize(("value", "dialect"), [("Googlebot Images", "yandex"), ("*", "rfc9309")])
def test_a_line_that_binds_no_crawler_in_particular_names_none(files, value, dialect):
    paths = files("", f"User-agent: {value}\nDisallow: /\n")
    output = policy("diff", *paths, "--json", "--dialect", dialect)
    assert all(json.loads(line)["crawlers"] == ["*"] for line in output.lines)


USE = "User-agent: *\nContent-Signal: ai-train={}\nDisallow: /a\n"

# lines before, lines after, and for each preference that changes: a path, and what holds for it
CHANGES_OF_USE = [
    (
        "Content-Signal: search=yes, ai-train=yes",
        "Content-Signal: search=yes, ai-train=no",
        [("/", "line 2, Content-Signal: ai-train=yes", "line 2, Content-Signal: ai-train=no")],
    ),
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
    # a page of another line, or of a rule
    (
        "Content-Usage: /*.pdf train-ai=n",
        "Content-Usage: /*.pdf train-ai=n\nContent-Usage: /public/ train-ai=y",
        [
            ("/public/", "not stated", "line 3, Content-Usage: train-ai=y"),
            (
                "/public/x.pdf",
                "line 2, Content-Usage: train-ai=n",
                "line 3, Content-Usage: train-ai=y",
            ),
        ],
    ),
    (
        "Disallow: /a\nContent-Usage: / train-ai=n\nAllow: /a/b",
        "Disallow: /a\nContent-Usage: /a train-ai=n\nAllow: /a/b",
        [("/", "line 3, Content-Usage: train-ai=n", "not stated")],
    ),
    # a page that may not be fetched is used for nothing
    ("Disallow: /", "Disallow: /\nContent-Signal: ai-train=no", []),
    # the same preference on another line
    ("Content-Signal: ai-train=no", "# more\nContent-Signal: ai-train=no", []),
    ("Content-Signal: ai-train=no", "Content-Usage: /a\nContent-Signal: ai-train=no", []),
]


@pytest.mark.parametrize(("old", "new", "changes"), CHANGES_OF_USE)
def test_a_preference_that_changes_is_shown_with_both_lines(files, old, new, changes):
    paths = files(f"User-agent: *\n{old}\n", f"User-agent: *\n{new}\n")
    output = policy("diff", *paths, "--json")
    rows = [one for line in output.lines for one in json.loads(line)["changes"]]
    assert {one["change"] for one in rows} <= {"use"}
    shown = [(one["path"], one["before"]["cause"], one["after"]["cause"]) for one in rows]
    assert shown == changes
    assert output.status == bool(changes)


def test_a_change_of_use_stands_beside_the_changes_of_rules(files):
    output = policy("diff", *files(USE.format("yes"), USE.format("no") + "Disallow: /b\n"))
    line_2 = "line 2, Content-Signal: ai-train="
    assert [" ".join(line.split()) for line in output.lines] == [
        "every other crawler",
        f"use / (and 1 more) {line_2}no before: {line_2}yes",
        "closes /b line 4, Disallow: /b before: no rule matches",
    ]


PAGES_STILL_OPEN = [
    ("", "Content-Usage: /a train-ai=y\nDisallow: /a$"),
    ("Allow: /*.pdf$", "Content-Usage: /a train-ai=y\nDisallow: /a\nAllow: /*.pdf$"),
]


@pytest.mark.parametrize(("old", "new"), PAGES_STILL_OPEN)
def test_a_change_of_use_is_shown_though_its_first_page_is_closed(files, old, new):
    paths = files(f"User-agent: *\n{old}\n", f"User-agent: *\n{new}\n")
    (line,) = policy("diff", *paths, "--json").lines
    assert {one["change"] for one in json.loads(line)["changes"]} == {"closes", "use"}


def test_a_change_of_use_is_shown_for_those_crawlers_that_it_binds(files):
    text = "User-agent: a\nContent-Usage: train-ai={}\nUser-agent: b\nDisallow: /b\n"
    output = policy("diff", *files(text.format("y"), text.format("n")))
    assert output.lines[0] == "a"
    assert len(output.lines) == 2


def test_visit_times_are_shown_where_the_dialect_keeps_them(files):
    text = "User-agent: *\nVisit-time: {}\nDisallow: /a\n"
    paths = files(text.format("0600-0845"), "User-agent: *\nDisallow: /a\n")
    output = policy("diff", *paths, "--dialect", "seznam")
    assert [" ".join(line.split()) for line in output.lines] == [
        "every other crawler",
        "visits at any time before: 06:00-08:45 UTC",
    ]
    (line,) = policy("diff", *paths, "--dialect", "seznam", "--json").lines
    assert json.loads(line)["visits"] == {"before": ["06:00-08:45 UTC"], "after": []}
    assert policy("diff", *paths, "--dialect", "google").status == 0


def test_crawlers_that_are_bound_alike_are_shown_together(files):
    names = [f"Bot{'abcdefghijkl'[n]}" for n in range(12)]
    lines = "".join(f"User-agent: {name}\n" for name in names)
    output = policy("diff", *files(f"{lines}Disallow: /a\n", f"{lines}Disallow:\n"))
    assert output.lines[0] == f"{', '.join(names[:8])} and 4 more"
    assert len(output.lines) == 2


def test_a_change_is_that_of_the_dialect(files):
    paths = files("User-agent: *\nDisallow: /a\n", "User-agent: *\nDisalow: /a\n")
    assert policy("diff", *paths).status == 1
    assert policy("diff", *paths, "--dialect", "google").status == 0


def test_a_file_is_compared_with_what_a_site_answers(files):
    old, _ = files("User-agent: *\nDisallow: /a\n", "")
    with Site({"/robots.txt": served("User-agent: *\nDisallow: /a")}) as site:
        assert policy("diff", old, site.url("/")).status == 0
    with Site({"/robots.txt": Answer(status=503)}) as site:
        output = policy("diff", old, site.url("/"))
        assert "closes" in output.out
        assert "robots.txt unreachable (503)" in output.out
    output = policy("diff", old, "http://127.0.0.1:1/")
    assert output.status == 2
    assert output.err.startswith("robots-policy: cannot read http://127.0.0.1:1/robots.txt: ")


def test_very_many_rules_are_not_all_asked_about_and_that_is_shown(files, monkeypatch):
    monkeypatch.setattr(file_changes, "MAX_LINES", 10)
    rules = "".join(f"Disallow: /{n}\n" for n in range(9))
    old = f"User-agent: *\n{rules}User-agent: a\nDisallow: /\nUser-agent: b\n{rules}"
    output = policy("diff", *files(f"{old}User-agent: c\nDisallow: /c\n", ""))
    assert "every other crawler" in output.lines
    assert output.err == "robots-policy: too many lines: not asked about were c\n"


def test_nobody_is_told_that_no_answer_changes_where_not_all_were_asked_about(files, monkeypatch):
    monkeypatch.setattr(file_changes, "MAX_LINES", 10)
    rules = "".join(f"Disallow: /{n}\n" for n in range(9))
    old = f"User-agent: *\n{rules}User-agent: c\nDisallow: /a\n"
    paths = files(old, f"{old}Disallow: /b\n")
    output = policy("diff", *paths)
    assert (output.status, output.out) == (2, "")
    assert output.err == "robots-policy: too many lines: not asked about were c\n"
    assert policy("diff", *paths, "--json").status == 2


LONG = "x" * 100_000


@pytest.mark.parametrize(
    "lines", [f"License: http://a/{LONG}", f"Disallow: /{LONG}", f"User-agent: {LONG}\nDisallow: /"]
)
def test_a_long_value_is_shown_by_its_start(files, lines):
    output = policy("diff", *files("", f"User-agent: *\n{lines}\n"))
    assert "xxx" in output.out
    assert len(output.out) < 2000


def test_no_text_of_a_file_controls_the_terminal(files):
    escapes = "\x1b[2J\u202e"
    output = policy("diff", *files(f"User-agent: *\nDisallow: /{escapes}\n", ""))
    assert "closes" not in output.out
    assert all(c.isprintable() or c == "\n" for c in output.out)
