"""On real files, google gives the verdicts of Google's own parser and names the lines it names."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

import pytest

from scrapy_robots_policy.rep import DIALECTS, parse
from tests.rep.cases import corpus_questions

pytestmark = pytest.mark.corpus


def test_verdict_and_deciding_line_are_those_of_googles_parser(corpus: Path):
    wrong, asked = [], 0
    for name, questions in groupby(corpus_questions(), key=lambda question: question[0]):
        rules = parse((corpus / name).read_bytes(), "google")
        for _, agent, url, allowed, line in questions:
            asked += 1
            verdict = rules.verdict(url, agent)
            if (verdict.allowed, rules.allowed(url, agent), verdict.line) != (
                allowed,
                allowed,
                line,
            ):
                wrong.append(f"{name} {agent} {url}: {verdict}; wanted {allowed} by line {line}")
    assert asked == 20_642
    assert wrong == []


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_real_file_is_read_in_every_dialect(dialect: str, real_files: dict[str, bytes]):
    url = "http://example.com/a/b?c=d"
    for name, body in real_files.items():
        rules = parse(body, dialect)
        for agent in ("Googlebot", "FooBot"):
            assert rules.allowed(url, agent) is rules.verdict(url, agent).allowed, name
            assert rules.crawl_delay(agent) is None or rules.crawl_delay(agent) >= 0, name
        assert all(isinstance(sitemap, str) for sitemap in rules.sitemaps), name
