"""Puts what benchmarks have printed (benchmarks/results/) into the docs: `make table`."""

from __future__ import annotations

import re
from pathlib import Path

PAGES = [Path(__file__).parent / name for name in ("speed.md", "compared.md")]
RESULTS = Path(__file__).parent.parent / "benchmarks" / "results"
MARKED = re.compile(r"(<!-- (?P<name>[\w.]+):begin -->\n).*?(<!-- (?P=name):end -->)", re.DOTALL)


def with_results(text: str) -> str:
    return MARKED.sub(lambda match: match[1] + shown(RESULTS / match["name"]) + match[3], text)


def shown(path: Path) -> str:
    """Markdown as it is, other output as a block."""
    text = path.read_text("utf-8").strip("\n")
    if path.suffix == ".md":
        return f"\n{text}\n\n"
    return f"<!-- not run: figures -->\n```text\n{text}\n```\n"


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(with_results(page.read_text("utf-8")), "utf-8")
