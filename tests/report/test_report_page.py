"""A report in a real browser: it shows text as text, loads nothing, fits, sorts and filters."""

from __future__ import annotations

import json

import pytest
from parsel import Selector

from scrapy_robots_policy.report.counts import CrawlCounts
from scrapy_robots_policy.report.grid import SHOWN_ROWS
from scrapy_robots_policy.report.report_files import ReportFiles
from tests.audit.records import HERE, RULES, URLS, Recording, served
from tests.browser import (
    accessibility_faults,
    browser_of_module,  # noqa: F401 - the fixture `browser`
    needs_axe,
    needs_browser,
    show,
    show_as_usual,
)
from tests.commands.run import robots
from tests.report.test_report import SAFE, dropped_by, hostile, report_of

pytestmark = [pytest.mark.slow, needs_browser]


@pytest.fixture
def address(tmp_path):
    path = tmp_path / "report.html"
    ReportFiles.of(path).write(hostile())
    return path.as_uri()


@pytest.fixture
def many(tmp_path):
    """The address of a report with 400 origins."""
    crawl = CrawlCounts()
    for number in range(400):
        one = crawl.of(f"http://site{number}.example")
        one.mode, one.why, one.passed = "rules", "200", number
        one.octets, one.delay, one.held = 37 * number, number % 3, 40.0 * number
        crawl.wait(one.origin, number / 7)
        for _ in range(number % 5):
            crawl.drop(one.origin, dropped_by(number % 4), one.origin)
    path = tmp_path / "many.html"
    ReportFiles.of(path).write(report_of(*crawl.origins))
    return path.as_uri()


def test_nothing_in_it_is_loaded_and_only_its_own_script_runs(browser, address):
    browser.get("about:blank")
    browser.get_log("performance")  # what the browser has loaded for itself
    browser.get(address)
    run = browser.execute_script
    assert run("return document.querySelectorAll('img, iframe, [onerror], [style]').length") == 0
    scripts = run("return [...document.scripts].map((script) => script.type)")
    assert (scripts.count(""), set(scripts)) == (1, {"", "application/json"})
    assert run("return document.querySelector('h1').innerText").endswith(SAFE)
    assert browser.get_log("browser") == []  # the page's policy has nothing to complain of
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    urls = {
        event["params"]["request"]["url"]
        for event in events
        if event["method"] == "Network.requestWillBeSent"
    }
    assert urls <= {address, "data:,"}


def cells(browser, column):
    """The cells of one column in the last grid."""
    return browser.execute_script(
        "const grids = [...document.querySelectorAll('.grid')];"
        "return [...grids.at(-1).querySelectorAll('tbody tr')]"
        ".map((row) => row.cells[arguments[0]].textContent)",
        column,
    )


def test_the_script_writes_the_rows_as_the_page_had_them(browser, many):
    browser.get(many)
    by_script = browser.execute_script("return document.querySelector('main').innerText")
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.get(many)
        plain = browser.execute_cdp_cmd("DOMSnapshot.captureSnapshot", {"computedStyles": []})
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    without = {text.strip() for text in plain["strings"] if text.strip()}
    browser.get(many)
    for column in range(9):
        assert set(filter(None, cells(browser, column))) <= without
    assert "10 of 400 shown" in by_script


def test_a_wait_is_the_same_in_the_bars_and_in_the_table(browser, tmp_path):
    crawl = CrawlCounts()
    crawl.wait(crawl.of("http://a.example").origin, 1.5497)
    path = tmp_path / "wait.html"
    ReportFiles.of(path).write(report_of(*crawl.origins))
    browser.get(path.as_uri())
    bars = "return [...document.querySelectorAll('.bars b')].map((bar) => bar.textContent)"
    assert "1.5 s" in browser.execute_script(bars)
    assert cells(browser, 5) == ["1.5 s"]


HALVES = (0.25, 0.75, 0.15, 1.35, 59.75, 60.5, 61.5, 62.4999, 7230.5, 2.05)
OF_KB = (1_250, 1_350, 1_750, 9_950, 9_999, 10_500, 11_500, 12_501, 1_234_500, 999)
DELAYS = (0.5, 1.25, 0.0005, 1234.567, 1_000_000.0, 86400, 10, 1 / 3, 2.0005, 99_999.9)


def test_a_figure_is_rounded_by_the_script_as_the_page_had_it(browser, tmp_path):
    crawl = CrawlCounts()
    for number, (wait, octets, delay) in enumerate(zip(HALVES, OF_KB, DELAYS, strict=True)):
        one = crawl.of(f"http://site{number}.example")
        one.octets, one.delay = octets, delay
        crawl.wait(one.origin, wait)
    path = tmp_path / "halves.html"
    ReportFiles.of(path).write(report_of(*crawl.origins))
    rows = Selector(path.read_text("utf-8")).css(".grid")[-1].css("tbody tr")
    browser.get(path.as_uri())
    for column in (5, 6, 8):
        plain = [row.css("td")[column].xpath("string()").get() for row in rows]
        assert cells(browser, column) == plain
        assert len(set(plain)) > 5


def test_a_file_that_was_cut_says_so_at_its_size_and_is_sorted_by_it(browser, tmp_path):
    crawl = CrawlCounts()
    for number, (octets, cut) in enumerate([(9_000, False), (512_001, True), (600_000, False)]):
        one = crawl.of(f"http://site{number}.example")
        one.octets, one.cut = octets, cut
    path = tmp_path / "cut.html"
    ReportFiles.of(path).write(report_of(*crawl.origins))
    assert ">512 KB, cut</td>" in path.read_text("utf-8")
    browser.get(path.as_uri())
    browser.execute_script("[...document.querySelectorAll('.grid th button')].at(-1).click()")
    assert cells(browser, 8) == ["600 KB", "512 KB, cut", "9.0 KB"]


def test_a_column_is_sorted_by_its_values_up_and_down(browser, many):
    browser.get(many)
    button = (
        "return [...document.querySelectorAll('.grid')].at(-1).querySelectorAll('th button')[3]"
    )
    browser.execute_script(f"({button.replace('return ', '')}).click()")
    assert cells(browser, 3) == [f"{number}" for number in range(399, 399 - SHOWN_ROWS, -1)]
    head = browser.execute_script(button.replace("[3]", "[3].parentNode.ariaSort"))
    assert head == "descending"
    browser.execute_script(f"({button.replace('return ', '')}).click()")
    assert cells(browser, 3)[:3] == ["0", "1", "2"]


def test_words_in_the_filter_find_rows_that_have_them_all(browser, many):
    browser.get(many)
    browser.execute_script(
        "const input = [...document.querySelectorAll('.grid')].at(-1).querySelector('input');"
        "input.value = 'SITE39 rules'; input.dispatchEvent(new Event('input'))"
    )
    origins = set(cells(browser, 0))
    assert origins == {f"http://site{n}.example" for n in (39, *range(390, 400))}


def test_all_rows_can_be_shown(browser, many):
    browser.get(many)
    more = "[...document.querySelectorAll('.grid')].at(-1).querySelector(':scope > button')"
    for _ in range(2):
        browser.execute_script(f"{more}.click()")
    assert len(cells(browser, 0)) == 400
    assert browser.execute_script(f"return {more}.hidden")


@pytest.mark.parametrize("width", [360, 801, 1200])
def test_it_is_no_wider_than_its_screen(browser, address, width):
    show(browser, width, "light")
    browser.get(address)
    wide = browser.execute_script("return document.documentElement.scrollWidth")
    show_as_usual(browser)
    assert wide <= width


@pytest.mark.parametrize("width", [801, 1200])
def test_a_long_origin_breaks_no_word_of_the_other_columns(browser, tmp_path, width):
    crawl = CrawlCounts()
    one = crawl.of(f"http://{'long-label.' * 10}example")
    one.mode, one.why = "disallow", "timeout"
    path = tmp_path / "long.html"
    ReportFiles.of(path).write(report_of(*crawl.origins))
    show(browser, width, "light")
    browser.get(path.as_uri())
    lines = browser.execute_script(
        "const row = [...document.querySelectorAll('.grid')].at(-1).querySelector('tbody tr');"
        "return [...row.cells].slice(0, 3).map((cell) => {"
        "const text = document.createRange(); text.selectNodeContents(cell);"
        "return text.getClientRects().length})"
    )
    show_as_usual(browser)
    assert lines[0] > 1
    assert lines[1:] == [1, 1]


def test_the_hashes_of_a_record_fit_on_a_phone(browser, tmp_path):
    recording = Recording(tmp_path / "audit.jsonl", {HERE: served(RULES)})
    recording.decide(URLS[0])
    page = tmp_path / "record.html"
    assert robots("audit", "report", *recording.close(), "-o", page).status == 0
    show(browser, 390, "light")
    browser.get(page.as_uri())
    wide = browser.execute_script("return document.documentElement.scrollWidth")
    show_as_usual(browser)
    assert wide <= 390


@needs_axe
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1200])
def test_axe_finds_nothing_that_shuts_readers_out(browser, address, many, width, scheme):
    show(browser, width, scheme)
    faults = []
    for page in (address, many):
        browser.get(page)
        faults += accessibility_faults(browser)
    show_as_usual(browser)
    assert faults == []


def test_on_paper_it_is_light_has_no_controls_and_fills_its_sheets(browser, many):
    show(browser, 720, "dark")
    browser.get(many)
    features = [{"name": "prefers-color-scheme", "value": "dark"}]
    media = {"media": "print", "features": features}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    styles = browser.execute_script(
        "const style = (selector) => getComputedStyle(document.querySelector(selector));"
        "return [style('body').color, style('section').breakInside, style('tr').breakInside,"
        " style('.tools label').display, style('.grid > button').display]"
    )
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    show_as_usual(browser)
    assert styles == ["rgb(34, 33, 29)", "auto", "avoid", "none", "none"]


def test_the_key_has_the_colours_of_its_bar_in_forced_colours_and_on_paper(browser, address):
    show(browser, 1200, "light", forced="active")
    browser.get(address)
    colours = browser.execute_script(
        "const mark = getComputedStyle(document.querySelector('.key .mode-rules'), '::before');"
        "const bar = getComputedStyle(document.querySelector('.whole .mode-rules'));"
        "return [mark.backgroundColor, bar.fill, mark.printColorAdjust]"
    )
    show_as_usual(browser)
    assert colours == ["rgb(47, 93, 155)", "rgb(47, 93, 155)", "exact"]


def test_the_style_sheet_is_applied(browser, address):
    browser.get(address)
    color = "return getComputedStyle(document.querySelector('.mode-rules')).fill"
    colors = []
    for scheme in ("light", "dark"):
        show(browser, 1200, scheme)
        colors.append(browser.execute_script(color))
    show_as_usual(browser)
    assert colors == ["rgb(47, 93, 155)", "rgb(141, 180, 236)"]
