"""Makes the pictures of README from the running program: `make pictures`.

It crawls the example project, opens its report in a headless Chromium, and the tester page with a
small file. It needs Chromium with its driver, and the packages of the extra `test`.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from PIL import Image  # noqa: E402 - the project's folder has to be on the path before the next
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.support.ui import WebDriverWait  # noqa: E402

from scrapy_robots_policy.commands.printing.verdict_data import ANSWERS  # noqa: E402
from scrapy_robots_policy.owners.tester import Server, crawlers_by_kind, uses_of  # noqa: E402
from scrapy_robots_policy.rep import DIALECTS  # noqa: E402
from tests.browser import started  # noqa: E402

PICTURES = Path(__file__).parent / "pictures"
WIDTH, HEIGHT, COLOURS = 1200, 960, 64
DEADLINE = 30.0  # seconds

STATE = {
    "robots": "User-agent: *\nDisallow: /search\nAllow: /search/about\nDisallow: /*.pdf$\n\n"
    "User-agent: GPTBot\nDisallow: /\n",
    "urls": "/search/about\n/search?q=robots\n/paper.pdf",
    "agents": "MyBot,GPTBot",  # the form of links written by hand, which need no packing
    "dialect": "google",
}


def main() -> None:
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "a.html"
        scrapy("crawl", "polite", "--loglevel", "ERROR", "-s", f"ROBOTS_REPORT={report}")
        with started(Path(folder) / "profile") as browser:
            browser.set_window_size(WIDTH, HEIGHT)
            browser.get(report.as_uri())
            save(browser, "report")
            with_tester(browser)


def scrapy(*words: str) -> None:
    """Run a command in the example project."""
    subprocess.run(  # noqa: S603 - ourselves
        [sys.executable, "-m", "scrapy", *words],
        cwd=ROOT / "example_project",
        stdout=subprocess.DEVNULL,
        timeout=120,
        check=True,
    )


def with_tester(browser: Any) -> None:
    given = {
        "source": None,
        "agent": "MyBot",
        "dialect": "google",
        "dialects": list(DIALECTS),
        "answers": list(ANSWERS),
        "crawlers": crawlers_by_kind(),
        **uses_of(),
    }
    server = Server(0, given, "robots.txt")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        browser.get(f"{server.url}#{urlencode(STATE)}")
        rows = (By.CSS_SELECTOR, "tbody tr")
        WebDriverWait(browser, DEADLINE).until(lambda _: browser.find_elements(*rows))
        save(browser, "tester")
    finally:
        server.shutdown()
        server.server_close()


def save(browser: Any, name: str) -> None:
    """Save what is shown, with few colours: a picture of some 30 kB."""
    path = PICTURES / f"{name}.png"
    browser.execute_script("document.documentElement.style.overflow = 'hidden'")  # no scroll bar
    browser.save_screenshot(str(path))
    Image.open(path).convert("RGB").quantize(COLOURS).save(path, optimize=True)
    print(f"{path.relative_to(ROOT)}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
