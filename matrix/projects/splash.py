"""scrapy-splash: pages through Splash, robots.txt without it."""

from __future__ import annotations

from typing import Any

import scrapy

from matrix.crawls import Job, Pages


def settings(job: Job) -> dict[str, Any]:
    compression = "scrapy.downloadermiddlewares.httpcompression.HttpCompressionMiddleware"
    return {
        "SPLASH_URL": job.service,
        "DOWNLOADER_MIDDLEWARES": {
            "scrapy_splash.SplashCookiesMiddleware": 723,
            "scrapy_splash.SplashMiddleware": 725,
            compression: 810,
        },
        "REQUEST_FINGERPRINTER_CLASS": "scrapy_splash.SplashRequestFingerprinter",
    }


class Spider(Pages, scrapy.Spider):
    meta = {"splash": {"args": {"wait": 0}, "endpoint": "render.html"}}
