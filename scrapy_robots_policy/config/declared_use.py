"""What a crawl declares that it does with pages, from the settings that say so."""

from __future__ import annotations

from ..rep.control_tokens import tokens_for
from ..rep.preference import DeclaredUse
from .setting_values import Values


def declared_use(values: Values) -> DeclaredUse:
    """SettingError for a wrong value."""
    purposes = values["ROBOTS_PURPOSE"] or frozenset()
    tokens = values["ROBOTS_PURPOSE_TOKENS"]
    return DeclaredUse(
        purposes,
        values["ROBOTS_CONTENT_USE"] or "",
        tokens_for(purposes) if tokens is None else tokens,
        values["ROBOTS_TDMREP"],
    )
