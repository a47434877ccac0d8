"""One process in which every spider, and some requests, have a dialect of their own.

python -m example.dialects
"""

from __future__ import annotations

from typing import Any

from scrapy import signals
from scrapy.crawler import CrawlerProcess
from scrapy.utils.project import get_project_settings

from example.spiders.dialects import BaiduSpider, DialectSpider, MixedSpider, YandexSpider


def show(spider: Any) -> None:
    for label, result in sorted(spider.results.items()):
        print(f"{label:52} {result}")  # noqa: T201 - the demo's output


def main() -> None:
    settings = get_project_settings()
    settings.set("LOG_LEVEL", "WARNING")
    process = CrawlerProcess(settings)
    for kind in (DialectSpider, YandexSpider, BaiduSpider, MixedSpider):
        crawler = process.create_crawler(kind)
        crawler.signals.connect(show, signals.spider_closed)
        process.crawl(crawler)
    process.start()


if __name__ == "__main__":
    main()
