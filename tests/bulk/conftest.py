"""Pythons without wheels of Arrow and DuckDB leave these tests out."""

from __future__ import annotations

from importlib.util import find_spec

NEEDED = ("pyarrow", "duckdb", "numpy", "fastwarc")

collect_ignore_glob = [] if all(map(find_spec, NEEDED)) else ["test_*.py"]
