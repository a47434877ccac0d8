"""docs/api.md has each public name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import scrapy_robots_policy
from scrapy_robots_policy import rep

PAGE = (Path(__file__).parent.parent / "docs" / "api.md").read_text("utf-8")
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
