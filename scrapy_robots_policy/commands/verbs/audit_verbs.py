"""`scrapy robots audit VERB FILE...`: check the record of a crawl, and show it.

`verify` decides all anew, `show` tells the story of one URL at the terminal, and `warc` writes the
exchanges. `report` makes one page to print, which looks like the report of a crawl and is as
closed: no script, nothing from elsewhere.

`Overview` has the sums: who crawled, what was requested, what was refused, and why. A `Story` is
one decision with all that it rests on; a `PageStory` is what a page said about its own use. The
exchanges are written as WARC 1.1 (ISO 28500) by the library `warcio`. A record keeps the headers
that bear on the life of a robots.txt, not all that were sent, and the WARC says so first.
"""

from __future__ import annotations

import io
import json
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from http import HTTPStatus
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from w3lib.url import safe_url_string

from ...formats import counted
from ...lint import readable_lines
from ...pages import check_jinja2, render
from ...record.fields import MAX_TEXT, page_url
from ...record.reading import AuditError, OnProgress, RecordFile
from ...record.replay import Answers, Checked, Difference, Replay, check, replaying
from ...rep import Reason, origin_of
from ...rep.escapes import brief, nearest, shortened, shown
from ...rep.url import TDMREP, document_of
from ...rep.usage import Place, Preference, statement
from ...whole_file import whole_file
from ..arguments import Arguments, Options, UsageError
from ..printing.terminal import (
    MAX_LINE,
    Blocks,
    Progress,
    paint,
    print_columns,
    print_json,
    print_line,
    print_numbered,
    print_sentence,
)
from ..reading.download import is_web
from ..reading.inputs import in_words
from ..typed_urls import as_url, whole_url_of

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

    Attributes:
        crawl: the fields of the line of the crawl that are shown.

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

    Attributes:
        differ: how many decisions the replay decides otherwise.
        tdmreps: how many copies of a tdmrep.json.
        notes: what is no error, and a reader should know.
        robots: how many copies of a robots.txt.
        exempt: decisions about which no robots.txt was asked.
        counts: "refused": decisions, by kind of reason; "causes": refused ones, by (origin, what
            decided); "preferences": decisions for which one holds, by (label, key, value);
            "set_by": decisions, by the place where the user has set something for them, or what
            exempts them.

    """

    files: list[FileOverview] = field(default_factory=list)
    passed: int = 0
    dry_run: int = 0
    differ: int = 0
    decisions: int = 0
    exempt: int = 0
    origins: set[str] = field(default_factory=set)
    robots: int = 0
    tdmreps: int = 0
    counts: dict[str, Counter[Any]] = field(default_factory=lambda: defaultdict(Counter))
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
        is_tdmrep = document_of(fields["origin"]) == TDMREP
        overview.tdmreps += is_tdmrep
        overview.robots += not is_tdmrep
    elif fields["type"] == "page":
        _count_preferences(overview, fields, of_page_only=True)
    elif fields["type"] == "answer":
        overview.passed -= 1
        _count_refusal(overview, fields)
    elif fields["type"] == "decision":
        overview.differ += answers is not None and not answers.agree
        _count_decision(overview, fields)


def _count_decision(overview: Overview, fields: Mapping[str, Any]) -> None:
    origin = brief(origin_of(fields["url"]) or fields["url"])
    overview.decisions += 1
    overview.dry_run += fields.get("dry_run", False)
    if len(overview.origins) <= MAX_COUNTED:  # one more than are counted: then there are more
        overview.origins.add(origin)
    _count_preferences(overview, fields)
    overview.exempt += "exempt" in fields
    for place in {*fields.get("set_by", {}).values(), fields.get("exempt", "")}:
        _add(overview.counts["set_by"], place)
    if fields["verdict"] == "passed":
        overview.passed += 1
        return
    _count_refusal(overview, fields)


def _count_refusal(overview: Overview, fields: Mapping[str, Any]) -> None:
    origin = brief(origin_of(fields["url"]) or fields["url"])
    _add(overview.counts["refused"], fields["reason"])
    _add(overview.counts["causes"], (origin, brief(cause_words(fields))), (THE_REST, ""))


def _count_preferences(
    overview: Overview, fields: Mapping[str, Any], *, of_page_only: bool = False
) -> None:
    """The line of a page repeats what its decision has: of that, only the page's own is counted."""
    before = {Place.ROBOTS_TXT.value, Place.TDMREP.value} if of_page_only else ()
    for preference in fields.get("preferences", ()):
        if preference.get("place", Place.ROBOTS_TXT.value) not in before:
            label, *rest = (preference[name] for name in ("label", "key", "value"))
            key, value = (shortened(text, MAX_TEXT) for text in rest)
            _add(overview.counts["preferences"], (brief(label), key, value), (THE_REST, "", ""))


def _add(counter: Counter[Any], key: Any, rest: Any = THE_REST) -> None:
    """Count a name. Anybody may have written the record: names are short, and not too many."""
    if isinstance(key, str):
        key = brief(key)
    if key:
        counter[key if key in counter or len(counter) < MAX_COUNTED else rest] += 1


@dataclass(frozen=True, slots=True)
class Story:
    """One decision.

    Attributes:
        crawl: the fields of the line of the crawl.
        decision: the fields of its own line, whose number is `line`.
        fingerprint: of its dialect; "": it was decided in none.
        robots: the fields of the robots line that it rests on; None: it rests on none.
        body: of that robots.txt; None: there was no file.
        answers: the recorded answer beside the one that is given now.

    """

    path: Path
    line: int
    crawl: Mapping[str, Any]
    decision: Mapping[str, Any]
    fingerprint: str
    robots: Mapping[str, Any] | None
    body: bytes | None
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

    Args:
        notes: those on the files are added to it.

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
        None if robots is None else replay.body_of(robots),
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
        return _write_exchanges(writer, fields, replay.body_of(fields) or b"")
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


def _write_exchanges(writer: Any, fields: Mapping[str, Any], body: bytes) -> int:
    exchanges = fields.get("exchanges", ())
    for at, exchange in enumerate(exchanges):
        is_last = at == len(exchanges) - 1
        if exchange["status"] is None:
            _write_failure(writer, exchange)
            continue
        has_file = is_last and 200 <= exchange["status"] < 300
        response = _response(writer, exchange, body if has_file else b"")
        if has_file and fields["cut"]:
            response.rec_headers.add_header("WARC-Truncated", "length")
        writer.write_request_response_pair(_request(writer, exchange), response)
    return len(exchanges)


def _response(writer: Any, exchange: Mapping[str, Any], body: bytes) -> Any:
    from warcio.statusandheaders import StatusAndHeaders  # noqa: PLC0415 - an extra

    status = exchange["status"]
    phrase = HTTPStatus(status).phrase if status in HTTPStatus._value2member_map_ else "Unknown"
    headers = StatusAndHeaders(f"{status} {phrase}", _lines(exchange["received"]), "HTTP/1.1")
    return writer.create_warc_record(
        exchange["url"],
        "response",
        payload=io.BytesIO(body),
        length=len(body),
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


def audit_page(overview: Overview) -> str:
    crawls = [file.crawl for file in overview.files]
    return render(
        "record",
        ", ".join(sorted({crawl["spider"] for crawl in crawls})),
        {"words": _counted_words},
        overview=overview,
        whole=not (overview.differ or overview.notes),
        about={
            "crawler": {crawl["agent"] for crawl in crawls},
            "User-Agent": {crawl["user_agent"] for crawl in crawls},
            "dialect": {crawl["dialect"] for crawl in crawls},
            "purposes": {", ".join(crawl["purposes"]) or "none declared" for crawl in crawls},
            "began": {_time(min(crawl["began"] for crawl in crawls))},
            "ended": {_time(max(file.ended for file in overview.files))},
            "software": {software_words(crawl) for crawl in crawls},
        },
        figures=_figures(overview),
        causes=[
            (cause or origin, origin if cause else "", count, f"{count:,}")
            for (origin, cause), count in overview.counts["causes"].most_common()
        ],
        preferences=[
            (": ".join(filter(None, (label, statement(label, key, value)))), f"{count:,}")
            for (label, key, value), count in overview.counts["preferences"].most_common()
        ],
        files=[
            (str(file.path), f"{file.lines:,}", file.reason or "not ended here", file.hash)
            for file in overview.files
        ],
        fingerprints=sorted({one for file in overview.files for one in file.fingerprints.items()}),
        settings=sorted({one for crawl in crawls for one in crawl["settings"].items()}),
    )


def _counted_words(counter: Counter[str], of: str = "") -> list[tuple[str, int]]:
    words = {"reason": reason_words}.get(of, str)
    return [(words(name), count) for name, count in counter.most_common()]


def _time(moment: str) -> str:
    return time_words(moment) if moment else "not recorded"


def _figures(overview: Overview) -> dict[str, int]:
    counts, origins = overview.counts, len(overview.origins)
    return {
        "requests passed": overview.passed,
        "would be refused" if overview.dry_run else "requests refused": counts["refused"].total(),
        "origins" if origins <= MAX_COUNTED else "or more origins": min(origins, MAX_COUNTED),
        "robots.txt recorded": overview.robots,
        **({"tdmrep.json recorded": overview.tdmreps} if overview.tdmreps else {}),
        "decided anew, same answer": overview.decisions - overview.exempt - overview.differ,
    }


_AROUND = 2  # lines of the file shown around those that matter


def print_story(story: Story) -> None:
    decision = story.decision
    _print_head(decision)
    print_line(f"{painted_verdict(decision)}, and why:")
    _print_facts(_facts(story))
    if story.body is not None:
        print_line()
        _print_file(story)


def painted_verdict(fields: Mapping[str, Any]) -> str:
    """Whether a request passed. Anybody may have written the record: escaped."""
    verdict = fields["verdict"]
    return paint(brief(verdict), "green" if verdict == "passed" else "red")


def _print_head(fields: Mapping[str, Any]) -> None:
    print_columns([(f"{_second_of(fields['at'])}  {shortened(fields['url'], MAX_LINE)}",)])


def _print_facts(facts: Iterable[tuple[str, str]]) -> None:
    """Of a long one its start: anybody may have written the record."""
    print_columns([(name, shortened(fact, MAX_LINE)) for name, fact in facts], indent="  ")


def print_page_story(story: PageStory) -> None:
    page = story.page
    _print_head(page)
    print_line("The page was fetched. With what it says itself, this is known about its use:")
    rows = [*_use_facts(page), ("recorded in", f"{story.path}, line {story.line}")]
    _print_facts(rows)


def _facts(story: Story) -> Iterator[tuple[str, str]]:
    decision, crawl = story.decision, story.crawl
    yield "cause", cause_words(decision)
    if "exempt" in decision:
        yield "exempt by", decision["exempt"]
    if "exempt" not in decision:
        yield "crawler", f"{decision['agent']} (User-Agent: {crawl['user_agent']})"
        yield "dialect", f"{decision['dialect']}, fingerprint {story.fingerprint[:16]}"
    yield "software", software_words(crawl)
    yield "purposes", ", ".join(decision.get("purposes", ())) or "none declared"
    yield from _use_facts(decision)
    for matter, place in decision.get("set_by", {}).items():
        yield "set by", f"{place}: {matter}"
    if "waited" in decision:
        yield "waited", f"{decision['waited']:g} s"
    if decision.get("dry_run"):
        yield "dry run", "the request was sent all the same"
    yield from _robots_facts(story)
    yield "recorded in", f"{story.path}, line {story.line}"


def _use_facts(fields: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    preferences = fields.get("preferences", ())
    for one in preferences:
        yield "preference", preference_words(one)
    for one in fields.get("overridden", ()):
        yield "overridden", f"{one['preference']}; by {one['by']} ({one['why']})"
    for one in fields.get("results", ()) if preferences else ():
        yield "use", f"{one['use']} {one['result']}" + (f" by {one['by']}" if "by" in one else "")


def _robots_facts(story: Story) -> Iterator[tuple[str, str]]:
    robots = story.robots
    if robots is None:
        return
    yield "robots.txt", f"{robots['url']}, {source_words(robots['source'])}"
    for exchange in robots.get("exchanges", ()):
        outcome = exchange["status"] or exchange["cause"]
        yield "request", f"{_second_of(exchange['asked'])}  {exchange['url']}: {outcome}"
    yield (
        "answered",
        f"{_second_of(robots['answered'])}, {story.decision.get('age', 0):g} s before",
    )
    if robots["fresh_until"]:
        yield "fresh until", _second_of(robots["fresh_until"])
    if story.body is not None:
        yield "bytes", f"{len(story.body):,}, SHA-256 {robots['sha256']}"
    if story.answers is not None:
        yield "made anew", "the same answer" if story.answers.agree else _now(story)


def _now(story: Story) -> str:
    assert story.answers is not None
    now = story.answers.now
    return "not possible" if now is None else f"{now['verdict']}: {cause_words(now)}"


def _second_of(moment: str) -> str:
    return time_words(moment, milliseconds=True)


def _print_file(story: Story) -> None:
    """The lines of the robots.txt that matter, and those around them."""
    assert story.body is not None
    lines, decision = readable_lines(story.body), story.decision
    notes = {
        one["line"]: "a preference on the use of the page"
        for one in decision.get("preferences", ())
        if "place" not in one  # the others stand in another file
    }
    if "group_line" in decision:
        notes[decision["group_line"]] = "the group that binds the crawler"
    if "line" in decision:
        notes[decision["line"]] = "decides"
    if not lines[-1]:
        lines.pop()  # after the last line end there is no line
    around = {n + k for n in notes for k in range(-_AROUND, _AROUND + 1)}
    for number in sorted(around):
        if 1 <= number <= len(lines):
            mark = ">" if number == decision.get("line") else " "
            print_numbered(number, lines[number - 1], mark, notes.get(number, ""))


ARGUMENTS = Arguments(
    "verify|show|report|warc FILE ...",
    ("--dialect", "--output"),
    ("text", "json"),
    (
        "0 all decisions agree",
        "1 decisions differ, or there is nothing to show",
        "2 a broken record, or a wrong command line",
    ),
    (
        "audit verify crawl.jsonl",
        "audit show crawl.jsonl https://example.com/a",
        "audit report crawl.jsonl -o page.html",
        "audit warc crawl.jsonl robots.warc.gz",
    ),
    {"--dialect": "make the decisions in this dialect (default: the recorded ones)"},
)


def run(options: Options) -> int:
    """0 all agree; 1 differences, or nothing found; 2 a broken record or a wrong command line."""
    verbs = {"verify": _verify, "show": _show, "report": _report, "warc": _warc}
    verb, *args = options.args or [""]
    if not verb:
        raise UsageError(f"audit needs one of {', '.join(verbs)}")
    if verb not in verbs:
        raise UsageError(f"audit takes {', '.join(verbs)}, not {verb!r}{nearest(verb, verbs)}")
    _refuse_options(verb, options)
    try:
        return verbs[verb](args, options)
    except (AuditError, WarcError) as error:
        raise UsageError(str(error)) from None


def _refuse_options(verb: str, options: Options) -> None:
    """UsageError where an option is for another one of the audit's verbs."""
    if verb != "verify" and (options.named_dialect or options.as_json):
        raise UsageError(
            f"{'--dialect' if options.named_dialect else '--json'} is for audit verify"
        )
    if verb != "report" and options.output:
        raise UsageError("-o is for audit report")


def _paths(args: list[str]) -> list[Path]:
    """The files of a command line, each once: what is read twice would be counted twice."""
    if not args:
        raise UsageError("audit needs the FILE of a record")
    for name in args:
        if name == "-" or is_web(name):
            raise UsageError(f"a record is a file, not {in_words(name)}")
    files: dict[str, Path] = {}
    for name in args:
        files.setdefault(os.path.realpath(name), Path(name))
    return list(files.values())


class _ReadingProgress(Progress):
    """How far the reading of a record is."""

    def on_lines(self, file: RecordFile) -> None:
        """More lines were read. The file may grow meanwhile; a pipe has no size."""
        self.show(f"{counted(file.lines, 'line')} of {file.path}", file.done, file.size)


def _verify(args: list[str], options: Options) -> int:
    paths = _paths(args)
    progress = _ReadingProgress()

    def on_difference(difference: Difference) -> None:
        progress.end()
        if options.as_json:
            print_json(_as_json(difference))
        else:
            _print_difference(difference)

    checked = check(paths, options.named_dialect, on_difference, progress.on_lines)
    progress.end()
    if options.as_json:
        hashes = {str(path): digest for path, digest in checked.hashes.items()}
        print_json(asdict(checked) | {"hashes": hashes})
    else:
        _print_sums(checked, options)
    return 2 if checked.errors else int(bool(checked.differ))


def _as_json(difference: Difference) -> dict[str, Any]:
    return {
        "file": str(difference.path),
        "line": difference.line,
        "url": difference.url,
        "recorded": difference.answers.recorded,
        "now": difference.answers.now,
    }


def _print_difference(difference: Difference) -> None:
    now = difference.answers.now
    assert now is not None  # what cannot be decided is counted, and is no difference
    url = shown(shortened(difference.url, MAX_LINE))
    print_line(f"{shown(str(difference.path))}, line {difference.line}: {url}")
    print_line(f"    recorded: {_answer(difference.answers.recorded)}")
    print_line(f"    now:      {_answer(now)}")


def _answer(fields: Mapping[str, Any]) -> str:
    group = ""
    if "group" in fields:
        group = f" (group {fields['group']!r}, line {fields.get('group_line', 0)})"
    preferences = "".join(f"; {preference_words(one)}" for one in fields.get("preferences", ()))
    words = shortened(cause_words(fields) + group + preferences, MAX_LINE)
    return f"{painted_verdict(fields)}: {shown(words)}"


def _print_sums(checked: Checked, options: Options) -> None:
    for note in checked.notes:
        print_line(f"note: {shown(note)}")
    for error in checked.errors:
        print_line(f"{paint('broken', 'red')}: {shown(error)}")
    how = f"as {options.named_dialect.name} reads" if options.named_dialect else "anew"
    agree = checked.decisions - checked.differ - checked.unknown
    tdmreps = f", {checked.tdmreps:,} tdmrep.json" if checked.tdmreps else ""
    print_sentence(
        f"{counted(checked.lines, 'line')}, {checked.robots:,} robots.txt{tdmreps}; "
        f"{counted(checked.decisions, 'decision')} made {how}: "
        f"{_with_verb(agree, 'agree')}, {_with_verb(checked.differ, 'differ')}"
    )
    if checked.differ:
        print_line(f"{counted(checked.changed, 'request')} would have gone the other way")
    if checked.unknown:
        print_line(f"{checked.unknown:,} cannot be made: that dialect would have fetched more")
    if checked.exempt:
        print_line(
            f"{counted(checked.exempt, 'request')} passed about which no robots.txt was asked"
        )
    for path, digest in checked.hashes.items():
        print_line(f"{shown(str(path))} ends with {digest}")


def _with_verb(count: int, verb: str) -> str:
    return f"{count:,} {verb}{'s' * (count == 1)}"


def _show(args: list[str], _options: Options) -> int:
    *names, url = args or [""]
    if len(args) < 2 or ("://" not in url and Path(url).is_file()):
        raise UsageError("audit show takes the FILE of a record, or several, and then a URL")
    if "://" not in url:
        hint = whole_url_of(url) or "one such as https://example.com/a"
        raise UsageError(f"{url!r} is no whole URL: write {hint}")
    progress, blocks, notes = _ReadingProgress(), Blocks(), list[str]()
    for story in stories_of(_paths(names), as_url(url), notes, progress.on_lines):
        progress.end()
        blocks.begin()
        if isinstance(story, Story):
            print_story(story)
        else:
            print_page_story(story)
    progress.end()
    if blocks.count:
        return 0
    print_line(f"no decision about {shown(url)} is in the record")
    for note in notes:  # why there is none, perhaps
        print_line(f"note: {shown(note)}")
    return 1


def _report(args: list[str], options: Options) -> int:
    if not options.output:
        raise UsageError("audit report needs -o PAGE.html")
    if os.path.realpath(options.output) in map(os.path.realpath, args):
        raise UsageError(f"-o {options.output} is the record itself: name another file")
    try:
        check_jinja2()
    except ValueError as error:
        raise UsageError(str(error)) from None
    progress = _ReadingProgress()
    overview = overview_of(_paths(args), progress.on_lines)
    progress.end()
    try:
        with whole_file(Path(options.output)) as file:
            file.write(audit_page(overview).encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise UsageError(f"cannot write {options.output}: {error.strerror}") from None
    return int(bool(overview.differ))


def _warc(args: list[str], _options: Options) -> int:
    if len(args) < 2:
        raise UsageError("audit warc takes the FILE of a record, or several, and then the WARC")
    *names, target = args
    if target == "-":
        raise UsageError("audit warc takes a file to write, not standard output")
    try:
        count = write_warc(_paths(names), Path(target))
    except FileExistsError:
        raise UsageError(f"{target} is there already: name another file") from None
    except OSError as error:
        raise UsageError(f"cannot write {target}: {error.strerror}") from None
    print_line(f"{counted(count, 'exchange')} in {shown(target)}")
    return 0
