"""One request for a robots.txt and its response, as a record of the crawl keeps them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request, one hop of redirects.

    asked_at     when the request was handed to the downloader, in seconds since the epoch
    answered_at  when the response, or the error, came
    status       of the response; None: none came, and `cause` says why
    sent         the request's headers, `received` the response's, by lower-case name
    """

    url: str
    asked_at: float
    answered_at: float
    status: int | None
    cause: str
    sent: Mapping[str, str]
    received: Mapping[str, str]
