"""Shared by all tests: a Redis for the tests that use one, and a list of the skipped tests.

This file imports neither Scrapy nor redis-py, so that `make quick` starts at once.
"""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
import warnings
from collections import Counter
from importlib.metadata import version

import pytest
from hypothesis import Phase, settings

PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")
# A runner of tests may set them. They would change the output, the way to a site, or the project.
NOT_INHERITED = (
    "COLUMNS",
    "FORCE_COLOR",
    "NO_COLOR",
    "SCRAPY_PROJECT",
    "SCRAPY_SETTINGS_MODULE",
    *PROXIES,
    *map(str.upper, PROXIES),
)

# Before any test is imported, as a property keeps the profile that it is made under.
settings.register_profile("untimed", deadline=None)  # a busy machine is no counterexample
# Nobody reads how a mutant fails, and to shrink a whole history takes minutes.
settings.register_profile(
    "mutants", deadline=None, phases=(Phase.explicit, Phase.reuse, Phase.generate)
)
settings.load_profile("mutants" if "MUTANT_UNDER_TEST" in os.environ else "untimed")

# `nohup make test &` ignores Ctrl-C, and so would the commands that tests interrupt.
# Here, because a reactor looks at it when it starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Twisted 25.5, the newest for Scrapy up to 2.15, takes asyncio's current loop for its reactor, and
# Python 3.14 makes none.
if version("twisted") < "26":
    asyncio.set_event_loop(asyncio.new_event_loop())

# Windows' own kind of loop is none that Twisted can use. A crawl's start does the same.
if sys.platform == "win32":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.14
        asyncio.set_event_loop_policy(asyncio.WindowsSelectorEventLoopPolicy())


@pytest.hookimpl(trylast=True)  # pytest's own output may have colours
def pytest_configure():
    """The processes of tests inherit it as well, so it is done before any test is imported."""
    for name in NOT_INHERITED:
        os.environ.pop(name, None)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Collect the tests without garbage collection, which leaves them out for the rest of the run.

    Modules and tests are a million objects that live as long as the run. Each full round of the
    garbage collector would look at them all.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        if hasattr(gc, "freeze"):  # PyPy's collector keeps what is old apart by itself
            gc.freeze()
        gc.enable()


@pytest.fixture
def web():
    """Makes hosts that answer as their scripts say, in virtual time (see `tests/scripted.py`)."""
    from tests.scripted import Web, name_server  # noqa: PLC0415 - it imports Scrapy
    from tests.virtual_time import virtual_time  # noqa: PLC0415 - as above

    with virtual_time() as time, name_server() as names:
        yield lambda hosts: Web(hosts, time, names)


@pytest.fixture(scope="session")
def needs_redis():
    from scrapy_robots_policy import compat  # noqa: PLC0415 - it imports Scrapy
    from tests.missing import NO_REDIS, has_redis  # noqa: PLC0415 - only where it is used

    if not has_redis():
        pytest.skip(NO_REDIS)
    if not compat.has_asyncio():
        pytest.skip("redis-py needs asyncio's reactor")
    from tests.redis_server import wait_for_answers  # noqa: PLC0415 - it imports redis-py

    wait_for_answers()


@pytest.fixture(scope="session")
def running_redis(needs_redis):
    from tests.redis_server import RedisServer  # noqa: PLC0415 - as above

    with RedisServer() as server:
        yield server


@pytest.fixture
def redis(running_redis):
    """A Redis that is empty, and has counted no command yet."""
    with running_redis.client() as client:
        client.flushall()
        client.config_resetstat()
    return running_redis


def pytest_terminal_summary(terminalreporter):
    """Say how many tests were skipped for each reason. A reason ends in the command that helps."""
    skipped = terminalreporter.stats.get("skipped", [])
    if not skipped:
        return
    terminalreporter.section("skipped")
    for reason, count in Counter(map(reason_of, skipped)).most_common():
        tests = "1 test was" if count == 1 else f"{count} tests were"
        terminalreporter.write_line(f"{tests} skipped: {reason}")


def reason_of(report):
    """`report` is a skipped test, or a skipped file, which counts as one test."""
    _path, _line, reason = report.longrepr
    return reason.removeprefix("Skipped: ")
