"""A circuit breaker: after a fault, calls fail at once for a while instead of waiting again.

closed      every call goes through
open        no call goes through until the pause is over; the pause doubles from fault to fault
half-open   the pause is over: one call tries, all others still fail at once
"""

from __future__ import annotations

from collections.abc import Callable

FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0  # seconds; the first fault pauses twice the first
CALM = 3.0  # seconds without a fault after which the trouble is over


class CircuitBreaker:
    """`now`: any clock in seconds that never goes back."""

    def __init__(self, now: Callable[[], float]) -> None:
        self.now = now
        self.faults = 0  # since the last calm time
        self._fault_at = 0.0
        self._open_until: float | None = None

    @property
    def is_open(self) -> bool:
        """Whether the pause after a fault is not over yet."""
        return self._open_until is not None and self.now() < self._open_until

    def permits(self) -> bool:
        """Whether a call may go through now. The caller makes it then."""
        if self.is_open:
            return False
        if self._open_until is not None:
            # Half-open: the next caller comes before this call has ended, and must not wait for it.
            self._pause()
        return True

    def failed(self, faults_before: int) -> None:
        """Note a fault. `faults_before` is `faults` from before the call: calls that fail together
        are one fault.
        """
        self.faults = faults_before + 1
        self._fault_at = self.now()
        self._pause()

    def worked(self) -> None:
        """Note a call that was answered: the breaker closes."""
        self._open_until = None

    def is_over(self) -> bool:
        """Whether a trouble is over; True once. A single answer does not end it."""
        if not self.faults or self.now() < self._fault_at + CALM:
            return False
        self.faults = 0
        return True

    def _pause(self) -> None:
        pause = FIRST_PAUSE * 2.0 ** min(self.faults, 10)
        self._open_until = self.now() + min(pause, LONGEST_PAUSE)
