"""Checks the English of the docs: `make lint` runs it after codespell.

It prints each forbidden turn with its place and the reason, then one figure for each page and one
for all: words in a sentence, and Flesch's reading ease (100: very easy; 60: plain English; 30:
hard). It fails for a forbidden turn, and where a figure is worse than its bound. A bound is what
the pages have reached: it may be moved to easier, not to harder.
"""

# ruff: noqa: INP001, T201 - a script that prints
from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
TURNS = Path(__file__).parent / "forbidden_turns.tsv"
LONGEST_AVERAGE = 15.0  # words in a sentence, all pages together
LONGEST_PAGE_AVERAGE = 21.0
HARDEST = 75.0  # Flesch's reading ease, all pages together
FEWEST_SENTENCES = 5  # a page with fewer has no average

CODE = re.compile(r"^ *```.*?^ *```$|`[^`\n]*`|<!--.*?-->|<[^>\n]+>", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^ *(?:[#|>!].*|[-*] |\d+\. )|^:::.*\n(?: +.*\n)*|^$", re.MULTILINE)
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
SENTENCE = re.compile(r"(?<=[.!?])\s+|:\s*\n|\n\s*\n")
WORD = re.compile(r"[^\W\d_](?:[\w'’-]*\w)?")
VOWELS = re.compile(r"[aeiouy]+")


@dataclass(frozen=True)
class Counts:
    sentences: int = 0
    words: int = 0
    syllables: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.sentences + other.sentences,
            self.words + other.words,
            self.syllables + other.syllables,
        )

    @property
    def length(self) -> float:
        return self.words / max(self.sentences, 1)

    @property
    def ease(self) -> float:
        """Flesch, "A new readability yardstick", 1948."""
        return 206.835 - 1.015 * self.length - 84.6 * self.syllables / max(self.words, 1)


def pages() -> list[Path]:
    return [
        *(ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "SECURITY")),
        *sorted((ROOT / "docs").rglob("*.md")),
    ]


def without_code(text: str) -> str:
    """The same lines; a word of code becomes one short word, a block of code empty lines."""
    return CODE.sub(lambda match: "\n" * match[0].count("\n") or "code", text)


def forbidden(text: str, turns: list[tuple[str, str]]) -> Iterator[tuple[int, str, str]]:
    """(line, what stands there, why not) for each forbidden turn."""
    lines = without_code(text)
    for pattern, reason in turns:
        for match in re.finditer(pattern, lines, re.IGNORECASE):
            yield lines.count("\n", 0, match.start()) + 1, match[0], reason


def read_turns() -> list[tuple[str, str]]:
    rows = [row for row in TURNS.read_text("utf-8").splitlines() if row and row[0] != "#"]
    return [(pattern, reason) for pattern, _, reason in (row.partition("\t") for row in rows)]


def counts(text: str) -> Counts:
    """Of the prose: without code, headings and tables; an item of a list is a sentence at least."""
    prose = LINK.sub(r"\1", BLOCK.sub("\n\n", without_code(text)))
    sentences = [WORD.findall(sentence) for sentence in SENTENCE.split(prose)]
    sentences = [words for words in sentences if len(words) > 1]
    words = [word for sentence in sentences for word in sentence]
    return Counts(len(sentences), len(words), sum(map(syllables, words)))


def syllables(word: str) -> int:
    """Groups of vowels, without a silent e at the end."""
    lower = word.lower()
    count = len(VOWELS.findall(lower))
    return max(count - (lower.endswith("e") and not lower.endswith("le")), 1)


def main() -> int:
    faults, total, turns = 0, Counts(), read_turns()
    for page in pages():
        text, name = page.read_text("utf-8"), page.relative_to(ROOT)
        for line, words, reason in forbidden(text, turns):
            print(f"{name}:{line}: {words!r}: {reason}")
            faults += 1
        here = counts(text)
        total += here
        is_long = here.sentences >= FEWEST_SENTENCES and here.length > LONGEST_PAGE_AVERAGE
        faults += is_long
        mark = f"  more than {LONGEST_PAGE_AVERAGE:g} words in a sentence" * is_long
        print(f"{here.length:5.1f} words in a sentence, ease {here.ease:5.1f}  {name}{mark}")
    print(
        f"{total.length:5.1f} words in a sentence, ease {total.ease:5.1f}  all pages; "
        f"the bounds are {LONGEST_AVERAGE:g} and {HARDEST:g}"
    )
    return int(faults > 0 or total.length > LONGEST_AVERAGE or total.ease < HARDEST)


if __name__ == "__main__":
    sys.exit(main())
