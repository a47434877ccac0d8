"""What a machine may lack: how a test sees it, and the command that installs it.

The end of a test run prints these sentences (see `conftest.py`).
"""

from __future__ import annotations

import shutil
from importlib.util import find_spec

NO_REDIS = "redis-server is not installed: apt-get install redis-server"
NO_SCRAPY_REDIS = "scrapy-redis is not installed: pip install scrapy-redis"
NO_SELENIUM = "selenium is not installed: pip install selenium"
NO_YAML = "PyYAML is not installed: pip install PyYAML"
NO_BROWSER = "Chromium or its driver is not installed: apt-get install chromium chromium-driver"


def has_redis() -> bool:
    return shutil.which("redis-server") is not None


def has_scrapy_redis() -> bool:
    return find_spec("scrapy_redis") is not None


def has_browser() -> bool:
    return None not in (shutil.which("chromium"), shutil.which("chromedriver"))
