"""What must be true of the package's folders: imports go down only, and no file name occurs twice.

A folder stands for all that is in it; inside a folder, imports may go anywhere but in a circle
(test_purity.py). docs/architecture.md says what each folder is for.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

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
# The same for what is in the folder `commands`.
LAYERS_OF_COMMANDS = (
    ("printing", "typed_urls", "verb_table"),
    ("arguments",),
    ("help_texts", "reading"),
    ("command_line", "linting"),
    ("program", "scrapy_command", "verbs"),
    ("__init__", "__main__", "tester"),
)
COMMANDS = "commands"

# File names that stand for one thing in each folder.
ONE_IN_EACH_FOLDER = {"__init__.py", "py.typed"}

FILES = sorted(path for path in PACKAGE.rglob("*") if path.is_file() and path.suffix != ".pyc")
MODULES = [path for path in FILES if path.suffix == ".py" and path != PACKAGE / "__init__.py"]


def part_of(path: Path, folder: str = "") -> str:
    """The folder in a folder, or the module in it, that a file belongs to."""
    return path.relative_to(PACKAGE / folder).parts[0].removesuffix(".py")


def imported_modules(module: Path) -> Iterator[tuple[int, str]]:
    """(line, name without that of the package) for each import of what is ours."""
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
                yield node.lineno, rest


def imports_that_do_not_go_down(folder: str, layers: Sequence[Sequence[str]]) -> Iterator[str]:
    layer_of = {name: layer for layer, names in enumerate(layers) for name in names}
    start = f"{folder}." if folder else ""
    for module in MODULES:
        if not module.is_relative_to(PACKAGE / folder):
            continue
        part = part_of(module, folder)
        for line, name in imported_modules(module):
            other = name.removeprefix(start).partition(".")[0]
            if (
                name.startswith(start)
                and other != part
                and layer_of.get(other, -1) >= layer_of[part]
            ):
                yield f"{module.relative_to(PACKAGE)}, line {line}: {part} imports {other}"


@pytest.mark.parametrize(("folder", "layers"), [("", LAYERS), (COMMANDS, LAYERS_OF_COMMANDS)])
def test_every_file_has_its_layer(folder, layers):
    parts = {part_of(path, folder) for path in MODULES if path.is_relative_to(PACKAGE / folder)}
    assert parts == {name for names in layers for name in names}


@pytest.mark.parametrize(("folder", "layers"), [("", LAYERS), (COMMANDS, LAYERS_OF_COMMANDS)])
def test_imports_go_down_only(folder, layers):
    assert list(imports_that_do_not_go_down(folder, layers)) == []


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
