"""Which URLs are judged beside the one that stands in the request: those that a handler sends."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace

import pytest
from scrapy.settings import Settings

from scrapy_robots_policy.fetch.handlers import url_rewriter

aiohttp = pytest.importorskip("scrapy.core.downloader.handlers._aiohttp")  # new in Scrapy 2.14

AIOHTTP = "scrapy.core.downloader.handlers._aiohttp.AiohttpDownloadHandler"
TWISTED = "scrapy.core.downloader.handlers.http11.HTTP11DownloadHandler"


CASES = {
    "Twisted's handlers send a URL as it stands": ({}, "http", None),
    "aiohttp's handler, with any reactor or none": ({"http": AIOHTTP}, "http", "http://h/private"),
    "a handler for https alone, asked for http": ({"https": AIOHTTP}, "http", "http://h/%70rivate"),
    "a handler for https alone": ({"https": AIOHTTP}, "https", "https://h/private"),
    "no handler for http": ({"http": None, "https": TWISTED}, "http", None),
}


@pytest.mark.parametrize("case", CASES)
def test_the_url_that_a_handler_sends_is_known(case):
    handlers, scheme, sent = CASES[case]
    rewrite = url_rewriter(Settings({"DOWNLOAD_HANDLERS": handlers}))
    assert sent == (rewrite and rewrite(f"{scheme}://h/%70rivate"))


def test_the_handlers_that_scrapy_itself_chooses_count_as_those_of_the_project_do():
    """Without a reactor, Scrapy writes them into the setting that ends in _BASE."""
    rewrite = url_rewriter(Settings({"DOWNLOAD_HANDLERS_BASE": {"http": AIOHTTP}}))
    assert rewrite is not None
    assert rewrite("http://h/%70rivate") == "http://h/private"


def test_a_subclass_of_a_handler_sends_as_that_one_does():
    own = type("OwnHandler", (aiohttp.AiohttpDownloadHandler,), {})
    rewrite = url_rewriter(Settings({"DOWNLOAD_HANDLERS": {"http": own}}))
    assert rewrite is not None
    assert rewrite("http://h/%70rivate") == "http://h/private"


def test_a_handler_of_httpx_sends_what_the_url_class_of_its_module_makes_of_a_url(monkeypatch):
    """Scrapy's takes httpx2 where it is installed, and names it httpx."""
    module = ModuleType("handlers_of_a_plugin")
    module.httpx = SimpleNamespace(URL=str.upper)
    module.HttpxDownloadHandler = type("HttpxDownloadHandler", (), {"__module__": module.__name__})
    monkeypatch.setitem(sys.modules, module.__name__, module)
    handlers = {"http": module.HttpxDownloadHandler}
    rewrite = url_rewriter(Settings({"DOWNLOAD_HANDLERS": handlers}))
    assert rewrite is not None
    assert rewrite("http://h/a") == "HTTP://H/A"
    del module.httpx
    assert url_rewriter(Settings({"DOWNLOAD_HANDLERS": handlers})) is None
