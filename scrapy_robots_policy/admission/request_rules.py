"""Which rules decide about a request, as far as they are known: nothing waits here.

Rules are those of the origin's robots.txt, or of the file that the user has set in its place. Where
the crawl declares a purpose that a tdmrep.json may refuse, they are those of that file, too.
"""

from __future__ import annotations

from scrapy.http import Request

from ..config.request_config import RequestConfig, RequestConfigs
from ..rep import Origin, tdmrep
from ..rep.url import TDMREP, key_of, url_of
from ..rep.usage import TDM_RESERVATION, Preference, UseAnswer, answer
from ..report.crawl_events import CrawlEvents
from ..resolver.origin import OriginRules, rules_given
from ..resolver.resolver import Resolver
from .crawl_policy import CrawlPolicy


class RequestRules:
    """Finds the rules for requests.

    configs   gives the dialect and the agent of a request
    resolver  has what is known of the origins
    policy    how the crawl decides
    """

    def __init__(
        self,
        configs: RequestConfigs,
        resolver: Resolver,
        policy: CrawlPolicy,
        events: CrawlEvents,
    ) -> None:
        self.configs, self.resolver, self.policy, self.events = configs, resolver, policy, events
        self._asks_tdmrep = policy.use.may_be_refused_by(TDM_RESERVATION)

    def config(self, request: Request, origin: Origin) -> RequestConfig:
        return self.configs.of(request.meta, request.headers.get(b"User-Agent"), origin)

    def cached(self, request: Request, origin: Origin, config: RequestConfig) -> OriginRules | None:
        """All that decides about a request, where it is known without waiting."""
        rules = self._cached_robots_txt(request, origin, config)
        if rules is None or not self._asks_tdmrep or not self.needs_tdmrep(request, rules, config):
            return rules
        reserved = self.resolver.cached(key_of(origin, TDMREP), tdmrep.DIALECT, request)
        return None if reserved is None else rules.with_tdmrep(reserved)

    def latest(self, request: Request, origin: Origin, config: RequestConfig) -> OriginRules | None:
        """All that is known, however old; None: nothing is. Nothing is fetched."""
        rules = self.latest_robots_txt(origin, config)
        return None if rules is None else self._with_latest_tdmrep(request, rules, config)

    def latest_robots_txt(self, origin: Origin, config: RequestConfig) -> OriginRules | None:
        """The rules of the robots.txt that is known, however old. Nothing is fetched."""
        if config.robots_txt is not None:
            return rules_given(origin, config.dialect, config.robots_txt)
        return self.resolver.latest(origin, config.dialect)

    def needs_tdmrep(self, request: Request, rules: OriginRules, config: RequestConfig) -> bool:
        """Whether the origin's tdmrep.json may decide about a request that declares a purpose.

        Only robots.txt itself is free of its own rules: a tdmrep.json that it forbids is not
        requested.
        """
        if not self._asks_tdmrep or not config.obey:
            return False
        if not rules.allowed(request.url, config.agent):
            return False
        if rules.allowed(url_of(key_of(rules.origin, TDMREP)), config.agent):
            return True
        self.events.on_tdmrep_forbidden(rules.origin)
        return False

    def answer(
        self,
        request: Request,
        origin: Origin,
        config: RequestConfig,
        of_page: tuple[Preference, ...],
    ) -> UseAnswer:
        """The answer to the declared use of a page, with what the page itself says."""
        rules = self._of_page(request, origin, config)
        if rules is None:
            return answer(of_page, self.policy.use)
        preferences = rules.preferences(request.url, config.agent, self.policy.use)
        overridden = rules.overridden(request.url, config.agent)
        return answer((*preferences, *of_page), self.policy.use, overridden)

    def report(self, rules: OriginRules, config: RequestConfig) -> None:
        """Report what a robots.txt that was looked up for a page asks of the page's crawler."""
        self.events.on_rules(rules, config.agent, self.policy.delay(rules, config))
        if self._asks_tdmrep:
            self._report_tdmrep(rules, config)

    def _report_tdmrep(self, rules: OriginRules, config: RequestConfig) -> None:
        """Report the tdmrep.json that is known, where a robots.txt allows it."""
        key = key_of(rules.origin, TDMREP)
        reserved = self.resolver.latest(key, tdmrep.DIALECT)
        if reserved is not None and rules.allowed(url_of(key), config.agent):
            self.events.on_tdmrep_allowed(reserved)

    def _of_page(
        self, request: Request, origin: Origin, config: RequestConfig
    ) -> OriginRules | None:
        """What decided about a page, or has come since; it may have grown too old meanwhile."""
        rules = self._cached_robots_txt(request, origin, config)
        rules = rules or self.latest_robots_txt(origin, config)
        return None if rules is None else self._with_latest_tdmrep(request, rules, config)

    def _cached_robots_txt(
        self, request: Request, origin: Origin, config: RequestConfig
    ) -> OriginRules | None:
        """The rules of the robots.txt for a request, where they are known without waiting."""
        if config.robots_txt is not None:
            return rules_given(origin, config.dialect, config.robots_txt)
        return self.resolver.cached(origin, config.dialect, request)

    def _with_latest_tdmrep(
        self, request: Request, rules: OriginRules, config: RequestConfig
    ) -> OriginRules:
        if not self.needs_tdmrep(request, rules, config):
            return rules
        reserved = self.resolver.latest(key_of(rules.origin, TDMREP), tdmrep.DIALECT)
        return rules if reserved is None else rules.with_tdmrep(reserved)
