"""The tester's page in a real browser: typed into, read, and attacked. One browser for all."""

from __future__ import annotations

import json
import zlib
from base64 import urlsafe_b64encode
from urllib.parse import urlencode

import pytest

from scrapy_robots_policy.rep import DIALECTS
from tests.browser import (  # skips where there is no selenium
    accessibility_faults,
    needs_axe,
    needs_browser,
    one_browser,  # noqa: F401 - the fixture `browser`
    show,
    show_as_usual,
)
from tests.site import Answer, Site
from tests.site import robots as served

from selenium.common.exceptions import StaleElementReferenceException  # isort: skip
from selenium.webdriver.common.by import By  # isort: skip
from selenium.webdriver.common.keys import Keys  # isort: skip
from selenium.webdriver.support.ui import Select, WebDriverWait  # isort: skip

pytestmark = [pytest.mark.slow, needs_browser, pytest.mark.xdist_group("browser")]

ATTACK = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
SIGNALS = "User-agent: *\nContent-Usage: search=y, train-ai=n\nContent-Signal: use=reference"
TDM = '[{"location": "/", "tdm-reservation": 1}]'


def packed(data: bytes) -> str:
    """As a link of the page has its state."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = packer.compress(data) + packer.flush()
    return urlsafe_b64encode(data).decode().rstrip("=")


class Page:
    def __init__(self, browser, url):
        self.browser, self.url = browser, url

    def open(self, link="", **state):
        self.browser.get("about:blank")
        self.browser.get(link or self.url + (f"#{urlencode(state)}" if state else ""))
        self.until_answered()

    def until_answered(self):
        """Until the page has no request under way."""
        self.until(lambda: self.of("tbody tr") and not self.text("#state"))

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
        wait = WebDriverWait(self.browser, 120, 0.02, [StaleElementReferenceException])
        return wait.until(lambda _: condition())

    def type(self, name, text):
        box = self.one(f"#{name}")
        box.send_keys(Keys.CONTROL, "a")
        box.send_keys(Keys.DELETE, text)

    def choose(self, selector, value):
        Select(self.one(selector)).select_by_value(value)

    def expect_nothing(self):
        """Of the first crawler and the first two URLs."""
        for place in range(2):  # the table is drawn anew
            Select(self.of(".expect")[place]).select_by_value("false")

    def lit(self):
        """(number, how) of the line that is lit; None if none is."""
        return self.run(
            "const lit = document.querySelector('#backdrop .lit'); return lit && "
            "[[...lit.parentNode.children].indexOf(lit) + 1, lit.classList.contains('yes')]"
        )

    def fetch(self, site):
        self.type("site", site.origin)
        self.one("#fetch button").click()
        self.until(lambda: site.origin in self.text("#source"))
        self.until_answered()


@pytest.fixture
def page(browser, tester):
    browser.get_log("browser")
    yield Page(browser, tester)
    show_as_usual(browser)
    # Complaints: of the policy on what may be loaded, among others.
    assert browser.get_log("browser") == []


def test_it_answers_as_you_type_and_another_dialect_lights_another_line(page):
    page.open()
    page.type("robots", "User-agent: *\nDisallow: /private/\nAllow: /private/press/\n")
    page.type("urls", "/private/press/1\n/private/x")
    page.type("agents", "Bot")
    page.until(lambda: page.lit() == [3, True])
    assert page.text("#verdict") == "✓ Allowed"
    assert len(page.of("tbody tr")) == len(DIALECTS)
    page.choose("#dialect", "baidu")
    page.until(lambda: page.lit() == [2, False])
    assert page.text("#why") == "By line 2, Disallow: /private/."
    assert "precedence: first (rfc9309: longest)" in page.text("#facts")
    page.type("urls", "/elsewhere")
    page.until(lambda: page.text("#why") == "No rule matches.")
    assert page.lit() is None
    page.choose("#answer", "5xx")
    page.until(lambda: page.text("#why") == "Robots.txt unreachable (503).")


def test_each_url_and_crawler_has_a_cell_that_keys_and_the_mouse_choose(page):
    header = "Mozilla/5.0 (X11, really; like Gecko) Foo/1.0"
    page.open(robots="User-agent: *\nDisallow: /a\nAllow: /a/b", urls="/a/b\n/a", agents="Bot")
    page.one('[data-cell="0,0"]').send_keys(Keys.ARROW_DOWN)
    page.until(lambda: page.run("return document.activeElement.dataset.cell") == "1,0")
    page.browser.switch_to.active_element.send_keys(Keys.ARROW_RIGHT)
    page.until(lambda: page.lit() == [2, False])
    assert page.one('[aria-pressed="true"]').get_attribute("data-cell") == "1,1"
    page.type("agents", header)
    page.choose("#picker", "GPTBot")
    page.until(lambda: [cell.text for cell in page.of("thead .agent")][:2] == [header, "GPTBot"])
    page.one("#differences").click()
    page.until(lambda: page.text("#hint") or len(page.of("tbody tr")) < len(DIALECTS))
    page.one("#differences").click()


def test_a_rule_is_explained_part_by_part_and_a_finding_selects_its_line(page):
    page.open(robots="User-agent: *\nDisallow: /a*b$\nDisalow: /ä", urls="/axxb", agents="Bot")
    parts = [item.text.split("\n") for item in page.of(".parts li")]
    assert [(part[0], part[-1]) for part in parts] == [
        ("/a", "/a"),
        ("*", "xx"),
        ("b", "b"),
        ("$", "the URL ends here"),
    ]
    page.until(lambda: page.of("#findings .error"))
    page.one("#findings .error button").click()
    selected = "const box = document.getElementById('robots');"
    selected += "return box.value.slice(box.selectionStart, box.selectionEnd)"
    assert page.run(selected) == "Disalow"


def test_the_use_of_the_page_is_declared_by_keyboard_and_stays_in_the_link(page):
    page.open(robots=SIGNALS, urls="/a", agents="Bot")
    assert page.text("#verdict") == "✓ Allowed"
    page.one("#picker").send_keys(Keys.TAB)
    for keys in (Keys.SPACE + Keys.TAB, Keys.TAB, Keys.TAB, "full"):
        page.browser.switch_to.active_element.send_keys(keys)
    page.until(lambda: page.text("#verdict") == "✓ Allowed; refused for use=full")
    page.one("#level").send_keys(Keys.TAB)
    for text in (Keys.ENTER, "X-Robots-Tag: noai", f"{ATTACK}\u202e", TDM):
        page.browser.switch_to.active_element.send_keys(text)
        page.browser.switch_to.active_element.send_keys(Keys.TAB)
    page.until(lambda: page.text("#elsewhere-note") == "3 of 3 fields filled in")
    page.until_answered()
    facts = page.text("#facts")
    assert "header X-Robots-Tag: noai" in facts
    assert "tdmrep.json rule 1, tdm-reservation: 1" in facts
    page.open(page.browser.current_url)
    assert page.text("#facts") == facts
    assert page.text("#verdict") == "✓ Allowed; refused for use=full"


def test_a_file_of_a_site_is_fetched_with_its_tdmrep_json_until_it_is_edited(page):
    page.open()
    files = {"/robots.txt": served("User-agent: *\n"), "/.well-known/tdmrep.json": served(TDM)}
    with Site(files) as site:
        page.one("#declared input[value=train-ai]").click()
        page.fetch(site)
        assert page.text("#source") == f"{site.origin}/robots.txt: 200, 14 bytes"
        assert "train-ai refused by tdmrep.json rule 1" in page.text("#facts")
    page.type("robots", "é")
    page.until_answered()
    assert page.text("#source") == "edited here, 2 bytes"
    with Site({"/robots.txt": Answer(status=503)}) as site:
        page.fetch(site)
    assert page.text("#why") == "Robots.txt unreachable (503)."
    assert "tdm-reservation" not in page.text("#facts")


LINKS = {
    "bursts": packed(b'{"robots":"' + b"a" * 50_000_000 + b'"}'),
    "is cut": packed(b'{"robots": "x"}')[:-4],
    "is no JSON": packed(b"{"),
    "has other letters": "###",
}


def test_a_link_has_the_whole_state_and_one_that_cannot_be_read_says_so(page):
    state = {"robots": "User-agent: é&#\n+ %41\n" * 999, "urls": "/a?b=c#d\n/%7E", "agents": "A\nB"}
    page.open(**state, dialect="yandex", question=3)
    link = page.browser.current_url
    assert len(link) < 1_000
    page.open(link)
    assert {name: page.one(f"#{name}").get_property("value") for name in state} == state
    assert page.one('[aria-pressed="true"]').get_attribute("data-cell").endswith(",3")
    for fragment in LINKS.values():
        page.browser.get("about:blank")
        page.browser.get(f"{page.url}#1.{fragment}")
        page.until(lambda: page.text("#state").startswith("This link cannot be read: "))
        page.type("urls", "/x")
        page.until_answered()
    other_shapes = json.dumps({"robots": {"a": 1}, "urls": 5, "agents": [3], "expect": [1, None]})
    page.open(f"{page.url}#1.{packed(other_shapes.encode())}")
    assert page.text("#held") == ""


def test_expectations_are_green_or_red_saved_and_loaded(page, tmp_path):
    page.open(robots="User-agent: *\nDisallow: /a\n", urls="/a\n/b", agents="Bot")
    page.expect_nothing()
    page.until(lambda: "1 of 2 expectations hold" in page.text("#held"))
    classes = [cell.get_attribute("class") for cell in page.of("tr.chosen td")]
    assert classes == ["held", "failed"]
    suite = page.browser.execute_async_script(
        "const done = arguments[0]; URL.createObjectURL = (blob) => { blob.text().then(done); "
        "return 'data:,'; }; HTMLAnchorElement.prototype.click = () => {}; "
        "document.getElementById('save').click();"
    )
    expected = [{"agent": "Bot", "url": url, "allowed": False} for url in ("/a", "/b")]
    assert json.loads(suite) == {"expect": expected}
    path = tmp_path / "suite.json"
    path.write_text(json.dumps({"expect": [expected[0], "Bot may fetch /c"]}))
    page.one("#suite").send_keys(str(path))
    page.until(lambda: "2 of 2 expectations hold" in page.text("#held"))
    path.write_text('{"expect": [5]}')
    page.one("#suite").send_keys(str(path))
    page.until(lambda: page.text("#state").startswith("Not loaded: "))


def test_more_than_is_answered_is_named_and_what_is_too_long_is_cut_or_refused(page):
    page.open(robots="User-agent: *\nDisallow: /x\n", urls="/a", agents="Bot")
    page.run("document.querySelector('#agents').value = 'b'.repeat(100_000) + '\\nb'.repeat(9)")
    page.run(
        "document.querySelector('#urls').value = '/' + 'x'.repeat(100_000) + '\\n/'.repeat(99)"
    )
    page.one("#site").click()
    page.one("#urls").send_keys("x")
    page.until_answered()
    assert "the first 30 of 100 URLs and the first 6 of 10 crawlers" in page.text("#left-out")
    assert page.lit() == [2, False]
    assert page.run("return document.documentElement.scrollHeight") < 20_000
    page.run("document.querySelector('#html').value = ' '.repeat(3_000_000) + 'x'")
    page.one("#urls").send_keys("x")
    page.until(lambda: page.text("#state").startswith("No answer: all fields of the page together"))
    page.browser.get_log("browser")  # that its question was refused


def test_hostile_text_stays_text_and_the_page_asks_its_own_server_only(page):
    page.open(
        robots=f"User-agent: *\nDisallow: /{ATTACK}\n{ATTACK}: x\nLicense: {ATTACK}\nAllow: /y",
        urls=f"/{ATTACK}\njavascript:document.title='owned'\n/\u202egnp.exe",
        agents=f"Bot\n{ATTACK}\n\u2067Bot",
        headers=f"tdm-policy: /\u202egnp.exe{ATTACK}",
    )
    page.until(lambda: page.of("#findings li button"))
    assert "<img" in page.text("#match")  # the parts of the rule, and of the URL
    assert ATTACK in page.text("#facts")
    said = page.text("thead") + page.text("#facts")
    assert all(name in said for name in (ATTACK, r"/\u202egnp.exe", r"\u2067Bot"))
    assert {*said}.isdisjoint("\u202e\u2067")
    assert page.of("main img, main script") == []
    docs = page.one("#docs").get_attribute("href").rpartition("/")[0]
    assert all(
        one.get_attribute("href").startswith(f"{docs}/lint.md#r") for one in page.of("main a")
    )
    assert page.browser.title == "robots.txt tester"
    urls = page.run("return performance.getEntriesByType('resource').map((entry) => entry.name)")
    assert {url.startswith(page.url) for url in urls} == {True}


@needs_axe
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_and_a_phone_does_not_scroll_sideways(page, scheme):
    text = "User-agent: *\nDisallow: /a*b\nDisalow: /x\nContent-Usage: train-ai=n\n"
    long = "long/" * 60
    for width in (390, 1200):
        show(page.browser, width, scheme)
        page.open(robots=text + long, urls=f"/axb\n/{long}", agents="Bot", answer="200")
        page.expect_nothing()
        assert page.run("return document.documentElement.scrollWidth") <= width
        paper = "return getComputedStyle(document.body).backgroundColor.match(/\\d+/g)[0]"
        assert (int(page.run(paper)) < 100) is (scheme == "dark")
        assert accessibility_faults(page.browser) == []
        page.browser.get_log("browser")  # what axe was not allowed to load


def test_on_paper_the_whole_file_and_each_verdict_are_there(page):
    urls = "\n".join(f"/{n}" for n in range(30))
    page.open(robots="User-agent: *\n" + "Disallow: /a\n" * 200, urls=urls, agents="Bot")
    page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    editor = page.run("return document.querySelector('.editor').offsetHeight")
    show(page.browser, 720, "light")
    page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    wide, question = page.run(
        "const cell = document.querySelector('tbody td:last-child');"
        "return [document.documentElement.scrollWidth, getComputedStyle(cell, '::before').content]"
    )
    page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert wide <= 720
    assert editor > 200 * 20
    assert "/29" in question


def test_every_control_shows_that_it_has_the_focus_also_in_forced_colours(page):
    page.open(robots="User-agent: *\nDisallow: /a", urls="/a", agents="Bot")
    show(page.browser, 1200, "light", forced="active")
    page.one("#copy").send_keys(Keys.NULL)
    outline = (
        "const focused = document.activeElement;"
        "const shown = focused.closest('.editor') || focused;"
        "return [focused.id, getComputedStyle(shown).outlineStyle]"
    )
    focused = []
    for _ in range(18):
        focused.append(page.run(outline))
        page.browser.switch_to.active_element.send_keys(Keys.TAB)
    assert {"robots", "level"} <= {name for name, _ in focused}
    assert {style for _, style in focused} == {"solid"}
