"""Checks files of a record: the chain of each, how they join, and every decision anew."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..rep import DIALECTS, Dialect
from .chain import START
from .dialect_data import data_of, fingerprint
from .fields import left_out
from .reading import AuditError, RecordFile, UnreadableError
from .replay import Answers, Replay, ReplayError

STEP = 10_000  # lines between two looks at how far it is


@dataclass(frozen=True, slots=True)
class Difference:
    """A decision that is not the same now."""

    path: Path
    line: int
    url: str
    answers: Answers


@dataclass(slots=True)
class Checked:
    """What came of a check.

    lines      lines read; `decisions` of them decided anew, `exempt` rest on no robots.txt
    differ     decisions whose answer is not the same
    changed    decisions that would have gone the other way
    unknown    decisions for which another dialect would have fetched more than the record has
    notes      what is no error, and a reader should know
    errors     files that are broken
    hashes     the hash of the last good line of each file that has one
    """

    lines: int = 0
    decisions: int = 0
    exempt: int = 0
    robots: int = 0
    differ: int = 0
    changed: int = 0
    unknown: int = 0
    notes: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    hashes: dict[Path, str] = field(default_factory=dict)


@dataclass(slots=True)
class _Part:
    """A part of a crawl, and how it begins and ends. A file has one, or several that were joined.

    line, hash, last  number, hash and type of its latest line
    counts  its lines, by the names that they have in the sums; `sums`: those at its end
    """

    path: Path
    crawl: str
    number: int
    prev: str
    has_all: bool
    line: int = 0
    hash: str = ""
    last: str = ""
    counts: Counter[str] = field(default_factory=Counter)
    sums: Mapping[str, int] = field(default_factory=dict)

    def take(self, fields: Mapping[str, Any], line: int) -> None:
        self.line, self.hash, self.last = line, fields["hash"], fields["type"]
        name = _name_in_sums(fields)
        if name:
            self.counts[name] += 1
        elif self.last == "end":
            self.sums = fields["sums"]

    @property
    def is_cut(self) -> bool:
        return self.last not in ("end", "continued")


class Check:
    """One check of several files. `other`: decide in this dialect instead of the recorded ones.

    on_difference  called with each
    on_progress    called every few thousand lines with the file and the lines read in all
    """

    def __init__(
        self,
        other: Dialect | None,
        on_difference: Callable[[Difference], None],
        on_progress: Callable[[RecordFile, int], None],
    ) -> None:
        self.other = other
        self.on_difference, self.on_progress = on_difference, on_progress
        self.checked = Checked()
        self._parts: list[_Part] = []

    def run(self, paths: Iterable[Path]) -> Checked:
        """UnreadableError at a file that cannot be read: there is nothing to say about it."""
        for path in paths:
            file = RecordFile(path)
            try:
                self._file(file)
            except UnreadableError:
                raise
            except AuditError as error:
                self.checked.errors.append(str(error))
            if file.hash != START:
                self.checked.hashes[path] = file.hash
        self._join()
        self._check_sums()
        return self.checked

    def _file(self, file: RecordFile) -> None:
        parts: list[_Part] = []
        with closing(Replay(self.other)) as replay:
            for fields in file:
                self._line(file, fields, replay)
                if fields["type"] == "crawl":
                    parts.append(_part(file.path, fields))
                    if words := left_out(fields):
                        self._note(f"{file.path}: {words}")
                parts[-1].take(fields, file.lines)
            self._note_changes(replay)
        self._parts += parts
        if file.is_torn:
            self._note(f"{file.path} is good up to line {file.lines}; what follows was cut off")
        self._note_cuts(parts)

    def _line(self, file: RecordFile, fields: dict[str, Any], replay: Replay) -> None:
        checked = self.checked
        checked.lines += 1
        if checked.lines % STEP == 0:
            self.on_progress(file, checked.lines)
        try:
            answers = replay.read(fields)
        except ReplayError as error:
            raise file.error(str(error)) from None
        checked.robots += fields["type"] == "robots"
        if answers is None:
            checked.exempt += fields["type"] == "decision"
            return
        checked.decisions += 1
        if answers.now is None:
            checked.unknown += 1
        elif not answers.agree:
            checked.differ += 1
            checked.changed += answers.changes
            self.on_difference(Difference(file.path, file.lines, fields["url"], answers))

    def _note_cuts(self, parts: list[_Part]) -> None:
        *joined, last = parts
        for part in joined:
            if part.is_cut:
                self._note(
                    f"{part.path}: the crawl that ends at line {part.line} has no sums: it was "
                    "killed, or cut"
                )
        if last.is_cut:
            self._note(
                f"{last.path} ends without the sums of the crawl: it was killed, or it still runs"
            )

    def _note_changes(self, replay: Replay) -> None:
        for name, recorded in replay.fingerprints.items():
            dialect = DIALECTS.get(name)
            if dialect is not None and fingerprint(data_of(dialect)) != recorded:
                self._note(
                    f"the dialect {name} has changed since: the record was made with {recorded}, "
                    "whose options are in the file and were used"
                )

    def _join(self) -> None:
        """Whether files that go on from each other are all there."""
        ends = {part.hash for part in self._parts}
        begins = {part.prev for part in self._parts}
        for part in self._parts:
            if part.prev != START and part.prev not in ends:
                before = [
                    other.path
                    for other in self._parts
                    if other.crawl == part.crawl and other.number < part.number
                ]
                if before:
                    self.checked.errors.append(
                        f"{part.path}: it is part {part.number} of its crawl, and does not follow "
                        f"{before[-1]}: a part was taken out or cut"
                    )
                else:
                    self._note(f"{part.path} is part {part.number}; the parts before are not here")
            if part.last == "continued" and part.hash not in begins:
                self._note(f"{part.path} goes on in another file, which is not here")

    def _check_sums(self) -> None:
        """Whether the crawls whose parts are all here have the lines that their sums tell of."""
        crawls: dict[str, dict[int, _Part]] = {}
        for part in self._parts:
            crawls.setdefault(part.crawl, {})[part.number] = part
        for parts in crawls.values():
            last = parts[max(parts)]
            if last.last != "end" or len(parts) != last.number:
                continue
            counted = sum((part.counts for part in parts.values()), Counter[str]())
            for name in sorted({*last.sums, *counted}):
                is_kept = last.has_all or name not in ("passed", "exempt")
                if is_kept and counted[name] != last.sums.get(name, 0):
                    self.checked.errors.append(
                        f"{last.path}: its sums tell of {last.sums.get(name, 0):,} lines of "
                        f"{name!r}, and there are {counted[name]:,}"
                    )

    def _note(self, sentence: str) -> None:
        if sentence not in self.checked.notes:
            self.checked.notes.append(sentence)


def _part(path: Path, crawl: Mapping[str, Any]) -> _Part:
    return _Part(
        path,
        str(crawl["crawl"]),
        int(crawl["part"]),
        str(crawl["prev"]),
        has_all=crawl["passed"] == "all",
    )


def _name_in_sums(fields: Mapping[str, Any]) -> str:
    """The name by which the sums count a line; "" if they do not."""
    kind = fields["type"]
    if kind != "decision":
        return {"robots": "robots", "page": "pages_with_preferences"}.get(kind, "")
    if "exempt" in fields:
        return "exempt"
    return "passed" if fields["verdict"] == "passed" else f"refused/{fields['reason']}"
