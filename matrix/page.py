"""docs/matrix.md, from the rows."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from .results import Row

INTRODUCTION = """\
# Plugins

This page lists the plugins that were tried with this package, each in small crawls of a local site
whose robots.txt forbids `/private`: without robots.txt, with Scrapy's own middleware, and with the
add-on. "ok" means:

- the same pages were fetched, but for the forbidden ones; and the spider got no page behind a
  redirect to a forbidden one, also where a browser or a service followed the redirect
- the headers of pages were the same, but for a User-Agent that the plugin chooses at random
- robots.txt was fetched once a crawl, or as often as by Scrapy's own middleware, with no
  credentials, no cookies, and no header without a value

`make matrix` wrote this page on {day}, with Python {python} and Scrapy {scrapy}; where another
Scrapy is named, the plugin does not start on a newer one. The last column has the headers of the
request for robots.txt that differ from those of the first page, and before them the number of
requests, if it is not 1. [What to set for some of them](how-to/proxies-and-browsers.md).

"Sent as" has the URLs that a plugin's client sends in another spelling than the one that was
judged. The page that it brings is judged again where it says so in its URL. `%7E`, `%3B`, `%zz`,
`/a/../b` and `?v=%2F` were tried.

| project | version | result | sent as | the request for robots.txt |
| --- | --- | --- | --- | --- |
"""

WARNINGS = """
## Warnings

Lines of the log, from WARNING up, that no crawl without this package has.

"""


def page(rows: Sequence[Row], day: date, python: str) -> str:
    newest = max((row.versions["Scrapy"] for row in rows), key=_numbers)
    text = INTRODUCTION.format(day=day.isoformat(), python=python, scrapy=newest)
    text += "".join(f"| {' | '.join(_cells(row, newest))} |\n" for row in rows)
    warnings = [f"- {row.entry.name}: `{line}`\n" for row in rows for line in row.warnings]
    return text + WARNINGS + ("".join(warnings) or "None.\n")


def _numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".") if part.isdigit()]


def _cells(row: Row, newest: str) -> tuple[str, ...]:
    versions = [
        version if name == row.entry.name.partition(",")[0] else f"{name} {version}"
        for name, version in row.versions.items()
        if (name, version) != ("Scrapy", newest)
    ]
    respelled = ", ".join(f"`{path.partition('/spelled')[2]}`" for path in row.respelled)
    faults = "; ".join(row.faults) or "ok"
    return row.entry.name, ", ".join(versions), faults, respelled, row.robots_txt
