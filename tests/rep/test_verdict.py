"""What a verdict says: the rule that decided, the rules it beat, and the sentence."""

from __future__ import annotations

import pytest

from scrapy_robots_policy.rep import Reason, parse

FILE = """\
User-agent: *
Disallow: /

User-agent: FooBot
User-agent: BarBot
Disallow: /café/
Allow: /café/ouvert
Disallow: /*.pdf$
Disallow: /café/ouvert
""".encode()


@pytest.mark.parametrize(
    ("path", "agent", "dialect", "shown"),
    [
        ("/caf%C3%A9/x", "FooBot", "google", "refused by line 6, Disallow: /café/"),
        ("/caf%C3%A9/ouvert", "FooBot", "google", "allowed by line 7, Allow: /café/ouvert"),
        ("/caf%C3%A9/ouvert", "FooBot", "koster1996", "refused by line 6, Disallow: /café/"),
        ("/x", "FooBot", "google", "allowed: no rule matches"),
        ("/x", "OtherBot", "google", "refused by line 2, Disallow: /"),
        ("/x", "AdsBot-Google", "google", "allowed: no group names the crawler"),
        ("/robots.txt", "OtherBot", "rfc9309", "allowed: /robots.txt is always allowed"),
        ("/robots.txt", "OtherBot", "google", "refused by line 2, Disallow: /"),
    ],
)
def test_a_verdict_is_one_readable_line(path, agent, dialect, shown):
    verdict = parse(FILE, dialect).verdict(f"https://example.com{path}", agent)

    assert str(verdict) == shown


def test_the_rules_that_were_beaten_are_named_from_the_strongest_down():
    verdict = parse(FILE, "google").verdict(
        "https://example.com/caf%C3%A9/ouvert.pdf", "barbot/2.0"
    )

    assert verdict.reason is Reason.RULE
    assert verdict.line == 7
    assert [rule.line for rule in verdict.beaten] == [9, 6, 8]
    assert verdict.group is not None
    assert (verdict.group.name, verdict.group.lines) == ("barbot", (4, 5))


@pytest.mark.parametrize(
    ("rules", "path", "shown"),
    [
        (b"Crawl-delay: 1", "/robots.txt", "allowed: no rule matches"),
        (b"Disallow: /", "/robots.txt", "allowed: /robots.txt is always allowed"),
        (b"Disallow:\nAllow:", "/x", "allowed by line 2, Disallow: "),
        (b"Disallow:\nDisallow:", "/x", "allowed by line 2, Disallow: "),
        (b"Disallow: /\nDisallow: /", "/x", "refused by line 2, Disallow: /"),
    ],
)
def test_without_a_rule_the_verdict_still_names_what_decided(rules, path, shown):
    assert str(parse(b"User-agent: *\n" + rules).verdict(path, "FooBot")) == shown


def test_a_file_that_is_too_large_for_yandex_opens_the_site():
    body = FILE + b"#" * 600_000
    verdict = parse(body, "yandex").verdict("https://example.com/x", "OtherBot")

    assert (verdict.allowed, verdict.reason) == (True, Reason.OVER_SIZE)


def test_a_name_that_occurs_twice_in_one_group_does_not_double_it():
    group = parse(b"User-agent: a\nUser-agent: a\nDisallow: /x\n").group("a")
    assert group is not None
    assert (group.lines, len(group.rules)) == ((1, 2), 1)
