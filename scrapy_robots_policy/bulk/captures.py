"""Reads captures of robots.txt files: the table that `judge` takes, in batches.

A WARC holds each answer by itself, a redirect too. What a redirect leads to stands later in the
same file, if the crawler followed it at once: then its answer is that of the first site. Where it
does not stand there, the row keeps the `location`, and nothing is known from it.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urljoin

import pyarrow as pa

from ..core.codec import EntryError, decode
from ..core.result import MAX_BYTES
from ..core.unpacking import UnreadableBodyError, encodings_of, unpack
from ..record.fields import entry_from, unpacked
from ..record.reading import AuditError, RecordFile
from ..rep import CacheEntry, origin_of
from ..rep.access import DAY
from ..rep.documents import ROBOTS_TXT, document_of
from ..rep.escapes import brief
from ..rep.url import path_of

log = logging.getLogger(__name__)

ROWS, BYTES = 2_000, 16 * 1024 * 1024  # of a batch, about
MAX_PENDING = 100_000  # redirects whose targets have not come yet

SCHEMA = pa.schema(
    [
        ("origin", pa.string()),
        ("fetched_at", pa.timestamp("us", "UTC")),
        ("status", pa.int32()),
        ("body", pa.binary()),
        ("media_type", pa.string()),
        ("cause", pa.string()),
        ("hops", pa.list_(pa.string())),
        ("location", pa.string()),
        ("is_cut", pa.bool_()),
    ]
)
"""The columns; all but the first four may be left out of a table."""


@dataclass(frozen=True, slots=True)
class _Row:
    origin: str
    fetched_at: datetime | None
    status: int | None
    body: bytes | None = None
    media_type: str = ""
    cause: str = ""
    hops: tuple[str, ...] = ()
    location: str | None = None
    is_cut: bool = False


def read_warc(path: str | Path) -> Iterator[Any]:
    """The robots.txt files of a WARC file, packed by gzip or not: record batches of `SCHEMA`.

    Other pages in it are passed over. A file that ends within a record gives all before it, and a
    warning in the log.

    Raises:
        OSError: it cannot be read, or is no WARC file.
        ImportError: fastwarc, of the extra `bulk`, is not installed.

    """
    try:
        from fastwarc.warc import ArchiveIterator, WarcRecordType  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise ImportError(
            "WARC files are read by fastwarc: pip install 'scrapy-robots-policy[bulk]'"
        ) from error
    with Path(path).open("rb") as file:
        records = ArchiveIterator(
            file, record_types=WarcRecordType.response, parse_http=True, auto_decode="transfer"
        )
        yield from _batches(_followed(_responses(records, Path(path))))


class _Response(NamedTuple):
    """A response record; `read` gives its body, and whether that is cut."""

    url: str
    fetched_at: datetime | None
    status: int
    headers: Any
    read: Callable[[], tuple[bytes, bool]]


def _responses(records: Any, path: Path) -> Iterator[_Response]:
    """The responses. A file that is broken behind some of them is read as far as it goes."""
    number = 0
    try:
        for number, record in enumerate(records, 1):  # noqa: B007 - it is needed below
            url = record.headers.get("WARC-Target-URI", "").strip("<>")
            http = record.http_headers
            if not url or http is None or record.headers.get("Content-Length") is None:
                log.warning("%s ends within a record, or has one without a head", path)
            elif http.status_code is not None:
                read = partial(_body_of, record, path)
                yield _Response(url, record.record_date, http.status_code, http, read)
    except OSError as error:
        if not number:
            raise OSError(f"{path}: {error}") from None
        log.warning("%s ends within a record, or is broken: %s", path, error)


def _body_of(record: Any, path: Path) -> tuple[bytes, bool]:
    """The unpacked body. A few bytes may mean gigabytes: no more is unpacked than a crawl would."""
    length, body = record.content_length, b""
    with suppress(OSError):
        body = record.reader.read(MAX_BYTES + 1)
    is_short = len(body) < min(length, MAX_BYTES)
    if is_short:
        log.warning(
            "%s ends within the record of %s", path, brief(record.headers["WARC-Target-URI"])
        )
    is_cut = is_short or len(body) > MAX_BYTES or "WARC-Truncated" in record.headers
    encodings = encodings_of(record.http_headers.get("Content-Encoding") or "")
    body = unpack(body, encodings, MAX_BYTES + 1, is_whole=not is_cut)
    return body[:MAX_BYTES], is_cut or len(body) > MAX_BYTES


def _followed(responses: Iterable[_Response]) -> Iterator[_Row]:
    """The rows of the files; those of a redirect when its target has come, or at the end."""
    pending: dict[str, list[_Row]] = {}
    count = 0
    for url, fetched_at, status, headers, read in responses:
        rows = pending.pop(url, [])
        count -= len(rows)
        origin = origin_of(url) if path_of(url) == ROBOTS_TXT else None
        if origin is not None:
            rows.append(_Row(origin, fetched_at, status))
        if not rows:
            continue
        target = headers.get("Location") if 300 <= status < 400 else None
        if target is not None and status != 304:
            location = urljoin(url, target)
            if count < MAX_PENDING:
                hops = (replace(row, hops=(*row.hops, location)) for row in rows)
                pending.setdefault(location, []).extend(hops)
                count += len(rows)
            else:
                yield from (replace(row, status=status, location=location) for row in rows)
            continue
        try:
            body, is_cut = read()
        except UnreadableBodyError:
            yield from (replace(row, status=None, cause="unreadable body") for row in rows)
            continue
        media_type = (headers.get("Content-Type") or "").partition(";")[0].strip().lower()
        for row in rows:
            yield replace(row, status=status, body=body, media_type=media_type, is_cut=is_cut)
    for location, rows in pending.items():
        yield from (replace(row, location=location) for row in rows)


def read_store(path: str | Path) -> Iterator[Any]:
    """What a crawl's store of SQLite knows, as `read_warc` gives it. OSError where it is none."""

    def rows(connection: sqlite3.Connection) -> Iterator[_Row]:
        for origin, frame in connection.execute("SELECT origin, frame FROM records"):
            with _skipping(EntryError, f"{path}: the entry of {brief(origin)}"):
                yield from _rows_of(origin, decode(frame))

    connection = sqlite3.connect(f"{Path(path).absolute().as_uri()}?mode=ro", uri=True)
    try:
        yield from _batches(rows(connection))
    except sqlite3.Error as error:
        raise OSError(f"{path} is no store of robots.txt files: {error}") from None
    finally:
        connection.close()


@contextmanager
def _skipping(error: type[Exception], what: str) -> Iterator[None]:
    try:
        yield
    except error as why:
        log.warning("%s cannot be read: %s", what, why)


def read_record(path: str | Path) -> Iterator[Any]:
    """The robots.txt files in a crawl's record, as `read_warc` gives them.

    Raises:
        OSError: the file cannot be read, or is no record.

    """

    def rows() -> Iterator[_Row]:
        bodies: dict[str, str] = {}
        for fields in RecordFile(Path(path)):
            if fields["type"] != "robots" or fields["source"] == "override":
                continue
            if "body" in fields:
                bodies[fields["sha256"]] = fields["body"]
            body = unpacked(bodies[fields["sha256"]]) if "sha256" in fields else None
            yield from _rows_of(fields["origin"], entry_from(fields, body))

    try:
        yield from _batches(rows())
    except (AuditError, KeyError, TypeError, ValueError) as error:
        raise OSError(str(error)) from None


def _rows_of(key: str, entry: CacheEntry) -> Iterator[_Row]:
    """The captures from which `rep.access.remember` makes such an entry again."""
    if document_of(key) != ROBOTS_TXT:
        return
    latest, body = entry.latest, entry.body
    is_file = latest.status is not None and 200 <= latest.status < 300
    if body is not None and not is_file:
        yield _Row(key, _time(entry.fetched_at), 200, body, latest.media_type)
    failed_at = entry.asked_at if entry.failing_since is None else entry.failing_since
    while failed_at < entry.asked_at:  # a run of failures is one that was seen each day
        yield _Row(key, _time(failed_at), latest.status, cause=latest.cause)
        failed_at += DAY
    own = body if is_file else None
    yield _Row(
        key,
        _time(entry.asked_at),
        latest.status,
        own,
        latest.media_type,
        latest.cause,
        hops=latest.hops,
        is_cut=latest.is_cut,
    )


def _time(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, timezone.utc)


def _batches(rows: Iterable[_Row]) -> Iterator[Any]:
    kept: list[_Row] = []
    size = 0
    for row in rows:
        kept.append(row)
        size += len(row.body or b"")
        if len(kept) >= ROWS or size >= BYTES:
            yield _batch(kept)
            kept, size = [], 0
    yield _batch(kept)


def _batch(rows: list[_Row]) -> Any:
    columns = [pa.array([getattr(row, field.name) for row in rows], field.type) for field in SCHEMA]
    return pa.RecordBatch.from_arrays(columns, schema=SCHEMA)
