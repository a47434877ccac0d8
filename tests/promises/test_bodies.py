"""docs/when-things-fail.md: what a crawl makes of answers that are broken, odd or meant to harm.

Real HTTP: each answer has a site of its own, and few crawls ask all of them.
"""

from __future__ import annotations

import gzip
import socket
import threading
import zlib
from collections import Counter
from contextlib import ExitStack, contextmanager
from itertools import chain

import pytest
import twisted
from scrapy import signals, version_info
from scrapy.exceptions import StopDownload

from tests.crawls import OURS, Plan, Spider, crawl, crawl_apart
from tests.names import PACE
from tests.on_reactor import on_reactor
from tests.site import Answer, Site, free_port, moved, robots
from tests.traced_memory import tracing_memory

pytestmark = pytest.mark.slow  # whole crawls

TEXT = b"User-agent: *\nDisallow: /no\n"
PLAIN = {"Content-Type": "text/plain"}
FATES = {"closed": set(), "rules": {"/yes"}, "open": {"/no", "/yes"}}
CUT, UNREADABLE = ("closed", "cut body"), ("closed", "unreadable body")
READ, OPEN = ("rules", "200"), ("open", "200")


def plain(body=TEXT, **more):
    return Answer(body, headers=PLAIN, **more)


def packed(body, encoding):
    return Answer(body, headers={**PLAIN, "Content-Encoding": encoding})


def raw(body):
    return Answer(raw=body)


def part(body, content_range):
    return Answer(body, status=206, headers={**PLAIN, "Content-Range": content_range})


def thrice(body):
    return gzip.compress(gzip.compress(gzip.compress(body)))


def raw_deflate(body):
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(body) + packer.flush()


# Scrapy's client of 2.18, on Twisted 26, passes over a header line that is none.
IS_LENIENT = version_info >= (2, 18) and twisted.version.major >= 26
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
LENGTH = b"Content-Length: %d\r\n\r\n" % len(TEXT)
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
CHUNK = b"%x\r\n%s\r\n" % (len(TEXT), TEXT)
LAST = b"0\r\n\r\n"
GZIP = gzip.compress(TEXT)
IN_GZIP = b"%x\r\n%s\r\n" % (len(GZIP), GZIP) + LAST
BROWSER = b'<html><head></head><body><pre style="a">%s</pre></body></html>'
FILLING = b"# filling\n" * 1_000_000

# The answer to /robots.txt; what is made of it, and the status, or the cause, "" where each HTTP
# client has its own.
ANSWERS = {
    "as it should be": (plain(), *READ),
    "nothing": (plain(b""), *OPEN),
    # Lengths
    "shorter than its length": (plain(promise=500), *CUT),
    "reset in the middle": (plain(reset=10), "closed", "reset"),
    "reset at once": (plain(reset=0), "closed", "reset"),
    "no length, then closed": (raw(HEAD + b"\r\n" + TEXT), *READ),
    "chunked": (raw(CHUNKED + CHUNK + LAST), *READ),
    "cut in a chunk": (raw(CHUNKED + b"fff\r\n" + TEXT), *CUT),
    "no last chunk": (raw(CHUNKED + CHUNK), *CUT),
    "a length that is no number": (
        raw(HEAD + b"Content-Length: abc\r\n\r\n" + TEXT),
        "closed",
        "",
    ),
    "in gzip, then chunked": (
        raw(HEAD + b"Transfer-Encoding: gzip, chunked\r\n\r\n" + IN_GZIP),
        "closed",
        "",
    ),
    "in a transfer coding that nobody knows": (
        raw(HEAD + b"Transfer-Encoding: xchunked\r\n\r\n" + CHUNK + LAST),
        "closed",
        "",
    ),
    "hints before the answer": (
        raw(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * 2 + HEAD + LENGTH + TEXT),
        *READ,
    ),
    # Parts, and answers to what was not asked
    "the first part": (part(TEXT[:13], f"bytes 0-12/{len(TEXT)}"), *UNREADABLE),
    "the last part": (part(TEXT[14:], f"bytes 14-{len(TEXT) - 1}/{len(TEXT)}"), *UNREADABLE),
    "a part of who knows what": (part(TEXT, "bytes 0-28/*"), *UNREADABLE),
    "a part that is not named": (plain(status=206), *UNREADABLE),
    "the whole as a part": (
        part(TEXT, f" Bytes 0-{len(TEXT) - 1}/{len(TEXT)}"),
        "rules",
        "206",
    ),
    "304": (Answer(status=304), "closed", "304 unasked for"),
    # Encodings
    "gzip": (packed(GZIP, "gzip"), *READ),
    "x-gzip": (packed(GZIP, "x-gzip"), *READ),
    "gzip in two members": (
        packed(gzip.compress(TEXT[:14]) + gzip.compress(TEXT[14:]), "gzip"),
        *READ,
    ),
    "deflate": (packed(zlib.compress(TEXT), "deflate"), *READ),
    "deflate without its header": (packed(raw_deflate(TEXT), "deflate"), *READ),
    "deflate of gzip": (packed(zlib.compress(GZIP), "gzip,, DEFLATE,"), *READ),
    "three encodings": (packed(thrice(TEXT), "gzip, gzip, gzip"), *READ),
    "four encodings": (packed(gzip.compress(thrice(TEXT)), "gzip, gzip, gzip, gzip"), *UNREADABLE),
    "300 encodings": (packed(TEXT, "gzip," * 300), *UNREADABLE),
    "no encodings at all": (packed(TEXT, ","), *READ),
    "identity": (packed(TEXT, "identity"), *READ),
    "what is no encoding": (packed(TEXT, "utf-8"), *READ),
    "what is no encoding, of what is no text": (packed(GZIP, "none"), *UNREADABLE),
    "an unknown encoding": (packed(TEXT, "rot13"), *UNREADABLE),
    "gzip, and no header says so": (plain(GZIP), *OPEN),
    "gzip that is none": (packed(TEXT, "gzip"), *UNREADABLE),
    "gzip that is cut": (packed(GZIP[:-12], "gzip"), *UNREADABLE),
    "gzip of which nothing came": (packed(b"", "gzip"), *UNREADABLE),
    "gzip and more": (packed(GZIP + b"x", "gzip"), *UNREADABLE),
    "101 members": (packed(gzip.compress(b"") * 101, "gzip"), *UNREADABLE),
    "404, in gzip that is none": (
        Answer(b"none", status=404, headers={"Content-Encoding": "gzip"}),
        "open",
        "404",
    ),
    # Sizes: `rfc9309` reads 512,000 bytes
    "longer than is read": (plain(TEXT + FILLING + b"Disallow: /yes\n"), *READ),
    "a rule that is cut": (plain(TEXT.ljust(511_989, b"#") + b"\nAllow: /no/but/this"), *READ),
    "longer than is read, in gzip": (packed(gzip.compress(TEXT + FILLING, 1), "gzip"), *READ),
    "a million stars": (plain(TEXT + b"Disallow: /" + b"*a" * 200_000), *READ),
    # Texts
    "a page": (Answer(b"<html><body>Disallow: nothing</body></html>"), *OPEN),
    "a page that leads elsewhere": (
        Answer(
            b'<html><meta http-equiv="refresh" content="0; url=/other"></html>',
            headers={"Content-Type": "text/html"},
        ),
        *OPEN,
    ),
    "a browser's page": (Answer(BROWSER % TEXT), *READ),
    "a browser's page of a long text": (Answer(BROWSER % (TEXT + b"# &amp;\n" * 100_000)), *READ),
    "a browser's page in gzip": (packed(gzip.compress(BROWSER % TEXT), "gzip"), *READ),
    "UTF-16": (plain(TEXT.decode().encode("utf-16")), *OPEN),
    "a byte order mark": (plain(b"\xef\xbb\xbf" + TEXT), *READ),
    # Status lines and headers
    "no HTTP": (raw(b"\x00\xff\x15\x03" * 100), "closed", ""),
    "the file alone": (raw(TEXT), "closed", ""),
    "closed at once": (raw(b""), "closed", "reset"),
    "a status below 0": (raw(b"HTTP/1.1 -200 OK\r\n" + LENGTH + TEXT), "closed", ""),
    "a status of four digits": (raw(b"HTTP/1.1 1000 OK\r\n" + LENGTH + TEXT), "closed", ""),
    "a megabyte of headers": (
        raw(HEAD + b"X: " + b"x" * 1_000_000 + b"\r\n" + LENGTH + TEXT),
        "closed",
        "",
    ),
    "tags of 70,000 bytes": (
        raw(HEAD + b"ETag: %s\r\n" % (b"x" * 10_000) * 7 + LENGTH + TEXT),
        *READ,
    ),
    "a header without a colon": (
        raw(HEAD + b"nonsense\r\n" + LENGTH + TEXT),
        *(READ if IS_LENIENT else ("closed", "connection failed")),
    ),
    # Redirects
    "to one place, by two headers": (
        raw(b"HTTP/1.1 301 Test\r\n" + b"Location: /r\r\n" * 2 + b"Content-Length: 0\r\n\r\n"),
        *READ,
    ),
    "to a place of bytes": (moved("/räume".encode().decode("latin-1")), *READ),
    "by gzip of which nothing came": (
        Answer(status=301, headers={"Location": "/r", "Content-Encoding": "gzip"}),
        *READ,
    ),
}
DRIP = b"X: " + b"x" * 3000
SLOW = {
    "never": plain(after=None),
    "a byte now and then": plain(TEXT * 100, drip=0.1),
    "headers, a byte now and then": Answer(raw=HEAD + DRIP, drip=0.1),
    "chunks, a byte now and then": Answer(raw=CHUNKED + b"fff\r\n" + TEXT * 100, drip=0.1),
}
TARGETS = {"/r": plain(), "/r%C3%A4ume": plain()}
OF_PAGES = {  # which bind no robots.txt
    "DOWNLOAD_FAIL_ON_DATALOSS": False,
    "DOWNLOAD_MAXSIZE": 1000,
    "COMPRESSION_ENABLED": False,
    "RETRY_TIMES": 0,
    "RETRY_ENABLED": False,
}


@contextmanager
def sites_of(answers):
    """A site for each answer, each with an address of its own."""
    with ExitStack() as stack:
        yield {
            name: stack.enter_context(Site({"/robots.txt": answer, **TARGETS}, f"127.3.0.{number}"))
            for number, (name, answer) in enumerate(answers.items(), 1)
        }


@on_reactor
async def test_each_answer_leaves_open_what_it_should_and_its_cause_is_known():
    with sites_of({name: answer for name, (answer, *_) in ANSWERS.items()}) as sites:
        urls = {name: [site.url("/yes"), site.url("/no")] for name, site in sites.items()}
        seen, crawler = await crawl(*chain.from_iterable(urls.values()), settings=OF_PAGES)
        visited = {name: {*site.paths} & {"/yes", "/no"} for name, site in sites.items()}
    assert visited == {name: FATES[found] for name, (_, found, _) in ANSWERS.items()}
    outcomes = {name: outcome for name, (*_, outcome) in ANSWERS.items()}
    for name, (_, found, known) in ANSWERS.items():
        if found == "closed":
            cause = crawler.spider.verdicts[urls[name][0]].why
            assert cause == (known or cause), name
            outcomes[name] = cause
    key = "robots/outcome/"
    counted = {name[len(key) :]: n for name, n in seen.stats.items() if name.startswith(key)}
    assert counted == Counter(outcomes.values())
    assert seen.stats["downloader/response_bytes"] < len(FILLING)  # the rest was not loaded


@on_reactor
async def test_an_answer_that_never_comes_whole_is_a_timeout():
    with sites_of(SLOW) as sites:
        urls = [site.url("/yes") for site in sites.values()]
        _, crawler = await crawl(*urls, settings={**OF_PAGES, "ROBOTS_FETCH_TIMEOUT": 0.5})
    assert {crawler.spider.verdicts[url].why for url in urls} == {"timeout"}


def answer_without_tls(server):
    connection, _ = server.accept()
    with connection:
        connection.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        connection.recv(10_000)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # Scrapy 2.14 with a newer pyOpenSSL
@on_reactor
async def test_a_site_that_cannot_be_reached_is_closed():
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=answer_without_tls, args=(server,), daemon=True).start()
        causes = {
            f"http://127.0.0.1:{free_port()}/": "connection refused",
            f"https://127.0.0.1:{server.getsockname()[1]}/": "tls",
            "http://no-such-host.invalid/": "dns",
        }
        _, crawler = await crawl(*causes, settings=OF_PAGES)
    assert {url: verdict.why for url, verdict in crawler.spider.verdicts.items()} == causes


@on_reactor
async def test_a_robots_txt_is_asked_for_in_encodings_that_can_be_cut():
    """Scrapy asks for more with pages, where the libraries are installed."""
    with Site({"/robots.txt": plain()}) as site:
        await crawl(site.url("/yes"))
    assert site.hits[0].headers["accept-encoding"] == "gzip, deflate"


BOMBS = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "gzip, gzip": lambda body: gzip.compress(gzip.compress(body)),
}


@pytest.mark.parametrize("kind", BOMBS)
@on_reactor
async def test_a_bomb_takes_no_more_memory_than_a_file_and_a_cut_one_is_no_file(kind):
    pack = BOMBS[kind]
    bomb, text = pack(TEXT + bytes(50_000_000)), pack(TEXT)
    answers = {"bomb": bomb, "whole": text, "cut": text[:-1], "longer": text + b"x"}
    with sites_of({name: packed(body, kind) for name, body in answers.items()}) as sites:
        urls = [site.url(path) for site in sites.values() for path in ("/yes", "/no")]
        with tracing_memory() as memory:
            await crawl(*urls, settings=OF_PAGES)
            _, peak = memory()
        visited = [{*site.paths} - {"/robots.txt"} for site in sites.values()]
    assert visited == [FATES[found] for found in ("rules", "rules", "closed", "closed")]
    assert peak < 20_000_000


class Stopping(Spider):
    """Has each download of a robots.txt stopped at a signal of Scrapy's."""

    async def start(self):
        self.crawler.signals.connect(self.stop, self.when)
        async for request in super().start():
            yield request

    def stop(self, request):
        if request.url.endswith("/robots.txt"):
            raise StopDownload(fail=False)


LONG = plain(b"#\n" * 200_000 + TEXT)  # in more than one piece
STOPPED = {
    "after its headers": (signals.headers_received, plain(), "closed"),
    "in its middle": (signals.bytes_received, LONG, "closed"),
    "at its end": (signals.bytes_received, plain(), "rules"),
}


@pytest.mark.parametrize("where", STOPPED)
@on_reactor
async def test_a_file_whose_download_the_user_stops_is_read_if_it_is_whole(where, caplog):
    when, answer, found = STOPPED[where]
    with Site({"/robots.txt": answer}) as site:
        await crawl(site.url("/yes"), site.url("/no"), spider=Stopping, when=when)
        assert {*site.pages} == FATES[found]
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []


def test_names_that_take_long_to_look_up_close_no_other_site():
    """All of them together take longer than a robots.txt may take, one at a time."""
    dead = [f"http://dead{n}.test/" for n in range(int(2.5 / PACE))]
    with Site({"/robots.txt": robots("")}) as site:
        live = site.url("/page").replace("127.0.0.1", "live.test")
        settings = {
            "ADDONS": {**OURS["ADDONS"], "tests.names.SlowNames": 600},
            "TEST_ADDRESS": "127.0.0.1",
            "REACTOR_THREADPOOL_MAXSIZE": 1,
            "ROBOTS_FETCH_TIMEOUT": 2.0,
            "RETRY_TIMES": 0,
        }
        seen = crawl_apart(Plan([*dead, live], settings))
    assert (seen.answered, sorted(seen.dropped)) == ([live], sorted(dead))
    assert seen.stats["robots/outcome/dns"] == len(dead)
