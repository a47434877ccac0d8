"""The Robots Exclusion Protocol, of use without a crawl: no Scrapy or Twisted, no I/O, no clock."""

from .access import Access, AccessMode, AccessPolicy, CacheEntry, FetchResult, advance, judge
from .agents import Agent, add_agents, find_agent, product_token
from .dialect import Dialect
from .engines import DIALECTS, dialect_of, differences
from .rules import RuleSet, parse
from .url import Origin, origin_of
from .verdict import Group, Reason, Rule, Verdict

__all__ = [
    "DIALECTS",
    "Access",
    "AccessMode",
    "AccessPolicy",
    "Agent",
    "CacheEntry",
    "Dialect",
    "FetchResult",
    "Group",
    "Origin",
    "Reason",
    "Rule",
    "RuleSet",
    "Verdict",
    "add_agents",
    "advance",
    "dialect_of",
    "differences",
    "find_agent",
    "judge",
    "origin_of",
    "parse",
    "product_token",
]
