"""The blocks of code in the Markdown pages of this project, and the comments that speak of them.

A comment right before a block says why it is not run as the others are:

    <!-- not run: WHY -->            it cannot be run here
    <!-- run by tests/PATH.py -->    the test of that name reads and runs it

The same comment with a language (`<!-- robots blocks: run by tests/PATH.py -->`) holds for all
blocks of that language on the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    [*(ROOT / "docs").rglob("*.md"), *(ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING"))]
)

_FENCE = re.compile(
    r"(?:^ *<!-- (?P<note>(?:not run: |run by )[^\n]*?) -->\n+)?"
    r"^(?P<indent> *)```(?P<language>\w*)(?P<info>[^\n]*)\n(?P<text>.*?)^(?P=indent)```$",
    re.MULTILINE | re.DOTALL,
)
_FOR_ALL = re.compile(r"^<!-- (\w+) blocks: ((?:not run: |run by )[^\n]*) -->$", re.MULTILINE)
_TITLE = re.compile(r'title="([^"]+)"')


@dataclass(frozen=True)
class Block:
    """One block.

    line   where it begins, from 1
    title  the path of the file that it shows, or ""
    note   what the comment says, without its marks, or ""
    """

    page: Path
    line: int
    language: str
    title: str
    note: str
    text: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"

    @property
    def steps(self) -> list[tuple[str, str]]:
        """The commands of a console session, each with the text that it prints."""
        texts = re.split(r"^\$ ", self.text.replace("\\\n", ""), flags=re.MULTILINE)[1:]
        return [(one.partition("\n")[0], one.partition("\n")[2]) for one in texts]


def blocks(page: Path, text: str = "") -> Iterator[Block]:
    text = text or page.read_text("utf-8")
    for_all = dict(_FOR_ALL.findall(text))
    for match in _FENCE.finditer(text):
        language, title = match["language"], _TITLE.search(match["info"])
        yield Block(
            page,
            text.count("\n", 0, match.start("language")) + 1,
            language,
            title[1] if title else "",
            match["note"] or for_all.get(language, ""),
            match["text"],
        )


def prints_as_shown(shown: str, printed: str) -> bool:
    """Whether a command prints what a page shows; `…` stands for any text."""
    pattern = ".*".join(re.escape(part.strip("\n")) for part in shown.split("…"))
    return re.fullmatch(pattern, printed.strip("\n"), re.DOTALL) is not None
