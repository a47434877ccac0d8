"""Hostile files cost work in proportion to their size, and memory of a bounded multiple.

Four times the file may take six times the work (quadratic would be sixteen).
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from scrapy_robots_policy.rep import DIALECTS, parse
from scrapy_robots_policy.rep.dialect import Beyond
from tests.calls import counting_calls
from tests.traced_memory import tracing_memory

pytestmark = pytest.mark.slow

AGENT = "FooBot"
CRAWLER = b"User-agent: FooBot\n"
URL = "http://example.com/" + "a" * 2_000
SIZE = 40_000  # bytes; and four times as many

Make = Callable[[int], bytes]


def repeated(line: bytes, head: bytes = CRAWLER) -> Make:
    return lambda size: head + line * (size // len(line))


def numbered(line: bytes, head: bytes = CRAWLER) -> Make:
    return lambda size: head + b"".join(line % n for n in range(size // len(line)))


HOSTILE: dict[str, Make] = {
    "wildcards in many rules": repeated(b"Disallow: /" + b"*a" * 10 + b"b\n"),
    "wildcards in one rule": lambda size: CRAWLER + b"Disallow: /" + b"*a" * (size // 2) + b"b",
    "one long literal after a star": lambda size: CRAWLER + b"Disallow: /*" + b"a" * size + b"b",
    "rules": numbered(b"Disallow: /%06d\n"),
    "rules with wildcards": numbered(b"Disallow: /%06d/*/x$\n"),
    "wildcards behind one start": numbered(b"Disallow: /*%06d\n"),
    "short wildcards behind one start": numbered(b"Disallow: /*a%x*b\n"),
    "starts within starts with wildcards": lambda size: (
        CRAWLER + b"".join(b"Disallow: /%s*b\n" % (b"a" * n) for n in range(int((2 * size) ** 0.5)))
    ),
    "one rule many times": repeated(b"Disallow: /\n"),
    "empty rules": repeated(b"Disallow:\n"),
    "one User-agent line many times": repeated(CRAWLER),
    "User-agent lines": numbered(b"User-agent: bot%06d\n"),
    "User-agent lines between blank ones": repeated(CRAWLER + b"\n"),
    "User-agent lines between unknown ones": repeated(CRAWLER + b"x: y\n"),
    "User-agent lines that are not one": repeated(b"User-agent"),
    "groups": repeated(CRAWLER + b"Disallow: /x\n"),
    "groups of others": numbered(b"User-agent: bot%06d\nDisallow: /x\n"),
    "prefixes of prefixes": lambda size: (
        CRAWLER + b"".join(b"Disallow: /" + b"a" * n + b"\n" for n in range(int((2 * size) ** 0.5)))
    ),
    "one line": repeated(b"x", CRAWLER + b"Disallow: /"),
    "line ends": repeated(b"\n", b""),
    "carriage returns": repeated(b"\r", b""),
    "comments": repeated(b"#", b""),
    "escapes": repeated(b"%41", CRAWLER + b"Disallow: /"),
    "high bytes": repeated(b"\xff", CRAWLER + b"Disallow: /"),
    "NULs": repeated(b"\0"),
    "colons": repeated(b":"),
    "spaces": repeated(b" "),
    "spaces before a word": lambda size: CRAWLER + b" " * size + b"x",
    "spaces in a line": lambda size: CRAWLER + b"x" + b" " * size + b"x\n",
    "spaces after a key": lambda size: CRAWLER + b"disallow" + b" " * size + b": x : y\n",
    "spaces in a value": repeated(b"a ", CRAWLER + b"Disallow: /"),
    "words after a key without a colon": repeated(b"a ", CRAWLER + b"disallow "),
    "vertical tabs": lambda size: CRAWLER + b"disallow " + b"\v" * size + b" x\n",
    "lines of vertical tabs": repeated(b"disallow " + b"\v" * 16_000 + b" x\n"),
    "lines of white space": repeated(b" \t\n"),
    "delays": repeated(b"Crawl-delay: 1\n"),
    "a delay that is a number but for its end": lambda size: (
        CRAWLER + b"Crawl-delay: " + b"1" * size + b"x\n"
    ),
    "sitemaps": numbered(b"Sitemap: http://h/%06d\n"),
    "steps up": repeated(b"../a/", CRAWLER + b"Disallow: "),
    "a rule that is a long URL": repeated(b"a.", CRAWLER + b"Disallow: http://"),
    "rules that are URLs": numbered(b"Disallow: http://h%06d/\n"),
    "brackets": repeated(b">", CRAWLER + b"Disallow: <"),
}


def ask_everything(body: bytes, dialect: str) -> None:
    rules = parse(body, dialect)
    for _ in range(3):
        rules.allowed(URL, AGENT)
    verdict = rules.verdict(URL, AGENT)
    assert verdict.beaten is not None
    assert verdict.group is not None or verdict.line == 0
    rules.crawl_delay(AGENT)
    assert rules.sitemaps is not None


def work(body: bytes, dialect: str) -> int:
    """What is called, and an eighth of the bytes that such calls may go through."""
    with counting_calls() as counts:
        ask_everything(body, dialect)
    return counts["call"] + counts["c_call"] + counts["bytes"] // 8


@pytest.mark.parametrize("dialect", ["rfc9309", "google", "original1994"])
@pytest.mark.parametrize("name", HOSTILE)
def test_work_grows_no_faster_than_the_file(name: str, dialect: str):
    make = HOSTILE[name]
    ask_everything(make(SIZE), dialect)  # makes what is made once for all files
    assert work(make(4 * SIZE), dialect) < 6 * work(make(SIZE), dialect) + 5_000


@pytest.mark.parametrize("name", HOSTILE)
def test_memory_stays_within_a_multiple_of_the_file(name: str):
    body = HOSTILE[name](4 * SIZE)
    with tracing_memory() as memory:
        rules = parse(body, "rfc9309")
        for _ in range(3):
            rules.allowed(URL, AGENT)
        _, peak = memory()
    assert peak < 60 * len(body)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_rule_that_is_escaped_throughout_takes_a_small_multiple_of_the_file(dialect: str):
    body = CRAWLER + b"Disallow: /" + b"\x07\xff" * SIZE
    with tracing_memory() as memory:
        rules = parse(body, dialect)
        for _ in range(3):
            rules.allowed(URL, AGENT)
        _, peak = memory()
    assert peak < 14 * len(body)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_stands_beyond_the_limit_is_not_read(dialect: str):
    """Or, where the dialect says so, nothing is; one dialect knows no limit."""
    count = 40_000
    body = CRAWLER + b"".join(b"Disallow: /%06d\n" % n for n in range(count))
    rules, options = parse(body, dialect), DIALECTS[dialect]
    is_cut = len(body) > options.size_limit
    is_open = is_cut and options.beyond_size is Beyond.OPEN
    assert rules.allowed("http://example.com/000000", AGENT) is is_open
    assert rules.allowed(f"http://example.com/{count - 1:06d}", AGENT) is is_cut
