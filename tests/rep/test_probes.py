"""The probe matrix: small files on which the engines part, one column a dialect.

A allowed, D disallowed. An upper-case letter is what the engine's code or words say, a lower-case
one our decision where they say nothing.
"""

from __future__ import annotations

import pytest

from scrapy_robots_policy.rep import DIALECTS, parse

CRAWLERS = {
    "google": "Googlebot",
    "rfc9309": "FooBot",
    "koster1996": "FooBot",
    "original1994": "FooBot",
    "yandex": "YandexBot",
    "bing": "bingbot",
    "baidu": "Baiduspider",
    "yahoo": "Slurp",
    "apple": "Applebot",
    "duckduckgo": "DuckDuckBot",
    "seznam": "SeznamBot",
    "naver": "NaverBot",
    "sogou": "Sogou web spider",
    "360": "360Spider",
    "amazon": "Amazonbot",
}

DELAYED = """\
User-agent: *
Crawl-delay: 9

User-agent: badbot
Disallow: /

User-agent: *
Disallow:
"""

# {n}: a line that names the crawler; {name}: its name
PROBES = [
    # file, path, and the answers in the order of CRAWLERS
    ("{n}\nDisallow: /a/\nAllow: /a/b", "/a/b", "A A D D A A D D a D a a d a A"),
    ("{n}\nAllow: /\nDisallow: /cgi-bin", "/cgi-bin/x", "D D A D D D A A d D d d a d D"),
    ("{n}\nDisallow: /x\nAllow: /x", "/x", "A A D D A a D D a D a a d a A"),
    ("{n}\n\nDisallow: /p", "/p", "D D A A D d A A d A d d a d D"),
    ("{n}\nDisallow: /p\n\nDisallow: /q", "/q", "D D A A D d A A d A d d a d D"),
    ("{n}\nDisallow: /1\n\n{n}\nDisallow: /2", "/2", "D D A A d d d A d A d d a d D"),
    ("{n}\nDisallow: /*.gif$", "/a.gif", "D D A A D D D D d A d d a D D"),
    ("{n}\nDisallow: .gif$", "/a.gif", "A A A A A a D a a A a a a a A"),
    ("{n}\nDisallow: /~f", "/%7Ef", "A D D A a a a a a A a a d a D"),
    ("{n}\nDisallow: /%62", "/b", "A D D A a a a a a A a a d a D"),
    ("{n}\nDisallow: /a/b", "/a%2Fb", "A A A A a a a a a A a a a a A"),
    ("{n}\nDisallow: /f%2A", "/f*", "A D D A a a a a a A a a d a D"),
    ("Disallow: /p\n{n}\nDisallow: /q", "/p", "A A a A A a a a a A a a a a A"),
    ("Disallow: /p", "/p", "A A a D A a a a a D a a a a A"),
    ("{n}\nDisallow:\nDisallow: /p", "/p", "D D A A D d A a d A d d a d D"),
    ("{n}\nDisalow: /p", "/p", "D a a A A a a a a A a a a a a"),
    ("User-agent {name}\nDisallow /p", "/p", "D a a A A a a a a A a a a a a"),
    ("{n}\nAllow: /d/index.html\nDisallow: /", "/d/", "A D D D D d D D d D d d d d D"),
    (DELAYED, "/x", "D D A A A a A A d A d d a d D"),
    ("User-agent: {name:.4}\nDisallow: /", "/x", "A A D D A a a A a D a a a a A"),
    ("User-agent: {name}-Image\nDisallow: /", "/x", "A A D A A a a D a A a a a a A"),
    # Yandex: its robots go by name and version, and YandexBot's is 3.0
    ("User-agent: {name}/1.0\nDisallow: /", "/x", "D d D A A d d D d A d d a a d"),
    ("{n}\nAllow: /pub\nDisallow: /", "/pub", "A A A D A A A A a D a a a a A"),
]


@pytest.mark.parametrize(("file", "path", "answers"), PROBES, ids=[row[0] for row in PROBES])
def test_the_engines_part_where_they_are_known_to(file: str, path: str, answers: str):
    given = {}
    for dialect, name in CRAWLERS.items():
        rules = parse(file.format(name=name, n=f"User-agent: {name}").encode(), dialect)
        verdict = rules.verdict(f"http://example.com{path}", name)
        assert rules.allowed(f"http://example.com{path}", name) is verdict.allowed
        given[dialect] = "A" if verdict.allowed else "D"
    assert given == dict(zip(CRAWLERS, answers.upper().split(), strict=True))


def test_every_dialect_has_its_column():
    assert set(CRAWLERS) == set(DIALECTS)
