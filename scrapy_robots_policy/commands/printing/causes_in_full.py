"""What kept a robots.txt from coming, in a few words for people: the same in all verbs.

A verdict and JSON have the one or two words of `fetch.causes`, for tables and for programs.
"""

from __future__ import annotations

# No command has the other causes: they are of Scrapy's middlewares.
MEANINGS = {
    "dns": "no address is known for the host",
    "tls": "no secure connection can be made",
    "timeout": "no whole answer came in time",
    "reset": "the connection was closed before an answer had come",
    "cut body": "the connection was closed in the middle of the file",
    "unreadable body": "the Content-Encoding of the file cannot be taken off",
    "no HTTP": "what answers there is no web server",
    "304 unasked for": "the site says that a copy is current which nobody has",
    "refused by the proxy": "the proxy wants other credentials",
    "connection refused": "no server listens at that host and port",
    "connection failed": "no connection can be made",
}


def in_full(why: str) -> str:
    """A cause with its meaning: "dns, no address is known for the host". A status is as it was.

    why  as an `Access` has it: "dns", "timeout after 2 redirects", "503"
    """
    meaning = MEANINGS.get(why.partition(" after ")[0])
    return f"{why}, {meaning}" if meaning else why
