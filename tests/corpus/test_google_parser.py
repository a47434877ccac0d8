"""google gives the verdicts of Google's own parser, and names the lines it names.

Google's parser is asked through jwm.robotstxt, its build for Python. Where that is not installed,
its verdicts of April 2026 are left, which tests/conformance holds.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from scrapy_robots_policy.rep import DIALECTS, parse
from tests.corpus.questions import urls_for
from tests.rep.cases import corpus_questions

pytestmark = pytest.mark.corpus

READ_BY_ITS_CRAWLER = 500 * 1024  # bytes; the parser has no limit of its own
NEEDED = "pip install --requirement tests/corpus/requirements.txt, with Python 3.10, 3.11 or 3.12"
AGENTS = ("Googlebot", "FooBot")


@pytest.fixture(scope="module")
def google() -> Any:
    return pytest.importorskip("jwm.robotstxt.googlebot", reason=NEEDED).RobotsMatcher()


def disagreements(google: Any, questions: Iterable[tuple[bytes, str, str]]) -> Iterator[str]:
    """`questions`: file, agent, URL; those to one file stand together."""
    for body, group in groupby(questions, key=lambda question: question[0]):
        rules = parse(body, "google")
        for _, agent, url in group:
            allowed = google.OneAgentAllowedByRobots(body, agent, url)
            line = google.matching_line()
            verdict = rules.verdict(url, agent)
            if (verdict.allowed, rules.allowed(url, agent), verdict.line) != (
                allowed,
                allowed,
                line,
            ):
                yield f"{agent} {url}: {verdict}; wanted {allowed} by line {line}: {body!r:.300}"


def test_google_answers_as_googles_parser_on_real_files(google: Any, real_files: dict[str, bytes]):
    questions = [
        (body[:READ_BY_ITS_CRAWLER], agent, url)
        for name, body in real_files.items()
        for agent in AGENTS
        for url in urls_for(name, body, 6)
    ]
    assert len(questions) == 124_656
    assert list(disagreements(google, questions)) == []


KEYS = [
    *["User-agent", "user-agent", "Useragent", "user agent", "User-agent ", "Disallow", "Disallow"],
    *["Dissallow", "Disalow", "disallow", "Allow", "Allow", "allow ", "Sitemap", "Crawl-delay"],
    *["X", "#c"],
]
NAMES = [
    *["*", "FooBot", "foobot", "Foo", "FooBot/1.0", "Googlebot", "* ", "*x", "", "Foo Bot"],
    *["FooBot2", "föö"],
]
VALUES = [
    *["/", "/a", "/a/b", "", "a", "*", "/*.gif$", "$", "/$", "*$", "/a*", "/a*b", "/*/b", "/%7ea"],
    *["/%7Ea", "/ä", "/a b", "/a?x", "/a#b", "http://example.com/a", "/index.html", "//", "/**"],
    *["/a/index.html", "/index.htm", "/*a*b*c", "/a$b", "/a%2", "/%C3%A4", "\0/a", "/a\t", "/?"],
    *["?x", "/a;p"],
]
PATHS = [
    *["/", "/a", "/a/b", "/b", "/a%20b", "/~a", "/%7Ea", "/x.gif", "/x.gif?y", "/a?x", "/a#b"],
    *["/index.html", "/a/index.html", "/a/", "/%C3%A4", "/ab", "/aab", "/xaxbxcx", "/?", "/?x"],
    *["/a;p", "//", "//a", "/a$b", "/a%2", "/robots.txt", "", "?x", "#f"],
]
ODD_URLS = [
    *["example.com/a", "//example.com/a", "/a", "", "http:/a", "//a://b/x", "https://h:80/a"],
    *["http://h;p/a", "a?b", "?", "#", "http://h/a?u=http://x/y"],
]


def test_google_answers_as_googles_parser_on_small_hostile_files(google: Any):
    chance = random.Random(9309)
    urls = [f"http://example.com{path}" for path in PATHS] + ODD_URLS
    files = [hostile_file(chance) for _ in range(2_000)]
    questions = [(body, "FooBot", url) for body in files for url in urls]
    assert list(disagreements(google, questions)) == []


def hostile_file(chance: random.Random) -> bytes:
    lines = [hostile_line(chance) for _ in range(chance.randint(1, 9))]
    text = chance.choice(["\n", "\n", "\r\n", "\r"]).join(lines)
    return (b"\xef\xbb\xbf" if chance.random() < 0.05 else b"") + text.encode()


def hostile_line(chance: random.Random) -> str:
    if chance.random() < 0.1:
        return chance.choice(["", " ", "no colon", "Disallow /a", "User-agent *"])
    key = chance.choice(KEYS)
    value = chance.choice(NAMES if key.lower().startswith("user") else VALUES)
    colon, end = (
        chance.choice([":", " :", ":  ", ":\t"]),
        chance.choice(["", "", " ", "#c", " # c"]),
    )
    return f"{key}{colon}{value}{end}"


def test_verdict_and_deciding_line_are_those_of_googles_parser(corpus: Path):
    wrong, count = [], 0
    for name, questions in groupby(corpus_questions(), key=lambda question: question[0]):
        rules = parse((corpus / name).read_bytes(), "google")
        for _, agent, url, allowed, line in questions:
            count += 1
            verdict = rules.verdict(url, agent)
            if (verdict.allowed, rules.allowed(url, agent), verdict.line) != (
                allowed,
                allowed,
                line,
            ):
                wrong.append(f"{name} {agent} {url}: {verdict}; wanted {allowed} by line {line}")
    assert count == 20_642
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
