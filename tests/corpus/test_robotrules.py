"""On any file, original1994 answers as WWW::RobotRules does (Debian: libwww-robotrules-perl)."""

from __future__ import annotations

import base64
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from scrapy_robots_policy.rep import parse
from tests.corpus.questions import urls_for

Questions = tuple[
    bytes, list[str], list[str]
]  # a file, agents, urls: every agent is asked every url

SCRIPT = Path(__file__).with_name("robotrules.pl")


@pytest.fixture(scope="module")
def perl() -> str:
    perl = shutil.which("perl")
    check = [perl or "", "-c", SCRIPT]
    if not perl or subprocess.run(check, check=False, capture_output=True).returncode:
        pytest.skip("perl with WWW::RobotRules is needed: apt-get install libwww-robotrules-perl")
    return perl


def disagreements(perl: str, files: list[Questions]) -> tuple[list[str], int]:
    """(what the two answer differently, how many questions were asked)"""
    lines = (
        line
        for body, agents, urls in files
        for line in [
            b"F " + base64.b64encode(body),
            *(f"Q {agent}\t{url}".encode() for agent in agents for url in urls),
        ]
    )
    process = subprocess.run(
        [perl, SCRIPT], input=b"\n".join(lines), capture_output=True, check=True
    )
    theirs = iter(process.stdout.split())
    different, count = [], 0
    for body, agents, urls in files:
        rules = parse(body, "original1994")
        for agent, url in ((agent, url) for agent in agents for url in urls):
            count += 1
            if rules.allowed(url, agent) != (next(theirs) == b"1"):
                different.append(f"{agent} {url}: {rules.verdict(url, agent)}: {body!r:.300}")
    assert next(theirs, None) is None
    return different, count


KEYS = [
    *["User-agent", "User-Agent ", "user-agent", "  User-agent", "Useragent", "Disallow"],
    *["Disallow", "disallow ", "Allow", "Sitemap", "Crawl-delay", "#c", "X"],
]
AGENTS = [
    *["*", "SuperBot", "superbot", "Super", "Bot", "", "SuperBot/1.0", "other", "* "],
    *["SuperBot x", "*x"],
]
# Perl's URI also resolves dot segments, hosts without a scheme, and quotes. No real file has any.
VALUES = [
    *["/", "/a", "/a/b", "", "a", "a/b", "*", "/*.gif$", "?x", "/a b", "/ä", "/%7ea", "/%7Ea"],
    *["/a%7cb", "/a%5B", "/%c3%a4", "mailto:x", "foo:bar", "/a:b", "/a/../b", "/a//b"],
    *["http://example.com/a", "http://other.example/a", "HTTP://EXAMPLE.com/a"],
    *["http://example.com:80/a", "http://example.com:81/a", "https://example.com/a"],
    *[
        "http://example.com",
        "/a?q",
        "/a;p",
        "/a\\b",
        "/a|b",
        "/[a]",
        "/a'b",
    ],
]
PATHS = [
    *["/", "/a", "/a/b", "/b", "/a%20b", "/~a", "/%7Ea", "/x", "/robots.txt", "/robots.txt?x"],
    *["/a?q", "/?x", "/a;p", "//", "//a", "/%C3%A4", "/foo:bar", "/a|b", "/a%7Cb", "/[a]"],
    *["/%5Ba%5D", "/%22/a%22", "/a'b", "/*.gif$", "/../a", "/../../a"],
    *["/%7ea", "/%5ba%5d", "/%c3%a4", "/a%7cb"],
]
ODD_LINES = ["", "", "", "  # only", " \t", "no colon here"]


def hostile_file(chance: random.Random) -> bytes:
    lines = [hostile_line(chance) for _ in range(chance.randint(1, 9))]
    text = chance.choice(["\n", "\n", "\r\n", "\r"]).join(lines)
    return (b"\xef\xbb\xbf" if chance.random() < 0.03 else b"") + text.encode()


def hostile_line(chance: random.Random) -> str:
    if chance.random() < 0.23:
        return chance.choice(ODD_LINES)
    key = chance.choice(KEYS)
    value = chance.choice(AGENTS if key.strip().lower().startswith("user") else VALUES)
    return f"{key}:{chance.choice(['', ' ', chr(9)])}{value}{chance.choice(['', '', ' ', ' # c'])}"


@pytest.mark.slow
def test_small_hostile_files_are_read_alike(perl: str):
    chance = random.Random(1994)
    files = [
        (hostile_file(chance), ["SuperBot"], [f"http://example.com{path}" for path in PATHS])
        for _ in range(2_000)
    ]
    different, count = disagreements(perl, files)
    assert count == 60_000
    assert different == []


@pytest.mark.corpus
def test_real_files_are_read_alike(perl: str, real_files: dict[str, bytes]):
    agents = ["Googlebot", "Somebot", "Baiduspider", "FooBot/1.0 (x)", "Slurp"]
    files = [(body, agents, urls_for(name, body, 8)) for name, body in real_files.items()]
    different, count = disagreements(perl, files)
    assert count > 300_000
    assert different == []
