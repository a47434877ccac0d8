"""The spider middleware: drops requests and drops or marks items as the tags of their page ask.

All that depends on the page alone is done once a page, before the first output of its callback is
looked at. A page without tags costs a look at its headers.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter
from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem
from scrapy.http import HtmlResponse, Request, Response
from scrapy.utils.defer import deferred_from_coro
from scrapy.utils.log import logformatter_adapter

from . import compat
from .admission import ITEM_KEY
from .core.overrides import RequestConfig
from .crawl_log import CrawlLog
from .rep import origin_of
from .rep.escapes import brief
from .rep.tags import Statement, names_of, tags_of
from .rep.usage.answer import UseAnswer, answer
from .rep.usage.preferences import TDM_RESERVATION, Place, Preference
from .settings.crawl import TagSettings
from .stats import TAGS
from .tags.actions import BY_TAG, MARKS, ON_ITEMS, ON_REQUESTS, Action, Actions, read_actions
from .tags.nofollow import NofollowLinks, nofollow_links
from .tags.preferences import (
    PAGE_PREFERENCES,
    has_header_preferences,
    header_preferences,
    html_preferences,
)
from .tags.statements import has_header_statements, header_statements, meta_statements

if TYPE_CHECKING:
    from typing_extensions import Self  # typing has it from Python 3.11 on

META_KEY = "robots_tags"
REL = "rel-nofollow"
DROPPED, WOULD_DROP = "dropped", "would_drop"
_FIELDS = {"nofollow": "follow", "noindex": "index", "noarchive": "archive"}
_STATS = {
    Action.OFF: WOULD_DROP,
    Action.COUNT: WOULD_DROP,
    Action.MARK: "marked",
    Action.DROP: DROPPED,
}


class ItemRefused(DropItem):
    """An item dropped because of a tag of its response.

    Attributes:
        part: "noindex", "noarchive", "expired" or "use".
        cause: the tag as written, without control characters and not longer than a log line should
            be.

    """

    def __init__(self, part: str, cause: str) -> None:
        super().__init__(f"Refused by its page: {cause}")
        self.part, self.cause = part, cause

    def __reduce__(self) -> tuple[type[ItemRefused], tuple[str, str]]:
        return type(self), (self.part, self.cause)


@dataclass(frozen=True, slots=True)
class _Demand:
    """One part that a page asks for, what is done about it, and the tag that asks for it."""

    part: str
    action: Action
    cause: str


@dataclass(frozen=True, slots=True)
class _Demands:
    """What one response asks of the requests and the items that come from it.

    Attributes:
        on_requests: for all of its requests.
        on_items: for all of its items.
        nofollow_links: URLs whose requests `on_link` is for; None: there are no such links.

    """

    response: Response
    on_requests: tuple[_Demand, ...]
    on_items: tuple[_Demand, ...]
    nofollow_links: NofollowLinks | None
    on_link: _Demand

    def for_request(self, request: Request) -> Iterator[_Demand]:
        if request.url == self.response.url:
            return  # a retry of the page is no link that stands on it
        yield from self.on_requests
        if self.nofollow_links is not None and request.url in self.nofollow_links:
            yield self.on_link


class RobotsTagMiddleware:
    """Drops requests and drops or marks items as X-Robots-Tag, robots meta tags, rel="nofollow" and
    preferences about the use of the page ask, as far as the user wants them obeyed.
    """

    def __init__(self, crawler: Crawler) -> None:
        settings = TagSettings.from_crawler(crawler)
        self.crawler, self.log = crawler, CrawlLog(crawler, __name__)
        self.now = time.time
        self.actions, self.use, self.reads_use = settings.actions, settings.use, settings.reads_use
        # No tag can refuse search, a level or a token: for these alone no HTML is read.
        self.reads_html = settings.use.may_be_refused_by(TDM_RESERVATION)
        active = {part for part, action in self.actions.items() if action is not Action.OFF}
        reads_all_for_use = self.reads_use and (self.reads_html or self.use.fetches_reserved)
        self.reads_every_page = bool(reads_all_for_use or active - {"use"})
        self._has_headers = has_header_preferences if self.reads_use else has_header_statements
        self.configs, self.dry_run = settings.configs, settings.dry_run
        self.item_field = settings.item_field

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def process_spider_output(self, response: Response, result: Iterable[Any]) -> Iterable[Any]:
        demands = self._demands(response)
        return (output for output in result if self._keeps(output, demands, response))

    async def process_spider_output_async(
        self, response: Response, result: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        demands = self._demands(response)
        async for output in result:
            if self._keeps(output, demands, response):
                yield output

    def _demands(self, response: Response) -> _Demands | None:
        """None where nothing is asked for, or nothing is to be obeyed."""
        request = response.request
        assert request is not None  # Scrapy has made one for every response that a spider sees
        own = request.meta.get(META_KEY)
        if own is None and not self.reads_every_page and not self._has_headers(response):
            return None
        actions = self.actions
        if own is not None:
            actions = {**actions, **read_actions(f"request.meta[{META_KEY!r}]", own)}
        causes = self._causes(request, response, actions)
        if causes is None:
            return None
        links = None
        if isinstance(response, HtmlResponse) and actions[REL] is not Action.OFF:
            links = nofollow_links(response)
        if not causes and links is None:
            return None
        demands = [_Demand(part, actions[part], cause) for part, cause in causes.items()]
        return _Demands(
            response,
            tuple(one for one in demands if one.part in ON_REQUESTS),
            tuple(one for one in demands if one.part in ON_ITEMS),
            links,
            _Demand(REL, actions[REL], 'a link with rel="nofollow"'),
        )

    def _causes(
        self, request: Request, response: Response, actions: Actions
    ) -> Mapping[str, str] | None:
        """The parts that the page asks for, with the tags that do; None where none are obeyed."""
        config = self._config(request, response)
        if config is None:
            return None
        statements = list(header_statements(response))
        reads_meta = any(actions[part] is not Action.OFF for part in BY_TAG)
        if reads_meta and isinstance(response, HtmlResponse):
            names = names_of(config.agent, config.dialect)
            statements += meta_statements(response, names)
        causes = self._causes_in_tags(statements, config) if statements else {}
        if self.reads_use:
            refused = self._refused_use(request, response, actions, config)
            if refused is not None:
                causes["use"] = brief(refused.start)
        return causes

    def _refused_use(
        self, request: Request, response: Response, actions: Actions, config: RequestConfig
    ) -> Preference | None:
        """The preference that refuses the page to the declared use.

        What robots.txt refuses has been decided already; in a dry run it was only counted.
        """
        own = header_preferences(response, config.agent, config.dialect)
        reads_html = self.reads_html and actions["use"] is not Action.OFF
        if reads_html and isinstance(response, HtmlResponse):
            own += html_preferences(response, config.agent, config.dialect)
        if not own and not self.use.fetches_reserved:
            return None
        replies = self.crawler.signals.send_catch_log(
            PAGE_PREFERENCES, request=request, url=response.url, preferences=own, config=config
        )
        answers = (reply for _, reply in replies if isinstance(reply, UseAnswer))
        use_answer = next(answers, None) or answer(own, self.use)
        decided_before = {Place.ROBOTS_TXT}
        if not self.use.fetches_reserved:
            decided_before.add(Place.TDMREP)
        undecided = (one for one in use_answer.holding if one.place not in decided_before)
        return self.use.refusal(undecided)

    def _config(self, request: Request, response: Response) -> RequestConfig | None:
        """None where no tags are to be obeyed."""
        origin = origin_of(response.url)
        if origin is None:
            return None  # a page without a host: data:, file:
        config = self.configs.of(request, origin)
        return config if config.obey else None

    def _causes_in_tags(
        self, statements: Iterable[Statement], config: RequestConfig
    ) -> dict[str, str]:
        tags = tags_of(statements, config.agent, config.dialect)
        refused = {part: name for part, name in _FIELDS.items() if not getattr(tags, name)}
        if tags.unavailable_after is not None and tags.unavailable_after <= self.now():
            refused["expired"] = "unavailable_after"
        return {part: brief(str(tags.cause(name))) for part, name in refused.items()}

    def _keeps(self, output: Any, demands: _Demands | None, response: Response) -> bool:
        """Whether a request or an item goes on."""
        if output is None:
            return True
        if isinstance(output, Request):
            return demands is None or self._keeps_request(output, demands)
        if demands is not None and not self._keeps_item(output, demands):
            return False
        if self.item_field:
            of_page = response.meta.get(ITEM_KEY)
            if of_page is not None:
                _change(output, self.item_field, lambda _: dict(of_page))
        return True

    def _keeps_request(self, request: Request, demands: _Demands) -> bool:
        for demand in demands.for_request(request):
            stat = self._stat(demand.action)
            self._count(demand, stat)
            if stat == DROPPED:
                self.log.debug(
                    "Not followed: %(request)s, found on %(page)s, %(cause)s",
                    {"request": request, "page": demands.response.url, "cause": demand.cause},
                )
                return False
        return True

    def _keeps_item(self, item: Any, demands: _Demands) -> bool:
        for demand in demands.on_items:
            marks = demand.action is Action.MARK
            is_unmarked = marks and not _mark(item, demand.part)
            stat = self._stat(Action.DROP if is_unmarked else demand.action)
            self._count(demand, stat)
            if stat == DROPPED:
                why = f"; {type(item).__name__} has no field {MARKS!r} to set" if marks else ""
                reason = ItemRefused(demand.part, demand.cause + why)
                self._drop(item, reason, demands.response)
                return False
        return True

    def _drop(self, item: Any, reason: ItemRefused, response: Response) -> None:
        """As the item pipeline drops one: the log line and the signal are Scrapy's own."""
        crawler, spider = self.crawler, self.crawler.spider
        assert spider is not None  # it has just yielded the item
        assert crawler.logformatter is not None
        line = crawler.logformatter.dropped(item, reason, response, spider)
        if line is not None:
            self.log.log(*logformatter_adapter(line), extra={"item": item})
        named = {"item": item, "response": response, "spider": spider, "exception": reason}
        deferred_from_coro(compat.send(crawler, signals.item_dropped, **named))

    def _stat(self, action: Action) -> str:
        """What counts an action. A dry run drops nothing."""
        return WOULD_DROP if self.dry_run and action is Action.DROP else _STATS[action]

    def _count(self, demand: _Demand, stat: str) -> None:
        assert self.crawler.stats is not None  # the crawl has begun
        self.crawler.stats.inc_value(f"{TAGS}{demand.part}/{stat}")


def _mark(item: Any, part: str) -> bool:
    """Note the part in the item; False where it has no field for it, or the field cannot be set."""
    return _change(item, MARKS, lambda marks: [*(marks or ()), part])


def _change(item: Any, field: str, change: Callable[[Any], Any]) -> bool:
    """Change a field of an item; False where it has none of that name, or it cannot be set."""
    try:
        adapter = ItemAdapter(item)
        adapter[field] = change(adapter.get(field))
    except (AttributeError, KeyError, TypeError, ValueError):  # also of frozen and checked classes
        return False
    return True
