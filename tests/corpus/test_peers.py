"""Two other parsers over the real files: wherever they answer otherwise, it is known why.

A class of disagreement is a change after which both agree: reading the file, or the dialect, as the
other parser does. The first change that brings agreement gives its name to the disagreement;
what none explains fails the test, and so does a count that moves.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from scrapy_robots_policy.rep import DIALECTS, parse
from tests.corpus.questions import urls_for

pytestmark = pytest.mark.corpus

NEEDED = "pip install --requirement tests/corpus/requirements.txt"
AGENTS = ("Googlebot", "FooBot")

Answer = Callable[[bytes, str, str], bool]  # file, url, agent
Change = Callable[[bytes], bytes]

RFC9309, GOOGLE = DIALECTS["rfc9309"], DIALECTS["google"]
NO_LIMIT = 1 << 62

_RULE_URL = re.compile(rb"(?im)^(\s*(?:dis)?allow\s*:\s*)(https?://)")


def same(body: bytes) -> bytes:
    return body


def without_one_word_lines(body: bytes) -> bytes:
    """Lines that say nothing to anybody: a word, no colon, no second word."""
    return re.sub(rb"(?m)^[ \t]*[^:# \t\n]+[ \t]*(#[^\n]*)?$", b"", body.replace(b"\r", b"\n"))


def without_what_is_not_utf8(body: bytes) -> bytes:
    return body.decode("utf-8", "ignore").encode()


def urls_below_the_root(body: bytes) -> bytes:
    return _RULE_URL.sub(rb"\1/\2", body)


def ask_gpyrobotstxt(body: bytes, url: str, agent: str) -> bool | None:
    port = pytest.importorskip("gpyrobotstxt.robots_cc", reason=NEEDED)
    try:
        return port.RobotsMatcher().allowed_by_robots(body, [agent], url)
    except TypeError:
        return None


def questions(files: dict[str, bytes]) -> Iterator[tuple[bytes, str, str]]:
    for name, body in files.items():
        for url in urls_for(name, body, 6):
            for agent in AGENTS:
                yield body, url, agent


def _ours(change: Change = same, **options: Any) -> Answer:
    dialect = RFC9309.but("changed", **options)
    return lambda body, url, agent: parse(change(body), dialect).allowed(url, agent)


GPYROBOTSTXT = {
    "it has no limit of 500 KiB": lambda body, url, agent: (
        parse(body, GOOGLE.but("unlimited", size_limit=NO_LIMIT)).allowed(url, agent)
        is ask_gpyrobotstxt(body, url, agent)
    ),
    "it raises TypeError on a line of one word": lambda body, url, agent: (
        parse(body, "google").allowed(url, agent)
        is ask_gpyrobotstxt(without_one_word_lines(body), url, agent)
    ),
}


@pytest.mark.timeout(900)  # it reads the file anew for each of 132,669 questions
def test_gpyrobotstxt_differs_where_it_is_known_to(real_files: dict[str, bytes]):
    """It is a port of Google's parser, to which the google dialect is held as well."""
    why: Counter[str] = Counter()
    for body, url, agent in questions(real_files):
        if parse(body, "google").allowed(url, agent) is ask_gpyrobotstxt(body, url, agent):
            why["alike"] += 1
        else:
            causes = (cause for cause, is_why in GPYROBOTSTXT.items() if is_why(body, url, agent))
            why[next(causes, f"unexplained: {url} {agent} {body!r:.300}")] += 1
    assert why == {
        "alike": 123_032,
        "it has no limit of 500 KiB": 4,
        "it raises TypeError on a line of one word": 1_620,
    }


PROTEGO = {
    "Crawl-delay or an unknown line between User-agent lines splits the group": _ours(
        extension_ends_agents=True
    ),
    "common misspellings of Disallow and User-agent count": _ours(keys="lenient"),
    "Allow: …/index.html allows the directory": _ours(index_html=True),
    "it has no limit of 500 KiB": _ours(size_limit=NO_LIMIT),
    "a rule that is a URL matches a path with that URL in it": _ours(urls_below_the_root),
    "bytes that are not UTF-8 are dropped": _ours(without_what_is_not_utf8),
    "a name that starts the crawler's name binds it": _ours(agent_match="in name"),
}


def test_protego_differs_from_rfc9309_where_it_is_known_to(real_files: dict[str, bytes]):
    """Not all are faults: RFC 9309 leaves misspellings and limits open."""
    protego = pytest.importorskip("protego", reason=NEEDED)
    why: Counter[str] = Counter()
    for name, body in real_files.items():
        theirs, ours = protego.Protego.parse(body.decode("utf-8-sig", "ignore")), parse(body)
        for _, url, agent in questions({name: body}):
            answer = theirs.can_fetch(url, agent)
            if answer is ours.allowed(url, agent):
                why["alike"] += 1
            else:
                causes = (
                    cause for cause, ask in PROTEGO.items() if ask(body, url, agent) is answer
                )
                why[next(causes, f"unexplained: {url} {agent} {body!r:.300}")] += 1
    assert why == {
        "alike": 124_474,
        "a rule that is a URL matches a path with that URL in it": 92,
        "Crawl-delay or an unknown line between User-agent lines splits the group": 48,
        "common misspellings of Disallow and User-agent count": 26,
        "a name that starts the crawler's name binds it": 6,
        "it has no limit of 500 KiB": 4,
        "bytes that are not UTF-8 are dropped": 4,
        "Allow: …/index.html allows the directory": 2,
    }
