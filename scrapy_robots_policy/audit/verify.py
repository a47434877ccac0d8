"""Checks files of a record: the chain of each, how they join, and every decision anew."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..rep import DIALECTS, Dialect
from ..rep.url import TDMREP, document_of
from .chain import START
from .dialect_data import data_of, fingerprint
from .reading import AuditError, OnProgress, RecordFile, UnreadableError
from .replay import Answers, Replay, replaying


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

    decisions  lines of decisions that were decided anew
    exempt     lines of decisions that rest on no robots.txt
    robots     copies of robots.txt; `tdmreps`: copies of tdmrep.json
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
    tdmreps: int = 0
    differ: int = 0
    changed: int = 0
    unknown: int = 0
    notes: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    hashes: dict[Path, str] = field(default_factory=dict)


class Check:
    """One check of several files. `other`: decide in this dialect instead of the recorded ones.

    on_difference  called with each
    on_progress    as that of `RecordFile`
    """

    def __init__(
        self,
        other: Dialect | None,
        on_difference: Callable[[Difference], None],
        on_progress: OnProgress,
    ) -> None:
        self.other = other
        self.on_difference, self.on_progress = on_difference, on_progress
        self.checked = Checked()

    def run(self, paths: Iterable[Path]) -> Checked:
        """UnreadableError at a file that cannot be read: there is nothing to say about it."""
        for path in paths:
            file = RecordFile(path, self.on_progress)
            try:
                self._file(file)
            except UnreadableError:
                raise
            except AuditError as error:
                self.checked.errors.append(str(error))
            if file.hash != START:
                self.checked.hashes[path] = file.hash
        self.checked.notes = list(dict.fromkeys(self.checked.notes))
        return self.checked

    def _file(self, file: RecordFile) -> None:
        with replaying(file, self.other) as replay:
            for fields in file:
                self._line(file, fields, replay)
            self._note_changes(replay)
        self.checked.notes += file.notes

    def _line(self, file: RecordFile, fields: dict[str, Any], replay: Replay) -> None:
        checked = self.checked
        checked.lines += 1
        answers = replay.read(fields)
        if fields["type"] == "robots":
            is_tdmrep = document_of(fields["origin"]) == TDMREP
            checked.tdmreps += is_tdmrep
            checked.robots += not is_tdmrep
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

    def _note_changes(self, replay: Replay) -> None:
        for name, recorded in replay.fingerprints.items():
            dialect = DIALECTS.get(name)
            if dialect is not None and fingerprint(data_of(dialect)) != recorded:
                self.checked.notes.append(
                    f"the dialect {name} has changed since: the record was made with {recorded}, "
                    "whose options are in the file and were used"
                )
