"""What must be true of docs/audit.md: its code checks a record without this package."""

from __future__ import annotations

from pathlib import Path

import pytest

pytestmark = pytest.mark.slow  # a crawl

PAGE = (Path(__file__).parents[2] / "docs" / "audit.md").read_text("utf-8")


def test_the_chain_can_be_checked_without_this_package(recorded, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    block = PAGE.partition("no part of this package:\n")[2].partition("```python\n")[2]
    code = block.partition("```")[0]
    assert "sha256" in code
    data = recorded.path.read_bytes()
    path = tmp_path / "audit.jsonl"
    path.write_bytes(data)
    exec(code, {})
    path.write_bytes(data.replace(b'"passed"', b'"Passed"', 1))
    with pytest.raises(AssertionError):
        exec(code, {})
