"""What must be true of what follows from a decision: what is judged, counted, recorded, noted."""

from __future__ import annotations

from gc import collect
from hashlib import sha256
from sys import getrefcount
from types import SimpleNamespace

import pytest
import scrapy

from scrapy_robots_policy.admission.crawl_policy import CrawlPolicy, may_wait
from scrapy_robots_policy.admission.decider import VERDICT_KEY, Decider
from scrapy_robots_policy.config.request_config import RequestConfig
from scrapy_robots_policy.exceptions import CrawlClosing, Disallowed
from scrapy_robots_policy.rep import DIALECTS, CacheEntry, FetchResult, Reason
from scrapy_robots_policy.rep.access_policy import AccessOverrides
from scrapy_robots_policy.rep.delay_limit import DelayLimit
from scrapy_robots_policy.rep.preference import NO_USE, DeclaredUse
from scrapy_robots_policy.report.counts import CrawlCounts
from scrapy_robots_policy.resolver import origin
from scrapy_robots_policy.resolver.origin import OriginState, rules_given

ORIGIN = "http://example.com"
RFC = DIALECTS["rfc9309"]


class FullDisk:
    def on_decided(self, request, decided):
        raise CrawlClosing


@pytest.mark.parametrize("dry_run", [False, True])
@pytest.mark.parametrize("path", ["/open", "/secret"])
def test_a_decision_that_cannot_be_recorded_is_not_counted(path, dry_run):
    refused = []
    events = SimpleNamespace(on_refused=lambda *args, **_: refused.append(args))
    counts = CrawlCounts(10)
    policy = CrawlPolicy(DelayLimit(), NO_USE, 600.0)
    decider = Decider(policy, counts, events, lambda: 0.0, None, dry_run=dry_run, audit=FullDisk())
    rules = rules_given(ORIGIN, RFC, b"User-agent: *\nDisallow: /secret")
    request, config = scrapy.Request(ORIGIN + path), RequestConfig(RFC, "bot")

    def decide():
        verdict = decider.refuse_if_forbidden(request, rules, config)
        decider.let_pass(request, rules, config, verdict)

    with pytest.raises(CrawlClosing):
        decide()
    of_origin = counts.of(ORIGIN)
    assert (refused, of_origin.passed, of_origin.dropped) == ([], 0, {})


class Record:
    def __init__(self):
        self.lines = []

    def on_decided(self, request, decided):
        self.lines.append((decided.verdict is None, decided.dry_run))


def decider_of(*, use=NO_USE, approved=None, dry_run=False, rewrite=None, error=None):
    events = SimpleNamespace(on_refused=lambda *_args, **_: None)
    return Decider(
        CrawlPolicy(DelayLimit(), use, 600.0, approved),
        CrawlCounts(10),
        events,
        lambda: 0.0,
        rewrite,
        dry_run=dry_run,
        keeps_verdicts=True,
        error_of=lambda _origin: error,
        audit=Record(),
    )


RULES = rules_given(ORIGIN, RFC, b"User-agent: *\nDisallow: /secret")
CONFIG = RequestConfig(RFC, "bot")


def decide(decider, request, rules=RULES, config=CONFIG):
    verdict = decider.refuse_if_forbidden(request, rules, config)
    decider.let_pass(request, rules, config, verdict)


def test_a_request_is_recorded_once_and_keeps_its_verdict_in_a_dry_run_too():
    decider = decider_of(dry_run=True)
    for path, allowed in (("/open", True), ("/secret", False)):
        request = scrapy.Request(ORIGIN + path)
        decide(decider, request)
        assert request.meta[VERDICT_KEY].allowed is allowed
    assert decider.audit.lines == [(True, False), (False, True)]


def test_the_verdict_of_a_dry_run_is_the_one_that_forbids():
    decider = decider_of(dry_run=True, approved={})
    request = scrapy.Request(f"{ORIGIN}/open")
    decide(decider, request)
    assert request.meta[VERDICT_KEY].reason is Reason.NOT_APPROVED


def test_a_dry_run_counts_the_uses_of_a_page_that_is_refused_once():
    decider = decider_of(use=DeclaredUse(frozenset({"train-ai"})), dry_run=True)
    rules = rules_given(ORIGIN, RFC, b"User-agent: *\nContent-Usage: train-ai=n\nAllow: /")
    decide(decider, scrapy.Request(f"{ORIGIN}/open"), rules)
    assert sum(decider.counts.of(ORIGIN).uses.values()) == 1


RETRY, REDIRECT = "retry_times", "redirect_times"


@pytest.mark.parametrize(
    ("steps", "passed"),
    [
        ([], 1),
        ([RETRY, RETRY], 1),
        ([REDIRECT], 2),
        ([RETRY, REDIRECT], 2),
        ([REDIRECT, RETRY, RETRY], 2),
        ([RETRY, REDIRECT, RETRY, REDIRECT, RETRY], 3),
    ],
)
def test_a_request_that_passes_counts_once_with_its_retries(steps, passed):
    """Each step is a new request with the meta of the one before, as Scrapy makes them."""
    decider, meta = decider_of(), {}
    for step in [None, *steps]:
        if step is not None:
            meta = {**meta, step: meta.get(step, 0) + 1}
        request = scrapy.Request(f"{ORIGIN}/open", meta=meta)
        decide(decider, request)
        meta = request.meta
    assert decider.counts.of(ORIGIN).passed == passed


@pytest.mark.parametrize(
    ("path", "is_rewritten"),
    [
        ("/a/b-c_d~e.html", False),
        ("/", False),
        ("/a/../b", True),
        ("/a/./b", True),
        ("/.hidden", True),
        ("/a//b", True),
        ("/a%2Fb", True),
        ("/a?b", True),
    ],
)
def test_what_a_client_may_send_in_another_form_is_judged_in_that_form_too(path, is_rewritten):
    decider = decider_of(rewrite=lambda _: f"{ORIGIN}/secret")
    request = scrapy.Request(ORIGIN + path)
    if is_rewritten:
        with pytest.raises(Disallowed):
            decide(decider, request)
    else:
        decide(decider, request)


def test_a_url_is_judged_as_it_stands_though_a_client_sends_another_one():
    decider = decider_of(rewrite=lambda _: f"{ORIGIN}/open")
    with pytest.raises(Disallowed):
        decide(decider, scrapy.Request(f"{ORIGIN}/secret?x"))


@pytest.mark.parametrize(("status", "has_cause"), [(None, True), (503, False)])
def test_only_where_no_answer_came_the_error_is_the_cause_of_a_refusal(status, has_cause):
    entry = CacheEntry(FetchResult(status), 0.0)
    rules = OriginState(ORIGIN, AccessOverrides(), entry).rules(RFC, 0.0)
    error = OSError("of the try before")
    decider = decider_of(error=error)
    with pytest.raises(Disallowed) as refused:
        decide(decider, scrapy.Request(f"{ORIGIN}/open"), rules)
    assert refused.value.__cause__ is (error if has_cause else None)


NO_ROBOTS = OriginState(ORIGIN, AccessOverrides(), CacheEntry(FetchResult(404), 0.0)).rules(
    RFC, 0.0
)


@pytest.mark.parametrize(
    ("rules", "approved", "obey", "passes"),
    [
        (RULES, sha256(RULES.access.octets).hexdigest(), True, True),
        (RULES, "none", True, False),
        (RULES, None, True, False),
        (RULES, None, False, True),
        (NO_ROBOTS, "none", True, True),
        (NO_ROBOTS, sha256(b"").hexdigest(), True, False),
    ],
)
def test_a_robots_txt_that_nobody_has_approved_refuses_all_requests(rules, approved, obey, passes):
    decider = decider_of(approved={} if approved is None else {ORIGIN: approved})
    request, config = scrapy.Request(f"{ORIGIN}/open"), RequestConfig(RFC, "bot", obey)
    if passes:
        decide(decider, request, rules, config)
    else:
        with pytest.raises(Disallowed):
            decide(decider, request, rules, config)


def test_a_file_that_is_compared_with_the_approved_one_is_kept_by_its_rules_alone():
    """They have a bound in octets, and nothing else has one."""
    octets = b"User-agent: *\nDisallow: /secret # " + b"x" * 1000
    holders = getrefcount(octets)
    rules = OriginState(ORIGIN, AccessOverrides(), CacheEntry(FetchResult(200), 0.0, octets)).rules(
        RFC, 0.0
    )
    decider = decider_of(approved={ORIGIN: sha256(octets).hexdigest()})
    decide(decider, scrapy.Request(f"{ORIGIN}/open"), rules)
    del rules, decider
    collect()
    assert getrefcount(octets) == holders


def test_the_digest_of_a_file_is_made_once(monkeypatch):
    rules = rules_given(ORIGIN, RFC, b"User-agent: *\nDisallow: /digest")
    digest = rules.digest
    monkeypatch.setattr(origin, "sha256", None)
    assert rules.digest == digest == sha256(rules.access.octets).hexdigest()


def test_a_delay_that_the_user_has_set_is_kept_whatever_the_site_says():
    config = RequestConfig(RFC, "bot", crawl_delay=5.0)
    assert [may_wait(RULES, one) for one in (CONFIG, config)] == [False, True]
