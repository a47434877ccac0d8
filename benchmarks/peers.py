"""The parsers that are measured: each parser behind the same two functions."""

from __future__ import annotations

import contextlib
import io
import logging
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from typing import Any
from urllib.robotparser import RobotFileParser

OURS = "scrapy_robots_policy"


def _same(url: str) -> str:
    return url


@dataclass(frozen=True)
class Peer:
    """One parser.

    parse     the file's bytes -> anything
    allowed   (what `parse` gave, URL, product token) -> bool
    per_file  how many questions a file is timed with: few, where each question costs a parse
    address   URL -> what this parser is asked about instead; done before the clock runs
    reasons   what a refusal tells, in words
    refuse    as `allowed`, but reads all that `reasons` names; None: `allowed` is all there is
    checker   (what `parse` gave, product token) -> the function for many URLs; None: `allowed`
    compiled  whether its memory is out of tracemalloc's sight
    """

    name: str
    parse: Callable[[bytes], Any]
    allowed: Callable[[Any, str, str], bool]
    per_file: int = 1_000_000
    address: Callable[[str], str] = _same
    reasons: str = "-"
    refuse: Callable[[Any, str, str], Any] | None = None
    checker: Callable[[Any, str], Callable[[str], bool]] | None = None
    compiled: bool = False

    def check(self, parsed: Any, agent: str) -> Callable[[str], bool]:
        """The fastest function this parser has for many URLs of one file."""
        if self.checker:
            return self.checker(parsed, agent)
        allowed = self.allowed
        return lambda url: allowed(parsed, url, agent)


def ask_all(ask: Callable[..., Any], rules: Any, addresses: list[str], agent: str) -> None:
    """Ask one question after the other. A peer that fails at a file has answered, as far as its
    time goes.
    """
    try:
        for address in addresses:
            ask(rules, address, agent)
    except Exception:  # noqa: BLE001 - whatever a peer raises
        return


def peers() -> list[Peer]:
    """All that are installed, Protego first: it is what the others are measured against."""
    makers = (_protego, _ours, partial(_ours, "google"), _fastrobots, _urllib, _robotspy, _rerp)
    made = map(_installed, (*makers, _jwm_robotstxt, _fast_robotstxt, _gpyrobotstxt))
    return [peer for peer in made if peer]


def _installed(make: Callable[[], Peer]) -> Peer | None:
    try:
        return make()
    except ImportError as error:
        print(f"left out, as it is not installed: {error.name}", file=sys.stderr)
        return None


def google_parser() -> Callable[[bytes, str, str], bool] | None:
    """Google's own parser: (bytes, product token, URL) -> bool. None where it is not installed."""
    try:
        from jwm.robotstxt.googlebot import RobotsMatcher
    except ImportError:
        return None
    allowed: Callable[[bytes, str, str], bool] = RobotsMatcher().OneAgentAllowedByRobots
    return allowed


def _text(body: bytes) -> str:
    return body.decode("utf-8-sig", "ignore")  # as Scrapy gives it to its parsers


def _protego() -> Peer:
    from protego import Protego

    logging.getLogger("protego").setLevel(logging.WARNING)
    return Peer(
        f"Protego {version('protego')}",
        lambda body: Protego.parse(_text(body)),
        lambda parsed, url, agent: parsed.can_fetch(url, agent),
        checker=lambda parsed, agent: lambda url: parsed.can_fetch(url, agent),
    )


def _ours(dialect: str = "rfc9309") -> Peer:
    from scrapy_robots_policy.rep import RuleSet, parse

    def refuse(rules: RuleSet, url: str, agent: str) -> object:
        verdict = rules.verdict(url, agent)
        return verdict.allowed, verdict.reason, verdict.rule, verdict.line

    return Peer(
        f"{OURS}, {dialect}",
        partial(parse, dialect=dialect),
        RuleSet.allowed,
        reasons="reason, rule, line",
        refuse=refuse,
    )


def _fastrobots() -> Peer:
    """It is asked about paths, as it cannot read URLs (its own `url_path` drops the query)."""
    from fastrobots import Robots

    return Peer(
        f"fastrobots {version('fastrobots')} (Rust)",
        lambda body: Robots.parse(_text(body)),
        lambda parsed, path, agent: parsed.allowed(path, agent),
        address=lambda url: url[url.index("/", len("https://")) :],
        checker=lambda parsed, agent: parsed.agent(agent).allowed,
        compiled=True,
    )


def _urllib() -> Peer:
    def parse(body: bytes) -> RobotFileParser:
        parser = RobotFileParser()
        parser.parse(_text(body).splitlines())
        return parser

    return Peer("urllib.robotparser", parse, lambda p, url, agent: p.can_fetch(agent, url))


def _robotspy() -> Peer:
    from robots import RobotsParser

    def parse(body: bytes) -> Any:
        with contextlib.redirect_stderr(io.StringIO()):
            return RobotsParser.from_string(_text(body))

    return Peer(
        f"robotspy {version('robotspy')}", parse, lambda p, url, agent: p.can_fetch(agent, url)
    )


def _rerp() -> Peer:
    from robotexclusionrulesparser import RobotExclusionRulesParser

    def parse(body: bytes) -> Any:
        parser = RobotExclusionRulesParser()
        parser.parse(_text(body))
        return parser

    return Peer(
        f"robotexclusionrulesparser {version('robotexclusionrulesparser')}",
        parse,
        lambda p, url, agent: p.is_allowed(agent, url),
    )


def _jwm_robotstxt() -> Peer:
    """Google's parser, compiled. It reads the file anew for every question."""
    from jwm.robotstxt.googlebot import RobotsMatcher

    matcher = RobotsMatcher()

    def refuse(body: bytes, url: str, agent: str) -> object:
        return matcher.OneAgentAllowedByRobots(body, agent, url), matcher.matching_line()

    return Peer(
        f"jwm.robotstxt {version('jwm.robotstxt')} (Google's, C++)",
        bytes,
        lambda body, url, agent: matcher.OneAgentAllowedByRobots(body, agent, url),
        per_file=3,
        reasons="line",
        refuse=refuse,
        compiled=True,
    )


def _fast_robotstxt() -> Peer:
    """A fork of Google's parser, which reads more. It reads the file anew for every question."""
    from robotstxt import RobotsMatcher

    def allowed(body: str, url: str, agent: str) -> bool:
        return bool(RobotsMatcher().is_allowed(body, agent, url))

    return Peer(
        f"fast-robotstxt {version('fast-robotstxt')} (C++)",
        _text,
        allowed,
        per_file=3,
        compiled=True,
    )


def _gpyrobotstxt() -> Peer:
    from gpyrobotstxt.robots_cc import RobotsMatcher

    def allowed(body: bytes, url: str, agent: str) -> bool:
        return bool(RobotsMatcher().allowed_by_robots(body, [agent], url))

    return Peer(f"gpyrobotstxt {version('gpyrobotstxt')}", bytes, allowed, per_file=1)
