"""A wrong value stops the spider, and the log says why in one sentence.

Scrapy has no quiet way to refuse a crawl while it creates components: `NotConfigured` would crawl
on without robots.txt, and any other exception is logged with a traceback of some forty lines by
whatever holds the crawl. The exit status of `scrapy crawl` comes from that exception, so it is
raised all the same. The traceback is left out where an asyncio task of Scrapy's own holds the
crawl: `scrapy crawl` and `AsyncCrawlerProcess`, from Scrapy 2.14. `CrawlerProcess`, other reactors
than asyncio's, and Scrapy 2.13 hold it by a Deferred, which logs the traceback, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from scrapy.crawler import Crawler

from .. import compat
from ..crawl_log import CrawlLog
from .kinds import SettingError


@contextmanager
def one_sentence(crawler: Crawler) -> Iterator[None]:
    """Log a SettingError that is raised inside as one sentence; it stops the crawl."""
    log = CrawlLog(crawler)
    try:
        yield
    except SettingError as error:
        if error.__cause__ is not None:  # the user's own code failed: a traceback helps there
            log.debug("A setting's own code failed:", exc_info=error.__cause__)
        log.error("%(sentence)s", {"sentence": error})  # noqa: TRY400 - a traceback would hide it
        compat.leave_out_traceback()
        raise error.with_traceback(None) from error.__cause__
