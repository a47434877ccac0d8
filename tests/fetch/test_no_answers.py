"""Which responses say nothing about the robots.txt."""

from __future__ import annotations

import pytest

from scrapy_robots_policy.fetch.no_answers import (
    ProxyRefusedError,
    UnaskedNotModifiedError,
    check_answer,
)
from scrapy_robots_policy.fetch.unpacking import UnreadableBodyError


def check(status, *, is_proxied=False, is_conditional=False, **headers):
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    check_answer(status, named, is_proxied=is_proxied, is_conditional=is_conditional)


def test_a_407_is_a_proxys_own_word_where_there_is_a_proxy():
    check(407)
    with pytest.raises(ProxyRefusedError):
        check(407, is_proxied=True)


def test_a_304_says_something_only_of_a_copy_that_was_asked_about():
    check(304, is_conditional=True)
    with pytest.raises(UnaskedNotModifiedError):
        check(304)


@pytest.mark.parametrize(
    "content_range", ["", "bytes 0-9/20", "bytes 10-19/20", "bytes 0-19/*", "bytes */20", "0-19/20"]
)
def test_a_part_is_no_file(content_range):
    with pytest.raises(UnreadableBodyError):
        check(206, content_range=content_range)


@pytest.mark.parametrize("content_range", ["bytes 0-19/20", " Bytes 0-0/1 "])
def test_a_part_that_is_the_whole_is_the_file(content_range):
    check(206, content_range=content_range)


@pytest.mark.parametrize("codings", ["gzip", "gzip, chunked", "chunked, gzip", "xchunked"])
def test_a_body_in_a_transfer_coding_that_clients_leave_is_no_file(codings):
    with pytest.raises(UnreadableBodyError):
        check(200, transfer_encoding=codings)
    check(404, transfer_encoding=codings)


@pytest.mark.parametrize("codings", ["", "chunked", "Chunked", "identity"])
def test_chunks_are_taken_off_by_every_client(codings):
    check(200, transfer_encoding=codings)
