"""Each verb on real files."""

from __future__ import annotations

import json

import pytest

from scrapy_robots_policy.rep import parse
from tests.corpus.conftest import corpus, real_files  # noqa: F401 - fixtures

from .run import robots

pytestmark = pytest.mark.corpus

URLS = ("https://e.com/", "/search", "/search/about?q=1", "/index.php?title=x&printable=yes")


def test_every_verb_answers_for_real_files(corpus, real_files):  # noqa: F811
    for name in list(real_files)[::60]:
        path, rules = corpus / name, parse(real_files[name])
        verdicts = [(url, rules.verdict(url, "Scrapy")) for url in URLS]
        output = robots("check", "--robots", path, "--agent", "Scrapy", *URLS)
        assert output.lines == [
            f"{('refused', 'allowed')[one.allowed]}  {url}  for Scrapy: {one.cause}"
            for url, one in verdicts
        ]
        for url, verdict in verdicts:
            output = robots("explain", url, "--robots", path, "--agent", "Scrapy")
            assert (output.status == 0) is verdict.allowed
            assert (f">{verdict.line:>6} | " in output.out) is (verdict.rule is not None)
        assert robots("compare", "--robots", path, *URLS).status in (0, 1)
        output = robots("lint", path, "--json")
        grave = any(json.loads(line)["severity"] != "note" for line in output.lines)
        assert output.status == int(grave)
