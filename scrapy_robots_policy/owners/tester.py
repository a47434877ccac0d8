"""`scrapy robots tester`: a local page to try robots.txt files on.

The server has one page and three kinds of POST, on the loopback interface only.

Any page in the user's browser can send requests to this machine. So the server answers a request
only if its Host is this server (another name may have been made to point here: DNS rebinding), and
a POST only if it comes from the tester's own page, as JSON. The page may load nothing from
elsewhere.

`Questions` are the fields of the page, `answers` makes plain data of them. Only our own page sends
them, so what has another shape gets an error, and no sentence of its own.
"""

from __future__ import annotations

import json
import sys
import webbrowser
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from threading import Thread
from time import time
from typing import Any

from .. import pages
from ..commands.arguments import READING, UNREADABLE, Arguments, Options, UsageError
from ..commands.printing.terminal import print_line
from ..commands.printing.verdict_data import (
    ANSWERS,
    answer_of,
    described,
    modes_by_answer,
    tdmrep_state,
    use_facts,
    uses_with_page,
    verdict_as_json,
)
from ..commands.reading.download import fetch, is_web
from ..commands.reading.inputs import (
    in_words,
    read_file,
    reservations_from,
    robots_txt_of,
    rules_from,
)
from ..commands.typed_urls import can_be_asked, why_no_url
from ..core.redirects import ANYWHERE, RedirectGuard
from ..core.result import whole_lines
from ..core.site import OriginRules
from ..distribution import docs_url, installed_version
from ..rep import DIALECTS, AccessMode, Dialect, FetchResult, Reason, Verdict, origin_of
from ..rep.access import explain, remember
from ..rep.agents import crawlers
from ..rep.documents import TDMREP, key_of, url_of
from ..rep.engines import cause
from ..rep.escapes import shortened, shown
from ..rep.url import readable
from ..rep.usage.answer import Result
from ..rep.usage.preferences import LEVELS, NO_USE, PURPOSES, DeclaredUse, Preference, tokens_for
from .blocked import by_category
from .lint import lint
from .lint_verb import finding_as_json

# What data of another shape than the page's raises, as it is taken apart.
_OTHER_SHAPE = (AttributeError, KeyError, OverflowError, TypeError)


@dataclass(frozen=True, slots=True)
class PageFields:
    """The fields. One that is empty says nothing.

    Attributes:
        headers: header lines of the response for the page.
        html: the text of the page.
        tdmrep: the text of the site's tdmrep.json.

    """

    headers: str = ""
    html: str = ""
    tdmrep: str = ""

    @classmethod
    def of(cls, data: Any) -> PageFields:
        """From the page's JSON."""
        texts = (data.get(name, "") for name in cls.__slots__)
        return cls(*(text if text.strip() else "" for text in texts))

    def use_answer(
        self, rules: OriginRules, url: str, agent: str, use: DeclaredUse
    ) -> dict[str, Any]:
        """Every preference about the use of a page, what overrides what, and the results."""
        if self.tdmrep:
            result = FetchResult(200, self.tdmrep.encode("utf-8", "replace"))
            rules = rules.with_tdmrep(reservations_from(key_of("", TDMREP), result))
        of_page, notes = self._of_page(url, agent, rules.dialect)
        verdict = rules.verdict_for_use(url, agent, use)
        uses = uses_with_page(verdict, rules, url, use, of_page)
        if rules.tdmrep is not None:
            notes.append(("tdmrep.json", tdmrep_state(rules.tdmrep)))
        return {
            "use_facts": use_facts(uses) + notes,
            "refused_uses": [one.name for one in uses.results if one.result is Result.REFUSED],
        }

    def _of_page(
        self, url: str, agent: str, dialect: Dialect
    ) -> tuple[tuple[Preference, ...], list[tuple[str, str]]]:
        """(the preferences of the page itself, what of its fields is not read)"""
        if not (self.headers or self.html):
            return (), []
        from ..commands.reading import saved_page  # noqa: PLC0415 - it loads Scrapy

        response = saved_page.pasted_response(self.headers, self.html, url)
        notes = [
            ("not read", f"line {number} of the headers: it is no header line")
            for number in saved_page.unread_lines(self.headers)[: saved_page.MAX_UNREAD]
        ]
        if self.html and not saved_page.is_html(response):
            notes.append(("not read", "the HTML: by its Content-Type the page is none"))
        return saved_page.preferences_of(response, agent, dialect), notes


def fetched_tdmrep(
    rules: OriginRules, agent: str, fetch: Callable[[str], FetchResult]
) -> dict[str, str]:
    """The tdmrep.json of a site, for the page: its URL, what came of it, and its text.

    It is fetched only if the site's robots.txt allows that, as in a crawl.
    """
    key = key_of(rules.origin, TDMREP)
    url = url_of(key)
    if not rules.allowed(url, agent):
        return {"url": url, "why": "not fetched, because robots.txt does not allow it", "text": ""}
    tdmrep = reservations_from(key, fetch(url))
    body = tdmrep.access.body if tdmrep.reservations else b""
    return {"url": url, "why": tdmrep_state(tdmrep), "text": body.decode("utf-8", "replace")}


MAX_URLS = 30
MAX_AGENTS = 6
MAX_FINDINGS = 300
MAX_BEATEN = 20
MAX_SHOWN = 2_000  # characters of a part of a rule or of a URL


@dataclass(frozen=True, slots=True)
class Questions:
    """The fields of the page. A question is a URL and an agent.

    Attributes:
        answer: what the site answers to the request for its robots.txt, as a key of `ANSWERS`.
        result: the same, with the file, or with why the fetch had no answer.
        faults: a sentence for each line that is no URL.
        chosen: the question, from 0, that is explained in full, in `dialect`.
        use: what the crawl declares.
        page: what the page and its site say elsewhere, for the question that is chosen.

    """

    answer: str
    result: FetchResult
    urls: tuple[str, ...]
    faults: tuple[str, ...]
    agents: tuple[str, ...]
    dialect: Dialect
    chosen: int
    use: DeclaredUse
    page: PageFields

    @classmethod
    def of(cls, data: Any) -> Questions:
        """From the page's JSON. What is no URL is left out, and stands in `faults`."""
        answer, why = data.get("answer", "200"), data.get("why", "")
        result = ANSWERS[answer]
        if answer == "200":
            result = replace(result, body=data["robots"].encode("utf-8", "replace"))
        elif result.status is None and why:
            result = replace(result, cause=why)
        purposes = frozenset(data.get("purposes", ()))
        asked = {url: why_no_url(url) for url in data["urls"][:MAX_URLS]}
        return cls(
            answer,
            result,
            tuple(url for url, fault in asked.items() if not fault),
            tuple(filter(None, asked.values())),
            tuple(data["agents"][:MAX_AGENTS]),
            DIALECTS[data["dialect"]],
            int(data.get("question", 0)),
            DeclaredUse(purposes, data.get("level", ""), tokens_for(purposes)),
            PageFields.of(data),
        )

    @property
    def pairs(self) -> list[tuple[str, str]]:
        return [(url, agent) for url in self.urls for agent in self.agents]


class Rules:
    """The rules of the last file that was asked about, in each dialect; older ones are forgotten.

    While a user types a URL, the page asks about the same file again and again. Several requests
    may come at a time: a file and its rules are replaced together.
    """

    def __init__(self) -> None:
        self._last: tuple[FetchResult, dict[str, OriginRules]] | None = None

    def of(self, result: FetchResult) -> dict[str, OriginRules]:
        last = self._last  # once: another request may put its file there meanwhile
        if last is None or last[0] != result:
            last = self._last = result, {}
        return last[1]


def answers(questions: Questions, rules: Rules) -> dict[str, Any]:
    """All verdicts in all dialects, and one of them in full."""
    pairs = questions.pairs
    in_dialect = rules.of(questions.result)
    verdicts: list[list[dict[str, Any]]] = []
    for name, dialect in DIALECTS.items():
        if name not in in_dialect:
            in_dialect[name] = rules_from("", questions.result, dialect)
        verdicts.append([_short(in_dialect[name], *pair) for pair in pairs])
    chosen = pairs[min(max(questions.chosen, 0), len(pairs) - 1)] if pairs else None
    return {
        "questions": [{"url": url, "agent": agent} for url, agent in pairs],
        "verdicts": verdicts,
        "faults": [shortened(fault, MAX_SHOWN) for fault in questions.faults],
        "max": {"urls": MAX_URLS, "agents": MAX_AGENTS},
        "dialects": list(DIALECTS),
        "access": [_access(questions.answer, rules) for rules in in_dialect.values()],
        "chosen": chosen and _full(questions, in_dialect, *chosen),
    }


def findings(data: Any) -> dict[str, Any]:
    """What lint finds in the page's file, whatever the site answers."""
    questions = Questions.of({**data, "answer": "200"} if isinstance(data, dict) else data)
    all_findings = lint(questions.result.body, questions.dialect)
    return {
        "findings": [finding_as_json(finding) for finding in all_findings[:MAX_FINDINGS]],
        "more_findings": max(len(all_findings) - MAX_FINDINGS, 0),
    }


def _short(rules: OriginRules, url: str, agent: str) -> dict[str, Any]:
    verdict = rules.verdict(url, agent)
    return {"allowed": verdict.allowed, "waits": _waits(verdict), "line": verdict.line}


def _waits(verdict: Verdict) -> bool:
    """Whether a request is held back for now, and decided when the file is known."""
    return verdict.reason is Reason.DEFERRED


def _access(answer: str, rules: OriginRules) -> str:
    """What the dialect makes of the site's answer, now and later; "" if it obeys the rules."""
    if rules.mode is AccessMode.RULES:
        return ""
    if answer == "200":
        return rules.mode.description  # a file that is no robots.txt, such as an HTML page
    return modes_by_answer(rules.dialect.access)[answer]


def _full(
    questions: Questions, rules: dict[str, OriginRules], url: str, agent: str
) -> dict[str, Any]:
    verdict: Verdict = rules[questions.dialect.name].verdict(url, agent)

    def allowed(dialect: Dialect) -> bool:
        in_dialect = rules.get(dialect.name)
        if in_dialect is None or in_dialect.dialect is not dialect:
            in_dialect = rules_from("", questions.result, dialect)
        return in_dialect.allowed(url, agent)

    standard = next(iter(DIALECTS.values()))
    why = cause(allowed, standard, questions.dialect)
    full = verdict_as_json(url, verdict)
    return full | {
        "beaten": full["beaten"][:MAX_BEATEN],
        "beats": len(verdict.beaten),
        **questions.page.use_answer(rules[questions.dialect.name], url, agent, questions.use),
        "waits": _waits(verdict),
        "delay": rules[questions.dialect.name].crawl_delay(agent),
        "standard": standard.name,
        "options": described(why, standard.name) if why else "",
        "match": _match(rules[questions.dialect.name], verdict, url),
    }


def _match(rules: OriginRules, verdict: Verdict, url: str) -> dict[str, Any] | None:
    """How the rule that decided matches the URL, part by part, as text that is safe to show."""
    match = rules.rules.match(verdict.rule, url) if rules.rules and verdict.rule else None
    if match is None:
        return None
    parts = [
        {"kind": part.kind, "rule": _text(part.rule), "path": _text(part.path)}
        for part in match.parts
    ]
    return {"parts": parts, "rest": _text(match.rest)}


def _text(text: str) -> str:
    return shortened(shown(readable(text)), MAX_SHOWN)


MAX_BYTES = 2 * 1024 * 1024  # of a POST: a robots.txt of 500 KiB, escaped, and more
MAX_UNREAD = 64 * 1024 * 1024  # of a POST that is too long: more of it is not waited for
REDIRECTS = 5
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_SCRIPTS = ("/tester.js", "/tester_state.js", "/tester_table.js", "/tester_lines.js")


def as_fetched(result: FetchResult) -> dict[str, Any]:
    """What a fetch has brought, for the page: a file, or why there is none."""
    kind = answer_of(result)
    served = result.body if kind == "200" else b""
    body = whole_lines(served, MAX_BYTES // 4)
    cut = ", cut because this page holds no more" if len(body) < len(served) else ""
    return {
        "served": kind == "200",
        "answer": kind,
        "why": explain(remember(None, result, time())) + cut,
        "robots": body.decode("utf-8", "replace"),
    }


def fetch_for_page(url: str, user_agent: str, guard: RedirectGuard) -> FetchResult:
    """One try. It is shown in all dialects, so the number of redirects is not that of one."""
    return fetch(url, user_agent, REDIRECTS, guard)


class Server(ThreadingHTTPServer):
    """Port 0 takes any free one. `start_values` are the first values of the page's fields."""

    daemon_threads = True

    def __init__(
        self,
        port: int,
        start_values: Mapping[str, Any],
        user_agent: str,
        guard: RedirectGuard = ANYWHERE,
    ) -> None:
        # On Windows two servers with that option share a port, and either one gets a request.
        self.allow_reuse_address = sys.platform != "win32"
        super().__init__(("127.0.0.1", port), _Handler)
        self.start_values, self.user_agent, self.guard = start_values, user_agent, guard
        self.rules = Rules()

    def fetched(self, url: str) -> FetchResult:
        return fetch_for_page(url, self.user_agent, self.guard)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A page that no longer waits for its answer is no error: the user has typed on."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/"

    @property
    def hosts(self) -> tuple[str, ...]:
        return tuple(f"{host}:{self.server_port}" for host in ("127.0.0.1", "localhost"))


class _Handler(BaseHTTPRequestHandler):
    server: Server
    timeout = 30
    server_version = "tester"
    sys_version = ""

    def do_GET(self) -> None:
        if not self._is_for_us():
            return
        if self.path == "/given":
            self._send_json(200, self.server.start_values)
        elif self.path == "/":
            self._send_text("html", pages.render("tester", ""))
        elif self.path == "/tester.css":
            self._send_text("css", pages.style("tester"))
        elif self.path in _SCRIPTS:
            self._send_text("javascript", (files(pages) / self.path[1:]).read_text("utf-8"))
        else:
            self._send_json(404, {"error": "there is no such page"})

    def do_POST(self) -> None:
        questions: dict[str, Callable[[Any], dict[str, Any]]] = {
            "/answers": self._answers,
            "/findings": findings,
            "/fetch": self._fetch,
        }
        if not self._is_for_us() or not self._is_from_our_page():
            return
        if self.path not in questions:
            self._send_json(404, {"error": "there is no such page"})
            return
        try:
            self._send_json(200, questions[self.path](self._posted()))
        except ValueError as error:
            self._send_json(400, {"error": str(error)})
        except _OTHER_SHAPE:
            self._send_json(400, {"error": "the fields have another shape than the page's"})

    def _answers(self, data: Any) -> dict[str, Any]:
        return answers(Questions.of(data), self.server.rules)

    def _is_for_us(self) -> bool:
        """Whether the Host is this server (RFC 9110 §7.2): protects against DNS rebinding."""
        if self.headers.get("Host", "").lower() in self.server.hosts:
            return True
        self._send_json(421, {"error": "this server has another name"})
        return False

    def _is_from_our_page(self) -> bool:
        origin = self.headers.get("Origin", "").lower().removeprefix("http://")
        from_page = self.headers.get("Sec-Fetch-Site", "same-origin") == "same-origin"
        as_json = self.headers.get_content_type() == "application/json"
        if origin in self.server.hosts and from_page and as_json:
            return True
        self._send_json(403, {"error": "only the tester's own page may send this"})
        return False

    def _posted(self) -> Any:
        """The JSON of a POST. ValueError if it is too long or no JSON."""
        text = self.headers.get("Content-Length", "")
        if not text.isascii() or not text.isdigit():
            raise ValueError("a request has a Content-Length")
        length = int(text)
        if length > MAX_BYTES:
            self._skip(min(length, MAX_UNREAD))
            limit = f"all fields of the page together may have {MAX_BYTES:,} bytes"
            raise ValueError(f"{limit}; they have {length:,}")
        try:
            return json.loads(self.rfile.read(length))
        except RecursionError:
            raise ValueError("the JSON is nested too deeply") from None

    def _skip(self, length: int) -> None:
        """Read a body without keeping it. If it stayed unread, the connection would be reset, and
        the page might not get the answer (RFC 9112 §9.6).
        """
        while length > 0 and (data := self.rfile.read(min(length, 65_536))):
            length -= len(data)

    def _fetch(self, data: Any) -> dict[str, Any]:
        """The robots.txt and the tdmrep.json of a site, with the results of the fetches."""
        site = data.get("site") if isinstance(data, dict) else None
        if not isinstance(site, str):
            raise ValueError("a site is a string")
        origin = origin_of(site if "://" in site else f"https://{site}")
        if origin is None or not can_be_asked(origin):
            raise ValueError(f"{site!r} is no http or https site, which alone have a robots.txt")
        url = f"{origin}/robots.txt"
        result = self.server.fetched(url)
        values = self.server.start_values
        rules = rules_from(origin, result, DIALECTS[values["dialect"]])
        tdmrep = fetched_tdmrep(rules, values["agent"], self.server.fetched)
        return {"url": url, **as_fetched(result), "tdmrep": tdmrep}

    def send_error(
        self,
        code: int,
        message: str | None = None,
        explain: str | None = None,  # noqa: ARG002 - the base class's, of more words
    ) -> None:
        """What the base class refuses by itself: a method that has no `do_…`, a line that is no
        request. Its own answer would have none of our headers.
        """
        self.request_version = self.protocol_version  # to HTTP/0.9 no headers would be sent
        self._send_json(code, {"error": message or HTTPStatus(code).phrase})

    def _send_text(self, kind: str, text: str) -> None:
        self._send(200, f"text/{kind}; charset=utf-8", text.encode())

    def _send_json(self, status: int, value: Any) -> None:
        self._send(status, "application/json", json.dumps(value).encode())

    def _send(self, status: int, kind: str, data: bytes) -> None:
        self.send_response(status)
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Log nothing: the user works at this terminal."""


PORT = 9309  # always the same one, so that links live on
ARGUMENTS = Arguments(
    "",
    (*READING, "--port", "--no-browser"),
    (),
    ("0 it was ended with Ctrl-C", UNREADABLE),
    ("tester", "tester --robots robots.txt --port 8080"),
    {"--robots": "the robots.txt to begin with (default: the page's example)"},
)


def run(options: Options) -> int:
    """Serve until the user interrupts it; then 0."""
    if options.args:
        raise UsageError(f"tester takes no arguments, not {options.args[0]!r}; use --robots FILE")
    try:
        pages.check_jinja2()
    except ValueError as error:
        raise UsageError(str(error)) from None
    with _server(options) as server, suppress(KeyboardInterrupt):
        print_line(f"The tester is at {server.url} (this machine only); Ctrl-C ends it.")
        sys.stdout.flush()
        if not options.no_browser:
            # A browser in the terminal, such as w3m, loads the page before `open` comes back.
            Thread(target=webbrowser.open, args=(server.url,), daemon=True).start()
        server.serve_forever()
    return 0


def _server(options: Options) -> Server:
    """On the port that is asked for, 0 is any; else on the usual one, or on any if it is taken."""
    start_values = start_values_of(options)
    with suppress(OSError):
        if options.port is None:
            return Server(PORT, start_values, options.user_agent, options.guard)
    try:
        return Server(options.port or 0, start_values, options.user_agent, options.guard)
    except OSError as error:
        port = PORT if options.port is None else options.port
        why = f"{error.strerror}; --port 0 takes any free one"
        raise UsageError(f"cannot listen on port {port}: {why}") from None


def start_values_of(options: Options) -> dict[str, Any]:
    """The values of the page's fields at its start, and what it may choose from.

    `source` in it is the robots.txt that --robots names, and what came of it; None: the page's
    example.
    """
    source = None
    if options.robots:
        robots = robots_txt_of(options.robots)
        source = {"url": shown(in_words(robots)), **as_fetched(_result(robots, options))}
    is_known = options.dialect.name in DIALECTS
    return {
        "source": source,
        "agent": options.agent,
        "dialect": options.dialect.name if is_known else next(iter(DIALECTS)),
        "dialects": list(DIALECTS),
        "answers": list(ANSWERS),
        "crawlers": crawlers_by_kind(),
        "docs": docs_url(),
        "version": installed_version(),
        **uses_of(options.use),
    }


def uses_of(declared: DeclaredUse = NO_USE) -> dict[str, Any]:
    """The uses that the page lets a crawl declare.

    Args:
        declared: what the project declares.

    """
    return {
        "purposes": {name: name in declared.purposes for name in PURPOSES},
        "levels": LEVELS,
        "level": declared.level,
    }


def _result(source: str, options: Options) -> FetchResult:
    if not is_web(source):
        return read_file(source)
    return fetch_for_page(source, options.user_agent, options.guard)


def crawlers_by_kind() -> dict[str, list[str]]:
    """The names of all known crawlers, for a list to choose from."""
    groups = by_category(crawlers())
    return {category.value: [agent.name for agent in group] for category, group in groups}
