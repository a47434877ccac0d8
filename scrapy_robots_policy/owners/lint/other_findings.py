"""Findings about lines that are no rules: Sitemap, Content-Usage, Content-Signal and License
lines; and about how a site serves its robots.txt.

The rules of the file itself say whether a sitemap may be fetched. `rep.usage` reads what a site
says about the use of pages; there is no second parser here.

And findings about engines: lines that a crawler ignores, and URLs about which engines disagree. The
engines themselves are asked. The path of each rule is asked about as if it were a URL; which option
makes the difference is found by changing options.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from ...rep.access import AccessMode, FetchResult, judge, remember
from ...rep.agents import STAR, find_agent, product_token
from ...rep.delay import seconds
from ...rep.dialect import Dialect
from ...rep.engines import DIALECTS, Cause, cause, with_values
from ...rep.escapes import listed
from ...rep.groups import Groups
from ...rep.rules import RuleSet
from ...rep.text import grammar_of
from ...rep.url import Origin, host_of_origin, origin_of, readable
from ...rep.usage.preferences import (
    CONTENT_SIGNAL,
    CONTENT_USAGE,
    LABELS,
    LEVELS,
    LICENSE,
    PURPOSES,
    USE,
    VOCAB,
    Preference,
    combined,
)
from ...rep.usage.values import read_value, split_value
from ...rep.verdict import Rule
from .file_findings import has_two_words
from .findings import Finding, quoted
from .group_findings import all_disallowed
from .habits import SITE, SOMEBODY, has_wildcards, reads_allow, reads_delays, reads_first_only
from .rule_findings import meant_path
from .source_file import SourceFile, Span, and_others, whole


def addresses(source: SourceFile) -> Iterator[Finding]:
    for line in source.sitemaps:
        if _origin(line) is None:
            yield _incomplete(source, line) if line[1] else _without_address(source, line)


def _without_address(source: SourceFile, line: re.Match[str]) -> Finding:
    return source.finding(
        "R501",
        whole(line),
        "the line names no sitemap: its value is what stands on the line itself",
        "write the whole URL on this line, or remove the line",
    )


def _incomplete(source: SourceFile, line: re.Match[str]) -> Finding:
    directive = source.grammar.directive.match(source.text, line.start())
    has_no_colon = directive is not None and has_two_words(directive[1])
    return source.finding(
        "R501",
        line.span(1),
        f"{quoted(line[1])} is no whole URL: engines do not resolve it",
        "put a colon after the key: the first one of the line ends the key"
        if has_no_colon
        else "write https://, the host, and the path",
    )


def disallowed(source: SourceFile) -> Iterator[Finding]:
    """Sitemaps of the file's own host that crawlers without a group may not fetch. Where these
    crawlers are kept out of the whole site, R307 says so: the sitemap is for the others.
    """
    if any(all_disallowed(source)):
        return
    sitemaps = [(line, _origin(line)) for line in source.sitemaps]
    host = _own_host(source, [origin for _, origin in sitemaps if origin])
    own = [line for line, origin in sitemaps if origin and _host(origin) == host]
    for line in own[: source.max_questions]:
        if not source.rules.allowed(readable(line[1]), SOMEBODY):
            yield source.finding(
                "R508",
                line.span(1),
                f"the rules for all crawlers forbid {quoted(line[1])}",
                "allow its path, or move the sitemap",
            )


def _own_host(source: SourceFile, origins: list[Origin]) -> str:
    """The host whose robots.txt this is; "" where that cannot be seen, as in a file that names
    sitemaps of several hosts.
    """
    own = origin_of(source.url)
    if own:
        return _host(own)
    hosts = {_host(origin) for origin in origins}
    return hosts.pop() if len(hosts) == 1 else ""


def _origin(line: re.Match[str]) -> Origin | None:
    """The origin of the sitemap that a line names; None where it names no whole URL."""
    return origin_of(readable(line[1]))


def _host(origin: Origin) -> str:
    return host_of_origin(origin).removeprefix("www.")


_PLAIN = "text/plain"


def served(source: SourceFile, result: FetchResult) -> Iterator[Finding]:
    span = source.span_of_line(1)
    if result.hops:
        yield source.finding("R109", span, *_redirected(result))
    if result.status is not None and not 200 <= result.status < 300:
        is_error = result.status >= 500 or result.status == 429
        yield source.finding("R110" if is_error else "R111", span, *_without_file(result))
    elif result.media_type not in ("", _PLAIN):
        yield source.finding(
            "R108",
            span,
            f"the type of the file is {quoted(result.media_type)}, not {_PLAIN}",
            f"send the header Content-Type: {_PLAIN}; charset=utf-8",
        )


def _redirected(result: FetchResult) -> tuple[str, str, tuple[str, ...]]:
    count = len(result.hops)
    fewer = tuple(d.name for d in DIALECTS.values() if d.access.redirects < count)
    but = f"; {listed(fewer)} follow fewer" if fewer else ""
    return (
        f"{count} redirect{'s' * (count > 1)} to {quoted(result.hops[-1])}{but}",
        "serve the file at /robots.txt itself",
        fewer,
    )


def _without_file(result: FetchResult) -> tuple[str, str]:
    modes: dict[AccessMode, list[str]] = {}
    for dialect in DIALECTS.values():
        mode = judge(remember(None, result, 0.0), 0.0, dialect.access).mode
        modes.setdefault(mode, []).append(dialect.name)
    each = "; ".join(f"{mode.description} in {listed(names)}" for mode, names in modes.items())
    return f"the site answers with status {result.status}: {each}", "answer with the file"


_EXAMPLES = {CONTENT_USAGE: "train-ai=n, search=y", CONTENT_SIGNAL: "ai-train=no, search=yes"}
_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:.")  # RFC 3986 §3.1: it starts with a scheme


def _labelled_lines(
    source: SourceFile, span: Span | None = None
) -> Iterator[tuple[str, re.Match[str]]]:
    """The lines about the use of pages, each with its label."""
    for line in source.directives(span):
        label = LABELS.get(line[1].lower(), LICENSE)
        if label != LICENSE:
            yield label, line


def _span(line: re.Match[str]) -> Span:
    """The value of a line; its key where there is no value."""
    return line.span(2) if line[2] else line.span(1)


def unreadable(source: SourceFile) -> Iterator[Finding]:
    for label, line in _labelled_lines(source):
        _, value = split_value(label, line[2])
        if not any(read_value(label, value)):
            kind = "dictionary (RFC 9651)" if label == CONTENT_USAGE else "list of keys and values"
            yield source.finding(
                "R504",
                _span(line),
                f"{quoted(value)} is no {kind}: the line has no effect",
                f"write keys and values, such as {label}: {_EXAMPLES[label]}",
            )


def relative_licences(source: SourceFile) -> Iterator[Finding]:
    for line in source.directives():
        if LABELS.get(line[1].lower()) == LICENSE and not _ABSOLUTE.match(line[2]):
            yield source.finding(
                "R503",
                _span(line),
                f"{quoted(line[2])} is no whole URL: nobody knows which licence is meant",
                "write https://, the host, and the path",
            )


def unknown(source: SourceFile) -> Iterator[Finding]:
    for label, line in _labelled_lines(source):
        _, value = split_value(label, line[2])
        preferences = [Preference(label, key, value) for key, value in read_value(label, value)]
        why = next(filter(None, map(_why_unknown, preferences)), "")
        if why:
            yield source.finding("R507", _span(line), why)


_ALL_KEYS = {pair for pairs in PURPOSES.values() for pair in pairs} | {(CONTENT_SIGNAL, USE)}
_KEYS = {
    label: sorted(key for other, key in _ALL_KEYS if other == label) for label in LABELS.values()
}
# Labels of earlier drafts of aipref-vocab.
_RETIRED = frozenset({"ai", "ai-output", "all", "bots", "genai", "inference", "tdm", "train-genai"})


def _why_unknown(preference: Preference) -> str:
    """What keeps a preference from being obeyed; "" where nothing does."""
    keys = _KEYS[preference.label]
    if preference.label == CONTENT_USAGE and preference.key in _RETIRED:
        return (
            f"{quoted(preference.key)} is a label of earlier drafts: readers of {VOCAB} ignore it; "
            f"{CONTENT_USAGE} has {listed(keys)}"
        )
    if preference.key not in keys:
        return (
            f"{quoted(preference.key)} is no use known here; {preference.label} has {listed(keys)}"
        )
    if preference.label == CONTENT_SIGNAL and preference.key == USE:
        if preference.level >= 0:
            return ""
        return f"{quoted(preference.value)} of {USE} is no level; the levels are {listed(LEVELS)}"
    if not preference.refuses and not preference.grants:
        return f"{quoted(preference.value)} of {preference.key} neither grants nor refuses anything"
    return ""


def _outside(source: SourceFile) -> Iterator[Span]:
    """The parts of the text outside all groups."""
    return Groups(source.text, source.dialect).outside()


def outside(source: SourceFile) -> Iterator[Finding]:
    for span in _outside(source):
        for line in source.directives(span):
            if LABELS.get(line[1].lower()) == CONTENT_USAGE:
                yield source.finding(
                    "R505",
                    (line.start(1), line.end(2)),
                    f"no User-agent line stands before this {CONTENT_USAGE}: it binds nobody",
                    "put it below User-agent: *",
                )


def conflicts(source: SourceFile) -> Iterator[Finding]:
    """Lines for the same crawlers that contradict each other: those of groups that name the same
    crawlers, and those outside all groups.
    """
    contradicted: dict[Preference, int] = {}
    for lines in _lines_of_groups(source):
        uses: dict[tuple[str, str, str], list[Preference]] = {}
        for label, path, preference in lines:
            uses.setdefault((label, path, preference.key), []).append(preference)
        for same_use in uses.values():
            (obeyed,) = combined(same_use)
            contradicted |= {use: obeyed.line for use in same_use if use.value != obeyed.value}
    by_line: dict[int, list[tuple[Preference, int]]] = {}
    for weaker, number in contradicted.items():
        by_line.setdefault(weaker.line, []).append((weaker, number))
    for line, ((weaker, number), *others) in sorted(by_line.items()):
        more = f" (and of {len(others):,} more)" if others else ""
        yield source.finding(
            "R506",
            source.span_of_line(line),
            f"line {number} says otherwise of {quoted(weaker.key)}{more} for that path, "
            "and is obeyed",
            "keep one of the two",
        )


# label, path, preference
_Use = tuple[str, str, Preference]


def _lines_of_groups(source: SourceFile) -> list[list[_Use]]:
    """The lines outside all groups, and for each set of crawlers those of its groups that bind."""
    uses_of: dict[frozenset[str], list[_Use]] = {}
    starts = [agent_list.lines[0].start() for agent_list in source.lists]
    first: dict[str, int] = {}  # by name, the number of the first group that has it
    for agent_list in source.lists_parted_by(source.grammar.closer, source.grammar.usage):
        start = agent_list.lines[0].start()
        names = frozenset(line[2].lower() for line in agent_list.lines)
        number = bisect_right(starts, start)
        for name in names:
            first.setdefault(name, number)
        if any(
            first[name] == number or not reads_first_only(source.dialect, name) for name in names
        ):
            span = start, source.end_of(agent_list)
            uses_of.setdefault(names, []).extend(_uses(source, span))
    outside = [use for span in _outside(source) for use in _uses(source, span)]
    return [[use for use in outside if use[0] == CONTENT_SIGNAL], *uses_of.values()]


def _uses(source: SourceFile, span: Span) -> Iterator[_Use]:
    for label, line in _labelled_lines(source, span):
        path, value = split_value(label, line[2])
        number = source.line_of(line)
        for key, written in read_value(label, value):
            yield label, path, Preference(label, key, written, number)


OTHERS = (
    addresses,
    disallowed,
    unreadable,
    relative_licences,
    unknown,
    outside,
    conflicts,
)
_MAY_GO = "it may be removed, unless it is the only line between two User-agent lines"
_OF_THE_PAGE = "a page leaves an index by a noindex of its own (meta tag, X-Robots-Tag) and no rule"
_RETIRED_LINES = {  # the message and the fix
    "noindex": (
        "no engine reads Noindex: Google, the last, stopped in September 2019",
        f"{_MAY_GO}; {_OF_THE_PAGE}",
    ),
    "host": ("no engine reads Host: Yandex, the only one that did, stopped in 2018", _MAY_GO),
}
_STANDARD = Dialect("as the standard has it")
_MAX_CAUSES = 8  # looked for in each dialect
_MAX_BYTES = 30_000_000  # read to find where dialects disagree, and why; some 5 s
_DAY = 24 * 3600
_LONG_DELAY = 3600  # seconds


def bad_values(source: SourceFile) -> Iterator[Finding]:
    for line in source.directives():
        value = line[2]
        if line[1].lower() == "crawl-delay" and seconds(value) is None:
            yield source.finding(
                "R503",
                line.span(2) if value else whole(line),
                f"{quoted(value)} is no number of seconds",
                "write a number, such as Crawl-delay: 10",
            )


def long_delays(source: SourceFile) -> Iterator[Finding]:
    for line in source.directives():
        delay = seconds(line[2]) if line[1].lower() == "crawl-delay" else None
        if delay is not None and delay >= _LONG_DELAY:
            pages = f"{_DAY // delay:.0f} pages" if delay <= _DAY / 2 else "1 page"
            yield source.finding(
                "R510",
                line.span(2),
                f"one page in {delay:,.0f} seconds is at most {pages} a day",
                "write the delay in seconds, such as Crawl-delay: 10",
            )


def retired(source: SourceFile) -> Iterator[Finding]:
    """Lines that no engine reads any longer; one finding for all of a kind."""
    lines: dict[str, list[re.Match[str]]] = {}
    for line in source.directives():
        if line[1].lower() in _RETIRED_LINES:
            lines.setdefault(line[1].lower(), []).append(line)
    for key, (first, *others) in lines.items():
        message, fix = _RETIRED_LINES[key]
        message += and_others(source, "line", others)
        yield source.finding("R502", first.span(1), message, fix)


def ignored(source: SourceFile) -> Iterator[Finding]:
    """Lines in the group of a crawler whose engine does not read them."""
    for lines, start, end in source.lists:
        for dialect, name in _engines(lines).items():
            for line in source.directives((start, end)):
                why = _why_ignored(line, dialect)
                if why:
                    yield source.finding(
                        "R502",
                        (line.start(1), line.end(2)),
                        f"{name} does not read this: {why}",
                        "put it in a group of crawlers that read it; for others it may stay here",
                        (dialect.name,),
                    )


def _engines(lines: list[re.Match[str]]) -> dict[Dialect, str]:
    """The engines that a list of User-agent lines names, each with the crawler that is named."""
    agents = (find_agent(product_token(line[1])) for line in lines)
    return {DIALECTS[agent.dialect]: agent.name for agent in agents if agent}


def _why_ignored(line: re.Match[str], dialect: Dialect) -> str:
    key, value = line[1].lower(), line[2]
    is_read = {
        "crawl-delay": reads_delays(dialect),
        "request-rate": False,
        "visit-time": False,
        "allow": reads_allow(dialect),
    }
    if not is_read.get(key, True):
        return f"{dialect.name} knows no {key.capitalize()}"
    is_rule = key in ("allow", "disallow")
    if is_rule and not has_wildcards(dialect) and ("*" in value or value.endswith("$")):
        return f"{dialect.name} knows no wildcards"
    return ""


@dataclass
class _Dispute:
    """One cause of disagreement, the lines of the rules it is about, and who disagrees."""

    why: Cause
    rule: Rule
    url: str
    rules: set[int]
    dialects: list[str]


def disagreements(source: SourceFile) -> Iterator[Finding]:
    """Where dialects disagree on the paths of the file's own rules, for a crawler without a group.

    Of a large file, the first rules are looked at: each question reads the whole file again.
    """
    answered = max(1, _MAX_BYTES // (1 + len(source.others) * len(source.body)))
    rules = [rule for group in source.groups if STAR in group.names for rule in group.rules]
    probes = [(rule, SITE + meant_path(rule.path)) for rule in rules if rule.path][:answered]
    disputes: dict[tuple[str, ...], list[_Dispute]] = {}
    budget = _Budget(_MAX_BYTES // (1 + len(source.body)))
    for other in source.others:
        theirs = RuleSet(source.body, other)
        for dispute in _disputes(source, theirs, probes, budget):
            same_cause = disputes.setdefault(tuple(dispute.why.options), [])
            # The option may have another value here, which decides otherwise about that URL.
            joined = next((one for one in same_cause if _disagree(source, theirs, one.url)), None)
            if joined is None:
                same_cause.append(dispute)
            else:
                joined.rules |= dispute.rules
                joined.dialects += dispute.dialects
    for dispute in chain.from_iterable(disputes.values()):
        yield _disagreement(source, dispute)


def _disagree(source: SourceFile, theirs: RuleSet, url: str) -> bool:
    return source.rules.allowed(url, SOMEBODY) is not theirs.allowed(url, SOMEBODY)


class _Budget:
    """How often the whole file may still be read to find a cause."""

    def __init__(self, left: int) -> None:
        self.left = left


def _disputes(
    source: SourceFile, theirs: RuleSet, probes: list[tuple[Rule, str]], budget: _Budget
) -> Iterator[_Dispute]:
    causes: list[tuple[_Dispute, RuleSet]] = []
    for rule, url in probes:
        if not _disagree(source, theirs, url):
            continue
        answer = theirs.allowed(url, SOMEBODY)
        same_cause = next(
            (d for d, changed in causes if changed.allowed(url, SOMEBODY) is answer), None
        )
        if same_cause:
            same_cause.rules.add(rule.line)
        elif len(causes) < _MAX_CAUSES and budget.left >= 0:
            dispute = _dispute(source, theirs.dialect, rule, url, budget)
            changed = with_values(source.dialect, dispute.why.options)
            causes.append((dispute, RuleSet(source.body, changed)))
    return (dispute for dispute, _ in causes)


def _dispute(source: SourceFile, other: Dialect, rule: Rule, url: str, budget: _Budget) -> _Dispute:
    def ask(dialect: Dialect) -> bool:
        budget.left -= 1
        return RuleSet(source.body, dialect).allowed(url, SOMEBODY)

    why = cause(ask, source.dialect, other)
    assert why is not None  # they disagree on it
    if not why.together:  # one option is as good as another: the first
        why = Cause(dict(list(why.options.items())[:1]))
    return _Dispute(why, rule, url, {rule.line}, [other.name])


def _disagreement(source: SourceFile, dispute: _Dispute) -> Finding:
    path = dispute.url.removeprefix(SITE)
    answers = ("allowed", "refused")
    here, there = answers if source.rules.allowed(dispute.url, SOMEBODY) else answers[::-1]
    more = len(dispute.rules) - 1
    others = f", and {more} more rule{'s' * (more > 1)}" if more else ""
    return source.finding(
        "R601",
        source.span_of_value(dispute.rule.line),
        f"{quoted(path)} is {here} in {source.dialect.name}, but {there} in "
        f"{listed(dispute.dialects)} ({dispute.why}){others}",
        "",
        tuple(dispute.dialects),
    )


def readers(source: SourceFile) -> Iterator[Finding]:
    """Lines in another form than the standard's, which only some engines read."""
    for line in source.lines:
        kind = _kind(source.dialect, line[0])
        if not kind or _kind(_STANDARD, line[0]):
            continue
        reading = [dialect.name for dialect in source.dialects if _kind(dialect, line[0]) == kind]
        yield source.finding(
            "R602",
            whole(line),
            f"no engine but {listed(reading)} reads this line",
            "spell it User-agent:, Allow:, Disallow: or Sitemap:",
            tuple(dialect.name for dialect in source.dialects if dialect.name not in reading),
        )


def _kind(dialect: Dialect, line: str) -> str:
    grammar = grammar_of(dialect)
    kinds = {"agent": grammar.agent, "rule": grammar.rule, "sitemap": grammar.sitemap}
    return next((kind for kind, expression in kinds.items() if expression.match(line)), "")


ENGINES = (bad_values, long_delays, retired, ignored, readers)
