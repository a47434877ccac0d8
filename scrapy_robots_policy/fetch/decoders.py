"""What unpacks each encoding of HTTP, in the manner of `zlib.decompressobj`.

br and zstd have libraries of their own, which Scrapy uses, too. Scrapy gives what it can get out of
a broken body; of a robots.txt that would be a file without its last rules.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import lru_cache, partial
from importlib import import_module
from typing import Any, Protocol


class Decoder(Protocol):
    """Unpacks one stream: at most `max_length` octets at a call, or a little more.

    eof          whether the stream has ended
    unused_data  what came after its end
    """

    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, packed: bytes, max_length: int, /) -> bytes: ...


class _Brotli:
    unused_data = b""  # an error, where something came after the end

    def __init__(self, library: Any) -> None:
        self._stream = library.Decompressor()

    @property
    def eof(self) -> bool:
        return bool(self._stream.is_finished())

    def decompress(self, packed: bytes, max_length: int, /) -> bytes:
        octets: bytes = self._stream.process(packed, output_buffer_limit=max_length)
        return octets


@lru_cache(maxsize=1)
def decoders() -> Mapping[str, tuple[Callable[[], Decoder], ...]]:
    """By encoding, what may unpack it: the first that reads a body is right."""
    zipped = partial(zlib.decompressobj, 47)  # zlib's number for: gzip or zlib, as it comes
    bare = partial(zlib.decompressobj, -15)  # some servers send deflate without a header
    by_name: dict[str, tuple[Callable[[], Decoder], ...]] = {
        "gzip": (zipped,),
        "x-gzip": (zipped,),
        "deflate": (zipped, bare),
    }
    with suppress(ImportError):
        by_name["br"] = (partial(_Brotli, _brotli()),)
    with suppress(ImportError):
        name = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
        by_name["zstd"] = (import_module(name).ZstdDecompressor,)
    return by_name


def _brotli() -> Any:
    """Raises ImportError where it is not installed, or is too old to stop at a limit."""
    try:
        library = import_module("brotli")
    except ImportError:
        library = import_module("brotlicffi")
    try:
        library.Decompressor().process(b"", output_buffer_limit=1)
    except TypeError as error:
        raise ImportError from error
    return library
