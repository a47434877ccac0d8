"""A rule's path as a URL reference, resolved as Perl's URI does it."""

from __future__ import annotations

import pytest

from scrapy_robots_policy.rep.references import resolve

HERE = "http://example.com/robots.txt"

# reference: the path it stands for at HERE; None: it is for another origin, or for none
REFERENCES = {
    "/a": "/a",
    "a": "/a",
    "./a": "/a",
    "../a": "/../a",
    "../../a": "/../../a",
    "/a/../b": "/a/../b",  # dots count in relative paths only
    "a/../b": "/b",
    "a/./b": "/a/b",
    "a/..": "/",
    ".": "/",
    "..": "/..",
    "?x": "/robots.txt?x",
    '""': "/robots.txt",
    "<>": "/robots.txt",
    "a?b/../c": "/a?b/../c",
    "/a;p?q": "/a;p?q",
    "http://example.com": "/",
    "http://example.com/a": "/a",
    "HTTP://EXAMPLE.com:80/a": "/a",
    "http://example.com?x": "?x",
    "http://ex%61mple.com/a": "/a",
    "//ex%61mple.com/a": "/a",
    "http://[example.com]/a": "/a",
    "http://example.com%2f.other.example/a": None,
    "//example.com/a": "/a",
    "//other.example/a": None,
    "http://example.com:81/a": None,
    "https://example.com/a": None,
    "http://other.example/a": None,
    "http:/a": None,
    "http:": None,
    "mailto:x": None,
    "foo:bar": None,
    '"/a"': "/a",
    "</a>": "/a",
    "<URL:/a>": "/a",
    "< /a >": "/a",
}


@pytest.mark.parametrize(("reference", "path"), REFERENCES.items())
def test_a_reference_is_resolved_against_the_files_address(reference: str, path: str | None):
    resolved = resolve(reference)
    assert (resolved.path if resolved and resolved.is_for(HERE) else None) == path


def test_a_host_without_a_scheme_is_meant_under_the_files_own_scheme():
    resolved = resolve("//example.com/a")
    assert resolved is not None
    assert resolved.is_for("https://example.com/robots.txt")
    assert not resolved.is_for("https://example.com:8443/robots.txt")


def test_a_port_without_a_scheme_is_compared_with_the_port_of_the_file():
    tls, plain = resolve("//example.com:443/a"), resolve("//example.com:80/a")
    assert tls is not None
    assert plain is not None
    assert tls.is_for("https://example.com/robots.txt")
    assert not tls.is_for("http://example.com/robots.txt")
    assert plain.is_for("http://example.com/robots.txt")
    assert not plain.is_for("https://example.com/robots.txt")
