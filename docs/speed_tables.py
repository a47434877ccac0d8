"""Puts what benchmarks have printed (benchmarks/results/) into the docs: `make table`."""

from __future__ import annotations

import re
from pathlib import Path

PAGES = [Path(__file__).parent / name for name in ("speed.md", "compared.md")]
RESULTS = Path(__file__).parent.parent / "benchmarks" / "results"
# A page may show some parts of a file alone, which blank lines divide: <!-- engine.md 0 1:begin -->
MARKED = re.compile(
    r"(<!-- (?P<name>[\w.]+)(?P<parts>(?: \d+)*):begin -->\n).*?(<!-- (?P=name):end -->)", re.DOTALL
)


def with_results(text: str) -> str:
    return MARKED.sub(lambda match: match[1] + _shown(match) + match[4], text)


def _shown(match: re.Match[str]) -> str:
    """Markdown as it is, other output as a block."""
    path = RESULTS / match["name"]
    text = path.read_text("utf-8").strip("\n")
    if match["parts"]:
        parts = text.split("\n\n")
        text = "\n\n".join(parts[int(at)] for at in match["parts"].split())
    if path.suffix == ".md":
        return f"\n{text}\n\n"
    return f"<!-- not run: figures -->\n```text\n{text}\n```\n"


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(with_results(page.read_text("utf-8")), "utf-8")
