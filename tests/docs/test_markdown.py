"""The blocks of a page are read with their comments, and none is missed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.markdown import ROOT, blocks, prints_as_shown

PAGE = ROOT / "docs" / "page.md"


def only(text):
    (block,) = blocks(PAGE, text)
    return block


@pytest.mark.parametrize(
    ("before", "note"),
    [
        ("", ""),
        ("<!-- not run: it rains -->\n", "not run: it rains"),
        ("<!-- not run: it rains -->\n\n", "not run: it rains"),
        ("<!-- not run: it rains -->\n\nA sentence between.\n\n", ""),
        ("<!-- something else -->\n", ""),
        ("<!-- console blocks: not run: it rains -->\n\nText.\n\n", "not run: it rains"),
        ("<!-- python blocks: not run: it rains -->\n", ""),
    ],
)
def test_a_comment_is_for_the_block_right_after_it_or_for_its_language(before, note):
    assert only(f"{before}```console\n$ ls\n```\n").note == note


def test_a_block_has_its_line_its_title_and_its_runner():
    block = only('One.\n\n<!-- run by tests/x.py -->\n```yaml title="a/b.yaml"\na: 1\n```\n')
    assert (block.line, block.language, block.title) == (4, "yaml", "a/b.yaml")
    assert block.runner == Path(ROOT / "tests/x.py")
    assert block.text == "a: 1\n"


def test_a_block_in_a_list_and_one_without_a_language_are_blocks_too():
    text = "- item\n\n    ```python\n    x = 1\n    ```\n\n```\nplain\n```\n"
    assert [block.language for block in blocks(PAGE, text)] == ["python", ""]


def test_the_steps_of_a_session_are_its_commands_with_what_they_print():
    block = only("```console\n$ one \\\n  two\nprinted $ 5\n$ three\n```\n")
    assert block.steps == [("one   two", "printed $ 5\n"), ("three", "")]


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("a\nb\n", "a\nb\n", True),
        ("a\n", "a\nb\n", False),
        ("a\n…\n", "a\nb\nc\n", True),
        ("…\nc\n", "a\nb\nd\n", False),
        ("a.c\n", "abc\n", False),
    ],
)
def test_what_is_shown_is_all_that_is_printed_but_for_dots(shown, printed, same):
    assert prints_as_shown(shown, printed) is same
