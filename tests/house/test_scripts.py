"""What must be true of the scripts that no test runs: those that measure, or draw the pictures."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]
OURS = {"scrapy_robots_policy", "tests"}
SCRIPTS = sorted(path for folder in ("benchmarks", "docs") for path in (ROOT / folder).glob("*.py"))


def test_what_a_script_imports_from_the_project_is_there():
    for path in SCRIPTS:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in OURS:
                exec(compile(ast.Module([node], []), path, "exec"), {})
