"""What must be true of a task that nobody awaits."""

from __future__ import annotations

import pytest
from twisted.internet.defer import Deferred

from scrapy_robots_policy.compat import start_task
from tests.on_reactor import Gate, on_reactor, until_idle


@on_reactor
async def test_an_error_in_a_task_is_logged(caplog):
    async def fail():
        raise ValueError("a reason")

    tasks: set[Deferred[None]] = set()
    start_task(fail(), tasks)
    await until_idle()
    assert not tasks
    (line,) = caplog.records
    assert (line.levelname, line.name) == ("ERROR", "scrapy_robots_policy")
    assert str(line.exc_info[1]) == "a reason"


@pytest.mark.parametrize("has_begun", [True, False])
@on_reactor
async def test_a_task_that_ends_or_is_cancelled_is_not_logged(has_begun, caplog):
    tasks: set[Deferred[None]] = set()
    gate = Gate()
    start_task(gate.pass_(), tasks)
    (task,) = tasks
    if has_begun:
        await until_idle()
    task.cancel()
    await until_idle()
    gate.open()
    start_task(gate.pass_(), tasks)
    await until_idle()
    assert not tasks
    assert not caplog.records
