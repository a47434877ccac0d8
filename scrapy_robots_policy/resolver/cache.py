"""The one cache of origins: what was used last stays ready, what was not is packed, then forgotten.

An origin that is ready has its parsed rules. They count with what they can take at most. An origin
that is packed has its file and its facts as a zlib frame. One bound in octets and one in number
hold for all of them together.
"""

from __future__ import annotations

from collections import OrderedDict

from ..rep import CacheEntry
from ..rep.access import AccessOverrides
from ..stores.codec import decode, encode, octets_kept
from .origin import OriginState

MAX_ORIGINS = 200_000
MAX_OCTETS = 128 * 1024 * 1024
MAX_READY_OCTETS = 64 * 1024 * 1024


class OriginCache:
    """The states of origins, the least recently used first.

    overrides  the user's limits on every dialect's access policy
    """

    def __init__(
        self,
        overrides: AccessOverrides,
        max_origins: int = MAX_ORIGINS,
        max_octets: int = MAX_OCTETS,
        max_ready_octets: int = MAX_READY_OCTETS,
    ) -> None:
        self.overrides, self.max_origins = overrides, max_origins
        self.max_octets, self.max_ready_octets = max_octets, max_ready_octets
        self.ready_octets = self.packed_octets = 0
        self._ready: OrderedDict[str, tuple[OriginState, int]] = OrderedDict()
        self._packed: OrderedDict[str, bytes] = OrderedDict()

    def __len__(self) -> int:
        return len(self._ready) + len(self._packed)

    @property
    def octets(self) -> int:
        return self.ready_octets + self.packed_octets

    def get(self, origin: str) -> OriginState | None:
        kept = self._ready.get(origin)
        if kept is not None:
            self._ready.move_to_end(origin)
            return kept[0]
        return self._unpacked(origin) if origin in self._packed else None

    def peek(self, origin: str) -> OriginState | None:
        """The same, but it does not count as a use; None where the origin is packed."""
        kept = self._ready.get(origin)
        return None if kept is None else kept[0]

    def new_state(self, origin: str, entry: CacheEntry | None = None) -> OriginState:
        """A state that is not kept yet."""
        return OriginState(origin, self.overrides, entry)

    def put_if_unknown(self, origin: str, redirected_here: CacheEntry) -> None:
        """Keep what came of a redirect, unless something is kept for its origin already."""
        if self.get(origin) is None:
            state = self.new_state(origin)
            state.redirected_here = redirected_here
            self.put(state)

    def put(self, state: OriginState) -> None:
        """Keep a state as the most recently used one, in place of what was kept for its origin."""
        self.discard(state.origin)
        octets = state.octets
        self._ready[state.origin] = state, octets
        self.ready_octets += octets
        self._shrink()

    def discard(self, origin: str) -> None:
        kept = self._ready.pop(origin, None)
        if kept is not None:
            self.ready_octets -= kept[1]
        frame = self._packed.pop(origin, None)
        if frame is not None:
            self.packed_octets -= octets_kept(origin, frame)

    def _unpacked(self, origin: str) -> OriginState:
        state = self.new_state(origin, decode(self._packed[origin]))
        self.put(state)
        return state

    def _shrink(self) -> None:
        """Pack, then forget, what was not used for longest. The newest origin always stays."""
        while len(self._ready) > 1 and self.ready_octets > self.max_ready_octets:
            self._pack()
        while len(self) > self.max_origins or self.octets > self.max_octets:
            if self._packed:
                origin, frame = self._packed.popitem(last=False)
                self.packed_octets -= octets_kept(origin, frame)
            elif len(self._ready) > 1:
                self._pack()
            else:
                return

    def _pack(self) -> None:
        origin, (state, octets) = self._ready.popitem(last=False)
        self.ready_octets -= octets
        if state.entry is not None:
            frame = self._packed[origin] = encode(state.entry)
            self.packed_octets += octets_kept(origin, frame)
