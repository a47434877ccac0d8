"""The story of one decision, or of what a page says about its use, printed at a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...audit.story import PageStory, Story
from ...audit.words import (
    cause_words,
    preference_words,
    software_words,
    source_words,
    time_words,
)
from ...lint import readable_lines
from ...rep.escapes import brief, shortened
from ..printing.terminal import MAX_LINE, paint, print_columns, print_line, print_numbered

_AROUND = 2  # lines of the file shown around those that matter


def print_story(story: Story) -> None:
    decision = story.decision
    _print_head(decision)
    print_line(f"{painted_verdict(decision)}, and why:")
    _print_facts(_facts(story))
    if story.octets is not None:
        print_line()
        _print_file(story)


def painted_verdict(fields: Mapping[str, Any]) -> str:
    """Whether a request passed. Anybody may have written the record: escaped."""
    verdict = fields["verdict"]
    return paint(brief(verdict), "green" if verdict == "passed" else "red")


def _print_head(fields: Mapping[str, Any]) -> None:
    print_columns([(f"{_time(fields['at'])}  {shortened(fields['url'], MAX_LINE)}",)])


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
        yield "request", f"{_time(exchange['asked'])}  {exchange['url']}: {outcome}"
    yield "answered", f"{_time(robots['answered'])}, {story.decision.get('age', 0):g} s before"
    if robots["fresh_until"]:
        yield "fresh until", _time(robots["fresh_until"])
    if story.octets is not None:
        yield "octets", f"{len(story.octets):,}, SHA-256 {robots['sha256']}"
    if story.answers is not None:
        yield "made anew", "the same answer" if story.answers.agree else _now(story)


def _now(story: Story) -> str:
    assert story.answers is not None
    now = story.answers.now
    return "not possible" if now is None else f"{now['verdict']}: {cause_words(now)}"


def _time(moment: str) -> str:
    return time_words(moment, milliseconds=True)


def _print_file(story: Story) -> None:
    """The lines of the robots.txt that matter, and those around them."""
    assert story.octets is not None
    lines, decision = readable_lines(story.octets), story.decision
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
