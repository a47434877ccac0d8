"""`scrapy robots diff OLD NEW`: what a change of the file changes for pages, and by which line."""

from __future__ import annotations

from ...rep.agents import STAR
from ...rep.escapes import brief
from ...resolver.origin import OriginRules
from ..arguments import Options, UsageError
from ..printing.access_table import in_seconds
from ..printing.causes_in_full import in_full
from ..printing.terminal import Blocks, paint, print_columns, print_error, print_json, print_line
from ..reading.inputs import read, robots_txt_of, rules_from
from ..reading.named_crawlers import named_crawlers
from .file_changes import CLOSES, OPENS, Change, CrawlersChanges, changes_of

_COLOURS = {OPENS: "green", CLOSES: "red"}
_MAX_NAMES = 8  # crawlers that a line names


def run(options: Options) -> int:
    """1 if an answer changes; 2 if none does, and not all crawlers were asked about."""
    if len(options.args) != 2:
        raise UsageError(f"diff takes two files or URLs, OLD and NEW, not {len(options.args)}")
    before, after = (_rules(source, options) for source in options.args)
    crawlers = {
        name.lower(): name
        for source, rules in zip(options.args, (before, after), strict=True)
        for name in named_crawlers(source, rules.access.octets, options.dialect)
    }
    crawlers = {STAR: STAR, **crawlers}  # the first
    is_changed, is_whole, blocks = False, True, Blocks()
    for changes in changes_of(before, after, crawlers.values()):
        is_changed |= changes.are_some
        is_whole &= changes.is_whole
        if options.as_json:
            _print_json(changes)
        elif changes.are_some:
            blocks.begin()
            _print(changes)
        else:
            print_error(f"too many lines: not asked about were {_names(changes.crawlers)}")
    if is_changed or not is_whole:
        return 1 if is_changed else 2
    if not options.as_json:
        print_line(f"no answer changes in {options.dialect.name}")
    return 0


def _rules(source: str, options: Options) -> OriginRules:
    """UsageError where a site gives no answer: what it would be is not known."""
    name = robots_txt_of(source)
    result = read(name, options)
    if result.status is None:
        raise UsageError(f"cannot read {name}: {in_full(result.cause)}")
    return rules_from("", result, options.dialect)


def _print(changes: CrawlersChanges) -> None:
    print_columns([(_names(changes.crawlers),)])
    rows = [
        (change.kind, _paths(change), change.after.cause, f"before: {change.before.cause}")
        for change in changes.changes
    ]
    before, after = map(_in_words, changes.delays)
    if before != after:
        rows.append(("delay", "", after, f"before: {before}"))
    print_columns(rows, indent="  ", painted=_painted)


def _names(crawlers: list[str]) -> str:
    names = ["every other crawler" if name == STAR else name for name in crawlers]
    more = len(names) - _MAX_NAMES
    shown_names = ", ".join(map(brief, names[:_MAX_NAMES]))
    return shown_names + (f" and {more} more" if more > 0 else "")


def _paths(change: Change) -> str:
    more = f" (and {change.count - 1} more)" if change.count > 1 else ""
    return brief(change.path) + more


def _painted(cell: str) -> str:
    return paint(cell, _COLOURS[cell]) if cell in _COLOURS else cell


def _in_words(delay: float | None) -> str:
    return "none" if delay is None else in_seconds(delay)


def _print_json(changes: CrawlersChanges) -> None:
    rows = [
        {
            "change": change.kind,
            "path": change.path,
            "paths": change.count,
            "before": change.before._asdict(),
            "after": change.after._asdict(),
        }
        for change in changes.changes
    ]
    before, after = changes.delays
    print_json(
        {
            "crawlers": changes.crawlers,
            "changes": rows,
            "delay": {"before": before, "after": after},
            "whole": changes.is_whole,
        }
    )
