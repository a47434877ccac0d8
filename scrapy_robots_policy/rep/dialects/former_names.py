"""Names that crawlers had before, as data: those of which the operator has said that it no longer
uses them. A group for one of them names no crawler of today.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class FormerName:
    """A name that is no longer used.

    name       as it was written in robots.txt files
    operator   who used it
    successor  the crawler of today, by its name in the tables of crawlers
    note       what the operator says of groups with the former name
    source     where the operator says so
    """

    name: str
    operator: str
    successor: str
    note: str
    source: str


_TO_404_MEDIA = (
    "a spokesperson of Anthropic in 404media.co/websites-are-blocking-the-wrong-ai-scrapers-"
    "because-ai-companies-keep-making-new-ones, update of 30 July 2024: the two names are no "
    "longer in use, and ClaudeBot respects what was set for them"
)
_ANTHROPIC_SAYS = "Anthropic said in July 2024 that ClaudeBot obeys such a group"

FORMER_NAMES: Mapping[str, FormerName] = MappingProxyType(
    {
        name.lower(): FormerName(name, "Anthropic", "ClaudeBot", _ANTHROPIC_SAYS, _TO_404_MEDIA)
        for name in ("anthropic-ai", "Claude-Web")
    }
)
"""By name, in lower case."""
