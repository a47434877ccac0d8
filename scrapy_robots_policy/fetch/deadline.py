"""A limit on the time of a whole download.

The handlers of httpx limit the time between two octets, not that of all of them. So an answer that
comes an octet now and then, in its headers or in its body, would never end.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import TracebackType
from typing import Any, final

from .. import compat

LOOK_EVERY = 1.0  # seconds


@final
class Deadline:
    """While inside, a download may take so many seconds, and one or two more: a handler that limits
    the whole itself does so first. Raises TimeoutError.

    It ends the asyncio task that it was entered in, which must do nothing else inside. Without
    asyncio it limits nothing: the handlers that run there are Twisted's, which limit the whole.
    """

    def __init__(self) -> None:
        self._task: asyncio.Task[Any] | None = None
        self._stop_timer: Callable[[], None] | None = None
        self._is_over = False

    def start(self, seconds: float, is_under_way: Callable[[], bool]) -> None:
        """Limit a request that has reached the downloader; `seconds`: 0 is no limit.

        It may wait in its download slot, for DOWNLOAD_DELAY and other requests. Nothing says when
        it leaves, so `is_under_way` is asked. One that reaches the downloader again starts anew.
        """
        self._stop()
        if self._task is None or not seconds:
            return

        def look() -> None:
            next_step, pause = (self._end, seconds) if is_under_way() else (look, LOOK_EVERY)
            self._stop_timer = compat.call_later(pause, next_step)

        self._stop_timer = compat.call_later(LOOK_EVERY, look)

    def __enter__(self) -> Deadline:
        self._task = compat.current_task()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self._stop()
        task, self._task = self._task, None
        if task is None or not (self._is_over and isinstance(error, asyncio.CancelledError)):
            return
        if hasattr(task, "uncancel"):  # from Python 3.11
            task.uncancel()
        msg = "the whole answer did not come in its time"
        raise TimeoutError(msg) from None

    def _stop(self) -> None:
        if self._stop_timer is not None:
            self._stop_timer()
            self._stop_timer = None

    def _end(self) -> None:
        self._stop_timer = None
        if self._task is not None:
            self._is_over = True
            self._task.cancel()
