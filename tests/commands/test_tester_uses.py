"""What the tester says of the use of a page, and how much it answers at a time."""

from __future__ import annotations

from itertools import product
from types import SimpleNamespace

import pytest

from scrapy_robots_policy.commands.printing.verdict_data import MAX_FACT
from scrapy_robots_policy.commands.reading.saved_page import MAX_UNREAD
from scrapy_robots_policy.commands.tester import answers as tester_answers
from scrapy_robots_policy.commands.tester import server, uses_of
from scrapy_robots_policy.commands.tester.answers import (
    MAX_AGENTS,
    MAX_URLS,
    Questions,
    Rules,
    answers,
    findings,
)
from scrapy_robots_policy.commands.tester.server import MAX_OCTETS, as_fetched
from scrapy_robots_policy.fetch.redirects import ANYWHERE, RedirectGuard
from scrapy_robots_policy.rep import FetchResult
from scrapy_robots_policy.rep.documents import TDMREP
from scrapy_robots_policy.rep.preference import LEVELS, PURPOSES, DeclaredUse
from tests.commands.run import robots

ROBOTS = """\
User-agent: *
Content-Usage: train-ai=n
Content-Usage: /open/ train-ai=y
Content-Signal: search=yes
"""


def test_the_tester_shows_every_preference_what_overrides_it_and_each_purpose():
    data = {"robots": ROBOTS, "urls": ["/open/1"], "agents": ["Bot"], "dialect": "rfc9309"}
    chosen = answers(Questions.of({**data, "question": 0}), Rules(), lambda: False)["chosen"]
    rows = [tuple(row) for row in chosen["use_facts"]]
    assert rows[:2] == [
        ("usage", "line 3, Content-Usage: train-ai=y"),
        ("usage", "line 4, Content-Signal: search=yes"),
    ]
    assert rows[2][0] == "overridden"
    assert rows[2][1].startswith(
        "line 2, Content-Usage: train-ai=n; by line 3, Content-Usage: train-ai=y"
    )
    assert rows[3:] == [
        ("use", "ai-input not stated"),
        ("use", "search granted by line 4, Content-Signal: search=yes"),
        ("use", "train-ai granted by line 3, Content-Usage: train-ai=y"),
        ("use", "Google-Extended not stated"),
        ("use", "Applebot-Extended not stated"),
    ]


def test_the_tester_answers_so_many_questions_and_findings_at_a_time(monkeypatch):
    data = {"robots": "Disalow: /\nAlow: /\nDisallow: x", "dialect": "rfc9309"}
    data |= {"urls": [f"/{n}" for n in range(100)], "agents": [f"bot{n}" for n in range(100)]}
    assert len(Questions.of(data).pairs) == MAX_URLS * MAX_AGENTS
    every = findings(data)["findings"]
    monkeypatch.setattr(tester_answers, "MAX_FINDINGS", 1)
    assert findings(data) == {"findings": every[:1], "more_findings": len(every) - 1}
    octets = as_fetched(FetchResult(200, b"#\n" * MAX_OCTETS))["robots"]
    assert len(octets) == MAX_OCTETS // 4  # the page sends them back in a POST


@pytest.mark.parametrize(("question", "url"), [(-1, "/a"), (1, "/b"), (99, "/b")])
def test_a_question_that_the_page_has_not_is_the_nearest_one_that_it_has(question, url):
    data = {"robots": ROBOTS, "urls": ["/a", "/b"], "agents": ["Bot"], "dialect": "rfc9309"}
    chosen = answers(Questions.of({**data, "question": question}), Rules(), lambda: False)["chosen"]
    assert chosen["url"] == url


def fetched(monkeypatch, files, guard=ANYWHERE):
    """(what the tester's page gets for a site with these files, the URLs fetched, the guards)"""
    urls, guards = [], []

    def fetch(url, _user_agent, _redirects, guard=ANYWHERE):
        urls.append(url)
        guards.append(guard)
        return files.get(url.partition("example")[2], FetchResult(404))

    monkeypatch.setattr(server, "fetch", fetch)
    values = {"agent": "Bot", "dialect": "rfc9309"}
    with server.Server(0, values, "test", guard) as running:
        handler = SimpleNamespace(server=running)
        return server._Handler._fetch(handler, {"site": "site.example"}), urls, guards


def test_the_tester_fetches_where_the_user_lets_redirects_lead(monkeypatch):
    guard = RedirectGuard(same_site=True)
    answer, urls, guards = fetched(monkeypatch, {}, guard)
    assert answer["url"] == "https://site.example/robots.txt"
    assert urls == [answer["url"], f"https://site.example{TDMREP}"]
    assert guards == [guard, guard]


TDM = b'[{"location": "/", "tdm-reservation": 1}]'
TDMREPS = {
    "one": (b"", FetchResult(200, TDM), ("200", TDM.decode())),
    "one that is none": (b"", FetchResult(200, b"{}"), ("200, no JSON array", "{}")),
    "none": (b"", FetchResult(404), ("404", "")),
    "a web page": (b"", FetchResult(200, b"<html>"), ("200, an HTML page", "")),
    "one that is closed": (
        b"User-agent: Bot\nDisallow: /.well-known/",
        FetchResult(200, TDM),
        ("not fetched, because robots.txt does not allow it", ""),
    ),
}


@pytest.mark.parametrize("name", TDMREPS)
def test_the_tester_fetches_the_tdmrep_json_that_robots_txt_allows(monkeypatch, name):
    robots_txt, result, (why, text) = TDMREPS[name]
    files = {"/robots.txt": FetchResult(200, robots_txt), TDMREP: result}
    answer, urls, _ = fetched(monkeypatch, files)
    assert answer["tdmrep"] == {"url": f"https://site.example{TDMREP}", "why": why, "text": text}
    assert (TDMREP in urls[-1]) is (name != "one that is closed")


# ---- what the page itself says

ROBOTS_TXTS = {
    "nothing": "",
    "a refusal": "User-agent: *\nContent-Usage: train-ai=n, search=y\n"
    "Content-Signal: ai-input=yes, use=reference\n",
    "a token": "User-agent: Google-Extended\nDisallow: /a\n\n"
    "User-agent: *\nLicense: /l.xml\nAllow: /\n",
    "a closed page": "Content-Signal: ai-train=no\nUser-agent: *\nDisallow: /a",
}
HEADERS = {
    "nothing": "",
    "refusals": "X-Robots-Tag: otherbot: noai\nX-Robots-Tag: Bot: noimageai\nTDM-Reservation: 1\n"
    "Content-Signal: use=immediate",
    "grants": "Content-Usage: train-ai=y\ncontent-signal: search=no, use=full\nLink: </x>; "
    'rel="license"; type="application/rsl+xml"\ntdm-reservation: 0\ntdm-policy: https://h.example/ü',
    "another type": "Content-Type: text/plain\nContent-Usage: ;;,\nX-Robots-Tag",
}
HTMLS = {
    "nothing": "",
    "refusals": '<meta name=tdm-reservation content=1><META NAME="Bot" CONTENT="noai">',
    "grants": '<base href="https://b.example/x/"><meta name="tdm-reservation" content="0">'
    '<meta name="tdm-policy" content="\u202eé">'
    '<link rel=license type="application/rsl+xml" href="l">',
}
TDMREP_JSONS = {"nothing": "", "a refusal": TDM.decode(), "a fault": '{"a": '}
EMPTY = {"headers": "", "html": "", "tdmrep": ""}


def facts_of(**fields):
    """What the tester says of the use of a page."""
    return [*map(tuple, chosen_of(**fields)["use_facts"])]


def chosen_of(url="https://h.example/a", agent="Bot", dialect="rfc9309", robots_txt="", **fields):
    """The tester's answer in full."""
    data = {"robots": robots_txt, "urls": [url], "agents": [agent], "dialect": dialect, **fields}
    return answers(Questions.of(data), Rules(), lambda: False)["chosen"]


def explained(tmp_path, texts, purposes=PURPOSES, level=""):
    """The same rows, as `explain` prints them."""
    robots_txt, headers, html, tdmrep = texts
    head = f"HTTP/1.1 200 OK\n{headers.strip()}\n\n" if headers.strip() else ""
    for name, text in (("r", robots_txt), ("p", head + html), ("t", tdmrep)):
        (tmp_path / name).write_text(text, "utf-8")
    args = ["--robots", tmp_path / "r", "--agent", "Bot", "https://h.example/a"]
    args += ["--page", tmp_path / "p"] if head or html else []
    args += ["--tdmrep", tmp_path / "t"] if tdmrep else []
    settings = {"ROBOTS_PURPOSE": ",".join(purposes) or None, "ROBOTS_CONTENT_USE": level or None}
    output = robots("explain", *args, settings=settings)
    assert output.err.count("\n") == output.err.count("is no header line: not read")
    rows = (line.partition(" ") for line in output.lines)
    names = ("usage", "overridden", "use", "tdmrep.json")
    return [(name, text.strip()) for name, _, text in rows if name in names]


@pytest.mark.parametrize("tdmrep", TDMREP_JSONS)
@pytest.mark.parametrize("html", HTMLS)
@pytest.mark.parametrize("headers", HEADERS)
@pytest.mark.parametrize("robots_txt", ROBOTS_TXTS)
def test_the_tester_says_of_the_use_of_a_page_what_explain_says(
    tmp_path, robots_txt, headers, html, tdmrep
):
    texts = ROBOTS_TXTS[robots_txt], HEADERS[headers], HTMLS[html], TDMREP_JSONS[tdmrep]
    fields = dict(zip(EMPTY, texts[1:], strict=True))
    facts = [row for row in facts_of(robots_txt=texts[0], **fields) if row[0] != "not read"]
    assert facts == explained(tmp_path, texts)


DECLARED = [
    ([name for name, is_declared in zip(PURPOSES, declared, strict=True) if is_declared], level)
    for *declared, level in product(*[(True, False)] * len(PURPOSES), ("", *LEVELS))
]
SOME_PAGES = [*product(*map(dict.values, (ROBOTS_TXTS, HEADERS, HTMLS, TDMREP_JSONS)))][::7]


@pytest.mark.parametrize(("purposes", "level"), DECLARED)
def test_the_tester_says_of_each_declared_use_what_explain_says(tmp_path, purposes, level):
    for texts in SOME_PAGES:
        fields = dict(zip(EMPTY, texts[1:], strict=True), purposes=purposes, level=level)
        chosen = chosen_of(robots_txt=texts[0], **fields)
        facts = [row for row in chosen["use_facts"] if row[0] != "not read"]
        assert facts == explained(tmp_path, texts, purposes, level)
        refused = [text.split()[0] for name, text in facts if name == "use" and " refused" in text]
        assert chosen["refused_uses"] == refused


@pytest.mark.parametrize(
    "choice",
    [
        *({"purposes": purposes} for purposes in ("search", ["train"], [["search"]], None, {})),
        *({"level": level} for level in ("most", None, [])),
    ],
)
def test_a_use_that_no_crawl_can_declare_is_refused(choice):
    with pytest.raises(ValueError, match="declared use"):
        facts_of(**choice)


STARTS = {
    "nothing": (DeclaredUse(), [*PURPOSES], ""),
    "tokens": (DeclaredUse(tokens=("Google-Extended",)), [*PURPOSES], ""),
    "a purpose": (DeclaredUse(frozenset({"search"})), ["search"], ""),
    "a level": (DeclaredUse(level="full"), [], "full"),
}


@pytest.mark.parametrize("declared", STARTS)
def test_the_tester_begins_with_the_use_that_the_project_declares(declared):
    use, purposes, level = STARTS[declared]
    start = uses_of(use)
    assert [name for name, is_declared in start["purposes"].items() if is_declared] == purposes
    assert start["level"] == level


NOAI = '<meta name="robots" content="noai">'
NO_HEADER = "line {} of the headers: it is no header line"
PASTED = {
    "empty lines mean nothing": (
        {"headers": "\n\nA: b\n\n  \nX-Robots-Tag : noai\r\n"},
        ["usage header X-Robots-Tag: noai"],
    ),
    "the last response counts": (
        {"headers": "HTTP/1.1 301 Moved\nX-Robots-Tag: noai\n\nHTTP/2 200\ntdm-reservation: 1"},
        ["usage header tdm-reservation: 1"],
    ),
    "a page in the wrong field": (
        {"headers": f"<p>\n{NOAI}\n: x\n:status: 200\nA: b"},
        [*(f"not read {NO_HEADER.format(number)}" for number in (1, 2, 3))],
    ),
    "what a browser shows of an unpacked body": (
        {"headers": "content-type: text/html\ncontent-encoding: br", "html": NOAI},
        ["usage meta tag robots: noai"],
    ),
    "text has no other encoding": (
        {
            "headers": "content-type: text/html; charset=utf-16",
            "html": "<meta charset=cp037><meta name=tdm-policy content=é>",
        },
        ["usage meta tag tdm-policy: é"],
    ),
    "no HTML": (
        {"headers": "Content-Type: application/pdf\nX-Robots-Tag: noai", "html": NOAI},
        [
            "usage header X-Robots-Tag: noai",
            "not read the HTML: by its Content-Type the page is none",
        ],
    ),
    "half a character": (
        {"headers": "tdm-policy: \ud800", "html": "\ud800", "tdmrep": "\ud800"},
        ["usage header tdm-policy: ?", "tdmrep.json 200, no JSON (JSONDecodeError)"],
    ),
}


@pytest.mark.parametrize("name", PASTED)
def test_header_lines_and_html_are_read_as_they_are_pasted(name):
    fields, rows = PASTED[name]
    assert [" ".join(row) for row in facts_of(**fields) if row[0] != "use"] == rows


def test_what_cannot_be_read_is_named_a_few_times_only():
    assert len(facts_of(headers="x\n" * 1_000)) == MAX_UNREAD


def test_thousands_of_preferences_hide_no_result():
    html = "".join(f"<meta name=tdm-policy content={n}>" for n in range(5_000))
    facts = facts_of(html=html + NOAI, headers="tdm-policy: x\n" * 90)
    assert ("usage", "and 4,961 more") in facts
    assert ("overridden", "and 50 more") in facts
    assert ("use", "train-ai refused by meta tag robots: noai") in facts


def test_a_long_value_is_cut():
    html = f"<meta name=tdm-policy content={'x' * 100_000}>"
    assert max(len(text) for _, text in facts_of(html=html)) == MAX_FACT + 1
