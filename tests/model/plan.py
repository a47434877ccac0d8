"""What the user has set: for a crawl, and for single requests."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

from scrapy_robots_policy.rep import DIALECTS
from scrapy_robots_policy.rep.dialect import CrawlDelay
from tests.crawls import STEADY
from tests.model.oracle import LONGEST_DELAY, POLICIES
from tests.model.site_files import AGENT, File

# All pace lines are read, so that there is one oracle for them.
PROXY = "http://10.0.0.9:3128"
PACED = {
    name: DIALECTS[name].but(f"{name}-paced", crawl_delay=CrawlDelay.OWN_OR_ALL)
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
    cuts_delays  whether no longer delay is kept than `LONGEST_DELAY`
    own_delays  hosts, each with the delay that the user has set for it
    given      hosts, each with the robots.txt that the user has set in place of its own
    download_delay  Scrapy's own DOWNLOAD_DELAY
    """

    dialect: str
    keeps: str
    obeys: str = "yes"
    redirects: str = "anywhere"
    purpose: str = ""
    cuts_delays: bool = False
    own_delays: tuple[tuple[str, float], ...] = ()
    given: tuple[tuple[str, File], ...] = ()
    download_delay: float = 0.0

    @property
    def trains(self) -> bool:
        return self.purpose == "train-ai"

    @property
    def settings(self) -> dict[str, Any]:
        settings = {"ROBOTS_DIALECT": PACED[self.dialect], "ROBOTS_PURPOSE": self.purpose or None}
        settings |= OBEYS[self.obeys] | REDIRECTS[self.redirects]
        settings |= {"DOWNLOAD_DELAY": self.download_delay, **STEADY}
        if self.cuts_delays:
            settings["ROBOTS_CRAWL_DELAY_MAX"] = LONGEST_DELAY
        overrides = {host: {"crawl_delay": delay} for host, delay in self.own_delays}
        for host, file in self.given:
            overrides[host] = {**overrides.get(host, {}), "robots_txt": str(file)}
        return settings | {"ROBOTS_OVERRIDES": overrides}

    def delay(self, host: str, asked_for: float) -> float:
        """The delay that is kept at a host which asks for one."""
        return dict(self.own_delays).get(
            host, min(asked_for, LONGEST_DELAY if self.cuts_delays else inf)
        )


@dataclass(frozen=True)
class Manner:
    """How a crawl is asked for a page: what the request chooses for itself.

    dialect    the name of one in `POLICIES`; "": that of the crawl
    agent      the name that the request has in a robots.txt
    is_exempt  whether no robots.txt is to be asked
    is_proxied  whether it goes through a proxy, which lets pages through and no documents
    """

    dialect: str = ""
    agent: str = AGENT
    is_exempt: bool = False
    is_proxied: bool = False

    @property
    def meta(self) -> dict[str, Any]:
        if self.is_exempt:
            return {"dont_obey_robotstxt": True}
        own = {"dialect": PACED[self.dialect]} if self.dialect else {}
        own |= {"agent": self.agent} if self.agent != AGENT else {}
        proxy = {"proxy": PROXY} if self.is_proxied else {}
        return {**proxy, "robots": own} if own else proxy
