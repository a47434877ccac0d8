"""scrapy-curl-cffi: everything as curl sends it, in the guise of Chrome."""

from __future__ import annotations

from typing import Any

import scrapy

from matrix.crawls import Job, Pages

HANDLER = "scrapy_curl_cffi.handlers.CurlCffiDownloadHandler"


def settings(job: Job) -> dict[str, Any]:
    return {
        "DOWNLOAD_HANDLERS": {"http": HANDLER, "https": HANDLER},
        "DOWNLOADER_MIDDLEWARES": {
            "scrapy_curl_cffi.middlewares.CurlCffiMiddleware": 200,
            "scrapy_curl_cffi.middlewares.DefaultHeadersMiddleware": 400,
            "scrapy_curl_cffi.middlewares.UserAgentMiddleware": 500,
            "scrapy.downloadermiddlewares.defaultheaders.DefaultHeadersMiddleware": None,
            "scrapy.downloadermiddlewares.useragent.UserAgentMiddleware": None,
        },
        "CURL_CFFI_OPTIONS": {"impersonate": "chrome"},
    }


class Spider(Pages, scrapy.Spider):
    """Nothing of its own."""
