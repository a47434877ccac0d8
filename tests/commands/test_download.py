"""What must be true of a fetch without a crawl: it ends, whatever the server does."""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
from contextlib import suppress
from email.message import Message
from time import monotonic
from types import SimpleNamespace
from urllib.error import URLError

import pytest

from scrapy_robots_policy.commands.printing.causes_in_full import MEANINGS, in_full
from scrapy_robots_policy.commands.reading import download, inputs
from scrapy_robots_policy.commands.reading.connections import MAX_INTERIM
from scrapy_robots_policy.commands.reading.fetches import AHEAD, Fetches, started_ahead
from scrapy_robots_policy.fetch.causes import CAUSES
from scrapy_robots_policy.fetch.order import MAX_OCTETS
from scrapy_robots_policy.fetch.redirects import RedirectGuard
from scrapy_robots_policy.fetch.unpacking import UnreadableBodyError
from scrapy_robots_policy.rep import DIALECTS, FetchResult
from tests.certificate import TwoFaced
from tests.site import Answer, Site

URL = "http://site.example/robots.txt"


class Response:
    """Gives `octets` so many times. `length`: the octets that are still to come."""

    def __init__(self, octets=b"", times=1, length=0):
        self.octets, self.times, self.length = octets, times, length
        self.status, self.headers = 200, Message()

    def read(self, most):
        self.times -= 1
        return self.octets[:most] if self.times >= 0 else b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


def later(seconds=60.0):
    return monotonic() + seconds


def test_a_body_is_read_up_to_the_limit():
    octets, is_whole = download._read(Response(b"x" * 65_536, times=100), later())
    assert (len(octets), is_whole) == (MAX_OCTETS + 1, False)
    assert download._read(Response(b"x" * 5), later()) == (b"x" * 5, True)


def test_of_a_file_that_is_too_long_the_whole_lines_are_read():
    rule = b"User-agent: *\n"
    with Site({"/robots.txt": Answer(rule + b"Allow: /" + b"a" * MAX_OCTETS)}) as site:
        result = download._get(site.url("/robots.txt"), "Bot", later()).result
        assert (result.status, result.octets) == (200, rule)


def test_a_body_that_comes_an_octet_now_and_then_is_given_up_in_the_end():
    with pytest.raises(TimeoutError):
        download._read(Response(b"x", times=5), later(-1.0))


def test_a_body_that_ends_too_soon_is_no_file():
    with pytest.raises(http.client.IncompleteRead):
        download._read(Response(b"x", length=5), later())


def test_a_server_that_sends_hints_for_ever_has_no_answer():
    hints = b"HTTP/1.1 103 Early Hints\r\n\r\n" * (MAX_INTERIM + 1)
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
    for octets, status in ((hints + answer, 103), (hints[:-28] + answer, 200)):
        with Site({"/robots.txt": Answer(raw=octets)}) as site:
            assert download.fetch(site.url("/robots.txt"), "Bot", 5).status == status


def test_each_step_has_what_is_left_of_the_time():
    assert 900.0 < download._left(later(1000.0)) <= 1000.0
    assert 0 < download._left(later(-5.0)) < 1.0


def test_a_fetch_that_hangs_is_a_timeout(monkeypatch):
    gone = threading.Event()
    monkeypatch.setattr(download, "_follow", lambda *_: gone.wait(60))
    result = download.fetch(URL, "Bot", 5, deadline=0.01)
    gone.set()
    assert (result.status, result.cause) == (None, "timeout")


@pytest.mark.parametrize("host", ["a\0b", "a" * 64 + ".example", "a..example"])
def test_a_host_that_is_no_name_has_no_address(host):
    assert download._addresses_of(host) == ()


class Opener:
    """Opens every URL with one outcome, and notes the address of `peer`."""

    def __init__(self, outcome, note):
        self.outcome, self.note = outcome, note

    def open(self, request, timeout):
        self.note("10.0.0.1")
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome


def tls_fault(message: str) -> ssl.SSLCertVerificationError:
    fault = ssl.SSLCertVerificationError(1, "certificate verify failed")
    fault.verify_message = f"{message}."
    return fault


@pytest.mark.parametrize(
    ("fault", "cause"),
    [
        (UnreadableBodyError("br"), "unreadable body"),
        (http.client.BadStatusLine("x"), "no HTTP"),
        (http.client.RemoteDisconnected("x"), "reset"),
        (UnicodeError("label empty or too long"), "dns"),
        (tls_fault("certificate has expired"), "tls, certificate has expired"),
        (ssl.SSLError(1, "nobody knows what"), "tls"),
        (ValueError("no URL"), "ValueError"),
    ],
)
def test_what_goes_wrong_is_a_result(monkeypatch, fault, cause):
    monkeypatch.setattr(download, "opener", lambda note: Opener(fault, note))
    result = download._get(URL, "Bot", later()).result
    assert (result.status, result.cause) == (None, cause)


def test_what_is_no_tls_is_said_to_be_none():
    """The server answers at once: whether the octets of TLS have a line in them is chance."""

    def answer() -> None:
        connection, _ = server.accept()
        with connection, suppress(OSError):  # the client closes, or resets
            connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(4096):  # to close it earlier would reset it
                pass

    with socket.create_server(("127.0.0.1", 0)) as server:
        answering = threading.Thread(target=answer, daemon=True)
        answering.start()
        url = f"https://127.0.0.1:{server.getsockname()[1]}/robots.txt"
        assert download._get(url, "Bot", later()).result.cause.startswith("tls, ")
        answering.join(60)


def test_what_is_wrong_about_a_certificate_is_said():
    with TwoFaced({}, {}) as site:
        result = download._get(f"{site.secure_origin}/robots.txt", "Bot", later()).result
        assert result.cause.startswith("tls, self")  # OpenSSL 1: "self signed certificate"


@pytest.mark.parametrize(
    ("fault", "cause"),
    [
        (ConnectionRefusedError(), "connection refused, at the proxy"),
        (socket.gaierror(), "dns, at the proxy"),
        (ConnectionResetError(), "reset"),  # by whom, nobody knows
    ],
)
def test_a_proxy_that_cannot_be_had_is_named(monkeypatch, fault, cause):
    monkeypatch.setenv("http_proxy", "http://10.0.0.1:3128")
    monkeypatch.setattr(download, "opener", lambda note: Opener(URLError(fault), note))
    assert download._get(URL, "Bot", later()).result.cause == cause


def test_each_cause_that_a_command_can_have_has_a_meaning():
    of_crawls = {"dns timeout", "timeout while busy", "scheme not supported"}
    of_crawls |= {"dropped by a middleware", "kept by a middleware"}
    assert set(MEANINGS) == {cause for cause, _ in CAUSES} - of_crawls


@pytest.mark.parametrize(
    ("why", "full"),
    [
        ("dns", "dns, no address is known for the host"),
        ("timeout after 2 redirects", "timeout after 2 redirects, no whole answer came in time"),
        ("503", "503"),
        ("tls, certificate has expired", "tls, certificate has expired"),
        ("", ""),
    ],
)
def test_a_cause_is_given_with_its_meaning(why: str, full: str):
    assert in_full(why) == full


@pytest.mark.parametrize("proxy", ["", "http://10.0.0.1:3128"])
def test_the_address_of_a_proxy_says_nothing_about_the_site(monkeypatch, proxy):
    monkeypatch.setenv("http_proxy", proxy)
    monkeypatch.setattr(download, "opener", lambda note: Opener(Response(b"x"), note))
    answer = download._get(URL, "Bot", later())
    assert (answer.peer, answer.is_proxied) == (("", True) if proxy else ("10.0.0.1", False))


def test_what_the_environment_lets_pass_the_proxy_is_not_proxied(monkeypatch):
    monkeypatch.setenv("http_proxy", "http://10.0.0.1:3128")
    monkeypatch.setenv("no_proxy", "site.example")
    assert not download.is_proxied(URL)
    assert download.is_proxied("http://another.example/")


def test_a_fault_in_a_thread_is_raised_where_its_result_is_awaited():
    def fetch(url):
        raise LookupError(url)

    with pytest.raises(LookupError):
        Fetches(fetch, 1).result(URL)


def test_so_many_threads_fetch_and_they_end_with_the_process():
    before = {*threading.enumerate()}
    fetches = Fetches(lambda url: FetchResult(200, url.encode()), 2)
    for number in range(5):
        fetches.start(str(number))
    threads = [one for one in {*threading.enumerate()} - before if "_work" in one.name]
    assert [one.daemon for one in threads] == [True, True]
    results = [fetches.result(str(number)) for number in range(6)]  # the last was not started
    assert [result.octets for result in results] == [b"0", b"1", b"2", b"3", b"4", b"5"]


def test_fetches_are_started_for_so_many_items_ahead():
    started = []
    items = started_ahead(range(10 * AHEAD), started.append)
    assert next(items) == 0
    assert len(started) == AHEAD + 1
    assert list(items)[-1] == 10 * AHEAD - 1


def test_redirects_lead_where_the_user_lets_them_and_the_time_is_the_users(monkeypatch):
    calls = []
    monkeypatch.setattr(inputs, "fetch", lambda *arguments: calls.append(arguments))
    guard, dialect = RedirectGuard(same_site=True), DIALECTS["rfc9309"]
    options = SimpleNamespace(dialects=(dialect,), user_agent="Bot", guard=guard, timeout=7.0)
    inputs.read(URL, options)
    assert calls == [(URL, "Bot", dialect.access.redirects, guard, 7.0)]
