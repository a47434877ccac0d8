"""What a machine may lack: how a test sees it, and the command that installs it.

The end of a test run prints these sentences (see `conftest.py`).
"""

from __future__ import annotations

import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

NO_REDIS = "redis-server is not installed: apt-get install redis-server"
NO_SCRAPY_REDIS = "scrapy-redis is not installed: pip install scrapy-redis"
NO_SELENIUM = "selenium is not installed: pip install selenium"
NO_YAML = "PyYAML is not installed: pip install PyYAML"
NO_AXE = "axe-core is not installed: pip install axe-playwright-python"
NO_BROWSER = "Chromium or its driver is not installed: apt-get install chromium chromium-driver"
NO_TRACEMALLOC = "PyPy has no tracemalloc, which says how much memory is allocated"


only_on_cpython = pytest.mark.skipif(
    sys.implementation.name != "cpython",
    reason="PyPy counts calls otherwise, and frees later what nobody uses any more",
)
not_on_windows = pytest.mark.skipif(
    sys.platform == "win32",
    reason="Windows has other files, and other words for what is wrong with one",
)


def has_redis() -> bool:
    return shutil.which("redis-server") is not None


def has_scrapy_redis() -> bool:
    return find_spec("scrapy_redis") is not None


def has_browser() -> bool:
    return None not in (shutil.which("chromium"), shutil.which("chromedriver"))


def axe_script() -> Path | None:
    """axe-core, as a package for another browser driver has it; its Python code is not used."""
    spec = find_spec("axe_playwright_python")
    paths = (spec.submodule_search_locations if spec else None) or []
    return next((Path(path) / "axe.min.js" for path in paths), None)
