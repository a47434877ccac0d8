"""What must be true of docs/audit.md: it names each field of each line, and its code works."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from scrapy_robots_policy.config import SETTINGS
from tests.audit.records import SCHEMA, record

PAGE = (Path(__file__).parents[2] / "docs" / "audit.md").read_text("utf-8")
OF_ALL_LINES = {"type", "prev", "hash"}


def section(kind):
    title = "### `continued` and `end`" if kind == "end" else f"### `{kind}`"
    return PAGE.partition(title)[2].partition("\n#")[0]


@pytest.mark.parametrize("kind", ["crawl", "dialect", "robots", "decision", "page", "end"])
def test_each_field_is_described(kind):
    rows = re.findall(r"^\| (`.*?`) \|", section(kind), re.MULTILINE)
    described = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert described == set(SCHEMA["$defs"][kind]["properties"]) - OF_ALL_LINES


def test_each_reason_is_named():
    reasons = SCHEMA["$defs"]["decision"]["properties"]["reason"]["enum"]
    row = next(line for line in PAGE.splitlines() if line.startswith("| `reason`"))
    assert re.findall(r"`(\w+)`", row)[1:] == reasons


def test_its_settings_exist():
    named = set(re.findall(r"^\| `(ROBOTS_\w+)` \|", PAGE, re.MULTILINE))
    assert named == {name for name in SETTINGS if name.startswith("ROBOTS_AUDIT")} | {
        "ROBOTS_APPROVED",
        "ROBOTS_KEEP_VERDICTS",
    }


def test_the_chain_can_be_checked_without_this_package(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    block = PAGE.partition("no part of this package:\n")[2].partition("```python\n")[2]
    code = block.partition("```")[0]
    assert "sha256" in code
    (path,) = record(tmp_path / "audit.jsonl")
    exec(code, {})
    path.write_bytes(path.read_bytes().replace(b'"passed"', b'"Passed"', 2))
    with pytest.raises(AssertionError):
        exec(code, {})
