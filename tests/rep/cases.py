"""The verdicts of tests/conformance as Python values. Knows the files' form; asks nobody."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

FOLDER = Path(__file__).parent.parent / "conformance"


class Case(NamedTuple):
    """One file, and what must be answered to each question asked of it."""

    dialect: str
    robots: bytes
    ask: tuple[tuple[str, str, bool], ...]  # agent, url, allowed
    why: str


def examples() -> dict[str, Case]:
    """The worked examples, by "file:line"."""
    return {
        f"{path.stem}:{number}": _example(path.stem.partition("-")[0], json.loads(line))
        for path in sorted(FOLDER.glob("*.jsonl"))
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
    }


def _example(dialect: str, row: dict[str, Any]) -> Case:
    ask = tuple((agent, url, allowed) for agent, url, allowed in row["ask"])
    return Case(dialect, row["robots"].encode(), ask, f"{row['note']} [{row['source']}]")


def generated(dialect: str) -> Iterator[Case]:
    for row in _packed(f"{dialect}-generated"):
        robots = base64.b64decode(row["robots"])
        yield Case(dialect, robots, ((row["agent"], row["url"], row["allowed"]),), "generated")


def corpus_questions() -> Iterator[tuple[str, str, str, bool, int]]:
    """File name, agent, url, allowed, deciding line."""
    return (tuple(row) for row in _packed("google-corpus"))


def _packed(name: str) -> Iterator[Any]:
    with gzip.open(FOLDER / f"{name}.jsonl.gz", "rt") as lines:
        yield from map(json.loads, lines)
