"""The pages about dialects agree with the data."""

from __future__ import annotations

import doctest
import re
import runpy

from scrapy_robots_policy.rep import DIALECTS
from scrapy_robots_policy.rep.dialects.dialect import options
from tests.test_purity import ROOT

TABLES = runpy.run_path(str(ROOT / "docs" / "dialect_tables.py"))


def test_no_page_is_stale():
    stale = [str(path.relative_to(ROOT)) for path in TABLES["stale_pages"]()]
    assert stale == [], "make table"


def test_every_option_is_explained():
    assert list(TABLES["OPTIONS"]) == list(options())


def test_the_short_table_is_put_between_its_marks_and_nowhere_else():
    begin, end = TABLES["BEGIN"], TABLES["END"]
    assert TABLES["with_table"]("no marks") == "no marks"
    filled = TABLES["with_table"](f"a\n{begin}\nold\n{end}\nb")
    assert filled == f"a\n{begin}\n{TABLES['short_table']()}\n{end}\nb"
    assert TABLES["with_table"](filled) == filled


def test_the_guide_speaks_of_every_dialect():
    guide = (ROOT / "docs" / "choosing-a-dialect.md").read_text("utf-8")
    assert {name for name in DIALECTS if f"`{name}`" not in guide} == set()
    assert set(re.findall(r"dialects\.md#([\w-]+)", guide)) <= set(DIALECTS)


def test_the_guides_examples_answer_as_shown():
    guide = ROOT / "docs" / "choosing-a-dialect.md"
    failed, tried = doctest.testfile(str(guide), module_relative=False)
    assert tried
    assert not failed
