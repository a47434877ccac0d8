"""What must be true of bodies as they come in: see also test_fetcher.py."""

from __future__ import annotations

import gc
import gzip
import sys
import zlib
from types import SimpleNamespace
from weakref import ref

import pytest
from scrapy import Request, signals
from scrapy.exceptions import StopDownload
from scrapy.http import Response
from scrapy.utils.test import get_crawler

from scrapy_robots_policy import compat
from scrapy_robots_policy.fetch import decoders, unpacking
from scrapy_robots_policy.fetch.body import Bodies, Body, is_fetch
from tests.missing import BROTLI, only_on_cpython
from tests.traced_memory import tracing_memory

BOMBS = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "gzip, many members": lambda octets: gzip.compress(octets[: len(octets) // 50]) * 50,
}


@pytest.mark.parametrize("kind", BOMBS)
def test_no_more_is_unpacked_than_is_read(kind):
    packed, limit = BOMBS[kind](bytes(10_000_000)), 100_000
    with tracing_memory() as memory:
        octets = unpacking.unpack(packed, [kind.partition(",")[0]], limit, is_whole=True)
        _, peak = memory()
    assert octets == bytes(limit)
    assert peak < 20 * limit


PACKED = gzip.compress(b"User-agent: *")
TEXT = "User-agent: ü".encode()
PLAIN = {
    "none": (TEXT, ["none"]),
    "a character set": (TEXT, ["utf-8"]),
    "another name of it": (TEXT, ["utf8"]),
    "cut in a character": (TEXT[:-1], ["utf-8"]),
    "text that is packed": (gzip.compress(TEXT), ["utf-8", "gzip"]),
}


@pytest.mark.parametrize("kind", PLAIN)
def test_text_that_is_said_to_be_in_what_is_no_encoding_is_read_as_it_is(kind):
    body, encodings = PLAIN[kind]
    octets = unpacking.unpack(body, encodings, 1000, is_whole=True)
    assert octets
    assert TEXT.startswith(octets)


UNREADABLE = {
    "too many encodings": (b"x", ["identity"] * (unpacking.MAX_ENCODINGS + 1)),
    "an encoding that was not asked for": (PACKED, ["br"]),
    "no encoding, and packed": (PACKED, ["none"]),
    "a character set, and packed": (PACKED, ["utf-8"]),
    "a character set that was packed before": (PACKED, ["gzip", "utf-8"]),
    "text in an unknown encoding": (b"VXNlci1hZ2VudDogKg==", ["base64"]),
    "cut": (PACKED[:-9], ["gzip"]),
    "too many members": (gzip.compress(b"") * (unpacking.MAX_MEMBERS + 1), ["gzip"]),
}


@pytest.mark.parametrize("fault", UNREADABLE)
def test_a_whole_body_that_cannot_be_unpacked_is_an_error(fault):
    with pytest.raises(unpacking.UnreadableBodyError):
        unpacking.unpack(*UNREADABLE[fault], 1000, is_whole=True)


LIBRARIES = {"gzip": "gzip", "br": BROTLI, "zstd": "backports.zstd"}
REASON = "the library is not installed: `make test` on the newest Scrapy"


@pytest.mark.slow
@pytest.mark.parametrize("encoding", LIBRARIES)
def test_no_encoding_hides_that_the_end_is_missing(encoding):
    """Scrapy gives what it can get out of such a body, which may be a file without its rules."""
    pack = pytest.importorskip(LIBRARIES[encoding], reason=REASON).compress
    octets = b"".join(b"Disallow: /%d\n" % number for number in range(5_000))
    packed = pack(octets)
    assert unpacking.unpack(packed, [encoding], 100_000, is_whole=True) == octets
    assert unpacking.unpack(packed, [encoding], 5, is_whole=True) == b"Disal"
    for broken in (b"", packed[:-1], packed[: len(packed) // 2], packed + b"x"):
        with pytest.raises(unpacking.UnreadableBodyError):
            unpacking.unpack(broken, [encoding], 100_000, is_whole=True)
    half = unpacking.unpack(packed[: len(packed) // 2], [encoding], 100_000, is_whole=False)
    assert octets.startswith(half)


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["br", "zstd"])
def test_a_few_octets_take_no_more_memory_than_the_limit(encoding):
    pack = pytest.importorskip(LIBRARIES[encoding], reason=REASON).compress
    bomb = pack(bytes(50_000_000))
    with tracing_memory() as memory:
        octets = unpacking.unpack(bomb, [encoding], 500_000, is_whole=True)
        _, peak = memory()
    assert len(octets) == 500_000
    assert peak < 5_000_000


def test_an_old_library_that_knows_no_limit_is_not_used(monkeypatch):
    class Old:
        """brotli before 1.2."""

        def process(self, packed):
            return packed

    monkeypatch.setitem(sys.modules, "brotli", SimpleNamespace(Decompressor=Old))
    decoders.decoders.cache_clear()
    assert not unpacking.can_unpack(["br"])
    assert unpacking.can_unpack(["gzip", "deflate", "identity"])
    decoders.decoders.cache_clear()


def test_of_a_body_that_was_cut_here_what_has_come_is_read():
    octets = unpacking.unpack(PACKED[:-9], ["gzip"], 1000, is_whole=False)
    assert octets
    assert b"User-agent: *".startswith(octets)


def test_the_encoding_that_was_applied_last_is_taken_off_first():
    packer = zlib.compressobj(wbits=-15)  # a deflate without a header, as some servers send it
    packed = packer.compress(PACKED) + packer.flush()
    octets = unpacking.unpack(packed, ["gzip", "deflate"], 1000, is_whole=True)
    assert octets == b"User-agent: *"


@pytest.mark.parametrize("encodings", [["identity"], ["gzip"], []])
def test_no_more_is_given_than_the_limit(encodings):
    octets = PACKED if encodings == ["gzip"] else b"User-agent: *"
    assert unpacking.unpack(octets, encodings, 5, is_whole=True) == b"User-"


def test_downloads_are_listened_to_from_the_first_body_that_is_expected_to_the_last():
    ended: list[Request] = []
    crawler = get_crawler()
    bodies = Bodies(crawler, ended.append)
    first, last = (Request(f"http://{name}.example/robots.txt") for name in ("first", "last"))

    def are_listened_to():
        listened_to = (signals.request_reached_downloader, signals.bytes_received)
        return [compat.has_receivers(crawler, one) for one in listened_to] == [True, True]

    for _ in range(2):
        with Body(bodies, last, 10):
            with Body(bodies, first, 10):
                assert are_listened_to()
            assert are_listened_to()
        assert not compat.has_receivers(crawler, signals.bytes_received)
    assert ended == [first, last] * 2


@only_on_cpython
def test_a_fetch_that_has_ended_is_freed_without_the_collector():
    """In a broad crawl the requests of all origins would stay until a full collection."""
    request = Request("http://here.example/robots.txt")
    freed = ref(request)
    gc.collect()
    gc.disable()
    try:
        with Body(Bodies(get_crawler(), lambda _: None), request, 10) as body:
            body.received = 1
        assert is_fetch(request)
        del request, body
        assert freed() is None
    finally:
        gc.enable()


def test_signals_of_another_library_are_listened_to_and_left_too(monkeypatch):
    """As in Scrapy's pull request 7942, where `disconnect` takes no `weak`."""
    monkeypatch.delattr("scrapy.signalmanager.dispatcher")
    connected: list = []
    manager = SimpleNamespace(
        connect=lambda receiver, signal, *, weak: connected.append((receiver, signal, weak)),
        disconnect=lambda receiver, signal: connected.remove((receiver, signal, False)),
    )
    bodies = Bodies(SimpleNamespace(signals=manager), lambda _: None)
    with Body(bodies, Request("http://here.example/robots.txt"), 10):
        assert len(connected) == 3
    assert connected == []


@pytest.mark.parametrize("is_cut", [True, False])
def test_half_of_a_packed_body_is_read_only_where_it_was_cut_here(is_cut):
    limit, request = 100, Request("http://here.example/robots.txt")
    body = Body(Bodies(get_crawler(), lambda _: None), request, limit)
    body.encodings, body.received = ["gzip"], limit + is_cut
    response = Response(request.url, body=PACKED[:-9])
    if is_cut:
        assert b"User-agent: *".startswith(body.octets(response) or b"nothing")
    else:
        with pytest.raises(unpacking.UnreadableBodyError):
            body.octets(response)


def test_no_more_is_loaded_than_the_limit_in_however_many_pieces_it_comes():
    bodies, request = Bodies(get_crawler(), lambda _: None), Request("http://here.example/")
    with Body(bodies, request, 10):
        for _ in range(10):
            bodies._count(b"x", request)
        with pytest.raises(StopDownload):
            bodies._count(b"x", request)


NAMED = {"": (), ",": (), " gzip ,": ("gzip",), "GZIP,,Deflate": ("gzip", "deflate")}


@pytest.mark.parametrize("header", NAMED)
def test_an_encoding_without_a_name_is_none(header):
    """Else a file that came as it is would count as unreadable, and close its site."""
    assert unpacking.encodings_of(header) == NAMED[header]
