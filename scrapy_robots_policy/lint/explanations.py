"""What a finding is, why it matters and how to fix it: the texts of rules.md."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from types import MappingProxyType

_SECTION = re.compile(r"^### (R\d{3})\n(.*?)(?=^### |\Z)", re.MULTILINE | re.DOTALL)
_EXAMPLE = re.compile(r"^```robots ?(\w*)\n(.*?)^```\n?", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Example:
    """A file in which a kind of finding is found, and the dialect that finds it."""

    dialect: str
    text: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """The text about one kind of finding, in Markdown without headings.

    why  the reason, in one paragraph or some
    fix  what to do, in one paragraph
    """

    why: str
    fix: str
    examples: tuple[Example, ...]


@lru_cache(maxsize=1)
def explanations() -> Mapping[str, Explanation]:
    """By code. The file is read once, when somebody asks for it."""
    text = files(__package__).joinpath("rules.md").read_text("utf-8")
    return MappingProxyType({code: _read(body) for code, body in _SECTION.findall(text)})


def _read(body: str) -> Explanation:
    why, _, fix = _EXAMPLE.sub("", body).partition("\n\nFix: ")
    examples = (Example(dialect or "rfc9309", text) for dialect, text in _EXAMPLE.findall(body))
    return Explanation(_joined(why), _joined(fix), tuple(examples))


def _joined(text: str) -> str:
    """Paragraphs on one line each."""
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n") if part.strip())
