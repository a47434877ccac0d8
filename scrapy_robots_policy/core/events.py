"""What happens in a crawl, as its listeners hear of it.

Three more stand where they arise: a request is refused, or passes (`decision.Decision`), a request
keeps its turn and does not go (`turns.Held`), and an override is used (`overrides.Permission`).
"""

from __future__ import annotations

from enum import Enum
from typing import Any, NamedTuple

from ..rep import CacheEntry, FetchResult, Verdict
from ..rep.usage.answer import UseAnswer
from ..rep.usage.preferences import Preference
from .overrides import RequestConfig
from .result import Exchange
from .site import OriginRules


class Source(Enum):
    """Where an entry came from."""

    SITE = "site"  # it was fetched
    STORE = "store"
    CACHE = "cache"  # the document of another origin was redirected to it, so it was fetched then
    FLEET = "fleet"  # another process fetched it while this one was about to


class LookedUp(NamedTuple):
    """A look at the store or at the site has ended; the requests that wait for it still do.

    Attributes:
        rules: what is known now, as the dialect of `config` reads it.
        before: what was known before; None: nothing was.
        page: the request for which it was looked up, with its configuration.
        at: seconds since the epoch.
        exchanges: the requests that were sent for it.

    """

    rules: OriginRules
    before: OriginRules | None
    source: Source
    page: Any
    config: RequestConfig
    at: float
    exchanges: tuple[Exchange, ...] = ()


class Fetched(NamedTuple):
    """A document of a site was fetched, or was not.

    Attributes:
        key: the origin for a robots.txt, else the key of the document.
        error: what kept a response from coming.
        is_fault: whether it is a fault of this package, or of code of the user's, not of the site.
        exchanges: the requests that were sent.
        copy: what Scrapy's HTTP cache has of it, where no answer came.

    """

    key: str
    result: FetchResult
    error: BaseException | None = None
    is_fault: bool = False
    exchanges: tuple[Exchange, ...] = ()
    copy: CacheEntry | None = None


class StoreFailed(NamedTuple):
    """A store could not do something (`verb`), or gave back what cannot be used."""

    verb: str
    error: Exception


class StoreWorks(NamedTuple):
    """A store that has failed works again."""


class Delayed(NamedTuple):
    """A request has waited for a robots.txt, or for its turn, in seconds."""

    origin: str
    rules: float
    turn: float


class Exempt(NamedTuple):
    """A request passes about which no robots.txt is asked."""

    request: Any
    why: str
    at: float


class PageRefused(NamedTuple):
    """A page that the robots.txt allows is refused by its own answer."""

    origin: str
    request: Any
    refusal: Verdict
    at: float


class PageSpoke(NamedTuple):
    """A page that was fetched says something about its use.

    Attributes:
        preferences: what it says.
        answer: to the uses that the crawl declares, with what its site says.

    """

    origin: str
    url: str
    preferences: tuple[Preference, ...]
    answer: UseAnswer
    at: float


class Begun(NamedTuple):
    """The crawl begins, with this configuration for most requests."""

    config: RequestConfig


class Ended(NamedTuple):
    """The crawl has ended."""

    reason: str
    at: float
