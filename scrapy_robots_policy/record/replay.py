"""Decides every request of a record anew, from the files in the record, and checks the chain.

The engine is asked as in the crawl: `judge` says what the access policy makes of the fetch, and
`decide` decides. What the lines refer to is kept packed, and the newest of it parsed.
"""

from __future__ import annotations

import json
import zlib
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..core.decision import decide
from ..core.site import OriginRules, Site, rules_given
from ..distribution import installed_version
from ..rep import DIALECTS, AccessMode, CacheEntry, Dialect
from ..rep.access import AccessOverrides
from ..rep.documents import TDMREP, document_of
from ..rep.escapes import quoted, shortened
from ..rep.url import server_forms
from ..rep.usage.preferences import NO_USE
from ..settings.crawl import access_overrides, declared_use
from ..settings.table import SETTINGS, read
from .fields import (
    FORMAT,
    START,
    entry_from,
    fingerprint,
    group_fields,
    seconds_of,
    unpacked,
    verdict_fields,
)
from .reading import AuditError, OnProgress, RecordFile, ReplayError, UnreadableError

COMPARED = (
    "verdict",
    "reason",
    "line",
    "rule",
    "why",
    "refused_use",
    "group",
    "group_line",
    "mode",
    "preferences",
    "overridden",
    "results",
)
MAX_PARSED_BYTES = 16 * 1024 * 1024  # of the robots.txt files that are kept parsed
MAX_GROUPS = 1_000  # of one file that are kept: a crawl may have many names
MAX_WHY = 500  # characters of an error: it may quote a line


@dataclass(frozen=True, slots=True)
class Answers:
    """What was recorded of one decision, and what is decided now: the fields in `COMPARED`.

    Attributes:
        now: None: it cannot be decided, because the other dialect would have fetched more, or the
            crawl's own dialect is not at hand.

    """

    recorded: Mapping[str, Any]
    now: Mapping[str, Any] | None

    @property
    def agree(self) -> bool:
        return self.recorded == self.now

    @property
    def changes(self) -> bool:
        """Whether the request would have gone the other way."""
        return self.now is not None and self.recorded["verdict"] != self.now["verdict"]


@dataclass(slots=True)
class _Parsed:
    """A robots line that was read.

    Attributes:
        site: gives the rules, by dialect and time.
        body: of the file; None: there was no file.
        dialect, source: the fields of these names.
        groups: the fields of the groups that bind crawlers.

    """

    site: Site
    body: bytes | None
    dialect: str
    source: str
    groups: dict[tuple[str, Dialect, AccessMode], dict[str, Any]] = field(default_factory=dict)

    def group(self, agent: str, rules: OriginRules) -> dict[str, Any]:
        """The fields of the group that binds a crawler. Time may change the mode, and so whether
        there is one.
        """
        key = agent, rules.dialect, rules.mode
        fields = self.groups.get(key)
        if fields is None:
            if len(self.groups) >= MAX_GROUPS:
                self.groups.clear()
            fields = self.groups[key] = group_fields(rules.rules, agent)
        return fields


class Replay:
    """One file of a record, line by line.

    Attributes:
        other: decide in this dialect, not in the recorded.

    """

    def __init__(self, other: Dialect | None = None) -> None:
        self.other = other
        self.crawl: Mapping[str, Any] = {}
        self.fingerprints: dict[str, str] = {}
        self._use = NO_USE
        self._overrides = AccessOverrides()
        self._parsed: OrderedDict[int, _Parsed] = OrderedDict()
        self._parsed_bytes = 0
        self._lines: dict[int, bytes] = {}  # the robots lines, packed, without their bytes
        self._bodies: dict[str, str] = {}  # those of the files, packed, by their SHA-256

    def read(self, fields: Mapping[str, Any]) -> Answers | None:
        """Take in one line. The answers where it is a decision that rests on a robots.txt.

        ReplayError where the line is not as it must be.
        """
        try:
            if fields["type"] == "decision" and "exempt" not in fields:
                return self._answers(fields)
            if fields["type"] == "robots":
                self._keep(fields)
            if fields["type"] == "dialect":
                self.fingerprints[fields["name"]] = fields["fingerprint"]
            if fields["type"] == "crawl":
                self._begin(fields)
        except KeyError as error:
            raise _unreadable(fields, f"{error} is missing") from None
        except (TypeError, AttributeError, ValueError, OverflowError) as error:
            raise _unreadable(fields, str(error)) from None
        return None

    def _begin(self, fields: Mapping[str, Any]) -> None:
        if fields["format"] != FORMAT:
            raise ValueError(f"format {quoted(fields['format'])}; this version reads {FORMAT}")
        given = fields["judged_by"]
        values = {name: read(name, given[name]) for name in SETTINGS if SETTINGS[name].decides}
        self.crawl = fields
        self._use, self._overrides = declared_use(values), access_overrides(values)
        self._lines.clear()
        self._parsed.clear()
        self._parsed_bytes = 0

    def _keep(self, fields: Mapping[str, Any]) -> None:
        if "body" in fields:
            self._bodies[fields["sha256"]] = fields["body"]
        facts = {name: fields[name] for name in fields if name != "body"}
        self._lines[fields["robots"]] = zlib.compress(json.dumps(facts).encode(), 1)

    def line(self, number: int) -> dict[str, Any]:
        """The fields of the robots line of this number, but the bytes."""
        fields: dict[str, Any] = json.loads(zlib.decompress(self._lines[number]))
        return fields

    def body_of(self, fields: Mapping[str, Any]) -> bytes | None:
        """The bytes of the file of a robots line; None: there was no file."""
        return unpacked(self._bodies[fields["sha256"]]) if "sha256" in fields else None

    def _answers(self, fields: Mapping[str, Any]) -> Answers:
        recorded = {name: fields[name] for name in COMPARED if name in fields}
        parsed = self._parsed_line(fields["robots"])
        dialect = self.other or DIALECTS.get(fields["dialect"])
        if dialect is None:
            return Answers(recorded, None)
        at = seconds_of(fields["at"])
        rules = self._rules(parsed, dialect, at)
        if rules is None and self.other is not None:
            return Answers(recorded, None)
        rules = _known(rules)
        if "tdmrep" in fields:
            file = self._parsed_line(fields["tdmrep"])
            tdmrep = self._rules(file, DIALECTS.get(file.dialect, dialect), at)
            rules = rules.with_tdmrep(_known(tdmrep))
        # The forms of the URL are made anew: a record could leave out the one that is refused.
        own = server_forms(fields["url"])
        agent, forms = fields["agent"], tuple(dict.fromkeys((*own, *fields.get("forms", ()))))
        verdict = decide(forms, rules, agent, self._use)
        mode = {} if rules.mode is AccessMode.RULES else {"mode": rules.mode.value}
        return Answers(recorded, {**verdict_fields(verdict), **parsed.group(agent, rules), **mode})

    def _parsed_line(self, number: int) -> _Parsed:
        parsed = self._parsed.get(number)
        if parsed is None:
            parsed = self._parsed[number] = self._parse(number)
            self._parsed_bytes += len(parsed.body or b"")
            while self._parsed_bytes > MAX_PARSED_BYTES and len(self._parsed) > 2:
                _, oldest = self._parsed.popitem(last=False)
                self._parsed_bytes -= len(oldest.body or b"")
        else:
            self._parsed.move_to_end(number)
        return parsed

    def _parse(self, number: int) -> _Parsed:
        fields = self.line(number)
        body = self.body_of(fields)
        entry: CacheEntry = entry_from(fields, body)
        site = Site(fields["origin"], self._overrides, entry)
        return _Parsed(site, body, fields["dialect"], fields["source"])

    def _rules(self, parsed: _Parsed, dialect: Dialect, at: float) -> OriginRules | None:
        if parsed.source == "override":
            return rules_given(parsed.site.key, dialect, parsed.body or b"")
        return parsed.site.rules(dialect, at)


def _known(rules: OriginRules | None) -> OriginRules:
    """ReplayError where a decision was made in a dialect that would have fetched more."""
    if rules is None:
        raise ReplayError("the file was cut short of what its dialect reads: nothing is decided")
    return rules


def _unreadable(fields: Mapping[str, Any], why: str) -> ReplayError:
    return ReplayError(f"a {fields['type']} line that cannot be read: {shortened(why, MAX_WHY)}")


@contextmanager
def replaying(file: RecordFile, other: Dialect | None = None) -> Iterator[Replay]:
    """A replay of a file. A line that cannot be replayed is an AuditError of the file."""
    try:
        yield Replay(other)
    except ReplayError as error:
        raise file.error(str(error)) from None


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

    Attributes:
        decisions: lines of decisions that were decided anew.
        exempt: lines of decisions that rest on no robots.txt.
        robots: copies of robots.txt; `tdmreps`: copies of tdmrep.json.
        differ: decisions whose answer is not the same.
        changed: decisions that would have gone the other way.
        unknown: decisions that cannot be made, as `Answers.now` says.
        notes: what is no error, and a reader should know.
        errors: files that are broken.
        hashes: the hash of the last good line of each file that has one.

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


def check(
    paths: Iterable[Path],
    other: Dialect | None,
    on_difference: Callable[[Difference], None],
    on_progress: OnProgress,
) -> Checked:
    """Check files of a record. UnreadableError at one that cannot be read: there is nothing to say
    about it.

    Args:
        other: decide in this dialect instead of the recorded ones.
        on_difference: called with each.
        on_progress: as that of `RecordFile`.

    """
    checked = Checked()
    for path in paths:
        file = RecordFile(path, on_progress)
        try:
            with replaying(file, other) as replay:
                for fields in file:
                    _count(checked, fields, replay.read(fields), file, on_difference)
            checked.notes += [*_changes(replay), *file.notes]
        except UnreadableError:
            raise
        except AuditError as error:
            checked.errors.append(str(error))
        if file.hash != START:
            checked.hashes[path] = file.hash
    checked.notes = list(dict.fromkeys(checked.notes))
    return checked


def _count(
    checked: Checked,
    fields: Mapping[str, Any],
    answers: Answers | None,
    file: RecordFile,
    on_difference: Callable[[Difference], None],
) -> None:
    checked.lines += 1
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
        on_difference(Difference(file.path, file.lines, fields["url"], answers))


def _changes(replay: Replay) -> Iterator[str]:
    """A note on each dialect that is not, or no longer, as the crawl had it."""
    made_by = f"the record is of scrapy-robots-policy {replay.crawl.get('package')}"
    for name, recorded in replay.fingerprints.items():
        dialect = DIALECTS.get(name)
        if dialect is None and replay.other is None:
            yield (
                f"the dialect {name} is not this package's: its decisions were not made anew; "
                "name its import path with --dialect"
            )
        elif dialect is not None and fingerprint(dialect) != recorded:
            yield (
                f"the dialect {name} is not as it was: {made_by}, and its decisions were made "
                f"anew with {installed_version()}"
            )
