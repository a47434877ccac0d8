"""docs/compared.md has no figure of its own: each one is measured, and stands in docs/speed.md."""

from __future__ import annotations

import re

from tests.docs.markdown import ROOT

FIGURE = re.compile(r"\d[\d.]* (?:± \d[\d.]* %|%|µs|ms)")


def figures(page: str) -> set[str]:
    return set(FIGURE.findall(" ".join((ROOT / "docs" / page).read_text("utf-8").split())))


def test_each_figure_stands_in_the_page_on_speed():
    assert figures("compared.md")
    assert figures("compared.md") - figures("speed.md") == set()
