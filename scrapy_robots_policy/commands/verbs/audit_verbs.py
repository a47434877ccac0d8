"""`scrapy robots audit VERB FILE...`: check a record of a crawl, and print what it says."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ...audit.audit_page import audit_page
from ...audit.overview import overview_of
from ...audit.reading import AuditError, RecordFile
from ...audit.story import Story, stories_of
from ...audit.verify import Check, Checked, Difference
from ...audit.warc import WarcError, write_warc
from ...audit.words import cause_words, preference_words
from ...rep.escapes import nearest, shortened, shown
from ...report.formats import counted
from ...whole_file import whole_file
from ..arguments import Options, UsageError
from ..printing.terminal import (
    MAX_LINE,
    Blocks,
    Progress,
    paint,
    print_json,
    print_line,
    print_sentence,
)
from ..reading.download import is_web
from ..reading.inputs import in_words
from ..typed_urls import as_url, whole_url_of
from .audit_story import painted_verdict, print_page_story, print_story


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
