"""The headers with which a request for a robots.txt leaves, after all middlewares.

A middleware adds a header that a request does not have. So a header that must not be added stands
there without a value, and is taken out at the last moment: some download handlers send it empty.
"""

from __future__ import annotations

from scrapy.http import Request

from ..compat import header_lines

PLAIN_KEY = "_robots_txt_plain"
_PLAIN = frozenset({b"User-Agent", b"Proxy-Authorization"})  # who we are, and the way to the site


def trim(request: Request) -> None:
    """Take out headers without a value; of a plain request, all but those it cannot do without."""
    is_plain = request.meta.get(PLAIN_KEY, False)
    headers = request.headers
    for name, values in list(header_lines(headers)):
        if not any(values) or (is_plain and name not in _PLAIN):
            del headers[name]
