"""What holds for all verbs: help, suggestions, colours, widths, and that Scrapy is not loaded."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from collections import Counter
from errno import EINVAL, ENOSPC, EPIPE

import pytest

from scrapy_robots_policy import distribution
from scrapy_robots_policy.commands import command_line
from scrapy_robots_policy.commands.verb_table import FORMATS, OPTIONS, VERBS
from scrapy_robots_policy.rep import DIALECTS, differences

from .run import policy, read_options_of, robots

NO_SCRAPY = """
import sys
from importlib import import_module
from scrapy_robots_policy.commands.command_line import main
from scrapy_robots_policy.commands.verb_table import VERBS
for verb in VERBS.values():
    if verb.module != "verbs.audit_verbs":
        import_module(f"scrapy_robots_policy.commands.{verb.module}")
statuses = [main(line.split()) for line in sys.argv[1:]]
heavy = {"scrapy", "twisted", "tldextract", "requests"} & set(sys.modules)
print(statuses, sorted(heavy), file=sys.stderr)
"""


@pytest.mark.slow
def test_robots_policy_loads_neither_scrapy_nor_what_is_slow_to_load(file):
    lines = [
        f"check --robots {file} /private/x",
        f"explain --robots {file} /",
        f"lint {file}",
        f"compare --robots {file} /private/x --dialects rfc9309,google",
        "dialects google bing",
        f"diff {file} {file}",
        "rule R201",
        "check --timeout 0.2 http://127.0.0.1:1/",
    ]
    done = subprocess.run(
        [sys.executable, "-c", NO_SCRAPY, *lines], capture_output=True, text=True, check=False
    )
    assert done.stderr.splitlines()[-1] == "[1, 0, 1, 0, 1, 0, 0, 3] []"


def test_robots_policy_asks_for_a_crawler_that_no_group_names(file):
    output = policy("check", "--robots", file, "/search", "/private/x")
    assert output.lines == [
        "allowed     /search  for *: no rule matches",
        "disallowed  /private/x  for *: line 2, Disallow: /private/",
    ]
    assert policy("check", "--robots", file, "--agent", "bingbot/2.0", "/search").status == 1


def test_a_project_and_robots_policy_have_the_same_verbs(file):
    for args in (("lint", file), ("dialects", "google"), ("rule", "R201"), ("diff", file, file)):
        assert policy(*args) == robots(*args)


@pytest.mark.parametrize("run", [policy, robots])
@pytest.mark.parametrize("verb", VERBS)
def test_the_help_of_a_verb_has_its_options_exit_statuses_and_examples(run, verb):
    output = run(verb, "-h")
    assert (output.status, output.err) == (0, "")
    text = output.out
    assert all(flag in text for name in VERBS[verb].options for flag in OPTIONS[name].flags)
    assert all(line.split(" ", 1)[1] in text for line in VERBS[verb].exits)
    assert all(example in text for example in VERBS[verb].examples)
    assert "\n  2  " in text  # a wrong command line, if nothing else


@pytest.mark.parametrize(
    ("verb", "says"),
    [
        (
            "tester",
            "--robots FILE|URL|-  the robots.txt to begin with (default: the page's example)",
        ),
        ("test", "--dialect NAME          the dialect to read in (default: those of the suite, "),
        (
            "audit",
            "--dialect NAME          make the decisions in this dialect (default: the",
        ),
        ("check", "--jobs N                how many at a time (default: 32 sites; "),
        ("check", "--timeout SECONDS       for one robots.txt, redirects included (default: 15)"),
    ],
)
def test_the_help_says_what_holds_for_this_verb_without_the_option(verb, says):
    assert says in policy(verb, "-h").out


def test_the_help_names_all_verbs_and_a_wrong_verb_gets_a_suggestion():
    assert all(f"  {verb} " in policy("-h").out for verb in VERBS)
    assert policy("chek", "-h").err == (
        "robots-policy: there is no verb 'chek'; did you mean check?\n"
    )


SUGGESTIONS = [
    (("lnit", "x"), "lint"),
    (("lint", "--selct", "R2", "x"), "--select"),
    (("check", "--dialect", "goggle", "/"), "google"),
    (("lint", "--output-format", "jsn", "x"), "json"),
    (("rule", "misspelled-key"), "misspelt-key"),
    (("completion", "bosh"), "bash"),
]


@pytest.mark.parametrize(("args", "meant"), SUGGESTIONS)
def test_a_slip_gets_a_suggestion(args, meant):
    output = policy(*args)
    assert (output.status, output.out) == (2, "")
    assert f"did you mean {meant}?" in output.err


def test_each_verb_has_its_own_formats(file):
    assert set(VERBS["lint"].formats) == set(FORMATS)
    output = policy("explain", "/", "--robots", file, "--output-format", "sarif")
    assert output.err == "robots-policy: --output-format is 'sarif'; it must be text, json\n"


def test_an_option_reaches_its_verb():
    options = read_options_of("check", "--jobs", "3", "--timeout", "0.5", "--quiet", "/a", "/b")
    assert (options.sites_at_a_time, options.timeout, options.quiet) == (3, 0.5, True)
    assert (options.args, options.agent, options.dialect.name) == (
        ["/a", "/b"],
        "Scrapy",
        "rfc9309",
    )
    options = read_options_of("lint", "--unsafe-fixes", "--select", "r4, R201", "x")
    assert (options.fixes, options.select) == ("all", ("R4", "R201"))


@pytest.mark.parametrize("run", [policy, robots])
def test_the_version_is_that_of_the_package(run):
    assert re.fullmatch(r"scrapy-robots-policy (\d+\.\d+\S*|unknown)\n", run("--version").out)


def test_a_package_that_is_not_installed_has_no_known_version(monkeypatch):
    monkeypatch.setattr(distribution, "DISTRIBUTION", "no package has this name")
    assert distribution.installed_version() == "unknown"


NO_VALUES = [
    (("tester", "--port", "abc"), "--port: 'abc' is no whole number; see -h"),
    (("check", "--jobs", "x"), "--jobs: 'x' is no whole number; see -h"),
    (("check", "--agent"), "--agent: its value is missing; see -h"),
]


@pytest.mark.parametrize(("args", "sentence"), NO_VALUES)
@pytest.mark.parametrize(("run", "program"), [(policy, "robots-policy"), (robots, "scrapy robots")])
def test_an_option_without_its_value_gets_one_sentence(run, program, args, sentence):
    output = run(*args)
    assert (output.status, output.out, output.err) == (2, "", f"{program}: {sentence}\n")


@pytest.mark.parametrize("name", ["008", "360", "008/1.0"])
def test_a_crawler_that_files_name_by_a_number_can_be_asked_for(tmp_path, name):
    token = name.split("/")[0]
    (tmp_path / "robots.txt").write_text(f"User-agent: {token}\nDisallow: /\n")
    asked = ("check", "--quiet", "--robots", tmp_path / "robots.txt", "/", "--agent", name)
    assert policy(*asked, "--dialect", "original1994").out == f"disallowed  /  for {token}\n"
    assert policy(*asked).out == f"allowed     /  for {token}\n"  # RFC 9309 has no such token


WRONG = [
    (("check", "--jobs", "0", "/"), "--jobs is 0; it must be from 1 to 1000"),
    (("tester", "--port", "65536"), "--port is 65536; it must be from 0 to 65535"),
    (("check", "--timeout", "nan", "/"), "--timeout is 'nan'; it must be a number of seconds"),
    (("check", "--timeout", "-1", "/"), "--timeout is '-1'; it must be a number of seconds"),
    (
        ("check", "--timeout", "86401", "/"),
        "--timeout is '86401'; it must be a number of seconds above 0, at most 86,400",
    ),
    (("check", "--agent", "Mozilla/5.0", "/"), None),
    (("check", "--agent", "the bot", "/"), "--agent is 'the bot', which gives the product token"),
    (("check", "--agent", "", "/"), "--agent is '', which gives the product token ''"),
    (("lint", "--severity", "bad", "x"), "--severity is 'bad'; it must be one of error, warning"),
    (("diff", "a"), "diff takes two files or URLs, OLD and NEW, not 1"),
    (("check", "--agent", "!!", "/"), "--agent is '!!', which gives the product token '!!'"),
    (("test",), "test needs a SUITE"),
    (("check", "--robots", "", "/"), "--robots names no file: its value is empty"),
    (("lint", ""), "the name of a file is empty"),
    (("test", ""), "the name of a file is empty"),
    (("diff", "", "a"), "the name of a file is empty"),
    (("blocked", ""), "the name of a file is empty"),
    (("explain", "--page", "", "/"), "--page names no file: its value is empty"),
    (("diff", "-", "-"), "standard input can be one file only, but - stands for two"),
    (("explain", "--robots", "-", "--page", "-", "/"), "standard input can be one file only"),
    (("check", "--tdmrep", "-", "/"), "--tdmrep takes a FILE or a URL, not standard input"),
    (("lint", "--json", "--sarif", "x"), "the options name more than one format: json, sarif"),
    (("check", "--json", "--output-format", "csv", "/"), "the options name more than one format"),
    (("compare", "--dialect", "bing", "--dialects", "google,bing", "/"), "--dialects names all"),
    (("lint", "--statistics", "--sarif", "x"), "--statistics has no sarif; take text, json or csv"),
    (("rule", "R999"), "no finding has the code 'R999'"),
]


@pytest.mark.parametrize(("args", "sentence"), WRONG)
def test_a_wrong_value_gets_one_sentence(args, sentence):
    output = policy(*args)
    assert output.status == 2
    assert output.err.count("\n") == 1
    assert output.err.startswith(f"robots-policy: {sentence or ''}")


def test_an_agent_is_judged_as_the_crawl_judges_it(file):
    wrong = {"ROBOTSTXT_USER_AGENT": "two words here"}
    output = robots("check", "--robots", file, "/", settings=wrong)
    assert output.err.startswith("scrapy robots: ROBOTSTXT_USER_AGENT is 'two words here', which")
    browser = {"USER_AGENT": "(Windows NT)"}
    assert " for *: " in robots("check", "--robots", file, "/", settings=browser).out
    assert robots("lint", file, settings=wrong) == robots("lint", file)  # it asks for no crawler


COLOURS = [
    ({"FORCE_COLOR": "1"}, True),
    ({"FORCE_COLOR": "0"}, False),
    ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ({}, False),
]


@pytest.mark.parametrize(("variables", "is_coloured"), COLOURS)
def test_verdicts_have_colours_where_the_user_wants_them(file, monkeypatch, variables, is_coloured):
    for name in ("FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    output = policy("check", "--robots", file, "/private/x")
    assert ("\x1b[31mdisallowed\x1b[0m  /private/x" in output.out) is is_coloured
    args = ("compare", "--robots", file, "/private/press/x", "--dialects", "rfc9309,baidu")
    assert ("\x1b[32mallowed\x1b[0m" in policy(*args).out) is is_coloured


TABLES = [
    ("dialects",),
    ("dialects", "google"),
    ("dialects", "google", "naver"),
    ("rule",),
    ("rule", "R304"),
    ("lint", "-h"),
    ("-h",),
    ("crawlers",),
]


@pytest.mark.parametrize("args", TABLES, ids=" ".join)
@pytest.mark.parametrize("columns", [60, 80, 132])
def test_tables_fit_the_terminal(monkeypatch, args, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = policy(*args).lines
    commands = [line for line in lines if line.startswith("  robots-policy ")]  # to copy: whole
    assert max(len(line) for line in lines if line not in commands) <= columns


def test_no_name_of_an_option_is_broken_in_a_terminal_of_80_columns(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    first_words = [line.split(" ", 1)[0] for line in policy("dialects", "google", "yandex").lines]
    options = set(differences(DIALECTS["google"], DIALECTS["yandex"])) - {"access"}  # a table below
    assert options <= {*first_words}


def test_a_dialect_takes_two_lines_at_most_in_a_terminal_of_80_columns(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    table = policy("dialects").out.partition("\n\n")[0]
    assert table.count("\n") < 3 + 2 * len(DIALECTS)


def test_a_row_is_wrapped_and_loses_nothing(monkeypatch):
    whole = Counter(policy("dialects", "google").out)
    monkeypatch.setenv("COLUMNS", "100")
    wrapped = Counter(policy("dialects", "google").out)
    assert {**wrapped, " ": 0, "\n": 0} == {**whole, " ": 0, "\n": 0}
    assert wrapped["\n"] > whole["\n"]


def test_after_two_dashes_none_is_an_option(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "-x").write_text("Disalow: /a\n")
    for output in (policy("lint", "--json", "--", "-x"), robots("--json", "--", "lint", "-x")):
        assert (output.status, output.err) == (1, "")
    assert policy("lint", "--", "--", "-x").err.startswith("robots-policy: cannot read --: ")
    assert policy("lint", "-x", "--").err == "robots-policy: unknown option -x; see -h\n"


def test_a_rule_says_what_it_is_why_it_matters_and_how_to_fix_it():
    value = json.loads(policy("rule", "misspelt-key", "--json").out)
    assert (value["code"], value["what"][:20]) == ("R201", "The key is misspelt:")
    assert value["why"]
    assert value["fix"]
    text = policy("rule", "R201").out
    assert value["what"] in text
    assert "Disalow: /private" in text
    assert len(policy("rule", "--json").lines) == len(policy("rule").lines) - 1


class ClosedPipe(io.FileIO):
    """Standard output that nobody reads any more: `errno` is what the system calls it."""

    def __init__(self, errno):
        super().__init__(os.devnull, "wb")
        self.errnos = [errno]

    def write(self, octets):
        if self.errnos:
            raise OSError(errno := self.errnos.pop(), os.strerror(errno))
        return super().write(octets)


@pytest.mark.parametrize(
    ("system", "errno", "status"),
    [
        *(("linux", EPIPE, 141), ("win32", EPIPE, 141), ("win32", EINVAL, 141)),
        *(("linux", EINVAL, 2), ("win32", ENOSPC, 2)),
    ],
)
def test_a_closed_pipe_is_no_error_on_windows_either(file, monkeypatch, system, errno, status):
    monkeypatch.setattr("sys.platform", system)
    pipe = io.TextIOWrapper(io.BufferedWriter(ClosedPipe(errno)), "utf-8")
    monkeypatch.setattr("sys.stdout", pipe)
    errors = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
    monkeypatch.setattr("sys.stderr", errors)
    assert command_line.main(["check", "--robots", str(file), "/a"]) == status
    pipe.close()
    assert bool(errors.buffer.getvalue()) is (status == 2)


def test_patterns_of_file_names_mean_files_on_windows_where_no_shell_resolves_them(
    tmp_path, monkeypatch
):
    for name in ("b.txt", "a.txt", "c.json"):
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.platform", "win32")
    arguments = ["lint", "*.txt", "c.json", "no*.txt", "https://a.example/?q=*", "-", ""]
    assert read_options_of(*arguments).args == ["a.txt", "b.txt", *arguments[2:]]


def test_a_pattern_that_a_shell_left_as_it_is_stands_for_itself(tmp_path, monkeypatch):
    (tmp_path / "a.txt").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.platform", "linux")
    assert read_options_of("lint", "*.txt").args == ["*.txt"]


@pytest.mark.slow
def test_whoever_closes_the_output_gets_no_traceback(file):
    command = [sys.executable, "-m", "scrapy_robots_policy.commands", "check", "--robots", file]
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        command, input=b"/a\n" * 100_000, stdout=writing, stderr=subprocess.PIPE, check=False
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, b"")
