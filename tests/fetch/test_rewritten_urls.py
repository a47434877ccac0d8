"""Which URLs are judged beside the one that stands in the request: those that a handler sends."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace

import pytest
from scrapy import Request, version_info
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
    assert sent == (rewrite and rewrite(Request(f"{scheme}://h/%70rivate")))


def test_the_handlers_that_scrapy_itself_chooses_count_as_those_of_the_project_do():
    """Without a reactor, Scrapy writes them into the setting that ends in _BASE."""
    rewrite = url_rewriter(Settings({"DOWNLOAD_HANDLERS_BASE": {"http": AIOHTTP}}))
    assert rewrite is not None
    assert rewrite(Request("http://h/%70rivate")) == "http://h/private"


def test_a_subclass_of_a_handler_sends_as_that_one_does():
    own = type("OwnHandler", (aiohttp.AiohttpDownloadHandler,), {})
    rewrite = url_rewriter(Settings({"DOWNLOAD_HANDLERS": {"http": own}}))
    assert rewrite is not None
    assert rewrite(Request("http://h/%70rivate")) == "http://h/private"


@pytest.mark.skipif(version_info < (2, 19), reason="Scrapy has no verbatim URLs before 2.19")
@pytest.mark.parametrize(
    ("url", "sent"),
    [
        ("http://h/%70rivate", "http://h/%70rivate"),
        ("http://h/a/../private", "http://h/a/../private"),
        ("http://h/pri\n\tvate", "http://h/private"),
        (" http://h/private", "http://h/private"),
    ],
)
def test_of_a_verbatim_url_aiohttp_changes_less(url, sent):
    rewrite = url_rewriter(Settings({"DOWNLOAD_HANDLERS": {"http": AIOHTTP}}))
    assert rewrite is not None
    assert rewrite(Request(url, meta={"verbatim_url": True})) == sent


def test_a_handler_of_httpx_sends_what_the_url_class_of_its_module_makes_of_a_url(monkeypatch):
    """Scrapy's takes httpx2 where it is installed, and names it httpx."""
    module = ModuleType("handlers_of_a_plugin")
    module.httpx = SimpleNamespace(URL=str.upper)
    module.HttpxDownloadHandler = type("HttpxDownloadHandler", (), {"__module__": module.__name__})
    monkeypatch.setitem(sys.modules, module.__name__, module)
    handlers = {"http": module.HttpxDownloadHandler}
    rewrite = url_rewriter(Settings({"DOWNLOAD_HANDLERS": handlers}))
    assert rewrite is not None
    assert rewrite(Request("http://h/a")) == "HTTP://H/A"
    verbatim = Request("http://h/a", meta={"verbatim_url": True})  # the handler takes no notice
    assert rewrite(verbatim) == "HTTP://H/A"
    del module.httpx
    assert url_rewriter(Settings({"DOWNLOAD_HANDLERS": handlers})) is None
