"""Files, agents, URLs and dialects for properties: chaos that often comes close to sense."""

from __future__ import annotations

from enum import Enum

from hypothesis import strategies as st

from scrapy_robots_policy.rep import DIALECTS, Dialect
from scrapy_robots_policy.rep.dialect import Precedence, options

NAMES = ["FooBot", "foobot", "Foo", "FooBot/1.0", "FooBot-Image", "*", "*Bot", "Yandex", "bingbot"]
AGENTS = st.sampled_from(
    ("FooBot", "Googlebot-Image", "YandexBot", "bingbot", "Baiduspider", "Slurp", "360Spider")
) | st.text(max_size=12)
DIALECT_NAMES = st.sampled_from(list(DIALECTS))

_ESCAPES = ["%41", "%2f", "%2F", "%7e", "%24", "%2A", "%3c"]
_PIECES = st.sampled_from(["ab", "index.html", *_ESCAPES, *"/ab*$?~ä.;<"])
VALUES = st.lists(_PIECES, max_size=6).map("".join) | st.sampled_from(["*", "**", "*$", "$", "/$"])
PATHS = VALUES.map(lambda value: "/" + value) | st.just("/robots.txt")
URLS = PATHS.map(lambda path: "http://example.com" + path) | st.text(max_size=20)

_KEYS = st.sampled_from(
    [
        *["User-agent", "user-agent", "Useragent", "User agent", "Disallow", "disallow", "Disalow"],
        *["Allow", "allowed", "Crawl-delay", "Sitemap", "X", ""],
    ]
)
_SEPARATORS = st.sampled_from([":", ": ", " : ", " ", "\t:", "::"])
_ODD_LINES = ["", "", " ", "# c", "word", "\ufeff", "\0", "\x0b", "User-agent:", "Crawl-delay: 1"]
LINES = (
    st.builds(lambda key, sep, value: key + sep + value, _KEYS, _SEPARATORS, VALUES)
    | st.sampled_from(NAMES).map(lambda name: f"User-agent: {name}")
    | st.sampled_from(_ODD_LINES)
)
TEXTS = st.lists(LINES, max_size=12).map("\n".join)
_ENDS = st.sampled_from(["\n", "\r\n", "\r"])
_BYTES = [b"User-agent:*", b"Disallow:/", b"\r", b"\n", b"\0", b"\xef\xbb\xbf", b"\xff"]
FILES = (
    st.builds(lambda text, end: text.replace("\n", end).encode(), TEXTS, _ENDS)
    | st.binary(max_size=200)
    | st.lists(st.sampled_from(_BYTES)).map(b"".join)
)

RULES = st.lists(st.tuples(st.booleans(), VALUES), max_size=12)


# What stands before the path of a URL; "" for a path on its own.
SITES = ["http://h", "https://me:pw@H.example:8443", "HTTP://h.", "//h", "http:", "h", "x://", ""]
_BEHIND = st.sampled_from(["", "", "x", "/", "$", "*", "?a=b", "#f", "%24", "%2F"])


@st.composite
def urls_for(draw: st.DrawFn, rules: list[tuple[bool, str]]) -> str:
    """A URL that is likely to match one of the rules, or to miss it by little."""
    site = draw(st.sampled_from(SITES))
    values = st.sampled_from([value for _, value in rules]) if rules else st.nothing()
    value = draw(values | st.sampled_from(["", "/"]))
    if draw(st.booleans()):
        value = value.removesuffix("$").replace("*", draw(st.sampled_from(["", "x", "ab", "/"])))
    return site + value + draw(_BEHIND)


@st.composite
def questions(draw: st.DrawFn) -> tuple[list[tuple[bool, str]], list[str]]:
    """The rules of a group, and URLs to ask about; one has no path, one has no host."""
    rules = draw(RULES)
    urls = draw(st.lists(urls_for(rules), max_size=4))
    path = draw(urls_for(rules))
    without_path = draw(st.sampled_from(["http://h", "http://h?q", "http://h#f", "h"]))
    without_host = "/" + path.partition("//")[2].lstrip("/")
    return rules, draw(st.permutations([*urls, path, without_path, without_host]))


def group_of(rules: list[tuple[bool, str]], name: str = "*") -> bytes:
    lines = [f"{'Allow' if allow else 'Disallow'}: {value}" for allow, value in rules]
    return "\n".join([f"User-agent: {name}", *lines]).encode()


def _values(kind: type) -> st.SearchStrategy[object]:
    if issubclass(kind, Enum):
        return st.sampled_from(kind)
    return st.booleans()


_LIMITS = {
    "size_limit": st.integers(1, 200),
    "rule_limit": st.integers(1, 9),
}
_TURNED = _LIMITS | {
    option: _values(kind)
    for option, kind in options().items()
    if kind is bool or issubclass(kind, Enum)
}

ANY_DIALECT: st.SearchStrategy[Dialect] = st.builds(
    lambda base, turned: DIALECTS[base].but("made up", **turned),
    DIALECT_NAMES,
    st.fixed_dictionaries({}, optional=_TURNED),
)
LONGEST = [name for name, d in DIALECTS.items() if d.precedence is Precedence.LONGEST]
