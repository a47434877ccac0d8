"""Imports go down only and in no circle, `rep` is pure, and no behaviour has a dialect's name.

A folder stands for all that is in it; inside a folder, imports may go anywhere but in a circle.
docs/architecture.md says what each folder is for.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from graphlib import TopologicalSorter

import pytest

from scrapy_robots_policy.rep import DIALECTS
from scrapy_robots_policy.rep.dialect import options as dialect_options
from tests.house.sources import MODULES, PACKAGE, nodes_of

# From the ground up: a folder, or a module of the package itself, imports from the lines above its
# own only. Those of one line do not know each other.
LAYERS = (
    ("rep",),
    ("core",),
    ("compat", "crawl_log", "distribution", "exceptions", "formats", "imports", "numbered_file"),
    ("stats", "trouble", "whole_file"),
    ("fetch", "pages", "stores", "tags"),
    ("report",),
    ("settings", "status_line"),
    ("events", "robotparser"),
    ("monitor", "record"),
    ("bulk", "driver"),
    ("lanes",),
    ("admission",),
    ("downloadermiddlewares",),
    ("queue", "spidermiddlewares"),
    ("scheduler",),
    ("addon", "commands"),
    ("owners",),  # nothing imports it: the program loads its verbs by name
)
LAYER_OF = {name: layer for layer, names in enumerate(LAYERS) for name in names}
# Nothing that reads a clock, talks to the world or says something.
IMPURE = {"asyncio", "logging", "os", "pathlib", "socket", "sqlite3", "threading", "time"}
CLOCKS = {"now", "today", "utcnow"}  # of datetime, which may compute with dates that it is given


def name_of(path):
    """Without the package's own name."""
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__")


FILES = {name_of(path): path for path in MODULES if path.parent != PACKAGE or path.stem[0] != "_"}


def imports_of(name):
    """The modules that a module imports: ours without the package's name, others in full."""
    folder = ["", *FILES[name].relative_to(PACKAGE).parts[:-1]]
    for node in nodes_of(FILES[name]):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = [*folder[: len(folder) + 1 - node.level], node.module] if node.level else []
            start = ".".join(filter(None, base)) if node.level else node.module
            start = start.removeprefix(f"{PACKAGE.name}.")
            for alias in node.names:
                inside = f"{start}.{alias.name}".strip(".")
                yield inside if inside in FILES else start or inside


def test_imports_go_down_only():
    upward = [
        f"{name} imports {other}"
        for name in FILES
        for other in imports_of(name)
        if (top := other.partition(".")[0]) in LAYER_OF
        and (own := name.partition(".")[0]) != top
        and LAYER_OF[top] >= LAYER_OF[own]
    ]
    assert upward == []


def test_there_are_no_import_cycles():
    graph = {name: {one for one in imports_of(name) if one in FILES} - {name} for name in FILES}
    assert any(graph.values())
    tuple(TopologicalSorter(graph).static_order())


@pytest.mark.parametrize(("room", "others"), [("rep", {"rep"}), ("core", {"core", "rep"})])
def test_a_pure_room_imports_pure_parts_of_the_standard_library_and_reads_no_clock(room, others):
    rep = [name for name in FILES if name.partition(".")[0] == room]
    pure = sys.stdlib_module_names - IMPURE | others
    assert [one for name in rep for one in imports_of(name) if one.split(".")[0] not in pure] == []
    called = [
        node.func for name in rep for node in nodes_of(FILES[name]) if isinstance(node, ast.Call)
    ]
    assert not CLOCKS & {one.attr for one in called if isinstance(one, ast.Attribute)}


def test_nothing_is_keyed_by_a_dialects_name():
    """No comparison, membership test, match or look-up with such a name: options decide."""
    compared = (
        one
        for name in FILES
        if name.startswith("rep.")
        for node in nodes_of(FILES[name])
        if isinstance(node, ast.Compare | ast.Subscript | ast.MatchValue)
        for one in ast.walk(node.slice if isinstance(node, ast.Subscript) else node)
    )
    assert [one.value for one in compared if getattr(one, "value", "") in [*DIALECTS]] == []


def test_only_rep_decides_by_an_option_of_a_dialect():
    """Others ask rules, or hand what is asked (`access`, `agents`, `size_limit`) to `rep`."""
    options = {*dialect_options()} - {"access", "agents", "size_limit"}
    read = [
        f"{name}: {ast.unparse(node)}"
        for name in FILES
        if name.partition(".")[0] != "rep"
        for node in nodes_of(FILES[name])
        if isinstance(node, ast.Attribute)
        and node.attr in options
        and ast.unparse(node.value).rpartition(".")[2] in ("d", "dialect", "here", "there")
    ]
    assert read == []


LOADED = [
    ("scrapy_robots_policy.rep", {"scrapy", "twisted"}),
    ("scrapy_robots_policy.downloadermiddlewares", {"protego", "scrapy_robots_policy.record"}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("module", "others"), LOADED)
def test_an_import_does_not_load_what_it_needs_not(module, others):
    code = f"import sys, {module}; print(*sys.modules)"
    loaded = subprocess.check_output([sys.executable, "-c", code], text=True).split()
    assert module in loaded
    assert others & {*loaded} == set()
