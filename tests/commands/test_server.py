"""Which requests the tester's server answers, and what its page may do."""

from __future__ import annotations

import _thread
import http.client
import json
import socket
import struct
import threading
from contextlib import suppress
from types import SimpleNamespace
from unittest import mock
from urllib.request import urlopen

import pytest

from scrapy_robots_policy.commands import command_line, tester
from scrapy_robots_policy.commands.arguments import UsageError
from scrapy_robots_policy.commands.printing.access_table import ANSWERS, modes_by_answer
from scrapy_robots_policy.commands.reading.inputs import rules_from
from scrapy_robots_policy.commands.tester.answers import (
    Abandoned,
    Questions,
    Rules,
    answers,
)
from scrapy_robots_policy.commands.tester.server import MAX_OCTETS, MAX_UNREAD, Server, as_fetched
from scrapy_robots_policy.fetch.redirects import ANYWHERE
from scrapy_robots_policy.rep import DIALECTS, AccessMode, FetchResult, parse
from scrapy_robots_policy.rep.preference import NO_USE
from tests.site import Answer, Site, free_port
from tests.site import robots as served

pytestmark = pytest.mark.slow

ROBOTS = "User-agent: *\nDisallow: /private/\nAllow: /private/press/\n"
GIVEN = {"source": None, "agent": "Bot", "dialect": "rfc9309", "dialects": list(DIALECTS)}
SCRIPTS = ("tester", "tester_state", "tester_table", "tester_lines")
QUESTION = {
    "robots": ROBOTS,
    "urls": ["/private/press/1", "/x"],
    "agents": ["Bot", "Googlebot"],
    "dialect": "baidu",
    "question": 0,
}


@pytest.fixture
def server():
    server = Server(0, GIVEN, "test")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(("system", "reuses"), [("win32", False), ("linux", True)])
def test_no_second_server_gets_the_port_on_windows(monkeypatch, system, reuses):
    """Elsewhere the option lets a new server take the port of one that has just ended."""
    monkeypatch.setattr("sys.platform", system)
    with Server(0, {}, "test") as server:
        option = server.socket.getsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR)
    assert bool(option) is reuses


def ask(server, method, path, value=None, **headers):
    """(status, headers, body). A header that is None is left out."""
    host = f"127.0.0.1:{server.server_port}"
    usual = {"Host": host, "Origin": f"http://{host}", "Content-Type": "application/json"}
    sent = {**usual, **{name.replace("_", "-"): value for name, value in headers.items()}}
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=120)
    connection.putrequest(method, path, skip_host=True)
    for name, header in {"Content-Length": str(len(body)), **sent}.items():
        if header is not None:
            connection.putheader(name, header)
    connection.endheaders(body)
    response = connection.getresponse()
    answer = response.status, dict(response.getheaders()), response.read()
    connection.close()
    return answer


def test_it_listens_on_the_loopback_interface_only(server):
    assert server.server_address[0] == "127.0.0.1"


def test_the_page_may_load_nothing_from_elsewhere(server):
    for path in ("/", "/tester.css", *(f"/{name}.js" for name in SCRIPTS)):
        status, headers, body = ask(server, "GET", path)
        assert status == 200
        policy = headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
        assert "unsafe" not in policy
        assert b"http://" not in body.replace(b"http://www.w3.org", b"")
        assert b"https://" not in body
    assert ask(server, "GET", "/../server.py")[0] == 404


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"DELETE / HTTP/1.1\r\n\r\n", 501),
        (b"HEAD / HTTP/1.1\r\n\r\n", 501),
        (b"GET / HTTP/x\r\n\r\n", 400),
        (b"<script> HTTP/1.1\r\n\r\n", 400),
        (b"GET /".ljust(65_537, b"a"), 414),
        (b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 200 + b"\r\n", 431),
    ],
)
def test_what_is_no_request_for_the_page_gets_the_same_headers(server, request_, status):
    method = "HEAD" if request_.startswith(b"HEAD") else "GET"
    _, usual, _ = ask(server, "GET", "/nothing")
    with socket.create_connection(server.server_address, timeout=60) as connection:
        connection.sendall(request_)
        response = http.client.HTTPResponse(connection, method=method)
        response.begin()
        body = response.read()
    changing = ("Date", "Content-Length")
    headers = {name: value for name, value in response.getheaders() if name not in changing}
    assert response.status == status
    assert headers == {name: value for name, value in usual.items() if name not in changing}
    assert (list(json.loads(body)) if body else []) == ([] if method == "HEAD" else ["error"])


def test_the_verdicts_are_those_of_the_engine(server):
    status, _, body = ask(server, "POST", "/answers", QUESTION)
    answers = json.loads(body)
    assert status == 200
    assert answers["dialects"] == list(DIALECTS)
    assert answers["questions"] == [
        {"url": url, "agent": agent} for url in QUESTION["urls"] for agent in QUESTION["agents"]
    ]
    for name, verdicts in zip(answers["dialects"], answers["verdicts"], strict=True):
        rules = parse(ROBOTS.encode(), name)
        expected = [rules.verdict(q["url"], q["agent"]) for q in answers["questions"]]
        assert verdicts == [
            {"allowed": v.allowed, "waits": False, "line": v.line} for v in expected
        ]
    assert (answers["chosen"]["line"], answers["chosen"]["options"]) == (
        2,
        "precedence: first (rfc9309: longest)",
    )


def test_a_browser_that_is_waited_for_gets_the_page(monkeypatch, capsys):
    pages = []

    def browse(url):
        with suppress(OSError), urlopen(url, timeout=30) as response:
            pages.append(response.read())
        _thread.interrupt_main()

    monkeypatch.setattr("webbrowser.open", browse)
    assert command_line.main(["tester", "--port", "0"]) == 0
    assert b"<title>" in pages[0]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1:1"}, 421),
        ({"Host": None}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": None}, 403),
        ({"Sec_Fetch_Site": "cross-site"}, 403),
        ({"Sec_Fetch_Site": "same-origin"}, 200),
        ({"Content_Type": "text/plain"}, 403),
        ({"Content_Length": "x"}, 400),
    ],
)
def test_only_the_testers_own_page_gets_answers(server, headers, status):
    if headers.get("Host", "") is None:
        headers = {**headers, "Host": None}
    assert ask(server, "POST", "/answers", QUESTION, **headers)[0] == status


@pytest.mark.parametrize(
    ("error", "is_shown"),
    [(ConnectionResetError, False), (BrokenPipeError, False), (KeyError, True)],
)
def test_a_page_that_goes_away_leaves_nothing_on_the_terminal(server, capsys, error, is_shown):
    findings = mock.patch(f"{Server.__module__}.findings", side_effect=error)
    with findings, pytest.raises(http.client.RemoteDisconnected):
        ask(server, "POST", "/findings", QUESTION)
    assert (error.__name__ in capsys.readouterr().err) is is_shown


def test_a_request_to_another_host_name_gets_nothing(server):
    assert ask(server, "GET", "/given", Host=f"evil.example:{server.server_port}")[0] == 421


@pytest.mark.parametrize(
    "value",
    [
        *(b"", b"{", [], None, 1, {}, {**QUESTION, "dialect": "x"}, {**QUESTION, "urls": [1]}),
        *({**QUESTION, "robots": 3}, {**QUESTION, "question": "x"}, {**QUESTION, "urls": 5}),
        *(
            {**QUESTION, "urls": {"/x": 1}},
            {**QUESTION, "agents": "Bot"},
            {**QUESTION, "urls": [[]]},
        ),
        *({**QUESTION, "question": {}}, {**QUESTION, "dialect": []}),
        *({**QUESTION, "headers": 1}, {**QUESTION, "html": []}, {**QUESTION, "tdmrep": None}),
        *({**QUESTION, "purposes": ["x"]}, {**QUESTION, "level": {}}),
        *({**QUESTION, "answer": "x"}, {**QUESTION, "answer": []}),
        json.dumps(QUESTION).replace('"question": 0', '"question": 1e999').encode(),
        json.dumps(QUESTION).replace('"question": 0', '"question": NaN').encode(),
        b"[" * 500_000 + b"]" * 500_000,
        b'{"a":' * 100_000,
        b"\xff\xfe",
    ],
)
def test_a_request_of_another_shape_gets_400(server, value):
    assert ask(server, "POST", "/answers", value)[0] == 400


def test_it_fetches_the_robots_txt_of_a_site(server):
    tdmrep = "/.well-known/tdmrep.json"
    with Site({"/robots.txt": served(ROBOTS), tdmrep: served("[]")}) as site:
        _, _, body = ask(server, "POST", "/fetch", {"site": site.url("/some/page?x")})
        fetched = json.loads(body)
        assert fetched == {
            "url": site.url("/robots.txt"),
            "served": True,
            "answer": "200",
            "why": "200",
            "robots": ROBOTS,
            "tdmrep": {"url": site.url(tdmrep), "why": "200", "text": "[]"},
        }
    with Site({"/robots.txt": Answer(status=503)}) as site:
        fetched = json.loads(ask(server, "POST", "/fetch", {"site": site.origin})[2])
        assert (fetched["served"], fetched["why"], fetched["robots"]) == (False, "503", "")
        assert fetched["answer"] == "5xx"


@pytest.mark.parametrize(
    ("answer", "why", "cause"),
    [
        ("no answer", "dns", "robots.txt unreachable (dns)"),
        ("no answer", "", "robots.txt unreachable (no answer)"),
        ("5xx", "dns", "robots.txt unreachable (503)"),
        ("200", "dns", "line 2, Disallow: /x"),
    ],
)
def test_why_a_fetch_failed_is_said_in_the_answer(server, answer, why, cause):
    question = {**QUESTION, "robots": "User-agent: *\nDisallow: /x", "urls": ["/x"]}
    question |= {"answer": answer, "why": why}
    chosen = json.loads(ask(server, "POST", "/answers", question)[2])["chosen"]
    assert chosen["cause"] == cause


NO_SITES = ["file:///etc/passwd", "ftp://x.org/", "", 5, None, "http://[", "not a url", "a..b"]


@pytest.mark.parametrize("site", NO_SITES)
def test_it_fetches_from_http_and_https_sites_only(server, site):
    assert ask(server, "POST", "/fetch", {"site": site})[0] == 400


def test_findings_are_those_of_the_file_whatever_the_site_answers(server):
    for answer in ("200", "5xx"):
        question = {**QUESTION, "robots": "Disalow: /x", "answer": answer}
        findings = json.loads(ask(server, "POST", "/findings", question)[2])["findings"]
        assert [(finding["code"], finding["line"]) for finding in findings][:1] == [("R201", 1)]
    assert ask(server, "POST", "/findings", [])[0] == 400


@pytest.mark.parametrize("answer", ANSWERS)
def test_each_dialect_reads_each_answer_as_its_access_policy_says(server, answer):
    answers = json.loads(ask(server, "POST", "/answers", {**QUESTION, "answer": answer})[2])
    for name, access, verdicts in zip(
        answers["dialects"], answers["access"], answers["verdicts"], strict=True
    ):
        modes = modes_by_answer(DIALECTS[name].access)[answer]
        assert access == ("" if modes == "its rules are obeyed" else modes)
        if modes == "everything is allowed":
            assert all(verdict["allowed"] for verdict in verdicts)
        if modes.startswith("nothing is allowed"):
            assert not any(verdict["allowed"] for verdict in verdicts)


def test_a_file_that_is_an_html_page_is_read_as_one(server):
    page = {**QUESTION, "robots": "<!doctype html><title>x</title>"}
    access = json.loads(ask(server, "POST", "/answers", page)[2])["access"]
    result = FetchResult(200, page["robots"].encode())
    modes = [rules_from("", result, dialect).mode for dialect in DIALECTS.values()]
    assert access == ["" if mode is AccessMode.RULES else mode.description for mode in modes]
    assert set(access) != {""}


def posted(server, value):
    """The connection of a page that has asked, and reads no answer yet."""
    body, host = json.dumps(value).encode(), f"127.0.0.1:{server.server_port}"
    head = f"POST /answers HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n"
    head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    connection = socket.create_connection(("127.0.0.1", server.server_port), timeout=60)
    connection.sendall(head.encode() + body)
    return connection


def reset(connection):
    """As a process that is killed may leave it."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


@pytest.mark.parametrize("leave", [socket.socket.close, reset])
def test_a_computation_ends_when_its_page_no_longer_waits(server, capsys, leave):
    begun, left, ended = threading.Event(), threading.Event(), threading.Event()
    how_it_ended = []

    def watched_answers(questions, rules, is_abandoned):
        begun.set()
        left.wait(60)
        try:
            return answers(questions, rules, is_abandoned)
        except Abandoned as end:
            how_it_ended.append(type(end))
            raise
        finally:
            ended.set()

    with mock.patch(f"{Server.__module__}.answers", watched_answers):
        page = posted(server, QUESTION)
        assert begun.wait(60)
        leave(page)
        left.set()
        assert ended.wait(60)
    assert how_it_ended == [Abandoned]
    assert ask(server, "POST", "/answers", QUESTION)[0] == 200
    assert capsys.readouterr().err == ""


def test_each_verdict_is_computed_for_a_page_that_waits():
    """One may take a tenth of a second: a page is not waited for until a dialect is complete."""
    waits = iter([False, False, True])
    with mock.patch(f"{answers.__module__}._short") as short, pytest.raises(Abandoned):
        answers(Questions.of(QUESTION), Rules(), lambda: next(waits))
    assert short.call_count == 2


@pytest.mark.parametrize("length", [MAX_OCTETS + 1, 20 * 1024 * 1024])
def test_fields_that_are_too_long_are_read_to_their_end_and_refused_in_words(server, length):
    """If they stayed unread, the connection would be reset before the page has the answer."""
    status, _, body = ask(server, "POST", "/answers", b" " * length)
    assert status == 400
    assert json.loads(body)["error"] == (
        f"all fields of the page together may have 2,097,152 octets; they have {length:,}"
    )


def test_fields_without_an_end_are_not_waited_for(server):
    sent = {"Content_Length": str(10**12)}
    assert ask(server, "POST", "/answers", b" " * MAX_UNREAD, **sent)[0] == 400


def test_a_url_that_is_none_has_an_answer_as_any_other(server):
    """It is one on the way to http://[::1]/."""
    asked = {"urls": ["http://["], "html": '<meta name="robots" content="noai">'}
    assert ask(server, "POST", "/answers", {**QUESTION, **asked})[0] == 200


def test_half_of_a_surrogate_pair_is_a_character_as_any_other(server):
    half = "/\ud800"
    asked = {"robots": f"User-agent: *\nDisallow: {half}", "urls": [half, f"http://{half}/"]}
    asked |= {"agents": [half], "headers": f"X: {half}", "tdmrep": half}
    asked["html"] = f'<p>{half}<meta name="robots" content="noai {half}">'
    assert ask(server, "POST", "/answers", {**QUESTION, **asked})[0] == 200


def test_a_file_that_is_longer_than_the_page_holds_is_cut_between_lines_and_says_so():
    line = b"Disallow: /" + b"a" * 89 + b"\n"
    fetched = as_fetched(FetchResult(200, line * (MAX_OCTETS // len(line))))
    assert set(fetched["robots"].splitlines(keepends=True)) == {line.decode()}
    assert fetched["why"] == "200, cut because this page holds no more"
    assert as_fetched(FetchResult(200, line))["why"] == "200"


def test_the_rules_of_a_file_are_kept_for_the_next_questions_about_it():
    rules, questions = Rules(), Questions.of(QUESTION)
    kept = rules.of(questions.result)
    answers(questions, rules, lambda: False)
    assert rules.of(Questions.of({**QUESTION, "urls": ["/y"]}).result) is kept
    assert len(kept) == len(DIALECTS)
    other = rules.of(Questions.of({**QUESTION, "robots": ""}).result)
    assert other == {}


def options_of(**values):
    """What the tester reads of its command line."""
    usual = {"robots": "", "agent": "Bot", "user_agent": "test", "port": None, "guard": ANYWHERE}
    return SimpleNamespace(dialect=DIALECTS["google"], use=NO_USE, **{**usual, **values})


def test_a_request_of_another_page_does_not_change_whose_rules_these_are():
    rules, first, second = Rules(), FetchResult(200, b"1"), FetchResult(200, b"2")
    of_first = rules.of(first)
    asked = mock.MagicMock()
    asked.__eq__.side_effect = lambda _: rules.of(second) is not None  # meanwhile
    asked.__ne__.side_effect = lambda _: rules.of(second) is None
    assert rules.of(asked) is of_first


def test_the_port_is_the_same_each_time_and_another_one_where_it_is_taken():
    options = options_of()
    with (
        socket.create_server(("127.0.0.1", 0)) as taken,
        mock.patch.object(tester, "PORT", taken.getsockname()[1]),
    ):
        with tester._server(options) as server:
            assert server.server_port != tester.PORT
        busy = options_of(port=tester.PORT)
        with pytest.raises(UsageError, match="in use; --port 0 takes any free one"):
            tester._server(busy)
    port = free_port()
    with mock.patch.object(tester, "PORT", port), tester._server(options) as server:
        assert server.server_port == port


def test_port_0_is_any_free_port_and_not_the_usual_one():
    with mock.patch.object(tester, "PORT", 1), tester._server(options_of(port=0)) as server:
        assert server.server_port > 1
        assert f":{server.server_port}/" in server.url


def test_a_file_of_the_command_line_is_shown_as_what_it_is(tmp_path):
    path = tmp_path / "empty\x1b.txt"
    path.touch()
    options = options_of(robots=str(path))
    source = tester.start_values_of(options)["source"]
    assert (source["served"], source["robots"], source["answer"]) == (True, "", "200")
    assert source["url"].isprintable()
    assert tester.start_values_of(options_of())["source"] is None
    with Site({"/robots.txt": Answer(status=503)}) as site:
        options = options_of(robots=site.url("/"))
        source = tester.start_values_of(options)["source"]
    assert (source["served"], source["robots"], source["answer"]) == (False, "", "5xx")


def test_the_known_crawlers_are_listed_once_and_by_kind():
    kinds = tester.crawlers_by_kind()
    names = [name for names in kinds.values() for name in names]
    assert {"Googlebot", "GPTBot", "bingbot", "YandexBot"} <= set(names)
    assert len(kinds) > 5
    assert not any("/" in name for name in names)
