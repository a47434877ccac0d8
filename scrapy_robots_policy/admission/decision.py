"""What holds for the requests to one host, and what it has against a page.

Knows: rules, the user's terms, delays and hours. Must not know: requests, Scrapy, stats.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from ..config import RequestConfig
from ..config.delay_limit import Delay
from ..rep import Reason, Verdict
from ..rep.usage import refusal
from ..rep.verdict import refuse
from ..report import Line
from ..resolver.origin import OriginRules


@dataclass(frozen=True, slots=True)
class Standing:
    """What holds for the requests to one host that ask for nothing special, and until when.

    at_once  says whether a URL is allowed for an agent; None where that is not all there is to ask
    """

    ruling: OriginRules
    terms: RequestConfig
    line: Line
    until: float
    delay: Delay
    at_once: Callable[[str, str], bool] | None


def objection(
    url: str, standing: Standing, purposes: Collection[str], patience: float, now: float
) -> Verdict | None:
    """The verdict that forbids a page; None where none does.

    purposes  what the crawl is for; the owner may refuse it
    patience  the seconds that a request waits for the hour of a site
    """
    ruling, agent = standing.ruling, standing.terms.agent
    if not ruling.allowed(url, agent):
        return ruling.verdict(url, agent)
    if standing.at_once is not None:
        return None
    if ruling.rules is not None and refusal(ruling.rules.usage(url, agent), purposes):
        return refuse(ruling.verdict(url, agent), purposes)
    if standing.delay.skips:
        return _held_off(standing, Reason.CRAWL_DELAY, f"{standing.delay.asked:g} s")
    if ruling.opens_in(agent, now) > patience:
        return _held_off(standing, Reason.VISIT_TIME, ", ".join(map(str, ruling.hours(agent))))
    return None


def _held_off(standing: Standing, reason: Reason, why: str) -> Verdict:
    """A verdict where it is not the rules that forbid a page."""
    terms = standing.terms
    return Verdict(False, reason, terms.dialect.name, terms.agent, why=why)
