"""The crawlers that a robots.txt names, to ask for each of them."""

from __future__ import annotations

from ..commands.arguments import UsageError
from ..rep import Dialect, product_token
from ..rep.agents import STAR, TOKEN, names_a_crawler
from ..rep.text import bytes_read
from .lint.agent_findings import rules_for
from .lint.habits import SITE
from .lint.source_file import SourceFile

MAX_CRAWLERS = 2000
MAX_BYTES_IN_ALL = MAX_CRAWLERS * 500 * 1024  # each costs a look through the file


def named_crawlers(name: str, body: bytes, dialect: Dialect) -> list[str]:
    """The names in the order of the file, and last that of a crawler without a group.

    UsageError where there are too many: an answer about some would look like one about all. A
    file over 500 KiB may name fewer.
    """
    most = min(MAX_CRAWLERS, MAX_BYTES_IN_ALL // max(1, bytes_read(len(body), dialect)))
    names: dict[str, str] = {}
    for value in dict.fromkeys(line[1] for line in SourceFile(body, dialect).agents):
        crawler = _crawler_of(value, dialect)
        if crawler:
            names[crawler.lower()] = crawler
        if len(names) > most:
            raise UsageError(f"{name} names more than {most:,} crawlers")
    return [*names.values(), STAR]


def _crawler_of(value: str, dialect: Dialect) -> str:
    """The crawler that a User-agent line with this value names; "" if it names none.

    A value such as "Googlebot*" or "Googlebot Images" is no crawler's name, but binds one: most
    dialects read the token at its start, and some a pattern. The engine is asked.
    """
    token = product_token(value)
    if names_a_crawler(token, dialect.agents):
        return token
    start = TOKEN.match(value)
    names = (start[0] if start else "", value.replace(STAR, ""))
    own = (name for name in names if names_a_crawler(name, dialect.agents))
    return next((name for name in own if not rules_for(value, dialect).allowed(SITE, name)), "")
