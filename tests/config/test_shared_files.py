"""What must be true of the files that settings name: each has one writer."""

from __future__ import annotations

from pathlib import Path

import pytest

from scrapy_robots_policy.config.kinds import SettingError
from scrapy_robots_policy.config.own_files import refuse_shared_file
from tests.missing import not_on_windows

FILES = [("ROBOTS_REPORT", Path("Page.json")), ("ROBOTS_AUDIT", Path("page.JSON"))]


@not_on_windows
def test_names_that_differ_by_case_are_two_files():
    refuse_shared_file(FILES)


def test_names_that_differ_by_case_are_one_file_on_windows(monkeypatch):
    monkeypatch.setattr("os.path.normcase", str.lower)  # as there
    with pytest.raises(SettingError, match="ROBOTS_REPORT and ROBOTS_AUDIT both write"):
        refuse_shared_file(FILES)
