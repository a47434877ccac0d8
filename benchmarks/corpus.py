"""Real files, and questions to them.

About 40 URLs a file: up to 20 made from its own rules, 20 that any site might have. Six crawlers
take turns. The choice is made with a fixed seed: every run and every peer is asked the same.
"""

from __future__ import annotations

import os
import random
import re
import sys
from dataclasses import dataclass
from pathlib import Path

SITE = "https://example.com"
AGENTS = ("Googlebot", "GPTBot", "Yandex", "Somebot", "Baiduspider", "Bingbot")
COMMON = (
    "/",
    "/index.html",
    "/search?q=1",
    "/a/b/c.html",
    "/admin/",
    "/user/login",
    "/en/about",
    "/wp-admin/admin-ajax.php",
    "/products/item-123?ref=home&sort=asc",
    "/cart",
    "/checkout",
    "/blog/2020/01/some-long-article-title-here/",
    "/images/logo.png",
    "/tag/python/page/2",
    "/api/v1/users?id=5",
    "/static/css/main.css",
    "/category/shoes/men/",
    "/feed.xml",
    "/news/world/europe/12345",
    "/forum/viewtopic.php?t=7",
)

_RULE = re.compile(rb"(?im)^\s*(?:dis)?allow\s*:\s*([^\s#]+)")
_NOT_IN_URL = re.compile(r"[^!-~]")


@dataclass(frozen=True)
class Case:
    """One file, a crawler, and the URLs that it asks for."""

    body: bytes
    agent: str
    urls: list[str]


def folder() -> Path:
    """Where the real files are; `make bench` fetches them and says so."""
    path = os.environ.get("ROBOTS_CORPUS")
    if not path:
        sys.exit("ROBOTS_CORPUS names no folder of robots.txt files; run `make bench`")
    return Path(path)


def bodies(every: int = 1) -> list[bytes]:
    """All files, or every n-th."""
    return [path.read_bytes() for path in sorted(folder().iterdir())[::every]]


def questions(every: int = 1) -> list[Case]:
    """A case for each file, or for every n-th."""
    chance = random.Random(9309)
    return [
        Case(body, AGENTS[at % len(AGENTS)], _urls(body, chance))
        for at, body in enumerate(bodies(every))
    ]


def _urls(body: bytes, chance: random.Random) -> list[str]:
    paths = paths_of_rules(body)
    chosen = chance.sample(paths, min(20, len(paths)))
    ends = ("", "x", "/y.html")
    return [SITE + path + chance.choice(ends) for path in chosen] + [SITE + path for path in COMMON]


def paths_of_rules(body: bytes) -> list[str]:
    """A path that each Allow or Disallow line is likely to match."""
    return [_path(rule[1].decode("utf-8", "replace")) for rule in _RULE.finditer(body)]


def _path(rule: str) -> str:
    path = "/" + rule.rstrip("$").replace("*", "x").lstrip("/")
    escaped = re.sub("%[0-9a-f]{2}", lambda escape: escape[0].upper(), path)
    return _NOT_IN_URL.sub("", escaped)
