"""`audit warc`: the exchanges of a record as WARC 1.1 (ISO 28500), by the library `warcio`.

A record keeps the headers that bear on the life of a robots.txt, not all that were sent, and the
WARC says so first.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ...formats import counted
from ...record.reading import RecordFile
from ...record.replay import Replay, replaying
from ...rep.escapes import brief, shown
from ..arguments import UsageError
from ..printing.terminal import (
    print_line,
)

NO_WARCIO = "audit warc needs warcio: pip install 'scrapy-robots-policy[warc]'"
NOTE = "Headers: only those that a record of scrapy-robots-policy keeps. Bodies: content-decoded."


class WarcError(Exception):
    """Why no WARC can be written, in one sentence."""


def write_warc(paths: Iterable[Path], target: Path) -> int:
    """How many exchanges were written. AuditError for a broken record, WarcError, OSError."""
    try:
        from warcio.warcwriter import WARCWriter  # noqa: PLC0415 - an extra
    except ImportError:
        raise WarcError(NO_WARCIO) from None
    out = target.open("xb")
    try:
        with out:
            writer = WARCWriter(out, gzip=target.suffix == ".gz", warc_version="1.1")
            return sum(_record(writer, path) for path in paths)
    except BaseException:  # a part would look like the whole
        target.unlink()
        raise


def _record(writer: Any, path: Path) -> int:
    file = RecordFile(path)
    try:
        with replaying(file) as replay:
            return sum(_line(writer, fields, file, replay) for fields in file)
    except ValueError as error:
        raise file.error(f"it cannot be written to a WARC: {brief(str(error))}") from None


def _line(writer: Any, fields: Mapping[str, Any], file: RecordFile, replay: Replay) -> int:
    if fields["type"] == "crawl":
        replay.read(fields)
        _write_info(writer, fields, file.path.name)
    elif fields["type"] == "robots":
        replay.read(fields)
        return _write_exchanges(writer, fields, replay.body_of(fields) or b"")
    return 0


def _write_info(writer: Any, crawl: Mapping[str, Any], name: str) -> None:
    info = {
        "software": f"scrapy-robots-policy/{crawl['package']} Scrapy/{crawl['scrapy']}",
        "format": "WARC File Format 1.1",
        "conformsTo": "https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
        "http-header-user-agent": crawl["user_agent"],
        "robots": crawl["dialect"],
        "description": NOTE,
    }
    record = writer.create_warcinfo_record(f"{name}.warc", info)
    record.rec_headers.replace_header("WARC-Date", crawl["began"])
    writer.write_record(record)


def _write_exchanges(writer: Any, fields: Mapping[str, Any], body: bytes) -> int:
    exchanges = fields.get("exchanges", ())
    for at, exchange in enumerate(exchanges):
        is_last = at == len(exchanges) - 1
        if exchange["status"] is None:
            _write_failure(writer, exchange)
            continue
        has_file = is_last and 200 <= exchange["status"] < 300
        response = _response(writer, exchange, body if has_file else b"")
        if has_file and fields["cut"]:
            response.rec_headers.add_header("WARC-Truncated", "length")
        writer.write_request_response_pair(_request(writer, exchange), response)
    return len(exchanges)


def _response(writer: Any, exchange: Mapping[str, Any], body: bytes) -> Any:
    from warcio.statusandheaders import StatusAndHeaders  # noqa: PLC0415 - an extra

    status = exchange["status"]
    phrase = HTTPStatus(status).phrase if status in HTTPStatus._value2member_map_ else "Unknown"
    headers = StatusAndHeaders(f"{status} {phrase}", _lines(exchange["received"]), "HTTP/1.1")
    return writer.create_warc_record(
        exchange["url"],
        "response",
        payload=io.BytesIO(body),
        length=len(body),
        http_headers=headers,
        warc_headers_dict={"WARC-Date": exchange["answered"]},
    )


def _request(writer: Any, exchange: Mapping[str, Any]) -> Any:
    from warcio.statusandheaders import StatusAndHeaders  # noqa: PLC0415 - an extra

    parts = urlsplit(exchange["url"])
    target = parts.path + (f"?{parts.query}" if parts.query else "")
    lines = [("Host", parts.netloc), *_lines(exchange["sent"])]
    headers = StatusAndHeaders(f"GET {target or '/'} HTTP/1.1", lines, is_http_request=True)
    return writer.create_warc_record(
        exchange["url"],
        "request",
        http_headers=headers,
        warc_headers_dict={"WARC-Date": exchange["asked"]},
    )


def _write_failure(writer: Any, exchange: Mapping[str, Any]) -> None:
    """A try without a response is no exchange of HTTP: a metadata record says what happened."""
    payload = json.dumps({"cause": exchange["cause"]}).encode("ascii")
    record = writer.create_warc_record(
        exchange["url"],
        "metadata",
        payload=io.BytesIO(payload),
        length=len(payload),
        warc_content_type="application/json",
        warc_headers_dict={"WARC-Date": exchange["answered"]},
    )
    writer.write_record(record)


def _lines(headers: Mapping[str, str]) -> list[tuple[str, str]]:
    return [(name.title(), value) for name, value in headers.items()]


def warc(args: list[str], paths_of: Callable[[list[str]], list[Path]]) -> int:
    if len(args) < 2:
        raise UsageError("audit warc takes the FILE of a record, or several, and then the WARC")
    *names, target = args
    if target == "-":
        raise UsageError("audit warc takes a file to write, not standard output")
    try:
        count = write_warc(paths_of(names), Path(target))
    except FileExistsError:
        raise UsageError(f"{target} is there already: name another file") from None
    except OSError as error:
        raise UsageError(f"cannot write {target}: {error.strerror}") from None
    print_line(f"{counted(count, 'exchange')} in {shown(target)}")
    return 0
