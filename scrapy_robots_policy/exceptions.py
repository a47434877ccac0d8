"""The exceptions of this package that users and other folders meet."""

from __future__ import annotations

from scrapy.exceptions import IgnoreRequest

from .core.policy import CrawlClosing
from .rep import Verdict

__all__ = ["CrawlClosing", "Disallowed"]


class Disallowed(IgnoreRequest):
    """A request that robots.txt, or the lack of one, forbids. `verdict` has the reason.

    Where a network error kept the robots.txt from coming, `__cause__` is that error.

    Attributes:
        url: the URL that is forbidden. It differs from that of the request where a browser or a
            service has followed a redirect by itself.

    """

    def __init__(self, verdict: Verdict, url: str = "") -> None:
        super().__init__(f"Refused by robots.txt: {verdict.cause}")
        self.verdict, self.url = verdict, url

    def __reduce__(self) -> tuple[type[Disallowed], tuple[Verdict, str]]:
        return type(self), (self.verdict, self.url)
