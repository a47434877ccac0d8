"""What README says is so."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

from scrapy_robots_policy import settings

README = Path(__file__).parent.parent / "README.md"


def test_its_examples_answer_as_shown():
    failed, tried = doctest.testfile(str(README), module_relative=False)

    assert tried
    assert not failed


def test_its_table_has_exactly_the_settings_that_are_read():
    row = re.compile(r"^\| `(ROBOTS\w+)` \|", re.MULTILINE)
    name = re.compile(r'"(ROBOTS(?:TXT)?_[A-Z_]+)"')

    assert set(row.findall(README.read_text("utf-8"))) == set(
        name.findall(Path(settings.__file__).read_text("utf-8"))
    )
