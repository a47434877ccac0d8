"""docs/web-bot-auth.md: its middleware signs each request for a robots.txt, as it signs pages."""

from __future__ import annotations

import base64
import re
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tests.on_reactor import on_reactor
from tests.site import Answer, moved, robots

pytestmark = pytest.mark.slow  # whole crawls

DOC = Path(__file__).parents[2] / "docs" / "web-bot-auth.md"
KEY = Ed25519PrivateKey.generate()
RULES = robots("User-agent: *\nDisallow: /no\nCrawl-delay: 60")


def settings(site, order):
    """Those of the page, with the class that it shows. It signs by virtual time."""
    (code,) = re.findall(r"```python\n(# middlewares\.py.*?)```", DOC.read_text("utf-8"), re.DOTALL)
    names = {}
    exec(compile(code, str(DOC), "exec"), names)
    names["time"] = SimpleNamespace(time=site.time.now)
    return {
        "DOWNLOADER_MIDDLEWARES": {names["SigningMiddleware"]: order},
        "WEB_BOT_AUTH_KEY": base64.b64encode(KEY.private_bytes_raw()).decode(),
        "WEB_BOT_AUTH_AGENT": "https://bots.firm.dev",
        "RETRY_ENABLED": True,
        "RETRY_TIMES": 1,
    }


def signed_at(hit):
    """When it was signed, in seconds since the epoch. Its signature must hold, for its own host."""
    texts = {name.decode(): values[0].decode() for name, values in hit.request.headers.items()}
    given = texts["Signature-Input"].removeprefix("sig1=")
    base = (
        f'"@authority": {urlsplit(hit.url).netloc}\n'
        f'"signature-agent": {texts["Signature-Agent"]}\n'
        f'"@signature-params": {given}'
    )
    signature = texts["Signature"].removeprefix("sig1=:").rstrip(":")
    KEY.public_key().verify(base64.b64decode(signature), base.encode())
    return int(re.search(r"created=(\d+)", given)[1])


@on_reactor
async def test_each_request_is_signed_for_its_host_and_when_it_goes_if_the_signer_is_last(web):
    site = web({
        "a.test": {"/robots.txt": [Answer(status=503), moved("http://b.test/r")]},
        "b.test": {"/r": RULES},
    })  # fmt: skip
    await site.crawl("http://a.test/yes", "http://a.test/no", settings=settings(site, 950))
    paths = [urlsplit(hit.url).path for hit in site.hits]
    assert paths == ["/robots.txt", "/robots.txt", "/r", "/yes"]
    times = [signed_at(hit) for hit in site.hits]
    assert times[-1] - times[-2] >= 60
    assert len({hit.request.headers["Signature-Input"] for hit in site.hits}) == 4
