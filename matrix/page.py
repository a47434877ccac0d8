"""docs/matrix.md, from the rows."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from .results import Row

INTRODUCTION = """\
# Plugins

This page lists the plugins that were tried with this package, each in a small crawl of a local site
whose robots.txt forbids `/private`. Each crawl runs three times: with `ROBOTSTXT_OBEY = False`,
with Scrapy's own middleware, and with `ADDONS = {{"scrapy_robots_policy.Addon": 500}}`. "ok" means:

- the same pages were fetched, but for the forbidden ones
- a page behind a redirect to a forbidden one did not reach the spider, also where a browser or a
  service followed the redirect
- the headers of pages were the same, but for a User-Agent that the plugin chooses at random
- robots.txt was fetched once a crawl, or as often as by Scrapy's own middleware
- the request for robots.txt had no credentials, no cookies, and no header without a value

`make matrix` wrote this page on {day}, with Python {python}. A job of the CI runs it each week on
the newest versions.

What to set for some of them:
[proxies, browsers and other plugins](how-to/proxies-and-browsers.md).

Where a version of Scrapy is not the newest, the plugin does not start on a newer one. The last
column has the headers of the request for robots.txt that differ from those of the first page. A
number before them says how many requests there were, if there was more than one.

| project | versions | result | pages, without robots.txt → with it | the request for robots.txt |
| --- | --- | --- | --- | --- |
"""

WARNINGS = """
## Warnings

Lines of the log, from WARNING up, that no crawl without this package has.

"""


def page(rows: Sequence[Row], day: date, python: str) -> str:
    text = INTRODUCTION.format(day=day.isoformat(), python=python)
    text += "".join(f"| {' | '.join(_cells(row))} |\n" for row in rows)
    warnings = [f"- {row.entry.name}: `{line}`\n" for row in rows for line in row.warnings]
    return text + WARNINGS + ("".join(warnings) or "None.\n")


def _cells(row: Row) -> tuple[str, ...]:
    versions = ", ".join(f"{name} {version}" for name, version in row.versions.items())
    return row.entry.name, versions, "; ".join(row.faults) or "ok", row.pages, row.robots_txt
