"""What the tester's page asks, answered: plain data in, plain data out.

Knows: the shape of both. Must not know: HTTP, HTML.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...lint import lint
from ...rep import DIALECTS, Dialect, RuleSet, Verdict, parse
from ...rep.option_causes import cause
from ..compare import explained
from ..explain import as_json
from ..lint import finding_as_json

MOST_URLS = 30
MOST_AGENTS = 6
MOST_FINDINGS = 300


@dataclass(frozen=True, slots=True)
class Questions:
    """What the page holds. ValueError where it holds something else.

    chosen  which question, counted from 0, is explained in full, as `dialect` reads
    """

    body: bytes
    urls: tuple[str, ...]
    agents: tuple[str, ...]
    dialect: Dialect
    chosen: int

    @classmethod
    def of(cls, told: Any) -> Questions:
        try:
            dialect = DIALECTS[told["dialect"]]
            urls, agents = told["urls"], told["agents"]
            body = told["robots"].encode("utf-8", "replace")
            chosen = int(told["question"])
            all_lists = isinstance(urls, list) and isinstance(agents, list)
            all_text = all_lists and all(isinstance(item, str) for item in [*urls, *agents])
        except (KeyError, TypeError, AttributeError, ValueError, OverflowError):
            raise ValueError("the question has not the shape of a question") from None
        if not all_text:
            raise ValueError("URLs and agents are lists of strings")
        return cls(body, tuple(urls[:MOST_URLS]), tuple(agents[:MOST_AGENTS]), dialect, chosen)


def answers(asked: Questions) -> dict[str, Any]:
    """All verdicts in all dialects, one of them in full, and the findings."""
    pairs = [(url, agent) for url in asked.urls for agent in asked.agents]
    rules = {name: parse(asked.body, dialect) for name, dialect in DIALECTS.items()}
    chosen = pairs[min(max(asked.chosen, 0), len(pairs) - 1)] if pairs else None
    found = lint(asked.body, asked.dialect)
    return {
        "questions": [{"url": url, "agent": agent} for url, agent in pairs],
        "verdicts": [[_short(own, pair) for pair in pairs] for own in rules.values()],
        "dialects": list(rules),
        "chosen": chosen and _full(asked, rules, *chosen),
        "findings": [finding_as_json(finding) for finding in found[:MOST_FINDINGS]],
        "more_findings": max(len(found) - MOST_FINDINGS, 0),
    }


def _short(rules: RuleSet, pair: tuple[str, str]) -> dict[str, Any]:
    verdict = rules.verdict(*pair)
    return {"allowed": verdict.allowed, "line": verdict.line}


def _full(asked: Questions, rules: dict[str, RuleSet], url: str, agent: str) -> dict[str, Any]:
    verdict: Verdict = rules[asked.dialect.name].verdict(url, agent)

    def allowed(dialect: Dialect) -> bool:
        return parse(asked.body, dialect).allowed(url, agent)

    standard = next(iter(DIALECTS.values()))
    why = cause(allowed, standard, asked.dialect)
    return as_json(url, verdict) | {
        "cause": verdict.cause,
        "delay": rules[asked.dialect.name].crawl_delay(agent),
        "standard": standard.name,
        "options": explained(why) if why else "",
    }
