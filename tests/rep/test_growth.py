"""Lint and `usage` cost in proportion to a file's size, whatever the file.

Work is counted, not timed: calls of functions in Python and in C, and the octets of the texts that
are read from one end to the other. Four times the file may take six times the work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice, product
from string import ascii_lowercase

import pytest

from scrapy_robots_policy.lint import lint, needless_rules, source_file
from scrapy_robots_policy.rep import RuleSet, parse, usage
from scrapy_robots_policy.rep.groups import Groups
from scrapy_robots_policy.rep.tdmrep import TdmRules
from tests.calls import profiled

pytestmark = pytest.mark.slow  # whole crawls, or much work

SIZE = 5_000  # octets; and four times as many
CRAWLER = b"User-agent: FooBot\n"

Make = Callable[[int], bytes]


def repeated(line: bytes, head: bytes = b"") -> Make:
    return lambda size: head + line * (size // len(line))


def numbered(line: bytes, head: bytes = CRAWLER, width: int = 5) -> Make:
    """Lines in which each "#" is another number."""
    return lambda size: (
        head
        + b"".join(
            line.replace(b"#", b"%0*d" % (width, number))
            for number in range(size // (len(line) + 4))
        )
    )


def named(line: bytes) -> Make:
    """Lines in which each "#" is another name of letters."""

    def make(size: int) -> bytes:
        names = ("".join(letters).encode() for letters in product(ascii_lowercase, repeat=4))
        return b"".join(line.replace(b"#", name) for name in islice(names, size // (len(line) + 3)))

    return make


def both(first: Make, second: Make) -> Make:
    return lambda size: first(size // 2) + second(size // 2)


FILES: dict[str, Make] = {
    "distinct crawlers": named(b"User-agent: #\nDisallow: /\n"),
    "distinct crawlers with usage": named(b"User-agent: #\nContent-Usage: ai-use=n\nAllow: /\n"),
    "distinct crawlers in one list": named(b"User-agent: #\n"),
    "distinct crawlers in a list and alone": both(
        named(b"User-agent: #\n"),
        both(numbered(b"Disallow: /#\n", b""), named(b"User-agent: #\nAllow: /\n")),
    ),
    "one crawler in many groups": repeated(CRAWLER + b"Disallow: /x\nAllow: /x\n"),
    "one crawler in many groups with usage": numbered(
        CRAWLER + b"Allow: /\nContent-Usage: /# a=n\n"
    ),
    "signals after the ends of groups": repeated(CRAWLER + b"Allow: /\n\nContent-Signal: a=b\n"),
    "lists parted by a delay": repeated(CRAWLER + b"Crawl-delay: 1\n"),
    "lists parted by a licence": repeated(CRAWLER + b"License: http://l/\n"),
    "licences": numbered(b"License: http://l/#\n"),
    "groups of a control token": numbered(b"User-agent: Google-Extended\nDisallow: /#\n"),
    "lists parted by a blank line": repeated(CRAWLER + b"\n"),
    "short wildcard rules": numbered(b"Disallow: /*a#*xy\nAllow: /*b#*xy\n"),
    "wildcard rules that all hold one word": numbered(
        b"Disallow: /*common*#\nAllow: /*common*#x\n"
    ),
    "contrary rules without a slash": numbered(b"Disallow: a#\nAllow: a#\n"),
    "nested stars": repeated(b"*a", CRAWLER + b"Allow: /b\nDisallow: /"),
    "equal rules": repeated(b"Disallow: /a\n", CRAWLER),
    "contrary rules": numbered(b"Disallow: /a#\nAllow: /a#\n"),
    "rules that cover one another": numbered(b"Disallow: /a\nDisallow: /a/#\n"),
    "rules that a later one covers": lambda size: (
        numbered(b"Disallow: /a/#\n")(size) + b"Disallow: /a\n"
    ),
    "rules with escapes": numbered(b"Disallow: /%7E#\n"),
    "rules without a slash": numbered(b"Disallow: a#\n"),
    "empty rules": repeated(b"Disallow:\nDisallow: /a\n", CRAWLER),
    "usage lines": numbered(b"Content-Usage: /# train-ai=n\n"),
    "usage lines that conflict": repeated(b"Content-Usage: a=n\nContent-Usage: a=y\n", CRAWLER),
    "uses in one line": numbered(b"k#=n, ", CRAWLER + b"Content-Usage: "),
    "comments": repeated(b"# a\n"),
    "comments after values": repeated(b"Disallow: /a#b\n", CRAWLER),
    "lines without a key": repeated(b"what is this\n"),
    "distinct keys": numbered(b"key#: x\n"),
    "names in one line": repeated(b"a, ", b"User-agent: "),
    "long lines": repeated(b"Disallow: /" + b"a" * 1_000 + b"\n", CRAWLER),
    "one line": repeated(b"x", b"Disallow: /"),
    "sitemap_findings": numbered(b"Sitemap: http://h/#.xml\n"),
    "sitemap_findings and wildcard rules": both(
        numbered(b"Disallow: /*common*#\n", b"User-agent: *\n"),
        numbered(b"Sitemap: http://h/common#.xml\n", b""),
    ),
    "delays": repeated(b"Crawl-delay: x\n", b"User-agent: Googlebot\n"),
    "line ends": repeated(b"\r"),
    "NULs": repeated(b"a\0b\n"),
    "noise": lambda size: bytes(number * 7919 % 8191 % 256 for number in range(size)),
}


class Work:
    """What was done: calls, and octets of texts."""

    def __init__(self) -> None:
        self.done = 0

    def called(self, _frame: object, event: str, _argument: object) -> None:
        self.done += event in ("call", "c_call")


@contextmanager
def counting(monkeypatch: pytest.MonkeyPatch) -> Iterator[Work]:
    """Counts, with the texts that the big readers go through, which are a few calls for `re`."""
    work = Work()

    def charged(function, length):
        def charge(*args):
            work.done += length(*args) // 8
            return function(*args)

        return charge

    def numbers(text: str, starts: Iterable[int]):
        starts = list(starts)
        work.done += max(starts, default=0) // 8
        return real_numbers(text, starts)

    real_numbers = usage.line_numbers
    with monkeypatch.context() as patch:
        patch.setattr(usage, "line_numbers", numbers)
        patch.setattr(RuleSet, "__init__", charged(RuleSet.__init__, lambda _, body, __: len(body)))
        patch.setattr(Groups, "find", charged(Groups.find, lambda _, __, text: len(text)))
        patch.setattr(Groups, "spans", charged(Groups.spans, lambda _, text: len(text)))
        read = charged(source_file.clean_text, lambda body, _: len(body))
        patch.setattr(source_file, "clean_text", read)
        with profiled(work.called):
            yield work


@pytest.fixture(autouse=True)
def low_bounds(monkeypatch):
    """What is bounded for large files is bounded here for small ones."""
    monkeypatch.setattr(needless_rules, "_MAX_STEPS", 1_000_000)
    monkeypatch.setattr(needless_rules, "_MAX_BEATEN", 10)
    monkeypatch.setattr(source_file, "_MAX_OCTETS", 100_000)


def work_of(call: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> int:
    lint(b"User-agent: *\nDisallow: /", select=["R"])  # what is made once for all files
    with counting(monkeypatch) as work:
        call()
    return work.done


@pytest.mark.parametrize("dialect", ["rfc9309", "koster1996", "yandex"])
@pytest.mark.parametrize("name", FILES)
def test_work_of_lint_grows_no_faster_than_the_file(name, dialect, monkeypatch):
    small, large = FILES[name](SIZE), FILES[name](4 * SIZE)
    less = work_of(lambda: lint(small, dialect), monkeypatch)
    more = work_of(lambda: lint(large, dialect), monkeypatch)
    assert more < 6 * less + 5_000


@pytest.mark.parametrize("dialect", ["rfc9309", "koster1996", "yandex"])
@pytest.mark.parametrize("name", FILES)
def test_work_of_usage_grows_no_faster_than_the_file(name, dialect, monkeypatch):
    small, large = parse(FILES[name](SIZE), dialect), parse(FILES[name](4 * SIZE), dialect)

    def ask(rules: RuleSet) -> None:
        rules.usage("http://example.com/a", "FooBot", ("Google-Extended",))
        rules.overridden("http://example.com/a", "FooBot")

    less = work_of(lambda: ask(small), monkeypatch)
    more = work_of(lambda: ask(large), monkeypatch)
    assert more < 6 * less + 5_000


LOCATIONS = {
    "plain": b'{"location": "/#", "tdm-reservation": 1},',
    "wild": b'{"location": "/*a#*b", "tdm-reservation": 0},',
    "equal": b'{"location": "/*", "tdm-reservation": 2},',
    "nested": b"[[[",
}


@pytest.mark.parametrize("name", LOCATIONS)
def test_work_of_a_tdmrep_json_grows_no_faster_than_the_file(name, monkeypatch):
    make = numbered(LOCATIONS[name], b"[")

    def ask(size: int) -> None:
        octets = make(size)
        TdmRules(octets if name == "nested" else octets[:-1] + b"]").preferences("http://h/a")

    less = work_of(lambda: ask(SIZE), monkeypatch)
    more = work_of(lambda: ask(4 * SIZE), monkeypatch)
    assert more < 6 * less + 5_000
