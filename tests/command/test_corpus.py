"""Each verb on real files."""

from __future__ import annotations

import json

import pytest

from scrapy_robots_policy.lint import Severity, lint, readable_lines
from scrapy_robots_policy.rep import parse
from tests.corpus.conftest import corpus, real_files  # noqa: F401 - fixtures

from .run import robots

pytestmark = pytest.mark.corpus

URLS = ("https://e.com/", "/search", "/search/about?q=1", "/index.php?title=x&printable=yes")


def test_every_verb_answers_for_real_files(corpus, real_files):  # noqa: F811
    for name in list(real_files)[::60]:
        path, rules = corpus / name, parse(real_files[name])
        words = [("disallowed", "allowed   ")[rules.allowed(url, "Scrapy")] for url in URLS]
        told = robots("check", "--robots", path, "--agent", "Scrapy", *URLS)
        assert told.lines == [f"{word}  {url}" for word, url in zip(words, URLS, strict=True)]
        for url in URLS:
            verdict = rules.verdict(url, "Scrapy")
            told = robots("explain", url, "--robots", path, "--agent", "Scrapy")
            assert (told.status == 0) is verdict.allowed
            assert (f">{verdict.line:>6} | " in told.out) is (verdict.rule is not None)
        assert robots("compare", "--robots", path, *URLS).status in (0, 1)
        told = robots("lint", path, "--json")
        grave = any(json.loads(line)["severity"] != "note" for line in told.lines)
        assert told.status == int(grave)


def test_every_real_file_can_be_linted_and_findings_stand_in_it(real_files):  # noqa: F811
    sound = 0
    for name, body in real_files.items():
        lines = readable_lines(body)
        found = lint(body)
        sound += all(finding.severity is Severity.NOTE for finding in found)
        for finding in found:
            assert 1 <= finding.column <= finding.end <= len(lines[finding.line - 1]) + 1, name
    assert sound > len(real_files) / 2  # a linter that cries at most files is heard by nobody
