"""What the tester says of the use of a page, and how much it answers at a time."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from scrapy_robots_policy.commands.tester import answers as tester_answers
from scrapy_robots_policy.commands.tester import server
from scrapy_robots_policy.commands.tester.answers import (
    MAX_AGENTS,
    MAX_URLS,
    Questions,
    Rules,
    answers,
    findings,
)
from scrapy_robots_policy.commands.tester.server import MAX_OCTETS, as_fetched
from scrapy_robots_policy.fetch.redirects import ANYWHERE, RedirectGuard
from scrapy_robots_policy.rep import FetchResult

ROBOTS = """\
User-agent: *
Content-Usage: train-ai=n
Content-Usage: /open/ train-ai=y
Content-Signal: search=yes
"""


def test_the_tester_shows_every_preference_what_overrides_it_and_each_purpose():
    data = {"robots": ROBOTS, "urls": ["/open/1"], "agents": ["Bot"], "dialect": "rfc9309"}
    chosen = answers(Questions.of({**data, "question": 0}), Rules())["chosen"]
    rows = [tuple(row) for row in chosen["use_facts"]]
    assert rows[:2] == [
        ("usage", "line 3, Content-Usage: train-ai=y"),
        ("usage", "line 4, Content-Signal: search=yes"),
    ]
    assert rows[2][0] == "overridden"
    assert rows[2][1].startswith(
        "line 2, Content-Usage: train-ai=n; by line 3, Content-Usage: train-ai=y"
    )
    assert rows[3:] == [
        ("use", "ai-input not stated"),
        ("use", "search granted by line 4, Content-Signal: search=yes"),
        ("use", "train-ai granted by line 3, Content-Usage: train-ai=y"),
    ]


def test_the_tester_answers_so_many_questions_and_findings_at_a_time(monkeypatch):
    data = {"robots": "Disalow: /\nAlow: /\nDisallow: x", "dialect": "rfc9309"}
    data |= {"urls": [f"/{n}" for n in range(100)], "agents": [f"bot{n}" for n in range(100)]}
    assert len(Questions.of(data).pairs) == MAX_URLS * MAX_AGENTS
    every = findings(data)["findings"]
    monkeypatch.setattr(tester_answers, "MAX_FINDINGS", 1)
    assert findings(data) == {"findings": every[:1], "more_findings": len(every) - 1}
    octets = as_fetched(FetchResult(200, b"#" * MAX_OCTETS))["robots"]
    assert len(octets) == MAX_OCTETS // 4  # the page sends them back in a POST


@pytest.mark.parametrize(("question", "url"), [(-1, "/a"), (1, "/b"), (99, "/b")])
def test_a_question_that_the_page_has_not_is_the_nearest_one_that_it_has(question, url):
    data = {"robots": ROBOTS, "urls": ["/a", "/b"], "agents": ["Bot"], "dialect": "rfc9309"}
    chosen = answers(Questions.of({**data, "question": question}), Rules())["chosen"]
    assert chosen["url"] == url


def test_the_tester_fetches_where_the_user_lets_redirects_lead(monkeypatch):
    guards = []

    def fetch(_url, _user_agent, _redirects, guard=ANYWHERE):
        guards.append(guard)
        return FetchResult(404)

    monkeypatch.setattr(server, "fetch", fetch)
    guard = RedirectGuard(same_site=True)
    handler = SimpleNamespace(server=SimpleNamespace(user_agent="test", guard=guard))
    answer = server._Handler._fetch(handler, {"site": "site.example"})
    assert (answer["url"], guards) == ("https://site.example/robots.txt", [guard])
