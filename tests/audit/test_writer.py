"""What must be true of the writer: nothing waits long, and no request goes that is not recorded."""

from __future__ import annotations

import atexit
import errno
import os
from gc import collect

import pytest

from scrapy_robots_policy import compat
from scrapy_robots_policy.audit import writer as writer_module
from scrapy_robots_policy.audit.chain import members
from scrapy_robots_policy.audit.log_file import LogFile
from scrapy_robots_policy.audit.writer import Writer
from scrapy_robots_policy.config import SettingError
from scrapy_robots_policy.exceptions import CrawlClosing
from scrapy_robots_policy.rep import Verdict
from tests.audit.records import (
    HERE,
    RULES,
    URLS,
    Recording,
    Timer,
    check,
    octets_in,
    record,
    served,
)
from tests.missing import not_on_windows


@pytest.fixture
def errors():
    return []


@pytest.fixture
def timer():
    return Timer()


@pytest.fixture
def writer(tmp_path, errors, timer):
    return Writer(tmp_path / "audit.jsonl", 0, str, errors.append, timer)


def test_lines_are_on_the_disk_when_they_are_flushed_and_at_the_end(writer):
    writer.write("crawl", members({"a": 1}))
    writer.write("crawl", members({"a": 2}))
    assert writer.paths[0].read_bytes() == b""
    writer.flush()
    assert writer.paths[0].read_bytes().count(b"\n") == 2
    writer.write("crawl", members({"a": 3}))
    writer.close()
    assert writer.paths[0].read_bytes().count(b"\n") == writer.lines == 3


def test_what_is_much_is_written_at_once(writer):
    writer.write("robots", members({"octets": "x" * 300_000}))
    size = len(writer.paths[0].read_bytes())
    assert size > 300_000
    writer.write("crawl", "")  # little again
    assert len(writer.paths[0].read_bytes()) == size
    writer.close()


def test_a_file_that_cannot_be_closed_is_an_error_of_the_record_and_not_of_the_crawl(
    writer, errors, monkeypatch
):
    """The end of a packed file may find the disk full. The store must be closed all the same."""

    def cannot(_file):
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr(LogFile, "close", cannot)
    writer.close()
    assert [error.errno for error in errors] == [errno.ENOSPC]


def test_lines_are_flushed_within_a_second_and_nothing_is_timed_without_any(writer, timer):
    assert timer.calls == []
    for count in (1, 2):
        writer.write("crawl", "")
        writer.write("crawl", "")
        ((seconds, _),) = timer.calls
        assert seconds < 1
        timer.fire()
        assert timer.calls == []
        assert writer.paths[0].read_bytes().count(b"\n") == 2 * count
    writer.write("robots", members({"octets": "x" * 300_000}))
    assert timer.calls == []
    writer.write("crawl", "")
    writer.close()
    assert timer.calls == []


def test_the_end_of_the_process_is_waited_for_once_however_often_lines_are_flushed(
    writer, timer, monkeypatch
):
    """CPython's list of what is called then does not shrink, and a crawl may last for weeks."""
    calls = []
    for name in ("register", "unregister"):
        monkeypatch.setattr(
            atexit, name, lambda function, name=name: calls.append((name, function))
        )
    writer.begin("")
    assert calls == []
    for _ in range(3):
        writer.write("crawl", "")
        timer.fire()
    assert calls == [("register", writer.flush)]
    writer.close()
    assert calls[1:] == [("unregister", writer.flush)]


def full(*_):
    raise OSError(errno.ENOSPC, "No space left on device")


def test_an_error_is_told_once_and_nothing_is_written_after_it(writer, errors):
    writer._file.write = full
    for _ in range(3):
        writer.write("crawl", "")
        writer.flush()
    writer.close()
    assert [error.errno for error in errors] == [errno.ENOSPC]
    assert not writer.is_open


class Refusing(LogFile):
    """A file that cannot be closed, as where the disk of another machine is gone."""

    def close(self):
        super().close()
        raise OSError(errno.EIO, "Input/output error")


@pytest.mark.parametrize("fault", ["is full", "is full before the next file", "no next file"])
@pytest.mark.parametrize("kind", [LogFile, Refusing])
def test_a_file_that_can_no_longer_be_written_is_closed_once_and_the_error_told_once(
    tmp_path, errors, monkeypatch, fault, kind
):
    closed = []

    def close(descriptor):
        closed.append(descriptor)
        close_descriptor(descriptor)

    close_descriptor = os.close
    monkeypatch.setattr(writer_module, "LogFile", kind)
    monkeypatch.setattr(os, "close", close)
    writer = Writer(tmp_path / "audit.jsonl.gz", 1, str, errors.append, Timer())
    descriptor = writer._file._descriptor
    writer.write("crawl", "")
    if fault == "no next file":
        monkeypatch.setattr(writer_module, "LogFile", full)
        writer.flush()
        writer.make_room()
    elif fault == "is full":
        writer._file.write = full
        writer.flush()
    else:
        writer.flush()
        writer._file.write = full
        writer.make_room()
    writer.make_room()
    writer.close()
    assert closed == [descriptor]
    assert len(errors) == 1
    assert not writer.is_open


@pytest.mark.parametrize("name", ["audit.jsonl", "audit.jsonl.gz"])
def test_a_system_that_takes_a_few_octets_at_a_time_gets_them_all(tmp_path, monkeypatch, name):
    write = os.write
    monkeypatch.setattr(os, "write", lambda file, octets: write(file, octets[:7]))
    file = LogFile(tmp_path / name)
    lines = b"a line\n" * 20
    file.write(lines)
    file.close()
    assert octets_in(file.path) == lines
    assert file.octets == len(file.path.read_bytes())


def write_and_flush(writer):
    writer.write("crawl", "")
    writer.flush()


BEGINNINGS = {
    "no spider is opened": (lambda _: None, False),
    "the spider is opened": (Writer.keep, True),
    "a second line": (write_and_flush, True),
    "the end": (lambda writer: (writer.write("end", ""), writer.close()), True),
}


@pytest.mark.parametrize("name", BEGINNINGS)
def test_a_file_is_deleted_whose_crawl_never_begins(name, tmp_path, errors, timer):
    happen, is_kept = BEGINNINGS[name]
    writer = Writer(tmp_path / "audit.jsonl", 0, str, errors.append, timer)
    writer.begin(members({"a": 1}))
    (path,) = writer.paths
    happen(writer)
    assert path.exists()
    atexit.unregister(writer.flush)
    del writer
    collect()
    assert path.exists() == is_kept


@pytest.mark.parametrize("name", ["audit.jsonl", "audit.jsonl.gz"])
def test_a_crawl_that_is_killed_as_a_file_begins_leaves_no_file_without_a_line(tmp_path, name):
    recording = Recording(tmp_path / name, {HERE: served(RULES)}, ROBOTS_AUDIT_MAX_SIZE=1)
    recording.decide(URLS[0])
    recording.timer.fire()
    recording.decide(URLS[1])
    checked, _ = check(*recording.recorder.writer.paths)
    assert (len(checked.hashes), checked.decisions, checked.errors) == (2, 1, [])


def test_a_file_with_no_more_than_a_long_line_of_the_crawl_is_not_full(tmp_path):
    (path,) = record(tmp_path / "audit.jsonl", ROBOTS_AUDIT_MAX_SIZE=1)
    assert check(path)[0].decisions == len(URLS)


class FullSecond(LogFile):
    """The disk becomes full in the first line of the second file."""

    def write(self, lines):
        super().write(lines if self.number == 1 else lines[:10])
        if self.number > 1:
            raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("name", ["audit.jsonl", "audit.jsonl.gz"])
def test_a_disk_that_is_full_as_a_file_begins_leaves_no_part_of_that_file(
    tmp_path, name, monkeypatch
):
    monkeypatch.setattr(writer_module, "LogFile", FullSecond)
    settings = {"ROBOTS_AUDIT_MAX_SIZE": 1, "ROBOTS_AUDIT_ON_ERROR": "warn"}
    recording = Recording(tmp_path / name, {HERE: served(RULES)}, **settings)
    recording.decide(URLS[0])
    recording.timer.fire()
    recording.decide(URLS[1])
    assert not recording.recorder.writer.is_open
    (path,) = tmp_path.iterdir()
    checked, _ = check(path)
    assert (checked.decisions, checked.errors) == (1, [])


@not_on_windows
def test_no_file_gets_the_name_of_one_that_was_moved_to_an_archive(tmp_path, errors, timer):
    writer = Writer(tmp_path / "audit.jsonl", 1, str, errors.append, timer)
    for _ in range(3):
        writer.write("crawl", "")
        writer.flush()
        writer.paths[-1].unlink()
        writer.make_room()
    writer.close()
    names = [path.name for path in writer.paths]
    assert names == ["audit.jsonl", "audit.2.jsonl", "audit.3.jsonl", "audit.4.jsonl"]


@pytest.mark.parametrize("octets", [0, 5, 40])
@pytest.mark.parametrize("name", ["audit.jsonl", "audit.jsonl.gz"])
def test_what_was_written_before_a_fault_of_the_disk_can_be_read_though_the_disk_works_again(
    tmp_path, monkeypatch, name, octets
):
    recording = Recording(tmp_path / name, {HERE: served(RULES)}, ROBOTS_AUDIT_ON_ERROR="warn")
    recording.decide(URLS[0])
    recording.timer.fire()
    answers = iter((octets, OSError(errno.ENOSPC, "No space left on device")))
    write = os.write

    def write_some(file, lines):
        answer = next(answers, len(lines))
        if isinstance(answer, OSError):
            raise answer
        return write(file, lines[:answer])

    recording.decide(URLS[1])
    monkeypatch.setattr(os, "write", write_some)
    recording.timer.fire()
    recording.close()
    checked, _ = check(tmp_path / name)
    assert (checked.errors, checked.decisions) == ([], 1)


def test_the_log_gives_the_hash_of_a_record_only_if_its_last_line_is_on_the_disk(
    tmp_path, monkeypatch, caplog
):
    caplog.set_level("INFO")
    monkeypatch.setattr(compat, "close_spider", lambda *_: None)
    recording = Recording(tmp_path / "audit.jsonl", {HERE: served(RULES)})
    recording.decide(URLS[0])
    recording.recorder.writer._file.write = full
    caplog.clear()
    recording.close()
    levels = [record.levelname for record in caplog.records]
    assert levels == ["ERROR"]


@pytest.mark.parametrize("on_error", ["stop", "warn"])
def test_no_request_goes_that_cannot_be_recorded_if_the_crawl_is_to_stop(
    tmp_path, on_error, monkeypatch, caplog
):
    reasons = []
    monkeypatch.setattr(compat, "close_spider", lambda _crawler, reason: reasons.append(reason))
    recording = Recording(
        tmp_path / "audit.jsonl", {HERE: served(RULES)}, ROBOTS_AUDIT_ON_ERROR=on_error
    )
    assert recording.decide(URLS[0]) is None
    recording.timer.fire()
    recording.recorder.writer._file.write = full
    recording.decide(URLS[0])
    recording.timer.fire()
    assert recording.crawler.stats.get_value("robots/audit/failed") == 1
    if on_error == "stop":
        with pytest.raises(CrawlClosing):
            recording.decide(URLS[0])
        assert reasons == ["robots_audit_failed"]
        assert caplog.messages[-1].endswith("; the crawl closes")
    else:
        assert recording.decide(URLS[0]) is None
        assert isinstance(recording.decide(URLS[1]), Verdict)
        assert reasons == []
        assert caplog.messages[-1].endswith("; the crawl goes on without it")
    recording.recorder.close("finished")
    checked, _ = check(tmp_path / "audit.jsonl")
    assert (checked.errors, checked.decisions) == ([], 1)


def test_a_request_does_not_go_whose_own_line_finds_the_disk_full(tmp_path, monkeypatch):
    monkeypatch.setattr(compat, "close_spider", lambda *_: None)
    recording = Recording(tmp_path / "audit.jsonl", {HERE: served(RULES)})
    recording.recorder.writer._file.write = full
    monkeypatch.setattr(writer_module, "MAX_GATHERED", 1)
    with pytest.raises(CrawlClosing):
        recording.decide(URLS[0])


@not_on_windows
def test_a_disk_that_is_full_at_start_stops_the_crawl(tmp_path):
    with pytest.raises(SettingError, match="'/dev/full': no file can be written there: No space"):
        Recording("/dev/full", {})


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes have no names here")
def test_a_pipe_that_nobody_reads_any_more_is_an_error_and_stays(tmp_path, errors, timer):
    os.mkfifo(path := tmp_path / "audit.jsonl")
    reading = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    writer = Writer(path, 0, str, errors.append, timer)
    os.close(reading)
    with pytest.raises(BrokenPipeError):
        writer.begin("")
    assert path.exists()


def test_a_folder_as_the_record_is_named_as_one(tmp_path):
    with pytest.raises(SettingError, match="it is a folder; name a file in it"):
        Recording(str(tmp_path), {})


@pytest.mark.parametrize(
    ("template", "why"),
    [
        ("%(spider)s.jsonl", "it may have '%' only in %\\(name\\)s and %\\(time\\)s;"),
        ("100%.jsonl", "it may have '%' only in %\\(name\\)s and %\\(time\\)s;"),
        ("audit-%s.jsonl", "it may have '%' only in %\\(name\\)s and %\\(time\\)s;"),
        ("a\0b", "it must be the path of a file"),
        pytest.param(
            "\ud800.jsonl", "ROBOTS_AUDIT is .*: surrogates not allowed", marks=not_on_windows
        ),
        pytest.param(
            "x" * 300, "no file can be written there: File name too long", marks=not_on_windows
        ),
        pytest.param(
            "/dev/null/a.jsonl",
            "no file can be written there: Not a directory",
            marks=not_on_windows,
        ),
        pytest.param(
            "no/such/a.jsonl",
            "is 'no/such/a.jsonl': no file can be written there: No such file",
            marks=not_on_windows,
        ),
        ("", "it must be the path of a file"),
    ],
)
def test_a_wrong_path_gets_one_sentence(template, why):
    with pytest.raises(SettingError, match=why):
        Recording(template, {})


FILE = "User-agent: *\nDisallow: /no\n" * 1000


@pytest.mark.slow
@pytest.mark.parametrize(("hosts", "times"), [(1, 300), (100, 3)])
def test_settings_that_are_too_long_to_be_read_again_get_one_sentence(tmp_path, hosts, times):
    path = tmp_path / "audit.jsonl"
    overrides = {f"{host}.example": {"robots_txt": FILE * times} for host in range(hosts)}
    with pytest.raises(
        SettingError, match=r"^ROBOTS_AUDIT cannot record settings of [89],.* octets"
    ):
        Recording(path, {}, ROBOTS_OVERRIDES=overrides)
    assert not path.exists()


@pytest.mark.slow
def test_the_longest_settings_that_are_recorded_can_be_read_again(tmp_path):
    path, own = tmp_path / "audit.jsonl", FILE * 250
    overrides = {"here.example": {"robots_txt": own}}
    recording = Recording(path, {HERE: served(own)}, ROBOTS_OVERRIDES=overrides)
    recording.decide(URLS[0])
    recording.close()
    checked, differences = check(path)
    assert (checked.errors, checked.decisions, differences) == ([], 1, [])


def test_the_path_has_the_spiders_name_and_the_time(tmp_path):
    recording = Recording(tmp_path / "%(name)s-%(time)s.jsonl", {})
    (path,) = recording.close()
    name, _, time = path.stem.partition("-")
    assert name == "recorded"
    assert len(time) == len("2026-11-22T15-40-00")
    assert ":" not in time
