"""The fields of the tester's page about what the crawl declares, and about what a page and its site
say beside the robots.txt.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...rep import Dialect, FetchResult
from ...rep.url import TDMREP, key_of, url_of
from ...rep.usage import LEVELS, PURPOSES, DeclaredUse, Preference, Result, tokens_for
from ...resolver.origin import OriginRules
from ..printing.verdict_data import tdmrep_state, use_facts, uses_with_page
from ..reading.inputs import reservations_from


def use_of(data: Any) -> DeclaredUse:
    """What the crawl declares, from the page's JSON; without a choice, all purposes. The control
    tokens are those of the purposes. ValueError if it has another shape.
    """
    purposes, level = data.get("purposes", list(PURPOSES)), data.get("level", "")
    is_list = isinstance(purposes, list) and all(isinstance(name, str) for name in purposes)
    if not is_list or not PURPOSES.keys() >= {*purposes} or level not in ("", *LEVELS):
        raise ValueError("the declared use has another shape than the page's")
    return DeclaredUse(frozenset(purposes), level, tokens_for(purposes))


@dataclass(frozen=True, slots=True)
class PageFields:
    """The fields. One that is empty says nothing.

    headers  header lines of the response for the page
    html     the text of the page
    tdmrep   the text of the site's tdmrep.json
    """

    headers: str = ""
    html: str = ""
    tdmrep: str = ""

    @classmethod
    def of(cls, data: Any) -> PageFields:
        """From the page's JSON. ValueError if it has another shape."""
        texts = [data.get(name, "") for name in cls.__slots__]
        if not all(isinstance(text, str) for text in texts):
            raise ValueError("headers, HTML and tdmrep.json are strings")
        return cls(*(text if text.strip() else "" for text in texts))

    def use_answer(
        self, rules: OriginRules, url: str, agent: str, use: DeclaredUse
    ) -> dict[str, Any]:
        """Every preference about the use of a page, what overrides what, and the results."""
        if self.tdmrep:
            result = FetchResult(200, self.tdmrep.encode("utf-8", "replace"))
            rules = rules.with_tdmrep(reservations_from(key_of("", TDMREP), result))
        of_page, notes = self._of_page(url, agent, rules.dialect)
        verdict = rules.verdict_for_use(url, agent, use)
        uses = uses_with_page(verdict, rules, url, use, of_page)
        if rules.tdmrep is not None:
            notes.append(("tdmrep.json", tdmrep_state(rules.tdmrep)))
        return {
            "use_facts": use_facts(uses) + notes,
            "refused_uses": [one.name for one in uses.results if one.result is Result.REFUSED],
        }

    def _of_page(
        self, url: str, agent: str, dialect: Dialect
    ) -> tuple[tuple[Preference, ...], list[tuple[str, str]]]:
        """(the preferences of the page itself, what of its fields is not read)"""
        if not (self.headers or self.html):
            return (), []
        from ..reading import saved_page  # noqa: PLC0415 - it loads Scrapy

        response = saved_page.pasted_response(self.headers, self.html, url)
        notes = [
            ("not read", f"line {number} of the headers: it is no header line")
            for number in saved_page.unread_lines(self.headers)[: saved_page.MAX_UNREAD]
        ]
        if self.html and not saved_page.is_html(response):
            notes.append(("not read", "the HTML: by its Content-Type the page is none"))
        return saved_page.preferences_of(response, agent, dialect), notes


def fetched_tdmrep(
    rules: OriginRules, agent: str, fetch: Callable[[str], FetchResult]
) -> dict[str, str]:
    """The tdmrep.json of a site, for the page: its URL, what came of it, and its text.

    It is fetched only if the site's robots.txt allows that, as in a crawl.
    """
    key = key_of(rules.origin, TDMREP)
    url = url_of(key)
    if not rules.allowed(url, agent):
        return {"url": url, "why": "not fetched, because robots.txt does not allow it", "text": ""}
    tdmrep = reservations_from(key, fetch(url))
    octets = tdmrep.access.octets if tdmrep.reservations else b""
    return {"url": url, "why": tdmrep_state(tdmrep), "text": octets.decode("utf-8", "replace")}
