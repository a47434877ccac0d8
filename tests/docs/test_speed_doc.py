"""docs/speed.md shows what the benchmarks have printed, and nothing older."""

from __future__ import annotations

import runpy

from tests.docs.markdown import ROOT

TABLES = runpy.run_path(str(ROOT / "docs" / "speed_tables.py"))


def test_the_page_shows_the_results_of_the_benchmarks():
    text = TABLES["PAGE"].read_text("utf-8")
    assert TABLES["with_results"](text) == text, "write it anew: make table"


def test_each_result_stands_in_the_page():
    text = TABLES["PAGE"].read_text("utf-8")
    names = [path.name for path in TABLES["RESULTS"].iterdir()]
    assert [name for name in names if f"<!-- {name}:end -->" not in text] == []
