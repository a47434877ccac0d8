"""What README says is so."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

from scrapy_robots_policy import config
from tests.command.run import robots

README = Path(__file__).parent.parent / "README.md"


def test_its_examples_answer_as_shown():
    failed, tried = doctest.testfile(str(README), module_relative=False)

    assert tried
    assert not failed


def test_its_table_has_exactly_the_settings_that_are_read():
    row = re.compile(r"^\| `(ROBOTS\w+)` \|", re.MULTILINE)
    name = re.compile(r'"(ROBOTS(?:TXT)?_[A-Z_]+)"')

    modules = Path(config.__file__).parent.glob("*.py")
    read = {found for module in modules for found in name.findall(module.read_text("utf-8"))}

    assert set(row.findall(README.read_text("utf-8"))) == read


def test_its_session_goes_as_shown(tmp_path, monkeypatch):
    section = README.read_text("utf-8").partition("## From a terminal")[2].partition("\n## ")[0]
    file, session = re.findall(r"```(?:robots|console)\n(.*?)```", section, re.DOTALL)
    (tmp_path / "robots.txt").write_text(file)
    monkeypatch.chdir(tmp_path)
    for told in session.split("$ scrapy robots ")[1:]:
        command, _, shown = told.partition("\n")
        printed = robots(*command.split()).out
        parts = [part.strip("\n") for part in shown.split("…") if part.strip()]
        assert parts
        assert all(part in printed for part in parts)
        if "…" not in shown:
            assert shown.rstrip() == printed.rstrip()


def test_all_that_it_links_to_is_there():
    linked = re.findall(r"\]\((?!https?:)([^)#]+)", README.read_text("utf-8"))
    assert {"docs/commands.md", "docs/lint.md", "docs/page-rules.md"} <= set(linked)
    assert [path for path in linked if not (README.parent / path).exists()] == []
