"""Each block of code in README.md, CONTRIBUTING.md and docs/ is run, or a comment says why not.

What is run here:

    python with ">>>"   as a doctest, each page in one go
    python              executed, page by page from top to bottom; names that are settings of this
                        package are read as a crawl reads them
    json, toml, yaml    read
    console             `scrapy robots` and `robots-policy` print what is shown; where nothing is
                        shown, the verb and the options exist; a `make` has its target
    robots              the file robots.txt of the console blocks after it; with a title, a file of
                        that name, as any other block

All else needs a comment: tests/docs/markdown.py has its two forms.
"""

from __future__ import annotations

import doctest
import json
import re
import runpy
import shlex
import sys
from argparse import ArgumentParser
from importlib import import_module

import pytest
from scrapy.settings import Settings

from scrapy_robots_policy.commands.command_line import add_options
from scrapy_robots_policy.commands.verb_table import VERBS
from scrapy_robots_policy.config import SETTINGS
from scrapy_robots_policy.config.setting_values import Values
from tests.commands.run import policy, robots
from tests.docs.markdown import PAGES, ROOT, Block, blocks, prints_as_shown
from tests.missing import NO_YAML

yaml = pytest.importorskip("yaml", reason=NO_YAML)
toml = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
READERS = {"json": json.loads, "toml": toml.loads, "yaml": yaml.safe_load}
TUTORIAL = ROOT / "docs" / "tutorial.md"  # tests/docs/test_tutorial.py runs all of it
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
ALL = [block for page in PAGES if page != TUTORIAL for block in blocks(page)]
TO_RUN = [block for block in ALL if not block.note]
PYTHON = [block for block in TO_RUN if block.language == "python" and ">>> " not in block.text]
CONSOLE = [block for block in TO_RUN if block.language == "console"]


def runs_here(block: Block) -> bool:
    if block.language == "robots":  # as the file of a session further down
        return any(one.page == block.page and one.line > block.line for one in CONSOLE)
    return block.language in {"python", "console", *READERS}


@pytest.mark.parametrize("block", TO_RUN, ids=str)
def test_a_block_is_run_or_says_why_not(block):
    assert runs_here(block), "put <!-- not run: WHY --> or <!-- run by tests/PATH.py --> before it"


def test_each_diagram_has_its_picture_and_no_picture_is_left_over():
    names = set(runpy.run_path(str(ROOT / "docs" / "diagrams.py"))["diagrams"]())
    assert names
    assert {path.name for path in (ROOT / "docs/pictures").glob("diagram-*")} == names, (
        "make pictures"
    )


@pytest.mark.parametrize("runner", sorted({block.runner for block in ALL if block.runner}))
def test_a_test_that_a_page_names_exists_and_names_the_page(runner):
    pages = {block.page.name for block in ALL if block.runner == runner}
    text = runner.read_text("utf-8")
    assert [page for page in pages if page not in text] == []


@pytest.mark.parametrize(
    "page", sorted({b.page for b in TO_RUN if ">>> " in b.text}), ids=lambda page: page.name
)
def test_examples_answer_as_shown(page):
    failed, tried = doctest.testfile(str(page), module_relative=False)
    assert tried
    assert not failed


@pytest.mark.parametrize(
    "page", sorted({block.page for block in PYTHON}), ids=lambda page: page.name
)
def test_python_blocks_run_and_their_settings_are_right(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for block in (block for block in PYTHON if block.page == page):
        names = {"__name__": "example"}
        exec(compile(block.text, str(block), "exec"), names)
        chosen = {name: value for name, value in names.items() if name.startswith("ROBOTS_")}
        assert set(chosen) <= set(SETTINGS), block
        values = Values(Settings(chosen))
        for name in chosen:
            assert values[name] is not None, block


@pytest.mark.parametrize("block", [b for b in TO_RUN if b.language in READERS], ids=str)
def test_data_can_be_read(block):
    assert READERS[block.language](block.text)


@pytest.mark.parametrize("block", CONSOLE, ids=str)
def test_a_session_prints_what_it_shows(block, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for file in TO_RUN:
        name = file.title or ("robots.txt" if file.language == "robots" else "")
        if name and file.page == block.page and file.line < block.line:
            (tmp_path / name).write_text(file.text)
    assert block.steps
    for command, shown in block.steps:
        words = shlex.split(command, comments=True)
        if words[0] == "make":
            assert re.search(
                rf"^{words[1]}\b[^=\n]*:|^CRAWLS .*\b{words[1]}\b", MAKEFILE, re.MULTILINE
            )
        elif not shown.strip():
            check_words(words)
        else:
            program, arguments = program_of(words)
            assert prints_as_shown(shown, program(*arguments).out), command


def program_of(words):
    """What runs a command here, and the command's arguments."""
    if words[:2] == ["scrapy", "robots"]:
        return robots, words[2:]
    assert words[0] == "robots-policy", f"{words} is not run here"
    return policy, words[1:]


def check_words(words: list[str]) -> None:
    """A command that is shown without what it prints has a verb and options that exist."""
    verb, *arguments = program_of(words)[1]
    assert verb in VERBS
    parser = ArgumentParser(conflict_handler="resolve")
    add_options(parser, words[0])
    options = [word for word in arguments if word.startswith("-") and word != "-"]
    assert [option for option in options if option not in parser._option_string_actions] == []
