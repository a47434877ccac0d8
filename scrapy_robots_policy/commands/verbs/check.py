"""`scrapy robots check`: may these URLs be fetched, by whom, and why? One line in, one line out."""

from __future__ import annotations

import json
import sys
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from io import BufferedReader
from typing import NamedTuple, cast

from ...decision import decide
from ...rep import Verdict, origin_of
from ...rep.access import looks_like_text
from ...rep.agents import crawler_note, find_agent
from ...rep.escapes import shown
from ...rep.url import server_forms
from ...site import OriginRules
from ..arguments import READING, SITES, USE, Arguments, Options, UsageError
from ..printing.terminal import Progress, csv_cell, in_full, paint_verdict, print_csv, print_error
from ..printing.verdict_data import (
    DISALLOWED,
    NO_URL,
    UNREACHABLE,
    is_unreachable,
    rule_in_json,
    word_of,
)
from ..reading.inputs import (
    Fetches,
    Inputs,
    fetched,
    in_words,
    robots_txt_of,
    rules_from,
    started_ahead,
    warn_of_overrides,
)
from ..typed_urls import can_be_asked, text_of, why_no_site, why_no_url

MAX_SITES = 1000  # sites whose rules are kept while a stream of URLs is read
_CHUNK = 1 << 20
_MARK = "\ufeff"  # some editors start a file of UTF-8 with it


class Line(NamedTuple):
    """A line of output but for its URL, and the exit status that it asks for."""

    before: str
    after: str
    status: int


Describe = Callable[[Verdict], Line]
LineOf = Callable[[str], Line]  # of a URL


ARGUMENTS = Arguments(
    "[URL ...]",
    (*READING, *USE, "--tdmrep", "--quiet", "--jobs", "--timeout"),
    ("text", "json", "csv"),
    (
        "0 all URLs are allowed",
        "1 a URL is disallowed",
        "2 something is no URL, or a wrong command line; the other URLs are answered",
        "3 a robots.txt is unreachable, so nothing is allowed there; other URLs are answered",
    ),
    (
        "check https://example.com/a https://example.org/b",
        "check --robots robots.txt --agent Googlebot --dialect google /a /b",
        "check --output-format csv --jobs 50 --timeout 5 < urls.txt",
    ),
)


def run(options: Options) -> int:
    note, known = crawler_note(options.agent), find_agent(options.agent)
    if note:
        print_error(note)
    if known and options.named_dialect is None:
        print_error(f"{known.name} reads as {options.dialect.name}")
    is_stream = options.args in ([], ["-"])
    batches = _batches_from_stdin(options) if is_stream else [options.urls]
    describe, cell = _format(options)
    if options.output_format == "csv":
        heads = ("verdict", "url", "agent") + ("cause",) * (not options.quiet)
        print_csv(heads)
    statuses: set[int] = set()
    if options.robots:
        rules = Inputs(options).rules("")
        _warn(rules, options)
        line_of = _line_of(rules, options, describe)
        for batch in batches:
            urls = [url for url in batch if not _refuse(why_no_url(url), statuses)]
            _print(urls, map(line_of, urls), cell, statuses)
            sys.stdout.flush()
    else:
        sites = _Sites(options, describe)
        for batch in batches:
            for url, line in sites.answered(batch, statuses):
                _print([url], [line], cell, statuses)
            sys.stdout.flush()
    by_rank = (status for status in (NO_URL, UNREACHABLE, DISALLOWED) if status in statuses)
    return next(by_rank, 0)


def _batches_from_stdin(options: Options) -> Iterator[list[str]]:
    """The URLs that are there, so that whoever writes one at a time is answered one at a time."""
    if options.robots == "-":
        raise UsageError("standard input is the robots.txt: give the URLs as arguments")
    if sys.stdin.isatty():
        raise UsageError("check needs URLs, as arguments or on standard input")
    rest = bytearray()
    stdin = cast("BufferedReader", sys.stdin.buffer)
    while chunk := stdin.read1(_CHUNK):
        whole, end, rest_of_line = chunk.rpartition(b"\n")
        if end:
            yield _urls(bytes(rest + whole))
            rest = bytearray(rest_of_line)
        else:
            rest += chunk
    yield _urls(bytes(rest))


def _urls(body: bytes) -> list[str]:
    lines = (line.removeprefix(_MARK).strip() for line in text_of(body).split("\n"))
    return [url for url in lines if url]


def _print(
    urls: list[str], lines: Iterable[Line], cell: Callable[[str], str], statuses: set[int]
) -> None:
    answers = list(lines)
    statuses |= {line.status for line in answers}
    pairs = zip(urls, answers, strict=True)
    sys.stdout.write("".join([f"{before}{cell(url)}{after}" for url, (before, after, _) in pairs]))


def _refuse(fault: str, statuses: set[int]) -> bool:
    """Whether there is a fault, which is then shown."""
    if fault:
        print_error(fault)
        statuses.add(NO_URL)
    return bool(fault)


class _Sites:
    """The lines of output for many sites, whose files are fetched some at a time."""

    def __init__(self, options: Options, describe: Describe) -> None:
        self._options, self._describe, self._inputs = options, describe, Inputs(options)
        self._fetches = Fetches(self._rules_of, options.jobs or SITES)
        self._by_origin: OrderedDict[str, LineOf] = OrderedDict()
        self._progress = Progress()

    def answered(self, urls: Iterable[str], statuses: set[int]) -> Iterator[tuple[str, Line]]:
        for url in started_ahead(urls, self._start):
            origin = origin_of(url)
            if origin is None or not can_be_asked(origin):
                _refuse(why_no_site(url), statuses)
            else:
                yield url, self._line_of(origin)(url)

    def _start(self, url: str) -> None:
        origin = origin_of(url)
        if origin and origin not in self._by_origin and can_be_asked(origin):
            self._fetches.start(origin)

    def _rules_of(self, origin: str) -> OriginRules:
        """Called in threads: it shows no progress."""
        fetch = partial(fetched, options=self._options)
        rules = rules_from(origin, fetch(f"{origin}/robots.txt"), self._options.dialect)
        return self._inputs.with_tdmrep(rules, origin, fetch)

    def _line_of(self, origin: str) -> LineOf:
        line_of = self._by_origin.get(origin)
        if line_of is None:
            sys.stdout.flush()
            self._progress.step(f"{origin}/robots.txt")
            rules = self._fetches.result(origin)
            self._progress.end()
            _warn(rules, self._options)
            line_of = self._by_origin[origin] = _line_of(rules, self._options, self._describe)
            if len(self._by_origin) > MAX_SITES:
                self._by_origin.popitem(last=False)
        return line_of


def _line_of(rules: OriginRules, options: Options, describe: Describe) -> LineOf:
    return lambda url: describe(decide(server_forms(url), rules, options.agent, options.use))


def _warn(rules: OriginRules, options: Options) -> None:
    """One sentence where there is no robots.txt on which the answers could rest, and one where a
    crawl would answer otherwise.
    """
    where = (
        f"{rules.origin}/robots.txt" if rules.origin else in_words(robots_txt_of(options.robots))
    )
    if is_unreachable(rules.verdict("/", options.agent)):
        why, mode = in_full(rules.access.why), rules.mode.description
        print_error(f"{where} is unreachable ({why}): {options.dialect.name}: {mode}")
    elif rules.access.oddity:
        print_error(
            f"{where} is {rules.access.oddity}: {options.dialect.name}: {rules.access.effect}"
        )
    elif not looks_like_text(rules.access.body):
        print_error(f"{where} does not look like text: no rules can be expected of it")
    if rules.origin:
        warn_of_overrides(rules.origin, options)


def _word(verdict: Verdict) -> tuple[str, int]:
    """The verdict in a word, and the exit status for it."""
    if is_unreachable(verdict):
        return "unreachable", UNREACHABLE
    return word_of(verdict), 0 if verdict.allowed else DISALLOWED


def _format(options: Options) -> tuple[Describe, Callable[[str], str]]:
    """How a line is made of a verdict, and how the URL is written in it."""
    if options.as_json:
        return lambda verdict: _as_json(verdict, options), json.dumps
    if options.output_format == "csv":
        return lambda verdict: _as_csv(verdict, options), csv_cell
    return lambda verdict: _as_text(verdict, options), shown


def _as_text(verdict: Verdict, options: Options) -> Line:
    word, status = _word(verdict)
    why = "" if options.quiet else f": {verdict.cause}"
    room = len("disallowed" if options.robots else "unreachable")  # of one file all are, or none
    return Line(
        f"{paint_verdict(word.ljust(room))}  ", f"  for {shown(verdict.agent)}{why}\n", status
    )


def _as_csv(verdict: Verdict, options: Options) -> Line:
    word, status = _word(verdict)
    why = "" if options.quiet else f",{csv_cell(verdict.cause)}"
    return Line(f"{word},", f",{csv_cell(verdict.agent)}{why}\n", status)


def _as_json(verdict: Verdict, options: Options) -> Line:
    word, status = _word(verdict)
    fields: dict[str, object] = {
        "allowed": verdict.allowed,
        "verdict": word,
        "agent": verdict.agent,
        "dialect": verdict.dialect,
    }
    if not options.quiet:
        fields |= {
            "reason": verdict.reason.value,
            "cause": verdict.cause,
            "line": verdict.line,
            "rule": rule_in_json(verdict.rule) if verdict.rule else None,
        }
    return Line('{"url": ', f", {json.dumps(fields)[1:]}\n", status)
