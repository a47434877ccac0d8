"""The store that lasts as long as the process."""

from __future__ import annotations

from ..rep.cache_entry import CacheEntry
from .bounded import Bounded
from .codec import decode, encode

MAX_ENTRIES = 200_000
MAX_OCTETS = 128 * 1024 * 1024
OVERHEAD = 250  # octets an entry costs beside its frame and its name: measured on CPython 3.11


class MemoryStore:
    """Packed entries, bounded in number and octets; the least recently used goes first."""

    def __init__(self, max_entries: int = MAX_ENTRIES, max_octets: int = MAX_OCTETS) -> None:
        self.frames: Bounded[bytes] = Bounded(max_entries, max_octets)

    async def get(self, origin: str) -> CacheEntry | None:
        frame = self.frames.get(origin)
        return None if frame is None else decode(frame)

    async def put(self, origin: str, entry: CacheEntry) -> None:
        self.keep(origin, encode(entry))

    def keep(self, origin: str, frame: bytes) -> None:
        self.frames.put(origin, frame, len(frame) + len(origin) + OVERHEAD)

    async def close(self) -> None:
        """Nothing to release."""
