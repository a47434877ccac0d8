"""Pages fetched with httpx by the policy of a crawl, without Scrapy: the core and a driver.

python -m example.with_httpx https://example.com/ https://example.com/private
"""

from __future__ import annotations

import asyncio
import sys
import time

import httpx

from scrapy_robots_policy.core.agenda import Fetch, Free, Read
from scrapy_robots_policy.core.events import Fetched
from scrapy_robots_policy.core.overrides import RequestConfig
from scrapy_robots_policy.core.policy import Asking, Policy, PolicySettings, Question, Wait
from scrapy_robots_policy.core.result import result_of
from scrapy_robots_policy.core.turns import host_of
from scrapy_robots_policy.rep import DIALECTS, FetchResult, origin_of
from scrapy_robots_policy.rep.documents import url_of
from scrapy_robots_policy.rep.url import server_forms

CONFIG = RequestConfig(DIALECTS["rfc9309"], "ExampleBot")


class Polite:
    """Asks before each page: each robots.txt is fetched once, and delays are kept."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self.client, self.policy = client, Policy(PolicySettings())
        self.news: dict[object, asyncio.Event] = {}
        self.tasks: set[asyncio.Task[None]] = set()

    async def get(self, url: str) -> str:
        """The status of a page, or why it is refused."""
        token, origin = object(), origin_of(url)
        assert origin is not None
        host = host_of(origin)
        asking = Asking(token, url, Question(origin, server_forms(url), CONFIG, host))
        while isinstance(answer := self.policy.ask(asking, time.time()), Wait):
            self.news[token] = asyncio.Event()
            self.run()
            await self.news[token].wait()
        self.policy.went(token, token, answer, time.time())
        if answer.refusal is not None:
            return str(answer.refusal)
        self.policy.turns.reached(token, host, host)
        try:
            return str((await self.client.get(url)).status_code)
        finally:
            self.policy.turns.visited(token, host, time.time())
            self.run()

    def run(self) -> None:
        """Do what the policy wants done, now and when it is time."""
        for action in self.policy.agenda.actions():
            if isinstance(action, Fetch):
                self.tasks.add(asyncio.ensure_future(self.fetch(action)))
            elif isinstance(action, Read):
                self.policy.read(*action, time.time())
            elif isinstance(action, Free):
                for token in self.news.keys() & set(action.tokens):
                    self.news[token].set()
        wait = self.policy.agenda.wake_at - time.time()
        if wait < 1e9:
            asyncio.get_running_loop().call_later(max(wait, 0.0), self.ring)

    def ring(self) -> None:
        self.policy.agenda.ring(time.time())
        self.run()

    async def fetch(self, action: Fetch) -> None:
        try:
            answer = await self.client.get(url_of(action.key), follow_redirects=True)
            headers = dict(answer.headers)
            result = result_of(answer.status_code, headers, answer.content, time.time())
        except httpx.HTTPError as error:
            result = FetchResult(None, cause=type(error).__name__)
        self.policy.fetched(action.key, Fetched(action.key, result), time.time())
        self.run()


async def main(*urls: str) -> None:
    async with httpx.AsyncClient(headers={"User-Agent": CONFIG.agent}) as client:
        polite = Polite(client)
        for url, answer in zip(urls, await asyncio.gather(*map(polite.get, urls)), strict=True):
            sys.stdout.write(f"{url}: {answer}\n")


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
