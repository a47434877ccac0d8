"""What people ask of a record: what came of it all, the story of one URL, and its exchanges.

`Overview` has the sums: who crawled, what was requested, what was refused, and why. A `Story` is
one decision with all that it rests on; a `PageStory` is what a page said about its own use. The
exchanges are written as WARC 1.1 (ISO 28500) by the library `warcio`. A record keeps the headers
that bear on the life of a robots.txt, not all that were sent, and the WARC says so first.
"""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from w3lib.url import safe_url_string

from ..rep import Reason, origin_of
from ..rep.escapes import brief, shortened, shown
from ..rep.url import TDMREP, document_of
from ..rep.usage import Place, Preference
from .fields import MAX_TEXT, page_url
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


NO_WARCIO = "audit warc needs warcio: pip install 'scrapy-robots-policy[warc]'"
NOTE = "Headers: only those that a record of scrapy-robots-policy keeps. Bodies: content-decoded."


class WarcError(Exception):
    """Why no WARC can be written, in one sentence."""


def write_warc(paths: Iterable[Path], target: Path) -> int:
    """How many exchanges were written. AuditError for a broken record, WarcError, OSError."""
    try:
        from warcio.warcwriter import WARCWriter  # noqa: PLC0415 - an extra
    except ImportError:
        raise WarcError(NO_WARCIO) from None
    out = target.open("xb")
    try:
        with out:
            writer = WARCWriter(out, gzip=target.suffix == ".gz", warc_version="1.1")
            return sum(_record(writer, path) for path in paths)
    except BaseException:  # a part would look like the whole
        target.unlink()
        raise


def _record(writer: Any, path: Path) -> int:
    file = RecordFile(path)
    try:
        with replaying(file) as replay:
            return sum(_line(writer, fields, file, replay) for fields in file)
    except ValueError as error:
        raise file.error(f"it cannot be written to a WARC: {brief(str(error))}") from None


def _line(writer: Any, fields: Mapping[str, Any], file: RecordFile, replay: Replay) -> int:
    if fields["type"] == "crawl":
        replay.read(fields)
        _write_info(writer, fields, file.path.name)
    elif fields["type"] == "robots":
        replay.read(fields)
        return _write_exchanges(writer, fields, replay.octets_of(fields) or b"")
    return 0


def _write_info(writer: Any, crawl: Mapping[str, Any], name: str) -> None:
    info = {
        "software": f"scrapy-robots-policy/{crawl['package']} Scrapy/{crawl['scrapy']}",
        "format": "WARC File Format 1.1",
        "conformsTo": "https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
        "http-header-user-agent": crawl["user_agent"],
        "robots": crawl["dialect"],
        "description": NOTE,
    }
    record = writer.create_warcinfo_record(f"{name}.warc", info)
    record.rec_headers.replace_header("WARC-Date", crawl["began"])
    writer.write_record(record)


def _write_exchanges(writer: Any, fields: Mapping[str, Any], octets: bytes) -> int:
    exchanges = fields.get("exchanges", ())
    for at, exchange in enumerate(exchanges):
        is_last = at == len(exchanges) - 1
        if exchange["status"] is None:
            _write_failure(writer, exchange)
            continue
        has_file = is_last and 200 <= exchange["status"] < 300
        response = _response(writer, exchange, octets if has_file else b"")
        if has_file and fields["cut"]:
            response.rec_headers.add_header("WARC-Truncated", "length")
        writer.write_request_response_pair(_request(writer, exchange), response)
    return len(exchanges)


def _response(writer: Any, exchange: Mapping[str, Any], octets: bytes) -> Any:
    from warcio.statusandheaders import StatusAndHeaders  # noqa: PLC0415 - an extra

    status = exchange["status"]
    phrase = HTTPStatus(status).phrase if status in HTTPStatus._value2member_map_ else "Unknown"
    headers = StatusAndHeaders(f"{status} {phrase}", _lines(exchange["received"]), "HTTP/1.1")
    return writer.create_warc_record(
        exchange["url"],
        "response",
        payload=io.BytesIO(octets),
        length=len(octets),
        http_headers=headers,
        warc_headers_dict={"WARC-Date": exchange["answered"]},
    )


def _request(writer: Any, exchange: Mapping[str, Any]) -> Any:
    from warcio.statusandheaders import StatusAndHeaders  # noqa: PLC0415 - an extra

    parts = urlsplit(exchange["url"])
    target = parts.path + (f"?{parts.query}" if parts.query else "")
    lines = [("Host", parts.netloc), *_lines(exchange["sent"])]
    headers = StatusAndHeaders(f"GET {target or '/'} HTTP/1.1", lines, is_http_request=True)
    return writer.create_warc_record(
        exchange["url"],
        "request",
        http_headers=headers,
        warc_headers_dict={"WARC-Date": exchange["asked"]},
    )


def _write_failure(writer: Any, exchange: Mapping[str, Any]) -> None:
    """A try without a response is no exchange of HTTP: a metadata record says what happened."""
    payload = json.dumps({"cause": exchange["cause"]}).encode("ascii")
    record = writer.create_warc_record(
        exchange["url"],
        "metadata",
        payload=io.BytesIO(payload),
        length=len(payload),
        warc_content_type="application/json",
        warc_headers_dict={"WARC-Date": exchange["answered"]},
    )
    writer.write_record(record)


def _lines(headers: Mapping[str, str]) -> list[tuple[str, str]]:
    return [(name.title(), value) for name, value in headers.items()]
