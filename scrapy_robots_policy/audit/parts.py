"""The parts of crawls that were read: is each crawl there, from its first line to its sums?"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

from ..rep.escapes import brief
from .chain import START
from .fields import left_out
from .reading import LAST, RecordFile

MAX_REASON = 100  # characters that are counted; all known ones are shorter
_NUMBER = attrgetter("number")


@dataclass(slots=True)
class Part:
    """A part of a crawl, and how it begins and ends. A file has one, or several that were joined.

    left_out  what the user has kept out of it, in words; "": nothing
    line, hash, last_type  number, hash and type of its latest line
    counts    its lines, by the names that they have in the sums; `sums`: those at its end
    """

    path: Path
    crawl: str
    number: int
    prev: str
    left_out: str
    line: int = 0
    hash: str = ""
    last_type: str = ""
    counts: Counter[str] = field(default_factory=Counter)
    sums: Mapping[str, int] = field(default_factory=dict)

    def add(self, fields: Mapping[str, Any], line: int) -> None:
        self.line, self.hash, self.last_type = line, fields["hash"], fields["type"]
        name = _name_in_sums(fields)
        if name:
            self.counts[name] += 1
        elif self.last_type == "end":
            self.sums = fields["sums"]

    @property
    def is_cut(self) -> bool:
        return self.last_type not in LAST


def add_line(parts: list[Part], file: RecordFile, fields: Mapping[str, Any]) -> None:
    """Add the latest line of a file to the parts."""
    if fields["type"] == "crawl":
        part = Part(file.path, fields["crawl"], fields["part"], fields["prev"], left_out(fields))
        parts.append(part)
    parts[-1].add(fields, file.lines)


def notes_on(parts: Sequence[Part]) -> Iterator[str]:
    """What is no error, and a reader should know."""
    for part in parts:
        if part.left_out:
            yield f"{part.path}: {part.left_out}"
    for _, of_file in groupby(parts, key=lambda part: part.path):
        yield from _cuts(*of_file)
    yield from _copies(parts)
    for part, before in _astray(parts):
        if before is None:
            yield f"{part.path} is part {part.number}; the parts before are not here"
    begins = {part.prev for part in parts}
    for part in parts:
        if part.last_type == "continued" and part.hash not in begins:
            yield f"{part.path} goes on in another file, which is not here"


def _cuts(*of_file: Part) -> Iterator[str]:
    *joined, last = of_file
    for part in joined:
        if part.is_cut:
            yield (
                f"{part.path}: the crawl that ends at line {part.line} has no sums: it was killed "
                "or cut, or the disk was full"
            )
    if last.is_cut:
        yield (
            f"{last.path} ends without the sums of the crawl: it was killed, it still runs, "
            "or its disk was full"
        )


def _copies(parts: Sequence[Part]) -> Iterator[str]:
    firsts: dict[tuple[str, int], Part] = {}
    for part in parts:
        first = firsts.setdefault((part.crawl, part.number), part)
        if first is not part:
            yield f"{part.path} has the same part of a crawl as {first.path}: it counts twice"


def errors_in(parts: Sequence[Part]) -> Iterator[str]:
    """Where something was taken out."""
    for part, before in _astray(parts):
        if before is not None:
            yield (
                f"{part.path}: it is part {part.number} of its crawl, and does not follow "
                f"{before.path}: a part was taken out or cut"
            )
    crawls: dict[str, dict[int, Part]] = {}
    for part in parts:
        crawls.setdefault(part.crawl, {})[part.number] = part
    for crawl in crawls.values():
        yield from _wrong_sums(crawl)


def _astray(parts: Sequence[Part]) -> Iterator[tuple[Part, Part | None]]:
    """The parts that go on from lines that are not here, each with the part before it, if any."""
    ends = {START, *(part.hash for part in parts)}
    crawls: dict[str, list[Part]] = {}
    for part in sorted(parts, key=_NUMBER):
        crawls.setdefault(part.crawl, []).append(part)
    for part in parts:
        if part.prev not in ends:
            before = bisect_left(crawls[part.crawl], part.number, key=_NUMBER)
            yield part, crawls[part.crawl][before - 1] if before else None


def _wrong_sums(crawl: Mapping[int, Part]) -> Iterator[str]:
    """Sums that do not match the lines of a crawl, if all of its parts are here."""
    last = crawl[max(crawl)]
    if last.last_type != "end" or len(crawl) != last.number:
        return
    counted = sum((part.counts for part in crawl.values()), Counter[str]())
    for name in sorted({*last.sums, *counted}):
        is_kept = not last.left_out or name not in ("passed", "exempt")
        if is_kept and counted[name] != last.sums.get(name, 0):
            yield (
                f"{last.path}: its sums tell of {last.sums.get(name, 0):,} lines of "
                f"{brief(name)!r}, and there are {counted[name]:,}"
            )


def _name_in_sums(fields: Mapping[str, Any]) -> str:
    """The name by which the sums count a line; "" if they do not."""
    kind = fields["type"]
    if kind != "decision":
        return {"robots": "robots", "page": "pages_with_preferences"}.get(kind, "")
    if "exempt" in fields:
        return "exempt"
    return "passed" if fields["verdict"] == "passed" else f"refused/{fields['reason'][:MAX_REASON]}"
