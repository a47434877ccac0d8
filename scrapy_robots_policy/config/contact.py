"""Whether a crawl tells sites how to reach the people who run it.

A site that cannot ask them to slow down can only block the crawler, or complain to its provider.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from scrapy import Spider
from scrapy.settings import BaseSettings

from ..rep.escapes import quoted
from .identity import sent_header, sent_user_agent

_WEB = re.compile(r"(?:https?://|\bwww\.)(?:[^\s/@]*@)?([^\s/:;,()<>\"']+)", re.IGNORECASE)
_MAIL = re.compile(r"[^\s@;,()<>:]+(?:@|\s*[\[(]at[\])]\s*)([^\s@;,()<>\"']+)", re.IGNORECASE)

# Hosts that stand for another one: RFC 2606, RFC 6761, and what Scrapy's own settings have.
_PLACEHOLDERS = re.compile(
    r"(?:.*\.)?(?:example(?:\.com|\.net|\.org)?|test|invalid|localhost|yourdomain\.com|scrapy\.org)"
)


def contact_warning(settings: BaseSettings, spider: Spider | None) -> str:
    """A sentence for a crawl whose headers name nobody to write to; "" where they do.

    RFC 9110 §10.1.5 and §10.1.2: a robot names its operator in User-Agent or From.
    """
    place, user_agent = sent_user_agent(settings, spider)
    hosts = [*_hosts(user_agent), *_hosts(sent_header(settings, "from"))]
    if not user_agent or any(not _PLACEHOLDERS.fullmatch(host) for host in hosts):
        return ""
    why = f"whose contact is not yours ({hosts[0]})" if hosts else "which names nobody to write to"
    return (
        f"{place} is {quoted(user_agent)}, {why}: a site in trouble cannot reach you. Add a URL or "
        'an e-mail address of yours, as in "MyBot/1.0 (+https://…/bot.html)"'
    )


def _hosts(header: str) -> Iterator[str]:
    """The hosts of the URLs and e-mail addresses in a header. A host without a dot is none."""
    for pattern in (_WEB, _MAIL):
        for match in pattern.finditer(header):
            host = match[1].rstrip(".").lower()
            if "." in host:
                yield host
