"""A headless Chromium that loads nothing by itself, for tests of pages.

Test files that use it set `pytestmark = needs_browser`.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.missing import NO_BROWSER, NO_SELENIUM, has_browser

webdriver = pytest.importorskip("selenium.webdriver", reason=NO_SELENIUM)
CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
needs_browser = pytest.mark.skipif(not has_browser(), reason=NO_BROWSER)

FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    "--window-size=1300,900",
)


@contextmanager
def started(profile: Path) -> Iterator[webdriver.Chrome]:
    """`profile` is a folder of its own. What pages load and complain of is logged."""
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    browser = webdriver.Chrome(options, webdriver.ChromeService(DRIVER))
    try:
        yield browser
    finally:
        browser.quit()
