"""The store that lasts as long as the process."""

from __future__ import annotations

from collections import OrderedDict

from ..rep.access import CacheEntry
from .codec import decode, encode, octets_kept

MAX_ENTRIES = 200_000
MAX_OCTETS = 128 * 1024 * 1024


class MemoryStore:
    """Packed entries, bounded in number and octets; the least recently used goes first.

    The newest entry stays, however large it is.
    """

    def __init__(self, max_entries: int = MAX_ENTRIES, max_octets: int = MAX_OCTETS) -> None:
        self.max_entries, self.max_octets = max_entries, max_octets
        self.octets = 0
        self._frames: OrderedDict[str, bytes] = OrderedDict()

    async def get(self, origin: str) -> CacheEntry | None:
        if origin not in self._frames:
            return None
        self._frames.move_to_end(origin)
        return decode(self._frames[origin])

    async def put(self, origin: str, entry: CacheEntry) -> None:
        self.keep(origin, encode(entry))

    def keep(self, origin: str, frame: bytes) -> None:
        frames = self._frames
        if origin in frames:
            self.octets -= octets_kept(origin, frames.pop(origin))
        frames[origin] = frame
        self.octets += octets_kept(origin, frame)
        while len(frames) > 1 and (len(frames) > self.max_entries or self.octets > self.max_octets):
            self.octets -= octets_kept(*frames.popitem(last=False))

    async def close(self) -> None:
        """Nothing to release."""
