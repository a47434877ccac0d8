"""Where a robots.txt comes from: a file, standard input, a URL, or the site of each URL.

Fetches from many sites, some at a time, whose results are used one after another.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from time import time
from typing import Generic, TypeVar
from urllib.parse import urlsplit

from ...core.result import MAX_BYTES, whole_lines
from ...core.site import OriginRules, Site
from ...rep import AccessMode, Dialect, FetchResult, judge, origin_of, parse, tdmrep
from ...rep.access import AccessOverrides, CacheEntry, remember
from ...rep.documents import TDMREP, key_of, url_of
from ...rep.usage.preferences import TDM_RESERVATION
from ..arguments import Options, UsageError
from ..printing.terminal import Progress, print_error
from ..typed_urls import can_be_asked, whole_url_of, why_no_site
from .download import fetch, is_web

AHEAD = 1000  # items for which a fetch is started before their turn comes

Item = TypeVar("Item")
Result = TypeVar("Result")


class Fetches(Generic[Result]):
    """The results of `fetch`, which is called in `at_a_time` threads. They end with the process: a
    run that is interrupted waits for none of them.
    """

    def __init__(self, fetch: Callable[[str], Result], at_a_time: int) -> None:
        self._fetch, self._room = fetch, at_a_time
        self._orders: SimpleQueue[tuple[str, Future[Result]]] = SimpleQueue()
        self._results: dict[str, Future[Result]] = {}

    def start(self, url: str) -> None:
        """Fetch the URL as soon as a thread is free, unless that is under way already."""
        if url in self._results:
            return
        self._results[url] = Future()
        self._orders.put((url, self._results[url]))
        if self._room:
            self._room -= 1
            Thread(target=self._work, daemon=True).start()

    def result(self, url: str) -> Result:
        """Wait for the result. It is given once, and then forgotten."""
        self.start(url)
        return self._results.pop(url).result()

    def _work(self) -> None:
        while True:
            url, future = self._orders.get()
            try:
                future.set_result(self._fetch(url))
            except BaseException as error:  # noqa: BLE001 - it is raised where the result is awaited
                future.set_exception(error)


def started_ahead(items: Iterable[Item], start: Callable[[Item], None]) -> Iterator[Item]:
    """The items in order. Before one is given, `start` is called for `AHEAD` items after it."""
    waiting: deque[Item] = deque()
    for item in items:
        start(item)
        waiting.append(item)
        if len(waiting) > AHEAD:
            yield waiting.popleft()
    yield from waiting


def read(source: str, options: Options, path: str = "/robots.txt") -> FetchResult:
    """What comes of a FILE, a URL or "-". A fetch that fails is a result; else as `read_file`."""
    return fetched(source, options) if is_web(source) else read_file(source, path)


def fetched(url: str, options: Options) -> FetchResult:
    """What comes of one try to fetch a URL, in the time that the user gives it. A user's name and
    password are not sent, as in the crawl.

    Redirects are followed up to the largest number that one of the dialects allows. Each dialect
    then judges the result by its own number.
    """
    redirects = max(dialect.access.redirects for dialect in options.dialects or [options.dialect])
    return fetch(_without_user(url), options.user_agent, redirects, options.guard, options.timeout)


def robots_txt_of(source: str) -> str:
    """The file or URL to read, without a user's name and password. For the URL of a site, that of
    its robots.txt.
    """
    if not is_web(source):
        return source
    parts, origin = urlsplit(source), origin_of(source)
    is_site = parts.path in ("", "/") and not parts.query
    return f"{origin}/robots.txt" if is_site and origin else _without_user(source)


def _without_user(url: str) -> str:
    """A URL without a user's name and password; another URL in its query stands as it is."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def in_words(source: str) -> str:
    """A FILE, a URL or "-", for people."""
    return "standard input" if source == "-" else source


def read_bytes(name: str, max_bytes: int = -1) -> bytes:
    """Those of a FILE, or of standard input for "-". UsageError if it cannot be read."""
    if not name:
        raise UsageError("the name of a file is empty")  # as a variable of a shell may be
    try:
        if name == "-":
            return sys.stdin.buffer.read(max_bytes)
        with Path(name).open("rb") as file:
            return file.read(max_bytes)
    except OSError as error:
        raise UsageError(f"cannot read {name}: {error.strerror}") from None
    except ValueError:  # it has a NUL in it, or what the system's encoding does not have
        raise UsageError(f"cannot read {name!r}: no file can have that name") from None


def read_file(source: str, path: str = "/robots.txt") -> FetchResult:
    """A FILE, or "-"; it counts as served with status 200. Of a larger one as much is read as a
    crawl reads of any file. UsageError if it cannot be read.

    Args:
        path: where a site has that file: a user may have left out the scheme of the site.

    """
    try:
        body = read_bytes(source, MAX_BYTES + 1)
    except UsageError as error:
        whole = whole_url_of(source, path)
        hint = f"; if it is a site, write {whole}" if whole else ""
        if "://" in source and not whole:
            hint = "; of URLs, only http and https can be fetched"
        raise UsageError(f"{error}{hint}") from None
    if len(body) > MAX_BYTES:
        print_error(f"{in_words(source)} is cut after {MAX_BYTES:,} bytes, as in a crawl")
    return FetchResult(200, whole_lines(body))


def reservations_from(key: str, result: FetchResult) -> OriginRules:
    """What a tdmrep.json says that was fetched at this moment."""
    now = time()
    state = Site(key, AccessOverrides(), remember(None, result, now))
    rules = state.rules(tdmrep.DIALECT, now)
    assert rules is not None  # there is an entry, fetched for this dialect
    return rules


def rules_from(origin: str, result: FetchResult, dialect: Dialect) -> OriginRules:
    """How a dialect reads a fetch result of this moment."""
    now = time()
    return _rules(origin, remember(None, result, now), now, dialect)


def _rules(origin: str, entry: CacheEntry, now: float, dialect: Dialect) -> OriginRules:
    access = judge(entry, now, dialect.access)
    rules = parse(access.body, dialect) if access.mode is AccessMode.RULES else None
    return OriginRules(origin, dialect, access, rules)


def warn_of_overrides(origin: str, options: Options) -> None:
    """One sentence where a crawl of the project asks this site for something else."""
    set_by = options.set_by(origin)
    if set_by:
        where = " and ".join(dict.fromkeys(set_by.values()))
        fields = ", ".join(set_by)
        print_error(f"for {origin} a crawl takes {fields} from {where}; this answer does not")


class Inputs:
    """The robots.txt for each URL: the one of --robots for all, or that of each URL's site. The
    same holds for the tdmrep.json and --tdmrep.
    """

    def __init__(self, options: Options) -> None:
        self._options = options
        self._source = robots_txt_of(options.robots)
        self._for_all = read(self._source, options) if self._source else None
        self._tdmrep = read(options.tdmrep, options, TDMREP) if options.tdmrep else None
        self._progress = Progress()

    def name(self, url: str) -> str:
        """The name of the robots.txt for a URL, as FILE or URL."""
        return self._source or f"{origin_of(url)}/robots.txt"

    def result(self, url: str) -> FetchResult:
        """The fetch result of the robots.txt for a URL. UsageError if the URL has no site."""
        if self._for_all is not None:
            return self._for_all
        origin = origin_of(url)
        if origin is None or not can_be_asked(origin):
            raise UsageError(why_no_site(url))
        return self._fetched(f"{origin}/robots.txt")

    def _fetched(self, url: str) -> FetchResult:
        self._progress.step(url)
        try:
            return fetched(url, self._options)
        finally:
            self._progress.end()

    def rules(self, url: str) -> OriginRules:
        """The rules for a URL, in the dialect of the command line. UsageError as in `result`."""
        origin = "" if self._for_all is not None else origin_of(url) or ""
        rules = rules_from(origin, self.result(url), self._options.dialect)
        return self.with_tdmrep(rules, url, self._fetched)

    def with_tdmrep(
        self, rules: OriginRules, url: str, fetch: Callable[[str], FetchResult]
    ) -> OriginRules:
        """The rules and the tdmrep.json: the one that is named, or, as in a crawl, the site's, if a
        purpose is declared that it may refuse, and if robots.txt allows it.
        """
        key = key_of(origin_of(url) or "", TDMREP)
        result, own = self._tdmrep, url_of(key)
        is_asked = self._options.use.may_be_refused_by(TDM_RESERVATION) and not self._for_all
        if result is None and is_asked and rules.allowed(own, self._options.agent):
            result = fetch(own)
        return rules if result is None else rules.with_tdmrep(reservations_from(key, result))
