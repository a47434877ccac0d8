"""The verdicts of tests/conformance as Python values. Knows the files' form; asks nobody."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from scrapy_robots_policy.rep import FetchResult

FOLDER = Path(__file__).parent.parent / "conformance"
DELAYS = FOLDER / "all-crawl-delays.jsonl"
LIVES = FOLDER / "all-lives.jsonl"


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
        if path not in (DELAYS, LIVES)
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


class Life(NamedTuple):
    """What came of the fetches of one robots.txt, and the mode by dialect after the last one."""

    fetches: tuple[tuple[float, FetchResult], ...]  # (seconds, what came)
    modes: dict[str, str]
    why: str


def lives() -> list[Life]:
    rows = map(json.loads, LIVES.read_text("utf-8").splitlines())
    return [
        Life(
            tuple((fetch["at"], _result(**fetch)) for fetch in row["fetches"]),
            row["modes"],
            f"{row['note']} [{row['source']}]",
        )
        for row in rows
    ]


def _result(
    at: float, status: int | None, body: str = "", media_type: str = "", redirects: int = 0
) -> FetchResult:
    hops = ("http://elsewhere.test/robots.txt",) * redirects
    return FetchResult(status, body.encode(), media_type=media_type, hops=hops)


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
