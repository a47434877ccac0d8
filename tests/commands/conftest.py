from __future__ import annotations

import re
import signal
import subprocess
import sys

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


@pytest.fixture(scope="session")
def tester():
    """The URL of `robots-policy tester`, which runs in a process of its own."""
    command = [sys.executable, "-m", "scrapy_robots_policy.commands", "tester"]
    command += ["--port", "0", "--no-browser", "--agent", "Bot"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        yield re.search(r"http://\S+/", process.stdout.readline())[0]
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=120)
    assert (process.returncode, errors) == (0, "")
