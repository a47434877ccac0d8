"""`scrapy robots explain`: one URL, with all that led to the answer.

Knows: how a verdict is told. Must not know: how it is reached.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from ..lint import readable_lines
from ..rep import Verdict
from ..rep.dialects.crawlers import chain_of
from ..rep.escapes import shown
from ..rep.verdict import refuse
from ..resolver.origin import OriginRules
from .access_table import WORDS, duration, stances
from .arguments import Options, UsageError
from .inputs import Sources
from .terminal import paint, say, say_columns, say_json, say_line

_MOST_BEATEN = 12


def run(asked: Options) -> int:
    """0 if the URL is allowed, 1 if not."""
    if len(asked.args) != 1:
        raise UsageError(f"explain takes one URL, not {len(asked.args)}")
    url = asked.args[0]
    sources = Sources(asked)
    ruling = sources.ruling(url)
    verdict = refuse(ruling.verdict(url, asked.agent), asked.purposes)
    if asked.as_json:
        say_json(as_json(url, verdict) | _circumstances(sources.name(url), ruling, asked))
    else:
        _tell(url, verdict, ruling, sources.name(url), asked)
    return int(not verdict.allowed)


def as_json(url: str, verdict: Verdict) -> dict[str, Any]:
    """A verdict as plain data. Where there is no rule, `line` is 0 and `rule` is null."""
    group = verdict.group
    return {
        "url": url,
        "allowed": verdict.allowed,
        "agent": verdict.agent,
        "dialect": verdict.dialect,
        "reason": verdict.reason.value,
        "why": verdict.why,
        "line": verdict.line,
        "rule": str(verdict.rule) if verdict.rule else None,
        "group": {"name": group.name, "lines": group.lines} if group else None,
        "beaten": [{"line": rule.line, "rule": str(rule)} for rule in verdict.beaten],
        "usage": [asdict(told) for told in verdict.usage],
    }


def _circumstances(name: str, ruling: OriginRules, asked: Options) -> dict[str, Any]:
    access = ruling.access
    return {
        "robots": name,
        "fetched": access.why,
        "stance": access.stance.value,
        "fresh_for": access.fresh_until - access.record.asked_at,
        "crawl_delay": ruling.crawl_delay(asked.agent),
        "visit_times": _visit_times(ruling, asked),
        "sitemaps": ruling.rules.sitemaps if ruling.rules else (),
        "looked_for": chain_of(asked.agent, asked.dialect.agents),
        "stances": stances(asked.dialect.access),
    }


def _tell(url: str, verdict: Verdict, ruling: OriginRules, name: str, asked: Options) -> None:
    word = paint("allowed", "green") if verdict.allowed else paint("disallowed", "red")
    say(shown(url))
    say(f"{word} for {shown(verdict.agent)}, as {asked.dialect.name} reads: {verdict.cause}")
    say()
    lines = readable_lines(ruling.access.octets)
    _tell_rules(verdict, lines)
    delay = ruling.crawl_delay(asked.agent)
    sitemaps = ruling.rules.sitemaps if ruling.rules else ()
    access = ruling.access
    fresh = duration(access.fresh_until - access.record.asked_at)
    served = f"{name}: {access.why or 'served'}, {len(access.octets):,} octets, good for {fresh}"
    rows = [
        ("robots.txt", served),
        ("stance", WORDS[access.stance].replace("the copy", "the file")),
        ("looked for", ", then ".join(chain_of(asked.agent, asked.dialect.agents))),
        ("group", _group(verdict)),
        ("crawl-delay", duration(delay) if delay is not None else "none that this dialect obeys"),
        *(("visit-time", _heeded(time, asked)) for time in _visit_times(ruling, asked)),
        *(("usage", str(told)) for told in verdict.usage),
        *(("sitemap", sitemap) for sitemap in sitemaps[:5]),
    ]
    say_columns(rows)
    if len(sitemaps) > len(sitemaps[:5]):
        say(f"             and {len(sitemaps) - 5} sitemaps more")
    say()
    say(f"What {asked.dialect.name} does, by what the site answers to /robots.txt:")
    say_columns(stances(asked.dialect.access).items(), indent="  ")


def _visit_times(ruling: OriginRules, asked: Options) -> list[str]:
    return [str(time) for time in ruling.rules.visit_times(asked.agent)] if ruling.rules else []


def _heeded(time: str, asked: Options) -> str:
    return time if asked.dialect.visit_time else f"{time}, which this dialect does not heed"


def _group(verdict: Verdict) -> str:
    group = verdict.group
    if group is None:
        return "none names the crawler"
    plural = "s" * (len(group.lines) != 1)
    where = ", ".join(map(str, group.lines))
    return f"{group.name!r}, line{plural} {where}; rules: {len(group.rules)}"


def _tell_rules(verdict: Verdict, lines: list[str]) -> None:
    """As they stand in the file: the User-agent lines, the rule, those that it beat, and what is
    said of the use of the page.
    """
    notes = {told.line: "of its use" for told in verdict.usage}
    if verdict.group:
        notes |= dict.fromkeys(verdict.group.lines, "")
    notes |= {rule.line: "matches too, is weaker" for rule in verdict.beaten[:_MOST_BEATEN]}
    if verdict.rule:
        notes[verdict.rule.line] = "decides"
    for number in sorted(notes):
        mark = ">" if number == verdict.line else " "
        note = f"    <- {notes[number]}" if notes[number] else ""
        say_line(number, lines[number - 1] + note, mark)
    more = len(verdict.beaten) - _MOST_BEATEN
    if more > 0:
        say(f"        and {more} beaten rules more")
    if notes:
        say()
