"""`check`: many sites, long streams, unreachable sites, and its formats."""

from __future__ import annotations

import csv
import gzip
import io
import json
import random
import socket
import threading
from contextlib import ExitStack, closing

import pytest

from scrapy_robots_policy.commands import command_line
from scrapy_robots_policy.commands.reading import fetches, inputs
from scrapy_robots_policy.commands.verbs import check
from scrapy_robots_policy.rep import Verdict, parse
from tests.missing import not_on_windows
from tests.site import PAGE, Answer, Site
from tests.site import robots as served

from .run import policy, robots

RULES = "User-agent: *\nDisallow: /x\n"


def test_answers_of_many_sites_come_in_the_order_of_the_urls():
    with ExitStack() as stack:
        sites = [stack.enter_context(Site({"/robots.txt": served(RULES)})) for _ in range(12)]
        urls = [site.url(path) for path in ("/x", "/y") for site in sites]
        output = policy("check", "--quiet", "--jobs", "5", stdin="\n".join(urls).encode())
        words = ["disallowed"] * 12 + ["allowed"] * 12
        assert [line.split()[:2] for line in output.lines] == [
            [word, url] for word, url in zip(words, urls, strict=True)
        ]
        assert [site.paths for site in sites] == [["/robots.txt"]] * 12


@pytest.mark.parametrize("purpose", ["", "train-ai"])
@pytest.mark.parametrize("path", ["/a/../x", "/a/%2e%2e/x", "/x/../a"])
def test_a_path_with_dot_segments_is_judged_in_both_forms_as_in_a_crawl(tmp_path, path, purpose):
    file = tmp_path / "robots.txt"
    file.write_text(RULES)
    settings = {"ROBOTS_PURPOSE": purpose} if purpose else {}
    output = robots("check", "--robots", str(file), path, "/a", settings=settings)
    assert output.lines == [
        f"disallowed  {path}  for Scrapy: line 2, Disallow: /x",
        "allowed     /a  for Scrapy: no rule matches",
    ]


@pytest.mark.slow
def test_sites_that_never_answer_are_waited_for_together():
    with ExitStack() as stack:
        silent = [
            stack.enter_context(closing(socket.create_server(("127.0.0.1", 0)))) for _ in range(40)
        ]
        urls = [f"http://127.0.0.1:{one.getsockname()[1]}/" for one in silent]
        site = stack.enter_context(Site({"/robots.txt": served(RULES)}))
        output = policy("check", "--jobs", "41", "--timeout", "3", *urls, site.url("/x"))
        assert output.status == 3
        assert [line.split()[0] for line in output.lines] == ["unreachable"] * 40 + ["disallowed"]
        assert (
            output.err.count(" is unreachable (timeout, no whole answer came in time): rfc9309: ")
            == 40
        )


STATUSES = [
    (["allowed"], 0),
    (["disallowed"], 1),
    (["unreachable", "disallowed"], 3),
    (["mailto:a@b", "unreachable", "disallowed"], 2),
]


@pytest.mark.parametrize(("urls", "status"), STATUSES)
def test_the_exit_status_tells_the_gravest_that_happened(urls, status):
    script = {"/robots.txt": served(RULES)}
    with Site(script) as site, Site({"/robots.txt": Answer(status=503)}) as broken:
        places = {
            "allowed": site.url("/a"),
            "disallowed": site.url("/x"),
            "unreachable": broken.url("/"),
        }
        assert policy("check", *(places.get(url, url) for url in urls)).status == status


def test_the_exit_status_is_that_of_all_urls_of_a_file(file):
    assert policy("check", "--robots", file, "/a", "/private/x", "/b").status == 1


def test_a_site_that_is_put_off_is_unreachable():
    with Site({"/robots.txt": Answer(status=503)}) as site:
        output = policy("check", "--dialect", "koster1996", site.url("/"))
    assert (output.status, output.out.split()[0]) == (3, "unreachable")


def test_a_site_that_is_open_while_it_cannot_be_reached_has_no_warning():
    with Site({"/robots.txt": Answer(status=503)}) as site:
        output = policy("check", "--dialect", "original1994", site.url("/"))
    assert (output.status, output.out.split()[0], output.err) == (0, "allowed", "")


def test_no_url_controls_the_terminal(file):
    output = policy("check", "--robots", file, stdin=b"/\x1b[2J\n/\x9b2J\n")
    assert set("\x1b\x9b").isdisjoint(output.out)
    assert len(output.lines) == 2


@pytest.mark.parametrize(("most", "hits"), [(3, [1, 1, 1]), (2, [2, 1, 1])])
def test_of_a_stream_of_urls_the_rules_of_the_newest_sites_are_kept(most, hits, monkeypatch):
    monkeypatch.setattr(check, "MAX_SITES", most)
    monkeypatch.setattr(fetches, "AHEAD", 0)
    with ExitStack() as stack:
        sites = [stack.enter_context(Site({"/robots.txt": served(RULES)})) for _ in range(3)]
        output = policy("check", *(site.url("/x") for site in (*sites, sites[0])))
        assert [line.split()[0] for line in output.lines] == ["disallowed"] * 4
        assert [len(site.paths) for site in sites] == hits


@pytest.mark.parametrize("text", ["x", "robots.txt", "ftp://a.b/", "?"])
def test_what_is_no_url_is_refused_and_the_others_are_answered(file, text):
    output = policy("check", "--robots", file, text, "/a", "--quiet")
    assert (output.status, output.out) == (2, "allowed     /a  for *\n")
    assert output.err == (
        f"robots-policy: {text!r} is no URL: write a whole one, or a path that starts with /\n"
    )


NO_URLS = {
    "example.com/x": "no whole URL: write https://example.com/x",
    "localhost:80?q": "no whole URL: write http://localhost:80?q",
    "localhost.example.com": "no whole URL: write https://localhost.example.com",
    "127.0.0.1:8000/x": "no whole URL: write http://127.0.0.1:8000/x",
    "http://not a url/x": "no URL: its host, 'not a url', has a space in it",
    "http://a:99999/x": "no URL: its host or its port cannot be one",
    "http://a..b/x": "no URL: its host or its port cannot be one",
    "http://[bad": "no URL: it has no host",
    "https:///x": "no URL: it has no host",
    "https://": "no URL: it has no host",
    "x": "no http or https URL: name the robots.txt for it with --robots",
}


@pytest.mark.parametrize("url", NO_URLS)
def test_a_mistyped_url_is_named_and_what_was_probably_meant(url):
    for verb in ("check", "explain"):
        output = policy(verb, url)
        assert (output.status, output.out) == (2, "")
        assert output.err == f"robots-policy: {url!r} is {NO_URLS[url]}\n"


@pytest.mark.parametrize("url", [url for url in NO_URLS if url.startswith("http")])
def test_a_mistyped_url_gets_no_answer_from_a_given_robots_txt_either(url, file):
    output = policy("check", "--robots", file, url)
    assert (output.status, output.out) == (2, "")
    assert output.err == f"robots-policy: {url!r} is {NO_URLS[url]}\n"


def test_a_site_without_its_scheme_is_named_where_a_robots_txt_is_given_too(file):
    output = policy("check", "--robots", file, "example.com/x")
    assert output.err == (
        "robots-policy: 'example.com/x' is no whole URL: write https://example.com/x\n"
    )
    assert policy("check", "--robots", "example.com", "/").err.endswith(
        "; if it is a site, write https://example.com/robots.txt\n"
    )
    assert policy("check", "--robots", file, "--tdmrep", "example.com", "/").err.endswith(
        "; if it is a site, write https://example.com/.well-known/tdmrep.json\n"
    )


@pytest.mark.parametrize("verb", ["check", "explain", "compare", "blocked"])
def test_what_is_neither_a_url_nor_a_path_is_not_answered_as_the_start_page(file, verb):
    output = policy(verb, "--robots", file, "private/")
    assert (output.status, output.out) == (2, "")
    assert output.err == (
        "robots-policy: 'private/' is no URL: write a whole one, or a path that starts with /\n"
    )


@not_on_windows
def test_a_robots_txt_that_cannot_be_read_gets_one_sentence(tmp_path):
    output = policy("check", "--robots", tmp_path, "/a")
    assert (output.status, output.out) == (2, "")
    assert f"cannot read {tmp_path}: Is a directory" in output.err


SOURCES = {
    "http://h.example": "http://h.example/robots.txt",
    "http://h.example/": "http://h.example/robots.txt",
    "https://me:secret@h.example:8443/#a": "https://h.example:8443/robots.txt",
    **{same: same for same in ("http://h.example/?q", "http://h.example/x", "ftp://h.example/")},
    **{same: same for same in ("", "-", "robots.txt", "http://", "http://h:99999/")},
}


@pytest.mark.parametrize("source", SOURCES)
def test_only_the_url_of_a_site_stands_for_that_of_its_robots_txt(source):
    assert inputs.robots_txt_of(source) == SOURCES[source]


@pytest.mark.parametrize("verb", ["check", "explain"])
def test_the_url_of_a_site_means_its_robots_txt(verb):
    with Site({"/": PAGE, "/robots.txt": served("User-agent: *\nDisallow: /x")}) as site:
        for url in (site.url("/"), site.url("/").replace("://", "://me:secret@")):
            assert policy(verb, "--robots", url, "/x").status == 1
    assert site.paths == 2 * ["/robots.txt"]


WITH_A_ROBOTS_TXT = {
    "check": ("check", "--robots", "URL", "/x"),
    "explain": ("explain", "--robots", "URL", "/x"),
    "compare": ("compare", "--robots", "URL", "/x"),
    "blocked": ("blocked", "URL"),
    "lint": ("lint", "URL"),
    "diff": ("diff", "URL", "URL"),
}


@pytest.mark.parametrize("verb", WITH_A_ROBOTS_TXT)
def test_a_robots_txt_is_fetched_and_named_without_the_password_in_its_url(verb):
    with Site({"/robots.txt": served("User-agent: *\nDisallow: /x")}) as site:
        url = site.url("/robots.txt").replace("://", "://me:secret@")
        output = policy(*(url if word == "URL" else word for word in WITH_A_ROBOTS_TXT[verb]))
    assert (output.status in {0, 1}, output.err) == (True, "")
    assert "secret" not in output.out
    assert set(site.paths) == {"/robots.txt"}


TDMREP = "/.well-known/tdmrep.json"


def test_the_tdmrep_json_of_many_sites_are_fetched_at_a_time():
    both_asked = threading.Barrier(2)

    def answer(_headers):
        both_asked.wait(60)
        return served('[{"location": "/*", "tdm-reservation": 1}]')

    script = {"/robots.txt": served(""), TDMREP: answer}
    with Site(script) as one, Site(script) as other:
        urls = one.url("/a"), other.url("/a")
        output = robots("check", *urls, settings={"ROBOTS_PURPOSE": "train-ai"})
    assert [line.split()[0] for line in output.lines] == ["disallowed"] * 2


def test_a_tdmrep_json_that_is_named_is_fetched_once_for_all_sites():
    script = {"/robots.txt": served("")}
    with Site(script) as one, Site(script) as other, Site({"/t": served("[]")}) as third:
        assert (
            robots("check", "--tdmrep", third.url("/t"), one.url("/"), other.url("/")).status == 0
        )
        assert third.count("/t") == 1


def test_a_tdmrep_json_is_fetched_without_the_password_in_its_url(file):
    with Site({"/t.json": Answer(b"[]")}) as site:
        url = site.url("/t.json").replace("://", "://me:secret@")
        output = policy("explain", "--robots", file, "--tdmrep", url, "/")
    assert "tdmrep.json  200\n" in output.out


def test_the_query_of_a_robots_txt_keeps_the_user_of_another_url():
    path = "/robots.txt?of=http://me@e.com/"
    with Site({path: served("User-agent: *\nDisallow: /x")}) as site:
        url = site.url(path).replace("://127", "://me:secret@127")
        assert policy("check", "--robots", url, "/x").status == 1
    assert site.paths == [path]


def test_standard_input_is_named_in_words():
    octets = b"\x89PNG\x01" * 100
    warning = "robots-policy: standard input does not look like text: no rules can be expected"
    assert policy("check", "--robots", "-", "/", stdin=octets).err.startswith(warning)
    assert "robots.txt   standard input: 0 octets" in policy("explain", "--robots", "-", "/").out
    assert policy("blocked", "-").lines[0] == "/  by standard input"


def test_csv_has_one_row_a_url_whatever_the_url_holds(file):
    urls = ["/a", '/private/"x",y', "https://e.com/\x1b[2J"]
    output = policy("check", "--robots", file, "--output-format", "csv", *urls)
    head, *rows = csv.reader(io.StringIO(output.out))
    assert head == ["verdict", "url", "agent", "cause"]
    assert rows == [
        ["allowed", "/a", "*", "no rule matches"],
        ["disallowed", '/private/"x",y', "*", "line 2, Disallow: /private/"],
        ["allowed", r"https://e.com/\x1b[2J", "*", "no rule matches"],
    ]


BY_KIND = {
    "a PNG image": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\b\6\0\0\0\x1f\x15", False),
    "a gzip file": (gzip.compress(RULES.encode()), False),
    "random octets": (random.Random(1).randbytes(9000), False),
    "ASCII": (RULES.encode(), True),
    "nothing": (b"", True),
    "DEL": (b"\x7f" * 50, False),
    "stray controls in much text": (b"#\x01\x02\x03" + b" a comment" * 20, True),
    "one stray NUL": (b"User-agent: *\nDisallow: /x\0\n", True),
    "a Cyrillic comment": (
        ("# \u043f\u0440\u0438\u0432\u0435\u0442\n" + RULES).encode("koi8-r"),
        True,
    ),
}


@pytest.mark.parametrize("kind", BY_KIND)
def test_a_file_that_is_no_text_is_answered_with_one_warning(kind, tmp_path):
    octets, is_text = BY_KIND[kind]
    path = tmp_path / "robots.txt"
    path.write_bytes(octets)
    warning = f"robots-policy: {path} does not look like text: no rules can be expected of it\n"
    output = policy("check", "--robots", path, "/a", "/b", "--quiet")
    assert output.out == "allowed     /a  for *\nallowed     /b  for *\n"
    assert output.err == ("" if is_text else warning)
    with Site({"/robots.txt": Answer(body=octets)}) as site:
        error = policy("check", site.url("/a"), site.url("/b")).err
        assert error.count("does not look like text") == (not is_text)


@pytest.mark.parametrize(
    ("octets", "dialect", "what"),
    [
        (
            RULES.encode("utf-16"),
            "google",
            "in UTF-16 or UTF-32, which nobody can read: google: it",
        ),
        (b"<!DOCTYPE html>\n" + RULES.encode(), "google", "an HTML page: google: any rules in"),
        (b"<!DOCTYPE html>\n" + RULES.encode(), "yandex", "an HTML page: yandex: everything is"),
    ],
)
def test_check_and_blocked_say_what_came_in_place_of_a_robots_txt(octets, dialect, what, tmp_path):
    path = tmp_path / "robots.txt"
    path.write_bytes(octets)
    output = policy("check", "--robots", path, "--dialect", dialect, "/a", "/b")
    assert output.err.startswith(f"robots-policy: {path} is {what}")
    assert output.err.count("\n") == 1
    assert policy("blocked", path).lines[0] == f"/  by {path}: {what.partition(': ')[0]}"


def test_explain_says_of_a_file_that_nobody_can_read_that_it_forbids_nothing(tmp_path):
    path = tmp_path / "robots.txt"
    path.write_bytes(RULES.encode("utf-16"))
    explained = policy("explain", "--robots", path, "/a").lines
    assert "mode         it forbids nothing" in explained


def test_json_tells_apart_what_is_unreachable():
    with Site({"/robots.txt": Answer(status=500)}) as site:
        value = json.loads(policy("check", "--json", site.url("/")).out)
        assert (value["verdict"], value["allowed"]) == ("unreachable", False)
        assert (value["agent"], value["dialect"]) == ("*", "rfc9309")
        assert value["reason"] == "robots.txt unreachable"


def test_a_byte_order_mark_is_no_part_of_a_url(file):
    lists = b"\xef\xbb\xbf/private/x\r\n", b"\xef\xbb\xbf/a\r\n"  # as `cat` joins two files
    output = policy("check", "--quiet", "--robots", file, stdin=b"".join(lists))
    assert output.lines == ["disallowed  /private/x  for *", "allowed     /a  for *"]


@not_on_windows
def test_octets_that_nothing_decodes_are_asked_about_as_they_are_sent(tmp_path):
    (tmp_path / "robots.txt").write_bytes(
        "User-agent: *\nDisallow: /часть\nDisallow: /caf".encode() + b"\xe9"
    )
    check = ("check", "--quiet", "--robots", tmp_path / "robots.txt")
    octets = ["/часть".encode(), b"/caf\xe9"]
    streamed = policy(*check, stdin=b"\n".join(octets))
    assert streamed.lines == ["disallowed  /часть  for *", "disallowed  /caf%E9  for *"]
    # As Python hands over arguments where the locale is C or, like this octet, not of the locale.
    assert policy(*check, *(one.decode("ascii", "surrogateescape") for one in octets)) == streamed


def test_a_dash_stands_for_the_urls_on_standard_input(file):
    check = ("check", "--quiet", "--robots", file)
    assert policy(*check, "-", stdin=b"/private/x\n").out == "disallowed  /private/x  for *\n"
    assert policy("check", "--robots", "-", "-").err == (
        "robots-policy: standard input can be one file only, but - stands for two\n"
    )


def test_a_url_is_whole_however_little_of_it_is_read_at_once(file, monkeypatch):
    monkeypatch.setattr(check, "_CHUNK", 3)
    output = policy("check", "--quiet", "--robots", file, stdin=b"/private/and/more\n/a/b/c")
    assert [line.split()[1] for line in output.lines] == ["/private/and/more", "/a/b/c"]


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


@pytest.mark.parametrize("options", [(), ("--robots", "robots.txt")])
def test_whoever_writes_one_url_at_a_time_is_answered_one_at_a_time(file, monkeypatch, options):
    monkeypatch.chdir(file.parent)
    output = io.BytesIO()
    with Site({"/robots.txt": served(RULES)}) as site:
        typed = OneAtATime([f"{site.url(path)}\n".encode() for path in ("/a", "/x", "/b")], output)
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BufferedReader(typed)))
        monkeypatch.setattr("sys.stdout", io.TextIOWrapper(output))
        command_line.main(["check", *options])
    assert typed.seen == [0, 1, 2, 3]


@pytest.mark.slow
def test_each_url_of_a_long_stream_has_its_answer(file):
    paths = [("/private/" if n % 3 else "/") + str(n) for n in range(50_000)]
    stream = "\r\n".join(paths).encode()  # longer than what is read at once, and without an end
    output = robots("check", "--robots", file, "--quiet", stdin=stream * 3)
    joined = [*paths[:-1], paths[-1] + paths[0], *paths[1:-1], paths[-1] + paths[0], *paths[1:]]
    assert [line.split()[1] for line in output.lines] == joined
    words = ["disallowed" if path.startswith("/private") else "allowed" for path in joined]
    assert [line.split()[0] for line in output.lines] == words


def test_a_rule_is_described_once_however_many_urls_it_decides():
    described: list[Verdict] = []
    rules = parse(b"User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /*.pdf$")
    answer = rules.answers("MyBot", lambda verdict: described.append(verdict) or verdict.line)
    urls = [f"https://e.com/{path}/{n}" for n in range(50) for path in ("a", "a/b", "c")]
    assert [answer(url) for url in urls] == [rules.verdict(url, "MyBot").line for url in urls]
    assert sorted(verdict.line for verdict in described) == [0, 2, 3]
