"""`rep` is pure, no imports go in a circle, and no behaviour is keyed by a dialect's name."""

from __future__ import annotations

import ast
import re
import sys
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

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


def test_rep_imports_only_itself_and_pure_parts_of_the_standard_library():
    pure = sys.stdlib_module_names - IMPURE
    others = [
        (module, name)
        for module in REP
        for name in imports_of(module)
        if name not in REP and name.partition(".")[0] not in pure
    ]
    assert others == []


def test_rep_reads_no_clock():
    called = [
        (module, node.lineno)
        for module in REP
        for node in nodes_of(FILES[module])
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in CLOCKS
    ]
    assert called == []


DIALECT_NAMES = re.compile(
    r"rfc9309|google|bing|yandex|baidu|koster1996|original1994|yahoo|apple|duckduckgo|seznam|naver"
    r"|sogou|360"
)


def test_nothing_is_keyed_by_a_dialects_name():
    """No comparison, membership test, match or look-up with such a name: options decide."""
    keyed = [
        f"{module}, line {constant.lineno}: {constant.value!r}"
        for module in REP
        for node in nodes_of(FILES[module])
        for operand in operands_of(node)
        for constant in ast.walk(operand)
        if isinstance(constant, ast.Constant) and DIALECT_NAMES.fullmatch(str(constant.value))
    ]
    assert keyed == []


def operands_of(node: ast.AST) -> list[ast.expr]:
    """What a node compares, looks up or matches."""
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    if isinstance(node, ast.Subscript):
        return [node.slice]
    return [node.value] if isinstance(node, ast.MatchValue) else []
