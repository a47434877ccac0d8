"""Where a robots.txt comes from: a file, standard input, a URL, or the site of each URL."""

from __future__ import annotations

import sys
from pathlib import Path
from time import time
from urllib.parse import urlsplit

from ..rep import AccessMode, Dialect, FetchResult, judge, origin_of, parse, tdmrep
from ..rep.access import AccessOverrides
from ..rep.cache_entry import remember
from ..rep.documents import TDMREP, key_of, url_of
from ..rep.html_page import start_of
from ..rep.preference import TDM_RESERVATION
from ..resolver.origin import OriginRules, OriginState
from .arguments import Options, UsageError
from .download import fetch, is_web
from .terminal import Progress, print_error
from .typed_urls import can_be_asked, site_without_scheme, why_no_site

_CONTROLS = bytes({*range(0x20), 0x7F} - set(b"\t\n\v\f\r\x1b"))
_MAX_SHARE = 50  # in text, no more than one octet of so many is a control character


def read(source: str, options: Options, path: str = "/robots.txt") -> FetchResult:
    """What comes of a FILE, a URL or "-". A fetch that fails is a result; else as `read_file`."""
    return fetched(source, options) if is_web(source) else read_file(source, path)


def fetched(url: str, options: Options) -> FetchResult:
    """What comes of one try to fetch a URL, in the time that the user gives it."""
    redirects = options.dialect.access.redirects
    return fetch(url, options.user_agent, redirects, options.guard, options.timeout)


def robots_txt_of(source: str) -> str:
    """The file or URL to read. For the URL of a site, that of its robots.txt."""
    is_site = is_web(source) and urlsplit(source).path in ("", "/") and not urlsplit(source).query
    origin = origin_of(source)  # without a user's name and password, as in the crawl
    return f"{origin}/robots.txt" if is_site and origin else source


def read_file(source: str, path: str = "/robots.txt") -> FetchResult:
    """A FILE, or "-"; it counts as served with status 200. UsageError if it cannot be read.

    path  where a site has that file: a user may have left out the scheme of the site
    """
    try:
        octets = sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
    except OSError as error:
        whole = site_without_scheme(source, path)
        hint = f"; if it is a site, write {whole}" if whole else ""
        raise UsageError(f"cannot read {source}: {error.strerror}{hint}") from None
    return FetchResult(200, octets)


def looks_like_text(octets: bytes) -> bool:
    """Whether a file may be text in any encoding, by its start. Some files have a stray control."""
    start = start_of(octets)
    controls = len(start) - len(start.translate(None, _CONTROLS))
    return controls <= max(1, len(start) // _MAX_SHARE)


def reservations_from(key: str, result: FetchResult) -> OriginRules:
    """What a tdmrep.json says that was fetched at this moment."""
    now = time()
    state = OriginState(key, AccessOverrides(), remember(None, result, now))
    rules = state.rules(tdmrep.DIALECT, now)
    assert rules is not None  # there is an entry, fetched for this dialect
    return rules


def rules_from(origin: str, result: FetchResult, dialect: Dialect) -> OriginRules:
    """How a dialect reads a fetch result of this moment."""
    now = time()
    access = judge(remember(None, result, now), now, dialect.access)
    rules = parse(access.octets, dialect) if access.mode is AccessMode.RULES else None
    return OriginRules(origin, dialect, access, rules)


def warn_of_overrides(origin: str, options: Options) -> None:
    """One sentence where a crawl of the project asks this site for something else."""
    places = options.places(origin)
    if places:
        where = " and ".join(dict.fromkeys(places.values()))
        what = ", ".join(places)
        print_error(f"for {origin} a crawl takes {what} from {where}; this answer does not")


class Inputs:
    """The robots.txt for each URL: the one of --robots for all, or that of each URL's site."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._source = robots_txt_of(options.robots)
        self._for_all = read(self._source, options) if self._source else None
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
        self._progress.step(f"{origin}/robots.txt")
        try:
            return fetched(f"{origin}/robots.txt", self._options)
        finally:
            self._progress.end()

    def rules(self, url: str) -> OriginRules:
        """The rules for a URL, in the dialect of the command line. UsageError as in `result`."""
        origin = "" if self._for_all is not None else origin_of(url) or ""
        rules = rules_from(origin, self.result(url), self._options.dialect)
        return self.with_tdmrep(rules, url)

    def with_tdmrep(self, rules: OriginRules, url: str) -> OriginRules:
        """The rules and the tdmrep.json: the one that is named, or, as in a crawl, the site's, if a
        purpose is declared that it may refuse, and if robots.txt allows it.
        """
        key = key_of(origin_of(url) or "", TDMREP)
        source, path = self._options.tdmrep, urlsplit(url_of(key)).path
        is_asked = self._options.use.may_be_refused_by(TDM_RESERVATION) and not self._for_all
        if not source and is_asked and rules.allowed(url_of(key), self._options.agent):
            source = url_of(key)
        if not source:
            return rules
        self._progress.step(source)
        try:
            result = read(source, self._options, path)
            return rules.with_tdmrep(reservations_from(key, result))
        finally:
            self._progress.end()
