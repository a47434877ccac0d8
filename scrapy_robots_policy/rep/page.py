"""What a page says about its use, and a page that is refused by its own answer."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from urllib.parse import urljoin

from .dialect import Dialect
from .escapes import brief
from .tags import MAX_LENGTH, Statement
from .url import has_long_host
from .usage.preferences import (
    CONTENT_SIGNAL,
    CONTENT_USAGE,
    LICENSE,
    NO_AI,
    ROBOTS_HEADER,
    ROBOTS_META,
    TDM_POLICY,
    TDM_RESERVATION,
    Place,
    Preference,
)
from .usage.values import read_value
from .verdict import Reason, Verdict

RSL_TYPE = "application/rsl+xml"
MAX_VALUES = 100  # preferences that are taken from one place of a page

# One link of a Link header, RFC 8288 §3: "<" URI ">" and parameters. A quoted value may hold ";"
# and ",".
_LINK = re.compile(r'<([^<>]*)>((?:\s*;\s*[^\s=;,"<>]+(?:\s*=\s*(?:"[^"]*"|[^\s;,"<>]*))?)*)')
_PARAMETER = re.compile(r';\s*([^\s=;,"<>]+)\s*=\s*(?:"([^"]*)"|([^\s;,"<>]*))')


def read_usage_header(values: Iterable[str]) -> tuple[Preference, ...]:
    """The preferences in the values of a response's Content-Usage headers.

    RFC 9651 §4.2: several headers are joined with commas, then read as one.
    """
    return _read(CONTENT_USAGE, values)


def read_signal_header(values: Iterable[str]) -> tuple[Preference, ...]:
    """The same of Content-Signal headers, which no specification defines: as the lines are read."""
    return _read(CONTENT_SIGNAL, values)


def _read(label: str, values: Iterable[str]) -> tuple[Preference, ...]:
    text = ", ".join(values)[:MAX_LENGTH]
    return tuple(Preference(label, *pair, place=Place.HEADER) for pair in read_value(label, text))


_LICENSE_SCHEME = re.compile(r"(?:^|,)\s*license\b", re.IGNORECASE)  # RSL 1.0, of several schemes
PRICES = ("crawler-price", "crawler-exact-price")  # Cloudflare's pay per crawl


def refusal_of(
    status: int, headers: Mapping[str, str], dialect: Dialect, agent: str
) -> Verdict | None:
    """The verdict on a page that is refused by its own answer: it asks for a payment (402), or for
    a licence (401, WWW-Authenticate: License). None for any other answer.

    Args:
        headers: by names in lower case; several of one name are joined.

    """
    is_licence = status == 401 and _LICENSE_SCHEME.search(headers.get("www-authenticate", ""))
    if status != 402 and not is_licence:
        return None
    reason = Reason.LICENSE_REQUIRED if is_licence else Reason.PAYMENT_REQUIRED
    prices = (f", {name}: {headers[name]}" for name in PRICES if name in headers)
    return Verdict(False, reason, dialect.name, agent, why=brief(f"{status}{''.join(prices)}"))


def read_tdm(label: str, values: Iterable[str], place: Place) -> tuple[Preference, ...]:
    """The preferences of `tdm-reservation` or `tdm-policy` headers or meta tags.

    TDMRep: any other reservation than 0 and 1 is an error, and counts as none.
    """
    cleaned = (value.strip() for value in values)
    return tuple(
        Preference(label, "", value, place=place)
        for value in cleaned
        if (value in ("0", "1") if label == TDM_RESERVATION else value)
    )[:MAX_VALUES]


def read_statements(
    statements: Iterable[Statement], names: Collection[str]
) -> tuple[Preference, ...]:
    """The refusals noai and noimageai among the rules of robots tags.

    Args:
        names: the names in tags that bind the crawler, in lower case.

    """
    return tuple(
        dict.fromkeys(
            Preference(ROBOTS_HEADER, "", one.rule, place=Place.HEADER)
            if one.header
            else Preference(ROBOTS_META, "", one.rule, place=Place.META)
            for one in statements
            if one.rule in NO_AI and one.agent in names
        )
    )


def read_link_header(values: Iterable[str], url: str) -> tuple[Preference, ...]:
    """The RSL licences of Link headers: <URL>; rel="license"; type="application/rsl+xml".

    Args:
        url: of the response. RFC 8288 §3.1: the base of relative URLs, whatever base the page
            names.

    """
    links = (
        (link[1].strip(), dict(_parameters(link[2])))
        for link in _LINK.finditer(", ".join(values)[:MAX_LENGTH])
    )
    targets = (
        target
        for target, parameters in links
        if target
        and is_rsl(parameters.get("rel", ""), parameters.get("type", ""))
        and _is_about(url, parameters.get("anchor", ""))
    )
    return tuple(read_licences(islice(targets, MAX_VALUES), url, Place.HEADER))


def read_licences(targets: Iterable[str], base: str, place: Place) -> Iterator[Preference]:
    """The RSL licences at these URLs, which may be relative to `base`."""
    for target in targets:
        with suppress(ValueError):  # no URL
            if not has_long_host(target):
                yield Preference(LICENSE, "", urljoin(base, target), place=place)


def _is_about(url: str, anchor: str) -> bool:
    """Whether a link is about the page itself. RFC 8288 §3.2: an anchor names another context."""
    try:
        return not anchor or (not has_long_host(anchor) and urljoin(url, anchor) == url)
    except ValueError:  # no URL
        return False


def _parameters(text: str) -> Iterator[tuple[str, str]]:
    """RFC 8288 §3.3: of a parameter that occurs twice, the first counts."""
    seen: set[str] = set()
    for name, quoted, token in _PARAMETER.findall(text):
        if name.lower() not in seen:
            seen.add(name.lower())
            yield name.lower(), quoted or token


def is_rsl(rel: str, media_type: str) -> bool:
    """Whether the attributes of a link are those of an RSL licence."""
    return (
        "license" in rel.lower().split()
        and media_type.partition(";")[0].strip().lower() == RSL_TYPE
    )


def is_tdm(name: str) -> bool:
    """Whether the name of a meta tag, in lower case, is one of TDMRep's."""
    return name in (TDM_RESERVATION, TDM_POLICY)
