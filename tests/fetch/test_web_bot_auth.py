"""What must be true of requests for robots.txt where a downloader middleware signs requests.

The middleware is that of docs/web-bot-auth.md.
"""

from __future__ import annotations

import base64
import re
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tests.crawls import crawl
from tests.on_reactor import on_reactor
from tests.site import Answer, Site, moved, robots

pytestmark = pytest.mark.slow  # whole crawls, or much work

DOC = Path(__file__).parents[2] / "docs" / "web-bot-auth.md"
KEY = Ed25519PrivateKey.generate()
RULES = robots("User-agent: *\nDisallow: /secret\n")


def signing_middleware():
    """The class that the page shows."""
    (code,) = re.findall(r"```python\n(# middlewares\.py.*?)```", DOC.read_text("utf-8"), re.DOTALL)
    names: dict[str, type] = {}
    exec(compile(code, str(DOC), "exec"), names)
    return names["SigningMiddleware"]


def settings(order=950):
    raw = KEY.private_bytes_raw()
    return {
        "DOWNLOADER_MIDDLEWARES": {signing_middleware(): order},
        "WEB_BOT_AUTH_KEY": base64.b64encode(raw).decode(),
        "WEB_BOT_AUTH_AGENT": "https://bots.firm.dev",
    }


def is_signed(hit, site):
    """Whether the request has a signature of its own that holds for this site, now."""
    signature_input = hit.headers["signature-input"].removeprefix("sig1=")
    base = (
        f'"@authority": {urlsplit(site.origin).netloc}\n'
        f'"signature-agent": {hit.headers["signature-agent"]}\n'
        f'"@signature-params": {signature_input}'
    )
    signature = base64.b64decode(hit.headers["signature"].removeprefix("sig1=:").rstrip(":"))
    try:
        KEY.public_key().verify(signature, base.encode())
    except InvalidSignature:
        return False
    created, expires = (
        int(re.search(rf"{name}=(\d+)", signature_input)[1]) for name in ("created", "expires")
    )
    return 'tag="web-bot-auth"' in signature_input and created <= time.time() <= expires


@on_reactor
async def test_each_request_for_a_robots_txt_is_signed_for_its_own_host():
    with Site({}) as site, Site({"/r": RULES}, "127.0.0.2") as other:
        site.script["/robots.txt"] = [Answer(status=503), moved(other.url("/r"))]
        seen, _ = await crawl(site.url("/page"), site.url("/secret"), settings=settings())
        assert seen.answered == [site.url("/page")]
        assert site.paths == ["/robots.txt", "/robots.txt", "/page"]
        assert other.paths == ["/r"]
        assert [is_signed(hit, site) for hit in site.hits] == [True] * 3
        assert [is_signed(hit, other) for hit in other.hits] == [True]


@pytest.mark.parametrize(("order", "is_late"), [(950, True), (50, False)])
@on_reactor
async def test_a_page_that_waited_is_signed_when_it_goes_if_the_signer_comes_after(order, is_late):
    """Below 100 it signs first, and the signature grows old while the page waits."""
    slow = robots("User-agent: *\nCrawl-delay: 2.1\n")
    with Site({"/robots.txt": slow}) as site:
        seen, _ = await crawl(site.url("/page"), settings=settings(order))
        assert seen.answered == [site.url("/page")]
        first, second = (created_at(hit) for hit in site.hits)
        assert (second - first >= 2) is is_late


def created_at(hit):
    return int(re.search(r"created=(\d+)", hit.headers["signature-input"])[1])


@on_reactor
async def test_a_robots_txt_takes_no_signature_from_the_page_that_waits_for_it():
    with Site({"/robots.txt": RULES}) as site:
        await crawl(site.url("/page"), settings=settings(order=50))
        first, second = (hit.headers["signature-input"] for hit in site.hits)
        assert first != second  # each has a nonce
        assert all(is_signed(hit, site) for hit in site.hits)
