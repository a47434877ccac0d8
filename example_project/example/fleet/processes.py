"""The processes of a fleet. Each ends with the `with` block that starts it."""

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
START = 10.0  # seconds for a Redis to start
GRACE = 5.0  # seconds for a crawler to end after SIGTERM

# A shell ends the Redis when its input ends: that happens even if we are killed (SIGKILL).
_KEPT = ("sh", "-c", '"$@" & read -r _; kill $! 2>&-; wait $!', "sh")
_REDIS = ("redis-server", "--bind", "127.0.0.1", "--save", "", "--logfile", "redis.log")

# Warnings that scrapy-redis 0.9 still causes.
_TOLERATED = ("-Wignore:Passing a 'spider' argument", "-Wignore:Spider.log() is deprecated")


def end_by_signals() -> None:
    """From now on a signal ends all `with` blocks, then this process; further ones are ignored."""

    def leave(number: int, _: FrameType | None) -> None:
        for each in signals:
            signal.signal(each, signal.SIG_IGN)
        sys.exit(128 + number)

    signals = [signal.SIGINT, signal.SIGTERM]
    if sys.platform != "win32":
        signals.append(signal.SIGHUP)
    for each in signals:
        signal.signal(each, leave)


@contextmanager
def redis_server(folder: Path) -> Iterator[str]:
    """The URL of a Redis that is empty at first and writes nothing to disk."""
    port = _free_port()
    command = (*_KEPT, *_REDIS, "--port", str(port), "--dir", str(folder))
    # In a session of its own: so Ctrl-C does not end it before the crawlers.
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
    """Whether a Redis has executed a command."""
    command = ("redis-cli", "-u", url, *words)
    return subprocess.run(command, capture_output=True, check=False).returncode == 0  # noqa: S603 - fixed


def push(redis: str, key: str, urls: Iterable[str]) -> None:
    """Append URLs to the list of a crawler's start URLs."""
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
