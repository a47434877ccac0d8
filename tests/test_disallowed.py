"""What must be true of the exception by which a request is refused."""

from __future__ import annotations

import copy
import pickle

import pytest
from scrapy.exceptions import IgnoreRequest

from scrapy_robots_policy import Disallowed, ItemRefused
from scrapy_robots_policy.rep import DIALECTS, FetchResult, advance, parse
from scrapy_robots_policy.rep.preference import DeclaredUse
from scrapy_robots_policy.rep.verdict import refuse, verdict_of

RULES = parse(b"User-agent: *\nDisallow: /a\nDisallow: /a/b\nContent-Signal: ai-train=no\n")
RFC = DIALECTS["rfc9309"]
URL = "https://example.com"
VERDICTS = {
    "a rule": RULES.verdict(f"{URL}/a/b", "Bot"),
    "a use": refuse(RULES.verdict(f"{URL}/c", "Bot"), DeclaredUse(frozenset({"train-ai"}))),
    "no robots.txt": verdict_of(
        advance(None, FetchResult(None, cause="timeout"), 0.0, RFC.access), RFC, "Bot"
    ),
}


COPIES = [lambda e: pickle.loads(pickle.dumps(e)), copy.deepcopy]


@pytest.mark.parametrize("copied", COPIES)
def test_a_copy_of_a_refused_item_is_equal_to_it(copied):
    error = ItemRefused("use", "meta robots: noai")
    again = copied(error)
    assert (again.part, again.cause, str(again)) == (error.part, error.cause, str(error))


@pytest.mark.parametrize("copied", COPIES)
@pytest.mark.parametrize("name", VERDICTS)
def test_a_copy_of_the_exception_is_equal_to_it(name, copied):
    error = Disallowed(VERDICTS[name], f"{URL}/a/b")
    again = copied(error)
    assert type(again) is Disallowed
    assert isinstance(again, IgnoreRequest)
    assert str(again) == str(error)
    assert (again.verdict, again.url) == (error.verdict, f"{URL}/a/b")
    assert again.verdict.beaten == error.verdict.beaten
    assert again.verdict.group == error.verdict.group
