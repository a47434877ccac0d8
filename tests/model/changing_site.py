"""Sites whose robots.txt and tdmrep.json change, and which note all that they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any
from urllib.parse import urlsplit

from scrapy.http import Request, Response
from twisted.internet.error import ConnectionLost

from scrapy_robots_policy import compat
from tests.model.site_files import DOCUMENTS, ROBOTS_TXT, TDMREP, Answer, TdmFile

PROXY_TAKES = 3.0  # seconds until a proxy that does not pass a request on closes the connection
TIME_LIMIT = 30.0  # ROBOTS_FETCH_TIMEOUT
MAX_PAGE_REDIRECTS = 2  # of one page


@dataclass(eq=False)
class Visit:
    """One request that came to a site.

    began  when it reached Scrapy's downloader
    came   when it came to the site: it may have waited for DOWNLOAD_DELAY
    page   the page that it is for, as a `world.Asked`
    fetch  the fetch of a document that it is a part of; None: it is for the page itself
    """

    process: int
    began: float
    came: float
    page: Any
    fetch: Fetch | None = None
    ended: float = inf


@dataclass(eq=False)
class Fetch:
    """One try of a crawl to get a document, with all redirects.

    page    the page that waits for it, as a `world.Asked`
    starter  the page for which the document was looked for: its dialect says how many redirects are
            followed
    answer  that of the last site
    urls    where it has been asked for, in order
    status  that of the last response; None: there was none
    cause   why there was none, in the words of docs/when-things-fail.md
    is_cut  whether there were more redirects than the crawl follows
    is_superseded  whether it has failed, and at once the document was fetched for another page
                   that waited, in another way: only what came of that counts
    """

    process: int
    began: float
    page: Any
    starter: Any
    answer: Answer
    urls: list[str] = field(default_factory=list)
    status: int | None = None
    cause: str = "reset"
    is_cut: bool = False
    is_superseded: bool = False
    ended: float = inf

    @property
    def hops(self) -> int:
        return len(self.urls) - 1


@dataclass
class Site:
    """One host.

    answers     what it answers now when it is asked for a document
    pages_take  seconds until a page comes
    pages_lead_to  the host to whose pages those of this one redirect; "": they do not
    fetches     those for its pages, by document
    passed_on   those for pages of other hosts that were redirected to its own document: they have
                brought what a fetch for its pages would have
    """

    answers: dict[str, Answer]
    pages_take: float = 0.0
    pages_lead_to: str = ""
    visits: list[Visit] = field(default_factory=list)
    fetches: dict[str, list[Fetch]] = field(default_factory=lambda: {d: [] for d in DOCUMENTS})
    passed_on: dict[str, list[Fetch]] = field(default_factory=lambda: {d: [] for d in DOCUMENTS})


class Web:
    """All sites.

    max_redirects  how many redirects are followed of a document that is fetched for a page
    objection      why a redirect from a host to another one is not followed; "": it is
    faults         what must not happen
    """

    def __init__(
        self,
        hosts: Iterable[str],
        now: Callable[[], float],
        max_redirects: Callable[[str, Any], int],
        objection: Callable[[str, str], str],
    ) -> None:
        self.now, self.max_redirects, self.objection = now, max_redirects, objection
        self.sites = {
            host: Site({ROBOTS_TXT: Answer(), TDMREP: Answer(file=TdmFile())}) for host in hosts
        }
        self.faults: list[object] = []

    def prepare(self, process: int, request: Request, page: Any) -> None:
        """A crawl is about to fetch a document for a page, when its turn comes. If a fetch for a
        page that goes another way has failed at this time, that one is superseded.
        """
        request.meta.update(waiting=page, starter=page)
        fetches = self.sites[page.host].fetches[document_of(request)]
        for fetch in [fetch for fetch in fetches if fetch.process == process][-1:]:
            is_another_way = fetch.page.manner.is_proxied != page.manner.is_proxied
            if fetch.status is None and fetch.ended == self.now() and is_another_way:
                fetch.is_superseded, request.meta["starter"] = True, fetch.starter

    async def respond(self, process: int, request: Request) -> Response:
        """The answer to a request for a page, or to one of the requests of a fetch for a page."""
        site = self.sites[urlsplit(request.url).hostname]
        page, waiting = request.meta.get("page"), request.meta.get("waiting")
        visit = Visit(process, request.meta["reached"], self.now(), page or waiting)
        if page is None and "proxy" in request.meta:
            await self._lose(request, visit)
        site.visits.append(visit)
        try:
            if page is None:
                return await self._document(site, request, visit)
            await compat.sleep(site.pages_take)
            redirects = len(request.meta.get("redirect_urls", ()))
            if site.pages_lead_to and redirects < MAX_PAGE_REDIRECTS:
                url = f"http://{site.pages_lead_to}{urlsplit(request.url).path}"
                return Response(request.url, 301, {"Location": url}, request=request)
            return Response(request.url, request=request)
        finally:
            visit.ended = self.now()

    async def _document(self, site: Site, request: Request, visit: Visit) -> Response:
        """What a site answers now, or one of the redirects that lead to it."""
        path, document = urlsplit(request.url).path, document_of(request)
        fetch = visit.fetch = self._fetch(site, request, visit, document)
        fetch.urls.append(request.url)
        place = request.url.removesuffix(document)
        start, is_moved, hops = place.partition("/moved/")
        if not is_moved:
            fetch.answer = site.answers[document]
        if (hop := int(hops or 0)) < fetch.answer.hops:
            return self._redirect(request, fetch, f"{start}/moved/{hop + 1}", document)
        if fetch.answer.leads_to:
            return self._redirect(request, fetch, fetch.answer.leads_to, document)
        fetch.cause = "reset" if fetch.answer.takes <= TIME_LIMIT else "timeout"
        try:
            await compat.sleep(fetch.answer.takes)
        finally:  # the crawl may give it up
            fetch.ended = self.now()
        if fetch.answer.status is None:
            raise ConnectionLost
        response = fetch.answer.response(request)
        fetch.status = response.status
        if path == document and fetch.hops and fetch.status == 200:
            site.passed_on[document].append(replace(fetch, urls=[request.url]))
        return response

    async def _lose(self, request: Request, visit: Visit) -> None:
        """The proxy does not pass a request for a document on."""
        site = self.sites[visit.page.host]
        fetch = self._fetch(site, request, visit, document_of(request))
        await compat.sleep(PROXY_TAKES)
        fetch.ended = self.now()
        raise ConnectionLost

    def _fetch(self, site: Site, request: Request, visit: Visit, document: str) -> Fetch:
        """The fetch that a request is a part of. The first request begins it."""
        start = f"http://{visit.page.host}"
        fetches = self.sites[visit.page.host].fetches[document]
        if request.url == start + document:
            starter = request.meta["starter"]
            answer = site.answers[document]
            fetches.append(Fetch(visit.process, visit.began, visit.page, starter, answer))
            return fetches[-1]
        *_, fetch = (fetch for fetch in fetches if fetch.process == visit.process)
        if fetch.ended < inf:
            self.faults.append(("a redirect that was not to be followed", request, fetch))
        return fetch

    def _redirect(self, request: Request, fetch: Fetch, place: str, document: str) -> Response:
        """Lead a fetch elsewhere. It ends here if the crawl does not follow."""
        url = place + document
        hosts = urlsplit(request.url).hostname, urlsplit(url).hostname
        if url in fetch.urls:  # RFC 9309 §2.3.1.2 lets a crawl take it for unavailable
            fetch.status, fetch.ended = 301, self.now()
        elif fetch.hops == self.max_redirects(document, fetch.starter):
            fetch.status, fetch.is_cut, fetch.ended = 301, True, self.now()
        elif cause := self.objection(*hosts):
            fetch.cause, fetch.ended = cause, self.now()
        return Response(request.url, 301, {"Location": url}, request=request)


def document_of(request: Request) -> str:
    path = urlsplit(request.url).path
    return next(document for document in DOCUMENTS if path.endswith(document))
