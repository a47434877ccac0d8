"""May this URL be fetched now, and if not, why: the one decision.

The crawl, `check`, `explain` and the replay of a record all ask it. It is pure: the rules are
given, and nothing is fetched, counted or logged.

A server may read a URL in another way than it stands there: "/a/../private" as "/private". So a
page has one form or several, and the strictest answer counts. A crawl that declares a purpose may
be refused a page that anybody may fetch.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from ..rep import Verdict
from ..rep.delay import NO_DELAY, Delay, kept_delay
from ..rep.url import client_forms, server_forms
from ..rep.usage.preferences import NO_USE, DeclaredUse
from ..rep.verdict import refusal
from .overrides import RequestConfig
from .site import OriginRules


class Decision(NamedTuple):
    """A request is refused, or passes.

    Attributes:
        request: of the caller's kind.
        forms: the URLs that were judged, the request's own first.
        verdict: the one that forbids the page; None: it passes.
        at: when it was decided, in seconds since the epoch.
        waited: seconds that the request had waited by then.
        dry_run: whether the page is forbidden, and passes all the same.

    """

    request: Any
    forms: tuple[str, ...]
    rules: OriginRules
    config: RequestConfig
    verdict: Verdict | None
    at: float
    waited: float = 0.0
    dry_run: bool = False

    @property
    def url(self) -> str:
        return self.forms[0]


def forms_of(page: Any, *, by_plugin: bool) -> tuple[str, ...]:
    """The URLs of a page to judge: all forms in which it may be sent, and read by a server.

    Args:
        page: a request of Scrapy's.
        by_plugin: whether a plugin's download handler may send it.

    """
    url = page.url
    forms = server_forms(url)
    is_plain = len(forms) == 1 and ";" not in url and not url.endswith("?")
    # Scrapy escapes a URL, unless the meta of its request has "verbatim_url".
    if is_plain and not page.meta.get("verbatim_url") and not (by_plugin and "%" in url):
        return forms
    return client_forms(url, normalizes=by_plugin)


def decide(
    forms: Sequence[str], rules: OriginRules, agent: str, use: DeclaredUse = NO_USE
) -> Verdict:
    """The verdict on a page, for a crawler that declares a use.

    Args:
        forms: those of the page's URL (`rep.url.server_forms`).

    """
    verdicts = [rules.verdict_for_use(form, agent, use) for form in forms]
    return next((verdict for verdict in verdicts if not verdict.allowed), verdicts[0])


def objection(
    forms: Iterable[str], rules: OriginRules, agent: str, use: DeclaredUse
) -> Verdict | None:
    """The verdict of `decide` where it forbids a page; None where the page may be fetched.

    Most pages may, and of these nobody asks for a reason.
    """
    for url in forms:
        if forbids := rules.objection(url, agent):
            return forbids
        if use and refusal(rules.preferences(url, agent, use), use) is not None:
            return rules.verdict_for_use(url, agent, use)
    return None


def delay_of(rules: OriginRules, config: RequestConfig, longest: float) -> Delay:
    """The delay between two requests that is kept, and what has become of the site's.

    Args:
        longest: seconds: the longest delay of a site that is kept.

    """
    asked_for = rules.crawl_delay(config.agent)
    if asked_for is None and config.crawl_delay is None:  # as nearly always
        return NO_DELAY
    return kept_delay(asked_for, config.crawl_delay, longest)
