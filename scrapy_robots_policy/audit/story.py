"""The story of one URL in a record: each decision about it, with all that it rests on, and what the
page itself said about its use.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from w3lib.url import safe_url_string

from ..rep import origin_of
from .fields import page_url
from .reading import OnProgress, RecordFile
from .replay import Answers, Replay, replaying


@dataclass(frozen=True, slots=True)
class Story:
    """One decision.

    crawl        the fields of the line of the crawl
    decision     the fields of its own line, whose number is `line`
    fingerprint  of its dialect; "": it was decided in none
    robots       the fields of the robots line that it rests on; None: it rests on none
    octets       of that robots.txt; None: there was no file
    answers      the recorded answer beside the one that is given now
    """

    path: Path
    line: int
    crawl: Mapping[str, Any]
    decision: Mapping[str, Any]
    fingerprint: str
    robots: Mapping[str, Any] | None
    octets: bytes | None
    answers: Answers | None


@dataclass(frozen=True, slots=True)
class PageStory:
    """What a page that was fetched said about its use. `page`: its line."""

    path: Path
    line: int
    page: Mapping[str, Any]


def stories_of(
    paths: Iterable[Path], url: str, notes: list[str], on_progress: OnProgress
) -> Iterator[Story | PageStory]:
    """All that is recorded about the page of a URL. AuditError where a file is broken.

    notes  those on the files are added to it
    """
    wanted = _spellings(url)
    for path in paths:
        file = RecordFile(path, on_progress)
        with replaying(file) as replay:
            for fields in file:
                kind, is_about = fields["type"], _page(str(fields.get("url"))) in wanted
                answers = None
                if kind != "decision" or is_about:  # others would take most of the time
                    answers = replay.read(fields)
                if kind == "decision" and is_about:
                    yield _story(file, fields, replay, answers)
                elif kind == "page" and is_about:
                    yield PageStory(file.path, file.lines, fields)
        notes += file.notes


def _spellings(url: str) -> frozenset[str]:
    """A URL as people write it, and as Scrapy's requests have it."""
    page = _page(page_url(url))
    origin = origin_of(page)
    if origin is None:
        return frozenset({page})
    spelled = safe_url_string(page)
    home = {origin, f"{origin}/"}
    return frozenset({page, spelled} | (home if spelled in home else set()))


def _page(url: str) -> str:
    return url.partition("#")[0]


def _story(
    file: RecordFile, fields: Mapping[str, Any], replay: Replay, answers: Answers | None
) -> Story:
    robots = None if answers is None else replay.line(fields["robots"])
    return Story(
        file.path,
        file.lines,
        replay.crawl,
        fields,
        replay.fingerprints.get(fields.get("dialect", ""), ""),
        robots,
        None if robots is None else replay.octets_of(robots),
        answers,
    )
