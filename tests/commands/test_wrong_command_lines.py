"""What is wrong gets exit status 2 and one sentence: options, files, tables, suites."""

from __future__ import annotations

import shlex
import sys

import pytest

from tests.missing import NO_YAML

from .run import policy, robots

LINES = [
    ("chekc", "the verb is 'chekc'; it must be check"),
    ("chek -h", "the verb is 'chek'; it must be check, explain"),
    ("lnit x", "did you mean lint?"),
    ("check --nope /", "unknown option --nope; see -h"),
    ("check --robox /", "did you mean --robots?"),
    ("check --sarif /", "unknown option --sarif; see -h"),
    ("check --json=1 /", "--json: it takes no value"),
    ("check --agent", "--agent: its value is missing"),
    ("check --jobs x", "--jobs: 'x' is no whole number"),
    ("check --jobs 0 /", "--jobs is 0; it must be from 1 to 1000"),
    ("tester --port 65536", "--port is 65536; it must be from 0 to 65535"),
    ("check --timeout nan /", "--timeout is 'nan'; it must be a number of seconds"),
    ("check --timeout 86401 /", "at most 86,400"),
    ("check --dialect goggle /", "did you mean google?"),
    ("dialects goggle", "did you mean google?"),
    ("check --agent 'the bot' /", "--agent is 'the bot', which gives the product token"),
    ("check --agent '' /", "--agent is ''"),
    ("lint --severity bad x", "--severity is 'bad'"),
    ("lint --select X1 x", "no finding has the code 'X1'"),
    ("lint --explain R2O1", "no finding has the code 'R2O1'; did you mean R201?"),
    ("lint --explain nonsense", "no finding has the code 'nonsense'"),
    ("lint --json --sarif x", "--sarif: not allowed with argument --json"),
    ("lint --statistics --sarif x", "--statistics has no sarif"),
    ("explain / --output-format sarif", "--output-format is 'sarif'; it must be text, json"),
    ("compare --dialects google /", "compare needs two dialects at least"),
    ("explain", "explain takes one URL, not 0"),
    ("diff a", "diff takes two files or URLs"),
    ("diff - -", "standard input can be one file only"),
    ("test", "test needs a SUITE"),
    ("lint", "lint needs a FILE, a DIRECTORY, a URL or -"),
    ("tester x", "tester takes no arguments"),
    ("check --robots '' /", "--robots names no file: its value is empty"),
    ("lint ''", "the name of a file is empty"),
    ("check --robots /no/such /", "cannot read /no/such: No such file or directory"),
    ("check --robots /no/such\0 /", "no file can have that name"),
    ("check --robots - ", "standard input is the robots.txt: give the URLs as arguments"),
    ("check --tdmrep - /", "--tdmrep takes a file, not a standard stream"),
    ("explain --robots - --page /no/such /", "cannot read /no/such"),
    ("check --robots example.com /", "if it is a site, write https://example.com/robots.txt"),
    ("lint htttps://a.example", "cannot read htttps://a.example"),
    ("test http://a.example/", "http://a.example/ is a URL, and a suite is a file"),
    ("check /x", "'/x' is no http or https URL: name the robots.txt for it with --robots"),
    ("check htp://a.example/b", "no whole URL: write http://a.example/b"),
    ("check example.com/x", "no whole URL: write https://example.com/x"),
    ("check localhost:80?q", "no whole URL: write http://localhost:80?q"),
    ("explain 'http://not a url/x'", "no URL: its host or its port cannot be one"),
    ("explain http://a:99999/x", "no URL: its host or its port cannot be one"),
    ("explain http://[bad", "no URL: its host or its port cannot be one"),
    ("check --robots /dev/null https://", "no URL: its host or its port cannot be one"),
    ("compare --robots /dev/null private/", "'private/' is no URL"),
    ("blocked --robots /dev/null private/", "'private/' is no URL"),
    ("lint --fix -", "--fix changes files, not URLs, pipes or standard input"),
    ("lint --fix http://127.0.0.1:1/robots.txt", "--fix changes files, not URLs"),
]


@pytest.mark.parametrize(("line", "words"), LINES)
@pytest.mark.parametrize("run", [policy, robots])
def test_a_wrong_command_line_gets_one_sentence(run, line, words):
    output = run(*shlex.split(line))
    assert (output.status, output.out) == (2, "")
    assert words in output.err
    assert output.err.count("\n") == 1


TABLES = [
    ('selct = ["R4"]', "did you mean select?"),
    ('select = "R4"', "select is 'R4'; it must be a list of codes"),
    ('select = ["R9"]', "no finding has the code 'R9'"),
    ("severity = 3", "severity is 3; it must be a text"),
    ('dialect = "gogle"', "dialect is 'gogle'"),
    ("exit-zero = 1", "exit-zero is 1; it must be true or false"),
    ("select =", "pyproject.toml is no TOML: "),
    (f"select = {'[' * 10_000}", "pyproject.toml is no TOML: "),
    ("[[tool.robots-lint]]", "pyproject.toml is no TOML: "),
]


@pytest.mark.parametrize(("table", "words"), TABLES)
def test_a_wrong_table_of_the_project_gets_one_sentence(file, monkeypatch, table, words):
    monkeypatch.chdir(file.parent)
    (file.parent / "pyproject.toml").write_text(f"[tool.robots-lint]\n{table}\n")
    output = policy("lint", "robots.txt")
    assert (output.status, output.out, output.err.count("\n")) == (2, "", 1)
    assert words in output.err


# each list has the one before nine times: 59,049 zeros
NESTED = (
    "[&a [0, 0, 0, 0, 0, 0, 0, 0, 0], "
    + ", ".join(f"&{name} [{', '.join(['*' + of] * 9)}]" for of, name in ("ab", "bc", "cd", "de"))
    + "]\n"
)
SUITES = [
    ("json", "[]", "is no suite: it has no list 'expect'"),
    ("json", "{", "is no JSON: "),
    ("json", "[" * 100_000, "is no JSON: "),
    ("json", "User-agent: *\n", "the robots.txt goes to --robots"),
    ("json", '{"expect": ["Googlebot fetches /a"]}', "is no expectation; write one"),
    ("json", '{"expect": [{"agent": "a", "url": "/"}]}', "it needs agent, url and allowed"),
    ("json", '{"expect": ["nobody may not fetch /"]}', "write 'everybody may fetch /'"),
    ("json", '{"expect": ["1 2 may fetch /"]}', "'1 2' names no crawler"),
    ("json", '{"expect": ["a may fetch / in gogle"]}', "a dialect is 'gogle'"),
    ("json", '{"expect": [], "dialect": "google"}', "did you mean dialects?"),
    ("json", '{"expect": [], "dialects": 3}', "'dialects' is 3; it must be a list of names"),
    ("json", '{"expect": [], "robots": "-"}', "'robots' is '-'; it must be a FILE or a URL"),
    ("json", '{"expect": []}', "names no robots.txt: name it with --robots"),
    ("json", '{"expect": [], "robots": "no"}', "no: No such file or directory"),
    ("json", '{"expect": [], "robots": "a\\u0000b"}', "no file can have that name"),
    ("yaml", "expect: [\n", "is no YAML: "),
    ("yaml", "expect:\n- x may fetch /a\n- x may fetch a\n", ".yaml:3: 'x may fetch a' is no"),
    ("yaml", "expect: text\n", "it has no list 'expect'"),
    ("yaml", "expect:\n- " + NESTED, "is no expectation"),
    ("yaml", "robots: " + NESTED + "expect: []\n", "it must be a FILE or a URL"),
    ("yaml", "expect:\n- - &a [0, 0, 0, 0, 0, 0]\n" + "  - *a\n" * 9_000, "no expectation"),
    ("yaml", "expect: [" + "9" * 9_000 + "]\n", "is no YAML: "),
    ("yaml", "expect: [2026-99-99]\n", "is no YAML: "),
    ("yaml", "expect: []\n? [a]\n: 1\n", "is no YAML: "),
    ("yaml", "expect: !!map [a]\n", "is no YAML: "),
]


@pytest.mark.parametrize(("ending", "text", "words"), SUITES)
def test_what_is_no_suite_gets_one_short_sentence(tmp_path, ending, text, words):
    if ending == "yaml":
        pytest.importorskip("yaml", reason=NO_YAML)
    path = tmp_path / f"suite.{ending}"
    path.write_text(text)
    output = policy("test", path)
    assert (output.status, output.out, output.err.count("\n")) == (2, "", 1)
    assert words in output.err
    assert len(output.err) < 1_000 + len(str(path))


def test_a_page_without_jinja2_is_an_error_that_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    output = policy("tester", "--no-browser")
    assert (output.status, output.out, output.err.count("\n")) == (2, "", 1)
    assert "scrapy-robots-policy[tools]" in output.err
