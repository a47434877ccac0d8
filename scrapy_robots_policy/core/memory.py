"""Packed entries in this process: the store `memory:`, and what is kept of forgotten sites."""

from __future__ import annotations

from collections import OrderedDict

from ..rep.access import CacheEntry
from .codec import decode, encode, size_kept

MAX_ENTRIES = 200_000
MAX_BYTES = 64 * 1024 * 1024


class MemoryStore:
    """Packed entries, bounded in number and bytes; the least recently used goes first.

    The newest entry stays, however large it is.
    """

    def __init__(self, max_entries: int = MAX_ENTRIES, max_bytes: int = MAX_BYTES) -> None:
        self.max_entries, self.max_bytes = max_entries, max_bytes
        self.size = 0
        # When it was asked for, bytes of its file, frame.
        self._frames: OrderedDict[str, tuple[float, int, bytes]] = OrderedDict()

    async def get(self, origin: str) -> CacheEntry | None:
        return self.recall(origin)

    def recall(self, origin: str) -> CacheEntry | None:
        """As `get`, at once."""
        if origin not in self._frames:
            return None
        self._frames.move_to_end(origin)
        return decode(self._frames[origin][2])

    def file_size(self, origin: str) -> int:
        """The bytes of the file in an entry, before anything is unpacked; 0: there is none."""
        return self._frames[origin][1] if origin in self._frames else 0

    async def put(self, origin: str, entry: CacheEntry) -> None:
        self.keep(origin, entry)

    def keep(self, origin: str, entry: CacheEntry) -> None:
        """As `put`, at once. What it has already is not packed again."""
        frames = self._frames
        asked_at, _, frame = frames.pop(origin, (-1.0, 0, b""))
        self.size -= size_kept(origin, frame) if frame else 0
        if asked_at != entry.asked_at:
            frame = encode(entry)
        frames[origin] = entry.asked_at, len(entry.body or b""), frame
        self.size += size_kept(origin, frame)
        while len(frames) > 1 and (len(frames) > self.max_entries or self.size > self.max_bytes):
            name, (_, _, oldest) = frames.popitem(last=False)
            self.size -= size_kept(name, oldest)

    async def close(self) -> None:
        """Nothing to release."""
