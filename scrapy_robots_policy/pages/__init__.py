"""HTML pages with one base and one style: the report of a crawl, and the tester.

All text is escaped, for a terminal's controls and for HTML: a site or a spider may have chosen it.
A report needs no other file, and its own policy forbids it to load anything. It admits the one
style sheet in the page, by its hash. Jinja2 comes with the extra `tools`.
"""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

from ..formats import counted, elapsed, utc_time
from ..rep.escapes import shown

NO_JINJA2 = "an HTML page needs Jinja2: pip install 'scrapy-robots-policy[tools]'"


def check_jinja2() -> None:
    """Raises ValueError, with one sentence, where Jinja2 is missing."""
    try:
        import jinja2  # noqa: F401, PLC0415 - an extra
    except ImportError:
        raise ValueError(NO_JINJA2) from None


@cache
def _environment() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415 - an extra

    environment = Environment(
        loader=PackageLoader(__name__, ""),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda value: shown(value) if type(value) is str else value,
    )
    environment.filters |= {
        "counted": counted,
        "elapsed": elapsed,
        "moment": utc_time,
        "number": lambda value: f"{value:,}",
        "row": _row,
    }
    return environment


def _row(one: Any, *names: str) -> list[str]:
    values = (getattr(one, name) for name in names)
    return [f"{value:,}" if isinstance(value, int) else value for value in values]


def style(name: str) -> str:
    """The style sheet of a page, after that of all."""
    return "".join((files(__name__) / f"{one}.css").read_text("utf-8") for one in ("base", name))


def render(kind: str, title: str, **values: Any) -> str:
    """A page.

    Args:
        kind: the name of a template, and what the page is: "report", "tester".
        title: what it is about; "": nothing in particular.
        values: the names in the template.

    """
    sheet = style("report")
    digest = b64encode(sha256(sheet.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    page: str = (
        _environment()
        .get_template(f"{kind}.html")
        .render(
            kind=kind,
            title=title,
            style=sheet,
            policy=policy,
            **values,
        )
    )
    return page
