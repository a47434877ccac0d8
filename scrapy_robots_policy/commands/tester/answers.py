"""The answers to the tester's page: plain data in, plain data out. No HTTP, no HTML."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...lint import lint
from ...rep import DIALECTS, Dialect, RuleSet, Verdict, parse
from ...rep.option_causes import cause
from ...rep.preference import PURPOSES, DeclaredUse
from ...rep.use_answer import answer
from ..compare import described
from ..explain import as_json, use_facts
from ..lint import finding_as_json

MAX_URLS = 30
MAX_AGENTS = 6
MAX_FINDINGS = 300
EVERY_PURPOSE = DeclaredUse(frozenset(PURPOSES))


@dataclass(frozen=True, slots=True)
class Questions:
    """The fields of the page. A question is a URL and an agent.

    chosen  the question, from 0, that is explained in full, in `dialect`
    """

    body: bytes
    urls: tuple[str, ...]
    agents: tuple[str, ...]
    dialect: Dialect
    chosen: int

    @classmethod
    def of(cls, data: Any) -> Questions:
        """From the page's JSON. ValueError if it has another shape."""
        try:
            dialect = DIALECTS[data["dialect"]]
            urls, agents = data["urls"], data["agents"]
            body = data["robots"].encode("utf-8", "replace")
            chosen = int(data["question"])
            all_lists = isinstance(urls, list) and isinstance(agents, list)
            all_text = all_lists and all(isinstance(item, str) for item in [*urls, *agents])
        except (KeyError, TypeError, AttributeError, ValueError, OverflowError):
            raise ValueError("the questions have another shape than the page's") from None
        if not all_text:
            raise ValueError("URLs and agents are lists of strings")
        return cls(body, tuple(urls[:MAX_URLS]), tuple(agents[:MAX_AGENTS]), dialect, chosen)


def answers(questions: Questions) -> dict[str, Any]:
    """All verdicts in all dialects, one of them in full, and the findings."""
    pairs = [(url, agent) for url in questions.urls for agent in questions.agents]
    rules = {name: parse(questions.body, dialect) for name, dialect in DIALECTS.items()}
    chosen = pairs[min(max(questions.chosen, 0), len(pairs) - 1)] if pairs else None
    findings = lint(questions.body, questions.dialect)
    return {
        "questions": [{"url": url, "agent": agent} for url, agent in pairs],
        "verdicts": [[_short(of_dialect, pair) for pair in pairs] for of_dialect in rules.values()],
        "dialects": list(rules),
        "chosen": chosen and _full(questions, rules, *chosen),
        "findings": [finding_as_json(finding) for finding in findings[:MAX_FINDINGS]],
        "more_findings": max(len(findings) - MAX_FINDINGS, 0),
    }


def _short(rules: RuleSet, pair: tuple[str, str]) -> dict[str, Any]:
    verdict = rules.verdict(*pair)
    return {"allowed": verdict.allowed, "line": verdict.line}


def _full(questions: Questions, rules: dict[str, RuleSet], url: str, agent: str) -> dict[str, Any]:
    verdict: Verdict = rules[questions.dialect.name].verdict(url, agent)

    def allowed(dialect: Dialect) -> bool:
        return parse(questions.body, dialect).allowed(url, agent)

    standard = next(iter(DIALECTS.values()))
    why = cause(allowed, standard, questions.dialect)
    return as_json(url, verdict) | {
        "cause": verdict.cause,
        "use_facts": use_facts(answer(verdict.usage, EVERY_PURPOSE, verdict.uses.overridden)),
        "delay": rules[questions.dialect.name].crawl_delay(agent),
        "standard": standard.name,
        "options": described(why) if why else "",
    }
