"""What is read from WARC files, from a crawl's store and from its record."""

from __future__ import annotations

import gzip
import json
from itertools import chain

import pyarrow as pa
import pytest
import pytest_twisted

from scrapy_robots_policy.bulk import judge, read_record, read_store, read_warc
from scrapy_robots_policy.rep.access import FetchResult, remember
from scrapy_robots_policy.stores.sqlite import SqliteStore
from tests.audit.conftest import recorded  # noqa: F401 - a fixture
from tests.traced_memory import tracing_memory

SECRET = b"User-agent: *\nDisallow: /secret"


def response(url, status="200 OK", body=SECRET, headers=(), **of_record):
    lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in headers), "", ""]
    http = "\r\n".join(lines).encode() + body
    head = {
        "WARC-Type": "response",
        "WARC-Target-URI": url,
        "WARC-Date": "2026-11-28T01:02:03Z",
        "WARC-Record-ID": "<urn:uuid:1>",
        "Content-Type": "application/http; msgtype=response",
        "Content-Length": str(len(http)),
        **of_record,
    }
    text = "".join(f"{name}: {value}\r\n" for name, value in head.items())
    return b"WARC/1.0\r\n" + text.encode() + b"\r\n" + http + b"\r\n\r\n"


def warc(tmp_path, *records, packed=True):
    path = tmp_path / ("robots.warc" + ".gz" * packed)
    path.write_bytes(b"".join(gzip.compress(one) if packed else one for one in records))
    return path


def rows(batches):
    return list(chain.from_iterable(batch.to_pylist() for batch in batches))


def short(batches):
    return [(row["origin"], row["status"], row["body"], row["location"]) for row in rows(batches)]


@pytest.mark.parametrize("packed", [True, False])
def test_a_warc_gives_its_robots_txt_files_and_no_other_pages(tmp_path, packed):
    path = warc(
        tmp_path,
        b"WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 0\r\n\r\n\r\n\r\n",
        response("https://a.test/robots.txt", headers=[("Content-Type", "Text/Plain; charset=x")]),
        response("https://a.test/page"),
        response("https://a.test/sub/robots.txt"),
        response("http://B.test:80/robots.txt", "404 Not Found", b"gone"),
        packed=packed,
    )
    a, b = rows(read_warc(path))
    assert (a["origin"], a["status"], a["body"], a["media_type"]) == (
        "https://a.test",
        200,
        SECRET,
        "text/plain",
    )
    assert a["fetched_at"].isoformat() == "2026-11-28T01:02:03+00:00"
    assert (b["origin"], b["status"]) == ("http://b.test", 404)


def test_the_target_of_a_redirect_answers_for_the_first_site(tmp_path):
    path = warc(
        tmp_path,
        response(
            "http://a.test/robots.txt",
            "301 Moved",
            b"",
            [("Location", "https://a.test/robots.txt")],
        ),
        response("http://b.test/robots.txt", "302 Found", b"", [("Location", "/rules.txt")]),
        response(
            "https://a.test/robots.txt",
            "308 Moved",
            b"",
            [("Location", "https://www.a.test/robots.txt")],
        ),
        response("http://b.test/rules.txt", body=b"rules"),
        response("https://www.a.test/robots.txt"),
        response(
            "http://c.test/robots.txt",
            "301 Moved",
            b"",
            [("Location", "https://c.test/robots.txt")],
        ),
    )
    assert sorted(short(read_warc(path)), key=str) == [
        ("http://a.test", 200, SECRET, None),
        ("http://b.test", 200, b"rules", None),
        ("http://c.test", 301, None, "https://c.test/robots.txt"),
        ("https://a.test", 200, SECRET, None),
        ("https://www.a.test", 200, SECRET, None),
    ]


@pytest.mark.parametrize("packed", [True, False])
def test_a_warc_that_is_cut_anywhere_never_opens_a_site(tmp_path, packed, caplog):
    whole = warc(
        tmp_path,
        response("https://a.test/robots.txt"),
        response("https://b.test/robots.txt"),
        packed=packed,
    ).read_bytes()
    urls = pa.table({"url": ["https://a.test/secret", "https://b.test/secret"]})
    path = tmp_path / ("cut.warc" + ".gz" * packed)
    for end in range(len(whole) // 2 + 1, len(whole) - 4):
        path.write_bytes(whole[:end])
        table = pa.Table.from_batches(read_warc(path))
        assert judge(urls, table, agents="Bot")["robots_allowed"].to_pylist()[1] is not True
    assert "ends within" in caplog.text


def test_a_bomb_is_unpacked_no_further_than_in_a_crawl_and_what_follows_is_read(tmp_path):
    packed = [("Content-Encoding", "gzip")]
    bomb = gzip.compress(b"Disallow: /x\n" + b"#" * 200_000_000)
    path = warc(
        tmp_path,
        response("https://a.test/robots.txt", body=bomb, headers=packed),
        response("https://b.test/robots.txt", body=gzip.compress(SECRET), headers=packed),
        response("https://c.test/robots.txt", body=SECRET, headers=packed),
    )
    with tracing_memory() as traced:
        a, b, c = rows(read_warc(path))
        assert traced()[1] < 64 * 1024 * 1024
    assert (len(a["body"]), a["is_cut"]) == (4 * 1024 * 1024, True)
    assert (b["body"], b["is_cut"]) == (SECRET, False)
    assert (c["status"], c["cause"]) == (None, "unreadable body")


def test_a_body_that_the_crawler_cut_is_marked(tmp_path):
    path = warc(tmp_path, response("https://a.test/robots.txt", **{"WARC-Truncated": "length"}))
    assert rows(read_warc(path))[0]["is_cut"]


@pytest.mark.parametrize("data", [b"no WARC at all\n" * 100, b"\x1f\x8b\x08garbage"])
def test_what_is_no_warc_is_an_error_of_the_file(tmp_path, data):
    path = tmp_path / "x.warc"
    path.write_bytes(data)
    with pytest.raises(OSError, match=r"."):
        list(read_warc(path))


def test_a_record_gives_the_files_from_which_its_decisions_follow(recorded):  # noqa: F811
    table = pa.Table.from_batches(read_record(recorded.path))
    decisions = [
        line
        for line in recorded.of("decision")
        if "exempt" not in line
        and "own.test" not in line["url"]
        and not line["url"].endswith("mine")
    ]
    # Another dialect and another name were asked for one of them.
    decisions = [line for line in decisions if "google" not in line["url"]]
    urls = pa.table(
        {
            "url": [line["url"] for line in decisions],
            "fetched_at": pa.array([line["at"] for line in decisions]).cast(
                pa.timestamp("us", "UTC")
            ),
        }
    )
    judged = judge(urls, table, agents="Bot", purpose="train-ai")
    wanted = [line["verdict"] == "passed" for line in decisions]
    assert len(wanted) > 5
    assert judged["robots_allowed"].to_pylist() == wanted
    assert judged["robots_reason"].to_pylist() == [line["reason"] for line in decisions]


@pytest_twisted.ensureDeferred
async def test_a_store_gives_what_the_crawl_knew(tmp_path):
    entries = {
        "https://a.test": remember(None, FetchResult(200, SECRET, media_type="text/plain"), 100.0),
        "https://b.test": remember(None, FetchResult(404), 100.0),
    }
    down = remember(entries["https://a.test"], FetchResult(503), 200.0)
    for day in range(1, 21):
        down = remember(down, FetchResult(None, cause="timeout"), 200.0 + day * 86_400)
    entries["https://c.test"] = down
    store = SqliteStore(tmp_path / "store.sqlite")

    for origin, entry in entries.items():
        await store.put(origin, entry)
    await store.close()
    table = pa.Table.from_batches(read_store(store.path))
    for origin, entry in entries.items():
        rebuilt = None
        for row in rows(read_store(store.path)):
            if row["origin"] == origin:
                result = FetchResult(
                    row["status"], row["body"] or b"", row["cause"], row["media_type"]
                )
                rebuilt = remember(rebuilt, result, row["fetched_at"].timestamp())
        assert (rebuilt.body, rebuilt.failing_since, rebuilt.asked_at) == (
            entry.body,
            entry.failing_since,
            entry.asked_at,
        )
    assert table.num_rows > 20


def test_what_is_no_store_or_record_is_an_error_of_the_file(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"hello\n" * 1000)
    for read in (read_store, read_record):
        with pytest.raises(OSError, match=r"."):
            list(read(path))
    path.write_text(json.dumps({"type": "robots"}) + "\n")
    with pytest.raises(OSError, match=r"."):
        list(read_record(path))
