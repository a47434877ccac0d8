"""What a finding is, the kinds there are, and what becomes of findings.

Numbers are for good: 1xx the file, 2xx lines, 3xx groups, 4xx rules, 5xx other lines, 6xx engines.
`rules.md` has the kinds: what a finding is, why it matters and how to fix it.

Findings of the same kind in lines that follow one another are joined as they come: a file of a few
bytes a line may have millions, and each would take more memory than its line.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from operator import attrgetter
from pkgutil import get_data
from types import MappingProxyType

from ...rep.url import readable


class Severity(Enum):
    """How bad it is. From WARNING on, `scrapy robots lint` exits with 1."""

    ERROR = "error"  # what was written does not do what it says
    WARNING = "warning"  # it does something else for some, or is likely a slip
    NOTE = "note"  # good to know

    @property
    def rank(self) -> int:
        """0 for the gravest."""
        return list(Severity).index(self)


@dataclass(frozen=True, slots=True)
class Example:
    """A file in which a kind of finding is found, and the dialect that finds it."""

    dialect: str
    text: str


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of finding; its texts are Markdown without headings.

    Attributes:
        code: a number for good, "R405".
        name: words with dashes.
        title: one sentence.
        why: the reason, in one paragraph or some.
        fix: what to do, in one paragraph.
        examples: files in which it is found.

    """

    code: str
    name: str
    severity: Severity
    title: str
    why: str
    fix: str
    examples: tuple[Example, ...]

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return _of_code, (self.code,)  # findings come from other processes, with short names


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of one line that does what the fix of a finding says.

    Attributes:
        line: from 1.
        text: what stands there then, bytes as characters; None: the line is removed.

    """

    line: int
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding, and where it stands.

    Attributes:
        line, column: from 1; columns count characters, not bytes.
        end: the column after the last character meant.
        message: what is wrong here, in a sentence.
        fix: what to write or do instead, in a sentence; "" where nothing is to be done.
        dialects: the dialects that it holds in, where it is not about the one that was asked for.
        edits: the fix, where it can be applied without a choice. It changes answers in no other
            dialects than `dialects`.
        last: the last line of a run of lines with the same fault; 0 where it is one line.

    """

    kind: Kind
    line: int
    column: int
    end: int
    message: str
    fix: str = ""
    dialects: tuple[str, ...] = ()
    edits: tuple[Edit, ...] = ()
    last: int = 0

    @property
    def code(self) -> str:
        return self.kind.code

    @property
    def severity(self) -> Severity:
        return self.kind.severity


_SECTION = re.compile(
    r"^### (R\d{3}) ([\w-]+) \((\w+)\)\n\n([^\n]+)\n(.*?)(?=^### |\Z)", re.MULTILINE | re.DOTALL
)
_EXAMPLE = re.compile(r"^```robots ?(\w*)\n(.*?)^```\n?", re.MULTILINE | re.DOTALL)


def _kinds(text: str) -> Iterable[Kind]:
    for code, name, severity, title, body in _SECTION.findall(text):
        why, _, fix = _EXAMPLE.sub("", body).partition("\n\nFix: ")
        examples = (Example(dialect or "rfc9309", file) for dialect, file in _EXAMPLE.findall(body))
        about = title, _paragraphs(why), _paragraphs(fix), tuple(examples)
        yield Kind(code, name, Severity(severity), *about)


def _paragraphs(text: str) -> str:
    """Each on one line."""
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n") if part.strip())


KINDS: Mapping[str, Kind] = MappingProxyType(
    {kind.code: kind for kind in _kinds((get_data(__package__, "rules.md") or b"").decode())}
)
"""All kinds of findings, by code: `rules.md` has them."""


def _of_code(code: str) -> Kind:
    return KINDS[code]


ON_REQUEST = frozenset({"R601"})
"""Codes that are looked for only where they are asked for by name."""
_LONGEST_QUOTE = 80  # characters; a value may be as long as the file


def quoted(text: str) -> str:
    """A value from the file in a sentence: in quotes, for people to read, and never long."""
    short = text if len(text) <= _LONGEST_QUOTE else text[:_LONGEST_QUOTE] + "..."
    return repr(readable(short))


def unquoted(text: str) -> str:
    """As `quoted`, without the quotes: for a path after the key of its rule."""
    return quoted(text)[1:-1]


MAX_RUNS = 2000  # of one kind; the last of them stands for all that come after it
_Kind = tuple[str, str, tuple[str, ...]]


@dataclass(slots=True)
class _Run:
    """A finding that stands for others.

    Attributes:
        last: the last of their lines.
        others: how many there are.
        is_gapless: whether they are in all lines between the two, and in no others.

    """

    first: Finding
    last: int
    edits: list[Edit]
    others: int = 0
    is_gapless: bool = True

    @property
    def kind(self) -> _Kind:
        return self.first.code, self.first.fix, self.first.dialects

    def is_followed_by(self, run: _Run) -> bool:
        return self.is_gapless and run.is_gapless and run.first.line == self.last + 1

    def add(self, run: _Run) -> None:
        self.is_gapless = self.is_followed_by(run)
        self.last = max(self.last, run.last)
        self.others += 1 + run.others
        self.edits += run.edits

    @property
    def finding(self) -> Finding:
        if not self.others:
            return self.first
        if self.is_gapless:
            after = f"the {self.others} lines" if self.others > 1 else "the line"
            more = f"and so in {after} after it"
        else:
            more = f"and {self.others:,} more like it, up to line {self.last}"
        message = f"{self.first.message} ({more})"
        return replace(self.first, message=message, last=self.last, edits=tuple(self.edits))


def in_runs(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The findings in the order of the file: one for lines that follow one another and have the
    same fault, and `MAX_RUNS` of one kind at most.
    """
    runs = _joined(_Run(one, one.line, list(one.edits)) for one in findings)
    # A check may look at the groups in another order than that of their lines.
    runs.sort(key=attrgetter("first.line", "first.column", "first.code"))
    return tuple(run.finding for run in _joined(runs))


def _joined(runs: Iterable[_Run]) -> list[_Run]:
    kept: list[_Run] = []
    counts: Counter[_Kind] = Counter()
    latest: dict[_Kind, _Run] = {}
    for run in runs:
        kind = run.kind
        before = latest.get(kind)
        if before and (before.is_followed_by(run) or counts[kind] >= MAX_RUNS):
            before.add(run)
            continue
        latest[kind] = run
        counts[kind] += 1
        kept.append(run)
    return kept


_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_MAX_ROUNDS = 50
Findings = tuple[Finding, ...]


def edited(body: bytes, edits: Iterable[Edit]) -> bytes:
    """The file with its lines changed; where two edits are of one line, the first one is made."""
    by_line: dict[int, Edit] = {}
    for change in edits:
        by_line.setdefault(change.line, change)
    new, removed = bytearray(), b""  # the end of the line that was removed last
    for number, line in enumerate(_LINE.findall(body), 1):
        edit = by_line.get(number)
        if edit and edit.text is None:
            removed = _end_of(line)
            continue
        if removed and new.endswith(b"\r") and line.startswith((b"\r", b"\n")):
            _keep_apart(new, removed)
        new += _edited(line, edit) if edit else line
        removed = b""
    return bytes(new)


def _edited(line: bytes, edit: Edit) -> bytes:
    return (edit.text or "").encode("latin-1") + _end_of(line)


def _end_of(line: bytes) -> bytes:
    return line[len(line.rstrip(b"\r\n")) :]


def _keep_apart(new: bytearray, removed: bytes) -> None:
    """Put the end of the removed line in place of the carriage return that the file ends with now.
    A blank line follows, whose end would be one with that return: a line feed to all readers, to
    some another return as well. Two returns stay two.
    """
    del new[-1]
    if removed != b"\r" or not new.endswith(b"\r"):
        new += removed


def fixed(
    body: bytes, findings: Findings, lint: Callable[[bytes], Findings], *, all_of: bool
) -> tuple[bytes, int, Findings]:
    """(the file, how many findings were fixed, the findings that are left)

    The findings of one code are fixed together, then the file is looked at anew: a fix may change
    lines on which another one depends.

    Args:
        all_of: False: only fixes after which every dialect answers as before.

    """
    count = 0
    for _ in range(_MAX_ROUNDS):
        fixable = [f for f in findings if f.edits and (all_of or not f.dialects)]
        if not fixable:
            break
        code = min(finding.code for finding in fixable)
        chosen = [finding for finding in fixable if finding.code == code]
        after = edited(body, [edit for finding in chosen for edit in finding.edits])
        if after == body:
            break
        body, count, findings = after, count + len(chosen), lint(after)
    return body, count, findings
