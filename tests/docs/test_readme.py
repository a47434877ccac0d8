"""What README says is so."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

from tests.commands.run import robots

README = Path(__file__).parents[2] / "README.md"


def test_its_examples_answer_as_shown():
    failed, tried = doctest.testfile(str(README), module_relative=False)

    assert tried
    assert not failed


def test_its_terminal_session_prints_what_it_shows(tmp_path, monkeypatch):
    section = README.read_text("utf-8").partition("## From a terminal")[2].partition("\n## ")[0]
    file, session = re.findall(r"```(?:robots|console)\n(.*?)```", section, re.DOTALL)
    (tmp_path / "robots.txt").write_text(file)
    monkeypatch.chdir(tmp_path)
    for step in session.split("$ scrapy robots ")[1:]:
        command, _, shown = step.partition("\n")
        printed = robots(*shlex.split(command)).out
        parts = [part.strip("\n") for part in shown.split("…") if part.strip()]
        assert parts
        assert all(part in printed for part in parts)
        if "…" not in shown:
            assert shown.rstrip() == printed.rstrip()


def test_its_links_have_targets():
    linked = re.findall(r"\]\((?!https?:)([^)#]+)", README.read_text("utf-8"))
    assert {"docs/commands.md", "docs/lint.md", "docs/page-rules.md"} <= set(linked)
    assert [path for path in linked if not (README.parent / path).exists()] == []
