"""What must be true of the warning about a crawler that names nobody to write to."""

from __future__ import annotations

import logging

import pytest

from tests.config.test_settings import read
from tests.crawls import crawl
from tests.on_reactor import on_reactor
from tests.site import Site, robots

REACHABLE = [
    {"USER_AGENT": "MyBot/1.0 (+https://bots.firm.dev/about)"},
    {"USER_AGENT": "MyBot/1.0 (+http://firm.dev:8080/?a=b)"},
    {"USER_AGENT": "MyBot/1.0 www.firm.dev"},
    {"USER_AGENT": "MyBot/1.0 (bot@firm.dev)"},
    {"USER_AGENT": "MyBot/1.0 (mailto:bot@firm.dev)"},
    {"USER_AGENT": "MyBot/1.0 (bot [at] firm.dev)"},
    {"USER_AGENT": "MyBot/1.0 (bot(at)firm.dev)"},
    {"USER_AGENT": "MyBot/1.0 (https://example.com; bot@firm.dev)"},
    {"USER_AGENT": "MyBot/1.0 (+https://user@firm.dev/)"},
    {"USER_AGENT": "MyBot/1.0 (+https://notexample.com/)"},
    {"USER_AGENT": "MyBot/1.0", "DEFAULT_REQUEST_HEADERS": {"From": "bot@firm.dev"}},
    {"DEFAULT_REQUEST_HEADERS": {b"user-agent": b"MyBot (+https://firm.dev)"}},
]
SILENT = {
    "MyBot/1.0": "which names nobody to write to",
    "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101": "which names nobody to write to",
    "MyBot/1.0 (+https://localhost/)": "which names nobody to write to",
    "MyBot/1.0 (root@mybox)": "which names nobody to write to",
    "MyBot/1.0 (+https://example.com/bot)": "whose contact is not yours (example.com)",
    "MyBot/1.0 (+https://www.example.org)": "whose contact is not yours (www.example.org)",
    "MyBot/1.0 (you@EXAMPLE.com.)": "whose contact is not yours (example.com)",
    "MyBot/1.0 (+https://bot.example/)": "whose contact is not yours (bot.example)",
    "project (+http://www.yourdomain.com)": "whose contact is not yours (www.yourdomain.com)",
    "Scrapy/2.19 (+https://scrapy.org)": "whose contact is not yours (scrapy.org)",
}


def warnings(caplog):
    return [r.getMessage() for r in caplog.records if r.levelno >= logging.WARNING]


@pytest.mark.parametrize("settings", REACHABLE)
def test_a_header_with_a_url_or_an_address_is_no_reason_to_warn(settings, caplog):
    read(settings)
    assert warnings(caplog) == []


@pytest.mark.parametrize("header", SILENT)
def test_a_header_without_a_contact_is_warned_of_once(header, caplog):
    read({"USER_AGENT": header})
    (warning,) = warnings(caplog)
    assert warning.startswith(f"USER_AGENT is {header!r}, {SILENT[header]}: ")


@pytest.mark.slow
@on_reactor
async def test_a_crawl_warns_of_it_when_it_starts_and_then_no_more(caplog):
    with Site({"/robots.txt": robots("")}) as site:
        urls = [site.url("/1"), site.url("/2")]
        seen, _ = await crawl(*urls, settings={"USER_AGENT": "MyBot/1.0"})
        assert len(seen.answered) == 2
        assert [warning[:24] for warning in warnings(caplog)] == ["USER_AGENT is 'MyBot/1.0"]
