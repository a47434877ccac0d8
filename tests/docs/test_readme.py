"""What README says is so. Its blocks of code are run in `test_docs_blocks`."""

from __future__ import annotations

import re
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"


def test_its_links_have_targets():
    linked = re.findall(r"\]\((?!https?:)([^)#]+)", README.read_text("utf-8"))
    assert {"docs/commands.md", "docs/lint.md", "docs/page-rules.md"} <= set(linked)
    assert [path for path in linked if not (README.parent / path).exists()] == []
