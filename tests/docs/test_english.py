"""The English of the docs, and of docstrings and comments: what the check sees and leaves alone."""

from __future__ import annotations

import ast
import re
import runpy
import tokenize

import pytest

from tests.docs.markdown import ROOT
from tests.house.sources import MODULES, PACKAGE, nodes_of

CHECK = runpy.run_path(str(ROOT / "docs" / "english" / "check.py"))
TURNS = CHECK["read_turns"]()
COUNTS = CHECK["counts"]


@pytest.mark.parametrize("text", ["Lest it fails.", "This is\nof course a knob.", "It was told."])
def test_a_forbidden_turn_is_reported_with_its_line(text):
    places = list(CHECK["forbidden"](f"# Title\n\n{text}", TURNS))
    assert places
    assert all(line >= 3 and words and reason for line, words, reason in places)


@pytest.mark.parametrize(
    "text", ["`told`", "```console\n$ told\n```\n", "<!-- told -->", "It holds."]
)
def test_code_and_other_words_are_left_alone(text):
    assert list(CHECK["forbidden"](text, TURNS)) == []


def test_each_turn_can_be_read_and_has_a_reason():
    assert all(re.compile(pattern) and reason for pattern, reason in TURNS)


@pytest.mark.parametrize(
    ("text", "sentences", "words"),
    [
        ("One two three. Four five six!", 2, 6),
        ("# A title\n\nOne two three.", 1, 3),
        ("| a | table |\n| --- | --- |\n\nOne two.", 1, 2),
        ("- one two\n- three [four](five.md)", 2, 4),
        ("One `code` two.\n\n```python\nx = 1\n```\n", 1, 3),
    ],
)
def test_sentences_and_words_are_those_of_the_prose(text, sentences, words):
    counts = COUNTS(text)
    assert (counts.sentences, counts.words) == (sentences, words)


def test_long_words_and_long_sentences_are_harder():
    easy = COUNTS("The cat sat. The dog ran.")
    hard = COUNTS(
        "Notwithstanding considerations of interoperability, implementations deteriorate."
    )
    assert hard.ease < 0
    assert easy.ease > 100
    assert hard.length > easy.length


def prose_of(module):
    """The docstrings and comments of a module."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    nodes = (node for node in nodes_of(module) if isinstance(node, documented))
    yield from filter(None, map(ast.get_docstring, nodes))
    with tokenize.open(module) as file:
        tokens = tokenize.generate_tokens(file.readline)
        yield from (token.string for token in tokens if token.type == tokenize.COMMENT)


@pytest.mark.slow
def test_docstrings_and_comments_have_no_forbidden_turn():
    turns = (
        (str(module.relative_to(PACKAGE)), *words)
        for module in MODULES
        for text in prose_of(module)
        for _, *words in CHECK["forbidden"](text, TURNS)
    )
    assert list(turns) == []
