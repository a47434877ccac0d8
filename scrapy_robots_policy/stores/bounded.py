"""A mapping that drops the least recently used values once it holds too many or too much."""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Bounded(Generic[Value]):
    """At most `count` values that weigh at most `weight` together; the newest one always stays."""

    def __init__(self, count: int, weight: int) -> None:
        self.count, self.weight = count, weight
        self.held = 0
        self._kept: OrderedDict[str, tuple[Value, int]] = OrderedDict()

    def get(self, key: str) -> Value | None:
        kept = self._kept.get(key)
        if kept is None:
            return None
        self._kept.move_to_end(key)
        return kept[0]

    def put(self, key: str, value: Value, weight: int) -> None:
        self.pop(key)
        self._kept[key] = (value, weight)
        self.held += weight
        while len(self._kept) > 1 and (len(self._kept) > self.count or self.held > self.weight):
            self.held -= self._kept.popitem(last=False)[1][1]

    def pop(self, key: str) -> None:
        kept = self._kept.pop(key, None)
        if kept is not None:
            self.held -= kept[1]

    def __len__(self) -> int:
        return len(self._kept)
