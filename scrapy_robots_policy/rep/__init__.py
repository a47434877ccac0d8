"""The Robots Exclusion Protocol, of use without a crawl: no Scrapy or Twisted, no I/O, no clock."""

from .access import Access, AccessPolicy, Outcome, Record, Stance, advance, judge
from .agents import Agent, add_agents, find_agent, product_token
from .dialect import Dialect
from .dialects import DIALECTS, dialect_of, differences
from .octets import Origin, origin_of
from .rules import RuleSet, parse
from .verdict import Group, Reason, Rule, Verdict

__all__ = [
    "DIALECTS",
    "Access",
    "AccessPolicy",
    "Agent",
    "Dialect",
    "Group",
    "Origin",
    "Outcome",
    "Reason",
    "Record",
    "Rule",
    "RuleSet",
    "Stance",
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
