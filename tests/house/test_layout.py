"""What must be true of the package's folders: imports go down only, and no file name occurs twice.

A folder stands for all that is in it; inside a folder, imports may go anywhere but in a circle
(test_purity.py). docs/architecture.md says what each folder is for.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.house.sources import PACKAGE, nodes_of, tree_of

# From the ground up: a folder, or a module of the package itself, imports from the lines above its
# own only. Those of one line do not know each other.
LAYERS = (
    ("rep",),
    ("compat", "crawl_log", "distribution", "exceptions", "lint", "stats", "whole_file"),
    ("fetch", "stores", "tags"),
    ("resolver",),
    ("report",),
    ("config",),
    ("admission", "robotparser"),
    ("audit",),
    ("assembly",),
    ("downloadermiddlewares", "spidermiddlewares"),
    ("addon", "commands"),
)
LAYER_OF = {name: layer for layer, names in enumerate(LAYERS) for name in names}

# File names that stand for one thing in each folder.
ONE_IN_EACH_FOLDER = {"__init__.py", "py.typed"}

FILES = sorted(path for path in PACKAGE.rglob("*") if path.is_file() and path.suffix != ".pyc")
MODULES = [path for path in FILES if path.suffix == ".py" and path != PACKAGE / "__init__.py"]


def part_of(path: Path) -> str:
    """The folder, or the module of the package itself, that a file belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported_parts(module: Path) -> Iterator[tuple[int, str]]:
    """(line, folder or module of the package) for each import of what is ours."""
    folder = ("scrapy_robots_policy", *module.relative_to(PACKAGE).parts[:-1])
    for node in nodes_of(module):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = [*folder[: len(folder) - node.level + 1], node.module or ""]
            start = ".".join(filter(None, base if node.level else base[-1:]))
            names = [f"{start}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            first, _, rest = name.partition(".")
            if first == "scrapy_robots_policy" and rest:
                yield node.lineno, rest.partition(".")[0]


def test_every_file_has_its_layer():
    assert {part_of(module) for module in MODULES} - LAYER_OF.keys() == set()


def test_imports_go_down_only():
    wrong = [
        f"{module.relative_to(PACKAGE)}, line {line}: {part_of(module)} imports {other}"
        for module in MODULES
        for line, other in imported_parts(module)
        if other != part_of(module) and LAYER_OF.get(other, -1) >= LAYER_OF[part_of(module)]
    ]
    assert wrong == []


def test_no_file_name_occurs_twice():
    names = Counter(path.name for path in FILES if path.name not in ONE_IN_EACH_FOLDER)
    assert [name for name, count in names.items() if count > 1] == []


def test_each_folder_says_which_question_it_answers():
    silent = [
        str(path.relative_to(PACKAGE))
        for path in MODULES
        if path.name == "__init__.py" and not ast.get_docstring(tree_of(path))
    ]
    assert silent == []


def test_contributing_names_files_that_are_there():
    root = PACKAGE.parent
    text = (root / "CONTRIBUTING.md").read_text("utf-8")
    names = set(re.findall(r"[`(]([\w./-]+(?:/|\.(?:py|md|toml|cfg)))[`)]", text))
    assert len(names) > 15
    assert [n for n in sorted(names) if not any((at / n).exists() for at in (root, PACKAGE))] == []
