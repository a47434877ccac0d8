"""A headless Chromium that loads nothing by itself, for tests of pages.

Test files that use it set `pytestmark = needs_browser`, and import the fixture `one_browser`.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.missing import NO_AXE, NO_BROWSER, NO_SELENIUM, axe_script, has_browser

webdriver = pytest.importorskip("selenium.webdriver", reason=NO_SELENIUM)
CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
needs_browser = pytest.mark.skipif(not has_browser(), reason=NO_BROWSER)

needs_axe = pytest.mark.skipif(axe_script() is None, reason=NO_AXE)

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1300,900",
)


@contextmanager
def started(profile: Path) -> Iterator[webdriver.Chrome]:
    """A browser with a profile of its own. What pages load and complain of is logged."""
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    # It has its sockets in a folder for temporary files, and a socket's name must be short.
    environment = {**os.environ, "TMPDIR": "/tmp"}
    browser = webdriver.Chrome(options, webdriver.ChromeService(DRIVER, env=environment))
    try:
        yield browser
    finally:
        browser.quit()


@pytest.fixture(name="browser", scope="session")
def one_browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    """One browser for all tests of a module; a start takes a second."""
    with started(tmp_path_factory.mktemp("profile")) as browser:
        yield browser


def show(browser: webdriver.Chrome, width: int, scheme: str, forced: str = "none") -> None:
    """Give the page a width and a colour scheme; `forced` is "active" for a user's own colours."""
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    media = [
        {"name": "prefers-color-scheme", "value": scheme},
        {"name": "forced-colors", "value": forced},
    ]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": media})


def show_as_usual(browser: webdriver.Chrome) -> None:
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def accessibility_faults(browser: webdriver.Chrome) -> list[str]:
    """What axe-core complains of in the page as it is shown now."""
    script = axe_script()
    assert script is not None  # `needs_axe`
    # The developer tools may run it; the page's own policy would not let it in.
    source = {"expression": script.read_text("utf-8")}
    browser.execute_cdp_cmd("Runtime.evaluate", source)
    violations = browser.execute_async_script(
        "const done = arguments[0]; axe.run().then((result) => done(result.violations));"
    )
    return [f"{one['id']}: {node['html'][:200]}" for one in violations for node in one["nodes"]]
