"""`test`: expectations of robots.txt files. docs/robots-tests.md has an example, which is run."""

from __future__ import annotations

import builtins
import json
import re
from pathlib import Path

import pytest

from scrapy_robots_policy.commands.reading import named_crawlers
from tests.missing import NO_YAML, not_on_windows
from tests.site import Answer, Site
from tests.site import robots as served

from .run import policy, robots

PAGE = (Path(__file__).parents[2] / "docs" / "robots-tests.md").read_text("utf-8")


def suite(folder, *sentences, **more):
    path = folder / "suite.json"
    path.write_text(json.dumps({"robots": "robots.txt", "expect": list(sentences), **more}))
    return path


SENTENCES = [
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
]


@pytest.mark.parametrize(("sentence", "holds"), SENTENCES)
def test_an_expectation_holds_or_not(file, tmp_path, sentence, holds):
    path = suite(tmp_path, sentence)
    assert policy("test", path).status == int(not holds)
    (value,) = map(json.loads, policy("test", path, "--json").lines)
    assert (value["expectation"], value["holds"], bool(value["answers"])) == (
        *(sentence, holds, not holds),
    )


PARTS = [
    ({"agent": "Googlebot", "url": "/search", "allowed": False}, True),
    ({"agent": "Mozilla/5.0 (Windows NT)", "url": "/private/", "allowed": False}, True),
    ({"agent": "*", "url": "/a b", "allowed": False}, False),
    ({"agent": "x", "url": "/private/press/", "allowed": True, "dialect": "baidu"}, False),
]


@pytest.mark.parametrize(("parts", "holds"), PARTS)
def test_a_suite_that_the_tester_has_saved_is_read(file, tmp_path, parts, holds):
    output = policy("test", suite(tmp_path, parts), "--json")
    value = json.loads(output.out)
    verb = "may fetch" if parts["allowed"] else "may not fetch"
    assert value["expectation"] == f"{parts['agent']} {verb} {parts['url']}"
    assert (output.status, value["holds"]) == (int(not holds), holds)


def test_a_byte_order_mark_is_no_part_of_a_suite(file, tmp_path):
    path = suite(tmp_path, "Googlebot may fetch /a")
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert policy("test", path).out == "1 expectation holds\n"


def test_a_suite_is_read_from_standard_input(file, tmp_path):
    octets = suite(tmp_path, "Googlebot may fetch /a").read_bytes()
    assert policy("test", "-", "--robots", file, stdin=octets).out == "1 expectation holds\n"


@pytest.mark.parametrize("name", ["a\0b", pytest.param("\ud800", marks=not_on_windows)])
def test_a_robots_txt_whose_name_no_file_can_have_gets_one_sentence(tmp_path, name):
    output = policy("test", suite(tmp_path, "x may fetch /", robots=name))
    assert (output.status, output.err.count("\n")) == (2, 1)
    assert output.err.endswith(": no file can have that name\n")


def test_what_does_not_hold_is_shown_with_the_rule(file, tmp_path):
    path = suite(tmp_path, "Googlebot may fetch /", "nobody may fetch /a", "x may fetch /private/")
    output = robots("test", path)
    assert output.lines == [
        f"{path}:1: nobody may fetch /a",
        "    rfc9309: allowed for Googlebot: no rule matches",
        f"{path}:1: x may fetch /private/",
        "    rfc9309: disallowed for x: line 2, Disallow: /private/",
        "1 expectation holds, 2 do not",
    ]


def test_a_suite_says_in_which_dialects_and_the_command_line_is_stronger(file, tmp_path):
    path = suite(tmp_path, "x may fetch /private/press/", dialects=["rfc9309", "baidu"])
    assert "    baidu: disallowed for x: line 2" in policy("test", path).out
    assert policy("test", path, "--dialect", "google").status == 0
    assert policy("test", path, "--dialect", "baidu").status == 1


def test_a_live_site_is_tested_and_one_that_is_unreachable_is_no_difference(tmp_path):
    path = suite(tmp_path, "x may not fetch /x")
    with Site({"/robots.txt": served("User-agent: *\nDisallow: /x")}) as site:
        assert policy("test", path, "--robots", site.url("/")).status == 0
        assert policy("test", path, "--robots", site.url("/robots.txt")).status == 0
        assert policy("test", suite(tmp_path, "x may fetch /", robots=site.url("/"))).status == 0
    with Site({"/robots.txt": Answer(status=503)}) as site:
        output = policy("test", path, "--robots", site.url("/"))
        assert (output.status, output.lines) == (3, ["0 expectations hold, 1 was not checked"])
        assert output.err == f"robots-policy: {site.url('/robots.txt')} is unreachable (503)\n"


def test_the_dialects_of_a_suite_say_what_is_unreachable(tmp_path):
    with Site({"/robots.txt": Answer(status=503)}) as site:
        for dialects, status in ((["yandex"], 0), (["yandex", "google"], 3)):
            path = suite(tmp_path, "x may fetch /x", dialects=dialects, robots=site.url("/"))
            assert policy("test", path).status == status


def test_github_gets_an_annotation_at_the_line_of_the_suite(file, tmp_path):
    pytest.importorskip("yaml", reason=NO_YAML)
    path = tmp_path / "suite.yaml"
    path.write_text("robots: robots.txt\nexpect:\n- x may fetch /ab\n- x may not fetch /a\n")
    (line,) = policy("test", path, "--output-format", "github").lines
    where = str(path).replace(":", "%3A")
    assert line == (
        f"::error title=x may not fetch /a,file={where},line=4::rfc9309: allowed for x: "
        "no rule matches"
    )


WRONG = [
    ("[]", "is no suite: it has no list 'expect'"),
    ("{", "is no JSON: "),
    (
        "User-agent: *\n",
        "is no suite (JSON, or YAML in *.yaml); the robots.txt goes to --robots\n",
    ),
    ("[" * 100_000, "is no JSON: "),
    ('{"expect": ["Googlebot fetches /a"]}', "'Googlebot fetches /a' is no expectation; write one"),
    ('{"expect": [{"agent": "a", "url": "/"}]}', "it needs agent, url and allowed"),
    (
        '{"expect": [{"agent": "a", "url": "/", "allowed": true, "dialects": ["google"]}]}',
        "an expectation has no 'dialects'; did you mean dialect?",
    ),
    ('{"expect": [3]}', "3 is no expectation; write one"),
    ('{"expect": ["a may fetch x"]}', "'a may fetch x' is no expectation; write one"),
    ('{"expect": ["nobody may not fetch /"]}', "write 'everybody may fetch /'"),
    ('{"expect": ["1 2 may fetch /"]}', "'1 2' names no crawler"),
    ('{"expect": ["a may fetch / in gogle"]}', "a dialect is 'gogle'; it must be rfc9309"),
    ('{"expect": [], "dialect": "google"}', "a suite has no 'dialect'; did you mean dialects?"),
    (
        '{"expect": [{"agent": "a", "url": "/", "allowed": true, "dialect": 3}]}',
        "'dialect' is 3; it must be a list of names",
    ),
    ('{"expect": [], "dialects": 3}', "'dialects' is 3; it must be a list of names"),
    ('{"expect": [], "robots": 3}', "'robots' is 3; it must be a FILE or a URL"),
    ('{"expect": [], "robots": "-"}', "'robots' is '-'; it must be a FILE or a URL"),
    ('{"expect": []}', "names no robots.txt: name it with --robots"),
    ('{"expect": ["x may fetch /"], "expect": []}', "the key 'expect' stands there 2 times"),
    ('{"expect": [], "robots": "no"}', "no: No such file or directory"),
]


@pytest.mark.parametrize(("text", "sentence"), WRONG)
def test_what_is_no_suite_gets_one_sentence(tmp_path, text, sentence):
    path = tmp_path / "suite.json"
    path.write_text(text)
    output = policy("test", path)
    assert (output.status, output.out, output.err.count("\n")) == (2, "", 1)
    assert sentence in output.err
    assert policy("test", tmp_path / "none.json").status == 2


def test_yaml_without_its_library_names_the_extra(tmp_path, monkeypatch):
    path = tmp_path / "suite.yaml"
    path.write_text("expect: []")
    real = builtins.__import__

    def without_yaml(name, *args, **options):  # a codec is loaded with keywords
        if name == "yaml":
            raise ImportError(name)
        return real(name, *args, **options)

    monkeypatch.setattr(builtins, "__import__", without_yaml)
    output = policy("test", path)
    assert output.status == 2
    assert "needs PyYAML: pip install 'scrapy-robots-policy[yaml]'" in output.err


def test_yaml_that_is_broken_gets_one_sentence(tmp_path):
    pytest.importorskip("yaml", reason=NO_YAML)
    path = tmp_path / "suite.yaml"
    path.write_text("expect: [\n")
    output = policy("test", path)
    assert (output.status, output.err.count("\n")) == (2, 1)
    assert "is no YAML: " in output.err


def test_a_merge_key_of_yaml_is_no_key_that_stands_twice(tmp_path):
    pytest.importorskip("yaml", reason=NO_YAML)
    (tmp_path / "robots.txt").write_text("User-agent: *\nDisallow: /a\n")
    path = tmp_path / "suite.yaml"
    parts = "{<<: {agent: x, url: /b}, url: /a, allowed: false}"
    path.write_text(f"robots: robots.txt\nexpect:\n- {parts}\n")
    assert policy("test", path).out == "1 expectation holds\n"


@pytest.mark.parametrize("name", ["suite.yaml", "suite.json"])
def test_a_sentence_that_another_one_begins_with_is_shown_with_its_own_line(name, tmp_path):
    if name.endswith("yaml"):
        pytest.importorskip("yaml", reason=NO_YAML)
    (tmp_path / "robots.txt").write_text("User-agent: *\nDisallow: /a$\n")
    path = tmp_path / name
    path.write_text(
        '{"expect": ["x may fetch /aß",\n"x may fetch /a"],\n"robots": "robots.txt"}', "utf-8"
    )
    assert policy("test", path).lines[0] == f"{path}:2: x may fetch /a"


@pytest.mark.parametrize("value", ["Googlebot*", "Googlebot Images"])
def test_everybody_is_also_a_crawler_that_a_line_with_more_than_its_name_binds(value, tmp_path):
    (tmp_path / "robots.txt").write_text(f"User-agent: {value}\nDisallow: /\n")
    output = policy("test", suite(tmp_path, "everybody may fetch /"))
    assert output.status == 1
    assert "rfc9309: disallowed for Googlebot: line 2, Disallow: /" in output.out


def test_a_file_that_names_very_many_crawlers_is_not_asked_about_everybody(tmp_path):
    names = "".join(f"User-agent: a{'b' * (n % 50)}{'c' * (n // 50)}\n" for n in range(2500))
    (tmp_path / "robots.txt").write_text(f"{names}Disallow: /\n")
    output = policy("test", suite(tmp_path, "nobody may fetch /"))
    assert output.err == "robots-policy: the robots.txt names more than 2,000 crawlers\n"
    assert policy("test", suite(tmp_path, "abb may not fetch /")).status == 0


def test_the_example_of_the_docs_prints_what_the_page_shows(tmp_path, monkeypatch):
    pytest.importorskip("yaml", reason=NO_YAML)
    files = re.findall(r"`(\S+)`:\n\n```(?:robots|yaml)[^\n]*\n(.*?)```", PAGE, re.DOTALL)
    assert [name for name, _ in files] == ["robots.txt", "robots.yaml", "new.txt"]
    for name, text in files:
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    sessions = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    steps = [step for session in sessions for step in session.split("$ robots-policy ")[1:]]
    for step in steps:
        command, _, shown = step.partition("\n")
        assert policy(*command.split()).out == shown
    assert len(steps) >= 2


# each list has the one before nine times: 59,049 zeros
NESTED = (
    "[&a [0, 0, 0, 0, 0, 0, 0, 0, 0], "
    + ", ".join(f"&{name} [{', '.join(['*' + of] * 9)}]" for of, name in ("ab", "bc", "cd", "de"))
    + "]\n"
)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("expect:\n- x may fetch /a\n- x may fetch a\n", ".yaml:3: 'x may fetch a' is no expect"),
        ("expect: [x may fetch /a,\n  3]\n", ".yaml:2: 3 is no expectation"),
        ("expect:\n- url: /\n  agent: x\n", ".yaml:2: {'agent': 'x', 'url': '/'} is no expect"),
        ("expect:\n- a may fetch / in gogle\n", ".yaml:2: a dialect is 'gogle'; it must be"),
        ("expect: text\n", "it has no list 'expect'"),
        ("expect:\n- " + NESTED, "is no expectation"),
        ("dialects:\n- 3\n- " + NESTED + "expect: []\n", "must be a list of names"),
        ("expect:\n- - &a [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]\n" + "  - *a\n" * 9_000, "no expectation"),
        ("expect: [0x" + "f" * 9_000 + "]\n", "no expectation"),
        ("expect: [" + "9" * 9_000 + "]\n", "is no YAML: "),
        ("expect: [2026-99-99]\n", "is no YAML: "),
        ("? 2026-01-01\n: 1\nexpect: []\n", "a suite has no datetime.date(2026, 1, 1)"),
        ("expect: [" + "a" * 9_000 + "]\n", "no expectation"),
        ("robots: " + NESTED + "expect: []\n", "it must be a FILE or a URL"),
        ("expect: [x may fetch /]\nexpect: []\n", "the key 'expect' stands there 2 times"),
        ("expect:\n- {agent: x, url: /, url: /a}\n", "the key 'url' stands there 2 times"),
        ("expect: []\n? [a]\n: 1\n? [b]\n: 1\n", "is no YAML: "),
        ("expect: !!map [a]\n", "is no YAML: "),
    ],
    ids=[
        "sentence",
        "number",
        "parts",
        "dialect",
        "no-list",
        "aliases",
        "dialects",
        "long-list",
        "hex",
        "digits",
        "no-date",
        "date-key",
        "long-text",
        "robots",
        "list-twice",
        "part-twice",
        "list-as-key",
        "no-map",
    ],
)
def test_a_wrong_value_of_yaml_is_one_short_sentence(text, words, tmp_path):
    pytest.importorskip("yaml", reason=NO_YAML)
    path = tmp_path / "suite.yaml"
    path.write_text(text)
    output = policy("test", path)
    assert (output.status, output.err.count("\n")) == (2, 1)
    assert words in output.err
    assert len(output.err) < 1_000 + len(str(path))


def test_a_large_file_may_name_fewer_crawlers(monkeypatch, tmp_path):
    """Each of them costs a look through the whole file."""
    path = suite(tmp_path, "everybody may fetch /a")
    file = tmp_path / "robots.txt"
    text = "".join(f"User-agent: {name}\n" for name in ("one", "two", "three"))
    file.write_text(text)
    monkeypatch.setattr(named_crawlers, "MAX_OCTETS_IN_ALL", 3 * len(text))
    assert policy("test", path).status == 0
    file.write_text(f"{text}#")
    output = policy("test", path)
    assert (output.status, output.out) == (2, "")
    assert "names more than 2 crawlers" in output.err
    file.write_text("#" * 10_000)
    assert policy("test", path).status == 0
