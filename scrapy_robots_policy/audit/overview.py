"""What files of a record come to: who crawled, what was asked, what was refused, and why.

The fields of a record in words, for the terminal and for the page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from ..rep import Reason, origin_of
from ..rep.escapes import brief, shortened, shown
from ..rep.url import TDMREP, document_of
from ..rep.usage import Place, Preference
from .fields import MAX_TEXT
from .reading import OnProgress, RecordFile
from .replay import Answers, Replay, replaying

_PLACES = {place.value for place in Place}
_REASONS = {reason.name.lower(): reason.value for reason in Reason}
_SOURCES = {
    "site": "fetched from the site",
    "store": "taken from the store",
    "fleet": "fetched by another process of the fleet",
    "override": "given by the user",
    "cache": "taken from the cache of the process",
}


def reason_words(reason: str) -> str:
    """The name of a reason, as `Verdict` has it; a name that is not known here as it is."""
    return _REASONS.get(reason, reason)


def source_words(source: str) -> str:
    """Where a robots.txt came from."""
    return _SOURCES.get(source, source)


def time_words(moment: str, *, milliseconds: bool = False) -> str:
    """A moment of a line: "2026-03-03 12:00:00 UTC"."""
    return f"{moment[:10]} {moment[11 : 23 if milliseconds else 19]} UTC"


def cause_words(fields: Mapping[str, Any]) -> str:
    """What decided, in words: "line 3, Disallow: /x", "robots.txt unreachable (503)"."""
    if "rule" in fields:
        return f"line {fields.get('line', 0)}, {fields['rule']}"
    if "refused_use" in fields:
        return preference_words(fields["refused_use"])
    words = reason_words(str(fields["reason"]))
    return f"{words} ({fields['why']})" if fields.get("why") else words


def preference_words(preference: Mapping[str, Any]) -> str:
    """A preference in words: "line 3, Content-Signal: ai-train=no"."""
    label, key, value, line = (preference[name] for name in ("label", "key", "value", "line"))
    place = preference.get("place", Place.ROBOTS_TXT.value)
    if place not in _PLACES:  # of a later version
        return f"{place} {label}: {key}={value}"
    return str(Preference(label, key, value, line, Place(place)))


def software_words(crawl: Mapping[str, Any]) -> str:
    """With what a crawl was made, by its line."""
    return f"scrapy-robots-policy {crawl['package']}, Scrapy {crawl['scrapy']}"


MAX_COUNTED = 20_000  # different causes, origins and preferences; the others share a line
MAX_SETTINGS = 1_000  # of a crawl
MAX_VALUE = 2_000  # characters of a setting
_NAMES = ("spider", "agent", "user_agent", "dialect", "began", "package", "scrapy")
THE_REST = "all others"


@dataclass(frozen=True, slots=True)
class FileOverview:
    """One file, or one of the records that were joined in it: its crawl, and how it ends.

    crawl  the fields of the line of the crawl that are shown
    """

    path: Path
    crawl: Mapping[str, Any]
    fingerprints: Mapping[str, str]
    lines: int
    hash: str
    ended: str
    reason: str
    is_torn: bool


@dataclass(slots=True)
class Overview:
    """All files together.

    differ       how many decisions the replay decides otherwise
    refused      decisions, by kind of reason
    causes       refused decisions, by (origin, what decided)
    preferences  decisions for which a preference holds, by (label, key, value)
    declared     decisions for each declared purpose
    fetches      tries to get a robots.txt, by status or cause
    sources      copies of robots.txt, by where they came from
    tdmreps      how many copies of a tdmrep.json
    overrides    decisions, by the place where the user has set something for them
    exempt       requests, by what exempts them
    notes        what is no error, and a reader should know
    """

    files: list[FileOverview] = field(default_factory=list)
    passed: int = 0
    dry_run: int = 0
    differ: int = 0
    decisions: int = 0
    origins: set[str] = field(default_factory=set)
    refused: Counter[str] = field(default_factory=Counter)
    causes: Counter[tuple[str, str]] = field(default_factory=Counter)
    preferences: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    declared: Counter[str] = field(default_factory=Counter)
    dialects: Counter[str] = field(default_factory=Counter)
    agents: Counter[str] = field(default_factory=Counter)
    fetches: Counter[str] = field(default_factory=Counter)
    sources: Counter[str] = field(default_factory=Counter)
    tdmreps: int = 0
    overrides: Counter[str] = field(default_factory=Counter)
    exempt: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)


def overview_of(paths: Iterable[Path], on_progress: OnProgress) -> Overview:
    """AuditError where a file is broken."""
    overview = Overview()
    for path in paths:
        file, last, lines = RecordFile(path, on_progress), dict[str, Any](), 0
        with replaying(file) as replay:
            for fields in file:
                if lines and fields["type"] == "crawl":  # another record was joined to this one
                    overview.files.append(_file(file, replay, last, lines))
                    lines = 0
                _count(overview, fields, replay.read(fields))
                last, lines = fields, lines + 1
            overview.files.append(_file(file, replay, last, lines))
        overview.notes += file.notes
    return overview


def _file(file: RecordFile, replay: Replay, last: Mapping[str, Any], lines: int) -> FileOverview:
    return FileOverview(
        file.path,
        _of_crawl(replay.crawl),
        dict(replay.fingerprints),
        lines,
        last["hash"],
        brief(str(last.get("at", ""))),
        brief(str(last.get("reason", ""))) if last["type"] == "end" else "",
        file.is_torn,
    )


def _of_crawl(fields: Mapping[str, Any]) -> dict[str, Any]:
    """What the page shows of the line of a crawl: a file may have many, with settings of 8 MiB."""
    settings = islice(fields["settings"].items(), MAX_SETTINGS)
    return {
        **{name: brief(fields[name]) for name in _NAMES},
        "purposes": fields["purposes"],
        "settings": {brief(name): _value(value) for name, value in settings},
    }


def _value(value: Any) -> str:
    """A setting as text: those with many parts, such as ROBOTS_OVERRIDES, are long."""
    return shown(shortened(str(value), MAX_VALUE))


def _count(overview: Overview, fields: Mapping[str, Any], answers: Answers | None) -> None:
    if fields["type"] == "robots":
        _count_robots(overview, fields)
    elif fields["type"] == "page":
        _count_preferences(overview, fields, of_page_only=True)
    elif fields["type"] == "decision":
        overview.differ += answers is not None and not answers.agree
        _count_decision(overview, fields)


def _count_robots(overview: Overview, fields: Mapping[str, Any]) -> None:
    if document_of(fields["origin"]) == TDMREP:
        overview.tdmreps += 1
        return
    _add(overview.sources, fields["source"])
    for exchange in fields.get("exchanges", ()):
        _add(overview.fetches, str(exchange["status"] or exchange["cause"]))


def _count_decision(overview: Overview, fields: Mapping[str, Any]) -> None:
    origin = brief(origin_of(fields["url"]) or fields["url"])
    overview.decisions += 1
    overview.dry_run += fields.get("dry_run", False)
    if len(overview.origins) <= MAX_COUNTED:  # one more than are counted: then there are more
        overview.origins.add(origin)
    _add(overview.agents, fields.get("agent", ""))
    _add(overview.dialects, fields.get("dialect", ""))
    for purpose in fields.get("purposes", ()):
        _add(overview.declared, purpose)
    _count_preferences(overview, fields)
    for place in set(fields.get("set_by", {}).values()):
        _add(overview.overrides, place)
    if "exempt" in fields:
        _add(overview.exempt, fields["exempt"])
    if fields["verdict"] == "passed":
        overview.passed += 1
        return
    _add(overview.refused, fields["reason"])
    _add(overview.causes, (origin, brief(cause_words(fields))), (THE_REST, ""))


def _count_preferences(
    overview: Overview, fields: Mapping[str, Any], *, of_page_only: bool = False
) -> None:
    """The line of a page repeats what its decision has: of that, only the page's own is counted."""
    before = {Place.ROBOTS_TXT.value, Place.TDMREP.value} if of_page_only else ()
    for preference in fields.get("preferences", ()):
        if preference.get("place", Place.ROBOTS_TXT.value) not in before:
            label, *rest = (preference[name] for name in ("label", "key", "value"))
            key, value = (shortened(text, MAX_TEXT) for text in rest)
            _add(overview.preferences, (brief(label), key, value), (THE_REST, "", ""))


def _add(counter: Counter[Any], key: Any, rest: Any = THE_REST) -> None:
    """Count a name. Anybody may have written the record: names are short, and not too many."""
    if isinstance(key, str):
        key = brief(key)
    if key:
        counter[key if key in counter or len(counter) < MAX_COUNTED else rest] += 1
