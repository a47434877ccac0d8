"""What must be true of the rules that are known for a request without waiting."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from scrapy_robots_policy.admission.crawl_policy import CrawlPolicy
from scrapy_robots_policy.admission.request_rules import RequestRules
from scrapy_robots_policy.config.request_config import RequestConfig
from scrapy_robots_policy.rep.delay_limit import DelayLimit
from scrapy_robots_policy.rep.documents import TDMREP, key_of
from scrapy_robots_policy.rep.preference import NO_USE, DeclaredUse
from tests.admission.test_admission import CONFIG, ORIGIN, PAGE, rules_of

KEY = key_of(ORIGIN, TDMREP)
TRAINING = DeclaredUse(frozenset({"train-ai"}))
RESERVED = b'[{"location": "/*", "tdm-reservation": 1}]'


def request_rules(known, use=NO_USE):
    """With a resolver that knows these files by their keys."""
    return RequestRules(
        None,
        SimpleNamespace(
            cached=lambda key, *_: known.get(key), latest=lambda key, *_: known.get(key)
        ),
        CrawlPolicy(DelayLimit(), use, 600.0),
        SimpleNamespace(on_tdmrep_forbidden=lambda _: None),
    )


@pytest.mark.parametrize(
    ("robots", "use", "needs_tdmrep"),
    [
        (b"", TRAINING, True),
        (b"", NO_USE, False),
        (b"", DeclaredUse(frozenset({"search"})), False),
        (b"User-agent: *\nDisallow: /page", TRAINING, False),
        (b"User-agent: *\nDisallow: /.well-known/", TRAINING, False),
    ],
)
def test_a_request_waits_for_the_tdmrep_json_that_may_decide_about_it(robots, use, needs_tdmrep):
    rules = rules_of(robots)
    known = {ORIGIN: rules}
    before = request_rules(known, use).cached(PAGE, ORIGIN, CONFIG)
    assert before is (None if needs_tdmrep else rules)
    known[KEY] = rules_of(RESERVED, KEY)
    after = request_rules(known, use).cached(PAGE, ORIGIN, CONFIG)
    assert bool(after.reserved(PAGE.url)) is needs_tdmrep


def test_the_latest_rules_are_those_of_all_files_that_are_known():
    known = {}
    one = request_rules(known, TRAINING)
    assert one.latest(PAGE, ORIGIN, CONFIG) is None
    known[ORIGIN] = rules_of(b"")
    assert not one.latest(PAGE, ORIGIN, CONFIG).reserved(PAGE.url)
    known[KEY] = rules_of(RESERVED, KEY)
    assert one.latest(PAGE, ORIGIN, CONFIG).reserved(PAGE.url)


@pytest.mark.parametrize(
    ("robots", "use", "is_known", "is_reported"),
    [
        (b"", TRAINING, True, True),
        (b"", TRAINING, False, False),
        (b"", NO_USE, True, False),
        (b"User-agent: *\nDisallow: /.well-known/", TRAINING, True, False),
    ],
)
def test_a_robots_txt_that_allows_a_tdmrep_json_that_is_known_is_reported(
    robots, use, is_known, is_reported
):
    reserved, reported = rules_of(RESERVED, KEY), []
    one = request_rules({KEY: reserved} if is_known else {}, use)
    one.events = SimpleNamespace(on_rules=lambda *_: None, on_tdmrep_allowed=reported.append)
    one.report(rules_of(robots), CONFIG)
    assert reported == [reserved] * is_reported


@pytest.mark.parametrize("own", [{"obey": False, "robots_txt": b""}, {"robots_txt": b""}])
def test_what_the_user_has_set_for_a_host_needs_no_file_of_it(own):
    config = RequestConfig(CONFIG.dialect, "bot", **own)
    assert request_rules({}).cached(PAGE, ORIGIN, config).allowed(PAGE.url, "bot")
    if "obey" in own:
        assert request_rules({}, TRAINING).cached(PAGE, ORIGIN, config).tdmrep is None
