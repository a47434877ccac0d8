"""The verdicts of tests/conformance as Python values. Knows the files' form; asks nobody."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

FOLDER = Path(__file__).parent.parent / "conformance"
DELAYS = FOLDER / "all-crawl-delays.jsonl"


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
        if path != DELAYS
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
    }


class Delays(NamedTuple):
    """One file, and the seconds between requests that each crawler is asked for."""

    dialects: tuple[str, ...]
    robots: bytes
    ask: tuple[tuple[str, float | None], ...]  # agent, seconds
    why: str


def delays() -> list[Delays]:
    rows = map(json.loads, DELAYS.read_text("utf-8").splitlines())
    return [
        Delays(
            tuple(row["dialects"]),
            row["robots"].encode(),
            tuple((agent, seconds) for agent, seconds in row["delay"]),
            f"{row['note']} [{row['source']}]",
        )
        for row in rows
    ]


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
