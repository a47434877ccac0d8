"""What the user has set: for a crawl, and for single requests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scrapy_robots_policy.rep import DIALECTS
from scrapy_robots_policy.rep.dialects.options import CrawlDelay
from tests.model.oracle import POLICIES
from tests.model.site_files import AGENT

# All pace lines are read, so that there is one oracle for them.
PACED = {
    name: DIALECTS[name].but(f"{name}-paced", crawl_delay=CrawlDelay.OWN_OR_ALL, visit_time=True)
    for name in POLICIES
}
REDIRECTS = {
    "anywhere": {},
    "on the site": {"ROBOTS_REDIRECTS": "same-site"},
    "to private hosts": {"ROBOTS_REDIRECT_HOSTS": ["10.0.0.*"]},
}
OBEYS = {"yes": {}, "dry run": {"ROBOTS_DRY_RUN": True}, "no": {"ROBOTSTXT_OBEY": False}}


@dataclass(frozen=True)
class Plan:
    """What the user has set.

    dialect    the name of one in `POLICIES`
    keeps      what keeps entries: the "memory" of a crawl, a store that is "kept" when it closes,
               or the store of a "fleet" of two crawls
    obeys      one of `OBEYS`
    redirects  one of `REDIRECTS`
    purpose    what the crawl declares; "": nothing
    """

    dialect: str
    keeps: str
    obeys: str = "yes"
    redirects: str = "anywhere"
    purpose: str = ""

    @property
    def trains(self) -> bool:
        return self.purpose == "train-ai"

    @property
    def settings(self) -> dict[str, Any]:
        settings = {"ROBOTS_DIALECT": PACED[self.dialect], "ROBOTS_PURPOSE": self.purpose or None}
        return settings | OBEYS[self.obeys] | REDIRECTS[self.redirects]


@dataclass(frozen=True)
class Manner:
    """How a crawl is asked for a page: what the request chooses for itself.

    dialect    the name of one in `POLICIES`; "": that of the crawl
    agent      the name that the request has in a robots.txt
    is_exempt  whether no robots.txt is to be asked
    """

    dialect: str = ""
    agent: str = AGENT
    is_exempt: bool = False

    @property
    def meta(self) -> dict[str, Any]:
        if self.is_exempt:
            return {"dont_obey_robotstxt": True}
        own = {"dialect": PACED[self.dialect]} if self.dialect else {}
        own |= {"agent": self.agent} if self.agent != AGENT else {}
        return {"robots": own} if own else {}
