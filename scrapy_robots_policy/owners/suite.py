"""`scrapy robots test`: unit tests of robots.txt files.

A suite, in YAML or JSON, says what is expected of a robots.txt:

    robots: robots.txt
    dialects: [rfc9309, google]
    expect:
      - Googlebot may fetch /a
      - nobody may fetch /private/
      - Bingbot may not fetch /b in bing
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import Any

from ..commands.arguments import USE, Arguments, Options, UsageError, read_dialect
from ..commands.printing.terminal import (
    annotation,
    in_full,
    paint,
    paint_verdict,
    print_error,
    print_json,
    print_line,
)
from ..commands.printing.verdict_data import UNREACHABLE, answer_as_json, word_of
from ..commands.reading.download import is_web
from ..commands.reading.inputs import read, read_bytes, robots_txt_of, rules_from
from ..core.decision import decide
from ..core.site import OriginRules
from ..formats import counted
from ..rep import Dialect, FetchResult, Verdict, product_token
from ..rep.access import AccessResult
from ..rep.agents import STAR, names_a_crawler
from ..rep.escapes import brief, nearest, quoted, shown
from ..rep.url import server_forms
from ..rep.usage.preferences import DeclaredUse
from .named_crawlers import named_crawlers

_SENTENCE = re.compile(r"(.+) may (not )?fetch (\S+)(?: in ([\w.-]+(?:, *[\w.-]+)*))?")
_KEYS = ("robots", "dialects", "expect")
_PARTS = ("agent", "url", "allowed", "dialect")
_ALL = {"everybody": True, "nobody": False}
_URL = re.compile(r"/|https?://", re.IGNORECASE)
RulesIn = Callable[[Dialect], OriginRules]  # the rules of one robots.txt in a dialect


@dataclass(frozen=True, slots=True)
class Expectation:
    """One sentence of a suite.

    Attributes:
        agent: a product token; "" for all crawlers.
        allowed: what is expected.
        dialects: the dialects in which it is expected; none: in those of the suite.

    """

    text: str
    line: int
    agent: str
    allowed: bool
    url: str
    dialects: tuple[Dialect, ...]


@dataclass(frozen=True, slots=True)
class Suite:
    """A file of expectations. `robots` is a FILE or URL; "" where it names none."""

    name: str
    robots: str
    dialects: tuple[Dialect, ...]
    expectations: tuple[Expectation, ...]


def read_suite(name: str) -> Suite:
    """Of a FILE, or of "-". UsageError where it cannot be read, or is no suite."""
    if is_web(name):
        raise UsageError(f"{name} is a URL, and a suite is a file; the robots.txt goes to --robots")
    path = Path(name)
    try:
        text = read_bytes(name).decode("utf-8-sig")  # some editors start a file with a mark
    except UnicodeError:
        raise UsageError(f"cannot read {name}: it is not UTF-8") from None
    data, lines = _data(path, text)
    if not isinstance(data, dict) or not isinstance(data.get("expect"), list):
        raise UsageError(f"{name} is no suite: it has no list 'expect'")
    for key in data:
        if key not in _KEYS:
            raise UsageError(f"{name}: a suite has no {_unknown(key, _KEYS)}")
    values = data["expect"]
    places = [f"{name}:{line}" for line in lines] or [name] * len(values)
    lines = lines or [_line_of(value, text) for value in values]
    return Suite(
        name,
        _robots(path, data.get("robots", "")),
        _dialects(name, "dialects", data.get("dialects", [])),
        tuple(_expectation(*item) for item in zip(places, values, lines, strict=True)),
    )


def _data(path: Path, text: str) -> tuple[Any, list[int]]:
    """(what a suite holds, the line of each expectation; none where it is JSON)"""
    if path.suffix.lower() in (".yaml", ".yml"):
        return _from_yaml(path, text)
    try:
        return json.loads(text), []
    except (ValueError, RecursionError) as error:
        raise UsageError(_no_json(path, text, error)) from None


def _from_yaml(path: Path, text: str) -> tuple[Any, list[int]]:
    try:
        import yaml  # noqa: PLC0415 - an extra
    except ImportError:
        raise UsageError(
            f"{path} is YAML, which needs PyYAML: pip install 'scrapy-robots-policy[yaml]'"
        ) from None

    try:
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        data = loader.construct_document(node) if node else None
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # ValueError: 2026-99-99
        raise UsageError(f"{path} is no YAML: {' '.join(str(error).split())}") from None
    pairs = node.value if isinstance(data, dict) else ()
    lists = [value for key, value in pairs if key.value == "expect"]
    is_list = lists and isinstance(lists[-1], yaml.SequenceNode)
    return data, [item.start_mark.line + 1 for item in lists[-1].value] if is_list else []


def _no_json(path: Path, text: str, error: Exception) -> str:
    if text.lstrip().startswith(("{", "[")):
        return f"{path} is no JSON: {error}"
    return f"{path} is no suite (JSON, or YAML in *.yaml); the robots.txt goes to --robots"


def _unknown(key: Any, keys: tuple[str, ...]) -> str:
    """A key in quotes, and the one of `keys` that was probably meant."""
    return quoted(key) + (nearest(key, keys) if isinstance(key, str) else "")


def _robots(suite: Path, robots: Any) -> str:
    """A path in a suite is relative to the suite."""
    if not isinstance(robots, str) or robots == "-":  # --robots may be standard input
        raise UsageError(f"{suite}: 'robots' is {quoted(robots)}; it must be a FILE or a URL")
    return robots if not robots or is_web(robots) else str(suite.parent / robots)


def _dialects(place: str, key: str, names: Any) -> tuple[Dialect, ...]:
    """UsageError names `place`, the file with or without its line, and the key."""
    listing = [names] if isinstance(names, str) else names
    if not (isinstance(listing, list) and all(isinstance(item, str) for item in listing)):
        raise UsageError(f"{place}: {key!r} is {quoted(names)}; it must be a list of names")
    return tuple(read_dialect(f"{place}: a dialect", dialect) for dialect in listing)


def _expectation(place: str, value: Any, line: int) -> Expectation:
    """From a sentence, as people write it, or from its parts, as the tester saves them."""
    if isinstance(value, dict):
        return _from_parts(place, value, line)
    sentence = _SENTENCE.fullmatch(value.strip()) if isinstance(value, str) else None
    if not sentence or not _URL.match(sentence[3]):
        raise UsageError(
            f"{place}: {quoted(value)} is no expectation; write one such as "
            "'Googlebot may fetch /a', 'nobody may fetch /b in google, bing'"
        )
    who, is_not, url, dialects = sentence.groups()
    if who.lower() == "nobody" and is_not:
        raise UsageError(f"{place}: {value!r}: write 'everybody may fetch {url}'")
    agent = "" if who.lower() in _ALL else product_token(who)
    names = [dialect.strip() for dialect in dialects.split(",")] if dialects else []
    chosen = _dialects(place, "in", names)
    if agent not in ("", STAR) and not _names_a_crawler(agent, chosen):
        raise UsageError(f"{place}: {value!r}: {who!r} names no crawler")
    allowed = not is_not and _ALL.get(who.lower(), True)
    return Expectation(value.strip(), line, agent, allowed, url, chosen)


def _from_parts(place: str, parts: dict[str, Any], line: int) -> Expectation:
    """The agent may be any User-Agent header: one that names no crawler is "*", as in a crawl."""
    agent, url, allowed = (parts.get(key) for key in ("agent", "url", "allowed"))
    if not (isinstance(agent, str) and isinstance(url, str) and isinstance(allowed, bool)):
        raise UsageError(
            f"{place}: {quoted(parts)} is no expectation: it needs agent, url and allowed"
        )
    for key in parts:
        if key not in _PARTS:
            raise UsageError(f"{place}: an expectation has no {_unknown(key, _PARTS)}")
    chosen = _dialects(place, "dialect", parts.get("dialect") or [])
    token = product_token(agent)
    token = token if _names_a_crawler(token, chosen) else STAR
    sentence = f"{agent} may {'' if allowed else 'not '}fetch {url}"
    return Expectation(sentence, line, token, allowed, url, chosen)


def _names_a_crawler(token: str, dialects: tuple[Dialect, ...]) -> bool:
    agents = {key: one for dialect in dialects for key, one in dialect.agents.items()}
    return names_a_crawler(token, agents)


def _line_of(value: Any, text: str) -> int:
    """The line of an expectation in JSON: that of its text, or of its URL."""
    part = json.dumps(value.get("url") if isinstance(value, dict) else value, ensure_ascii=False)
    return text.count("\n", 0, max(text.find(part), 0)) + 1


def unmet(
    expectation: Expectation, rules_in: RulesIn, dialects: tuple[Dialect, ...], use: DeclaredUse
) -> Iterator[Verdict]:
    """The verdicts that are not as expected: one for each dialect, that of the first crawler."""
    for dialect in expectation.dialects or dialects:
        rules = rules_in(dialect)
        agents = [expectation.agent]
        if not expectation.agent:
            agents = named_crawlers("the robots.txt", rules.access.body, dialect)
        forms = server_forms(expectation.url)
        verdicts = (decide(forms, rules, agent, use) for agent in agents)
        wrong = (verdict for verdict in verdicts if verdict.allowed is not expectation.allowed)
        yield from islice(wrong, 1)


def as_json(suite: Suite, expectation: Expectation, wrong: list[Verdict]) -> Mapping[str, Any]:
    return {
        "suite": suite.name,
        "line": expectation.line,
        "expectation": expectation.text,
        "holds": not wrong,
        "answers": [answer_as_json(expectation.url, verdict) for verdict in wrong],
    }


ARGUMENTS = Arguments(
    "SUITE ...",
    ("--robots", "--dialect", *USE, "--timeout"),
    ("text", "json", "github"),
    (
        "0 all expectations hold",
        "1 one does not",
        "2 a suite cannot be read, or a wrong command line",
        "3 a robots.txt is unreachable",
    ),
    ("test suite.yaml", "test suite.yaml --robots https://example.com/robots.txt"),
    {
        "--robots": "the robots.txt (default: the one that the suite names)",
        "--dialect": "the dialect to read in (default: those of the suite, else the project's, "
        "else rfc9309)",
    },
)


def run(options: Options) -> int:
    """0 all expectations hold; 1 one does not; 3 a robots.txt is unreachable."""
    options = options.asking_all()
    if not options.args:
        raise UsageError("test needs a SUITE: a file in YAML or JSON")
    files: dict[str, tuple[FetchResult, RulesIn]] = {}
    holding = failing = unchecked = 0
    is_unreachable = False
    for suite in map(read_suite, options.args):
        robots = options.robots or suite.robots
        if not robots:
            raise UsageError(f"{suite.name} names no robots.txt: name it with --robots")
        robots = robots_txt_of(robots)
        if robots not in files:
            result = read(robots, options)
            files[robots] = result, cache(partial(rules_from, "", result))
        result, rules_in = files[robots]
        if is_web(robots) and _is_unreachable(rules_in, _dialects_asked(suite, options)):
            print_error(f"{robots} is unreachable ({result.status or in_full(result.cause)})")
            is_unreachable = True
            unchecked += len(suite.expectations)
            continue
        for expectation in suite.expectations:
            is_met = _check(suite, expectation, rules_in, options)
            holding, failing = holding + is_met, failing + (not is_met)
    if not options.output_format or options.output_format == "text":
        _print_sums(holding, failing, unchecked)
    return UNREACHABLE if is_unreachable else int(failing > 0)


def _dialects_asked(suite: Suite, options: Options) -> tuple[Dialect, ...]:
    """Those of the suite; the command line is stronger."""
    return (options.dialect,) if options.named_dialect or not suite.dialects else suite.dialects


def _is_unreachable(rules_in: RulesIn, dialects: tuple[Dialect, ...]) -> bool:
    """Whether a dialect takes the file for unreachable: after a 503 `yandex` allows all."""
    return any(rules_in(one).access.result is AccessResult.UNREACHABLE for one in dialects)


def _check(suite: Suite, expectation: Expectation, rules_in: RulesIn, options: Options) -> bool:
    asked = _dialects_asked(suite, options)
    wrong = list(unmet(expectation, rules_in, asked, options.use))
    if options.as_json:
        print_json(as_json(suite, expectation, wrong))
    elif wrong and options.output_format == "github":
        answers = "; ".join(map(_answer, wrong))
        title, line = expectation.text, expectation.line
        print_line(annotation("error", answers, title=title, file=suite.name, line=line))
    elif wrong:
        _print(suite, expectation, wrong)
    return not wrong


def _answer(verdict: Verdict, painted: Callable[[str], str] = str) -> str:
    word = painted(word_of(verdict))
    return f"{verdict.dialect}: {word} for {brief(verdict.agent)}: {verdict.cause}"


def _print(suite: Suite, expectation: Expectation, wrong: list[Verdict]) -> None:
    print_line(f"{shown(suite.name)}:{expectation.line}: {shown(expectation.text)}")
    for verdict in wrong:
        print_line(f"    {_answer(verdict, paint_verdict)}")


def _print_sums(holding: int, failing: int, unchecked: int) -> None:
    line = f"{counted(holding, 'expectation')} hold{'s' * (holding == 1)}"
    if failing:
        line += ", " + paint(f"{failing:,} do{'es' * (failing == 1)} not", "red")
    if unchecked:
        were = "was" if unchecked == 1 else "were"
        line += ", " + paint(f"{unchecked:,} {were} not checked", "red")
    print_line(line)
