"""A crawl's report as one HTML page that needs no other file.

The page's own policy forbids it to load anything. It admits the one style sheet
in the page, by its hash.
"""

from __future__ import annotations

from os import fsencode
from string import Template
from urllib.parse import quote

from .formats import elapsed
from .html import content_policy, facts, figures, static_text, text
from .sections import sections
from .summary import Report, utc


def page(report: Report, data: str) -> str:
    """The page. `data` is the name of the file beside it, which has all the figures."""
    address = quote(fsencode(data))  # a name need not be UTF-8
    style = static_text("page.css")
    return Template(static_text("page.html")).substitute(
        policy=content_policy(style),
        style=style,
        kind="report",
        title=text(report.spider),
        about=_about(report),
        figures=_figures(report),
        sections="".join(sections(report)),
        end=f'<footer>All figures are in <a href="{text(address)}" download>{text(data)}</a>, '
        "beside this page.</footer>\n",
    )


def _about(report: Report) -> str:
    began = utc(report.began)
    return facts(
        {
            "crawler": report.agent,
            "dialect": report.dialect,
            "began": f"{began:%Y-%m-%d %H:%M:%S} UTC",
            "took": elapsed(report.ended - report.began),
            "ended": report.reason,
        }
    )


def _figures(report: Report) -> str:
    longest = max((counts.longest_wait for counts in report.counts), default=0.0)
    return figures(
        {
            "requests passed": f"{report.passed:,}",
            "would be dropped" if report.is_dry_run else "requests dropped": f"{report.dropped:,}",
            "origins": f"{len(report.origins):,}",
            "in trouble": f"{report.trouble:,}",
            "longest wait": elapsed(longest),
            "waited for robots.txt, in all": elapsed(report.waited),
            "waited for delays, in all": elapsed(report.held),
            "put back at the end": f"{report.put_back:,}",
        }
    )
