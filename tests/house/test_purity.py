"""`rep` is pure, no imports go in a circle, and no behaviour is keyed by a dialect's name."""

from __future__ import annotations

import ast
import re
import sys
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from tests.house.sources import MODULES, nodes_of

PACKAGE = "scrapy_robots_policy"
ROOT = Path(__file__).parents[2]


def name_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {name_of(path): path for path in MODULES}
REP = [name for name in FILES if f"{name}.".startswith(f"{PACKAGE}.rep.")]

# Nothing that reads a clock, talks to the world or says something.
IMPURE = {"asyncio", "logging", "os", "pathlib", "socket", "sqlite3", "threading", "time"}
CLOCKS = {"now", "today", "utcnow"}  # of datetime, which may compute with dates that it is given


@cache
def imports_of(module: str) -> set[str]:
    """The modules that a module names in its imports, in full."""
    package = module if FILES[module].stem == "__init__" else module.rpartition(".")[0]
    modules: set[str] = set()
    for node in nodes_of(FILES[module]):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = ".".join([*above(package, node.level), *filter(None, [node.module])])
            full_names = [f"{base}.{alias.name}" for alias in node.names]
            modules |= {name if name in FILES else base for name in full_names}
    return modules


def above(package: str, level: int) -> list[str]:
    """Where the dots of "from .." lead: no dot, nowhere; one, to the package itself."""
    parts = package.split(".")
    return parts[: len(parts) - level + 1] if level else []


def our_imports_of(module: str) -> set[str]:
    return {name for name in imports_of(module) if name in FILES and name != module}


INSIDE = [name for name in FILES if name != PACKAGE]


def test_there_are_no_import_cycles():
    tuple(TopologicalSorter({name: our_imports_of(name) for name in INSIDE}).static_order())


@pytest.mark.parametrize("module", REP)
def test_rep_imports_only_itself_and_pure_parts_of_the_standard_library(module: str):
    others = {name.partition(".")[0] for name in imports_of(module) if name not in REP}
    assert others <= sys.stdlib_module_names - IMPURE


@pytest.mark.parametrize("module", REP)
def test_rep_reads_no_clock(module: str):
    called = {
        node.func.attr
        for node in nodes_of(FILES[module])
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    }
    assert called & CLOCKS == set()


DIALECT_NAMES = re.compile(
    r"rfc9309|google|bing|yandex|baidu|koster1996|original1994|yahoo|apple|duckduckgo|seznam|naver"
    r"|sogou|360"
)


@pytest.mark.parametrize("module", REP)
def test_nothing_is_keyed_by_a_dialects_name(module: str):
    """No comparison, membership test, match or look-up with such a name: options decide."""
    keyed = []
    for node in nodes_of(FILES[module]):
        operands: list[ast.expr] = []
        if isinstance(node, ast.Compare):
            operands = [node.left, *node.comparators]
        elif isinstance(node, ast.Subscript):
            operands = [node.slice]
        elif isinstance(node, ast.MatchValue):
            operands = [node.value]
        keyed += [
            f"line {constant.lineno}: {constant.value!r}"
            for operand in operands
            for constant in ast.walk(operand)
            if isinstance(constant, ast.Constant) and DIALECT_NAMES.fullmatch(str(constant.value))
        ]
    assert keyed == []
