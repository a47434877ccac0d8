"""What the lines of a record say, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...formats import counted
from ...record.reading import RecordFile
from ...rep import Reason
from ...rep.escapes import brief
from ...rep.usage.preferences import Place, Preference
from ..printing.terminal import (
    Progress,
    paint,
)

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


def painted_verdict(fields: Mapping[str, Any]) -> str:
    """Whether a request passed. Anybody may have written the record: escaped."""
    verdict = fields["verdict"]
    return paint(brief(verdict), "green" if verdict == "passed" else "red")


class ReadingProgress(Progress):
    """How far the reading of a record is."""

    def on_lines(self, file: RecordFile) -> None:
        """More lines were read. The file may grow meanwhile; a pipe has no size."""
        self.show(f"{counted(file.lines, 'line')} of {file.path}", file.done, file.size)
