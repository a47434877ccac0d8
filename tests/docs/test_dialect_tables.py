"""The pages about dialects agree with the data."""

from __future__ import annotations

import re
import runpy

from scrapy_robots_policy.rep import DIALECTS
from scrapy_robots_policy.rep.dialects.dialect import options
from scrapy_robots_policy.rep.dialects.options import CrawlDelay
from tests.house.test_purity import ROOT

TABLES = runpy.run_path(str(ROOT / "docs" / "dialect_tables.py"))


def test_no_page_is_stale():
    stale = [str(path.relative_to(ROOT)) for path in TABLES["stale_pages"]()]
    assert stale == [], "make table"


def test_every_option_is_explained():
    assert list(TABLES["OPTIONS"]) == list(options())


def test_each_dialect_has_a_row_in_short_and_a_section():
    page = TABLES["page"]()
    short = page.partition("## All dialects in short")[2].partition("\n## ")[0]
    assert re.findall(r"^\| \[`([\w-]+)`\]\(#\1\)", short, re.MULTILINE) == list(DIALECTS)
    assert [name for name in DIALECTS if f"\n## {name}\n" not in page] == []


def test_the_guide_speaks_of_every_dialect():
    guide = (ROOT / "docs" / "choosing-a-dialect.md").read_text("utf-8")
    assert {name for name in DIALECTS if f"`{name}`" not in guide} == set()
    assert set(re.findall(r"dialects\.md#([\w-]+)", guide)) <= set(DIALECTS)


def test_the_page_on_delays_names_the_dialects_that_read_them():
    text = " ".join((ROOT / "docs" / "waiting-and-delays.md").read_text("utf-8").split())
    ignored = {name for name, one in DIALECTS.items() if one.crawl_delay is CrawlDelay.IGNORED}
    assert "`rfc9309` and `bing` read Crawl-delay, `google` and `yandex` do not" in text
    assert ignored & {"rfc9309", "bing", "google", "yandex"} == {"google", "yandex"}
    assert "Only `seznam` reads Visit-time" in text
    assert [name for name, one in DIALECTS.items() if one.visit_time] == ["seznam"]
