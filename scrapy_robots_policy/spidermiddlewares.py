"""The shell that Scrapy calls for what a spider makes of a response.

Knows: requests, items, and how to drop or mark one. Must not know: how tags are written or joined,
nor how HTML is read.

A page that gives no reason to act costs a look at its headers: what the spider yields is then
passed on as it is. Even that every page pays for, so where nothing is asked of pages the middleware
takes its place in the chain only when a header or a request's meta gives the first reason.
"""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from scrapy import Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem
from scrapy.http import HtmlResponse, Request, Response
from scrapy.utils.defer import deferred_from_coro
from scrapy.utils.log import logformatter_adapter

from . import compat
from .config import RequestConfig, RequestConfigs, TagSettings
from .rep import origin_of
from .rep.page_tags import Statement, tags_of
from .rep.usage import Preference, refusal
from .tags import response as page
from .tags.actions import BY_TAG, MARKS, ON_ITEMS, ON_REQUESTS, Action, Actions, read_actions

logger = logging.getLogger(__name__)

META_KEY = "robots_tags"
REL = "rel-nofollow"
DROPPED = "dropped"
_FIELDS = {"nofollow": "follow", "noindex": "index", "noarchive": "archive"}
_DONE = {
    Action.OFF: "would_drop",
    Action.COUNT: "would_drop",
    Action.MARK: "marked",
    Action.DROP: DROPPED,
}


class ItemRefused(DropItem):
    """An item dropped for what its page says. `part`: "noindex" …; `cause`: what says so."""

    def __init__(self, part: str, cause: str) -> None:
        super().__init__(f"Refused by its page: {cause}")
        self.part, self.cause = part, cause


@dataclass(frozen=True, slots=True)
class _Finding:
    """One part that a page asks for, what is done about it, and the words that ask for it."""

    part: str
    action: Action
    cause: str


@dataclass(frozen=True, slots=True)
class _Page:
    """A page with a reason to act. `links`: what it does not want followed, each for itself."""

    response: Response
    findings: tuple[_Finding, ...]
    links: frozenset[str] = frozenset()
    on_links: Action = Action.OFF


class RobotsTagMiddleware:
    """Drops requests and drops or marks items as X-Robots-Tag, robots meta tags, rel="nofollow" and
    Content-Usage headers ask, as far as the user wants them obeyed.
    """

    def __init__(self, crawler: Crawler) -> None:
        settings = TagSettings.from_crawler(crawler)
        self.crawler = crawler
        self.now = time.time
        self.actions, self.purposes = settings.actions, settings.purposes
        self.terms = RequestConfigs(
            RequestConfig(settings.dialect, settings.agent),
            settings.overrides,
            by_header=settings.by_header,
        )

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> RobotsTagMiddleware | Lookout:
        middleware = cls(crawler)
        return middleware if middleware.is_needed else Lookout(middleware)

    @property
    def is_needed(self) -> bool:
        """Whether each page has to be looked at."""
        parts = {part for part, action in self.actions.items() if action is not Action.OFF}
        return bool(self.purposes or parts - {"use"})

    def process_spider_output(
        self,
        response: Response,
        result: Iterable[Any],
        spider: Spider | None = None,  # noqa: ARG002 - Scrapy 2.13 gives it
    ) -> Iterable[Any]:
        told = self._read(response)
        return result if told is None else self._kept(result, told)

    async def process_spider_output_async(
        self,
        response: Response,
        result: AsyncIterator[Any],
        spider: Spider | None = None,  # noqa: ARG002 - Scrapy 2.13 gives it
    ) -> AsyncIterator[Any]:
        told = self._read(response)
        async for output in result:
            if told is None or self._keeps(output, told):
                yield output

    def _kept(self, result: Iterable[Any], told: _Page) -> Iterator[Any]:
        return (output for output in result if self._keeps(output, told))

    def _read(self, response: Response) -> _Page | None:
        """What the page asks for; None where that is nothing."""
        request = response.request
        assert request is not None  # Scrapy has made one for every response that a spider sees
        actions = self._actions(request)
        statements = list(page.header_statements(response))
        links: frozenset[str] = frozenset()
        if isinstance(response, HtmlResponse):
            if any(actions[part] is not Action.OFF for part in BY_TAG):
                statements += page.meta_statements(response)
            if actions[REL] is not Action.OFF:
                links = page.nofollow_links(response)
        said = page.usage_preferences(response) if self.purposes else ()
        if not statements and not links and not said:
            return None
        terms = self._terms(request, response)
        if terms is None:
            return None
        causes = {**self._by_tags(statements, terms), **self._by_use(said)}
        findings = tuple(_Finding(part, actions[part], cause) for part, cause in causes.items())
        return _Page(response, findings, links, actions[REL]) if findings or links else None

    def _actions(self, request: Request) -> Actions:
        told = request.meta.get(META_KEY)
        if told is None:
            return self.actions
        return {**self.actions, **read_actions(f"request.meta[{META_KEY!r}]", told)}

    def _terms(self, request: Request, response: Response) -> RequestConfig | None:
        """None where nobody is to be obeyed."""
        origin = origin_of(response.url)
        if origin is None:
            return None  # nobody's page: data:, file:
        terms = self.terms.of(request.meta, request.headers.get(b"User-Agent"), origin)
        return terms if terms.obey else None

    def _by_tags(self, statements: Iterable[Statement], terms: RequestConfig) -> Mapping[str, str]:
        """The parts that tags ask for, with their words."""
        tags = tags_of(statements, terms.agent, terms.dialect)
        asked = {part: name for part, name in _FIELDS.items() if not getattr(tags, name)}
        if tags.unavailable_after is not None and tags.unavailable_after <= self.now():
            asked["expired"] = "unavailable_after"
        return {part: str(tags.cause(name)) for part, name in asked.items()}

    def _by_use(self, said: Iterable[Preference]) -> Mapping[str, str]:
        refused = refusal(said, self.purposes)
        return {} if refused is None else {"use": str(refused)}

    def _keeps(self, output: Any, told: _Page) -> bool:
        if isinstance(output, Request):
            return self._keeps_request(output, told)
        return output is None or self._keeps_item(output, told)

    def _keeps_request(self, request: Request, told: _Page) -> bool:
        if request.url == told.response.url:
            return True  # the page once more is no link that was found on it
        findings = [finding for finding in told.findings if finding.part in ON_REQUESTS]
        if told.links and page.link_key(request.url, told.response) in told.links:
            findings.append(_Finding(REL, told.on_links, 'a link with rel="nofollow"'))
        for finding in findings:
            done = _DONE[finding.action]
            self._count(finding, done)
            if done == DROPPED:
                logger.debug(
                    "Not followed: %(request)s, found on %(page)s, %(cause)s",
                    {"request": request, "page": told.response.url, "cause": finding.cause},
                    extra={"spider": self.crawler.spider},
                )
                return False
        return True

    def _keeps_item(self, item: Any, told: _Page) -> bool:
        for finding in told.findings:
            if finding.part not in ON_ITEMS:
                continue
            marks = finding.action is Action.MARK
            done = DROPPED if marks and not _mark(item, finding.part) else _DONE[finding.action]
            self._count(finding, done)
            if done == DROPPED:
                why = f"; {type(item).__name__} has no field {MARKS!r} for a mark" if marks else ""
                self._drop(item, ItemRefused(finding.part, finding.cause + why), told.response)
                return False
        return True

    def _drop(self, item: Any, reason: ItemRefused, response: Response) -> None:
        """As the item pipeline drops one: the log line and the signal are Scrapy's own."""
        crawler, spider = self.crawler, self.crawler.spider
        assert spider is not None  # it has just yielded the item
        assert crawler.logformatter is not None
        line = crawler.logformatter.dropped(item, reason, response, spider)
        if line is not None:
            logger.log(*logformatter_adapter(line), extra={"spider": spider})
        named = {"item": item, "response": response, "spider": spider, "exception": reason}
        deferred_from_coro(compat.send(crawler, signals.item_dropped, **named))

    def _count(self, finding: _Finding, done: str) -> None:
        assert self.crawler.stats is not None  # the crawl has begun
        self.crawler.stats.inc_value(f"robots/tags/{finding.part}/{done}")


class Lookout:
    """Stands in for the middleware until a page gives it a reason to act."""

    def __init__(self, middleware: RobotsTagMiddleware) -> None:
        self.middleware: RobotsTagMiddleware | None = middleware

    def process_spider_input(
        self,
        response: Response,
        spider: Spider | None = None,  # noqa: ARG002 - Scrapy 2.13 gives it
    ) -> None:
        if self.middleware is None:
            return
        request = response.request
        assert request is not None  # as in `_read`
        # All names in them are in one form; Headers would bring ours into it for every response.
        if META_KEY in request.meta or dict.__contains__(response.headers, b"X-Robots-Tag"):
            compat.add_spider_middleware(self.middleware.crawler, self.middleware)
            self.middleware = None


def _mark(item: Any, part: str) -> bool:
    """Note the part in the item; False where it has no field for it."""
    from itemadapter import ItemAdapter  # noqa: PLC0415 - few crawls mark items

    try:
        adapter = ItemAdapter(item)
        adapter[MARKS] = [*(adapter.get(MARKS) or ()), part]
    except (KeyError, TypeError):
        return False
    return True
