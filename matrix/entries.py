"""The entries of the matrix.

To add one is to add a row here, and a module in `projects/` with `settings` and `Spider`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Entry:
    """One plugin, or one habit.

    name      as people know it
    module    its project in `projects/`
    requires  what pip installs for it, beside Scrapy and this package
    needs     a program that must be on this machine; one of several
    own       headers of pages that the plugin makes up for each request: they are not compared
    crawls    how many crawls follow each other in one folder
    service   what stands in for the plugin's service, or is one: its name in `__main__.SERVICES`
    runner    the module that runs the crawl
    site      how the crawl names the site; "": by its address
    """

    name: str
    module: str
    requires: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    own: frozenset[str] = frozenset()
    crawls: int = 1
    service: str = ""
    runner: str = "matrix.crawls"
    site: str = ""


ENTRIES = (
    Entry("Scrapy alone", "plain"),
    Entry(
        "scrapy-playwright",
        "playwright_pages",
        ("scrapy-playwright",),
        needs=("chromium", "google-chrome"),
    ),
    Entry(
        "scrapy-playwright, robots.txt too",
        "playwright_all",
        ("scrapy-playwright",),
        needs=("chromium", "google-chrome"),
    ),
    Entry("scrapy-impersonate", "impersonate", ("scrapy-impersonate",)),
    Entry("scrapy-impersonate, robots.txt too", "impersonate_all", ("scrapy-impersonate",)),
    Entry("scrapy-curl-cffi", "curl_cffi", ("scrapy-curl-cffi",)),
    Entry(
        "scrapy-selenium",
        "selenium_pages",
        ("scrapy-selenium", "selenium<4.10"),
        needs=("chromedriver",),
    ),
    Entry("scrapy-zyte-api, transparent", "zyte_api", ("scrapy-zyte-api",), service="zyte_api"),
    Entry("scrapy-zyte-api, browserHtml", "zyte_browser", ("scrapy-zyte-api",), service="zyte_api"),
    Entry(
        "scrapy-zyte-smartproxy",
        "smartproxy",
        ("scrapy-zyte-smartproxy",),
        service="proxy",
        site="http://site.invalid",
    ),
    Entry("scrapy-poet", "poet", ("scrapy-poet",)),
    Entry("scrapy-poet, requests of page objects", "poet_requests", ("scrapy-poet",)),
    Entry(
        "scrapy-redis", "redis_queue", ("scrapy-redis",), needs=("redis-server",), service="redis"
    ),
    Entry("scrapy-deltafetch", "deltafetch", ("scrapy-deltafetch", "scrapy<2.16"), crawls=2),
    Entry(
        "scrapy-rotating-proxies",
        "rotating_proxies",
        ("scrapy-rotating-proxies",),
        service="proxy",
        site="http://site.invalid",
    ),
    Entry(
        "scrapy-user-agents",
        "user_agents",
        ("scrapy-user-agents",),
        own=frozenset({"user-agent"}),
    ),
    Entry("scrapyd", "scrapyd_project", ("scrapyd", "setuptools<81"), runner="matrix.scrapyd_jobs"),
    Entry("spidermon", "spidermon_checks", ("spidermon",)),
    Entry("HTTPCACHE, DummyPolicy", "cache_dummy", crawls=2),
    Entry("HTTPCACHE, RFC2616Policy", "cache_rfc2616", crawls=2),
    Entry("FilesPipeline and ImagesPipeline", "media", ("pillow",)),
    Entry("SitemapSpider", "sitemap"),
)
