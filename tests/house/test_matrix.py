"""What must be true of the matrix of plugins: what it calls a fault, and what its page has."""

from __future__ import annotations

from pathlib import Path

import pytest

from matrix import __main__ as matrix
from matrix.crawls import Seen
from matrix.entries import ENTRIES, Entry
from matrix.page import INTRODUCTION
from matrix.results import Crawled, compare
from tests.site import Hit

ROOT = Path(__file__).parents[2]
PAGE = {"host": "127.0.0.1:1", "user-agent": "a"}
ROBOTS_TXT = {"host": "127.0.0.1:1", "user-agent": "a"}


def crawled(*hits, warnings=()):
    """`hits` are (path, headers)."""
    seen = Seen(warnings=list(warnings), versions={"Scrapy": "1"})
    return Crawled([Hit(path, headers, 0.0, 0.0) for path, headers in hits], seen)


OFF = crawled(("/a", PAGE), ("/private/c", PAGE))
STOCK = crawled(("/robots.txt", ROBOTS_TXT), ("/a", PAGE))

CRAWLS = {
    "": [("/robots.txt", ROBOTS_TXT), ("/a", {**PAGE, "host": "127.0.0.1:2"})],
    "pages": [("/robots.txt", ROBOTS_TXT), ("/a", PAGE), ("/private/c", PAGE)],
    "the headers of pages differ": [("/robots.txt", ROBOTS_TXT), ("/a", {**PAGE, "x": "1"})],
    "no robots.txt was fetched": [("/a", PAGE)],
    "2 requests for robots.txt": [*[("/robots.txt", ROBOTS_TXT)] * 2, ("/a", PAGE)],
    "authorization was sent": [
        ("/robots.txt", {**ROBOTS_TXT, "authorization": "a"}),
        ("/a", PAGE),
    ],
    "x was sent empty": [("/robots.txt", {**ROBOTS_TXT, "x": ""}), ("/a", PAGE)],
}


@pytest.mark.parametrize("fault", CRAWLS)
def test_a_difference_is_a_fault(fault):
    ours = crawled(*CRAWLS[fault])
    row = compare(Entry("a", "plain"), {"off": OFF, "stock": STOCK, "ours": ours})
    assert fault in "; ".join(row.faults) if fault else row.faults == ()


@pytest.mark.parametrize("nothing", ["no page was fetched at all", "no forbidden page"])
def test_a_crawl_that_shows_nothing_is_a_fault(nothing):
    off = crawled() if nothing.startswith("no page") else crawled(("/a", PAGE))
    row = compare(Entry("a", "plain"), {"off": off, "stock": STOCK, "ours": STOCK})
    assert any(fault.startswith(nothing) for fault in row.faults)


def test_a_warning_that_no_other_crawl_has_is_shown():
    ours = crawled(warnings=["a", "b", "b"])
    row = compare(
        Entry("a", "plain"), {"off": crawled(warnings=["a"]), "stock": STOCK, "ours": ours}
    )
    assert row.warnings == ("b",)


def test_each_entry_has_a_project_and_a_line_in_the_docs():
    text = (ROOT / "docs" / "matrix.md").read_text("utf-8")
    for entry in ENTRIES:
        assert (ROOT / "matrix" / "projects" / f"{entry.module}.py").exists()
        assert f"\n| {entry.name} | Scrapy " in text, "make matrix"


def test_the_page_has_the_text_of_its_template():
    text = (ROOT / "docs" / "matrix.md").read_text("utf-8")
    paragraphs = INTRODUCTION.replace("{{", "{").replace("}}", "}").split("\n\n")
    assert [one for one in paragraphs if "{day}" not in one and one not in text] == []


@pytest.mark.parametrize("is_installed", [True, False])
def test_the_page_is_not_written_without_the_entries_that_were_left_out(
    is_installed, monkeypatch, tmp_path
):
    page = tmp_path / "matrix.md"
    row = compare(Entry("a", "plain"), {"off": OFF, "stock": STOCK, "ours": STOCK})
    monkeypatch.setattr("sys.argv", ["matrix"])
    monkeypatch.setattr(matrix, "ROOT", tmp_path)
    monkeypatch.setattr(matrix, "DOCS", page)
    monkeypatch.setattr(matrix, "ENTRIES", [row.entry, Entry("b", "plain", needs=("chromium",))])
    monkeypatch.setattr(matrix, "which", lambda _: "chromium" if is_installed else None)
    monkeypatch.setattr(matrix, "_python_of", lambda entry, fresh: None)
    monkeypatch.setattr(matrix, "_run", lambda entry, python: row)
    assert matrix.main() == 0
    assert page.exists() == is_installed
