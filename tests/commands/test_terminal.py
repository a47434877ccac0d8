"""Output for a terminal: progress, columns and carets, on narrow and on poor terminals."""

from __future__ import annotations

import io
import os
import sys
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from scrapy_robots_policy.commands import command_line
from scrapy_robots_policy.commands.printing import terminal as commands_terminal
from scrapy_robots_policy.commands.printing.console import reads_escapes
from scrapy_robots_policy.commands.printing.terminal import (
    Progress,
    paint,
    print_columns,
    print_error,
    print_groups,
    program,
)
from scrapy_robots_policy.report.columns import width, wrapped

from .run import policy

CLEAR = "\r\x1b[K"


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture(autouse=True)
def _every_terminal_reads_escapes(monkeypatch):
    monkeypatch.setattr(commands_terminal, "reads_escapes", lambda stream: True)


def terminal_at_stderr(monkeypatch, kind="xterm"):
    terminal = Terminal()
    monkeypatch.setenv("TERM", kind)
    monkeypatch.setattr("sys.stderr", terminal)
    return terminal


@pytest.mark.parametrize(
    ("total", "steps"),
    [(3, ["1 of 3  a\\x1bb", "2 of 3  c"]), (0, ["1  a\\x1bb", "2  c"]), (1, [])],
)
def test_a_long_run_shows_its_progress(monkeypatch, total, steps):
    terminal = terminal_at_stderr(monkeypatch)
    progress = Progress(total)
    for what in ("a\x1bb", "c"):
        progress.step(what)
    progress.end()
    printed = terminal.getvalue().split(CLEAR)
    assert [step for step in printed if step] == steps


@pytest.mark.parametrize("name", ["a" * 50, "漢" * 50], ids=["narrow", "wide"])
def test_progress_fits_a_narrow_terminal(monkeypatch, name):
    monkeypatch.setenv("COLUMNS", "20")
    terminal = terminal_at_stderr(monkeypatch)
    Progress(3).step(name)
    assert width(terminal.getvalue().removeprefix(CLEAR)) in {18, 19}


def test_an_error_takes_the_place_of_the_progress(monkeypatch):
    terminal = terminal_at_stderr(monkeypatch)
    Progress(3).step("a")
    print_error("it is broken")
    assert terminal.getvalue() == f"{CLEAR}1 of 3  a{CLEAR}{program()}: it is broken\n"


def test_a_terminal_that_clears_no_line_shows_no_progress(monkeypatch):
    terminal = terminal_at_stderr(monkeypatch, "dumb")
    progress = Progress(3)
    progress.step("a")
    progress.end()
    assert terminal.getvalue() == ""


def test_a_console_that_reads_no_escapes_shows_neither_progress_nor_colours(monkeypatch, tmp_path):
    monkeypatch.setattr(commands_terminal, "reads_escapes", lambda stream: False)
    errors = terminal_at_stderr(monkeypatch)
    Progress(3).step("a")
    assert errors.getvalue() == ""
    monkeypatch.setattr("sys.stdout", Terminal())
    assert paint("allowed", "green") == "allowed"


@pytest.mark.skipif(sys.platform != "win32", reason="only a console of Windows has a mode")
def test_what_goes_nowhere_is_no_console():
    with Path(os.devnull).open("w") as nowhere:
        assert nowhere.isatty()
        assert not reads_escapes(nowhere)


@pytest.mark.parametrize(
    ("text", "columns"),
    [("ab", 2), ("日本", 4), ("e\u0301", 1), ("ก\u0e31", 1), ("क\u0941", 1), ("❤\ufe0f", 1)],
    ids=["ascii", "wide", "accent", "thai", "devanagari", "variation"],
)
def test_a_mark_takes_no_column_of_its_own(text, columns):
    assert width(text) == columns


WRAPPED = [
    ("ab cd ef", 5, ["ab cd", "ef"]),
    ("ab  cd", 3, ["ab", "cd"]),
    ("ab abcdefg", 5, ["ab ab", "cdefg"]),
    ("日本語 ab", 5, ["日本", "語 ab"]),
    ("ab 日本", 4, ["ab", "日本"]),
    ("a日 日a", 3, ["a日", "日a"]),
    ("日本", 1, ["日", "本"]),
    ("e\u0301e\u0301e\u0301", 2, ["e\u0301e\u0301", "e\u0301"]),
]


@pytest.mark.parametrize(("text", "room", "lines"), WRAPPED)
def test_lines_are_as_wide_as_the_room_and_lose_nothing_but_spaces(text, room, lines):
    assert wrapped(text, room) == lines


@pytest.mark.parametrize("columns", [30, 50, 70])
def test_a_table_of_wide_characters_fits_the_terminal(monkeypatch, capsys, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    print_columns([("日本語の" * 12, "b " * 30), ("a", "長い 言葉が " * 12)])
    assert max(map(width, capsys.readouterr().out.splitlines())) <= columns


def test_columns_and_carets_stand_right_where_the_encoding_lacks_characters(tmp_path):
    path = tmp_path / "robots.txt"
    path.write_text("Usér-agent: *\nDisallow: /\n", "utf-8")
    out = io.TextIOWrapper(io.BytesIO(), "ascii")
    with redirect_stdout(out):
        command_line.main(["lint", str(path), "--select", "R201"])
        print_columns([("é", "x"), ("ab", "y")])
        print_groups(("é", "x"), {"": [("ab", "y")]})
        out.flush()
    lines = out.buffer.getvalue().decode("ascii").splitlines()
    at = next(at for at, line in enumerate(lines) if "| Us" in line)
    assert lines[at].endswith(r"| Us\xe9r-agent: *")
    assert lines[at + 1].endswith("| " + "^" * len(r"Us\xe9r-agent"))
    assert lines[-5:] == [r"\xe9  x", "ab    y", r"  \xe9  x", "", "  ab    y"]


@pytest.mark.parametrize(("encoding", "end"), [("ascii", "..."), ("utf-8", "…")])
def test_what_is_cut_ends_in_what_the_encoding_has(monkeypatch, encoding, end):
    monkeypatch.setenv("COLUMNS", "12")
    out = io.TextIOWrapper(io.BytesIO(), encoding, write_through=True)
    with redirect_stdout(out):
        print_groups(("x", "because"), {"all": [("x", "a long reason")]})
    *_, last = out.buffer.getvalue().decode(encoding).splitlines()
    assert (last[-len(end) :], len(last)) == (end, 12)


@pytest.mark.parametrize(
    ("columns", "lines"),
    [
        (23, ["  crawler      because", "all", "  a long name  a reason"]),
        (22, ["  crawler", "    because", "all", "  a long name", "    a reason"]),
    ],
)
def test_a_name_stands_above_its_row_where_little_room_is_left(monkeypatch, columns, lines):
    monkeypatch.setenv("COLUMNS", str(columns))
    out = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
    with redirect_stdout(out):
        print_groups(("crawler", "because"), {"all": [("a long name", "a reason")]})
    assert out.buffer.getvalue().decode().splitlines() == lines


def test_a_table_in_a_pipe_is_not_cut(tmp_path, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    path = tmp_path / "robots.txt"
    rule = "Disallow: /*" + "long" * 30
    path.write_text(f"User-agent: *\n{rule}\n")
    rows = policy("blocked", "--robots", path, "http://x/" + "long" * 30).lines
    assert sum(row.endswith(f"line 2, {rule}") for row in rows) > 20


def test_in_a_narrow_table_only_the_longest_words_are_broken(monkeypatch):
    monkeypatch.setenv("COLUMNS", "44")
    out = io.StringIO()
    with redirect_stdout(out):
        print_columns([("a" * 12, "b" * 30, "cc " * 7)])
    words = [*("a" * 12, "b" * 26, "cc"), *("b" * 4, "cc"), *["cc"] * 5]
    assert out.getvalue().split() == words


@pytest.mark.parametrize(
    ("columns", "head", "lines"),
    [
        (45, (), ["  original1994  disallowed  no rule matches"]),
        (44, (), ["  original1994  disallowed  no rule", f"{'matches':>35}"]),
        (34, (), ["  original1994", "    disallowed", "    no rule matches"]),
        (34, ("x", "y", "z"), ["  original1994", "    y  disallowed", "    z  no rule matches"]),
        (
            20,
            ("x", "y", "z"),
            ["  original1994", "    y  disallowed", "    z  no rule", "       matches"],
        ),
        (
            8,
            (),
            [
                "  origin",
                "  al1994",
                "    disa",
                "    llow",
                "    ed",
                "    no",
                "    rule",
                "    matc",
                "    hes",
            ],
        ),
    ],
)
def test_cells_stand_one_below_the_other_where_no_row_has_room_for_its_words(
    monkeypatch, columns, head, lines
):
    monkeypatch.setenv("COLUMNS", str(columns))
    out = io.StringIO()
    with redirect_stdout(out):
        row = ("original1994", "disallowed", "no rule matches", "")
        print_columns([row[: len(head) or 4]], indent="  ", head=head)
    assert out.getvalue().splitlines()[-len(lines) :] == lines


VERBS = ("dialects", "dialects google", "dialects google yandex", "rule", "compare /private/x")


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("columns", [40, 80, 200])
def test_tables_fit_the_terminal_and_break_no_word_of_ours(monkeypatch, tmp_path, verb, columns):
    path = tmp_path / "robots.txt"
    path.write_text("User-agent: *\nDisallow: /*x$\n\nDisallow: /private/\n")
    name, *arguments = verb.split()
    if name == "compare":
        arguments += ["--robots", str(path)]
    monkeypatch.delenv("COLUMNS", raising=False)
    words = set(policy(name, *arguments).out.split())
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = policy(name, *arguments).lines
    assert max(map(width, lines)) <= columns
    broken = {word for line in lines for word in line.split()} - words
    # An address in a source is broken where it is longer than its place.
    assert {word for word in broken if "developers" not in word and len(word) > 9} == set()


def test_no_option_of_the_help_is_broken_at_its_hyphen(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    words = policy("check", "-h").out.split()
    assert words.count("--output-format") == 3
