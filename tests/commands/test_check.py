"""`check`: many sites, streams of URLs, and what is no text."""

from __future__ import annotations

import gzip
import io
import random
import socket
import threading
from contextlib import ExitStack, closing

import pytest

from scrapy_robots_policy.commands import command_line
from tests.missing import not_on_windows
from tests.site import Answer, Site
from tests.site import robots as served

from .run import policy, robots

RULES = "User-agent: *\nDisallow: /x\n"
TDMREP = "/.well-known/tdmrep.json"


def test_answers_of_many_sites_come_in_the_order_of_the_urls():
    with ExitStack() as stack:
        sites = [stack.enter_context(Site({"/robots.txt": served(RULES)})) for _ in range(12)]
        urls = [site.url(path) for path in ("/x", "/y") for site in sites]
        output = policy("check", "--quiet", "--jobs", "5", stdin="\n".join(urls).encode())
        words = ["refused"] * 12 + ["allowed"] * 12
        assert [line.split()[:2] for line in output.lines] == [
            [word, url] for word, url in zip(words, urls, strict=True)
        ]
        assert [site.paths for site in sites] == [["/robots.txt"]] * 12


@pytest.mark.slow
def test_sites_that_never_answer_are_waited_for_together():
    with ExitStack() as stack:
        silent = [
            stack.enter_context(closing(socket.create_server(("127.0.0.1", 0)))) for _ in range(20)
        ]
        urls = [f"http://127.0.0.1:{one.getsockname()[1]}/" for one in silent]
        site = stack.enter_context(Site({"/robots.txt": served(RULES)}))
        output = policy("check", "--jobs", "21", "--timeout", "0.3", *urls, site.url("/x"))
        assert output.status == 3
        assert [line.split()[0] for line in output.lines] == ["unreachable"] * 20 + ["refused"]
        assert output.err.count(" is unreachable (timeout") == 20


def test_the_tdmrep_json_of_many_sites_are_fetched_at_a_time():
    both_asked = threading.Barrier(2)

    def answer(_headers):
        both_asked.wait(60)
        return served('[{"location": "/*", "tdm-reservation": 1}]')

    script = {"/robots.txt": served(""), TDMREP: answer}
    with Site(script) as one, Site(script) as other:
        urls = one.url("/a"), other.url("/a")
        output = robots("check", *urls, settings={"ROBOTS_PURPOSE": "train-ai"})
    assert [line.split()[0] for line in output.lines] == ["refused"] * 2


def test_a_password_in_a_url_is_sent_to_nobody_and_shown_to_nobody():
    sent_headers = []

    def answer(headers):
        sent_headers.append(str(headers))
        return served(RULES)

    script = {"/robots.txt?of=http://me@e.com/": answer, "/robots.txt": answer, "/t": answer}
    with Site(script) as site:
        for path in ("/robots.txt", "/robots.txt?of=http://me@e.com/", ""):
            url = site.origin.replace("://", "://me:secret@") + path
            for line in (("check", "--robots", url, "/x"), ("lint", url), ("diff", url, url)):
                output = policy(*line)
                assert output.status in (0, 1)
                assert "secret" not in output.out + output.err
    assert len(sent_headers) >= 9
    assert not any("authorization" in one.lower() for one in sent_headers)


STREAMS = {
    "empty lines": (b"/a\n\n  /private/b  \r\n", ["/a", "/private/b"]),
    "a mark": (b"\xef\xbb\xbf/private/x\r\n\xef\xbb\xbf/a\r\n", ["/private/x", "/a"]),
    "no end": (b"/private/and/more\n/a/b/c", ["/private/and/more", "/a/b/c"]),
    "escapes": (b"/\x1b[2J\n/\x9b2J\n", [r"/\x1b[2J", "/%9B2J"]),
    "another script": ("/часть".encode(), ["/часть"]),
    "a comment": (b"# from the log\n/a\n", ["/a"]),
}


@pytest.mark.parametrize("name", STREAMS)
def test_a_stream_has_one_url_a_line(file, name):
    body, urls = STREAMS[name]
    for dash in ((), ("-",)):
        output = policy("check", "--quiet", "--robots", file, *dash, stdin=body)
        assert [line.split()[1] for line in output.lines] == urls


@pytest.mark.slow
def test_each_url_of_a_long_stream_has_its_answer(file):
    paths = [("/private/" if n % 3 else "/") + str(n) for n in range(100_000)]
    output = policy("check", "--robots", file, "--quiet", stdin="\r\n".join(paths).encode())
    assert [tuple(line.split()[:2]) for line in output.lines] == [
        ("refused" if path.startswith("/private") else "allowed", path) for path in paths
    ]


@not_on_windows
def test_bytes_that_nothing_decodes_are_asked_about_as_they_are_sent(tmp_path):
    (tmp_path / "robots.txt").write_bytes(b"User-agent: *\nDisallow: /caf\xe9")
    check = ("check", "--quiet", "--robots", tmp_path / "robots.txt")
    streamed = policy(*check, stdin=b"/caf\xe9")
    assert streamed.lines == ["refused  /caf%E9  for *"]
    # As Python hands over an argument that is not of the locale.
    assert policy(*check, b"/caf\xe9".decode("ascii", "surrogateescape")) == streamed


class OneAtATime(io.RawIOBase):
    """Standard input of somebody who looks at the output before each line, and at the end."""

    def __init__(self, lines, output):
        self.lines, self.output, self.seen = iter(lines), output, []

    def readable(self):
        return True

    def readinto(self, buffer):
        self.seen.append(len(self.output.getvalue().splitlines()))
        line = next(self.lines, b"")
        buffer[: len(line)] = line
        return len(line)


def test_whoever_writes_one_url_at_a_time_is_answered_one_at_a_time(monkeypatch):
    output = io.BytesIO()
    with Site({"/robots.txt": served(RULES)}) as site:
        typed = OneAtATime([f"{site.url(path)}\n".encode() for path in ("/a", "/x", "/b")], output)
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BufferedReader(typed)))
        monkeypatch.setattr("sys.stdout", io.TextIOWrapper(output))
        command_line.main(["check"])
    assert typed.seen == [0, 1, 2, 3]


# what came in place of a robots.txt, and whether it looks like text
KINDS = {
    "a PNG image": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\b\6\0\0\0\x1f\x15", False),
    "a gzip file": (gzip.compress(RULES.encode()), False),
    "random bytes": (random.Random(1).randbytes(9000), False),
    "ASCII": (RULES.encode(), True),
    "nothing": (b"", True),
    "stray controls in much text": (b"#\x01\x02\x03" + b" a comment" * 20, True),
    "one stray NUL": (b"User-agent: *\nDisallow: /x\0\n", True),
    "KOI8-R": ("# \u043f\u0440\u0438\u0432\u0435\u0442\n".encode("koi8-r"), True),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_that_is_no_text_is_answered_with_one_warning(kind, tmp_path):
    body, is_text = KINDS[kind]
    (tmp_path / "robots.txt").write_bytes(body)
    of_file = policy("check", "--robots", tmp_path / "robots.txt", "/a", "/b")
    of_stdin = policy("check", "--robots", "-", "/a", "/b", stdin=body)
    with Site({"/robots.txt": Answer(body=body)}) as site:
        of_site = policy("check", site.url("/a"), site.url("/b"))
    for output in (of_file, of_stdin, of_site):
        assert [line.split()[0] for line in output.lines] == ["allowed", "allowed"]
        assert (
            output.err.count("does not look like text") == output.err.count("\n") == (not is_text)
        )


def test_a_file_in_utf_16_is_named_as_what_it_is(tmp_path):
    path = tmp_path / "robots.txt"
    path.write_bytes(RULES.encode("utf-16"))
    assert "in UTF-16 or UTF-32, which nobody can read" in policy("blocked", path).out
    assert "it forbids nothing" in policy("explain", "--robots", path, "/a").out
