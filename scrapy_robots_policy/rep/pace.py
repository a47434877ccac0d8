"""The pace that a robots.txt asks of a crawler: the delay between requests, and the visit times."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .dialects.dialect import Dialect
from .dialects.options import CrawlDelay
from .directives import VisitTime, read_delay, read_visit_times
from .groups import Groups
from .lines import grammar_of


def may_have_pace(body: bytes, dialect: Dialect) -> bool:
    """Whether a file may have a Crawl-delay, Request-rate or Visit-time. Most have none."""
    lower = body[: dialect.size_limit].lower()
    return b"-delay" in lower or b"-rate" in lower or b"-time" in lower


def delay_for(agent: str, groups: Groups, text: str, dialect: Dialect) -> float | None:
    """Seconds between two requests; None where the file asks the crawler for no delay."""
    delay = read_delay(_directives(groups.pace_spans(agent, text), text, dialect), dialect)
    if delay is None and dialect.crawl_delay is CrawlDelay.OWN_OR_ALL:
        delay = read_delay(_directives(groups.pace_spans_of_all(text), text, dialect), dialect)
    return delay


def visit_times_for(
    agent: str, groups: Groups, text: str, dialect: Dialect
) -> tuple[VisitTime, ...]:
    """The hours in which the file wants the crawler to come; none: at any time."""
    return read_visit_times(_directives(groups.pace_spans(agent, text), text, dialect))


def _directives(
    spans: Iterable[tuple[int, int]], text: str, dialect: Dialect
) -> Iterator[tuple[str, str]]:
    """The (key, value) lines of parts of the text, rules among them."""
    directive = grammar_of(dialect).directive
    for start, end in spans:
        yield from directive.findall(text, start, end)
