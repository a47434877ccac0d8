"""`scrapy robots check`: may these URLs be fetched, by whom, and why? One line in, one line out."""

from __future__ import annotations

import json
import sys
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from io import BufferedReader
from typing import cast

from ...core.decision import decide
from ...core.site import OriginRules
from ...rep import Verdict, origin_of
from ...rep.agents import crawler_note, find_agent
from ...rep.escapes import shown
from ...rep.sniffing import looks_like_text
from ...rep.url import server_forms
from ..arguments import READING, SITES, USE, Arguments, Options, UsageError
from ..printing.terminal import Progress, csv_cell, in_full, paint_verdict, print_csv, print_error
from ..printing.verdict_data import (
    DISALLOWED,
    NO_URL,
    UNREACHABLE,
    answer_as_json,
    is_unreachable,
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

Answer = Verdict | str
"""What is said of a URL; a sentence where it is none."""


ARGUMENTS = Arguments(
    "[URL ...]",
    (*READING, *USE, "--tdmrep", "--quiet", "--jobs", "--timeout"),
    ("text", "json", "csv"),
    (
        "0 all URLs are allowed",
        "1 a URL is refused",
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
    if options.output_format == "csv":
        print_csv(("verdict", "url", "agent") + ("cause",) * (not options.quiet))
    answered = _of_one_file(options) if options.robots else _Sites(options).answered
    line_of = _LINES[options.output_format or "text"]
    statuses: set[int] = set()
    for batch in batches:
        for url, answer in answered(batch):
            word, status = _word(answer)
            statuses.add(status)
            if isinstance(answer, str):
                print_error(answer)
            sys.stdout.write(line_of(url, word, answer, options))
        sys.stdout.flush()
    if not statuses:
        print_error("there is no URL on standard input")
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
    return [url for url in lines if url and not url.startswith("#")]


Answered = Callable[[Iterable[str]], Iterator[tuple[str, Answer]]]


def _of_one_file(options: Options) -> Answered:
    rules = Inputs(options).rules("")
    _warn(rules, options)
    return lambda urls: ((url, why_no_url(url) or _decided(url, rules, options)) for url in urls)


def _decided(url: str, rules: OriginRules, options: Options) -> Verdict:
    return decide(server_forms(url), rules, options.agent, options.use)


class _Sites:
    """The answers of many sites, whose files are fetched some at a time."""

    def __init__(self, options: Options) -> None:
        self._options, self._inputs = options, Inputs(options)
        self._fetches = Fetches(self._fetched, options.jobs or SITES)
        self._by_origin: OrderedDict[str, OriginRules] = OrderedDict()
        self._progress = Progress()

    def answered(self, urls: Iterable[str]) -> Iterator[tuple[str, Answer]]:
        for url in started_ahead(urls, self._start):
            origin = origin_of(url)
            if origin is None or not can_be_asked(origin):
                yield url, why_no_site(url)
            else:
                yield url, _decided(url, self._rules(origin), self._options)

    def _start(self, url: str) -> None:
        origin = origin_of(url)
        if origin and origin not in self._by_origin and can_be_asked(origin):
            self._fetches.start(origin)

    def _fetched(self, origin: str) -> OriginRules:
        """Called in threads: it shows no progress."""
        fetch = partial(fetched, options=self._options)
        rules = rules_from(origin, fetch(f"{origin}/robots.txt"), self._options.dialect)
        return self._inputs.with_tdmrep(rules, origin, fetch)

    def _rules(self, origin: str) -> OriginRules:
        rules = self._by_origin.get(origin)
        if rules is None:
            sys.stdout.flush()
            self._progress.step(f"{origin}/robots.txt")
            rules = self._by_origin[origin] = self._fetches.result(origin)
            self._progress.end()
            _warn(rules, self._options)
            if len(self._by_origin) > MAX_SITES:
                self._by_origin.popitem(last=False)
        return rules


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


def _word(answer: Answer) -> tuple[str, int]:
    """The answer in a word or two, and the exit status for it."""
    if isinstance(answer, str):
        return "no URL", NO_URL
    if is_unreachable(answer):
        return "unreachable", UNREACHABLE
    return word_of(answer), 0 if answer.allowed else DISALLOWED


def _as_text(url: str, word: str, answer: Answer, options: Options) -> str:
    if isinstance(answer, str):
        return ""  # standard error has the sentence
    why = "" if options.quiet else f": {answer.cause}"
    room = len("refused" if options.robots else "unreachable")  # of one file all are, or none
    return f"{paint_verdict(word.ljust(room))}  {shown(url)}  for {shown(answer.agent)}{why}\n"


def _as_csv(url: str, word: str, answer: Answer, options: Options) -> str:
    cause = answer if isinstance(answer, str) else answer.cause
    cells = (word, url, options.agent) + (cause,) * (not options.quiet)
    return ",".join(map(csv_cell, cells)) + "\n"


def _as_json(url: str, word: str, answer: Answer, options: Options) -> str:
    if isinstance(answer, str):
        about = dict.fromkeys(_FIELDS) | {"url": url, "agent": options.agent, "cause": answer}
        about |= {"dialect": options.dialect.name, "reason": "no_url", "line": 0}
    else:
        about = answer_as_json(url, answer)
    about["verdict"] = word
    names = _FIELDS[:5] if options.quiet else _FIELDS
    return json.dumps({name: about[name] for name in names}) + "\n"


_FIELDS = ("url", "allowed", "verdict", "agent", "dialect", "reason", "cause", "line", "rule")
_LINES = {"text": _as_text, "csv": _as_csv, "json": _as_json}
