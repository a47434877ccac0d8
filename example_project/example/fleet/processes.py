"""The processes of a fleet, none of which outlives the block that it is started in.

Knows: how a Redis and a crawler are started, fed and ended. Must not know: what comes of it.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

PROJECT = Path(__file__).parents[2]
START = 10.0  # seconds that a Redis has to start
GRACE = 5.0  # seconds that a crawler has to end, once it is asked to

# A shell keeps the Redis until its input ends, as it does however we end, be it by SIGKILL.
_KEPT = ("sh", "-c", '"$@" & read -r _; kill $! 2>&-; wait $!', "sh")
_REDIS = ("redis-server", "--bind", "127.0.0.1", "--save", "", "--logfile", "redis.log")

# What scrapy-redis 0.9 still does.
_TOLERATED = ("-Wignore:Passing a 'spider' argument", "-Wignore:Spider.log() is deprecated")


def heed_signals() -> None:
    """From now on a signal ends us by way of all blocks, and a second one does not disturb that."""

    def leave(number: int, _: FrameType | None) -> None:
        for each in signals:
            signal.signal(each, signal.SIG_IGN)
        sys.exit(128 + number)

    signals = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    for each in signals:
        signal.signal(each, leave)


@contextmanager
def redis_server(folder: Path) -> Iterator[str]:
    """The URL of a Redis that begins empty and keeps nothing."""
    port = _free_port()
    command = (*_KEPT, *_REDIS, "--port", str(port), "--dir", str(folder))
    # In a session of its own, Ctrl-C does not end it before the crawlers.
    with subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True):  # noqa: S603 - fixed
        url = f"redis://127.0.0.1:{port}/0"
        give_up = time.monotonic() + START
        while not _cli(url, "PING"):
            if time.monotonic() > give_up:
                sys.exit(f"redis-server does not start:\n{(folder / 'redis.log').read_text()}")
            time.sleep(0.05)
        yield url


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


def _cli(url: str, *words: str) -> bool:
    """Whether a Redis has done what it was told."""
    command = ("redis-cli", "-u", url, *words)
    return subprocess.run(command, capture_output=True, check=False).returncode == 0  # noqa: S603 - fixed


def push(redis: str, key: str, urls: Iterable[str]) -> None:
    """Put URLs on a list that a crawler begins with."""
    assert _cli(redis, "RPUSH", key, *(json.dumps({"url": url}) for url in urls))


@contextmanager
def crawler(settings: Mapping[str, Any]) -> Iterator[subprocess.Popen[bytes]]:
    options = [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]
    command = [sys.executable, *_TOLERATED, "-m", "scrapy", "crawl", "fleet", *options]
    environment = {**os.environ, "SCRAPY_PROJECT": "fleet"}
    process = subprocess.Popen(command, cwd=PROJECT, env=environment)  # noqa: S603 - ourselves
    try:
        yield process
    finally:
        process.terminate()
        if not has_ended(process, GRACE):
            process.kill()
            process.wait()


def has_ended(process: subprocess.Popen[bytes], patience: float) -> bool:
    try:
        process.wait(patience)
    except subprocess.TimeoutExpired:
        return False
    return True
