"""What each verb says, and with what status."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from importlib.metadata import entry_points

import pytest

from scrapy_robots_policy.commands.terminal import Progress
from scrapy_robots_policy.lint import KINDS, lint
from scrapy_robots_policy.rep import DIALECTS, parse
from tests.site import Answer, Site, moved
from tests.site import robots as served

from .conftest import FILE
from .run import robots

ESCAPES = "\x1b]0;owned\x07\x1b[2J\u202egpj.exe\x9b31m"


def is_safe(text):
    return all(c.isprintable() or c == "\n" for c in text)


# ---- check


def test_check_says_one_line_a_url_and_1_if_any_is_disallowed(file):
    told = robots("check", "--robots", file, "https://e.com/private/x", "/private/press/1", "/")
    assert told.lines == [
        "disallowed  https://e.com/private/x",
        "allowed     /private/press/1",
        "allowed     /",
    ]
    assert (told.status, told.err) == (1, "")
    assert robots("check", "--robots", file, "/").status == 0


def test_check_reads_urls_from_standard_input(file):
    told = robots("check", "--robots", file, "--json", stdin=b"/a\n\n  /private/b  \r\n")
    assert [json.loads(line) for line in told.lines] == [
        {"url": "/a", "allowed": True},
        {"url": "/private/b", "allowed": False},
    ]


def test_check_reads_the_robots_txt_from_standard_input():
    told = robots("check", "--robots", "-", "/private/x", stdin=FILE.encode())
    assert (told.status, told.lines) == (1, ["disallowed  /private/x"])


def test_check_answers_as_the_engine_does_in_every_dialect(file):
    urls = ["/private/x", "/private/press/y", "/search", "/"]
    for name in DIALECTS:
        for agent in ("Googlebot", "Scrapy"):
            told = robots("check", "--robots", file, "--dialect", name, "--agent", agent, *urls)
            rules = parse(FILE.encode(), name)
            words = ["allowed" if rules.allowed(url, agent) else "disallowed" for url in urls]
            assert [line.split()[0] for line in told.lines] == words


def test_check_asks_each_site_for_its_own_robots_txt_once():
    script = {"/robots.txt": served("User-agent: *\nDisallow: /x")}
    with Site(script) as one, Site({"/robots.txt": Answer(status=503)}) as two:
        told = robots("check", one.url("/x"), one.url("/y"), two.url("/y"), one.url("/z"))
        words = [line.split()[0] for line in told.lines]
        assert words == ["disallowed", "allowed", "disallowed", "allowed"]
        assert [hit.path for hit in one.hits] == ["/robots.txt"]


def test_check_goes_on_after_a_url_that_has_no_site():
    with Site({"/robots.txt": served("User-agent: *\nDisallow: /x")}) as site:
        told = robots("check", "mailto:a@b", site.url("/y"))
        assert told.status == 2
        assert told.lines == [f"allowed     {site.url('/y')}"]
        assert "mailto:a@b" in told.err


def test_the_stance_on_a_failed_fetch_is_the_dialects():
    with Site({"/robots.txt": Answer(status=503)}) as site:
        assert robots("check", site.url("/"), "--dialect", "rfc9309").status == 1
        assert robots("check", site.url("/"), "--dialect", "yandex").status == 0


def test_redirects_are_followed_as_far_as_the_dialect_goes():
    rules = served("User-agent: *\nDisallow: /")
    hops = {f"/{n}": moved(f"/{n + 1}") for n in range(1, 6)}
    with Site({"/robots.txt": moved("/1"), **hops, "/4": rules}) as site:
        assert robots("check", site.url("/x")).status == 1
    with Site({"/robots.txt": moved("/1"), **hops, "/6": rules}) as site:
        assert robots("check", site.url("/x")).status == 0
        assert len(site.hits) == 6


# ---- explain


def test_explain_shows_the_line_in_its_file_and_what_it_beat(file):
    told = robots("explain", "--robots", file, "https://e.com/private/press/1")
    assert told.status == 0
    assert told.lines[:6] == [
        "https://e.com/private/press/1",
        "allowed for Scrapy, as rfc9309 reads: line 3, Allow: /private/press/",
        "",
        "      1 | User-agent: *",
        "      2 | Disallow: /private/    <- matches too, is weaker",
        ">     3 | Allow: /private/press/    <- decides",
    ]
    rows = dict(line.split("  ", 1) for line in told.lines if line.startswith(("group", "crawl-d")))
    assert {name: row.strip() for name, row in rows.items()} == {
        "group": "'*', line 1; rules: 2",
        "crawl-delay": "10 seconds",
    }


def test_explain_as_json_holds_the_verdict_and_its_circumstances(file):
    told = robots("explain", "--robots", file, "--agent", "Googlebot-Image", "--json")
    assert told.status == 2
    asked = ("--robots", file, "--agent", "Googlebot-Image", "--dialect", "google", "--json")
    value = json.loads(robots("explain", "/search/x", *asked).out)
    verdict = parse(FILE.encode(), "google").verdict("/search/x", "Googlebot-Image")
    assert value["allowed"] is verdict.allowed is False
    assert (value["line"], value["rule"]) == (8, "Disallow: /search")
    assert value["group"] == {"name": "googlebot", "lines": [6, 7]}
    assert value["looked_for"] == ["googlebot-image", "googlebot", "*"]
    assert value["sitemaps"] == ["https://example.com/sitemap.xml"]
    assert value["crawl_delay"] is None
    assert value["stances"]["404, other 4xx"] == "everything allowed"


USE = """\
Content-Signal: search=yes
License: https://example.com/license.xml
User-agent: *
Content-Usage: train-ai=n
Content-Usage: /open/ train-ai=y
Disallow: /x
"""


def test_explain_shows_what_is_said_of_the_use_of_a_page(tmp_path):
    path = tmp_path / "robots.txt"
    path.write_text(USE)
    told = robots("explain", "--robots", path, "/open/1")
    assert told.lines[3:7] == [
        "      1 | Content-Signal: search=yes    <- of its use",
        "      2 | License: https://example.com/license.xml    <- of its use",
        "      3 | User-agent: *",
        "      5 | Content-Usage: /open/ train-ai=y    <- of its use",
    ]
    said = [" ".join(line.split()) for line in told.lines if line.startswith("usage")]
    assert said == [
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
    }


def test_what_the_owner_refuses_to_the_projects_purpose_is_disallowed(tmp_path):
    path = tmp_path / "robots.txt"
    path.write_text(USE)
    purpose = {"ROBOTS_PURPOSE": "train-ai"}
    told = robots("check", "--robots", path, "/y", "/open/1", settings=purpose)
    assert (told.status, told.lines) == (1, ["disallowed  /y", "allowed     /open/1"])
    told = robots("explain", "--robots", path, "/y", settings=purpose)
    assert told.status == 1
    assert told.lines[1].endswith("as rfc9309 reads: line 4, Content-Usage: train-ai=n")
    assert ">     4 | Content-Usage: train-ai=n    <- of its use" in told.lines
    told = robots("check", "--robots", path, "/y", settings={"ROBOTS_PURPOSE": "tea"})
    assert told.status == 2
    assert "ROBOTS_PURPOSE is 'tea'; it must be one or several of" in told.err


def test_explain_of_a_url_fetches_its_robots_txt_and_nothing_else():
    with Site({"/robots.txt": served(USE)}) as site:
        robots("explain", site.url("/open/1"))
        assert site.paths == ["/robots.txt"]


def test_explain_tells_why_where_there_is_no_file():
    with Site({"/robots.txt": Answer(status=403)}) as site:
        told = robots("explain", site.url("/x"), "--dialect", "koster1996")
        assert told.status == 1
        assert "robots.txt forbidden (403)" in told.lines[1]


# ---- lint


def test_lint_shows_line_caret_and_fix(tmp_path):
    path = tmp_path / "r.txt"
    path.write_text("User-agent: *\nDisalow: /x\n")
    told = robots("lint", path)
    assert told.status == 1
    assert told.lines == [
        f"{path}:2:1: error R201 misspelt-key",
        "        rfc9309 does not read the key 'Disalow'",
        "      2 | Disalow: /x",
        "        | ^^^^^^^",
        "        fix: write Disallow:",
        "",
        "1 error in 1 file",
    ]


def test_lint_exits_with_0_on_notes_alone(tmp_path):
    path = tmp_path / "r.txt"
    path.write_text("User-agent: *\nColour: blue\nDisallow: /x\n")
    told = robots("lint", path)
    assert (told.status, told.lines[-1]) == (0, "1 note in 1 file")


def test_lint_as_json_is_what_the_engine_finds(file):
    told = robots("lint", file, "--json", "--dialect", "google")
    found = lint(FILE.encode(), "google")
    assert [json.loads(line)["code"] for line in told.lines] == [f.code for f in found]


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


def test_lint_fetches_a_url_and_refuses_what_is_not_there():
    with Site({"/robots.txt": served("Sitemap: /s.xml"), "/no": Answer(status=404)}) as site:
        assert "R501" in robots("lint", site.url("/robots.txt")).out
        assert "R501" in robots("lint", site.url("/")).out
        told = robots("lint", site.url("/no"))
        assert (told.status, told.out) == (2, "")
        assert told.err == f"scrapy robots: cannot read {site.url('/no')}: 404\n"


def test_lint_goes_on_after_a_file_that_is_not_there(tmp_path):
    path = tmp_path / "r.txt"
    path.write_text("User-agent: *\nDisalow: /x\n")
    for args in ((tmp_path / "no.txt", path), (path, tmp_path / "no.txt")):
        told = robots("lint", *args)
        assert told.status == 2
        assert "R201" in told.out
        assert (
            told.err
            == f"scrapy robots: cannot read {tmp_path / 'no.txt'}: No such file or directory\n"
        )


def test_lint_shows_the_findings_that_are_selected(tmp_path):
    path = tmp_path / "r.txt"
    path.write_text("User-agent: *\nDisallow: /x\nAllow: /x/y\nDisalow: /z\n")
    codes = [json.loads(line)["code"] for line in robots("lint", path, "--json").lines]
    assert codes == ["R201"]
    told = robots("lint", path, "--json", "--select", "r601,R3")
    assert (told.status, {json.loads(line)["code"] for line in told.lines}) == (0, {"R601"})
    wrong = robots("lint", path, "--select", "X1")
    assert wrong.status == 2
    assert wrong.err.startswith("scrapy robots: --select: no finding has the code 'X1'")


# ---- compare, dialects


def test_compare_shows_only_where_verdicts_differ_and_the_option(file):
    told = robots(
        *("compare", "--robots", file, "--dialects", "rfc9309,baidu,google"),
        *("/private/press/1", "/private/x"),
    )
    assert told.status == 1
    assert told.lines == [
        "/private/press/1  for Scrapy",
        "  rfc9309  allowed     line 3, Allow: /private/press/",
        "  baidu    disallowed  line 2, Disallow: /private/     precedence: first, not longest",
        "",
    ]
    alike = robots("compare", "--robots", file, "--dialects", "rfc9309,google", "/private/x")
    assert (alike.status, alike.lines) == (0, ["all 2 dialects decide alike"])


def test_compare_finds_the_ladder_where_the_site_fails():
    with Site({"/robots.txt": Answer(status=503)}) as site:
        told = robots("compare", site.url("/"), "--dialects", "rfc9309,yandex", "--json")
        value = json.loads(told.out)
        assert [other["options"] for other in value["there"]] == [["access"]]


def test_dialects_shows_all_one_or_what_sets_two_apart():
    assert [line.split()[0] for line in robots("dialects").lines[1:-2]] == list(DIALECTS)
    assert "google/robotstxt, robots.cc" in robots("dialects", "google").out
    marked = [line.split()[0] for line in robots("dialects").lines if "experimental" in line]
    assert marked == [name for name, dialect in DIALECTS.items() if dialect.is_experimental]
    assert "seznam is experimental" in robots("dialects", "seznam").out
    assert "experimental" not in robots("dialects", "google").out
    told = robots("dialects", "google", "apple", "--json")
    assert told.status == 1
    assert json.loads(told.out)["index_html"] == {"google": True, "apple": False}
    assert robots("dialects", "seznam", "seznam").status == 0


# ---- wrong questions, settings, hostile text


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        ((), "the verb is nothing; it must be check, explain, lint, compare, dialects, tester"),
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
        (("check", "--nope", "/"), "unknown option --nope; see scrapy robots -h"),
        (("check", "--sarif", "/"), "--sarif is for lint, not for check"),
        (
            ("check", "/x"),
            "'/x' is no http or https URL: use --robots to say whose rules it is under",
        ),
        (("explain",), "explain takes one URL, not 0"),
        (("lint",), "lint needs a FILE, a URL or -"),
        (("compare", "/", "--dialects", "google"), "compare needs two dialects at least"),
        (("dialects", "goggle"), "unknown dialect 'goggle'; the dialects are rfc9309, google"),
        (("tester", "x"), "tester takes no arguments, not 'x'; use --robots FILE"),
    ],
)
def test_a_wrong_question_gets_one_sentence_and_status_2(args, sentence):
    told = robots(*args)
    assert (told.status, told.out) == (2, "")
    assert told.err.startswith(f"scrapy robots: {sentence}")
    assert told.err.count("\n") == 1


def test_the_projects_settings_stand_in_for_options(file):
    google = {"ROBOTS_DIALECT": "google", "ROBOTSTXT_USER_AGENT": "Googlebot"}
    value = json.loads(
        robots("explain", "/search", "--robots", file, "--json", settings=google).out
    )
    assert (value["dialect"], value["agent"], value["allowed"]) == ("google", "Googlebot", False)
    told = robots("check", "/", settings={"ROBOTS_DIALECT": "gogle"})
    assert told.status == 2
    assert told.err.startswith("scrapy robots: ROBOTS_DIALECT is 'gogle'; it must be")


def test_without_a_name_the_crawler_goes_by_the_header_that_scrapy_would_send(file):
    settings = {"DEFAULT_REQUEST_HEADERS": {"user-agent": "Sent/1.0"}, "USER_AGENT": "MyBot"}
    told = robots("explain", "/search", "--robots", file, "--json", settings=settings)
    assert json.loads(told.out)["agent"] == "Sent"


def test_hostile_text_cannot_steer_the_terminal(tmp_path):
    path = tmp_path / "evil.txt"
    path.write_bytes(
        f"User-agent: {ESCAPES}\nUser-agent: *\nDisallow: /{ESCAPES}\nDisalow{ESCAPES}: x\n"
        f"Sitemap: {ESCAPES}\nAllow: .{ESCAPES}\n".encode()
    )
    url = f"http://e.com/{ESCAPES}"
    for args in (("lint", path), ("check", url), ("explain", url), ("compare", url)):
        for option in ((), ("--json",)):
            robots_txt = () if args[0] == "lint" else ("--robots", path, "--agent", ESCAPES)
            told = robots(*args, *robots_txt, *option)
            assert told.status in (0, 1)
            assert is_safe(told.out + told.err)
            assert args[0] == "compare" or "owned" in told.out


def test_scrapy_runs_it_by_its_entry_point(file):
    if not any(point.name == "robots" for point in entry_points(group="scrapy.commands")):
        pytest.skip("the package is not installed, so Scrapy does not know the command")
    done = subprocess.run(
        [sys.executable, "-m", "scrapy", "robots", "check", "--robots", file, "/private/x"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (1, "disallowed  /private/x\n", "")


@pytest.mark.parametrize(
    ("total", "said"),
    [(3, ["1 of 3  a\\x1bb", "2 of 3  c"]), (0, ["1  a\\x1bb", "2  c"]), (1, [])],
)
def test_a_long_run_tells_a_terminal_how_far_it_is(monkeypatch, total, said):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    progress = Progress(total)
    for what in ("a\x1bb", "c"):
        progress.step(what)
    progress.end()

    steps = terminal.getvalue().split("\r\x1b[K")
    assert [step for step in steps if step] == said
