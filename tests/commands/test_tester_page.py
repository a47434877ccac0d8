"""The tester's page in a real browser: typed into, read, and attacked."""

from __future__ import annotations

import threading
from urllib.parse import urlencode

import pytest

from scrapy_robots_policy.commands.tester.server import Server
from scrapy_robots_policy.rep import DIALECTS
from tests.browser import needs_browser, started  # skips where there is no selenium

from selenium.common.exceptions import StaleElementReferenceException  # isort: skip
from selenium.webdriver.common.by import By  # isort: skip
from selenium.webdriver.common.keys import Keys  # isort: skip
from selenium.webdriver.support.ui import Select, WebDriverWait  # isort: skip

pytestmark = [pytest.mark.slow, needs_browser]

GIVEN = {"robots": "", "agent": "Bot", "dialect": "rfc9309", "dialects": list(DIALECTS)}


class Page:
    def __init__(self, browser, url):
        self.browser, self.url = browser, url

    def open(self, **state):
        self.browser.get("about:blank")
        self.browser.get(self.url + (f"#{urlencode(state)}" if state else ""))
        self.until(lambda: self.of("tbody tr"))
        return self

    def of(self, selector):
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def text(self, selector):
        """What is shown now: in one step, since the page may be drawn anew at any time."""
        return self.run(f"return document.querySelector({selector!r}).innerText")

    def run(self, script):
        return self.browser.execute_script(script)

    def until(self, condition):
        ignored = [StaleElementReferenceException]
        wait = WebDriverWait(self.browser, 10, 0.02, ignored)
        return wait.until(lambda _: condition())

    def type(self, name, text):
        box = self.one(f"#{name}")
        box.send_keys(Keys.CONTROL, "a")
        box.send_keys(Keys.DELETE, text)

    def lit(self):
        """(number, how) of the line that is lit; None if none is."""
        return self.run(
            "const lit = document.querySelector('#backdrop .lit'); return lit && "
            "[[...lit.parentNode.children].indexOf(lit) + 1, lit.classList.contains('yes')]"
        )

    def state(self):
        names = ("robots", "urls", "agents", "dialect")
        return {name: self.one(f"#{name}").get_property("value") for name in names}


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with started(tmp_path_factory.mktemp("profile")) as browser:
        yield browser


@pytest.fixture
def page(browser):
    server = Server(0, GIVEN, "test")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    browser.get_log("browser")
    yield Page(browser, server.url)
    complaints = browser.get_log("browser")  # of the policy on what may be loaded, among others
    server.shutdown()
    server.server_close()
    assert complaints == []


def test_typing_gives_verdicts_and_another_dialect_lights_another_line(page):
    page.open()
    page.type("robots", "User-agent: *\nDisallow: /private/\nAllow: /private/press/\n")
    page.type("urls", "/private/press/1\n/private/x")
    page.type("agents", "Bot")
    page.until(lambda: page.lit() == [3, True])
    assert page.text("#verdict") == "✓ Allowed"
    assert len(page.of("tbody tr")) == len(DIALECTS)
    Select(page.one("#dialect")).select_by_value("baidu")
    page.until(lambda: page.lit() == [2, False])
    assert page.text("#why") == "By line 2, Disallow: /private/."
    assert "precedence: first, not longest" in page.text("#facts")
    page.type("urls", "/elsewhere")
    page.until(lambda: page.lit() is None)


def test_preferences_about_the_use_of_a_page_are_shown_as_text(page):
    text = f"User-agent: *\nContent-Usage: train-ai=n\nLicense: {ATTACK}\n"
    page.open(robots=text, urls="/a", agents="Bot")
    page.until(lambda: "use" in page.text("#facts"))
    facts = page.text("#facts")
    assert "line 2, Content-Usage: train-ai=n" in facts
    assert f"line 3, License: {ATTACK}" in facts


def test_arrow_keys_move_between_cells(page):
    page.open(robots="User-agent: *\nDisallow: /a\nAllow: /a/b", urls="/a/b\n/a", agents="Bot")
    page.one('[data-cell="0,0"]').send_keys(Keys.ARROW_DOWN)
    page.until(lambda: page.state()["dialect"] == list(DIALECTS)[1])
    page.until(lambda: page.run("return document.activeElement.dataset.cell") == "1,0")
    page.browser.switch_to.active_element.send_keys(Keys.ARROW_RIGHT)
    page.until(lambda: page.lit() == [2, False])
    assert page.one('[aria-pressed="true"]').get_attribute("data-cell") == "1,1"


def test_findings_are_marked_in_the_margin_and_select_their_line(page):
    page.open(robots="User-agent: *\nDisalow: /ä\nDisallow: .x$", urls="/", agents="Bot")
    page.until(lambda: page.of("#findings .error"))
    margin = [item.get_attribute("class") for item in page.of("#gutter li")]
    assert margin == ["", "error", "error"]
    page.one("#findings .error button").click()
    selected = "const box = document.getElementById('robots');"
    selected += "return box.value.slice(box.selectionStart, box.selectionEnd)"
    assert page.run(selected) == "Disalow"


def test_a_link_has_the_whole_state(page):
    state = {"robots": "User-agent: é&#\n+ %41\n", "urls": "/a?b=c#d\n/%7E", "agents": "A, B"}
    page.open(**state, dialect="yandex", question=3)
    assert page.state() == {**state, "dialect": "yandex"}
    assert page.one('[aria-pressed="true"]').get_attribute("data-cell").endswith(",3")
    page.type("urls", "/other")
    page.until(lambda: "other" in page.browser.current_url)
    link = page.browser.current_url
    page.browser.get("about:blank")
    page.browser.get(link)
    page.until(lambda: page.of("tbody tr"))
    assert page.state() == {**state, "urls": "/other", "dialect": "yandex"}


ATTACK = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"


def test_markup_in_a_file_or_url_stays_text(page):
    page.open(
        robots=f"User-agent: *\nDisallow: /{ATTACK}\n{ATTACK}: x\nUser-agent: {ATTACK}\nAllow: /y",
        urls=f"/{ATTACK}\njavascript:document.title='owned'",
        agents=f"Bot, {ATTACK}",
    )
    page.until(lambda: page.of("#findings li button"))
    page.one('[data-cell="0,1"]').click()
    page.until(lambda: page.one('[data-cell="0,1"]').get_attribute("aria-pressed") == "true")
    assert ATTACK in page.text("#facts")
    assert page.of("main img, main script, main a") == []
    assert page.browser.title == "robots.txt tester"
    assert ATTACK in page.text("thead")


def test_the_page_sends_requests_to_its_own_server_only(page):
    page.browser.get_log("performance")
    page.open()
    events = [entry["message"] for entry in page.browser.get_log("performance")]
    urls = page.run("return performance.getEntriesByType('resource').map((entry) => entry.name)")
    assert any("requestWillBeSent" in message for message in events)
    assert urls
    assert all(url.startswith(page.url) for url in urls)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 768, 1300])
def test_it_fits_the_width_and_follows_the_colour_scheme(page, width, scheme, tmp_path):
    command = page.browser.execute_cdp_cmd
    metrics = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 600}
    command("Emulation.setDeviceMetricsOverride", metrics)
    media = [{"name": "prefers-color-scheme", "value": scheme}]
    command("Emulation.setEmulatedMedia", {"features": media})
    page.open(robots="Disallow: /" + "long/" * 60, urls="/" + "long/" * 60, agents="A, B, C")
    assert page.run("return document.documentElement.scrollWidth <= innerWidth")
    paper = page.run("return getComputedStyle(document.body).backgroundColor.match(/\\d+/g)[0]")
    assert (int(paper) < 100) is (scheme == "dark")
    command("Emulation.clearDeviceMetricsOverride", {})
    command("Emulation.setEmulatedMedia", {"features": []})
