"""Who is measured: each parser behind the same two functions."""

from __future__ import annotations

import contextlib
import io
import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from typing import Any
from urllib.robotparser import RobotFileParser

OURS = "scrapy_robots_policy"


@dataclass(frozen=True)
class Peer:
    """parse: octets → anything; allowed: (that, URL, product token) → bool."""

    name: str
    parse: Callable[[bytes], Any]
    allowed: Callable[[Any, str, str], bool]
    per_file: int = 1_000_000  # questions to one file, where a question costs a parse


def peers() -> list[Peer]:
    """All that are installed, Protego first: it is what the others are measured against."""
    made = []
    for make in (_protego, _ours, _ours_google, _urllib, _robotspy, _rerp, _gpyrobotstxt):
        with contextlib.suppress(ImportError):
            made.append(make())
    return made


def _text(body: bytes) -> str:
    return body.decode("utf-8-sig", "ignore")  # as Scrapy gives it to its parsers


def _protego() -> Peer:
    from protego import Protego

    logging.getLogger("protego").setLevel(logging.WARNING)
    return Peer(
        f"Protego {version('protego')}",
        lambda body: Protego.parse(_text(body)),
        lambda parsed, url, agent: parsed.can_fetch(url, agent),
    )


def _ours(dialect: str = "rfc9309") -> Peer:
    from scrapy_robots_policy.rep import RuleSet, parse

    return Peer(f"{OURS}, {dialect}", partial(parse, dialect=dialect), RuleSet.allowed)


def _ours_google() -> Peer:
    return _ours("google")


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


def _gpyrobotstxt() -> Peer:
    from gpyrobotstxt.robots_cc import RobotsMatcher

    def allowed(body: bytes, url: str, agent: str) -> bool:
        return bool(RobotsMatcher().allowed_by_robots(body, [agent], url))

    return Peer(f"gpyrobotstxt {version('gpyrobotstxt')}", bytes, allowed, per_file=1)
