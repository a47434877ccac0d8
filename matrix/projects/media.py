"""FilesPipeline and ImagesPipeline: files of items, some of them forbidden."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import scrapy

from matrix.crawls import Job, Pages


def settings(job: Job) -> dict[str, Any]:
    return {
        "ITEM_PIPELINES": {
            "scrapy.pipelines.files.FilesPipeline": 1,
            "scrapy.pipelines.images.ImagesPipeline": 2,
        },
        "FILES_STORE": str(Path(job.folder, "files")),
        "IMAGES_STORE": str(Path(job.folder, "images")),
        "MEDIA_ALLOW_REDIRECTS": True,
    }


class Spider(Pages, scrapy.Spider):
    def parse(self, response: Any) -> Any:
        super().parse(response)
        path = response.url.removeprefix(self.job.site)
        if path == "/a":
            yield {
                "file_urls": [self.job.site + "/file", self.job.site + "/private/file"],
                "image_urls": [self.job.site + "/image.png", self.job.site + "/private/image.png"],
            }
