"""Output for a terminal: it is as wide as that, and no text of others steers it."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stdout

import pytest

from scrapy_robots_policy.commands import command_line
from scrapy_robots_policy.commands.printing.terminal import width

from .run import policy, robots

ESCAPES = "\x1b]0;owned\x07\x1b[2J\u202egpj.exe\x9b31m"
HUGE = "x" * 100_000
HOSTILE = {
    "escapes": f"User-agent: {ESCAPES}\nUser-agent: *\nDisallow: /{ESCAPES}\nDisalow{ESCAPES}: x\n"
    f"Sitemap: {ESCAPES}\nAllow: .{ESCAPES}\nContent-Usage: {ESCAPES}=n\n",
    "sitemap": f"Sitemap: https://example.com/{HUGE}\n",
    "licence": f"License: https://example.com/{HUGE}\n",
    "preference": f"User-agent: *\nContent-Usage: {HUGE}=n\nContent-Usage: /x b={HUGE}\n",
    "name": f"User-agent: {HUGE}\nDisallow: /\n",
    "path": f"User-agent: *\nDisallow: /x{HUGE}\nDisallow: /x{'*' * 100_000}\n",
    "key": f"User-agent: *\n{HUGE}: /x\n{HUGE}\nCrawl-delay: {'9' * 100_000}\n",
    "lines": "User-agent: *\n" * 250 + "Content-Usage: a=n\n" * 150 + "Disallow: /x\n" * 1200,
}


@pytest.fixture
def commands(tmp_path):
    """Command lines of all verbs that read a file with this text."""

    def of(text):
        file, suite = tmp_path / "robots.txt", tmp_path / "suite.json"
        file.write_text(text, "utf-8")
        (tmp_path / "other.txt").write_text("")
        suite.write_text(json.dumps({"expect": ["everybody may fetch /x", "nobody may fetch /x"]}))
        url = "https://e.com/x" + ESCAPES
        yield from ((verb, "--robots", file, url) for verb in ("check", "explain", "compare"))
        yield from (("lint", file), ("lint", "--output-format", "github", file), ("blocked", file))
        yield from (("diff", tmp_path / "other.txt", file), ("test", "--robots", file, suite))

    return of


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_no_text_of_a_file_or_url_steers_a_terminal_or_fills_it(commands, name):
    for command in commands(HOSTILE[name]):
        as_json = () if "github" in command else (["--json"],)
        for output in (robots(*command), *(robots(*command, *option) for option in as_json)):
            assert output.status in (0, 1, 2)
            assert all(one.isprintable() or one == "\n" for one in output.out + output.err)
        lines = robots(*command).lines
        assert max(map(len, lines), default=0) < 2000, command
        assert len(lines) < 1400, command


@pytest.mark.parametrize("columns", [60, 80, 200])
def test_tables_fit_the_terminal(monkeypatch, file, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.chdir(file.parent)
    of_file = "--robots", "robots.txt"
    for command in (
        ("-h",),
        ("lint", "-h"),
        ("dialects",),
        ("dialects", "google"),
        ("blocked", *of_file, "/a"),
        ("dialects", "google", "yandex"),
        ("compare", *of_file, "/private/press/日本"),
    ):
        lines = policy(*command).lines
        copied = [line for line in lines if line.startswith("  robots-policy ")]  # whole
        assert max(width(line) for line in lines if line not in copied) <= columns, command


def test_carets_stand_right_where_the_encoding_lacks_characters(tmp_path):
    path = tmp_path / "robots.txt"
    path.write_text("Usér-agent: *\nDisallow: /\n", "utf-8")
    out = io.TextIOWrapper(io.BytesIO(), "ascii")
    with redirect_stdout(out):
        command_line.main(["lint", str(path), "--select", "R201"])
        out.flush()
    lines = out.buffer.getvalue().decode("ascii").splitlines()
    at = next(at for at, line in enumerate(lines) if "| Us" in line)
    assert lines[at].endswith(r"| Us\xe9r-agent: *")
    assert lines[at + 1].endswith("| " + "^" * len(r"Us\xe9r-agent"))


COLOURS = [
    ({"FORCE_COLOR": "1"}, True),
    ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ({}, False),
]


@pytest.mark.parametrize(("variables", "is_coloured"), COLOURS)
def test_verdicts_have_colours_where_the_user_wants_them(file, monkeypatch, variables, is_coloured):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    output = policy("check", "--robots", file, "/private/x")
    assert ("\x1b[31mrefused\x1b[0m  /private/x" in output.out) is is_coloured


@pytest.mark.parametrize("run", [policy, robots])
def test_without_a_verb_the_help_is_shown(run):
    assert run().out == run("help").out == run("-h").out
    assert run("--version").out.startswith("scrapy-robots-policy ")
    assert run("-V").out == run("--version").out


def test_after_two_dashes_none_is_an_option(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "-x").write_text("Disalow: /a\n")
    assert policy("lint", "--json", "--", "-x").status == 1
    assert policy("lint", "-x", "--").err == "robots-policy: unknown option -x; see -h\n"
