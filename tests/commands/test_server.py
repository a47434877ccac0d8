"""Which requests the tester's server answers, and what its page may do."""

from __future__ import annotations

import http.client
import json
import threading

import pytest

from scrapy_robots_policy.commands.tester.server import MAX_OCTETS, Server
from scrapy_robots_policy.rep import DIALECTS, parse
from tests.site import Answer, Site
from tests.site import robots as served

pytestmark = pytest.mark.slow

ROBOTS = "User-agent: *\nDisallow: /private/\nAllow: /private/press/\n"
QUESTION = {
    "robots": ROBOTS,
    "urls": ["/private/press/1", "/x"],
    "agents": ["Bot", "Googlebot"],
    "dialect": "baidu",
    "question": 0,
}


@pytest.fixture
def server():
    server = Server(0, {"robots": "", "dialects": list(DIALECTS)}, "test")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def ask(server, method, path, value=None, **headers):
    """(status, headers, body). A header that is None is left out."""
    host = f"127.0.0.1:{server.server_port}"
    usual = {"Host": host, "Origin": f"http://{host}", "Content-Type": "application/json"}
    sent = {**usual, **{name.replace("_", "-"): value for name, value in headers.items()}}
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=10)
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
    for path in ("/", "/tester.css", "/tester.js"):
        status, headers, body = ask(server, "GET", path)
        assert status == 200
        policy = headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
        assert "unsafe" not in policy
        assert b"http://" not in body.replace(b"http://www.w3.org", b"")
        assert b"https://" not in body
    assert ask(server, "GET", "/../server.py")[0] == 404


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
        assert verdicts == [{"allowed": v.allowed, "line": v.line} for v in expected]
    assert (answers["chosen"]["line"], answers["chosen"]["options"]) == (
        2,
        "precedence: first, not longest",
    )


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
        ({"Content_Length": str(MAX_OCTETS + 1)}, 400),
    ],
)
def test_only_the_testers_own_page_gets_answers(server, headers, status):
    if headers.get("Host", "") is None:
        headers = {**headers, "Host": None}
    assert ask(server, "POST", "/answers", QUESTION, **headers)[0] == status


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
    with Site({"/robots.txt": served(ROBOTS)}) as site:
        _, _, body = ask(server, "POST", "/fetch", {"site": site.url("/some/page?x")})
        fetched = json.loads(body)
        assert fetched == {
            "url": site.url("/robots.txt"),
            "served": True,
            "why": "200",
            "robots": ROBOTS,
        }
    with Site({"/robots.txt": Answer(status=503)}) as site:
        fetched = json.loads(ask(server, "POST", "/fetch", {"site": site.origin})[2])
        assert (fetched["served"], fetched["why"], fetched["robots"]) == (False, "503", "")


@pytest.mark.parametrize("site", ["file:///etc/passwd", "ftp://x.org/", "", 5, None, "http://["])
def test_it_fetches_from_http_and_https_sites_only(server, site):
    assert ask(server, "POST", "/fetch", {"site": site})[0] == 400
