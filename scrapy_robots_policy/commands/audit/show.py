"""`audit show`: the story of one URL at the terminal.

A `Story` is one decision with all that it rests on; a `PageStory` is what a page said about its own
use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from w3lib.url import safe_url_string

from ...record.fields import page_url
from ...record.reading import OnProgress, RecordFile
from ...record.replay import Answers, Replay, replaying
from ...rep import origin_of
from ...rep.escapes import shortened, shown
from ...rep.text import readable_lines
from ..arguments import UsageError
from ..printing.terminal import (
    MAX_LINE,
    Blocks,
    print_columns,
    print_line,
    print_numbered,
)
from ..typed_urls import as_url, whole_url_of
from .words import (
    ReadingProgress,
    cause_words,
    painted_verdict,
    preference_words,
    software_words,
    source_words,
    time_words,
)


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


_AROUND = 2  # lines of the file shown around those that matter


def print_story(story: Story) -> None:
    decision = story.decision
    _print_head(decision)
    print_line(f"{painted_verdict(decision)}, and why:")
    _print_facts(_facts(story))
    if story.body is not None:
        print_line()
        _print_file(story)


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


def show(args: list[str], paths_of: Callable[[list[str]], list[Path]]) -> int:
    *names, url = args or [""]
    if len(args) < 2 or ("://" not in url and Path(url).is_file()):
        raise UsageError("audit show takes the FILE of a record, or several, and then a URL")
    if "://" not in url:
        hint = whole_url_of(url) or "one such as https://example.com/a"
        raise UsageError(f"{url!r} is no whole URL: write {hint}")
    progress, blocks, notes = ReadingProgress(), Blocks(), list[str]()
    for story in stories_of(paths_of(names), as_url(url), notes, progress.on_lines):
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
