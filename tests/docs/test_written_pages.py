"""What the docs say of the data is what the data says."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys

import pytest

from scrapy_robots_policy.rep import DIALECTS
from tests.docs.markdown import ROOT

_, _, TARGET = (ROOT / "Makefile").read_text("utf-8").partition("\ntable:")
SCRIPTS = re.findall(r"docs/\w+\.py", TARGET.partition("\n\n")[0])
WORDS = {12: "twelve", 13: "thirteen", 14: "fourteen"}


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS)
def test_make_table_would_change_no_page(script, tmp_path):
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    shutil.copytree(ROOT / "benchmarks" / "results", tmp_path / "benchmarks" / "results")
    subprocess.run([sys.executable, script], cwd=tmp_path, check=True)
    pages = [page.relative_to(ROOT) for page in (ROOT / "docs").rglob("*.md")]
    assert [p for p in pages if (tmp_path / p).read_bytes() != (ROOT / p).read_bytes()] == []


@pytest.mark.parametrize("page", ["README.md", "docs/compared.md"])
def test_a_page_that_counts_the_dialects_counts_right(page):
    text = (ROOT / page).read_text("utf-8")
    assert set(re.findall("|".join(WORDS.values()), text)) == {WORDS[len(DIALECTS)]}


@pytest.mark.parametrize("name", DIALECTS)
def test_each_dialect_stands_where_one_is_chosen(name):
    assert f"`{name}`" in (ROOT / "docs" / "choosing-a-dialect.md").read_text("utf-8")
