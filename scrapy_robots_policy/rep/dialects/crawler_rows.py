"""How the tables of crawlers are written: one agent for each chain of names."""

from __future__ import annotations

from dataclasses import replace

from ..agents import Agent, Category, CrawlerFacts
from .options import Certainty


def agents_of(
    dialect: str, source: str, certainty: Certainty, *chains: tuple[str, ...], facts: CrawlerFacts
) -> list[Agent]:
    """One agent for each chain, named as the chain's first name."""
    return [
        Agent(chain[0], dialect, tuple(name.lower() for name in chain), source, certainty, facts)
        for chain in chains
    ]


def engine(
    dialect: str,
    source: str,
    certainty: Certainty,
    main: tuple[str, ...],
    *others: tuple[str, ...],
    facts: CrawlerFacts,
) -> list[Agent]:
    """An engine's main crawler, and its robots for pictures, news and the like."""
    part = replace(facts, category=Category.SEARCH_PART)
    return [
        *agents_of(dialect, source, certainty, main, facts=facts),
        *agents_of(dialect, source, certainty, *others, facts=part),
    ]
