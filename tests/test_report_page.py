"""A report in a real browser: it shows text as text, loads nothing, and fits."""

from __future__ import annotations

import json

import pytest

from scrapy_robots_policy.report import Files
from tests.browser import needs_browser, started
from tests.test_report import SAFE, hostile

pytestmark = [pytest.mark.slow, needs_browser]


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with started(tmp_path_factory.mktemp("profile")) as browser:
        yield browser


@pytest.fixture
def address(tmp_path):
    path = tmp_path / "report.html"
    Files.of(str(path)).write(hostile())
    return path.as_uri()


def test_nothing_in_it_runs_or_is_loaded(browser, address):
    browser.get("about:blank")
    browser.get_log("performance")  # what the browser has loaded for itself
    browser.get(address)
    assert browser.execute_script("return document.querySelectorAll('script, img').length") == 0
    assert browser.execute_script("return document.querySelector('h1').innerText").endswith(SAFE)
    assert browser.get_log("browser") == []  # the page's policy has nothing to complain of
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    urls = {
        event["params"]["request"]["url"]
        for event in events
        if event["method"] == "Network.requestWillBeSent"
    }
    assert urls <= {address, "data:,"}


@pytest.mark.parametrize("width", [360, 1200])
def test_it_is_no_wider_than_its_screen(browser, address, width):
    size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.get(address)
    wide = browser.execute_script("return document.documentElement.scrollWidth")
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert wide <= width


def test_the_style_sheet_is_applied(browser, address):
    browser.get(address)
    color = "return getComputedStyle(document.querySelector('.mode-rules')).fill"
    colors = []
    for scheme in ("light", "dark"):
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        colors.append(browser.execute_script(color))
    assert colors == ["rgb(47, 93, 155)", "rgb(141, 180, 236)"]
