"""What must be true of every verb, also of one that is new."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from scrapy_robots_policy.commands.command_line import VERBS

from .run import policy, robots
from .test_json_output import LINES, SCHEMA

ROOT = Path(__file__).parents[2]
PAGES = {page.name: page.read_text("utf-8") for page in (ROOT / "docs").glob("*.md")}
TESTS = "\n".join(path.read_text("utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
ARGUMENTS = {
    name: import_module(f"scrapy_robots_policy.{verb.module}").ARGUMENTS
    for name, verb in VERBS.items()
}
APART = {"audit"}  # it loads Scrapy; its JSON needs the record of a crawl: tests/audit


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("run", [policy, robots])
def test_the_help_shows_what_a_verb_is_for_with_its_options_statuses_and_examples(run, verb):
    assert f"  {verb} " in run("-h").out
    text = run(verb, "-h").out
    assert run("help", verb).out == text
    wanted = [*ARGUMENTS[verb].options, *ARGUMENTS[verb].examples, "\nexit status:\n  0  "]
    assert [words for words in wanted if words not in text] == []


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("run", [policy, robots])
def test_an_option_that_a_verb_does_not_have_is_one_sentence(run, verb):
    output = run(verb, "--no-such-option")
    assert (output.status, output.out, output.err.count("\n")) == (2, "", 1)
    assert "unknown option --no-such-option; see -h" in output.err


@pytest.mark.parametrize("verb", VERBS)
def test_the_docs_have_each_verb_and_its_options(verb):
    assert re.search(rf"`{verb}[` ]", PAGES["commands.md"])
    own = PAGES.get(f"{verb}.md", "") + PAGES["commands.md"]
    assert [option for option in ARGUMENTS[verb].options if option not in own] == []


@pytest.mark.parametrize("verb", [name for name in VERBS if "json" in ARGUMENTS[name].formats])
def test_what_a_verb_prints_as_json_has_a_schema_and_a_test_against_it(verb):
    assert {kind.split()[0] for kind in SCHEMA["$defs"]} >= {verb}
    assert {kind.split()[0] for kind, _ in LINES} | APART >= {verb}


@pytest.mark.parametrize("verb", VERBS)
def test_each_verb_is_run_by_a_test(verb):
    called = rf"""(?:policy|robots)\(\s*"{verb}"|["(]{verb} [^"]"""
    assert re.search(called, TESTS)


@pytest.mark.slow
def test_no_help_loads_what_is_slow_to_load():
    code = """
import sys
from scrapy_robots_policy.commands.command_line import main
for verb in sys.argv[1:]:
    main([verb, "-h"])
print(sorted({"scrapy", "twisted", "tldextract"} & set(sys.modules)))
"""
    names = [name for name in VERBS if name not in APART]
    done = subprocess.run([sys.executable, "-c", code, *names], capture_output=True, check=True)
    assert done.stdout.decode().splitlines()[-1] == "[]"
