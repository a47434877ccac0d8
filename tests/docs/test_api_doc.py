"""docs/api.md has each public name, and each name that another page imports."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

import scrapy_robots_policy
from scrapy_robots_policy import rep
from tests.docs.markdown import PAGES

PAGE = (Path(__file__).parents[2] / "docs" / "api.md").read_text("utf-8")
DESCRIBED = set(re.findall(r"^::: ([\w.]+)$", PAGE, re.MULTILINE))
IN_PROSE = {"DIALECTS", "Origin", "Outcome", "Record", "Stance"}


@pytest.mark.parametrize(
    "package", [scrapy_robots_policy, rep], ids=lambda package: package.__name__
)
def test_it_has_each_public_name_and_no_other(package):
    public = {f"{package.__name__}.{name}" for name in set(package.__all__) - IN_PROSE}
    described = {name for name in DESCRIBED if name.rpartition(".")[0] == package.__name__}
    assert described == public


def test_names_without_a_section_are_explained_in_a_sentence():
    assert [name for name in IN_PROSE if f"`{name}`" not in PAGE] == []


IMPORT = re.compile(r"\bfrom (scrapy_robots_policy[\w.]*) import ([\w, ]*\w)")
IN_TABLE = re.findall(r"^\| `([\w.]+)` \| (.*?) \|", PAGE, re.MULTILINE)


def test_a_name_that_a_page_imports_is_public():
    public = {
        f"{module}.{name}" for module, names in IN_TABLE for name in re.findall(r"`(\w+)`", names)
    }
    public |= {module for module, names in IN_TABLE if names == "all"} | DESCRIBED
    public |= {f"{rep.__name__}.{name}" for name in IN_PROSE}
    imported = {
        f"{module}.{name}"
        for page in PAGES
        for module, names in IMPORT.findall(page.read_text("utf-8"))
        for name in names.split(", ")
    }
    assert imported - public == set()


@pytest.mark.parametrize(("module", "names"), IN_TABLE)
def test_a_name_of_the_table_exists(module, names):
    assert [
        name for name in re.findall(r"`(\w+)`", names) if not hasattr(import_module(module), name)
    ] == []


def test_its_data_frame_has_a_column_for_each_dialect():
    pytest.importorskip("pandas", reason="pandas is not installed: pip install pandas")
    (code,) = re.findall(r"```python\n(import pandas\n.*?)```", PAGE, re.DOTALL)
    names = {"urls": ["/x", "/y"], "robots_txt": b"User-agent: *\nDisallow: /x\n"}
    exec(code, names)
    assert len(names["frame"]) == 8
    assert list(names["disagreement"].columns) == ["bing", "google"]
