"""What each verb prints with --json is as docs/robots-policy.schema.json says."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from .run import policy

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "docs" / "robots-policy.schema.json").read_text("utf-8")
)
FILES = {
    "robots.txt": "User-agent: *\nDisallow: /private/\nAllow: /private/a\nDisalow: /x\n"
    "Crawl-delay: 5\nSitemap: https://e.com/s.xml\n",
    "use.txt": "User-agent: *\nContent-Signal: ai-train=no, search=yes\nContent-Usage: train-ai=y\n"
    "License: https://e.com/l.xml\nAllow: /\n\nUser-agent: GPTBot\nDisallow: /\n",
    "page.txt": 'HTTP/1.1 200 OK\nTDM-Reservation: 1\n\n<meta name="robots" content="noai">',
    "s.json": '{"robots": "robots.txt", "expect": ["Bot may fetch /private/x", "Bot may fetch /"]}',
}
LINES = [
    ("check", "--robots robots.txt /private/x / 'no url'"),
    ("check", "--robots robots.txt --quiet /private/x 'no url'"),
    ("check", "http://127.0.0.1:1/"),
    ("check", "--robots use.txt --purpose train-ai /"),
    ("explain", "--robots robots.txt /private/a"),
    ("explain", "--robots use.txt --page page.txt --purpose train-ai,search /"),
    ("explain", "--dialect koster1996 http://127.0.0.1:1/"),
    ("compare", "--robots robots.txt /x /private/x"),
    ("blocked", "--all use.txt"),
    ("lint", "robots.txt use.txt"),
    ("lint --statistics", "robots.txt use.txt"),
    ("lint --explain", "all"),
    ("test", "s.json"),
    ("diff", "robots.txt use.txt"),
    ("dialects", ""),
    ("dialects A B", "google yandex"),
]


def faults_of(kind, line):
    schema = {"$ref": f"#/$defs/{kind}", "$defs": SCHEMA["$defs"]}
    return [error.message for error in Draft202012Validator(schema).iter_errors(json.loads(line))]


@pytest.fixture
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)


@pytest.mark.usefixtures("_folder")
@pytest.mark.parametrize(("kind", "line"), LINES)
def test_each_line_of_json_is_as_the_schema_says(kind, line):
    lines = policy(*shlex.split(f"{kind.removesuffix(' A B')} {line}"), "--json").lines
    assert lines
    assert [fault for one in lines for fault in faults_of(kind, one)] == []


def test_the_schema_refuses_what_it_does_not_name():
    Draft202012Validator.check_schema(SCHEMA)
    assert faults_of("check", '{"url": "/"}')
    assert faults_of("lint", json.dumps({"code": "R201", "more": 1}))
