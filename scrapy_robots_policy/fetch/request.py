"""The request for a robots.txt: what it takes from the page's request, and what it never does.

It goes through all downloader middlewares, for proxies and the like, but it is no page: no cookies,
no credentials unless the server asks for some, no range, no condition but ours, no answer of a
cache while the site can be asked, no offsite filter, no redirect but the fetcher's.

Scrapy's middlewares add a default header only if the request has none. So an unwanted header is set
to an empty list, and deleted in `trim` just before sending.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any

from scrapy.http import Request
from scrapy.http.request import NO_CALLBACK

from .. import compat
from ..core.redirects import ANYWHERE, RedirectGuard
from ..core.unpacking import ACCEPTED
from ..rep import CacheEntry, Dialect, origin_of
from ..rep.documents import origin_of_key

PLAIN_KEY = "_robots_txt_plain"
CACHED_KEY = "_robots_txt_cached"
MAX_ON_THE_WIRE = 64 * 1024 * 1024  # bytes; `Body` cuts a file much earlier where it can
META = {
    "dont_obey_robotstxt": True,
    "dont_redirect": True,  # MetaRefreshMiddleware reads it too
    "dont_retry": True,
    "dont_cache": True,
    "dont_merge_cookies": True,
    "allow_offsite": True,
    "download_maxsize": MAX_ON_THE_WIRE,  # for a handler that does not tell what it has received
    "download_warnsize": 0,
    "download_fail_on_dataloss": True,
}
CARRIED_META = ("proxy",)  # a robots.txt fetched without it would show the site our own address
CARRIED_HEADERS = ("User-Agent", "Proxy-Authorization")  # our name, and what belongs to "proxy"
_PLAIN = frozenset({b"User-Agent", b"Proxy-Authorization"})  # who we are, and the way to the site
NOT_ADDED = ("Authorization", "Cookie", "Range")
CONDITIONS = ("If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "If-Range")
SHARE_IN_HASTE = 0.25  # of the time


class FetchSlot:
    """What a fetch holds while it is under way. This class sets no limit."""

    def rest(self) -> None:
        """The fetch waits for something else than an answer."""

    async def go_on(self, request: Request) -> None:
        """Wait until a request may go on that has been let go before."""

    async def begin(self, request: Request, hops: tuple[str, ...]) -> None:
        """Wait until a request of the fetch may be sent to its host. May raise CrawlClosing.

        Args:
            hops: the redirects that have led there.

        """

    def end(self, request: Request) -> None:
        """The response to a request has come, or it was given up."""


NO_LIMIT = FetchSlot()


@dataclass(frozen=True, slots=True)
class FetchOrder:
    """A robots.txt, or another document of an origin, to fetch.

    Attributes:
        origin: the key of the document, as `rep.url` makes it: the origin for a robots.txt.
        entry: what is known of it, so that the fetch can be conditional.
        page: the request that waits for it, of any kind.
        slot: has its requests wait until they may be sent.
        in_haste: whether sockets are short: then the fetch gets less time.
        cached_only: whether only Scrapy's HTTP cache is asked, and nothing is sent.
        is_plain: whether no header is sent but who we are: the server did not understand the
            others.
        with_credentials: whether Scrapy's middlewares may add theirs: the server has asked for
            some.

    """

    origin: str
    entry: CacheEntry | None
    dialect: Dialect
    page: Any
    slot: FetchSlot = NO_LIMIT
    in_haste: bool = False
    cached_only: bool = False
    is_plain: bool = False
    with_credentials: bool = False


Hook = Callable[[Request, Request], Request | None]


@dataclass(frozen=True, slots=True)
class RequestProfile:
    """How a robots.txt is asked for.

    Attributes:
        timeout: seconds for one request; a quarter of them for one in haste.
        meta: the keys taken from the meta of the page's request, where it has them.
        hook: called with the page's request and the one made for it; gives the one to send, or None
            where it has changed that one in place.
        guard: where redirects may lead.
        by_plugin: the URL schemes whose download handler is a plugin's. It sends its own
            Accept-Encoding: a browser's, or that of a service.
        not_added: the headers that middlewares may add to a page, and not to a robots.txt.
        has_credentials: whether the settings have some, which Scrapy's middlewares add to requests.

    """

    timeout: float
    meta: tuple[str, ...] = CARRIED_META
    hook: Hook | None = None
    guard: RedirectGuard = ANYWHERE
    by_plugin: frozenset[str] = frozenset()
    not_added: tuple[str, ...] = NOT_ADDED
    has_credentials: bool = False

    def request(self, url: str, headers: Mapping[str, str], order: FetchOrder) -> Request:
        """The request for a URL with more headers."""
        page: Request = order.page
        # A header that no middleware may add stands there without a value.
        not_added: dict[str, Any] = dict.fromkeys(self.not_added, ())
        if order.with_credentials and origin_of(url) == origin_of_key(order.origin):
            del not_added["Authorization"]  # no other site gets them, wherever it redirects to
        ours = dict(not_added)
        # The bytes of a validator are its characters: it goes back as it came.
        ours |= {name: value.encode("latin-1", "replace") for name, value in headers.items()}
        scheme = url.partition(":")[0]
        if scheme not in self.by_plugin:
            ours["Accept-Encoding"] = ACCEPTED
        timeout = self.timeout * SHARE_IN_HASTE if order.in_haste else self.timeout
        our_meta = {**META, "download_timeout": timeout, PLAIN_KEY: order.is_plain}
        if order.cached_only:
            our_meta |= {"dont_cache": False, CACHED_KEY: True}
        meta = {key: page.meta[key] for key in self.meta if key in page.meta} | our_meta
        taken = {}
        if page.headers:  # most pages have none yet, and a look for one takes Scrapy five calls
            taken = {
                name: page.headers.getlist(name) for name in CARRIED_HEADERS if name in page.headers
            }
        made = Request(url, NO_CALLBACK, headers=taken, meta=meta, dont_filter=True)
        made.headers.update(ours)  # in place of what was taken, however its name is written
        request = made
        if self.hook is not None:
            request = _hooked(self.hook, page, made, our_meta, not_added)
        # Else it would wait for itself, whatever meta the user has it take from the page.
        request.meta["dont_obey_robotstxt"] = True
        request.meta.pop("redirect_urls", None)  # an exemption ends with its origin
        return request

    def route(self, page: Request, sent: bytes = b"") -> Hashable:
        """What the request takes from a page's: requests by the same route fail alike.

        Args:
            sent: the User-Agent that Scrapy adds to a request without one. A redirect and a retry
                have it, too, because Scrapy has added it to the request before.

        """
        page = compat.with_one_form_of_proxy(page)  # so it is with the proxy of the environment
        meta = tuple((key, repr(page.meta[key])) for key in self.meta if key in page.meta)
        headers = (page.headers.getlist(name) for name in CARRIED_HEADERS)
        return meta, tuple(() if values == [sent] else tuple(values) for values in headers)


def trim(request: Request) -> None:
    """Take out headers without a value; of a plain request, all but those it cannot do without."""
    is_plain = request.meta.get(PLAIN_KEY, False)
    headers = request.headers
    for name, values in list(headers.items()):
        if not any(values) or (is_plain and name not in _PLAIN):
            del headers[name]


def _hooked(
    hook: Hook,
    page: Request,
    made: Request,
    our_meta: Mapping[str, Any],
    not_added: Mapping[str, Any],
) -> Request:
    request = hook(page, made) or made
    if not isinstance(request, Request):
        kind = type(request).__name__
        raise TypeError(
            f"ROBOTS_FETCH_HOOK gave back an object of type {kind}; it must be a Request or None"
        )
    if request is page:  # it would be exempt from its own rules
        raise ValueError("ROBOTS_FETCH_HOOK gave back the request of the page itself")
    if request is not made:
        # Scrapy keeps what it fetches by identity, and a hook may give one request many times. What
        # it leaves open is as in ours: else Scrapy would follow its redirects past our guard.
        request = request.replace(meta={**our_meta, **request.meta})
        for name, value in not_added.items():
            request.headers.setdefault(name, value)
    request.meta[PLAIN_KEY] = our_meta[PLAIN_KEY]
    return request
