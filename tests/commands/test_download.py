"""A robots.txt that a command fetches: it ends whatever the server does, and leads nowhere else."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress

import pytest

from tests.certificate import TwoFaced
from tests.site import Answer, Site, moved
from tests.site import robots as served

from .run import policy, robots

HINTS = b"HTTP/1.1 103 Early Hints\r\n\r\n"
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 26\r\n\r\nUser-agent: *\nDisallow: /x\n"
LONG = b"User-agent: *\nDisallow: /x\nAllow: /x" + b"a" * 2_000_000
# what the server sends, and what `check` prints about /x
ANSWERS = {
    "a file": (Answer(raw=OK), "refused line 2"),
    "a file that is too long": (Answer(LONG), "refused line 2, Disallow: /x"),
    "a body that ends too soon": (Answer(b"User-agent", promise=50), "unreachable"),
    "a reset": (Answer(b"User-agent: *", reset=3), "(reset"),
    "no HTTP": (Answer(raw=b"hello\r\n"), "(no HTTP"),
    "an unreadable body": (Answer(b"x", headers={"Content-Encoding": "br"}), "unreadable body"),
    "nothing": (Answer(after=None), "(timeout"),
    "a byte now and then": (Answer(OK * 9, drip=0.05), "(timeout"),
    "redirects for ever": (moved("/robots.txt"), "allowed no robots.txt (301"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ANSWERS)
def test_a_fetch_ends_with_an_answer_or_with_what_went_wrong(name):
    answer, words = ANSWERS[name]
    with Site({"/robots.txt": answer}) as site:
        output = policy("check", "--timeout", "0.3", site.url("/x"))
    assert output.says(words), output


# the host, and what went wrong
HOSTS = [
    ("no-such-host.invalid", "(dns, no address is known for the host)"),
    ("127.0.0.1:1", "(connection refused, no server listens at that host and port)"),
]


@pytest.mark.parametrize(("host", "words"), HOSTS)
def test_a_host_that_cannot_be_reached_is_named_with_the_cause(host, words):
    output = policy("check", f"http://{host}/")
    assert (output.status, words in output.err) == (3, True), output.err


def test_a_proxy_that_cannot_be_had_is_named(monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    assert "(connection refused, at the proxy)" in policy("check", "http://site.example/").err
    with Site({"/robots.txt": served("")}) as site:
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        assert policy("check", site.url("/")).status == 0


def test_what_is_wrong_about_a_certificate_is_said():
    with TwoFaced({}, {}) as site:
        # OpenSSL 1: "self signed certificate"
        assert "(tls, self" in policy("check", f"{site.secure_origin}/").err


def test_what_is_no_tls_is_said_to_be_none():
    """The server answers at once: whether the bytes of TLS have a line in them is chance."""

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
        assert "(tls, " in policy("check", f"https://127.0.0.1:{server.getsockname()[1]}/").err
        answering.join(60)


@pytest.mark.parametrize(("where", "is_followed"), [("anywhere", True), ("same-site", False)])
@pytest.mark.parametrize("verb", ["check", "explain", "blocked"])
def test_redirects_lead_where_the_project_lets_them(verb, where, is_followed):
    with Site({"/robots.txt": served("User-agent: *\nDisallow: /")}, "127.0.0.2") as other:
        with Site({"/robots.txt": moved(other.url("/robots.txt"))}) as site:
            robots(verb, site.url("/x"), settings={"ROBOTS_REDIRECTS": where})
        assert bool(other.paths) is is_followed
