"""How many answers of a parser are not those of Google's own parser.

Every file is cut at 500 KiB first: Google's crawler reads no more of it, and its parser has no
limit of its own. An exception is a wrong answer.
"""

from __future__ import annotations

import contextlib
from typing import Any

from corpus import Case
from peers import Peer, google_parser

LIMIT = 500 * 1024  # bytes


def right_answers(cases: list[Case]) -> list[list[bool]] | None:
    """For each file, Google's answers. None where its parser is not installed."""
    google = google_parser()
    if google is None:
        return None
    return [[google(item.body[:LIMIT], item.agent, url) for url in item.urls] for item in cases]


def wrong_answers(peer: Peer, cases: list[Case], right: list[list[bool]]) -> int:
    count = 0
    for item, answers in zip(cases, right, strict=True):
        rules = peer.parse(item.body[:LIMIT])
        for url, answer in zip(item.urls, answers, strict=True):
            count += _answer(peer, rules, url, item.agent) is not answer
    return count


def _answer(peer: Peer, rules: Any, url: str, agent: str) -> bool | None:
    with contextlib.suppress(Exception):
        return bool(peer.allowed(rules, peer.address(url), agent))
    return None
