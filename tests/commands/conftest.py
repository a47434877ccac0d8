from __future__ import annotations

import pytest

FILE = """\
User-agent: *
Disallow: /private/
Allow: /private/press/
Crawl-delay: 10

User-agent: Googlebot
User-agent: bingbot
Disallow: /search
Sitemap: https://example.com/sitemap.xml
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "robots.txt"
    path.write_text(FILE)
    return path
