"""What docs/settings.md says is so."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

from scrapy_robots_policy.admission.concurrency import MAX_WAITING_PER_HOST
from scrapy_robots_policy.config import SETTINGS
from tests.house.sources import MODULES, text_of

DOCS = Path(__file__).parents[2] / "docs"
TABLE = runpy.run_path(str(DOCS / "settings_table.py"))
PAGE = (DOCS / "settings.md").read_text("utf-8")


def test_its_table_is_that_of_the_code():
    assert TABLE["with_table"](PAGE) == PAGE, "write it anew: make table"


def test_a_row_that_is_out_of_date_is_noticed():
    assert TABLE["with_table"](PAGE.replace("| `ROBOTS_TTL` |", "| `ROBOTS_TLL` |")) == PAGE


def test_no_module_reads_a_setting_that_is_not_in_the_table():
    name = re.compile(r'["\'](ROBOTS(?:TXT)?_[A-Z_]+)["\']')
    names = {read for module in MODULES for read in name.findall(text_of(module))}
    assert names - {"ROBOTS_"} == set(SETTINGS)


def test_it_names_each_attribute_of_a_spider():
    attributes = {setting.attribute for setting in SETTINGS.values()} - {""}
    assert {name for name in attributes if f"`{name}`" not in PAGE} == set()


def test_it_says_how_many_requests_of_one_host_may_wait():
    assert (
        f"one host has {MAX_WAITING_PER_HOST} of them at most"
        in SETTINGS["ROBOTS_MAX_WAITING"].meaning
    )
