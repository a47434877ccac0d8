"""The package's modules, each read and parsed once for all tests that look at the source."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "scrapy_robots_policy"
MODULES = sorted(PACKAGE.rglob("*.py"))


@cache
def text_of(module: Path) -> str:
    return module.read_text("utf-8")


@cache
def nodes_of(module: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(ast.parse(text_of(module))))
