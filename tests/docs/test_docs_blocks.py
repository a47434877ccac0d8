"""Each block of code in README.md, CONTRIBUTING.md and docs/ is run, or a comment says why not.

What is run here:

    python with ">>>"   as a doctest, each page in one go
    python              executed; what it sets of this package is read as a crawl reads it
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
import shlex
import sys
from importlib import import_module

import pytest
from scrapy.utils.test import get_crawler

from scrapy_robots_policy import RobotsPolicyMiddleware
from tests.commands.run import policy, robots
from tests.docs.markdown import PAGES, ROOT, blocks, prints_as_shown
from tests.missing import NO_YAML

yaml = pytest.importorskip("yaml", reason=NO_YAML)
toml = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
READERS = {"json": json.loads, "toml": toml.loads, "yaml": yaml.safe_load}
TUTORIAL = ROOT / "docs" / "tutorial.md"  # `test_tutorial` runs all of it
FLAGS = re.MULTILINE | re.DOTALL
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
TO_RUN = [one for page in PAGES if page != TUTORIAL for one in blocks(page) if not one.note]
EXAMPLES = sorted({block.page for block in TO_RUN if ">>> " in block.text})


@pytest.mark.parametrize("page", EXAMPLES, ids=lambda page: page.name)
def test_examples_answer_as_shown(page):
    failed, tried = doctest.testfile(str(page), module_relative=False)
    assert (failed, tried > 0) == (0, True)


@pytest.mark.parametrize("block", [one for one in TO_RUN if ">>> " not in one.text], ids=str)
def test_a_block_does_what_the_page_says_of_it(block, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if block.language in READERS:
        assert READERS[block.language](block.text)
    elif block.language == "python":
        execute(block)
    elif block.language == "console":
        for file in (one for one in TO_RUN if one.page == block.page and one.line < block.line):
            name = file.title or ("robots.txt" if file.language == "robots" else "")
            if name:
                (tmp_path / name).write_text(file.text)
        for command, shown in block.steps:
            type_in(shlex.split(command, comments=True), shown)
    else:
        assert block.language == "robots", "put <!-- not run: WHY --> before it"


def execute(block):
    names = {"__name__": "example"}
    exec(compile(block.text, str(block), "exec"), names)
    chosen = {
        name: value
        for name, value in names.items()
        if name.startswith("ROBOTS_") and "myproject" not in str(value)
    }
    known = (ROOT / "docs" / "settings.md").read_text("utf-8")
    assert [name for name in chosen if f"### {name}\n" not in known] == []
    RobotsPolicyMiddleware.from_crawler(get_crawler(settings_dict=chosen))


def type_in(words, shown):
    if words[0] == "make":
        target = rf"^{words[1]}\b[^=\n]*:|^CRAWLS .*\b{words[1]}\b"
        assert re.search(target, MAKEFILE, re.MULTILINE)
        return
    is_scrapy = words[:2] == ["scrapy", "robots"]
    assert is_scrapy or words[0] == "robots-policy", f"{words} is not run here"
    run, arguments = (robots, words[2:]) if is_scrapy else (policy, words[1:])
    if shown.strip():
        assert prints_as_shown(shown, run(*arguments).out), words
    else:
        options = {word.partition("=")[0] for word in arguments if re.match("--?[a-z]", word)}
        assert options <= {*re.findall(r"--?[a-z][\w-]*", run(arguments[0], "-h").out)}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_resolve(page):
    """Those to a place in a page, too."""
    text = re.sub(r"^ *```.*?^ *```$|`[^`\n]*`", "", page.read_text("utf-8"), flags=FLAGS)
    for path, place in re.findall(r"\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]*))?\)", text):
        target = page.parent / path if path else page
        assert target.exists(), path
        if place and target.suffix == ".md":
            assert place in places_of(target), (path, place)


def places_of(page):
    text = page.read_text("utf-8")
    heads = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    slugs = (re.sub(r"[^\w\- ]", "", head.lower()).strip() for head in heads)
    return {re.sub("[ ]", "-", slug) for slug in slugs} | set(
        re.findall(r'(?:id|name)="([^"]+)"', text)
    )


def test_each_name_of_the_reference_exists():
    page = (ROOT / "docs" / "api.md").read_text("utf-8")
    names = [
        name.rpartition(".")[::2] for name in re.findall(r"^::: ([\w.]+)$", page, re.MULTILINE)
    ]
    for module, row in re.findall(r"^\| `([\w.]+)` \| (.*?) \|", page, re.MULTILINE):
        names += [(module, name) for name in re.findall(r"`(\w+)`", row)]
    assert len(names) > 20
    assert [name for module, name in names if not hasattr(import_module(module), name)] == []
