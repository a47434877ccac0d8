"""What the outside has to do for the core, and when the core wants to look again.

The core does nothing itself. It notes here what is to be done, and whoever drives it does that and
says what came of it. Each action names its answer, a method of `Policy`.

| action    | what is to be done                                     | answer      |
| --------- | ------------------------------------------------------ | ----------- |
| `Recall`  | ask the store for an entry                             | `recalled`  |
| `Claim`   | ask the fleet for the lease of a document              | `claimed`   |
| `Fetch`   | fetch a document                                       | `fetched`   |
| `Keep`    | store an entry; then give the lease back, if it says so |            |
| `Release` | give a lease back                                      |             |
| `Read`    | call `read` in a turn of the event loop of its own     |             |
| `Take`    | ask the fleet for the turn at a host                   | `taken`     |
| `Leave`   | give the fleet's turn back                             |             |
| `Watch`   | from now on, tell of all visits (`reached`, `left`)    |             |
| `Free`    | ask again for these tokens: `ask`, or `visit`          |             |
| `Tell`    | tell the listeners of an event                         |             |

They are in the order in which they came. `wake_at` is when `ring` is due.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from heapq import heappop, heappush
from itertools import count
from math import inf
from typing import Any, NamedTuple, TypeAlias

from ..rep import CacheEntry, Dialect

Token: TypeAlias = Hashable
"""Whatever the caller knows a request by, or a part of its queue."""


class Recall(NamedTuple):
    key: str


class Claim(NamedTuple):
    key: str


class Fetch(NamedTuple):
    """`page`: the request whose proxy and headers the fetch takes."""

    key: str
    entry: CacheEntry | None
    dialect: Dialect
    page: Any
    in_haste: bool


class Keep(NamedTuple):
    key: str
    entry: CacheEntry
    releases: bool


class Release(NamedTuple):
    key: str


class Read(NamedTuple):
    key: str
    dialect: Dialect
    url: str
    agent: str


class Take(NamedTuple):
    host: str
    delay: float


class Leave(NamedTuple):
    host: str
    visited: bool


class Watch(NamedTuple):
    """Requests that are on their way just now count as visits, too."""


class Free(NamedTuple):
    tokens: tuple[Token, ...]


class Tell(NamedTuple):
    event: Any


Action: TypeAlias = (
    Recall | Claim | Fetch | Keep | Release | Read | Take | Leave | Watch | Free | Tell
)
Look: TypeAlias = Callable[[float], None]


class Agenda:
    """The actions and the alarms of one core.

    Attributes:
        told: who was told to ask again and has not asked since, and when.

    """

    def __init__(self) -> None:
        self._actions: deque[Action] = deque()
        self._alarms: list[tuple[float, int, Look]] = []
        self.told: dict[Token, float] = {}
        self._numbers = count()

    def add(self, action: Action) -> None:
        self._actions.append(action)

    def free(self, tokens: Iterable[Token], now: float) -> None:
        """Tell tokens to ask again."""
        freed = tuple(tokens)
        if freed:
            self._actions.append(Free(freed))
            for token in freed:
                self.told.setdefault(token, now)

    def at(self, time: float, look: Look) -> None:
        """Have `look` called with the time, when that has come."""
        if time < inf:
            heappush(self._alarms, (time, next(self._numbers), look))

    def __bool__(self) -> bool:
        """Whether something is to be done."""
        return bool(self._actions)

    def actions(self) -> Iterator[Action]:
        """The actions that are to be done, and those that are noted meanwhile."""
        while self._actions:
            yield self._actions.popleft()

    @property
    def wake_at(self) -> float:
        """When `ring` is due; infinite: never."""
        return self._alarms[0][0] if self._alarms else inf

    def ring(self, now: float) -> None:
        """Call what is due. What that asks for anew waits for the next time."""
        due: list[Look] = []
        while self._alarms and self._alarms[0][0] <= now:
            due.append(heappop(self._alarms)[2])
        for look in due:
            look(now)
