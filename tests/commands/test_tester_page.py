"""The tester's page in a real browser: typed into, read, and attacked."""

from __future__ import annotations

import json
import threading
import zlib
from base64 import urlsafe_b64encode
from time import monotonic
from urllib.parse import urlencode

import pytest

from scrapy_robots_policy.commands.printing.access_table import ANSWERS
from scrapy_robots_policy.commands.tester import answers, crawlers_by_kind, uses_of
from scrapy_robots_policy.commands.tester.server import Server, as_fetched
from scrapy_robots_policy.rep import DIALECTS, FetchResult
from scrapy_robots_policy.rep.preference import DeclaredUse
from tests.browser import (  # skips where there is no selenium
    accessibility_faults,
    browser_of_module,  # noqa: F401 - the fixture `browser`
    needs_axe,
    needs_browser,
    show,
    show_as_usual,
)
from tests.site import Answer, Site, free_port
from tests.site import robots as served

from selenium.common.exceptions import StaleElementReferenceException  # isort: skip
from selenium.webdriver.common.by import By  # isort: skip
from selenium.webdriver.common.keys import Keys  # isort: skip
from selenium.webdriver.support.ui import Select, WebDriverWait  # isort: skip

pytestmark = [pytest.mark.slow, needs_browser]

GIVEN = {
    "source": None,
    "agent": "Bot",
    "dialect": "rfc9309",
    "dialects": list(DIALECTS),
    "answers": list(ANSWERS),
    "crawlers": crawlers_by_kind(),
    **uses_of(),
}


def compress(octets: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(octets) + packer.flush()


def b64(octets: bytes) -> str:
    return urlsafe_b64encode(octets).decode().rstrip("=")


class Page:
    def __init__(self, browser, url):
        self.browser, self.url = browser, url

    def open(self, **state):
        self.browser.get("about:blank")
        self.browser.get(self.url + (f"#{urlencode(state)}" if state else ""))
        self.until_answered()
        return self

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
        ignored = [StaleElementReferenceException]
        wait = WebDriverWait(self.browser, 120, 0.02, ignored)
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
        names = ("robots", "urls", "agents", "dialect", "answer")
        return {name: self.one(f"#{name}").get_property("value") for name in names}


@pytest.fixture
def page(browser):
    server = Server(0, dict(GIVEN), "test")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    browser.get_log("browser")
    page = Page(browser, server.url)
    page.server = server
    yield page
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
    assert "precedence: first (rfc9309: longest)" in page.text("#facts")
    page.type("urls", "/elsewhere")
    page.until_answered()
    assert page.lit() is None


def test_of_many_rules_that_are_beaten_the_page_says_how_many_more_there_are(page):
    rules = [f"Disallow: /{'a' * length}\n" for length in range(1, 31)]
    page.open(robots="User-agent: *\n" + "".join(rules), urls="/" + "a" * 30, agents="Bot")
    facts = page.text("#facts").splitlines()
    assert facts.count("beats") == 6
    assert "and 24 more" in facts


SENTENCES = {
    "a rule": ("User-agent: *\nDisallow: /a", "200", "By line 2, Disallow: /a."),
    "no rule": ("User-agent: *\nDisallow: /b", "200", "No rule matches."),
    "no group": ("User-agent: other\nDisallow: /", "200", "No group names the crawler."),
    "no answer": ("", "no answer", "Robots.txt unreachable (no answer)."),
}


@pytest.mark.parametrize("name", SENTENCES)
def test_what_decided_is_said_in_a_sentence(page, name):
    text, site_answer, sentence = SENTENCES[name]
    page.open(robots=text, urls="/a", agents="Bot", answer=site_answer)
    assert page.text("#why") == sentence


def test_a_dialect_that_waits_for_the_file_is_not_said_to_disallow(page):
    page.open(robots="", urls="/a", agents="Bot", answer="5xx", dialect="sogou")
    assert page.text("#verdict") == "… Waits"
    words = {row.find_element(By.TAG_NAME, "th").text: row.text for row in page.of("tbody tr")}
    assert words["sogou"].endswith("… waits")
    assert words["rfc9309"].endswith("✕ disallowed")


def test_preferences_about_the_use_of_a_page_are_shown_as_text(page):
    text = f"User-agent: *\nContent-Usage: train-ai=n\nLicense: {ATTACK}\n"
    page.open(robots=text, urls="/a", agents="Bot")
    page.until(lambda: "use" in page.text("#facts"))
    facts = page.text("#facts")
    assert "line 2, Content-Usage: train-ai=n" in facts
    assert f"line 3, License: {ATTACK}" in facts


TDM = '[{"location": "/", "tdm-reservation": 1}]'


def filled(page):
    """What the folded part says of its fields, and whether it is folded away."""
    return page.text("#elsewhere-note"), page.one("#elsewhere").get_property("open")


def test_what_the_page_itself_says_is_typed_with_the_keyboard_only(page):
    page.open(robots="User-agent: *\nDisallow: /x", urls="/a", agents="Bot")
    assert filled(page) == ("headers, HTML, tdmrep.json", False)
    page.one("#level").send_keys(Keys.TAB)
    for text in (Keys.ENTER, "X-Robots-Tag: noai", "<meta name=tdm-reservation content=0>", TDM):
        page.browser.switch_to.active_element.send_keys(text)
        page.browser.switch_to.active_element.send_keys(Keys.TAB)
    page.until_answered()
    assert filled(page) == ("3 of 3 fields filled in", True)
    facts = page.text("#facts")
    assert "train-ai refused by header X-Robots-Tag: noai" in facts
    assert "tdmrep.json rule 1, tdm-reservation: 1; by meta tag tdm-reservation: 0" in facts
    assert page.text("#verdict") == "✓ Allowed; refused for train-ai"


def declared(page):
    """The purposes and the level that the page shows as chosen."""
    boxes = page.of("#declared input")
    chosen = [box.get_property("value") for box in boxes if box.is_selected()]
    return chosen, page.run("return document.getElementById('level').selectedOptions[0]?.text")


SIGNALS = "User-agent: *\nContent-Usage: search=y, train-ai=n\nContent-Signal: use=reference"
EVERY_PURPOSE = ["search", "ai-input", "train-ai"]


def test_what_the_crawl_declares_is_chosen_with_the_keyboard_and_stays_in_the_link(page):
    page.open(robots=SIGNALS, urls="/a", agents="Bot")
    assert declared(page) == (EVERY_PURPOSE, "none")
    assert page.text("#verdict") == "✓ Allowed; refused for train-ai"
    page.one("#picker").send_keys(Keys.TAB)
    for keys in (Keys.TAB, Keys.SPACE + Keys.TAB, Keys.SPACE + Keys.TAB, "full"):
        page.browser.switch_to.active_element.send_keys(keys)
    page.until(lambda: page.text("#verdict") == "✓ Allowed; refused for use=full")
    page.until_answered()
    facts = page.text("#facts")
    assert "Content-Usage: train-ai=n; by line 2, Content-Usage: search=y" in facts
    assert "use=full refused by line 3, Content-Signal: use=reference" in facts
    assert "Google-Extended" not in facts
    link = page.browser.current_url
    page.browser.get("about:blank")
    page.browser.get(link)
    page.until_answered()
    assert declared(page) == (["search"], "full")
    assert page.text("#facts") == facts


LINKS = {
    "older": ({}, (EVERY_PURPOSE, "none")),
    "nothing declared": ({"purposes": [], "level": ""}, ([], "none")),
    "other shapes": ({"purposes": "search", "level": ["full", "x"]}, (EVERY_PURPOSE, "none")),
    "unknown names": ({"purposes": ["x", 5, "train-ai"], "level": "x"}, (["train-ai"], "none")),
}


@pytest.mark.parametrize("name", LINKS)
def test_a_link_declares_what_it_says_and_an_older_one_every_purpose(page, name):
    choice, shown = LINKS[name]
    page.server.start_values.update(uses_of(DeclaredUse(frozenset({"ai-input"}), "immediate")))
    page.open()
    assert declared(page) == (["ai-input"], "immediate")  # of the project
    state = {"robots": SIGNALS, "urls": "/a", "agents": "Bot", **choice}
    page.browser.get("about:blank")
    page.browser.get(f"{page.url}#1.{b64(compress(json.dumps(state).encode()))}")
    page.until_answered()
    assert declared(page) == shown
    assert ("train-ai refused by" in page.text("#facts")) is ("train-ai" in shown[0])


def test_the_headline_of_a_page_that_is_not_fetched_has_no_uses(page):
    fields = {"robots": "User-agent: *\nDisallow: /a", "headers": "X-Robots-Tag: noai"}
    page.open(**fields, urls="/a", agents="Bot")
    assert page.text("#verdict") == "✕ Disallowed"
    assert "train-ai refused by" in page.text("#facts")


def test_a_link_opens_the_page_with_what_the_page_itself_says(page):
    page.open()
    assert page.text("#facts")
    fields = {"headers": f"A: b\n{ATTACK}: \u202e", "html": f"{ATTACK}\n", "tdmrep": "[]"}
    for name, value in fields.items():
        page.run(
            f"const box = document.getElementById({name!r}); box.value = {json.dumps(value)};"
            "box.dispatchEvent(new Event('input'))"
        )
    page.until_answered()
    link = page.browser.current_url
    page.browser.get("about:blank")
    page.browser.get(link)
    page.until_answered()
    assert filled(page) == ("3 of 3 fields filled in", True)
    assert {name: page.one(f"#{name}").get_property("value") for name in fields} == fields
    assert page.of("main img, main script, main a") == []


def test_a_policy_that_turns_text_round_is_escaped(page):
    page.open(robots="", urls="/a", agents="Bot", headers="tdm-policy: /\u202egnp.exe")
    assert r"header tdm-policy: /\u202egnp.exe" in page.text("#facts")


def test_the_tdmrep_json_of_a_site_comes_with_its_robots_txt_and_goes_with_it(page):
    page.open()
    tdmrep = "/.well-known/tdmrep.json"
    with Site({"/robots.txt": served(""), tdmrep: served(TDM)}) as site:
        page.type("site", site.origin)
        page.one("#fetch button").click()
        page.until(lambda: page.text("#elsewhere-note") == "1 of 3 fields filled in")
        page.until_answered()
        assert "train-ai refused by tdmrep.json rule 1" in page.text("#facts")
        page.one("#elsewhere summary").click()
        assert page.text("#tdmrep-source") == f"{site.origin}{tdmrep}: 200"
        page.one("#tdmrep").send_keys(" ")
        assert page.text("#tdmrep-source") == ""
        page.until_answered()
    with Site({"/robots.txt": Answer(status=503)}) as site:
        page.type("site", site.origin)
        page.one("#fetch button").click()
        page.until(lambda: "robots.txt does not allow it" in page.text("#tdmrep-source"))
    page.until_answered()
    assert page.one("#tdmrep").get_property("value") == ""
    assert "tdm-reservation" not in page.text("#facts")


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
    old = {"robots": "User-agent: é&#\n+ %41\n", "urls": "/a?b=c#d\n/%7E", "agents": "A, B"}
    page.open(**old, dialect="yandex", question=3)
    state = {**old, "agents": "A\nB", "dialect": "yandex", "answer": "200"}
    assert page.state() == state
    assert page.one('[aria-pressed="true"]').get_attribute("data-cell").endswith(",3")
    before = page.browser.current_url
    page.type("urls", "/other")
    page.until(lambda: page.browser.current_url != before and not page.text("#state"))
    link = page.browser.current_url
    page.browser.get("about:blank")
    page.browser.get(link)
    page.until_answered()
    assert page.state() == {**state, "urls": "/other"}


def test_a_link_is_packed(page):
    page.open(robots="User-agent: *\n" + "Disallow: /private/\n" * 2000, urls="/", agents="A")
    assert page.browser.current_url.partition("#")[2].startswith("1.")
    assert len(page.browser.current_url) < 500


BAD_LINKS = {
    "a link that bursts": lambda: b64(compress(b'{"robots":"' + b"a" * 50_000_000 + b'"}')),
    "a link that is cut": lambda: b64(compress(b'{"robots": "x"}')[:-4]),
    "a link that is no JSON": lambda: b64(compress(b"{")),
    "a link with other letters": lambda: "###",
}


@pytest.mark.parametrize("name", BAD_LINKS)
def test_a_link_that_cannot_be_read_says_so_and_the_page_works(page, name):
    page.browser.get("about:blank")
    page.browser.get(f"{page.url}#1.{BAD_LINKS[name]()}")
    page.until(lambda: page.run("return document.body.dataset.answered"))
    assert page.text("#state").startswith("This link cannot be read: ")
    page.type("urls", "/x")
    page.until_answered()
    assert page.text("thead .url") == "/x"


def test_a_link_with_other_shapes_is_text(page):
    state = {"robots": {"a": 1}, "urls": 5, "agents": ["x"], "expect": [1, None, {"agent": 5}]}
    page.browser.get("about:blank")
    page.browser.get(f"{page.url}#1.{b64(compress(json.dumps(state).encode()))}")
    page.until_answered()
    assert page.state()["robots"] == "[object Object]"
    assert page.text("#held") == ""


def test_a_user_agent_with_a_comma_is_one_crawler(page):
    header = "Mozilla/5.0 (X11, really; like Gecko) Foo/1.0"
    page.open(robots="User-agent: *\nDisallow: /", urls="/", agents="A")
    page.type("agents", header)
    page.until_answered()
    assert [cell.text for cell in page.of("thead .agent")] == [header]


def test_a_known_crawler_is_added_from_the_list(page):
    page.open(robots="User-agent: *\nDisallow: /", urls="/", agents="A")
    assert len(page.of("#picker optgroup")) > 5
    Select(page.one("#picker")).select_by_value("GPTBot")
    page.until(lambda: len(page.of("thead .agent")) == 2)
    page.until_answered()
    Select(page.one("#picker")).select_by_value("GPTBot")  # it is there already
    assert page.state()["agents"] == "A\nGPTBot"


def test_an_empty_file_is_shown_as_one(page):
    page.server.start_values["source"] = {"url": "empty.txt", **as_fetched(FetchResult(200))}
    page.open()
    assert page.state()["robots"] == ""
    assert page.text("#source") == "empty.txt: 200, an empty file"


def test_a_file_that_was_edited_is_no_longer_called_the_fetched_one(page):
    fetched = as_fetched(FetchResult(200, b"User-agent: *\n"))
    page.server.start_values["source"] = {"url": "site.txt", **fetched}
    page.open()
    assert page.text("#source") == "site.txt: 200, 14 octets"
    page.type("robots", "é")
    page.until_answered()
    assert page.text("#source") == "edited here, 2 octets"


def test_a_site_that_fails_has_no_file_and_its_answer_is_what_is_read(page):
    page.open()
    with Site({"/robots.txt": Answer(status=503)}) as site:
        page.type("site", site.origin)
        page.one("#fetch button").click()
        page.until(lambda: "503" in page.text("#source"))
    page.until_answered()
    assert page.text("#source") == f"{site.origin}/robots.txt: 503: there is no file to read"
    assert (page.state()["robots"], page.state()["answer"]) == ("", "5xx")
    rows = [row.text for row in page.of("tbody tr")]
    assert any("nothing is allowed" in row for row in rows)
    assert any("everything is allowed" in row for row in rows)
    assert page.text("#why") == "Robots.txt unreachable (503)."
    page.type("site", f"http://127.0.0.1:{free_port()}")
    page.one("#fetch button").click()
    page.until(lambda: "refused" in page.text("#source"))
    page.until_answered()
    assert page.state()["answer"] == "no answer"
    assert page.text("#why") == "Robots.txt unreachable (connection refused)."
    Select(page.one("#answer")).select_by_value("5xx")
    page.until(lambda: page.text("#why") == "Robots.txt unreachable (503).")
    with Site({"/robots.txt": served("User-agent: *\nDisallow: /x")}) as site:
        page.type("site", site.origin)
        page.one("#fetch button").click()
        page.until(lambda: "octets" in page.text("#source"))
    page.until_answered()
    assert (page.state()["answer"], page.of("td.access")) == ("200", [])


def hold_answers(monkeypatch):
    """The server has no answer before this event is set."""
    gate, true_answers = threading.Event(), answers.answers

    def slow_answers(*arguments):
        gate.wait(30)
        return true_answers(*arguments)

    monkeypatch.setattr("scrapy_robots_policy.commands.tester.server.answers", slow_answers)
    return gate


def test_while_it_computes_it_says_so_and_old_marks_are_gone(page, monkeypatch):
    page.open(robots="User-agent: *\nDisallow: /a\nDisalow: /b\n", urls="/a", agents="Bot")
    assert page.lit() == [2, False]
    gate = hold_answers(monkeypatch)
    page.one("#urls").send_keys("x")
    page.until(lambda: page.text("#state") == "Computing …")
    assert page.lit() is None
    assert page.of("#gutter .error") == []
    style = "return getComputedStyle(document.querySelector('{}')).{}"
    shown = style.format("#table tbody", "opacity"), style.format("#why", "visibility")
    page.until(lambda: list(map(page.run, shown)) == ["0", "hidden"])
    gate.set()
    page.until_answered()
    assert page.lit() == [2, False]
    assert list(map(page.run, shown)) == ["1", "visible"]


def test_a_cell_keeps_the_focus_while_the_page_computes(page, monkeypatch):
    page.open(robots="User-agent: *\nDisallow: /a\n", urls="/a", agents="Bot")
    gate = hold_answers(monkeypatch)
    page.one('[data-cell="0,0"]').send_keys(Keys.ARROW_DOWN)
    opacity = "return getComputedStyle(document.querySelector('#table tbody')).opacity"
    page.until(lambda: page.run(opacity) == "0")
    page.browser.execute_async_script("requestAnimationFrame(() => setTimeout(arguments[0]))")
    gate.set()
    page.until_answered()
    assert page.run("return document.activeElement.dataset.cell") == "1,0"


@pytest.mark.parametrize("leave", ["another key", "closed tab"])
def test_a_computation_ends_with_the_next_key_or_with_the_tab(page, monkeypatch, leave):
    page.open(robots="User-agent: *\nDisallow: /a\n", urls="/a", agents="Bot")
    begun, ended, true_answers = threading.Event(), threading.Event(), answers.answers

    def long_answers(questions, rules, is_abandoned):
        if questions.urls != ("/long",):
            return true_answers(questions, rules, is_abandoned)
        begun.set()
        deadline = monotonic() + 60
        while not is_abandoned() and monotonic() < deadline:
            pass
        if is_abandoned():
            ended.set()
        raise answers.Abandoned

    monkeypatch.setattr("scrapy_robots_policy.commands.tester.server.answers", long_answers)
    tab = page.browser.current_window_handle
    if leave == "closed tab":
        page.browser.switch_to.new_window("tab")
        page.browser.get(f"{page.url}#{urlencode({'robots': '', 'urls': '/long', 'agents': 'B'})}")
    else:
        page.type("urls", "/long")
    assert begun.wait(60)
    if leave == "closed tab":
        page.browser.close()
        page.browser.switch_to.window(tab)
    else:
        page.type("urls", "/short")
        page.until_answered()
    assert ended.wait(60)


def test_of_more_urls_and_crawlers_than_are_answered_it_says_how_many_are(page):
    urls = "\n".join(f"/{number}" for number in range(10_000))
    page.open(robots="User-agent: *\nDisallow: /a\n", urls="/a\n/b", agents="Bot")
    assert page.text("#left-out") == ""
    page.run(f"document.querySelector('#urls').value = {urls!r}")
    page.type("agents", "a\nb\nc\nd\ne\nf\ng")
    page.until_answered()
    assert page.text("#left-out") == (
        "Only the first 30 of 10,000 URLs and the first 6 of 7 crawlers are answered."
    )
    page.type("agents", "a\nb\nc\nd\ne\nf")
    page.until_answered()
    assert page.text("#left-out") == "Only the first 30 of 10,000 URLs are answered."


def test_fields_that_are_too_long_together_are_refused_in_words(page):
    page.open()
    page.run("document.querySelector('#html').value = ' '.repeat(20_000_000) + 'x'")
    page.one("#urls").send_keys("x")
    page.until(lambda: page.text("#state").startswith("No answer"))
    limit = "No answer: all fields of the page together may have 2,097,152 octets; they have 20,0"
    assert page.text("#state").startswith(limit)
    failure = [entry for entry in page.browser.get_log("browser") if "400" not in entry["message"]]
    assert failure == []


@pytest.mark.parametrize("width", [1300, 360])
def test_a_url_and_a_crawler_of_half_a_megabyte_are_cut_where_they_are_shown(page, width):
    show(page.browser, width, "light")
    page.open(robots="User-agent: *\nDisallow: /x\n", urls="/a", agents="Bot")
    page.run("document.querySelector('#agents').value = 'b'.repeat(500_000)")
    page.run("document.querySelector('#urls').value = '/' + 'x'.repeat(500_000)")
    page.one("#urls").send_keys("x")
    page.until_answered()
    assert page.lit() == [2, False]
    assert page.run("return document.documentElement.scrollHeight") < 20_000
    assert len(page.run("return document.querySelector('main').outerHTML")) < 1_000_000
    assert page.run("return document.documentElement.scrollWidth") <= width
    show_as_usual(page.browser)


def test_other_urls_do_not_ask_for_the_same_findings_again(page):
    page.open(robots="User-agent: *\nDisalow: /b\n", urls="/a", agents="Bot")
    count = "return performance.getEntriesByName(location.origin + '/findings').length"
    before = page.run(count)
    page.type("urls", "/other")
    page.until_answered()
    assert page.of("#findings .error")
    assert page.run(count) == before
    page.type("robots", "Disallow: /x")
    page.until_answered()
    assert page.run(count) > before
    assert "R201" not in page.text("#findings")


def test_the_rule_is_explained_part_by_part_and_lit_in_the_url(page):
    page.open(robots="User-agent: *\nDisallow: /a*b$", urls="/axxb", agents="Bot")
    parts = [item.text.split("\n") for item in page.of(".parts li")]
    assert [(part[0], part[-1]) for part in parts] == [
        *(("/a", "/a"), ("*", "xx"), ("b", "b"), ("$", "the URL ends here")),
    ]
    assert [mark.text for mark in page.of("#match .url mark")] == ["/a", "xx", "b"]
    page.type("urls", "/axxbc")
    page.until_answered()
    assert page.of(".parts li") == []


def test_only_differences_are_shown_where_that_is_asked_for(page):
    text = "User-agent: *\nDisallow: /private/\nAllow: /private/press/\nDisallow: /x\n"
    page.open(robots=text, urls="/private/press/1\n/x\n/y", agents="Bot")
    page.one("#differences").click()
    page.until(lambda: len(page.of("thead .url")) == 1)
    names = [cell.text for cell in page.of("tbody th")]
    assert "rfc9309" in names  # with which the others are compared
    assert "baidu" in names
    assert "google" not in names
    page.type("robots", "User-agent: *\nDisallow: /x\n")
    page.until(lambda: page.text("#hint") == "All dialects give the same answers.")


def test_expectations_are_green_or_red_saved_and_loaded(page, tmp_path):
    page.open(robots="User-agent: *\nDisallow: /a\n", urls="/a\n/b", agents="Bot")
    for place, value in enumerate(("false", "false")):
        Select(page.of(".expect")[place]).select_by_value(value)
    page.until(lambda: "1 of 2 expectations hold" in page.text("#held"))
    row = [cell.get_attribute("class") for cell in page.of("tr.chosen td")]
    assert row == ["held", "failed"]
    suite = page.browser.execute_async_script(
        "const done = arguments[0]; URL.createObjectURL = (blob) => { blob.text().then(done); "
        "return 'data:,'; }; HTMLAnchorElement.prototype.click = () => {}; "
        "document.getElementById('save').click();"
    )
    expected = [{"agent": "Bot", "url": url, "allowed": False} for url in ("/a", "/b")]
    assert json.loads(suite) == {"expect": expected}
    link = page.browser.current_url
    page.browser.get("about:blank")
    page.browser.get(link)
    page.until_answered()
    assert "1 of 2 expectations hold" in page.text("#held")
    path = tmp_path / "suite.json"
    more = [{"agent": "Bot", "url": "/b", "allowed": True, "dialect": "google"}, SENTENCE]
    path.write_text(json.dumps({"expect": [*expected, *more]}))
    page.one("#suite").send_keys(str(path))
    page.until(lambda: "2 of 3 expectations hold as rfc9309" in page.text("#held"))
    assert page.state()["urls"] == "/a\n/b\n/c"
    Select(page.one("#dialect")).select_by_value("google")
    page.until(lambda: "3 of 3 expectations hold as google" in page.text("#held"))


SENTENCE = "Bot may fetch /c"
BAD_SUITES = {
    "no JSON": "{",
    "no suite": "[]",
    "no expectations": '{"expect": [5]}',
    "an expectation that says nothing": '{"expect": [{"agent": "Bot", "url": "/a"}]}',
}


@pytest.mark.parametrize("name", BAD_SUITES)
def test_what_is_no_suite_is_not_loaded(page, name, tmp_path):
    page.open()
    path = tmp_path / "suite.json"
    path.write_text(BAD_SUITES[name])
    page.one("#suite").send_keys(str(path))
    page.until(lambda: page.text("#state").startswith("Not loaded: "))
    assert page.text("#held") == ""


@pytest.mark.parametrize("width", [390, 1300])
def test_what_dialects_make_of_an_answer_leaves_room_for_the_verdicts(page, width):
    show(page.browser, width, "light")
    urls = "/private/press/2026" if width == 390 else "/private/press/2026\n/tmp/x"
    page.open(robots="", urls=urls, agents="Bot", answer="5xx")
    room = page.run(
        "const box = document.getElementById('scroll'); return box.scrollWidth - box.clientWidth"
    )
    gaps = page.run(
        "return [...document.querySelectorAll('td button')].map((button) => "
        "button.parentNode.clientHeight - button.offsetHeight)"
    )
    page.type("urls", "")
    page.until_answered()
    heights = page.run(
        "return [...document.querySelectorAll('tbody th')].map((cell) => cell.offsetHeight)"
    )
    show_as_usual(page.browser)
    assert room <= 0
    assert max(gaps) <= 1
    assert min(heights) >= 22


def test_a_long_header_of_a_crawler_takes_three_lines_of_the_table_at_most(page):
    page.open(robots="", urls="/x", agents=f"Bot\n{'a' * 400}")
    short, long = page.run(
        "return [...document.querySelectorAll('thead .agent')].map((name) => name.clientHeight)"
    )
    assert short < long < 4 * short


@needs_axe
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1200])
def test_axe_finds_nothing_that_shuts_readers_out(page, width, scheme):
    show(page.browser, width, scheme)
    faults = []
    text = "User-agent: *\nDisallow: /a*b\nDisalow: /x\nContent-Usage: train-ai=n\n"
    page.open(robots=text, urls="/axb\n/y", agents="Bot, Googlebot", headers="X-Robots-Tag: noai")
    for place in range(2):
        Select(page.of(".expect")[place]).select_by_value("false")
    faults += accessibility_faults(page.browser)
    page.browser.get_log("browser")  # what axe was not allowed to load
    Select(page.one("#answer")).select_by_value("5xx")
    page.until(lambda: page.of("td.access"))
    page.until_answered()
    faults += accessibility_faults(page.browser)
    page.browser.get_log("browser")
    show_as_usual(page.browser)
    assert faults == []


ATTACK = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"


def test_in_forced_colours_the_line_that_decides_and_the_chosen_cell_are_marked(page):
    show(page.browser, 1200, "light", forced="active")
    page.open(robots="User-agent: *\nDisallow: /a\n\nUser-agent: B", urls="/a", agents="Bot")
    page.until(lambda: page.lit() == [2, False])
    styles = page.run(
        "const style = (selector) => getComputedStyle(document.querySelector(selector));"
        "return [style('#backdrop .lit').borderLeftColor,"
        " style('#backdrop .line:last-child').borderLeftColor,"
        " style('td button[aria-pressed=true]').outlineStyle]"
    )
    show_as_usual(page.browser)
    assert styles[0] != styles[1]
    assert styles[2] == "solid"


def test_without_javascript_it_says_that_it_needs_it(page):
    command = page.browser.execute_cdp_cmd
    command("Emulation.setScriptExecutionDisabled", {"value": True})
    page.browser.get(page.url)
    nodes = command("Accessibility.getFullAXTree", {})["nodes"]
    command("Emulation.setScriptExecutionDisabled", {"value": False})
    assert "This page needs JavaScript." in [node.get("name", {}).get("value") for node in nodes]


def test_every_control_shows_that_it_has_the_focus(page):
    page.open(robots="User-agent: *\nDisallow: /a", urls="/a", agents="Bot")
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
    assert ["robots", "solid"] in focused
    assert ["level", "solid"] in focused
    assert {style for _, style in focused} == {"solid"}


def test_on_paper_the_whole_file_is_there_in_the_colours_of_paper(page):
    page.open(robots="User-agent: *\n" + "Disallow: /a\n" * 200, urls="/a", agents="Bot")
    page.until_answered()
    page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    editor, shown, colours = page.run(
        "const style = (selector) => getComputedStyle(document.querySelector(selector));"
        "return [document.querySelector('.editor').offsetHeight, style('#robots').display,"
        " [style('#backdrop .line').color, style('body').color]]"
    )
    page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert editor > 200 * 20
    assert shown == "none"
    assert colours[0] == colours[1]


@pytest.mark.parametrize(("count", "is_table"), [(3, True), (30, False)])
def test_on_paper_no_verdict_is_cut_away_and_each_says_what_was_asked(page, count, is_table):
    page.open(robots="", urls="\n".join(f"/{n}" for n in range(count)), agents="Bot")
    show(page.browser, 720, "light")
    page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    wide, head, question = page.run(
        "const cell = document.querySelector('tbody td:last-child');"
        "return [document.documentElement.scrollWidth,"
        " getComputedStyle(document.querySelector('thead')).display !== 'none',"
        " getComputedStyle(cell, '::before').content]"
    )
    page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    show_as_usual(page.browser)
    assert wide <= 720
    assert head is is_table
    assert head or f"/{count - 1}" in question


def test_markup_in_a_file_or_url_stays_text(page):
    page.open(
        robots=f"User-agent: *\nDisallow: /{ATTACK}\n{ATTACK}: x\nUser-agent: {ATTACK}\nAllow: /y",
        urls=f"/{ATTACK}\njavascript:document.title='owned'",
        agents=f"Bot,{ATTACK}",
    )
    page.until(lambda: page.of("#findings li button"))
    assert "<img" in page.text("#match")  # the parts of the rule, and of the URL
    Select(page.of(".expect")[0]).select_by_value("true")
    page.one('[data-cell="0,1"]').click()
    page.until(lambda: page.one('[data-cell="0,1"]').get_attribute("aria-pressed") == "true")
    assert ATTACK in page.text("#facts")
    assert page.of("main img, main script, main a") == []
    assert page.browser.title == "robots.txt tester"
    assert ATTACK in page.text("thead")


def test_no_character_turns_the_name_of_a_url_or_crawler_round(page):
    page.open(robots="", urls="/\u202egnp.exe\n/\U000e0041\x1b", agents="\u2067Bot")
    said = page.text("thead") + page.text("#facts")
    assert all(name in said for name in (r"/\u202egnp.exe", r"/\U000e0041\x1b", r"\u2067Bot"))
    assert {*said}.isdisjoint("\u202e\U000e0041\x1b\u2067")
    labels = [one.get_attribute("aria-label") for one in page.of(".expect")]
    assert labels[0] == r"Expected for /\u202egnp.exe, \u2067Bot"


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
