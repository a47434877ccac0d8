"""`scrapy robots explain`: the verdict on one URL, with the lines of the file that led to it."""

from __future__ import annotations

from typing import Any

from ...core.decision import decide
from ...core.site import OriginRules
from ...formats import counted
from ...rep import Verdict
from ...rep.access import Access, AccessResult
from ...rep.agents import chain_of, crawler_note
from ...rep.escapes import shortened, shown
from ...rep.text import readable_lines
from ...rep.url import path_of, server_forms
from ...rep.usage.answer import UseAnswer
from ...rep.usage.preferences import Preference
from ..arguments import (
    READING,
    UNREADABLE,
    USE,
    Arguments,
    Options,
    UsageError,
)
from ..printing.terminal import (
    in_full,
    paint_verdict,
    print_columns,
    print_json,
    print_line,
    print_numbered,
)
from ..printing.verdict_data import (
    MAX_FACT,
    UNREACHABLE,
    duration,
    in_seconds,
    is_unreachable,
    modes_by_answer,
    tdmrep_state,
    use_facts,
    uses_as_json,
    uses_with_page,
    verdict_as_json,
    word_of,
)
from ..reading.download import is_web
from ..reading.inputs import Inputs, in_words, warn_of_overrides

_MAX_BEATEN = 12
_MAX_LINES = 100  # of User-agent lines, and of preferences
_MAX_SITEMAPS = 5
_ABOUT_USE = "about the page's use"

ARGUMENTS = Arguments(
    "URL",
    (*READING, *USE, "--tdmrep", "--page", "--statuses", "--timeout"),
    ("text", "json"),
    (
        "0 the URL is allowed",
        "1 it is not, or its page refuses the declared use",
        UNREADABLE,
        "3 the robots.txt is unreachable, so nothing is allowed",
    ),
    ("explain https://example.com/a", "explain --robots robots.txt --agent Bingbot /a"),
)


def run(options: Options) -> int:
    """0 if the URL is allowed, 1 if not, 3 if nothing is allowed because no robots.txt came."""
    if len(options.args) != 1:
        raise UsageError(f"explain takes one URL, not {len(options.args)}")
    url = options.checked_urls()[0]
    inputs = Inputs(options)
    rules = inputs.rules(url)
    if rules.origin:
        warn_of_overrides(rules.origin, options)
    forms, asker = server_forms(url), (options.agent, options.use)
    verdict = decide(forms, rules, *asker)
    decisive = next((one for one in forms if not decide((one,), rules, *asker).allowed), url)
    of_page = _preferences_of_page(url, options)
    uses = uses_with_page(verdict, rules, url, options.use, of_page)
    if options.as_json:
        file = _file_as_json(inputs.name(url), rules, options)
        print_json(verdict_as_json(url, verdict) | file | uses_as_json(uses))
    else:
        _print_verdict(url, decisive, verdict, uses, options)
        print_line()
        _print_lines(verdict, readable_lines(rules.access.body))
        _print_uses(uses)
        _print_file(verdict, rules, inputs.name(url), options)
    is_refused = not verdict.allowed or uses.refused is not None
    return UNREACHABLE if is_unreachable(verdict) else int(is_refused)


def _preferences_of_page(url: str, options: Options) -> tuple[Preference, ...]:
    """What the saved page says, where one is named."""
    if not options.page:
        return ()
    from ..reading.saved_page import preferences_in  # noqa: PLC0415 - it loads Scrapy

    return preferences_in(options.page, url, options.agent, options.dialect)


def _file_as_json(name: str, rules: OriginRules, options: Options) -> dict[str, Any]:
    access = rules.access
    return {
        "robots": name,
        "fetched": access.why,
        "mode": access.mode.value,
        "fresh_for": access.fresh_until - access.entry.asked_at,
        "crawl_delay": rules.crawl_delay(options.agent),
        "sitemaps": rules.sitemaps,
        "looked_for": chain_of(options.agent, options.dialect.agents),
        "modes": modes_by_answer(options.dialect.access),
    }


def _print_verdict(
    url: str, decisive: str, verdict: Verdict, uses: UseAnswer, options: Options
) -> None:
    word = paint_verdict(word_of(verdict))
    agent = shown(verdict.agent)
    print_line(shown(url))
    print_line(f"{word} for {agent}, as {options.dialect.name} reads: {verdict.cause}")
    if decisive != url:
        path = shown(path_of(decisive))
        print_line(f"note: a server may read the path as {path}; the stricter answer counts")
    note = crawler_note(verdict.agent)
    if note:
        print_line(f"note: {note}")
    if verdict.allowed and uses.refused is not None:
        print_line(f"note: the page is fetched, but its items are dropped: {uses.refused}")


def _print_file(verdict: Verdict, rules: OriginRules, name: str, options: Options) -> None:
    """The facts about the file, and how the dialect reads each answer of a site."""
    delay = rules.crawl_delay(options.agent)
    sitemaps = rules.sitemaps
    rows = [
        ("robots.txt", f"{in_words(name)}: {_served(name, rules.access)}"),
        ("mode", rules.access.effect),
        ("looked for", ", then ".join(chain_of(options.agent, options.dialect.agents))),
        ("group", _group(verdict)),
        ("crawl-delay", in_seconds(delay) if delay is not None else "none that this dialect obeys"),
        *([] if rules.tdmrep is None else [("tdmrep.json", tdmrep_state(rules.tdmrep))]),
        *(("sitemap", shortened(sitemap, MAX_FACT)) for sitemap in sitemaps[:_MAX_SITEMAPS]),
    ]
    print_columns(rows)
    if len(sitemaps) > _MAX_SITEMAPS:
        print_line(f"             and {counted(len(sitemaps) - _MAX_SITEMAPS, 'sitemap')} more")
    if options.statuses or is_web(name):
        _print_statuses(options)


def _served(name: str, access: Access) -> str:
    """What a site answered, or what a local file is."""
    size = f"{len(access.body):,} bytes"
    if not is_web(name):
        return size
    is_answer = access.result is not AccessResult.UNREACHABLE
    life = "fresh for" if is_answer else "requested again after"
    seconds = access.fresh_until - access.entry.asked_at
    return f"{in_full(access.why) or 'served'}, {size}, {life} {duration(seconds)}"


def _print_statuses(options: Options) -> None:
    """What the dialect does for each answer. For a local file: if that is asked for."""
    print_line()
    print_line(f"What {options.dialect.name} does, by the site's answer to /robots.txt:")
    print_columns(modes_by_answer(options.dialect.access).items(), indent="  ")


def _print_uses(uses: UseAnswer) -> None:
    rows = use_facts(uses)
    if rows:
        print_columns(rows)
        print_line()


def _group(verdict: Verdict) -> str:
    group = verdict.group
    if group is None:
        return "none names the crawler"
    plural = "s" * (len(group.lines) != 1)
    numbers = ", ".join(map(str, group.lines[:_MAX_LINES]))
    more = len(group.lines) - _MAX_LINES
    and_more = f" and {more:,} more" if more > 0 else ""
    return f"{group.name!r}, line{plural} {numbers}{and_more}; rules: {len(group.rules)}"


def _print_lines(verdict: Verdict, lines: list[str]) -> None:
    """The lines of the file that count: the User-agent lines, the rule that decides, the rules that
    it beats, and the preferences about the use of the page.
    """
    uses = [use.robots_line for use in verdict.usage if use.robots_line]
    agents = verdict.group.lines if verdict.group else ()
    beaten = [rule.line for rule in verdict.beaten]
    notes = dict.fromkeys(uses[:_MAX_LINES], _ABOUT_USE)
    notes |= dict.fromkeys(agents[:_MAX_LINES], "")
    notes |= dict.fromkeys(beaten[:_MAX_BEATEN], "matches too, is weaker")
    if verdict.line:
        notes[verdict.line] = "decides" if verdict.rule else _ABOUT_USE
    for number in sorted(notes):
        mark = ">" if number == verdict.line else " "
        print_numbered(number, lines[number - 1], mark, notes[number])
    _print_more(len(agents) - _MAX_LINES, "User-agent line")
    _print_more(len(beaten) - _MAX_BEATEN, "beaten rule")
    _print_more(len(uses) - _MAX_LINES, "preference")
    if notes:
        print_line()


def _print_more(count: int, noun: str) -> None:
    if count > 0:
        print_line(f"        and {counted(count, noun)} more")
