"""Under which terms a request is judged: the dialect, and the name our crawler goes by.

Knows: the order of strength: the request's own word, then the crawl's. Must not know: settings'
names, rules, what becomes of the request.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from .rep import Dialect, dialect_of, product_token

META_KEY = "robots"
_CHOICES = ("dialect", "agent")


@dataclass(frozen=True, slots=True)
class Terms:
    """`agent` is a product token."""

    dialect: Dialect
    agent: str


class TermsOfCrawl:
    """Finds the terms of a request.

    terms      those of the crawl
    by_header  whether a request that brings its own User-Agent header is judged by that
    """

    def __init__(self, terms: Terms, *, by_header: bool) -> None:
        self.terms, self.by_header = terms, by_header

    def of(self, meta: Mapping[str, Any], user_agent: bytes | None) -> Terms:
        """ValueError where the request's own word is no good."""
        terms = self.terms
        if self.by_header and user_agent:
            terms = replace(terms, agent=product_token(user_agent.decode("latin-1")))
        told = meta.get(META_KEY)
        return terms if told is None else _told(told, terms)


def _told(told: Any, terms: Terms) -> Terms:
    if not isinstance(told, Mapping) or not set(told) <= set(_CHOICES):
        msg = (
            f"request.meta[{META_KEY!r}] is {told!r}; it must be a dict of {' and '.join(_CHOICES)}"
        )
        raise ValueError(msg)
    return Terms(
        dialect_of(told.get("dialect", terms.dialect)),
        product_token(told.get("agent", terms.agent)),
    )
