"""The crawlers that a robots.txt names, to ask for each of them."""

from __future__ import annotations

from ..lint.source_file import SourceFile
from ..rep import Dialect, product_token
from ..rep.agents import STAR
from ..rep.dialects.crawlers import names_a_crawler
from .arguments import UsageError

_MAX_CRAWLERS = 2000  # each costs a look through the whole file


def named_crawlers(name: str, octets: bytes, dialect: Dialect) -> list[str]:
    """The names in the order of the file, and last that of a crawler without a group.

    UsageError where there are too many: an answer about some would look like one about all.
    """
    tokens = (product_token(line[1]) for line in SourceFile(octets, dialect).agents)
    names = {token.lower(): token for token in tokens if names_a_crawler(token, dialect.agents)}
    if len(names) > _MAX_CRAWLERS:
        raise UsageError(f"{name} names more than {_MAX_CRAWLERS:,} crawlers")
    return [*names.values(), STAR]
