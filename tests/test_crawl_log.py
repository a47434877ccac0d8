"""The lines of a crawl's log: each has the spider, by which log handlers tell crawls apart."""

from __future__ import annotations

import logging

from scrapy import Spider
from scrapy.utils.test import get_crawler

from scrapy_robots_policy.crawl_log import CrawlLog
from tests.house.sources import MODULES


def test_a_line_has_the_spider_also_where_the_log_was_made_before_the_spider(caplog):
    crawler = get_crawler()
    log = CrawlLog(crawler)
    log.warning("no spider yet")
    crawler.spider = Spider("later")
    log.warning("a spider")
    assert [record.spider for record in caplog.records] == [None, crawler.spider]
    assert {record.name for record in caplog.records} == {"scrapy_robots_policy"}


def test_a_line_keeps_what_else_its_caller_gives_it_and_the_place_that_wrote_it(caplog):
    log = CrawlLog(get_crawler(), "scrapy_robots_policy.some_module")
    log.warning("an item", extra={"item": {"url": "x"}})
    (record,) = caplog.records
    assert (record.item, record.spider) == ({"url": "x"}, None)
    assert (record.name, record.filename) == (
        "scrapy_robots_policy.some_module",
        "test_crawl_log.py",
    )


def test_a_line_is_written_where_a_handler_takes_its_level():
    log = CrawlLog(get_crawler(), "scrapy_robots_policy.of_this_test")
    log.logger.propagate = False
    handler = logging.NullHandler(level=logging.INFO)
    assert not log.has_handler(logging.CRITICAL)
    log.logger.addHandler(handler)
    assert log.has_handler(logging.INFO)
    assert not log.has_handler(logging.DEBUG)


def test_no_other_module_writes_lines_without_it():
    writers = {module.name for module in MODULES if "getLogger" in module.read_text("utf-8")}
    # The add-on is given the spider; what `compat` logs belongs to no crawl.
    assert writers == {"addon.py", "compat.py", "crawl_log.py"}
