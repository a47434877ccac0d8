"""`scrapy robots test`: unit tests of robots.txt files. Its SUITEs are read in `expectations`."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

from ...rep import Dialect, FetchResult, Verdict
from ...rep.access import AccessResult
from ...rep.escapes import brief, shown
from ...report.formats import counted
from ..arguments import Options, UsageError
from ..printing.causes_in_full import in_full
from ..printing.terminal import paint, paint_verdict, print_error, print_json, print_line
from ..printing.verdict_data import word_of
from ..printing.workflow import annotation
from ..reading.download import is_web
from ..reading.expectations import Expectation, RulesIn, Suite, as_json, read_suite, unmet
from ..reading.inputs import read, robots_txt_of, rules_from

UNREACHABLE = 3


def run(options: Options) -> int:
    """0 all expectations hold; 1 one does not; 3 a robots.txt is unreachable."""
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
        if is_web(robots) and _is_unreachable(rules_in, _dialects(suite, options)):
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


def _dialects(suite: Suite, options: Options) -> tuple[Dialect, ...]:
    """Those of the suite; the command line is stronger."""
    return (options.dialect,) if options.named_dialect or not suite.dialects else suite.dialects


def _is_unreachable(rules_in: RulesIn, dialects: tuple[Dialect, ...]) -> bool:
    """Whether a dialect takes the file for unreachable: after a 503 `yandex` allows all."""
    return any(rules_in(one).access.result is AccessResult.UNREACHABLE for one in dialects)


def _check(suite: Suite, expectation: Expectation, rules_in: RulesIn, options: Options) -> bool:
    wrong = list(unmet(expectation, rules_in, _dialects(suite, options)))
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
