"""What each verb prints, and its exit status."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.metadata import entry_points

import pytest
from scrapy.settings import Settings

from scrapy_robots_policy.commands.printing.access_table import modes_by_answer
from scrapy_robots_policy.commands.printing.terminal import MAX_LINE
from scrapy_robots_policy.commands.reading import inputs
from scrapy_robots_policy.commands.reading.inputs import rules_from
from scrapy_robots_policy.commands.reading.saved_page import saved_response
from scrapy_robots_policy.commands.scrapy_command import ProjectDefaults
from scrapy_robots_policy.commands.verb_table import VERBS
from scrapy_robots_policy.commands.verbs import compare, suite
from scrapy_robots_policy.config.overrides import OverridesKind
from scrapy_robots_policy.fetch import order
from scrapy_robots_policy.lint import KINDS, lint
from scrapy_robots_policy.rep import DIALECTS, parse, ruleset
from scrapy_robots_policy.rep.binding import BindingRules
from scrapy_robots_policy.rep.dialects.dialect import options
from tests.calls import counting_calls
from tests.site import Answer, Site, moved
from tests.site import robots as served

from .conftest import FILE
from .run import robots

ESCAPES = "\x1b]0;owned\x07\x1b[2J\u202egpj.exe\x9b31m"


def is_safe(text):
    return all(c.isprintable() or c == "\n" for c in text)


# ---- check


def test_check_prints_one_line_a_url_and_exits_with_1_if_one_is_disallowed(file):
    output = robots("check", "--robots", file, "https://e.com/private/x", "/private/press/1", "/")
    assert output.lines == [
        "disallowed  https://e.com/private/x  for Scrapy: line 2, Disallow: /private/",
        "allowed     /private/press/1  for Scrapy: line 3, Allow: /private/press/",
        "allowed     /  for Scrapy: no rule matches",
    ]
    assert (output.status, output.err) == (1, "")
    assert robots("check", "--robots", file, "--quiet", "/").out == "allowed     /  for Scrapy\n"
    assert robots("check", "--robots", file, "/").status == 0


def test_check_reads_urls_from_standard_input(file):
    output = robots("check", "--robots", file, "--json", stdin=b"/a\n\n  /private/b  \r\n")
    assert [json.loads(line) for line in output.lines] == [
        {
            "url": "/a",
            "allowed": True,
            "verdict": "allowed",
            "agent": "Scrapy",
            "dialect": "rfc9309",
            "reason": "no rule matches",
            "cause": "no rule matches",
            "line": 0,
            "rule": None,
        },
        {
            "url": "/private/b",
            "allowed": False,
            "verdict": "disallowed",
            "agent": "Scrapy",
            "dialect": "rfc9309",
            "reason": "rule",
            "cause": "line 2, Disallow: /private/",
            "line": 2,
            "rule": "Disallow: /private/",
        },
    ]


def test_check_reads_the_robots_txt_from_standard_input():
    output = robots("check", "--robots", "-", "/private/x", stdin=FILE.encode())
    line = "disallowed  /private/x  for Scrapy: line 2, Disallow: /private/"
    assert (output.status, output.lines) == (1, [line])


def test_check_answers_as_the_engine_in_every_dialect(file):
    urls = ["/private/x", "/private/press/y", "/search", "/"]
    for name in DIALECTS:
        for agent in ("Googlebot", "Scrapy"):
            output = robots("check", "--robots", file, "--dialect", name, "--agent", agent, *urls)
            rules = parse(FILE.encode(), name)
            words = ["allowed" if rules.allowed(url, agent) else "disallowed" for url in urls]
            assert [line.split()[0] for line in output.lines] == words


def test_check_fetches_the_robots_txt_of_each_site_once():
    script = {"/robots.txt": served("User-agent: *\nDisallow: /x")}
    with Site(script) as one, Site({"/robots.txt": Answer(status=503)}) as two:
        output = robots("check", one.url("/x"), one.url("/y"), two.url("/y"), one.url("/z"))
        words = [line.split()[0] for line in output.lines]
        assert words == ["disallowed", "allowed", "unreachable", "allowed"]
        assert {line.index("http://") for line in output.lines} == {len("unreachable  ")}
        assert [hit.path for hit in one.hits] == ["/robots.txt"]


def test_check_goes_on_after_a_url_that_has_no_site():
    with Site({"/robots.txt": served("User-agent: *\nDisallow: /x")}) as site:
        output = robots("check", "mailto:a@b", site.url("/y"))
        assert output.status == 2
        assert output.lines == [f"allowed      {site.url('/y')}  for Scrapy: no rule matches"]
        assert "mailto:a@b" in output.err


def test_the_dialect_decides_after_a_failed_fetch():
    with Site({"/robots.txt": Answer(status=503)}) as site:
        output = robots("check", site.url("/"), "--dialect", "rfc9309")
        assert output.lines == [
            f"unreachable  {site.url('/')}  for Scrapy: robots.txt unreachable (503)"
        ]
        assert output.err == (
            f"scrapy robots: {site.url('/robots.txt')} is unreachable (503): rfc9309: nothing is "
            "allowed\n"
        )
        assert output.status == 3
        assert robots("check", site.url("/"), "--dialect", "yandex").status == 0


@pytest.mark.parametrize("verb", ["check", "explain", "lint", "blocked", "diff", "test"])
def test_each_verb_gives_what_kept_a_file_from_coming_in_the_same_words(verb, file, tmp_path):
    url = "http://127.0.0.1:1/robots.txt"
    suite = tmp_path / "suite.json"
    suite.write_text(json.dumps({"expect": ["* may fetch /a"]}))
    before = {"diff": [file], "test": [suite, "--robots"]}.get(verb, [])
    output = robots(verb, *before, url)
    assert "connection refused, no server listens at that host and port" in output.out + output.err


def test_as_many_redirects_are_followed_as_the_dialect_follows():
    rules = served("User-agent: *\nDisallow: /")
    hops = {f"/{n}": moved(f"/{n + 1}") for n in range(1, 6)}
    with Site({"/robots.txt": moved("/1"), **hops, "/4": rules}) as site:
        assert robots("check", site.url("/x")).status == 1
    with Site({"/robots.txt": moved("/1"), **hops, "/6": rules}) as site:
        assert robots("check", site.url("/x")).status == 0
        assert len(site.hits) == 6


# ---- explain


def test_explain_shows_the_line_that_decides_and_the_lines_that_it_beats(file):
    output = robots("explain", "--robots", file, "https://e.com/private/press/1")
    assert output.status == 0
    assert output.lines[:6] == [
        "https://e.com/private/press/1",
        "allowed for Scrapy, as rfc9309 reads: line 3, Allow: /private/press/",
        "",
        "      1 | User-agent: *",
        "      2 | Disallow: /private/    <- matches too, is weaker",
        ">     3 | Allow: /private/press/    <- decides",
    ]
    rows = dict(
        line.split("  ", 1) for line in output.lines if line.startswith(("group", "crawl-d"))
    )
    assert {name: row.strip() for name, row in rows.items()} == {
        "group": "'*', line 1; rules: 2",
        "crawl-delay": "10 seconds",
    }


def test_explain_says_which_form_of_a_path_with_dot_segments_is_refused(tmp_path):
    file = tmp_path / "robots.txt"
    file.write_text("User-agent: *\nDisallow: /x\n")
    note = "note: a server may read the path as /x; the stricter answer counts"
    output = robots("explain", "--robots", str(file), "/a/../x")
    assert output.lines[:3] == [
        "/a/../x",
        "disallowed for Scrapy, as rfc9309 reads: line 2, Disallow: /x",
        note,
    ]
    as_it_stands = robots("explain", "--robots", str(file), "/x/../a").lines
    assert as_it_stands[:3] == ["/x/../a", output.lines[1], ""]


def test_explain_says_where_the_crawlers_own_engine_decides_otherwise(tmp_path):
    file = tmp_path / "robots.txt"
    file.write_text("User-agent: *\nDisallow: /my documents\n")
    asked = ("explain", "--robots", str(file), "/my%20documents", "--agent")
    note = "note: Googlebot reads as google, which decides otherwise: allowed, no rule matches. "
    for agent in ("Googlebot", "Mozilla/5.0 (compatible; Googlebot/2.1; +http://a.example)"):
        assert robots(*asked, agent).lines[2] == f"{note}Add --dialect google"
    for other in (("Googlebot", "--dialect", "google"), ("GPTBot",), ("ExampleBot",)):
        assert "decides otherwise" not in robots(*asked, *other).out


@pytest.mark.parametrize(("agent", "names"), [("*", "*"), ("Bot", "bot, then *")])
def test_explain_names_what_is_looked_for_once(file, agent, names):
    output = robots("explain", "--robots", file, "--agent", agent, "/")
    assert f"looked for   {names}" in output.lines
    as_json = robots("explain", "--robots", file, "--agent", agent, "/", "--json")
    assert json.loads(as_json.out)["looked_for"] == names.split(", then ")


def test_explain_as_json_has_the_verdict_and_the_facts_about_the_file(file):
    options = ("--robots", file, "--agent", "Googlebot-Image", "--dialect", "google", "--json")
    value = json.loads(robots("explain", "/search/x", *options).out)
    verdict = parse(FILE.encode(), "google").verdict("/search/x", "Googlebot-Image")
    assert value["allowed"] is verdict.allowed is False
    assert (value["line"], value["rule"]) == (8, "Disallow: /search")
    assert value["group"] == {"name": "googlebot", "lines": [6, 7]}
    assert value["looked_for"] == ["googlebot-image", "googlebot", "*"]
    assert value["sitemaps"] == ["https://example.com/sitemap.xml"]
    assert value["crawl_delay"] is None
    assert value["stances"]["404, other 4xx"] == "everything is allowed"


@pytest.mark.parametrize("verb", ["explain", "check"])
def test_json_has_the_start_of_a_long_rule(tmp_path, verb):
    path = tmp_path / "robots.txt"
    path.write_text(f"User-agent: *\nDisallow: /{'*' * 5_000}\nAllow: /{'*' * 5_001}x\n")
    for line in robots(verb, "--robots", path, "/x", "--json").out.splitlines():
        value = json.loads(line)
        assert 2_000 < len(value["rule"]) < 2_002
        assert all(len(beaten["rule"]) < 2_002 for beaten in value.get("beaten", ()))


USE = """\
Content-Signal: search=yes
License: https://example.com/license.xml
User-agent: *
Content-Usage: train-ai=n
Content-Usage: /open/ train-ai=y
Disallow: /x
"""


def test_explain_shows_the_preferences_about_the_use_of_a_page(tmp_path):
    path = tmp_path / "robots.txt"
    path.write_text(USE)
    output = robots("explain", "--robots", path, "/open/1")
    assert output.lines[3:7] == [
        "      1 | Content-Signal: search=yes    <- about the page's use",
        "      2 | License: https://example.com/license.xml    <- about the page's use",
        "      3 | User-agent: *",
        "      5 | Content-Usage: /open/ train-ai=y    <- about the page's use",
    ]
    rows = [" ".join(line.split()) for line in output.lines if line.startswith("usage")]
    assert rows == [
        "usage line 5, Content-Usage: train-ai=y",
        "usage line 1, Content-Signal: search=yes",
        "usage line 2, License: https://example.com/license.xml",
    ]
    value = json.loads(robots("explain", "--robots", path, "/y", "--json").out)
    assert value["usage"][0] == {
        "label": "Content-Usage",
        "key": "train-ai",
        "value": "n",
        "line": 4,
        "place": "robots.txt",
    }


def test_a_page_that_is_refused_for_the_projects_purpose_is_disallowed(tmp_path):
    path = tmp_path / "robots.txt"
    path.write_text(USE)
    purpose = {"ROBOTS_PURPOSE": "train-ai"}
    output = robots("check", "--robots", path, "/y", "/open/1", settings=purpose)
    assert output.lines == [
        "disallowed  /y  for Scrapy: line 4, Content-Usage: train-ai=n",
        "allowed     /open/1  for Scrapy: no rule matches",
    ]
    assert output.status == 1
    output = robots("explain", "--robots", path, "/y", settings=purpose)
    assert output.status == 1
    assert output.lines[1].endswith("as rfc9309 reads: line 4, Content-Usage: train-ai=n")
    assert ">     4 | Content-Usage: train-ai=n    <- about the page's use" in output.lines
    output = robots("check", "--robots", path, "/y", settings={"ROBOTS_PURPOSE": "tea"})
    assert output.status == 2
    assert "ROBOTS_PURPOSE is 'tea'; it must be one or several of" in output.err


def test_explain_of_a_url_fetches_its_robots_txt_and_nothing_else():
    with Site({"/robots.txt": served(USE)}) as site:
        robots("explain", site.url("/open/1"))
        assert site.paths == ["/robots.txt"]


TDMREP = "/.well-known/tdmrep.json"
TDM = '[{"location": "/open/", "tdm-reservation": 1}]'


def test_explain_and_check_fetch_the_tdmrep_json_where_a_purpose_is_declared_that_it_may_refuse():
    with Site({"/robots.txt": served("User-agent: *\nDisallow: /x"), TDMREP: served(TDM)}) as site:
        training = {"ROBOTS_PURPOSE": "train-ai"}
        output = robots("explain", site.url("/open/1"), settings=training)
        assert output.status == 1
        assert output.lines[1].endswith("tdmrep.json rule 1, tdm-reservation: 1")
        assert site.paths == ["/robots.txt", TDMREP]
        output = robots("check", site.url("/open/1"), site.url("/1"), settings=training)
        assert [line.split()[0] for line in output.lines] == ["disallowed", "allowed"]
        assert (
            robots("explain", site.url("/open/1"), settings={"ROBOTS_PURPOSE": "search"}).status
            == 0
        )
        assert robots("explain", site.url("/open/1")).status == 0
        assert site.count(TDMREP) == 2


def test_the_tdmrep_json_of_a_site_is_not_fetched_where_it_is_forbidden_or_another_is_named(
    tmp_path,
):
    file = tmp_path / "tdmrep.json"
    file.write_text("[]")
    training = {"ROBOTS_PURPOSE": "train-ai"}
    closed, opened = served("User-agent: *\nDisallow: /.well-known/"), served("")
    for robots_txt, named in ((closed, ()), (opened, ("--tdmrep", file))):
        with Site({"/robots.txt": robots_txt, TDMREP: served(TDM)}) as site:
            assert robots("explain", site.url("/open/1"), *named, settings=training).status == 0
        assert site.paths == ["/robots.txt"]


def test_explain_shows_what_a_tdmrep_json_says_though_no_purpose_is_declared(tmp_path):
    file, opened = tmp_path / "tdmrep.json", tmp_path / "robots.txt"
    policy = "https://a.example/policy.json"
    file.write_text(json.dumps([{"location": "/*", "tdm-reservation": 1, "tdm-policy": policy}]))
    opened.write_text("")
    output = robots("explain", "--robots", opened, "--tdmrep", file, "https://a.example/1")
    assert output.status == 0
    shown = [line.partition("tdmrep.json rule 1, ")[2] for line in output.lines]
    assert [*filter(None, shown)] == ["tdm-reservation: 1", f"tdm-policy: {policy}"]


SAVED = b"""\
HTTP/1.1 301 Moved\r
Location: /open/1\r
\r
HTTP/2 200\r
content-type: text/html; charset=utf-8\r
Content-Signal: ai-input=no\r
TDM-Reservation: 1\r
\r
<html><meta name="tdm-reservation" content="0"><meta name="robots" content="noai"></html>
"""


def test_explain_combines_a_saved_page_with_the_files(tmp_path):
    for name, octets in (("r", USE.encode()), ("t", TDM.encode()), ("p", SAVED)):
        (tmp_path / name).write_bytes(octets)
    named = ("--robots", tmp_path / "r", "--tdmrep", tmp_path / "t", "--page", tmp_path / "p")
    settings = {"ROBOTS_PURPOSE": "search,ai-input,train-ai", "ROBOTS_TDMREP": "fetch"}
    output = robots("explain", *named, "https://h.example/open/1", settings=settings)
    assert output.status == 1
    rows = [" ".join(line.split()) for line in output.lines]
    refused = "header Content-Signal: ai-input=no"
    assert rows[2] == f"note: the page is fetched, but its items are dropped: {refused}"
    for row in (
        "usage header Content-Signal: ai-input=no",
        "use search granted by line 1, Content-Signal: search=yes",
        "use ai-input refused by header Content-Signal: ai-input=no",
        "use train-ai refused by meta tag robots: noai",
    ):
        assert row in rows
    assert any(row.startswith("overridden header tdm-reservation: 1; by meta tag") for row in rows)
    output = robots("explain", *named, "https://h.example/open/1", "--json", settings=settings)
    value = json.loads(output.out)
    assert {one["place"] for one in value["usage"]} == {
        *("robots.txt", "tdmrep.json", "header", "meta tag")
    }
    assert {one["use"]: one["result"] for one in value["uses"]}["train-ai"] == "refused"
    assert {one["by"]["place"] for one in value["overridden"]} == {
        "meta tag",
        "header",
        "robots.txt",
    }


UNREAD = {
    "no line": (b"HTTP/2 200\r\nA: b\r\n\r\nhello", ""),
    "a page without a head": (b"hello\n", ""),
    "one line": (b"HTTP/2 200\r\nnoai\r\nA: b\r\n\r\nhello", "line 2 is no header line"),
    "that of the last response": (
        b"HTTP/1.1 301 Moved\nX\n\nHTTP/1.1 200 OK\nA: b\nnoai\n: x\n\nhello\n",
        "lines 6, 7 are no header lines",
    ),
    "a page in the place of headers": (
        b"HTTP/1.1 200 OK\n" + b"<p>\n" * 1_005,
        "lines 2, 3, 4, 5, 6 and 1,000 more are no header lines",
    ),
}


@pytest.mark.parametrize("name", UNREAD)
@pytest.mark.parametrize("source", ["file", "standard input"])
def test_explain_names_the_lines_of_a_saved_page_that_are_no_header_lines(tmp_path, source, name):
    octets, lines = UNREAD[name]
    for file, content in (("r", b""), ("p", octets)):
        (tmp_path / file).write_bytes(content)
    page = tmp_path / "p" if source == "file" else "-"
    args = ("--robots", tmp_path / "r", "--page", page, "https://h.example/")
    output = robots("explain", *args, stdin=octets)
    where = page if source == "file" else source
    assert output.err == (f"scrapy robots: {where}: {lines}: not read\n" if lines else "")
    assert output.status == 0


def test_a_page_that_looks_like_many_responses_is_gone_through_once():
    octets = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + b"HTTP/\n\n" * 1_000 + b"<p>"
    with counting_calls() as counts:
        response = saved_response(octets, "https://h.example/")
    assert response.body == b"<p>"
    assert counts["octets"] < 2 * len(octets)


def test_a_saved_page_that_cannot_be_read_is_a_wrong_command_line(tmp_path):
    output = robots("explain", "--robots", "-", "--page", tmp_path / "none", "/", stdin=b"")
    assert output.status == 2
    assert "cannot read" in output.err


def test_explain_says_of_a_local_file_nothing_that_a_site_would_have_answered(tmp_path):
    (tmp_path / "r").write_text("User-agent: *\n")
    output = robots("explain", "--robots", tmp_path / "r", "/")
    assert f"robots.txt   {tmp_path / 'r'}: 14 octets" in output.lines


def test_explain_shows_why_there_is_no_file():
    with Site({"/robots.txt": Answer(status=403)}) as site:
        output = robots("explain", site.url("/x"), "--dialect", "koster1996")
        assert output.status == 1
        assert "robots.txt forbidden (403)" in output.lines[1]
        output = robots("explain", site.url("/x"), "--dialect", "rfc9309")
        assert output.lines[1].endswith("as rfc9309 reads: no robots.txt (403)")


def test_explain_says_what_of_the_files_is_not_obeyed_or_not_read(tmp_path):
    (tmp_path / "r").write_text("User-agent: *\nVisit-time: 1300-1400\n")
    (tmp_path / "t").write_text("x")
    explain = "explain", "--robots", tmp_path / "r", "--tdmrep", tmp_path / "t", "/"
    time = "visit-time   13:00-14:00 UTC"
    assert f"{time}, which this dialect does not obey" in robots(*explain).lines
    assert time in robots(*explain, "--dialect", "seznam").lines
    assert "tdmrep.json  200, no JSON (JSONDecodeError)" in robots(*explain).lines


HUGE = "x" * 100_000
HUGE_VALUES = {
    "sitemap": f"Sitemap: https://example.com/{HUGE}\n",
    "licence": f"License: https://example.com/{HUGE}\n",
    "preference": f"User-agent: *\nContent-Usage: {HUGE}=n\n",
    "one of many": "User-agent: *\n"
    + "".join(f"Content-Usage: k{n}=n\n" for n in range(100))
    + f'Content-Usage: /x b="{HUGE}"\n',
    "name": f"User-agent: {HUGE}\nDisallow: /\n",
    "path": f"User-agent: *\nDisallow: /x{HUGE}\nDisallow: /x{'*' * 100_000}\n",
    "key": f"User-agent: *\n{HUGE}: /x\n{HUGE}\n",
    "time": f"User-agent: *\nVisit-time: 0600-0845{HUGE}\nCrawl-delay: {'9' * 100_000}\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("dialect", ["rfc9309", "original1994"])
@pytest.mark.parametrize("name", HUGE_VALUES)
def test_no_verb_shows_a_value_however_long_it_is(tmp_path, name, dialect):
    file, suite_file = tmp_path / "robots.txt", tmp_path / "suite.json"
    file.write_text(HUGE_VALUES[name])
    suite_file.write_text(json.dumps({"expect": ["everybody may fetch /x", "nobody may fetch /x"]}))
    of_file = ("--robots", file, "--dialect", dialect)
    for words in (
        *(("check", *of_file, "/x"), ("explain", *of_file, "/x"), ("compare", *of_file, "/x")),
        *(("lint", "--dialect", dialect, file), ("blocked", file), ("test", *of_file, suite_file)),
        ("lint", "--dialect", dialect, "--output-format", "github", file),
    ):
        output = robots(*words)
        assert output.out, (words, output.err)
        assert max(map(len, output.lines)) < 2000, words
    preferences = json.loads(robots("explain", *of_file, "--json", "/x").out)
    for key in ("usage", "overridden", "uses"):
        assert len(json.dumps(preferences[key])) < 500_000


def test_a_verdict_in_json_lists_no_more_than_a_thousand_lines(tmp_path):
    path = tmp_path / "robots.txt"
    path.write_text("User-agent: *\n" * 1200 + "Disallow: /\n" * 1200)
    value = json.loads(robots("explain", "--robots", path, "--json", "/x").out)
    assert value["group"]["lines"] == list(range(1, 1001))
    assert [rule["line"] for rule in value["beaten"]] == list(range(1202, 2202))


@pytest.mark.parametrize(
    ("status", "life"), [(200, "fresh for 24 hours"), (503, "requested again after 10 seconds")]
)
def test_explain_says_how_long_an_answer_counts_or_when_it_is_requested_again(status, life):
    with Site({"/robots.txt": Answer(status=status)}) as site:
        lines = robots("explain", site.url("/x")).lines
    row = next(line for line in lines if line.startswith("robots.txt"))
    assert row.endswith(f", 0 octets, {life}")


def test_explain_shows_what_statuses_mean_for_a_site_and_for_a_file_on_request(file):
    with Site({"/robots.txt": served("")}) as site:
        of_site = robots("explain", site.url("/x"))
    of_file = robots("explain", "--robots", file, "/x")
    asked_for = robots("explain", "--robots", file, "--statuses", "/x")
    title = "What rfc9309 does, by the site's answer to /robots.txt:"
    assert [title in one.lines for one in (of_site, of_file, asked_for)] == [True, False, True]


# ---- lint


def test_lint_shows_line_caret_and_fix(tmp_path):
    path = tmp_path / "r.txt"
    path.write_text("User-agent: *\nDisalow: /x\n")
    output = robots("lint", path)
    assert output.status == 1
    assert output.lines == [
        f"{path}:2:1: error R201 misspelt-key",
        "        rfc9309 does not read the key 'Disalow'",
        "      2 | Disalow: /x",
        "        | ^^^^^^^",
        "        fix: write Disallow:",
        "",
        "1 error in 1 file",
    ]


def test_lint_shows_a_long_line_around_what_it_found(tmp_path):
    path = tmp_path / "r.txt"
    path.write_text(f"User-agent: *\nDisallow: /{'a' * 5_000} Disallow: /b{'c' * 5_000}\n")
    shown = [line for line in robots("lint", "--select", "R206", path).lines if " | " in line]
    line, carets = (text.partition(" | ")[2] for text in shown)
    assert line[carets.index("^") :].startswith("Disallow: /b")
    assert line[0] == line[-1] == "…"
    assert len(line) == MAX_LINE + 1
    assert len(carets) <= len(line)


def test_lint_exits_with_0_on_notes_alone(tmp_path):
    path = tmp_path / "r.txt"
    path.write_text("User-agent: *\nColour: blue\nDisallow: /x\n")
    output = robots("lint", path)
    assert (output.status, output.lines[-1]) == (0, "1 note in 1 file")


def test_lint_as_json_has_the_engines_findings(file):
    output = robots("lint", file, "--json", "--dialect", "google")
    findings = lint(FILE.encode(), "google")
    assert [json.loads(line)["code"] for line in output.lines] == [f.code for f in findings]


def test_lint_as_sarif_places_each_finding(file):
    log = json.loads(robots("lint", file, "--sarif").out)
    (run,) = log["runs"]
    assert log["version"] == "2.1.0"
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == list(KINDS)
    regions = [
        (
            result["ruleId"],
            result["level"],
            *result["locations"][0]["physicalLocation"]["region"].values(),
        )
        for result in run["results"]
    ]
    assert regions == [
        (f.code, f.severity.value, f.line, f.column, f.end) for f in lint(FILE.encode())
    ]


@pytest.mark.skipif(os.name == "nt", reason="names are text there")
def test_a_file_whose_name_is_no_text_has_a_place_in_sarif(tmp_path):
    path = tmp_path / os.fsdecode(b"\xff%.txt")
    try:
        path.write_text("Disalow: /")
    except OSError:
        pytest.skip("this file system takes text only")
    (run,) = json.loads(robots("lint", path, "--sarif").out)["runs"]
    place = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place["uri"].endswith("/%FF%25.txt")


def test_lint_of_a_url_looks_at_what_the_site_answers():
    with Site({"/robots.txt": served("Sitemap: /s.xml"), "/no": Answer(status=404)}) as site:
        assert "R501" in robots("lint", site.url("/robots.txt")).out
        assert "R501" in robots("lint", site.url("/")).out
        output = robots("lint", site.url("/no"))
        assert (output.status, "warning R111 no-file" in output.out) == (1, True)
        assert "status 404: everything is allowed in rfc9309, " in output.out


def test_lint_goes_on_after_a_file_that_is_not_there(tmp_path):
    path = tmp_path / "r.txt"
    path.write_text("User-agent: *\nDisalow: /x\n")
    for args in ((tmp_path / "no.txt", path), (path, tmp_path / "no.txt")):
        output = robots("lint", *args)
        assert output.status == 2
        assert "R201" in output.out
        assert (
            output.err
            == f"scrapy robots: cannot read {tmp_path / 'no.txt'}: No such file or directory\n"
        )


def test_lint_shows_the_findings_that_are_selected(tmp_path):
    path = tmp_path / "r.txt"
    path.write_text("User-agent: *\nDisallow: /x\nAllow: /x/y\nDisalow: /z\n")
    codes = [json.loads(line)["code"] for line in robots("lint", path, "--json").lines]
    assert codes == ["R201"]
    output = robots("lint", path, "--json", "--select", "r601,R3")
    assert (output.status, {json.loads(line)["code"] for line in output.lines}) == (0, {"R601"})
    wrong = robots("lint", path, "--select", "X1")
    assert wrong.status == 2
    assert wrong.err.startswith("scrapy robots: --select: no finding has the code 'X1'")


# ---- compare, dialects


def test_compare_shows_only_where_verdicts_differ_and_the_option(file):
    output = robots(
        *("compare", "--robots", file, "--dialects", "rfc9309,baidu,google"),
        *("/private/press/1", "/private/x"),
    )
    why = "precedence: first (rfc9309: longest)"
    assert output.status == 1
    assert output.lines == [
        "/private/press/1  for Scrapy",
        "  rfc9309  allowed     line 3, Allow: /private/press/",
        f"  baidu    disallowed  line 2, Disallow: /private/     {why}",
    ]
    alike = robots("compare", "--robots", file, "--dialects", "rfc9309,google", "/private/x")
    assert (alike.status, alike.lines) == (0, ["both dialects decide alike: disallowed"])
    alike = robots("compare", "--robots", file, "--dialects", "rfc9309,google", "/private/x", "/")
    assert (alike.status, alike.lines) == (0, ["both dialects decide alike"])


@pytest.mark.parametrize("verb", ["check", "explain", "compare", "blocked", "lint", "diff"])
def test_of_a_large_file_as_much_is_read_as_a_crawl_reads(monkeypatch, tmp_path, verb):
    octets = b"User-agent: *\nDisallow: /x\n# some more\nAllow: /x/y\nDisalow: /y\n"
    begun = octets[: octets.index(b"Allow")]
    limit = len(begun) + len("Allow: /x/")  # a whole rule, which the file does not have
    whole, start = tmp_path / "whole.txt", tmp_path / "start.txt"
    whole.write_bytes(octets)
    start.write_bytes(begun)
    for module in (inputs, order):
        monkeypatch.setattr(module, "MAX_OCTETS", limit)

    def output(path):
        options = [] if verb in ("lint", "diff", "blocked") else ["/x/", "--robots"]
        others = [start] if verb == "diff" else []
        return robots(verb, *options, *others, path)

    large, small = output(whole), output(start)
    assert large.out.replace("whole.txt", "start.txt") == small.out
    assert (large.status, small.err) == (small.status, "")
    assert large.err.count("\n") == 1
    assert large.err.endswith(f"whole.txt is cut after {limit} octets, as in a crawl\n")
    assert robots("check", "--robots", "-", "/x/", stdin=octets).status == 1


def test_compare_lays_out_no_rules_of_a_dialect_that_decides_alike(monkeypatch, file):
    laid_out = []

    def noted(*args):
        laid_out.append(args)
        return BindingRules(*args)

    monkeypatch.setattr(ruleset, "BindingRules", noted)
    assert robots("compare", "--robots", file, "/private/x").status == 0
    assert len(laid_out) == 1  # those of the dialect with which the others are compared


@pytest.mark.parametrize("verb", ["compare", "test"])
def test_each_dialect_reads_a_file_once_for_all_urls(monkeypatch, file, tmp_path, verb):
    dialects = []
    module = {"compare": compare, "test": suite}[verb]

    def noted(origin, result, dialect):
        dialects.append(dialect.name)
        return rules_from(origin, result, dialect)

    monkeypatch.setattr(module, "rules_from", noted)
    expect = ["* may fetch /a", "everybody may fetch /b", "* may not fetch /private/x in google"]
    suites = [tmp_path / "a.json", tmp_path / "b.json"]
    for path in suites:
        path.write_text(json.dumps({"dialects": ["rfc9309", "google"], "expect": expect}))
    args = {"compare": ("--dialects", "rfc9309,google", "/a", "/b", "/private/x"), "test": suites}
    assert robots(verb, "--robots", file, *args[verb]).status == 0
    assert sorted(dialects) == ["google", "rfc9309"]


IN_BLOCKS = {
    "crawlers GPTBot CCBot": "crawler      ",
    "rule R102 R103": "R10",
    "compare --robots FILE --dialects rfc9309,baidu /private/press/1 /private/press/2": "/private/",
    "diff FILE /dev/null": "",
    "explain --robots FILE /private/press/1": "",
    "lint FILE": "",
    "blocked FILE": "",
    "dialects": "",
    "dialects google": "",
    "dialects google bing": "",
    "crawlers": "",
    "check --robots FILE /private/x": "",
}


@pytest.mark.parametrize(("command", "head"), IN_BLOCKS.items())
def test_an_empty_line_stands_between_blocks_and_never_at_the_end(command, head, file):
    output = robots(*command.replace("FILE", str(file)).split())
    lines = output.lines
    assert output.status in (0, 1)
    assert lines[0]
    assert lines[-1]
    heads = [at for at, line in enumerate(lines) if head and line.startswith(head)]
    assert all(at == 0 or not lines[at - 1] for at in heads)
    assert len(heads) == (2 if head else 0)


def test_verbs_that_ask_all_dialects_follow_as_many_redirects_as_each_of_them(tmp_path):
    hops = {f"/{n}": moved(f"/{n + 1}") for n in range(1, 7)}
    rules = served("User-agent: *\nDisallow: /")
    suite = tmp_path / "suite.json"
    with Site({"/robots.txt": moved("/1"), **hops, "/7": rules}) as site:
        url, robots_txt = site.url("/x"), site.url("/robots.txt")
        alone = {
            name: robots("check", url, "--dialect", name).status == 0
            for name in ("rfc9309", "koster1996")
        }
        assert alone == {"rfc9309": True, "koster1996": False}
        answer = json.loads(robots("compare", url, "--json").out)
        assert {"koster1996", "sogou"} <= {other["dialect"] for other in answer["there"]}
        rows = map(json.loads, robots("blocked", url, "--json").out.splitlines())
        disallowing = {row["dialect"] for row in rows if not row["allowed"]}
        assert disallowing == {"duckduckgo", "sogou", "original1994"}
        sentence = "nobody may fetch /x in koster1996"
        suite.write_text(json.dumps({"robots": robots_txt, "expect": [sentence]}))
        assert robots("test", suite).status == 0


def test_compare_names_the_access_policy_after_a_failed_fetch():
    with Site({"/robots.txt": Answer(status=503)}) as site:
        compare = "compare", site.url("/"), "--dialects", "rfc9309,yandex"
        value = json.loads(robots(*compare, "--json").out)
        assert [other["options"] for other in value["there"]] == [["access"]]
        why = "access after 503: everything is allowed (rfc9309: nothing is allowed)"
        assert robots(*compare).lines[2].endswith(why)


def test_dialects_shows_all_one_or_the_differences_of_two():
    names = [line.split()[0] for line in robots("dialects").lines[1 : len(DIALECTS) + 1]]
    assert names == list(DIALECTS)
    assert "google/robotstxt, robots.cc" in robots("dialects", "google").out
    experimental = [name for name, dialect in DIALECTS.items() if dialect.is_experimental]
    (marked,) = [line for line in robots("dialects").lines if line.startswith("Experimental")]
    assert marked.endswith(f":  {', '.join(experimental)}")
    assert "seznam is experimental" in robots("dialects", "seznam").out
    assert "experimental" not in robots("dialects", "google").out
    output = robots("dialects", "google", "apple", "--json")
    assert output.status == 1
    assert json.loads(output.out)["index_html"] == {"google": True, "apple": False}
    modes = json.loads(robots("dialects", "google", "yandex", "--json").out)["access"]
    assert modes["yandex"] == modes_by_answer(DIALECTS["yandex"].access) != modes["google"]
    one = json.loads(robots("dialects", "google", "--json").out)["google"]
    assert set(one) == {"experimental", "options", "agents", "stances"}
    assert set(one["options"]) == set(options()) - {"access", "agents"}


def test_dialects_shows_the_answers_of_a_site_that_two_read_differently_and_no_others():
    google, bing = (modes_by_answer(DIALECTS[name].access) for name in ("google", "bing"))
    table = robots("dialects", "google", "bing").out.partition("By the site's answer")[2]
    assert [name for name in google if f"\n  {name}  " in table] == [
        name for name in google if google[name] != bing[name]
    ]


# ---- wrong command lines, settings, hostile text


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        ((), f"the verb is missing; it must be {', '.join(VERBS)}; see -h"),
        (
            ("chekc",),
            "the verb is 'chekc'; it must be check, explain, lint, compare, dialects, tester",
        ),
        (
            ("check", "--dialect", "goggle", "/"),
            "--dialect is 'goggle'; it must be rfc9309, google",
        ),
        (("check", "--robots", "/no/such", "/"), "cannot read /no/such: No such file or directory"),
        (
            ("check", "--robots", "-"),
            "standard input is the robots.txt: give the URLs as arguments",
        ),
        (("check", "--nope", "/"), "unknown option --nope; see -h"),
        (("check", "--json=1", "/"), "--json: it takes no value, not even '1'; see -h"),
        (
            ("check", "htp://a.example/b"),
            "'htp://a.example/b' is no whole URL: write http://a.example/b\n",
        ),
        (
            ("explain", "HTTPS:/a.example"),
            "'HTTPS:/a.example' is no whole URL: write https://a.example\n",
        ),
        (
            ("check", "http://a.example:99999/"),
            "'http://a.example:99999/' is no URL: its host or its port cannot be one\n",
        ),
        (
            ("lint", "htttps://a.example"),
            "cannot read htttps://a.example: No such file or directory; if it is a site, write",
        ),
        (
            ("lint", "ftp://a.example/b"),
            "cannot read ftp://a.example/b: No such file or directory; of URLs, only http and",
        ),
        (("test", "http://a.example/"), "http://a.example/ is a URL, and a suite is a file"),
        (("audit", "verify", "http://a.example/"), "a record is a file, not http://a.example/\n"),
        (("audit", "verify", "-"), "a record is a file, not standard input\n"),
        (("check", "--robox", "/"), "unknown option --robox; did you mean --robots?"),
        (("check", "--sarif", "/"), "--sarif is for lint, not for check"),
        (
            ("check", "/x"),
            "'/x' is no http or https URL: name the robots.txt for it with --robots",
        ),
        (("explain",), "explain takes one URL, not 0"),
        (("lint",), "lint needs a FILE, a DIRECTORY, a URL or -"),
        (("compare", "/", "--dialects", "google"), "compare needs two dialects at least"),
        (("dialects", "goggle"), "the dialect is 'goggle'; it must be rfc9309, google"),
        (("tester", "x"), "tester takes no arguments, not 'x'; use --robots FILE"),
    ],
)
def test_a_wrong_command_line_gets_one_sentence_and_status_2(args, sentence):
    output = robots(*args)
    assert (output.status, output.out) == (2, "")
    assert output.err.startswith(f"scrapy robots: {sentence}")
    assert output.err.count("\n") == 1


def test_the_projects_settings_are_the_defaults_of_options(file):
    google = {"ROBOTS_DIALECT": "google", "ROBOTSTXT_USER_AGENT": "Googlebot"}
    value = json.loads(
        robots("explain", "/search", "--robots", file, "--json", settings=google).out
    )
    assert (value["dialect"], value["agent"], value["allowed"]) == ("google", "Googlebot", False)
    output = robots("check", "/", settings={"ROBOTS_DIALECT": "gogle"})
    assert output.status == 2
    assert output.err.startswith("scrapy robots: ROBOTS_DIALECT is 'gogle'; it must be")
    assert output.err.endswith("; did you mean google?\n")


@pytest.mark.parametrize("name", ["ROBOTS_PURPOSE", "ROBOTS_REDIRECTS"])
def test_a_wrong_setting_of_the_project_gets_one_sentence(name, file):
    output = robots("check", "--robots", file, "/", settings={name: "tea"})
    assert output.status == 2
    assert output.err.startswith(f"scrapy robots: {name} is ")
    assert output.err.count("\n") == 1


@pytest.mark.parametrize("verb", ["check", "explain"])
def test_it_says_where_a_crawl_of_the_project_would_ask_a_site_for_something_else(verb, file):
    with Site({"/robots.txt": served("User-agent: *\nDisallow: /no")}) as site:
        settings = {
            "ROBOTS_OVERRIDES": {
                "127.0.*": {"obey": False, "agent": "Bot"},
                "127.0.0.1": {"crawl_delay": 2},
                "other.example": {"obey": False},
            }
        }
        output = robots(verb, site.url("/no"), settings=settings)
        assert output.status == 1
        assert output.err.splitlines()[-1] == (
            f"scrapy robots: for {site.origin} a crawl takes crawl_delay, agent, obey from "
            "ROBOTS_OVERRIDES['127.0.0.1'] and ROBOTS_OVERRIDES['127.0.*']; this answer does not"
        )
        for without in ({"other.example": {"obey": False}}, {}, "", None):
            output = robots(verb, site.url("/no"), settings={"ROBOTS_OVERRIDES": without})
            assert (output.status, "ROBOTS_OVERRIDES" in output.err) == (1, False)
        wrong = robots(verb, site.url("/no"), settings={"ROBOTS_OVERRIDES": 5})
        assert (wrong.status, wrong.err.count("\n")) == (2, 1)
    assert not robots(verb, "/search", "--robots", file, settings=settings).err


def test_the_overrides_of_a_project_are_read_once_for_all_sites(monkeypatch):
    reads, read = [], OverridesKind.read
    monkeypatch.setattr(OverridesKind, "read", lambda *args: reads.append(args) or read(*args))
    defaults = ProjectDefaults(Settings({"ROBOTS_OVERRIDES": {"*.example": {"obey": False}}}))
    places = [defaults.set_by(f"http://{host}.example") for host in "abc"]
    assert places == [{"obey": "ROBOTS_OVERRIDES['*.example']"}] * 3
    assert len(reads) == 1


def test_without_a_name_the_header_that_scrapy_would_send_names_the_crawler(file):
    settings = {"DEFAULT_REQUEST_HEADERS": {"user-agent": "Sent/1.0"}, "USER_AGENT": "MyBot"}
    output = robots("explain", "/search", "--robots", file, "--json", settings=settings)
    assert json.loads(output.out)["agent"] == "Sent"


def test_hostile_text_cannot_control_the_terminal(tmp_path):
    path = tmp_path / "evil.txt"
    path.write_bytes(
        f"User-agent: {ESCAPES}\nUser-agent: *\nDisallow: /{ESCAPES}\nDisalow{ESCAPES}: x\n"
        f"Sitemap: {ESCAPES}\nAllow: .{ESCAPES}\n".encode()
    )
    url = f"http://e.com/{ESCAPES}"
    for verb in ("lint", "check", "explain", "compare", "blocked"):
        args = (path,) if verb == "lint" else ("--robots", path, url)
        for option in ((), ("--json",)):
            output = robots(verb, *args, *option)
            assert output.status in (0, 1)
            assert is_safe(output.out + output.err)
            assert verb == "compare" or "owned" in output.out


@pytest.mark.slow
def test_scrapy_finds_the_command_by_its_entry_point(file):
    if not any(point.name == "robots" for point in entry_points(group="scrapy.commands")):
        pytest.skip("the package is not installed, so Scrapy does not know the command")
    done = subprocess.run(
        [sys.executable, "-m", "scrapy", "robots", "check", "--robots", file, "/private/x"],
        capture_output=True,
        text=True,
        check=False,
    )
    line = "disallowed  /private/x  for Scrapy: line 2, Disallow: /private/\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, line, "")


def test_one_thing_more_is_no_plural(tmp_path):
    path = tmp_path / "robots.txt"
    sitemaps = "".join(f"Sitemap: https://e.com/{n}.xml\n" for n in range(6))
    rules = "".join(f"Disallow: /{'a' * n}\n" for n in range(14))
    path.write_text(f"{sitemaps}User-agent: *\n{rules}")
    lines = robots("explain", "--robots", path, "/" + "a" * 20).lines
    assert "             and 1 sitemap more" in lines
    assert "        and 1 beaten rule more" in lines


def test_explain_shows_some_of_very_many_lines_and_all_that_decides(tmp_path):
    path = tmp_path / "robots.txt"
    uses = "".join(f"Content-Usage: k{n}=n\n" for n in range(150))
    rules = f"Disallow: /{'a' * 5_000}\nDisallow: /\n"
    path.write_text("User-agent: *\n" * 250 + uses + rules)
    output = robots("explain", "--robots", path, "/" + "a" * 5_001)
    lines = output.lines
    decides = next(line for line in lines if "<- decides" in line)
    assert decides == f">   401 | {f'Disallow: /{chr(97) * 5_000}'[:MAX_LINE]}…    <- decides"
    assert "        and 150 User-agent lines more" in lines
    numbers = ", ".join(map(str, range(1, 101)))
    assert any(f"lines {numbers} and 150 more; rules: 2" in line for line in lines)
    allowed = robots("explain", "--robots", path, "--agent", "other", "/b").lines
    assert len(allowed) < 150


def test_a_dialect_beside_itself_has_a_sentence_and_no_empty_table():
    output = robots("dialects", "google", "google")
    assert (output.status, output.lines) == (0, ["google and google differ in no option"])
    assert robots("dialects", "google", "google", "--json").out == "{}\n"
