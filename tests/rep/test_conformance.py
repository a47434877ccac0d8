"""Every dialect answers what its sources say: the data of tests/conformance, one driver."""

from __future__ import annotations

import json
import re

import pytest
from jsonschema import Draft202012Validator

from scrapy_robots_policy.rep import DIALECTS, advance, parse
from scrapy_robots_policy.rep.dialect import CrawlDelay
from tests.rep.cases import DELAYS as DELAYS_FILE
from tests.rep.cases import FOLDER, LIVES, Case, Delays, Life, delays, examples, generated, lives

EXAMPLES = examples()
DELAYS = delays()
READS_DELAYS = {
    name for name, dialect in DIALECTS.items() if dialect.crawl_delay is not CrawlDelay.IGNORED
}


def wrong_answers(case: Case) -> list[str]:
    """What `allowed` or `verdict` answers otherwise than the case demands."""
    rules = parse(case.robots, case.dialect)
    return [
        f"{agent} {url}: {verdict}; wanted {allowed}: {case.why}\n{case.robots!r}"
        for agent, url, allowed in case.ask
        for verdict in [rules.verdict(url, agent)]
        if not verdict.allowed == rules.allowed(url, agent) == allowed
    ]


@pytest.mark.parametrize("case", EXAMPLES.values(), ids=EXAMPLES)
def test_the_worked_examples_hold(case: Case):
    assert wrong_answers(case) == []


@pytest.mark.parametrize(
    ("dialect", "case"), [(dialect, case) for case in DELAYS for dialect in case.dialects]
)
def test_a_delay_is_for_the_crawlers_that_its_sources_say(dialect: str, case: Delays):
    rules = parse(case.robots, dialect)
    answers = tuple((agent, rules.crawl_delay(agent)) for agent, _ in case.ask)
    assert answers == case.ask, case.why


@pytest.mark.parametrize("dialect", sorted(set(DIALECTS) - READS_DELAYS))
def test_a_dialect_that_reads_no_delays_asks_nobody_to_wait(dialect: str):
    answers = [
        parse(case.robots, dialect).crawl_delay(agent) for case in DELAYS for agent, _ in case.ask
    ]
    assert set(answers) == {None}


@pytest.mark.parametrize("life", lives(), ids=lambda life: life.why)
def test_what_statuses_and_ages_mean_is_as_the_sources_say(life: Life):
    assert life.modes.keys() == DIALECTS.keys()
    for name, mode in life.modes.items():
        access = None
        for at, result in life.fetches:
            access = advance(access and access.entry, result, at, DIALECTS[name].access)
        assert access is not None
        assert access.mode.value == mode, name


def test_the_data_has_the_form_that_its_schema_says():
    schema = json.loads((FOLDER / "schema.json").read_text("utf-8"))
    for path in sorted(FOLDER.glob("*.jsonl")):
        form = {DELAYS_FILE: "delays", LIVES: "life"}.get(path, "example")
        validator = Draft202012Validator({**schema, "$ref": f"#/$defs/{form}"})
        for line in path.read_text("utf-8").splitlines():
            assert [error.message for error in validator.iter_errors(json.loads(line))] == []


def test_delays_have_examples_in_every_dialect_that_reads_them():
    assert {dialect for case in DELAYS for dialect in case.dialects} >= READS_DELAYS


def test_every_dialect_has_worked_examples():
    assert {case.dialect for case in EXAMPLES.values()} == set(DIALECTS)


@pytest.mark.parametrize(
    ("dialect", "count"), [pytest.param("google", 3000, marks=pytest.mark.slow), ("yandex", 1500)]
)
def test_hostile_files_are_read_as_the_engine_reads_them(dialect: str, count: int):
    cases = list(generated(dialect))
    assert len(cases) == count
    assert [wrong for case in cases for wrong in wrong_answers(case)] == []


def test_every_tag_of_a_source_is_explained():
    table = (FOLDER / "README.md").read_text("utf-8").partition("## Tags")[2].lower()
    tags = " ".join(line.split("|")[1] for line in table.splitlines() if line.startswith("|"))
    legend = re.split("[ ,]+", tags)
    sources = (case.why.rpartition("[")[2] for case in [*EXAMPLES.values(), *DELAYS])
    assert {
        source for source in sources if re.split("[] :/,]", source.lower())[0] not in legend
    } == set()
