"""`scrapy robots audit VERB FILE...`: check the record of a crawl, and show it.

`verify` decides all anew, `show` tells the story of one URL at the terminal, and `warc` writes the
exchanges. `report` makes one page to print, which looks like the report of a crawl and is as
closed: no script, nothing from elsewhere.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ...audit.overview import (
    MAX_COUNTED,
    Overview,
    PageStory,
    Story,
    WarcError,
    cause_words,
    overview_of,
    preference_words,
    reason_words,
    software_words,
    source_words,
    stories_of,
    time_words,
    write_warc,
)
from ...audit.reading import AuditError, RecordFile
from ...audit.replay import Check, Checked, Difference
from ...lint import readable_lines
from ...rep.escapes import brief, nearest, shortened, shown
from ...rep.usage import statement
from ...report.formats import counted
from ...report.page import check_jinja2, render
from ...whole_file import whole_file
from ..arguments import Options, UsageError
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
            for (origin, cause), count in overview.causes.most_common()
        ],
        preferences=[
            (": ".join(filter(None, (label, statement(label, key, value)))), f"{count:,}")
            for (label, key, value), count in overview.preferences.most_common()
        ],
        files=[
            (str(file.path), f"{file.lines:,}", file.reason or "not ended here", file.hash)
            for file in overview.files
        ],
        fingerprints=sorted({one for file in overview.files for one in file.fingerprints.items()}),
        settings=sorted({one for crawl in crawls for one in crawl["settings"].items()}),
    )


def _counted_words(counter: Counter[str], of: str = "") -> list[tuple[str, int]]:
    words = {"reason": reason_words, "source": source_words}.get(of, str)
    return [(words(name), count) for name, count in counter.most_common()]


def _time(moment: str) -> str:
    return time_words(moment) if moment else "not recorded"


def _figures(overview: Overview) -> dict[str, int]:
    origins, exempt = len(overview.origins), sum(overview.exempt.values())
    return {
        "requests passed": overview.passed,
        "would be refused" if overview.dry_run else "requests refused": overview.refused.total(),
        "origins" if origins <= MAX_COUNTED else "or more origins": min(origins, MAX_COUNTED),
        "robots.txt recorded": overview.sources.total(),
        **({"tdmrep.json recorded": overview.tdmreps} if overview.tdmreps else {}),
        "decided anew, same answer": overview.decisions - exempt - overview.differ,
    }


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
    if story.octets is not None:
        yield "octets", f"{len(story.octets):,}, SHA-256 {robots['sha256']}"
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
        share = f", {min(100 * file.done // file.size, 100)} %" if file.size else ""
        self.show(f"{counted(file.lines, 'line')}{share} of {file.path}")


def _verify(args: list[str], options: Options) -> int:
    paths = _paths(args)
    progress = _ReadingProgress()

    def on_difference(difference: Difference) -> None:
        progress.end()
        if options.as_json:
            print_json(_as_json(difference))
        else:
            _print_difference(difference)

    checked = Check(options.named_dialect, on_difference, progress.on_lines).run(paths)
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
