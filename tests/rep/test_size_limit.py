"""What must be true at the limits of a dialect: bytes of a file, rules of a group."""

from __future__ import annotations

import pytest

from scrapy_robots_policy.rep import DIALECTS, parse

FILE = b"User-agent: *\nAllow: /abc/d\nDisallow: /abc/\nDisallow: /\n"
WHOLE_LINE = len(b"User-agent: *\nAllow: /abc/d\nDisallow: /abc/\n")

# (bytes that are read, whether /abc/e and whether /x may be fetched)
LIMITS = {
    "the whole file": (len(FILE), False, False),
    "without its last line feed": (len(FILE) - 1, False, True),
    "to the end of a line": (WHOLE_LINE, False, True),
    "to the start of a key": (WHOLE_LINE + 3, False, True),
    "to the end of a rule, but not of its line": (WHOLE_LINE - 1, True, True),
    "to the middle of a path": (WHOLE_LINE - len(b"bc/\n"), True, True),
    "to the slash of a path": (WHOLE_LINE - len(b"abc/\n"), True, True),
    "to the middle of an agent": (len(b"User-ag"), True, True),
    "one byte": (1, True, True),
}


@pytest.mark.parametrize("turn", [1, 2, 3])
@pytest.mark.parametrize("limit", LIMITS)
def test_a_rule_that_is_cut_is_no_rule(limit, turn):
    size_limit, *allowed = LIMITS[limit]
    rules = parse(FILE, DIALECTS["rfc9309"].but("short", size_limit=size_limit))
    for _ in range(turn):
        answers = [rules.allowed(f"http://h{path}", "bot") for path in ("/abc/e", "/x")]
    assert answers == allowed
    assert [rules.verdict(f"http://h{path}", "bot").allowed for path in ("/abc/e", "/x")] == allowed


KIB = 1024
SITE = "http://h"


def file_of(size: int) -> bytes:
    """A file of so many bytes, with a rule at its start and one at its end."""
    start, end = b"User-agent: *\nDisallow: /a\n#", b"\nDisallow: /b\n"
    return start + b"x" * (size - len(start) - len(end)) + end


# Whether /a and /b may be fetched: with 500 KiB, and with one byte more.
CUT, OPEN, UNLIMITED = "DD DA", "DD AA", "DD DD"
OF_DIALECT = {
    **dict.fromkeys(DIALECTS, CUT),
    "yandex": OPEN,
    "original1994": UNLIMITED,
}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_dialect_reads_500_kib_or_has_no_limit(dialect):
    answers = []
    for size in (500 * KIB, 500 * KIB + 1):
        rules = parse(file_of(size), dialect)
        answers.append("".join("DA"[rules.allowed(SITE + path, "bot")] for path in ("/a", "/b")))
    assert " ".join(answers) == OF_DIALECT[dialect]


# What a line of google has room for: "Disallow: /" and as many letters.
ROOM = 2083 * 8 - 1 - len("Disallow: /")


@pytest.mark.parametrize(("dialect", "is_cut"), [("google", True), ("rfc9309", False)])
def test_google_cuts_a_line_and_obeys_what_is_left_of_its_rule(dialect, is_cut):
    rules = parse(f"User-agent: *\nDisallow: /{'a' * (ROOM + 100)}\n".encode(), dialect)
    for _ in range(3):
        assert rules.allowed(f"{SITE}/{'a' * (ROOM - 1)}", "bot")
        assert rules.allowed(f"{SITE}/{'a' * ROOM}", "bot") is not is_cut


@pytest.mark.parametrize(("count", "allowed"), [(9_999, False), (10_000, True)])
def test_yandex_obeys_no_group_of_10_000_rules(count, allowed):
    rules = parse(b"User-agent: *\n" + b"Disallow: /a\n" * count, "yandex")
    assert rules.allowed(SITE + "/a", "bot") is allowed
