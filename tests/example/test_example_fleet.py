"""The example project's fleet, run as a user runs it and judged by what it says and leaves."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys

import pytest
from scrapy import version_info

from tests.example.example_runs import ENVIRONMENT, PROJECT
from tests.missing import NO_REDIS, NO_SCRAPY_REDIS, has_redis, has_scrapy_redis

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not has_redis(), reason=NO_REDIS),
    pytest.mark.skipif(not has_scrapy_redis(), reason=NO_SCRAPY_REDIS),
]


# scrapy-redis makes requests of a class that Scrapy 2.16 warns of.
FORM = "ignore:scrapy.http.FormRequest is deprecated"
QUIET = {"PYTHONWARNINGS": FORM} if version_info[:2] == (2, 16) else {}


def start(*options, **environment):
    return subprocess.Popen(
        [sys.executable, "-m", "example.fleet", *options],
        cwd=PROJECT,
        env={**ENVIRONMENT, **QUIET, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def end(process):
    """What it printed, once nobody is left who could: its children have its pipes, too."""
    out, err = process.communicate(timeout=240)
    assert "Traceback" not in err, err
    return out, err


def test_a_fleet_fetches_each_robots_txt_once_and_keeps_one_delay():
    for _ in range(5):
        process = start()
        out, err = end(process)
        if "The robots.txt store" not in err:
            break  # else the machine stood still for so long that a crawler took the Redis for lost

    # The example has an example's contact. A project of one's own has another one.
    warnings = [line for line in err.splitlines() if "whose contact is not yours" not in line]
    assert (process.returncode, warnings) == (0, [])
    assert re.search(r"^sites saw +77 +12$", out, re.MULTILINE)
    assert out.endswith("nothing too early.\n")


def test_crawlers_that_share_no_store_are_no_fleet():
    process = start("--store", "memory:")
    out, _ = end(process)

    assert process.returncode == 1
    # Whichever is first or last to start: it begins with requests of its own to each site.
    assert re.search(r"^the robots.txt of [\w-]+ was fetched [23] times$", out, re.MULTILINE)


def test_a_fleet_that_is_stopped_leaves_no_process_behind():
    process = start()
    host, port = re.match(r"redis://([\d.]+):(\d+)/", process.stdout.readline()).groups()
    process.send_signal(signal.SIGTERM)
    end(process)

    assert process.returncode == 128 + signal.SIGTERM
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((host, int(port)))


def test_without_a_redis_server_it_says_what_is_missing():
    process = start(PATH="")
    out, err = end(process)

    assert (process.returncode, out) == (2, "")
    assert err.startswith("The fleet needs redis-server: apt install redis-server")
