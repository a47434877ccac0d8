"""What a crawl writes to the log about robots.txt while it runs, and how little that is."""

from __future__ import annotations

import logging

import pytest
from scrapy.utils.test import get_crawler

from scrapy_robots_policy.admission.status_line import StatusLine, Waiting
from scrapy_robots_policy.crawl_log import CrawlLog
from scrapy_robots_policy.report.trouble_log import MAX_COUNTED, MAX_LINES, TroubleLog
from tests.crawls import OURS, REACTORS, Plan, crawl, crawl_apart
from tests.on_reactor import on_reactor
from tests.site import Answer, Site, robots

LINES = {
    Waiting(): "",
    Waiting(120, 31, 45, 0, 3): (
        "120 requests wait for 31 files, 45 held by a Crawl-delay, 3 origins put off"
    ),
    Waiting(1, 1): "1 request waits for 1 file",
    Waiting(0, 0, 1): "1 request held by a Crawl-delay",
    Waiting(0, 0, 4500, 2): "4,500 requests held by a Crawl-delay, 2 held by a Visit-time",
    Waiting(2, 1, is_full=True): (
        "2 requests wait for 1 file, no more are taken from the scheduler (ROBOTS_MAX_WAITING)"
    ),
    Waiting(2, 1, 0, 0, 1): "2 requests wait for 1 file, 1 origin put off",
}


@pytest.mark.parametrize("waiting", LINES, ids=LINES.values())
def test_the_line_names_only_what_waits(waiting):
    assert str(waiting) == LINES[waiting]


class GateKeeper(logging.Handler):
    """Opens a gate of a site when a line with these words is logged."""

    def __init__(self, words: str, site: Site) -> None:
        super().__init__()
        self.words, self.site = words, site

    def emit(self, record):
        if self.words in record.getMessage():
            self.site.gate("gate").set()


CASES = {
    "a file that is late": (
        robots("User-agent: *\nDisallow: /x", gate="gate"),
        "robots.txt: 3 requests wait for 1 file",
        {},
    ),
    "a queue that does not tell of which hosts it has requests": (
        robots("", gate="gate"),
        "no more are taken from the scheduler (ROBOTS_MAX_WAITING)",
        {
            "ROBOTS_MAX_WAITING": 1,
            "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.ScrapyPriorityQueue",
        },
    ),
    "an origin that defers": (
        [Answer(status=503), Answer(status=503), robots("", gate="gate")],
        "1 origin put off",
        {"ROBOTS_DIALECT": "koster1996", "ROBOTS_FETCH_RETRIES": 0, "ROBOTS_ERROR_TTL": 1},
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
@on_reactor
async def test_a_crawl_that_stands_still_says_what_it_waits_for(case, caplog):
    answer, words, settings = CASES[case]
    caplog.set_level(logging.INFO, "scrapy_robots_policy")
    with Site({"/robots.txt": answer}) as site:
        keeper = GateKeeper(words, site)
        logging.getLogger("scrapy_robots_policy").addHandler(keeper)
        try:
            seen, _ = await crawl(
                *(site.url(f"/{n}") for n in range(3)),
                settings={"LOGSTATS_INTERVAL": 0.05, **settings},
            )
        finally:
            logging.getLogger("scrapy_robots_policy").removeHandler(keeper)
    assert len(seen.answered) == 3
    assert any(words in record.getMessage() for record in caplog.records)


@pytest.mark.slow
@on_reactor
async def test_requests_that_wait_for_their_turn_are_in_the_line(caplog):
    caplog.set_level(logging.INFO, "scrapy_robots_policy")
    with Site({"/robots.txt": robots("User-agent: *\nCrawl-delay: 0.3")}) as site:
        await crawl(*(site.url(f"/{n}") for n in range(4)), settings={"LOGSTATS_INTERVAL": 0.05})
    assert "held by a Crawl-delay" in caplog.text


@pytest.mark.slow
@pytest.mark.parametrize("kind", REACTORS)
def test_the_line_is_written_on_every_reactor_and_stops_with_the_crawl(kind):
    with Site({"/robots.txt": robots("User-agent: *\nCrawl-delay: 0.2")}) as site:
        urls = [site.url(f"/{n}") for n in range(3)]
        settings = {**OURS, **REACTORS[kind], "LOGSTATS_INTERVAL": 0.02}
        assert len(crawl_apart(Plan(urls, settings)).answered) == 3


@pytest.mark.parametrize("interval", [0, -1])
def test_without_an_interval_there_is_no_line_and_no_timer(interval):
    line = StatusLine(get_crawler(settings_dict={"LOGSTATS_INTERVAL": interval}), Waiting, list)
    line.start()
    assert line._cancel is None
    line.stop()


@on_reactor
async def test_while_nothing_waits_there_is_no_line(caplog):
    caplog.set_level(logging.INFO, "scrapy_robots_policy")
    states, sums = iter((Waiting(), Waiting(1, 1))), []
    line = StatusLine(
        get_crawler(settings_dict={"LOGSTATS_INTERVAL": 60}),
        lambda: next(states),
        lambda: sums.append(len(caplog.records)),
    )
    for _ in range(2):
        line._tick()
        line.stop()
    assert [record.getMessage() for record in caplog.records] == [
        "robots.txt: 1 request waits for 1 file"
    ]
    assert sums == [0, 1]  # the sum of the troubles is asked for all the same


@pytest.mark.slow
@on_reactor
async def test_a_crawl_in_which_nothing_waits_has_no_line_of_ours_at_info(caplog):
    caplog.set_level(logging.INFO)
    with Site({"/robots.txt": robots("")}) as site:
        await crawl(site.url(), settings={"LOGSTATS_INTERVAL": 60})
    ours = [r.getMessage() for r in caplog.records if r.name.startswith("scrapy_robots_policy")]
    assert ours == []


def test_the_first_troubles_have_a_line_each_and_the_others_a_sum(caplog):
    log = TroubleLog(CrawlLog(get_crawler()))
    lines = [log.takes_line("503") for _ in range(MAX_LINES + 40)]
    lines += [log.takes_line("timeout") for _ in range(17)]
    assert (sum(lines), lines.index(False)) == (MAX_LINES, MAX_LINES)
    for _ in range(2):  # the second time nothing is new
        log.sum_up()
    (record,) = caplog.records
    assert record.levelname == "WARNING"
    assert record.getMessage() == (
        "Trouble with the robots.txt of 57 more origins (503: 40, timeout: 17)"
    )


def test_the_sum_of_many_reasons_is_one_short_line(caplog):
    log = TroubleLog(CrawlLog(get_crawler()))
    for number in range(10 * MAX_COUNTED):
        log.takes_line(f"cause {number}")
    assert len(log._reasons) == MAX_COUNTED + 1
    log.sum_up()
    assert len(caplog.messages[0]) < 200
    assert caplog.messages[0].startswith("Trouble with the robots.txt of 980 more origins (")
    assert caplog.messages[0].endswith(", …)")


@pytest.mark.slow
@on_reactor
async def test_a_crawl_with_many_origins_in_trouble_writes_few_warnings(caplog):
    caplog.set_level(logging.INFO)
    down = [Site({"/robots.txt": Answer(status=503)}, f"127.0.1.{n}") for n in range(1, 31)]
    try:
        seen, _ = await crawl(*(site.url() for site in down), settings={"ROBOTS_FETCH_RETRIES": 0})
    finally:
        for site in down:
            site.close()
    assert len(seen.dropped) == 30
    ours = [r.getMessage() for r in caplog.records if r.name.startswith("scrapy_robots_policy")]
    assert len(ours) == MAX_LINES + 1
    assert ours[-1] == ("Trouble with the robots.txt of 10 more origins (503: 10)")
