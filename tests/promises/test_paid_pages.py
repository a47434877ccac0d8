"""docs/stats-and-logs.md: a page that asks for a payment, or for a licence, is a refusal."""

from __future__ import annotations

import json

import pytest

from scrapy_robots_policy.commands import command_line
from tests.on_reactor import on_reactor
from tests.site import Answer, robots

pytestmark = pytest.mark.slow  # whole crawls

RULES = robots("User-agent: *\nDisallow: /no")


def answer(status, **headers):
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status=status, headers=names)


LICENSE = 'License error="invalid_request", realm="x"'
ANSWERS = {
    "/paid": (
        answer(402, crawler_price="USD 0.05"),
        "payment required (402, crawler-price: USD 0.05)",
    ),
    "/402": (answer(402), "payment required (402)"),
    "/licence": (answer(401, WWW_Authenticate=LICENSE), "licence required (401)"),
    "/several": (
        answer(401, WWW_Authenticate=f"Basic realm=x, {LICENSE}"),
        "licence required (401)",
    ),
    "/hostile": (
        answer(402, crawler_price="\x1b[31m" + "9" * 999),
        "payment required (402, crawler-price: \\x1b[31m",
    ),
}
OTHERS = {
    "/login": answer(401, WWW_Authenticate='Basic realm="License"'),
    "/403": answer(403),
    "/page": Answer(),
}


@on_reactor
async def test_it_counts_as_refused_with_its_price_everywhere_and_is_not_retried(web, tmp_path):
    script = {path: one for path, (one, _) in ANSWERS.items()}
    site = web({"a.test": {"/robots.txt": RULES, **script, **OTHERS}})
    urls = [f"http://a.test{path}" for path in (*script, *OTHERS)]
    settings = {
        "RETRY_ENABLED": True,
        "RETRY_TIMES": 2,
        "ROBOTS_REPORT": str(tmp_path / "r.html"),
        "ROBOTS_AUDIT": str(tmp_path / "a.jsonl"),
    }
    seen = await site.crawl(*urls, settings=settings)
    assert sorted(site.pages) == sorted(urls)
    assert seen.answered == ["http://a.test/page"]
    stats = seen.stats
    assert stats["robots/refused/payment_required"] == 3
    assert stats["robots/refused/license_required"] == 2
    assert stats["robots/passed"] == 3

    report = json.loads((tmp_path / "r.json").read_text())
    assert (report["passed"], report["refused"]) == (3, 5)
    dropped = report["origins"][0]["refused"]
    assert all(any(one.startswith(cause) for one in dropped) for _, cause in ANSWERS.values())
    assert "crawler-price: USD 0.05" in (tmp_path / "r.html").read_text()

    lines = list(map(json.loads, (tmp_path / "a.jsonl").read_text().splitlines()))
    recorded = {one["url"]: one for one in lines if one["type"] == "answer"}
    assert recorded.keys() == {f"http://a.test{path}" for path in ANSWERS}
    assert recorded["http://a.test/paid"]["why"] == "402, crawler-price: USD 0.05"
    assert lines[-1]["sums"]["refused/payment_required"] == 3
    assert command_line.main(["audit", "verify", str(tmp_path / "a.jsonl")]) == 0


@on_reactor
async def test_where_no_robots_txt_is_asked_about_a_page_its_answer_is_no_refusal(web):
    site = web({"a.test": {"/robots.txt": RULES, "/paid": answer(402)}})
    overrides = {"ROBOTS_OVERRIDES": {"a.test": {"obey": False}}}
    seen = await site.crawl("http://a.test/paid", settings=overrides)
    assert not any("dropped" in name for name in seen.robots_stats)
