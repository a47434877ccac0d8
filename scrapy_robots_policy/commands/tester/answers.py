"""The answers to the tester's page: plain data in, plain data out. No HTTP, no HTML.

The fields of the tester's page about what the crawl declares, and about what a page and its site
say beside the robots.txt.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from ...lint import lint
from ...rep import DIALECTS, AccessMode, Dialect, FetchResult, Reason, Verdict
from ...rep.engines import cause
from ...rep.escapes import shortened, shown
from ...rep.url import TDMREP, key_of, readable, url_of
from ...rep.usage import LEVELS, PURPOSES, DeclaredUse, Preference, Result, tokens_for
from ...resolver.origin import OriginRules
from ..printing.verdict_data import (
    ANSWERS,
    described,
    modes_by_answer,
    tdmrep_state,
    use_facts,
    uses_with_page,
    verdict_as_json,
)
from ..reading.inputs import reservations_from, rules_from
from ..verbs.lint import finding_as_json


def use_of(data: Any) -> DeclaredUse:
    """What the crawl declares, from the page's JSON; without a choice, all purposes. The control
    tokens are those of the purposes. ValueError if it has another shape.
    """
    purposes, level = data.get("purposes", list(PURPOSES)), data.get("level", "")
    is_list = isinstance(purposes, list) and all(isinstance(name, str) for name in purposes)
    if not is_list or not PURPOSES.keys() >= {*purposes} or level not in ("", *LEVELS):
        raise ValueError("the declared use has another shape than the page's")
    return DeclaredUse(frozenset(purposes), level, tokens_for(purposes))


@dataclass(frozen=True, slots=True)
class PageFields:
    """The fields. One that is empty says nothing.

    headers  header lines of the response for the page
    html     the text of the page
    tdmrep   the text of the site's tdmrep.json
    """

    headers: str = ""
    html: str = ""
    tdmrep: str = ""

    @classmethod
    def of(cls, data: Any) -> PageFields:
        """From the page's JSON. ValueError if it has another shape."""
        texts = [data.get(name, "") for name in cls.__slots__]
        if not all(isinstance(text, str) for text in texts):
            raise ValueError("headers, HTML and tdmrep.json are strings")
        return cls(*(text if text.strip() else "" for text in texts))

    def use_answer(
        self, rules: OriginRules, url: str, agent: str, use: DeclaredUse
    ) -> dict[str, Any]:
        """Every preference about the use of a page, what overrides what, and the results."""
        if self.tdmrep:
            result = FetchResult(200, self.tdmrep.encode("utf-8", "replace"))
            rules = rules.with_tdmrep(reservations_from(key_of("", TDMREP), result))
        of_page, notes = self._of_page(url, agent, rules.dialect)
        verdict = rules.verdict_for_use(url, agent, use)
        uses = uses_with_page(verdict, rules, url, use, of_page)
        if rules.tdmrep is not None:
            notes.append(("tdmrep.json", tdmrep_state(rules.tdmrep)))
        return {
            "use_facts": use_facts(uses) + notes,
            "refused_uses": [one.name for one in uses.results if one.result is Result.REFUSED],
        }

    def _of_page(
        self, url: str, agent: str, dialect: Dialect
    ) -> tuple[tuple[Preference, ...], list[tuple[str, str]]]:
        """(the preferences of the page itself, what of its fields is not read)"""
        if not (self.headers or self.html):
            return (), []
        from ..reading import saved_page  # noqa: PLC0415 - it loads Scrapy

        response = saved_page.pasted_response(self.headers, self.html, url)
        notes = [
            ("not read", f"line {number} of the headers: it is no header line")
            for number in saved_page.unread_lines(self.headers)[: saved_page.MAX_UNREAD]
        ]
        if self.html and not saved_page.is_html(response):
            notes.append(("not read", "the HTML: by its Content-Type the page is none"))
        return saved_page.preferences_of(response, agent, dialect), notes


def fetched_tdmrep(
    rules: OriginRules, agent: str, fetch: Callable[[str], FetchResult]
) -> dict[str, str]:
    """The tdmrep.json of a site, for the page: its URL, what came of it, and its text.

    It is fetched only if the site's robots.txt allows that, as in a crawl.
    """
    key = key_of(rules.origin, TDMREP)
    url = url_of(key)
    if not rules.allowed(url, agent):
        return {"url": url, "why": "not fetched, because robots.txt does not allow it", "text": ""}
    tdmrep = reservations_from(key, fetch(url))
    octets = tdmrep.access.octets if tdmrep.reservations else b""
    return {"url": url, "why": tdmrep_state(tdmrep), "text": octets.decode("utf-8", "replace")}


MAX_URLS = 30
MAX_AGENTS = 6
MAX_FINDINGS = 300
MAX_BEATEN = 20
MAX_SHOWN = 2_000  # characters of a part of a rule or of a URL


class Abandoned(Exception):  # noqa: N818 - no error: nobody waits for the answer any more
    """The page has asked something else meanwhile, or it was closed."""


@dataclass(frozen=True, slots=True)
class Questions:
    """The fields of the page. A question is a URL and an agent.

    answer  what the site answers to the request for its robots.txt, as a key of `ANSWERS`
    result  the same, with the file, or with why the fetch had no answer
    chosen  the question, from 0, that is explained in full, in `dialect`
    use     what the crawl declares
    page    what the page and its site say elsewhere, for the question that is chosen
    """

    answer: str
    result: FetchResult
    urls: tuple[str, ...]
    agents: tuple[str, ...]
    dialect: Dialect
    chosen: int
    use: DeclaredUse
    page: PageFields

    @classmethod
    def of(cls, data: Any) -> Questions:
        """From the page's JSON. ValueError if it has another shape."""
        try:
            dialect = DIALECTS[data["dialect"]]
            answer = data.get("answer", "200")
            result = ANSWERS[answer]
            urls, agents = data["urls"], data["agents"]
            body = data["robots"].encode("utf-8", "replace")
            why = str(data.get("why", ""))
            chosen = int(data.get("question", 0))
            all_lists = isinstance(urls, list) and isinstance(agents, list)
            all_text = all_lists and all(isinstance(item, str) for item in [*urls, *agents])
        except (KeyError, TypeError, AttributeError, ValueError, OverflowError):
            raise ValueError("the questions have another shape than the page's") from None
        if not all_text:
            raise ValueError("URLs and agents are lists of strings")
        if answer == "200":
            result = replace(result, octets=body)
        elif result.status is None and why:
            result = replace(result, cause=why)
        return cls(
            answer,
            result,
            tuple(urls[:MAX_URLS]),
            tuple(agents[:MAX_AGENTS]),
            dialect,
            chosen,
            use_of(data),
            PageFields.of(data),
        )

    @property
    def pairs(self) -> list[tuple[str, str]]:
        return [(url, agent) for url in self.urls for agent in self.agents]


class Rules:
    """The rules of the last file that was asked about, in each dialect; older ones are forgotten.

    While a user types a URL, the page asks about the same file again and again. Several requests
    may come at a time: a file and its rules are replaced together.
    """

    def __init__(self) -> None:
        self._last: tuple[FetchResult, dict[str, OriginRules]] | None = None

    def of(self, result: FetchResult) -> dict[str, OriginRules]:
        last = self._last  # once: another request may put its file there meanwhile
        if last is None or last[0] != result:
            last = self._last = result, {}
        return last[1]


def answers(questions: Questions, rules: Rules, is_abandoned: Callable[[], bool]) -> dict[str, Any]:
    """All verdicts in all dialects, and one of them in full.

    is_abandoned  whether the page no longer waits for the answer: then Abandoned is raised. One
                  verdict may take a tenth of a second where the URL is long, so each one asks
    """
    pairs = questions.pairs
    in_dialect = rules.of(questions.result)
    verdicts: list[list[dict[str, Any]]] = []
    for name, dialect in DIALECTS.items():
        if name not in in_dialect:
            in_dialect[name] = rules_from("", questions.result, dialect)
        verdicts.append([])
        for pair in pairs:
            if is_abandoned():
                raise Abandoned
            verdicts[-1].append(_short(in_dialect[name], *pair))
    chosen = pairs[min(max(questions.chosen, 0), len(pairs) - 1)] if pairs else None
    return {
        "questions": [{"url": url, "agent": agent} for url, agent in pairs],
        "verdicts": verdicts,
        "max": {"urls": MAX_URLS, "agents": MAX_AGENTS},
        "dialects": list(DIALECTS),
        "access": [_access(questions.answer, rules) for rules in in_dialect.values()],
        "chosen": chosen and _full(questions, in_dialect, *chosen),
    }


def findings(data: Any) -> dict[str, Any]:
    """What lint finds in the page's file, whatever the site answers."""
    questions = Questions.of({**data, "answer": "200"} if isinstance(data, dict) else data)
    all_findings = lint(questions.result.octets, questions.dialect)
    return {
        "findings": [finding_as_json(finding) for finding in all_findings[:MAX_FINDINGS]],
        "more_findings": max(len(all_findings) - MAX_FINDINGS, 0),
    }


def _short(rules: OriginRules, url: str, agent: str) -> dict[str, Any]:
    verdict = rules.verdict(url, agent)
    return {"allowed": verdict.allowed, "waits": _waits(verdict), "line": verdict.line}


def _waits(verdict: Verdict) -> bool:
    """Whether a request is held back for now, and decided when the file is known."""
    return verdict.reason is Reason.DEFERRED


def _access(answer: str, rules: OriginRules) -> str:
    """What the dialect makes of the site's answer, now and later; "" if it obeys the rules."""
    if rules.mode is AccessMode.RULES:
        return ""
    if answer == "200":
        return rules.mode.description  # a file that is no robots.txt, such as an HTML page
    return modes_by_answer(rules.dialect.access)[answer]


def _full(
    questions: Questions, rules: dict[str, OriginRules], url: str, agent: str
) -> dict[str, Any]:
    verdict: Verdict = rules[questions.dialect.name].verdict(url, agent)

    def allowed(dialect: Dialect) -> bool:
        in_dialect = rules.get(dialect.name)
        if in_dialect is None or in_dialect.dialect is not dialect:
            in_dialect = rules_from("", questions.result, dialect)
        return in_dialect.allowed(url, agent)

    standard = next(iter(DIALECTS.values()))
    why = cause(allowed, standard, questions.dialect)
    full = verdict_as_json(url, verdict)
    return full | {
        "beaten": full["beaten"][:MAX_BEATEN],
        "beats": len(verdict.beaten),
        **questions.page.use_answer(rules[questions.dialect.name], url, agent, questions.use),
        "cause": verdict.cause,
        "waits": _waits(verdict),
        "delay": rules[questions.dialect.name].crawl_delay(agent),
        "standard": standard.name,
        "options": described(why, standard.name) if why else "",
        "match": _match(rules[questions.dialect.name], verdict, url),
    }


def _match(rules: OriginRules, verdict: Verdict, url: str) -> dict[str, Any] | None:
    """How the rule that decided matches the URL, part by part, as text that is safe to show."""
    match = rules.rules.match(verdict.rule, url) if rules.rules and verdict.rule else None
    if match is None:
        return None
    parts = [
        {"kind": part.kind, "rule": _text(part.rule), "path": _text(part.path)}
        for part in match.parts
    ]
    return {"parts": parts, "rest": _text(match.rest)}


def _text(octets: str) -> str:
    return shortened(shown(readable(octets)), MAX_SHOWN)
