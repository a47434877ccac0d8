"""The documents in which a site speaks for a whole origin, and the keys under which they are known.

The key of a robots.txt is its origin. The key of any other document is the origin and its path, so
that stores, leases and caches take both alike.
"""

from __future__ import annotations

# The documents in which a site speaks for a whole origin, and the keys under which they are known.
# The key of a robots.txt is its origin. The key of any other document is the origin and its path,
# so that stores, leases and caches take both alike.
ROBOTS_TXT = "/robots.txt"
TDMREP = "/.well-known/tdmrep.json"
DOCUMENTS = (ROBOTS_TXT, TDMREP)


def key_of(origin: str, document: str) -> str:
    """The key of an origin's document, one of `DOCUMENTS`."""
    return origin if document == ROBOTS_TXT else origin + document


def document_of(key: str) -> str:
    """The document that a key is of."""
    return TDMREP if key.endswith(TDMREP) else ROBOTS_TXT


def origin_of_key(key: str) -> str:
    """The origin that a key is of."""
    return key.removesuffix(TDMREP)


def url_of(key: str) -> str:
    """Where a document is requested."""
    return origin_of_key(key) + document_of(key)
