"""What each verb says of files and of sites, and its exit status: as data.

A case is a command line, its exit status, and what stands in its output; spaces count as one.
`{rules}` and the like are sites. All commands run in a folder that has the files of `FILES`.
"""

from __future__ import annotations

import csv
import io
import json
import shlex
from contextlib import ExitStack

import pytest

from scrapy_robots_policy.rep import DIALECTS, parse
from tests.site import Answer, Site, moved
from tests.site import robots as served

from .conftest import FILE
from .run import policy, robots

RULES = "User-agent: *\nDisallow: /x\n"
USE = """\
Content-Signal: search=yes
License: https://example.com/license.xml
User-agent: *
Content-Usage: train-ai=n
Content-Usage: /open/ train-ai=y
Disallow: /x
"""
PAGE = """\
HTTP/1.1 301 Moved
Location: /open/1

HTTP/2 200
content-type: text/html; charset=utf-8
Content-Signal: ai-input=no
TDM-Reservation: 1
noai

<html><meta name="tdm-reservation" content="0"><meta name="robots" content="noai"></html>
"""
FILES = {
    "robots.txt": FILE,
    "rules.txt": RULES,
    "closed.txt": "User-agent: *\nDisallow: /\n",
    "spaces.txt": "User-agent: *\nDisallow: /my documents\n",
    "faults.txt": "User-agent: *\nDisalow: /x\n",
    "note.txt": "User-agent: *\nColour: blue\nDisallow: /x\n",
    "use.txt": USE,
    "page.txt": PAGE,
    "tdmrep.json": '[{"location": "/open/", "tdm-reservation": 1}]',
    "gptbot.txt": "User-agent: GPTBot\nDisallow: /\n",
    "seo.txt": "User-agent: AhrefsBot\nDisallow: /\n",
    "html.txt": "<!DOCTYPE html>\n" + RULES,
    "token.txt": "User-agent: Google-Extended\nDisallow: /\n",
    "level.txt": "User-agent: *\nContent-Signal: use=reference\nAllow: /\n",
    "number.txt": "User-agent: 008\nDisallow: /\n",
    "empty.txt": "",
}
TDMREP = "/.well-known/tdmrep.json"
HOPS = {f"/{n}": moved(f"/{n + 1}") for n in range(1, 6)}
SITES = {
    "rules": {"/": served("no robots.txt"), "/robots.txt": served(RULES)},
    "down": {"/robots.txt": Answer(status=503)},
    "forbidden": {"/robots.txt": Answer(status=403)},
    "moved": {"/robots.txt": moved("/1"), **HOPS, "/4": served("User-agent: *\nDisallow: /")},
    "far": {"/robots.txt": moved("/1"), **HOPS, "/6": served("User-agent: *\nDisallow: /")},
    "html": {"/robots.txt": Answer(RULES.encode(), headers={"Content-Type": "text/html"})},
    "training": {"/robots.txt": served(RULES), TDMREP: served(FILES["tdmrep.json"])},
    "private": {
        "/robots.txt": served("User-agent: *\nDisallow: /.well-known/"),
        TDMREP: served(FILES["tdmrep.json"]),
    },
}

CHECK = [
    ("--robots robots.txt https://e.com/private/x", 1, "refused https://e.com/private/x"),
    ("--robots robots.txt /private/x", 1, "for *: line 2, Disallow: /private/"),
    ("--robots robots.txt /private/press/1", 0, "for *: line 3, Allow: /private/press/"),
    ("--robots robots.txt / /a", 0, "allowed / for *: no rule matches allowed /a"),
    ("--robots robots.txt --quiet /", 0, "allowed / for *"),
    ("--robots robots.txt --agent bingbot/2.0 /search", 1, "for bingbot: line 8, Disallow"),
    ("--robots rules.txt /a/../x", 1, "line 2, Disallow: /x"),
    ("--robots rules.txt /a/%2e%2e/x", 1, "line 2, Disallow: /x"),
    ("--robots rules.txt /x/../a", 1, "line 2, Disallow: /x"),
    ("--robots faults.txt --dialect google /x", 1, "refused /x"),
    ("--robots faults.txt --dialect rfc9309 /x", 0, "allowed /x"),
    ("--robots number.txt --dialect original1994 --agent 008/1.0 /", 1, "refused / for 008"),
    ("--robots number.txt --agent 008/1.0 /", 0, "allowed / for 008"),
    ("--robots html.txt --dialect yandex /x", 0, "html.txt is an HTML page: yandex: everything"),
    ("--robots use.txt --purpose search,train-ai /a", 1, "refused"),
    ("--robots use.txt --purpose search /a", 0, "allowed"),
    ("--robots token.txt --purpose train-ai /a", 1, "line 2, User-agent: Google-Extended"),
    ("--robots token.txt --purpose search /a", 0, "allowed"),
    ("--robots level.txt --content-use full /a", 1, "Content-Signal: use=reference"),
    ("--robots level.txt --content-use reference /a", 0, "allowed"),
    (
        "--robots use.txt --purpose ai-train /open/1",
        2,
        "--purpose is 'ai-train'; it must be search, ai-input, train-ai",
    ),
    ("--robots robots.txt x /a", 2, "'x' is no URL allowed /a"),
    ("--robots {rules}/ /x", 1, "refused /x"),
    ("--robots {rules_secret}/robots.txt /x", 1, "refused /x"),
    ("{rules}/x {rules}/y", 1, "refused {rules}/x for *: line 2 allowed {rules}/y"),
    ("mailto:a@b {rules}/y", 2, "mailto:a@b allowed {rules}/y"),
    ("{down}/ {rules}/x", 3, "unreachable {down}/ for *: robots.txt unreachable (503) refused"),
    ("--dialect yandex {down}/", 0, "allowed {down}/"),
    ("--dialect koster1996 {down}/", 3, "unreachable"),
    ("http://127.0.0.1:1/", 3, "connection refused, no server listens at that host and port"),
    ("{moved}/x", 1, "line 2, Disallow: /"),
    ("{far}/x", 0, "301 after 5 redirects"),
    ("{html}/x", 1, "refused"),
]
EXPLAIN = [
    (
        "--robots robots.txt https://e.com/private/press/1",
        0,
        (
            "allowed for *, as rfc9309 reads: line 3, Allow: /private/press/ "
            "1 | User-agent: * 2 | Disallow: /private/ <- matches too, is weaker "
            "> 3 | Allow: /private/press/ <- decides group '*', line 1; rules: 2 "
            "crawl-delay 10 seconds"
        ),
    ),
    ("--robots robots.txt --agent Bot /", 0, "looked for bot, then *"),
    ("--robots rules.txt /a/../x", 1, "note: a server may read the path as /x"),
    ("--robots spaces.txt --agent Googlebot /my%20documents", 0, "as google reads"),
    ("--robots use.txt /open/1", 0, "line 5, Content-Usage: train-ai=y line 1, Content-Signal"),
    (
        "--robots empty.txt --purpose train-ai --tdmrep tdmrep.json /open/1",
        1,
        "rule 1, tdm-reservation: 1",
    ),
    ("--robots empty.txt --purpose train-ai --tdmrep page.txt /", 0, "200, no JSON"),
    ("--robots empty.txt --tdmrep tdmrep.json /open/1", 2, "--tdmrep needs a purpose"),
    (
        "--robots use.txt --page page.txt https://h.example/open/1",
        0,
        (
            "page.txt: line 8 is no header line: not read "
            "usage header Content-Signal: ai-input=no "
            "usage meta tag robots: noai overridden header tdm-reservation: 1; by meta tag"
        ),
    ),
    ("--robots robots.txt --statuses /", 0, "by the site's answer to /robots.txt:"),
    ("{rules}/y", 0, "fresh for 24 hours"),
    ("{down}/y", 3, "robots.txt unreachable (503) requested again after 10 seconds"),
    ("--dialect koster1996 {forbidden}/x", 1, "robots.txt forbidden (403)"),
    ("{forbidden}/x", 0, "no robots.txt (403)"),
]
COMPARE = [
    (
        "--robots robots.txt --dialects rfc9309,baidu,google /private/press/1 /private/x",
        1,
        (
            "/private/press/1 for * rfc9309 allowed line 3, Allow: /private/press/ "
            "baidu refused line 2, Disallow: /private/ precedence: first (rfc9309: longest)"
        ),
    ),
    ("--robots robots.txt --dialects rfc9309,google /private/x", 0, "decide alike: refused"),
    ("--robots use.txt --purpose train-ai /a", 0, "decide alike: refused"),
    ("--dialects rfc9309,yandex {down}/", 1, "access after 503: everything is allowed"),
]
BLOCKED = [
    ("robots.txt", 0, "/ by robots.txt 0 of shut out"),
    ("gptbot.txt", 1, "GPTBot no line 2, Disallow: / 1 of is shut out"),
    ("{rules}/x", 1, "{rules}/x by {rules}/robots.txt GPTBot no line 2"),
    ("{down}/", 1, "GPTBot no robots.txt unreachable (503) YandexBot yes no robots.txt (503)"),
    ("http://127.0.0.1:1/", 1, "connection refused"),
    ("use.txt", 0, "may be done with the page: line 1, Content-Signal: search=yes"),
    ("html.txt", 0, "an HTML page"),
    ("seo.txt", 0, "0 of shut out"),
    ("--all seo.txt", 1, "AhrefsBot no line 2, Disallow: / 1 of is shut out"),
]
DIFF = [
    (
        "closed.txt rules.txt",
        1,
        "every other crawler opens / (and 1 more) no rule matches before: line 2, Disallow: /",
    ),
    ("rules.txt rules.txt", 0, "no answer changes in rfc9309"),
    ("rules.txt faults.txt", 1, "opens /x no rule matches before: line 2, Disallow: /x"),
    ("--dialect google rules.txt faults.txt", 0, "no answer changes in google"),
    ("rules.txt {rules}/", 0, "no answer changes"),
    ("rules.txt {down}/", 1, "closes robots.txt unreachable (503)"),
    ("rules.txt http://127.0.0.1:1/", 3, "http://127.0.0.1:1/robots.txt is unreachable"),
]
DIALECT = [
    ("", 0, "rfc9309 google yandex as in RFC 9309"),
    ("google", 0, "google/robotstxt, robots.cc"),
    ("google bing", 1, "By the site's answer"),
    ("google google", 0, "google and google differ in no option"),
]
LINT = [
    ("faults.txt", 1, "faults.txt:2:1: error R201 misspelt-key Disalow: /x ^^^^^^^ fix: write"),
    ("note.txt", 0, "1 note in 1 file"),
    ("rules.txt", 0, ""),
    ("no.txt faults.txt", 2, "cannot read no.txt: No such file or directory R201"),
    ("{down}/ {forbidden}/", 1, "R110 R111"),
    ("{html}/", 1, "R108"),
    ("http://127.0.0.1:1/ faults.txt", 2, "connection refused R201"),
    ("--robots rules.txt --dialect google", 0, ""),
    ("--explain R201", 0, "R201 misspelt-key (error) why: fix: example, as rfc9309 reads:"),
    ("--explain misspelt-key,R101", 0, "R201 misspelt-key R101 byte-order-mark"),
]
CASES = {
    "check": CHECK,
    "explain": EXPLAIN,
    "compare": COMPARE,
    "blocked": BLOCKED,
    "diff": DIFF,
    "dialects": DIALECT,
    "lint": LINT,
}
ALL = [(f"{verb} {line}", *case) for verb, cases in CASES.items() for line, *case in cases]


@pytest.fixture(scope="module")
def sites():
    """The origin of each site by its name."""
    with ExitStack() as stack:
        started = {name: stack.enter_context(Site(files)) for name, files in SITES.items()}
        origins = {name: site.origin for name, site in started.items()}
        origins["rules_secret"] = origins["rules"].replace("://", "://me:secret@")
        yield origins


@pytest.fixture
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)


@pytest.mark.usefixtures("_folder")
@pytest.mark.parametrize(("line", "status", "words"), ALL)
def test_a_verb_answers_with_its_status_and_says_why(sites, line, status, words):
    arguments = shlex.split(line.format_map(sites))
    output = policy(*arguments)
    assert output.status == status
    assert output.says(words.format_map(sites)), output
    assert "secret" not in output.out + output.err

    in_a_project = robots(*arguments, settings={"USER_AGENT": "(names no crawler)"})
    same = in_a_project.out.replace("scrapy robots", "robots-policy")
    assert (in_a_project.status, same) == (status, output.out)

    as_json = policy(*arguments, "--json")
    assert as_json.status == status
    assert all(json.loads(line) is not None for line in as_json.lines)


FIELDS = [
    (
        "check --robots robots.txt /private/b",
        {"url": "/private/b", "allowed": False, "verdict": "refused", "agent": "*", "line": 2}
        | {"dialect": "rfc9309", "reason": "rule", "rule": "Disallow: /private/"}
        | {"cause": "line 2, Disallow: /private/"},
    ),
    ("check --robots robots.txt /b", {"allowed": True, "line": 0, "rule": None}),
    (
        "check --robots robots.txt 'not a url' /b",
        {"url": "not a url", "verdict": "no URL", "allowed": None, "line": 0, "rule": None},
    ),
    (
        "check {down}/",
        {"verdict": "unreachable", "allowed": False, "reason": "unreachable"},
    ),
    (
        "explain --robots robots.txt --agent Googlebot-Image --dialect google /search/x",
        {"allowed": False, "line": 8, "crawl_delay": None}
        | {"looked_for": ["googlebot-image", "googlebot", "*"]}
        | {"group": {"name": "googlebot", "lines": [6, 7]}}
        | {"sitemaps": ["https://example.com/sitemap.xml"]},
    ),
    ("lint faults.txt", {"code": "R201", "line": 2, "severity": "error", "file": "faults.txt"}),
    ("blocked gptbot.txt", {"agent": "GPTBot", "allowed": False, "rule": "Disallow: /"}),
    (
        "lint --explain R201",
        {"code": "R201", "name": "misspelt-key", "severity": "error"}
        | {"examples": [{"dialect": "rfc9309", "text": "User-agent: *\nDisalow: /private\n"}]},
    ),
    ("dialects google apple", {"index_html": {"google": True, "apple": False}}),
]


@pytest.mark.usefixtures("_folder")
@pytest.mark.parametrize(("line", "fields"), FIELDS)
def test_an_answer_as_json_has_these_fields(sites, line, fields):
    output = policy(*shlex.split(line.format_map(sites)), "--json")
    values = [json.loads(line) for line in output.lines]
    assert fields in [{key: value.get(key) for key in fields} for value in values]


@pytest.mark.usefixtures("_folder")
def test_explain_as_json_has_all_that_a_page_and_its_files_say_of_its_use():
    files = ("--robots", "use.txt", "--tdmrep", "tdmrep.json", "--page", "page.txt")
    settings = {"ROBOTS_PURPOSE": "search,ai-input,train-ai", "ROBOTS_TDMREP": "fetch"}
    output = robots("explain", *files, "https://h.example/open/1", "--json", settings=settings)
    value = json.loads(output.out)
    places = {"robots.txt", "tdmrep.json", "header", "meta tag"}
    assert output.status == 1
    assert {one["place"] for one in value["usage"]} == places
    assert {one["by"]["place"] for one in value["overridden"]} == places - {"tdmrep.json"}
    uses = {one["use"]: one["result"] for one in value["uses"]}
    assert (uses["search"], uses["ai-input"], uses["train-ai"]) == ("granted", "refused", "refused")


@pytest.mark.usefixtures("_folder")
@pytest.mark.parametrize("name", DIALECTS)
def test_check_answers_as_the_engine_in_every_dialect(name):
    urls = ["/private/x", "/private/press/y", "/search", "/"]
    rules = parse(FILE.encode(), name)
    for agent in ("Googlebot", "Scrapy"):
        options = ("--robots", "robots.txt", "--dialect", name, "--agent", agent)
        words = [line.split()[0] for line in policy("check", *options, *urls).lines]
        assert [word == "allowed" for word in words] == [rules.allowed(url, agent) for url in urls]


@pytest.mark.usefixtures("_folder")
def test_csv_has_one_row_a_url_whatever_the_url_holds():
    urls = ["/a", "b c", '/private/"x",y', "https://e.com/\x1b[2J"]
    output = policy("check", "--robots", "robots.txt", "--output-format", "csv", *urls)
    assert [*csv.reader(io.StringIO(output.out))] == [
        ["verdict", "url", "agent", "cause"],
        ["allowed", "/a", "*", "no rule matches"],
        ["no URL", "b c", "*", "'b c' is no URL: write a whole one, or a path that starts with /"],
        ["refused", '/private/"x",y', "*", "line 2, Disallow: /private/"],
        ["allowed", r"https://e.com/\x1b[2J", "*", "no rule matches"],
    ]


def test_each_site_is_asked_for_its_robots_txt_once_and_for_nothing_else():
    script = {"/robots.txt": served(RULES), TDMREP: served("[]")}
    for verb, paths in (("check", "xyz"), ("compare", "xyz"), ("explain", "x"), ("blocked", "x")):
        with Site(script) as site:
            policy(verb, *(site.url(f"/{path}") for path in paths))
            assert site.paths == ["/robots.txt"]


TRAINING = {"ROBOTS_PURPOSE": "train-ai"}
IN_PROJECTS = [
    ({"ROBOTS_DIALECT": "google"}, "check --robots faults.txt /x", 1, "for Scrapy"),
    ({"ROBOTSTXT_USER_AGENT": "Googlebot"}, "check --robots robots.txt /search", 1, "Googlebot"),
    ({"USER_AGENT": "bingbot/2"}, "check --robots robots.txt /search", 1, "for bingbot"),
    (
        {"USER_AGENT": "a", "DEFAULT_REQUEST_HEADERS": {"user-agent": "Sent/1"}},
        "check --robots robots.txt /",
        0,
        "for Sent",
    ),
    (TRAINING, "check --robots use.txt /y /open/1", 1, "line 4, Content-Usage allowed /open/1"),
    (TRAINING, "explain --robots use.txt /y", 1, "> 4 | Content-Usage: train-ai=n"),
    (TRAINING, "explain {training}/open/1", 1, "tdmrep.json rule 1, tdm-reservation: 1"),
    (TRAINING, "check {training}/open/1 {training}/1", 1, "refused allowed"),
    (TRAINING, "check --tdmrep empty.txt {training}/open/1", 0, "allowed"),
    (TRAINING, "explain {private}/open/1", 0, "allowed"),
    (
        {"ROBOTS_PURPOSE": "search,ai-input,train-ai"},
        "explain --robots use.txt --page page.txt https://h.example/open/1",
        1,
        (
            "note: the page is fetched, items dropped: header Content-Signal: ai-input=no "
            "use ai-input refused by header use search granted by line 1, "
            "use train-ai refused by meta tag robots: noai"
        ),
    ),
    ({"ROBOTS_PURPOSE": "search"}, "explain {training}/open/1", 0, "allowed"),
    (
        {"ROBOTS_OVERRIDES": {"127.0.0.1": {"crawl_delay": 2}, "127.*": {"obey": False}}},
        "check {rules}/x",
        1,
        "a crawl takes crawl_delay, obey from ROBOTS_OVERRIDES['127.0.0.1']",
    ),
    ({"ROBOTS_DIALECT": "gogle"}, "check /", 2, "did you mean google?"),
    ({"ROBOTSTXT_USER_AGENT": "two words here"}, "check /", 2, "ROBOTSTXT_USER_AGENT is"),
    ({"ROBOTSTXT_USER_AGENT": "two words here"}, "lint rules.txt", 0, ""),
    ({"ROBOTS_PURPOSE": "tea"}, "check --robots rules.txt /", 2, "ROBOTS_PURPOSE is 'tea'"),
    ({"ROBOTS_REDIRECTS": "tea"}, "check --robots rules.txt /", 2, "ROBOTS_REDIRECTS is"),
]


@pytest.mark.usefixtures("_folder")
@pytest.mark.parametrize(("settings", "line", "status", "words"), IN_PROJECTS)
def test_the_settings_of_a_project_are_the_defaults(sites, settings, line, status, words):
    output = robots(*shlex.split(line.format_map(sites)), settings=settings)
    assert output.status == status, output.err
    assert output.says(words.format_map(sites)), output
    assert status != 2 or output.err.count("\n") == 1


OFF = {
    "no add-on": ({"ADDONS": {}, "ROBOTS_DIALECT": "google"}, True),
    "the add-on": ({"ROBOTS_DIALECT": "google"}, False),
    "the middleware": (
        {
            "ADDONS": {},
            "DOWNLOADER_MIDDLEWARES": {"scrapy_robots_policy.RobotsPolicyMiddleware": 100},
            "ROBOTS_DIALECT": "google",
        },
        False,
    ),
    "no setting of ours": ({"ADDONS": {}}, False),
}


@pytest.mark.parametrize("name", OFF)
def test_a_project_with_settings_of_ours_and_without_us_is_told_so(name, tmp_path):
    settings, is_told = OFF[name]
    (tmp_path / "r.txt").write_text("User-agent: *\nDisallow: /no")
    output = robots("check", "--robots", tmp_path / "r.txt", "/", settings=settings)
    assert (output.status, "ADDONS" in output.err) == (0, is_told)
