"""`scrapy robots explain`: the verdict on one URL, with the lines of the file that led to it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from ..lint import readable_lines
from ..rep import Verdict
from ..rep.agents import chain_of
from ..rep.dialects.crawlers import crawler_note
from ..rep.escapes import shown
from ..rep.verdict import refuse
from ..resolver.origin import OriginRules
from .access_table import duration, modes_by_answer
from .arguments import Options, UsageError
from .inputs import Inputs
from .terminal import paint, print_columns, print_json, print_line, print_numbered

_MAX_BEATEN = 12
_MAX_SITEMAPS = 5


def run(options: Options) -> int:
    """0 if the URL is allowed, 1 if not."""
    if len(options.args) != 1:
        raise UsageError(f"explain takes one URL, not {len(options.args)}")
    url = options.args[0]
    inputs = Inputs(options)
    rules = inputs.rules(url)
    verdict = refuse(rules.verdict(url, options.agent), options.purposes)
    if options.as_json:
        print_json(as_json(url, verdict) | _file_as_json(inputs.name(url), rules, options))
    else:
        _print_verdict(url, verdict, options)
        _print_lines(verdict, readable_lines(rules.access.octets))
        _print_file(verdict, rules, inputs.name(url), options)
    return int(not verdict.allowed)


def as_json(url: str, verdict: Verdict) -> dict[str, Any]:
    """A verdict as plain data. Without a rule, `line` is 0 and `rule` is null."""
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
        "usage": [asdict(preference) for preference in verdict.usage],
        "note": crawler_note(verdict.agent),
    }


def _file_as_json(name: str, rules: OriginRules, options: Options) -> dict[str, Any]:
    access = rules.access
    return {
        "robots": name,
        "fetched": access.why,
        "stance": access.mode.value,
        "fresh_for": access.fresh_until - access.entry.asked_at,
        "crawl_delay": rules.crawl_delay(options.agent),
        "visit_times": _visit_times(rules, options),
        "sitemaps": rules.rules.sitemaps if rules.rules else (),
        "looked_for": chain_of(options.agent, options.dialect.agents),
        "stances": modes_by_answer(options.dialect.access),
    }


def _print_verdict(url: str, verdict: Verdict, options: Options) -> None:
    word = paint("allowed", "green") if verdict.allowed else paint("disallowed", "red")
    agent = shown(verdict.agent)
    print_line(shown(url))
    print_line(f"{word} for {agent}, as {options.dialect.name} reads: {verdict.cause}")
    note = crawler_note(verdict.agent)
    if note:
        print_line(f"note: {note}")
    print_line()


def _print_file(verdict: Verdict, rules: OriginRules, name: str, options: Options) -> None:
    """The facts about the file, and how the dialect reads each answer of a site."""
    delay = rules.crawl_delay(options.agent)
    sitemaps = rules.rules.sitemaps if rules.rules else ()
    access = rules.access
    fresh = duration(access.fresh_until - access.entry.asked_at)
    served = f"{name}: {access.why or 'served'}, {len(access.octets):,} octets, fresh for {fresh}"
    rows = [
        ("robots.txt", served),
        ("mode", access.mode.description),
        ("looked for", ", then ".join(chain_of(options.agent, options.dialect.agents))),
        ("group", _group(verdict)),
        ("crawl-delay", duration(delay) if delay is not None else "none that this dialect obeys"),
        *(("visit-time", _obeyed(time, options)) for time in _visit_times(rules, options)),
        *(("usage", str(preference)) for preference in verdict.usage),
        *(("sitemap", sitemap) for sitemap in sitemaps[:_MAX_SITEMAPS]),
    ]
    print_columns(rows)
    if len(sitemaps) > _MAX_SITEMAPS:
        print_line(f"             and {len(sitemaps) - _MAX_SITEMAPS} sitemaps more")
    print_line()
    print_line(f"What {options.dialect.name} does, by the site's answer to /robots.txt:")
    print_columns(modes_by_answer(options.dialect.access).items(), indent="  ")


def _visit_times(rules: OriginRules, options: Options) -> list[str]:
    return [str(time) for time in rules.rules.visit_times(options.agent)] if rules.rules else []


def _obeyed(time: str, options: Options) -> str:
    return time if options.dialect.visit_time else f"{time}, which this dialect does not obey"


def _group(verdict: Verdict) -> str:
    group = verdict.group
    if group is None:
        return "none names the crawler"
    plural = "s" * (len(group.lines) != 1)
    numbers = ", ".join(map(str, group.lines))
    return f"{group.name!r}, line{plural} {numbers}; rules: {len(group.rules)}"


def _print_lines(verdict: Verdict, lines: list[str]) -> None:
    """The lines of the file that count: the User-agent lines, the rule that decides, the rules that
    it beats, and the preferences about the use of the page.
    """
    notes = {preference.line: "about the page's use" for preference in verdict.usage}
    if verdict.group:
        notes |= dict.fromkeys(verdict.group.lines, "")
    notes |= {rule.line: "matches too, is weaker" for rule in verdict.beaten[:_MAX_BEATEN]}
    if verdict.rule:
        notes[verdict.rule.line] = "decides"
    for number in sorted(notes):
        mark = ">" if number == verdict.line else " "
        note = f"    <- {notes[number]}" if notes[number] else ""
        print_numbered(number, lines[number - 1] + note, mark)
    more = len(verdict.beaten) - _MAX_BEATEN
    if more > 0:
        print_line(f"        and {more} beaten rules more")
    if notes:
        print_line()
