"""What the tester says of the use of a page."""

from __future__ import annotations

from scrapy_robots_policy.commands.tester.answers import Questions, Rules, answers

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
