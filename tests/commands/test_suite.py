"""`test`: expectations of robots.txt files. docs/robots-tests.md has an example, which is run."""

from __future__ import annotations

import json

import pytest

from tests.missing import NO_YAML
from tests.site import Answer, Site
from tests.site import robots as served

from .run import policy


def suite(folder, *sentences, **more):
    path = folder / "suite.json"
    path.write_text(json.dumps({"robots": "robots.txt", "expect": list(sentences), **more}))
    return path


# an expectation, which may be as the tester saves it, and whether it holds
EXPECTATIONS = [
    ("Googlebot may fetch /a", True),
    ("Googlebot may not fetch /a", False),
    ("Googlebot may not fetch /search/x", True),
    ("Scrapy may fetch https://example.com/search", True),
    ("* may not fetch /private/x", True),
    ("everybody may fetch /a", True),
    ("nobody may fetch /private/x", False),  # Googlebot may
    ("everybody may not fetch /search", False),
    ("Nobody may fetch /a", False),
    ("Scrapy may fetch /private/press/x in rfc9309, google", True),
    ("Scrapy may fetch /private/press/x in baidu", False),
    ("Scrapy may fetch /private/press/x in google, baidu", False),
    ("MyBot/1.0 (+https://e.com) may not fetch /private/", True),
    ({"agent": "Googlebot", "url": "/search", "allowed": False}, True),
    ({"agent": "Mozilla/5.0 (Windows NT)", "url": "/private/", "allowed": False}, True),
    ({"agent": "x", "url": "/private/press/", "allowed": True, "dialect": "baidu"}, False),
]


@pytest.mark.parametrize(("expectation", "holds"), EXPECTATIONS)
def test_an_expectation_holds_or_not(file, expectation, holds):
    path = suite(file.parent, expectation)
    output = policy("test", path, "--json")
    value = json.loads(output.out)
    assert (output.status, policy("test", path).status) == (not holds, not holds)
    assert (value["holds"], bool(value["answers"])) == (holds, not holds)
    sentence = "{agent} may{} fetch {url}"
    if isinstance(expectation, dict):
        negation = "" if expectation["allowed"] else " not"
        expectation = sentence.format(negation, **expectation)
    assert value["expectation"] == expectation


def test_what_does_not_hold_is_shown_with_the_rule(file):
    path = suite(
        file.parent, "Googlebot may fetch /", "nobody may fetch /a", "x may fetch /private/"
    )
    assert policy("test", path).lines == [
        f"{path}:1: nobody may fetch /a",
        "    rfc9309: allowed for Googlebot: no rule matches",
        f"{path}:1: x may fetch /private/",
        "    rfc9309: refused for x: line 2, Disallow: /private/",
        "1 expectation holds, 2 do not",
    ]


def test_a_suite_says_in_which_dialects_and_the_command_line_is_stronger(file):
    path = suite(file.parent, "x may fetch /private/press/", dialects=["rfc9309", "baidu"])
    assert "    baidu: refused for x: line 2" in policy("test", path).out
    assert policy("test", path, "--dialect", "google").status == 0
    assert policy("test", path, "--dialect", "baidu").status == 1


def test_a_suite_may_have_a_mark_and_may_come_from_standard_input(file):
    path = suite(file.parent, "Googlebot may fetch /a")
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert policy("test", path).out == "1 expectation holds\n"
    output = policy("test", "-", "--robots", file, stdin=path.read_bytes())
    assert output.out == "1 expectation holds\n"


# what the site answers, the dialects of the suite, and the exit status
LIVE = [
    (served("User-agent: *\nDisallow: /x"), [], 0),
    (served(""), [], 1),
    (Answer(status=503), [], 3),
    (Answer(status=503), ["yandex"], 1),
    (Answer(status=503), ["yandex", "google"], 3),
]


@pytest.mark.parametrize(("answer", "dialects", "status"), LIVE)
def test_a_live_site_is_tested_and_one_that_is_unreachable_is_no_difference(
    tmp_path, answer, dialects, status
):
    more = {"dialects": dialects} if dialects else {}
    with Site({"/robots.txt": answer}) as site:
        named = suite(tmp_path, "x may not fetch /x", **more, robots=site.url("/"))
        output = policy("test", named)
        assert output.status == status
        assert ("is unreachable (503)" in output.err) is (status == 3)
        assert policy("test", named, "--robots", site.url("/robots.txt")) == output


YAML = "robots: robots.txt\nexpect:\n- x may fetch /ab\n- x may not fetch /a\n- {}\n"


def test_github_gets_an_annotation_at_the_line_of_the_suite(file):
    pytest.importorskip("yaml", reason=NO_YAML)
    path = file.parent / "suite.yaml"
    path.write_text(YAML.format("{<<: {agent: x, url: /b}, url: /private/, allowed: true}"))
    first, second = policy("test", path, "--output-format", "github").lines
    assert ",line=4::rfc9309: allowed for x: no rule matches" in first
    assert ",line=5::rfc9309: refused for x: line 2" in second


@pytest.mark.parametrize("value", ["Googlebot*", "Googlebot Images"])
def test_everybody_is_also_a_crawler_that_a_line_with_more_than_its_name_binds(value, tmp_path):
    (tmp_path / "robots.txt").write_text(f"User-agent: {value}\nDisallow: /\n")
    output = policy("test", suite(tmp_path, "everybody may fetch /"))
    assert output.status == 1
    assert "rfc9309: refused for Googlebot: line 2, Disallow: /" in output.out


def test_a_file_that_names_very_many_crawlers_is_not_asked_about_everybody(tmp_path):
    names = "".join(f"User-agent: a{'b' * (n % 50)}{'c' * (n // 50)}\n" for n in range(2500))
    (tmp_path / "robots.txt").write_text(f"{names}Disallow: /\n")
    output = policy("test", suite(tmp_path, "nobody may fetch /"))
    assert output.err == "robots-policy: the robots.txt names more than 2,000 crawlers\n"
    assert policy("test", suite(tmp_path, "abb may not fetch /")).status == 0
