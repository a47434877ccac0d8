"""docs/life-of-a-robots-txt.md: what is sent is what was judged, in whatever spelling it came."""

from __future__ import annotations

import string

import pytest
from scrapy import version_info

from scrapy_robots_policy.rep import parse
from tests.crawls import HTTPX, OURS, REACTORS, Plan, crawl_apart
from tests.on_reactor import on_reactor
from tests.site import Site, robots

pytestmark = pytest.mark.slow  # processes

CLIENTS = dict(REACTORS)
if version_info >= (2, 19):
    CLIENTS["httpx"] = REACTORS["none"] | {
        "DOWNLOAD_HANDLERS": dict.fromkeys(("http", "https"), HTTPX)
    }
CHARACTERS = string.punctuation.replace("\\", "").replace("#", "") + "Az09 "


def spelled(character: str) -> dict[str, str]:
    """The spellings of a target, each with the form of it that its server forbids."""
    escape = f"%{ord(character):02X}"
    spellings = sorted({character, escape, escape.lower()} - {"%25"})
    starts = [f"/{ord(character)}-{number}/no" for number in range(len(spellings))]
    return {
        f"{start}{spelling}x": f"{start}{character}x"
        for start, spelling in zip(starts, spellings, strict=True)
    }


TARGETS = {target: form for one in CHARACTERS for target, form in spelled(one).items()}
# What begins no escape a client may complete; a query has other rules than a path.
TARGETS |= {"/s%x": "/s%25x", "/x%2/y": "/x%252/y", "/%zz": "/%25zz", "/a/./b/../no": "/a/no"}
# What a client leaves out.
TARGETS |= {"/-e;": "/-e$", "/-f;?b": "/-f?b", "/-g/.": "/-g$", "/-h/b/..": "/-h$", "/-i?": "/-i$"}
TARGETS |= {f"/{ord(one)}/no{one}x": f"/{ord(one)}/no%{ord(one):02X}x" for one in "{}<>`"}
TARGETS |= {f"/q?v={target}": f"/q?v={form}" for target, form in TARGETS.items()}
RULES = "User-agent: *\n" + "".join(
    f"Disallow: {form}\nDisallow: {form.replace(' ', '%20')}\n" for form in TARGETS.values()
)

CRAWLS = [(client, dialect, False) for client in CLIENTS for dialect in ("google", "rfc9309")]
CRAWLS += [(client, "google", True) for client in CLIENTS]


@pytest.mark.parametrize(("client", "dialect", "verbatim"), CRAWLS)
def test_no_target_reaches_a_server_that_its_robots_txt_forbids(client, dialect, verbatim):
    # No line of HTTP can have a blank in its target.
    targets = [target for target in TARGETS if not verbatim or " " not in target]
    with Site({"/robots.txt": robots(RULES)}) as site:
        settings = {**OURS, **CLIENTS[client], "ROBOTS_DIALECT": dialect}
        meta = {"verbatim_url": True} if verbatim else {}
        seen = crawl_apart(Plan([*map(site.url, targets)], settings, meta=meta))
        reached = site.pages
        assert len(seen.answered) + len(seen.dropped) == len(targets)
    rules = parse(RULES.encode(), dialect)
    assert [target for target in reached if not rules.allowed(target, "Scrapy")] == []
    assert len(reached) > 20


@on_reactor
async def test_of_a_plugins_client_what_it_may_send_is_judged_too(web):
    """The download handler of these crawls is no one of Scrapy's."""
    site = web({"a.test": {"/robots.txt": robots("User-agent: *\nDisallow: /no")}})
    urls = ["http://a.test/%6Eo", "http://a.test/%2Fno", "http://a.test/yes%7E"]
    seen = await site.crawl(*urls, settings={"ROBOTS_DIALECT": "google"})
    assert (list(seen.dropped), sorted(seen.answered)) == (urls[:1], urls[1:])
