"""Nothing that a robots.txt says reaches a terminal, a log or a report unescaped, or at length."""

from __future__ import annotations

import json
import logging
from itertools import chain
from urllib.parse import quote

import pytest

from scrapy_robots_policy.rep import DIALECTS, Verdict, parse
from scrapy_robots_policy.rep.escapes import MAX_BRIEF
from scrapy_robots_policy.rep.usage.preferences import DeclaredUse
from scrapy_robots_policy.rep.verdict import refuse
from tests.commands.run import robots as command
from tests.crawls import crawl
from tests.on_reactor import on_reactor
from tests.site import Site, robots

STEERING = {
    "ESC": "\x1b]0;owned\x07\x1b[2J",
    "C0": "\x01\x02\b\x7f",
    "C1": "\x9b31m\x90\x9d",
    "NEL": "\x85forged line",
    "line separators": "\u2028forged\u2029line",
    "bidi": "\u202egpj.exe\u2066\u200f",
    "invisible": "\u200b\ufeff\u00ad",
}
DEEP_STARS = "*" * 400_000


def byte_forms(text: str) -> list[bytes]:
    """The text as UTF-8, and as the bytes of Latin-1 where it has such a form."""
    forms = [text.encode()]
    return [*forms, text.encode("latin-1")] if max(text) < "\u0100" else forms


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_cause_is_printable_in_every_dialect(dialect):
    for sent in chain.from_iterable(map(byte_forms, STEERING.values())):
        body = b"User-agent: *\nDisallow: /x" + sent + b"\n"
        verdict = parse(body, dialect).verdict(f"http://example.com/x{quote(sent)}", "Bot")
        for text in (verdict.cause, str(verdict), str(verdict.rule)):
            assert text.isprintable(), sent


@pytest.mark.parametrize("name", STEERING)
def test_a_refused_use_is_printable(name):
    preference = parse(
        f"User-agent: *\nContent-Signal: {STEERING[name]}=no, ai-train=no\n".encode()
    ).verdict("http://example.com/", "Bot")
    refused = refuse(preference, DeclaredUse(frozenset({"train-ai"})))
    assert not refused.allowed
    assert refused.cause.isprintable()
    assert all(str(one).isprintable() for one in preference.usage)


@pytest.mark.parametrize("text", [*STEERING.values(), "é" * 1000, "a" * 500, DEEP_STARS])
def test_a_cause_is_one_short_line_whatever_the_rule(text):
    rules = parse(f"User-agent: *\nDisallow: /x{text}\n".encode())
    verdict: Verdict = rules.verdict(f"http://example.com/x{quote(text)[:5000]}", "Bot")
    assert len(verdict.cause) <= MAX_BRIEF
    assert verdict.cause.isprintable()


@pytest.mark.slow
@pytest.mark.parametrize("dialect", ["rfc9309", "koster1996", "original1994", "google"])
@on_reactor
async def test_no_control_character_reaches_log_exception_or_report(dialect, tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    body = "User-agent: *\n" + "".join(f"Disallow: /x{text}\n" for text in STEERING.values())
    with Site({"/robots.txt": robots(body)}) as site:
        urls = [site.url(f"/x{quote(text)}") for text in STEERING.values()]
        report = tmp_path / "report.html"
        settings = {"ROBOTS_DIALECT": dialect, "ROBOTS_REPORT": str(report)}
        seen, crawler = await crawl(*urls, settings=settings)
    assert len(seen.dropped) >= 4  # not every dialect compares all bytes
    texts = [*seen.dropped.values(), *map(str, crawler.stats.get_stats())]
    texts += [r.getMessage() for r in caplog.records if r.name.startswith("scrapy_robots_policy")]
    origins = json.loads(report.with_suffix(".json").read_text())["origins"]
    texts += [cause for origin in origins for cause in origin["refused"]]
    assert [text for text in texts if not text.isprintable()] == []
    for name in (report, report.with_suffix(".json")):
        assert all(line.isprintable() for line in name.read_text().split("\n"))


def test_an_error_message_of_a_command_is_printable(tmp_path):
    for text in STEERING.values():
        for verb in ("check", "explain"):
            result = command(verb, "--robots", tmp_path / f"no{text}.txt", "/x")
            assert result.status == 2
            assert all(line.isprintable() for line in result.err.splitlines())
            assert result.err.count("\n") == 1


def test_no_finding_controls_a_terminal(tmp_path):
    file = tmp_path / "a\x1b.txt"
    file.write_bytes(
        b"User-agent: a\x1b[31m\nDisalow\x1b[31m: /\nSitemap: \x1b[31m\nDisallow: x\x1b\n"
    )
    result = command("lint", file)
    assert "Disalow" in result.out
    assert "\x1b" not in result.out + result.err
