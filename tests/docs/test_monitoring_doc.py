"""What docs/monitoring.md says is so: each of its code blocks runs, in a crawl where it can."""

from __future__ import annotations

import doctest
import re
from pathlib import Path
from urllib.request import urlopen

import pytest

from scrapy_robots_policy import stats
from tests.crawls import Spider, crawl
from tests.house.sources import MODULES, text_of
from tests.on_reactor import on_reactor
from tests.site import Answer, Site, free_port, robots

PAGE = Path(__file__).parents[2] / "docs" / "monitoring.md"
CODE = [
    block
    for block in re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    if not block.startswith(">>>")
]
RULES = "User-agent: *\nDisallow: /x\n"


def run(number: int) -> dict:
    """The names that a code block of the page defines."""
    names: dict = {}
    exec(compile(CODE[number], f"{PAGE.name}, block {number}", "exec"), names)
    return names


def test_the_examples_of_the_module_answer_as_shown():
    failed, tried = doctest.testmod(stats)
    assert (failed, tried > 3) == (0, True)


@pytest.mark.slow
@on_reactor
async def test_its_extension_writes_a_file_for_prometheus(tmp_path):
    path = tmp_path / "robots.prom"
    closed = Site({"/robots.txt": Answer(status=503)}, "127.0.0.2")
    with closed, Site({"/robots.txt": robots(RULES)}) as site:
        await crawl(
            *(site.url("/a"), site.url("/x"), closed.url()),
            settings={
                "EXTENSIONS": {run(0)["PrometheusFile"]: 0},
                "PROMETHEUS_FILE": str(path),
                "ROBOTS_FETCH_RETRIES": 0,
            },
        )
    lines = path.read_text().splitlines()
    assert "# HELP scrapy_robots_fetched_total tries to fetch a robots.txt" in lines
    for line in (
        "# TYPE scrapy_robots_dropped_total counter",
        'scrapy_robots_dropped_total{what="rule"} 1',
        'scrapy_robots_dropped_total{what="unreachable"} 1',
        'scrapy_robots_outcome_total{what="503"} 1',
        "scrapy_robots_passed_total 1",
    ):
        assert line in lines
    assert not any("downloader" in line for line in lines)


@pytest.mark.parametrize("what", ['a"b', "a\\b", "a\nb"])
def test_a_label_cannot_end_its_line(what):
    *_, sample = run(0)["lines_of"]({f"robots/outcome/{what}": 1})
    assert sample.count("\n") == 1
    assert re.fullmatch(r'scrapy_robots_outcome_total\{what="(?:[^"\\\n]|\\.)*"\} 1\n', sample)


class Scraping(Spider):
    """Looks at the metrics while the crawl runs."""

    async def parse(self, response):
        from scrapy.utils.defer import maybe_deferred_to_future  # noqa: PLC0415
        from twisted.internet.threads import deferToThread  # noqa: PLC0415 - it takes the reactor

        port = self.crawler.settings.getint("PROMETHEUS_PORT")
        answer = deferToThread(lambda: urlopen(f"http://127.0.0.1:{port}/metrics").read())
        self.metrics = (await maybe_deferred_to_future(answer)).decode()


@pytest.mark.slow
@on_reactor
async def test_its_server_answers_prometheus():
    pytest.importorskip("prometheus_client", reason="pip install prometheus-client")
    port = free_port()
    with Site({"/robots.txt": robots(RULES)}) as site:
        settings = {"EXTENSIONS": {run(1)["PrometheusServer"]: 0}, "PROMETHEUS_PORT": port}
        _, crawler = await crawl(site.url("/a"), spider=Scraping, settings=settings)
    assert "# HELP scrapy_robots_fetched_total tries to fetch" in crawler.spider.metrics
    assert 'scrapy_robots_outcome_total{what="200"} 1.0' in crawler.spider.metrics


def test_every_stat_that_the_code_writes_is_a_constant():
    literal = re.compile(r"""["']robots/[\w/{]""")
    modules = {module.name: text_of(module) for module in MODULES}
    del modules["stats.py"]
    assert [name for name, text in modules.items() if literal.search(text)] == []


def test_each_name_has_a_constant_and_a_meaning():
    constants = {
        value
        for name, value in vars(stats).items()
        if name.isupper() and isinstance(value, str) and name != "PREFIX"
    }
    assert constants == stats.MEANINGS.keys()
    assert constants >= stats.GAUGES
