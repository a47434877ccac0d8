"""What must be true of a decision that cannot be recorded: nothing else is done about it."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import scrapy

from scrapy_robots_policy.admission.decider import Decider
from scrapy_robots_policy.admission.decision import Decision
from scrapy_robots_policy.config.request_config import RequestConfig
from scrapy_robots_policy.exceptions import CrawlClosing
from scrapy_robots_policy.rep import DIALECTS
from scrapy_robots_policy.rep.delay_limit import DelayLimit
from scrapy_robots_policy.rep.preference import NO_USE
from scrapy_robots_policy.report import CrawlCounts
from scrapy_robots_policy.resolver.origin import rules_given

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
    decision = Decision(DelayLimit(), NO_USE, 600.0)
    decider = Decider(decision, counts, events, lambda: 0.0, None, dry_run=dry_run)
    decider.audit = FullDisk()
    rules = rules_given(ORIGIN, RFC, b"User-agent: *\nDisallow: /secret")
    request, config = scrapy.Request(ORIGIN + path), RequestConfig(RFC, "bot")

    def decide():
        verdict = decider.refuse_if_forbidden(request, rules, config)
        decider.let_pass(request, rules, config, verdict)

    with pytest.raises(CrawlClosing):
        decide()
    of_origin = counts.of(ORIGIN)
    assert (refused, of_origin.passed, of_origin.dropped) == ([], 0, {})
