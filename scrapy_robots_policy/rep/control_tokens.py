"""Control tokens: names in User-agent lines that crawl nothing, and control the use of pages.

A crawl that declares a purpose asks the groups of these tokens too. Only a group that names the
token counts: the group for all crawlers ("*") says who may fetch, not for what.

The "shared machine-readable training preference signal" of
draft-kelley-aipref-training-preference-signal-00 (30 October 2026) is such a token. Its spelling
could not be read in the draft, so it is not in the table: ROBOTS_PURPOSE_TOKENS can name it. Google
intends to support it (changelog of developers.google.com/crawling, 30 October 2026).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ControlToken:
    """A token, and the purposes that it controls, of `preference.PURPOSES`."""

    name: str
    purposes: frozenset[str]
    source: str


CONTROL_TOKENS = (
    ControlToken(
        "Google-Extended",
        frozenset({"train-ai", "ai-input"}),
        "developers.google.com/crawling/docs/crawlers-fetchers/google-common-crawlers: a "
        "standalone product token; training of Gemini models, and grounding",
    ),
    ControlToken(
        "Applebot-Extended",
        frozenset({"train-ai"}),
        "support.apple.com/en-us/119829: crawls nothing; training of Apple's foundation models",
    ),
)


def tokens_for(purposes: Collection[str]) -> tuple[str, ...]:
    """The tokens of the table that control one of the purposes."""
    return tuple(token.name for token in CONTROL_TOKENS if not token.purposes.isdisjoint(purposes))
