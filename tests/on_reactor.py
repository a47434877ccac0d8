"""Coroutines on the reactor that the suite runs on, be it asyncio's or another.

Every wait has a deadline: a test fails, it does not hang. A machine that is busy may be slow, so
the deadlines are long, and no test says how soon something happens.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Awaitable, Callable, Coroutine
from functools import wraps
from typing import Any, TypeVar

import pytest_twisted
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from twisted.internet.defer import Deferred, gatherResults
from twisted.python.failure import Failure

from scrapy_robots_policy import compat

Result = TypeVar("Result")

# Seconds. TEST_DEADLINE comes before pytest-timeout's (pyproject.toml): while the reactor is idle,
# that one would interrupt the reactor itself, and all later tests would fail, too.
TEST_DEADLINE = 240.0
WAIT_DEADLINE = 120.0


def on_reactor(
    test: Callable[..., Coroutine[Any, Any, None]],
) -> Callable[..., Deferred[None]]:
    """Make a test of a coroutine. It is cancelled, and fails, after `TEST_DEADLINE` seconds."""

    @pytest_twisted.ensureDeferred
    @wraps(test)
    def started(*args: Any, **kwargs: Any) -> Deferred[None]:
        from twisted.internet import reactor  # noqa: PLC0415 - pytest-twisted installs it

        running: Deferred[None] = deferred_from_coro(test(*args, **kwargs))
        return running.addTimeout(TEST_DEADLINE, reactor, _fail_late)

    return started


def _fail_late(cancelled: Failure, seconds: float) -> None:
    """Fail, and show the line that the test waited at."""
    msg = f"the test still waits after {seconds:g} s"
    raise TimeoutError(msg) from cancelled.value


async def until(holds: Callable[[], Any], seconds: float = WAIT_DEADLINE) -> None:
    """Ask `holds` every 10 ms until it, or what it awaits, is true."""
    deadline = time.monotonic() + seconds
    while True:
        answer = holds()
        if inspect.isawaitable(answer):
            answer = await answer
        if answer:
            return
        assert time.monotonic() < deadline, f"not true after {seconds:g} s: {holds}"
        await compat.sleep(0.01)


def start(work: Coroutine[Any, Any, Result]) -> Deferred[Result]:
    return deferred_from_coro(work)


async def all_of(tasks: list[Deferred[Result]]) -> list[Result]:
    return await maybe_deferred_to_future(gatherResults(tasks, consumeErrors=True))


def pending_timers(monkeypatch: Any) -> list[Callable[[], object]]:
    """The calls that wait for a time from now on. None of them is made."""
    timers: list[Callable[[], object]] = []
    at_once = compat.call_later

    def call_later(seconds: float, call: Callable[[], object]) -> Callable[[], None]:
        if not seconds:
            return at_once(seconds, call)
        timers.append(call)
        return lambda: timers.remove(call)

    monkeypatch.setattr(compat, "call_later", call_later)
    return timers


async def until_idle() -> None:
    """Let all tasks that can go on do so."""
    for _ in range(20):
        await compat.sleep(0)


class Gate:
    """Holds up who comes to it until it is opened."""

    def __init__(self) -> None:
        self.is_open = False
        self._held: list[Deferred[None]] = []

    def pass_(self) -> Awaitable[None]:
        held: Deferred[None] = Deferred()
        if self.is_open:
            held.callback(None)
        else:
            self._held.append(held)
        return maybe_deferred_to_future(held)

    def open(self) -> None:
        self.is_open = True
        held, self._held = self._held, []
        for turn in held:
            if not turn.called:  # cancelled
                turn.callback(None)
