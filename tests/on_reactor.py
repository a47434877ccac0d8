"""Coroutines on the reactor that the suite runs on, be it asyncio's or another."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from functools import wraps
from typing import Any, TypeVar

import pytest_twisted
from scrapy.utils.defer import deferred_from_coro, maybe_deferred_to_future
from twisted.internet.defer import Deferred, gatherResults

from scrapy_robots_policy import compat

Result = TypeVar("Result")


def on_reactor(
    test: Callable[..., Coroutine[Any, Any, None]],
) -> Callable[..., Deferred[None]]:
    """Make a test of a coroutine."""

    @pytest_twisted.ensureDeferred
    @wraps(test)
    def started(*args: Any, **kwargs: Any) -> Deferred[None]:
        return deferred_from_coro(test(*args, **kwargs))

    return started


def start(work: Coroutine[Any, Any, Result]) -> Deferred[Result]:
    return deferred_from_coro(work)


async def all_of(tasks: list[Deferred[Result]]) -> list[Result]:
    return await maybe_deferred_to_future(gatherResults(tasks, consumeErrors=True))


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
        for held in self._held:
            held.callback(None)
