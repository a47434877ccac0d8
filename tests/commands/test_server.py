"""Which requests the tester's server answers, with what, and what its page may do."""

from __future__ import annotations

import http.client
import json
import re
import socket
import struct
from itertools import product
from urllib.parse import urlsplit

import pytest

from scrapy_robots_policy.rep import DIALECTS, parse
from tests.site import Answer, Site
from tests.site import robots as served

from .run import policy, robots

pytestmark = pytest.mark.slow

ROBOTS = "User-agent: *\nDisallow: /private/\nAllow: /private/press/\n"
QUESTION = {
    "robots": ROBOTS,
    "urls": ["/private/press/1", "/x"],
    "agents": ["Bot", "Googlebot"],
    "dialect": "baidu",
    "question": 0,
}
BODY = json.dumps(QUESTION)
LIMIT = 2_097_152  # bytes


def ask(tester, method, path, value=None, **headers):
    """(status, headers, body). A header that is None is left out."""
    host = urlsplit(tester).netloc
    usual = {"Host": host, "Origin": f"http://{host}", "Content-Type": "application/json"}
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    sent = {"Content-Length": str(len(body)), **usual}
    sent |= {name.replace("_", "-"): header for name, header in headers.items()}
    connection = http.client.HTTPConnection(host, timeout=120)
    connection.putrequest(method, path, skip_host=True)
    for name, header in sent.items():
        if header is not None:
            connection.putheader(name, header)
    connection.endheaders(body)
    response = connection.getresponse()
    answer = response.status, dict(response.getheaders()), response.read()
    connection.close()
    return answer


def asked(tester, path, **fields):
    """The answer to a question with these fields."""
    status, _, body = ask(tester, "POST", path, {**QUESTION, **fields})
    assert status == 200, body
    return json.loads(body)


def test_it_listens_on_the_loopback_interface_and_the_page_loads_nothing_from_elsewhere(tester):
    assert urlsplit(tester).hostname == "127.0.0.1"
    _, _, page = ask(tester, "GET", "/")
    for path in ("/", *re.findall(r'(?:src|href)="(/?[\w.]+\.(?:js|css))"', page.decode())):
        status, headers, body = ask(tester, "GET", f"/{path.lstrip('/')}")
        assert status == 200
        policy = headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'")
        assert "unsafe" not in policy
        assert not re.search(rb"https?://(?!www\.w3\.org)", body)


RAW = [
    (b"DELETE / HTTP/1.1\r\n\r\n", 501),
    (b"GET /../server.py HTTP/1.1\r\n\r\n", 421),
    (b"GET / HTTP/x\r\n\r\n", 400),
    (b"<script> HTTP/1.1\r\n\r\n", 400),
    (b"GET /".ljust(65_537, b"a"), 414),
    (b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 200 + b"\r\n", 431),
]


@pytest.mark.parametrize(("data", "status"), RAW)
def test_what_is_no_request_for_the_page_gets_the_same_headers(tester, data, status):
    _, usual, _ = ask(tester, "GET", "/nothing")
    with socket.create_connection(("127.0.0.1", urlsplit(tester).port), timeout=60) as connection:
        connection.sendall(data)
        response = http.client.HTTPResponse(connection)
        response.begin()
        body = response.read()
    changing = dict.fromkeys(("Date", "Content-Length"))
    assert response.status == status
    assert {**dict(response.getheaders()), **changing} == {**usual, **changing}
    assert list(json.loads(body)) == ["error"]


SENDERS = [
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
    ({"Content_Length": str(10**12)}, 400),
]


@pytest.mark.parametrize(("headers", "status"), SENDERS)
def test_only_the_testers_own_page_gets_answers(tester, headers, status):
    value = b" " * 67_108_864 if headers.get("Content_Length", "").isdigit() else QUESTION
    assert ask(tester, "POST", "/answers", value, **headers)[0] == status
    if headers.keys() == {"Host"}:
        assert ask(tester, "GET", "/given", **headers)[0] == 421


OTHER_FIELDS = [
    {"dialect": "x"},
    {"urls": [1]},
    {"robots": 3},
    {"question": "x"},
    {"urls": 5},
    {"urls": {"/x": 1}},
    {"urls": [[]]},
    {"question": {}},
    {"dialect": []},
    {"headers": 1},
    {"html": []},
    {"tdmrep": None},
    {"purposes": ["x"]},
    {"purposes": "search"},
    {"level": "most"},
    {"answer": "x"},
    {"answer": []},
]
OTHER_BODIES = [
    b"",
    b"{",
    b"[]",
    b"null",
    b"1",
    b"{}",
    b"[" * 500_000,
    b'{"a":' * 100_000,
    b"\xff\xfe",
    BODY.replace('"question": 0', '"question": 1e999').encode(),
    BODY.replace('"question": 0', '"question": NaN').encode(),
    b" " * (LIMIT + 1),
    b" " * 10 * LIMIT,
]


def test_a_question_of_another_shape_or_size_is_refused_in_words(tester):
    values = [{**QUESTION, **fields} for fields in OTHER_FIELDS]
    for value in (*values, *OTHER_BODIES):
        status, _, body = ask(tester, "POST", "/answers", value)
        assert (status, list(json.loads(body))) == (400, ["error"]), value
    assert f"may have 2,097,152 bytes; they have {10 * LIMIT:,}" in json.loads(body)["error"]
    assert ask(tester, "POST", "/findings", [])[0] == 400


HALF = "/\ud800"  # of a surrogate pair
ODD_FIELDS = [
    {"urls": ["http://[", "/x"], "html": '<meta name="robots" content="noai">'},
    {"robots": f"User-agent: *\nDisallow: {HALF}", "urls": [HALF, f"http://{HALF}/"]},
    {"agents": [HALF], "headers": f"X: {HALF}", "tdmrep": HALF, "html": f"<p>{HALF}"},
    {"question": -1},
    {"question": 99},
]


@pytest.mark.parametrize("fields", ODD_FIELDS)
def test_what_may_be_typed_has_an_answer_as_any_other(tester, fields):
    assert asked(tester, "/answers", **fields)["chosen"]["url"] in (HALF, "/x", *QUESTION["urls"])


def test_what_is_no_url_gets_the_sentence_that_check_gives_it(tester, tmp_path):
    (tmp_path / "robots.txt").write_text(ROBOTS)
    urls = ["http://[", "not a url", "example.com/x"]
    answer = asked(tester, "/answers", urls=[*urls, "/x"])
    assert {one["url"] for one in answer["questions"]} == {"/x"}
    said = policy("check", "--robots", tmp_path / "robots.txt", *urls).err.splitlines()
    assert [f"robots-policy: {fault}" for fault in answer["faults"]] == said
    assert asked(tester, "/answers", urls=urls)["chosen"] is None


def test_the_verdicts_are_those_of_the_engine(tester):
    answers = asked(tester, "/answers")
    questions = [*product(QUESTION["urls"], QUESTION["agents"])]
    assert [(one["url"], one["agent"]) for one in answers["questions"]] == questions
    assert answers["dialects"] == list(DIALECTS)
    for name, verdicts in zip(answers["dialects"], answers["verdicts"], strict=True):
        rules = parse(ROBOTS.encode(), name)
        assert [(one["allowed"], one["line"]) for one in verdicts] == [
            (rules.verdict(*question).allowed, rules.verdict(*question).line)
            for question in questions
        ]
    assert answers["chosen"]["options"] == "precedence: first (rfc9309: longest)"


# what came of the fetch, why, and what decides in rfc9309
NO_FILES = [
    ("no answer", "dns", "robots.txt unreachable (dns)"),
    ("no answer", "", "robots.txt unreachable (no answer)"),
    ("5xx", "dns", "robots.txt unreachable (503)"),
    ("200", "dns", "line 2, Disallow: /x"),
]


@pytest.mark.parametrize(("answer", "why", "cause"), NO_FILES)
def test_why_a_fetch_failed_is_said_in_the_answer(tester, answer, why, cause):
    fields = {"robots": "User-agent: *\nDisallow: /x", "urls": ["/x"], "dialect": "rfc9309"}
    answers = asked(tester, "/answers", **fields, answer=answer, why=why)
    assert answers["chosen"]["cause"] == cause
    assert (len({*answers["access"]}) == 1) is (answer == "200")


def test_it_answers_so_many_questions_at_a_time(tester):
    many = {"urls": [f"/{n}" for n in range(100)], "agents": [f"bot{n}" for n in range(100)]}
    assert len(asked(tester, "/answers", **many)["questions"]) == 30 * 6
    findings = asked(
        tester,
        "/findings",
        robots="".join(f"User-agent: *\nDisallow: /{n}$x\n" for n in range(2_000)),
    )
    assert (
        len(findings["findings"]) + findings["more_findings"] >= 2_000 > len(findings["findings"])
    )
    assert findings["findings"][0]["code"] == "R402"


TDM = '[{"location": "/", "tdm-reservation": 1}]'
TDMREP = "/.well-known/tdmrep.json"
# the site, and what the page gets: fields of the answer, and why there is no tdmrep.json
FETCHED = {
    "files": (
        {"/robots.txt": served(ROBOTS), TDMREP: served(TDM)},
        {"served": True, "answer": "200", "why": "200", "robots": ROBOTS},
        ("200", TDM),
    ),
    "none": (
        {"/robots.txt": Answer(status=404), TDMREP: Answer(status=404)},
        {"served": False, "why": "404", "answer": "404, other 4xx", "robots": ""},
        ("404", ""),
    ),
    "no list": (
        {"/robots.txt": served(""), TDMREP: served("{}")},
        {},
        ("200, no JSON array", "{}"),
    ),
    "closed": (
        {"/robots.txt": served("User-agent: *\nDisallow: /.well-known/"), TDMREP: served(TDM)},
        {"served": True},
        ("not fetched, because robots.txt does not allow it", ""),
    ),
    "down": (
        {"/robots.txt": Answer(status=503)},
        {"served": False, "answer": "5xx", "why": "503", "robots": ""},
        ("not fetched, because robots.txt does not allow it", ""),
    ),
    "too long": (
        {"/robots.txt": served("Disallow: /a\n" * 200_000)},
        {"served": True, "answer": "200"},
        ("200, an HTML page", ""),
    ),
}


@pytest.mark.parametrize("name", FETCHED)
def test_it_fetches_the_files_of_a_site(tester, name):
    script, fields, tdmrep = FETCHED[name]
    with Site(script) as site:
        fetched = json.loads(ask(tester, "POST", "/fetch", {"site": site.url("/some/page?x")})[2])
    assert {key: fetched[key] for key in fields} == fields
    assert fetched["url"] == f"{site.origin}/robots.txt"
    assert (fetched["tdmrep"]["why"], fetched["tdmrep"]["text"]) == tdmrep
    assert len(fetched["robots"]) < LIMIT
    assert fetched["robots"] in ("", ROBOTS) or fetched["robots"].endswith("\n") or name == "closed"


NO_SITES = ["file:///etc/passwd", "ftp://x.org/", "", 5, None, "http://[", "not a url", "a..b"]


@pytest.mark.parametrize("site", NO_SITES)
def test_it_fetches_from_http_and_https_sites_only(tester, site):
    assert ask(tester, "POST", "/fetch", {"site": site})[0] == 400


def test_a_page_that_goes_away_leaves_nothing_on_the_terminal(tester):
    """The fixture looks at standard error in the end."""
    host = urlsplit(tester).netloc
    head = f"POST /answers HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n"
    head += f"Content-Type: application/json\r\nContent-Length: {len(BODY)}\r\n\r\n{BODY}"
    for _ in range(5):
        page = socket.create_connection(("127.0.0.1", urlsplit(tester).port), timeout=60)
        page.sendall(head.encode())
        page.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        page.close()  # with a reset
    assert asked(tester, "/answers")


def test_a_port_that_is_taken_is_named(tester):
    output = policy("tester", "--no-browser", "--port", urlsplit(tester).port)
    assert output.status == 2
    assert "--port 0 takes any free one" in output.err


# ---- what the page itself says

ROBOTS_TXTS = (
    "",
    "User-agent: *\nContent-Usage: train-ai=n, search=y\nContent-Signal: ai-input=yes\n",
    "User-agent: Google-Extended\nDisallow: /a\n\nUser-agent: *\nLicense: /l.xml\nAllow: /\n",
)
HEADERS = (
    "",
    (
        "X-Robots-Tag: otherbot: noai\nX-Robots-Tag: Bot: noimageai\nTDM-Reservation: 1\n"
        "Content-Signal: use=immediate"
    ),
    (
        "HTTP/1.1 301 Moved\nX-Robots-Tag: noai\n\nHTTP/2 200\nContent-Usage: train-ai=y\n"
        "tdm-policy: https://h.example/ü"
    ),
)
HTMLS = (
    "",
    '<meta name=tdm-reservation content=1><META NAME="Bot" CONTENT="noai">',
    (
        '<base href="https://b.example/x/"><meta name="tdm-policy" content="\u202eé">'
        '<link rel=license type="application/rsl+xml" href="l">'
    ),
)
TDMREPS = ("", TDM, '{"a": ')
USES = [("search,ai-input,train-ai", ""), ("train-ai", "full"), ("", "immediate")]


def explained(folder, texts, purposes, level):
    """The rows about the use of a page, as `explain` prints them."""
    robots_txt, headers, html, tdmrep = texts
    head = headers if headers.startswith("HTTP") else f"HTTP/1.1 200 OK\n{headers}".strip()
    for name, text in (("r", robots_txt), ("p", f"{head}\n\n{html}"), ("t", tdmrep)):
        (folder / name).write_text(text, "utf-8")
    files = ["--robots", folder / "r", "--agent", "Bot", "https://h.example/a"]
    files += ["--page", folder / "p"] if headers or html else []
    files += ["--tdmrep", folder / "t"] if tdmrep else []
    settings = {"ROBOTS_PURPOSE": purposes or None, "ROBOTS_CONTENT_USE": level or None}
    rows = (line.partition(" ") for line in robots("explain", *files, settings=settings).lines)
    names = ("usage", "overridden", "use", "tdmrep.json")
    return [[name, text.strip()] for name, _, text in rows if name in names]


@pytest.mark.parametrize(("purposes", "level"), USES)
def test_the_tester_says_of_the_use_of_a_page_what_explain_says(tester, tmp_path, purposes, level):
    asked_about = {"urls": ["https://h.example/a"], "agents": ["Bot"], "dialect": "rfc9309"}
    declared = {"purposes": [*filter(None, purposes.split(","))], "level": level}
    for texts in [*product(ROBOTS_TXTS, HEADERS, HTMLS, TDMREPS)][::2]:
        fields = dict(zip(("robots", "headers", "html", "tdmrep"), texts, strict=True))
        chosen = asked(tester, "/answers", **asked_about, **declared, **fields)["chosen"]
        assert chosen["use_facts"] == explained(tmp_path, texts, purposes, level), texts


# fields, and rows about the use of the page, of which others may stand between
PASTED = [
    ({"headers": "<p>\nA: b"}, "not read line 1 of the headers: it is no header line"),
    ({"headers": "Content-Type: application/pdf", "html": "<p>"}, "not read the HTML: by its"),
    (
        {"headers": "content-encoding: br", "html": "<meta name=robots content=noai>"},
        "robots: noai",
    ),
    ({"headers": "tdm-policy: x\n" * 90}, "and 50 more"),
    ({"html": f"<meta name=tdm-policy content={'x' * 100_000}>"}, "tdm-policy: xxx"),
]


@pytest.mark.parametrize(("fields", "words"), PASTED)
def test_header_lines_and_html_are_read_as_they_are_pasted(tester, fields, words):
    rows = [" ".join(row) for row in asked(tester, "/answers", **fields)["chosen"]["use_facts"]]
    assert any(words in row for row in rows), rows
    assert max(map(len, rows)) < 3_000
