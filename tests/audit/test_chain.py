"""What must be true of a record's files: the chain shows what was changed, cut or taken out."""

from __future__ import annotations

import gc
import gzip
import json
import os
import random
from collections import Counter, UserList
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from scrapy.http import Request

from scrapy_robots_policy.audit import reading, replay, writer
from scrapy_robots_policy.audit.audit_page import audit_page
from scrapy_robots_policy.audit.chain import START, members, opened, sealed
from scrapy_robots_policy.audit.fields import packed
from scrapy_robots_policy.audit.log_file import LogFile, name_around_number
from scrapy_robots_policy.audit.overview import overview_of
from scrapy_robots_policy.audit.parts import Part, errors_in, notes_on
from scrapy_robots_policy.audit.reading import _CHUNK, RecordFile, UnreadableError
from scrapy_robots_policy.fetch.exchange import Exchange
from scrapy_robots_policy.resolver.events import Source
from tests.audit.records import (
    HERE,
    RULES,
    URLS,
    Recording,
    check,
    decisions_in,
    forged,
    lines_in,
    octets_in,
    record,
    served,
    verified,
)
from tests.calls import counting_calls
from tests.missing import not_on_windows


@pytest.fixture(params=["audit.jsonl", "audit.jsonl.gz"])
def path(request, tmp_path):
    return tmp_path / request.param


def test_a_record_verifies_and_each_line_fits_the_schema(path):
    (path,) = record(path)
    checked = verified(path)
    assert checked.decisions == len(URLS)
    kinds = [line["type"] for line in lines_in(path)]
    assert kinds == ["crawl", "dialect", "robots", *["decision"] * 5, "end"]


def test_each_line_carries_the_hash_of_the_one_before(path):
    lines = lines_in(*record(path))
    assert lines[0]["prev"] == START
    assert [line["prev"] for line in lines[1:]] == [line["hash"] for line in lines[:-1]]


@pytest.mark.slow
def test_no_octet_can_be_changed_without_a_trace(tmp_path):
    (path,) = record(tmp_path / "audit.jsonl")
    octets = path.read_bytes()
    chance = random.Random(5)
    places = {chance.randrange(len(octets)) for _ in range(300)} | {len(octets) - 1, 0}
    for place in sorted(places):
        changed = octets[place] ^ (1 << chance.randrange(8))
        path.write_bytes(octets[:place] + bytes([changed]) + octets[place + 1 :])
        checked, _ = check(path)
        assert checked.errors, (place, octets[place], changed)


@pytest.mark.slow
def test_no_octet_of_a_packed_record_can_be_changed_without_a_trace(tmp_path):
    (path,) = record(tmp_path / "audit.jsonl.gz")
    octets, lines = path.read_bytes(), octets_in(path)
    for place in range(10, len(octets), 5):  # before it: gzip's header, with a time and a flag
        path.write_bytes(octets[:place] + bytes([octets[place] ^ 4]) + octets[place + 1 :])
        checked, differences = check(path)
        is_padding = not checked.errors and octets_in(path) == lines
        assert checked.errors or checked.notes or is_padding, place
        assert not differences


@pytest.mark.parametrize("taken", range(8))
def test_no_line_but_the_last_can_be_taken_out(tmp_path, taken):
    (path,) = record(tmp_path / "audit.jsonl")
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:taken] + lines[taken + 1 :]))
    checked, _ = check(path)
    assert len(checked.errors) == 1


def test_lines_cannot_be_swapped(tmp_path):
    (path,) = record(tmp_path / "audit.jsonl")
    lines = path.read_bytes().splitlines(keepends=True)
    lines[4], lines[5] = lines[5], lines[4]
    path.write_bytes(b"".join(lines))
    assert "does not follow the line before" in check(path)[0].errors[0]


@pytest.mark.parametrize(("kind", "prev"), [("end", START), ("crawl", "1" * 64)])
def test_nothing_but_the_first_line_of_a_crawl_begins_a_chain(tmp_path, kind, prev):
    (path,) = record(tmp_path / "audit.jsonl")
    path.write_bytes(path.read_bytes() + sealed(kind, prev, "")[0])
    assert "does not follow the line before" in check(path)[0].errors[0]


def test_a_record_without_its_last_line_says_so(tmp_path):
    (path,) = record(tmp_path / "audit.jsonl")
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    checked, _ = check(path)
    assert (checked.errors, checked.decisions) == ([], 5)
    assert "ends without the sums" in checked.notes[0]


@pytest.mark.slow
def test_a_record_that_was_cut_anywhere_is_good_up_to_its_last_whole_line(path):
    (path,) = record(path)
    octets = path.read_bytes()
    first = octets_in(path).index(b"\n") + 1 if path.suffix != ".gz" else len(octets) - 12
    for end in range(first, len(octets), 41):
        path.write_bytes(octets[:end])
        checked = verified(path, has_notes=True)
        assert checked.notes


@pytest.mark.slow
def test_a_file_goes_on_in_another_and_each_verifies_by_itself(path, monkeypatch):
    monkeypatch.setattr(writer, "MAX_GATHERED", 2_000)
    paths = record(path, [f"{HERE}/page/{n}" for n in range(200)], ROBOTS_AUDIT_MAX_SIZE=5_000)
    assert len(paths) > 3
    assert len(decisions_in(*paths)) == 200
    verified(*reversed(paths))
    for one in paths:
        checked = verified(one, has_notes=True)
    checked, _ = check(paths[0], *paths[2:])
    assert "a part was taken out" in checked.errors[0]
    checked, _ = check(*paths[1:])
    assert "the parts before are not here" in checked.notes[0]


@pytest.mark.slow
def test_a_file_of_nothing_but_robots_txt_goes_on_in_another(path, monkeypatch):
    """As in a broad crawl that is refused nothing, and leaves out what passes."""
    monkeypatch.setattr(writer, "MAX_GATHERED", 500)
    origins = {f"https://host-{n}.example": served(f"{RULES}# {n}") for n in range(50)}
    settings = {"ROBOTS_AUDIT_MAX_SIZE": 5_000, "ROBOTS_AUDIT_PASSED": "none"}
    recording = Recording(path, origins, **settings)
    for state in recording.states.values():
        rules = state.rules(recording.default.dialect, recording.now)
        recording.recorder.on_learned(rules, Source.SITE)
    paths = recording.close()
    assert len(paths) > 1
    kinds = Counter(line["type"] for line in lines_in(*paths))
    assert (kinds["crawl"], kinds["robots"]) == (len(paths), 50)
    verified(*paths, has_notes=True)


def test_a_file_of_nothing_but_exempt_requests_goes_on_in_another(path, monkeypatch):
    monkeypatch.setattr(writer, "MAX_GATHERED", 500)
    recording = Recording(path, {HERE: served(RULES)}, ROBOTS_AUDIT_MAX_SIZE=2_000)
    for n in range(50):
        recording.recorder.on_exempt(Request(f"{HERE}/page/{n}"), "the spider says so")
    paths = recording.close()
    assert len(paths) > 1
    assert len(decisions_in(*paths)) == 50
    verified(*paths)


def test_a_robots_txt_has_the_same_source_in_each_file_of_a_record(path, monkeypatch):
    monkeypatch.setattr(writer, "MAX_GATHERED", 500)
    recording = Recording(path, {HERE: served(RULES)}, ROBOTS_AUDIT_MAX_SIZE=5_000)
    rules = recording.states[HERE].rules(recording.default.dialect, recording.now)
    recording.recorder.on_learned(rules, Source.SITE)
    for n in range(200):
        recording.decide(f"{HERE}/page/{n}")
    paths = recording.close()
    assert len(paths) > 1
    sources = [line["source"] for line in lines_in(*paths) if line["type"] == "robots"]
    assert sources == [Source.SITE.value] * len(paths)


def test_records_may_be_joined_into_one_file(path):
    (first,), (second,) = record(path), record(path)
    assert first != second
    first.write_bytes(first.read_bytes() + second.read_bytes())
    checked = verified(first)
    assert checked.decisions == 2 * len(URLS)


def test_each_crawl_of_a_joined_file_is_decided_by_its_own_robots_txt(tmp_path):
    paths = []
    for robots in (RULES, "User-agent: *\nDisallow: /\n"):
        recording = Recording(tmp_path / "audit.jsonl", {HERE: served(robots)})
        recording.decide(URLS[0])
        paths += recording.close()
    joined = tmp_path / "joined.jsonl"
    joined.write_bytes(b"".join(path.read_bytes() for path in paths))
    verified(joined)
    assert [line["verdict"] for line in decisions_in(joined)] == ["passed", "refused"]


@pytest.mark.parametrize(
    ("missing", "why"),
    [("dialect", "'rfc9309' is missing"), ("robots", "the robots line 1 is not before it")],
)
def test_each_crawl_of_a_joined_file_must_have_all_that_it_rests_on(tmp_path, missing, why):
    first, second = (record(tmp_path / "audit.jsonl")[0] for _ in range(2))
    octets, prev = b"", START
    for line in lines_in(second):
        kind, *_ = line.pop("type"), line.pop("prev"), line.pop("hash")
        if kind != missing:
            written, prev = sealed(kind, prev, members(line))
            octets += written
    first.write_bytes(first.read_bytes() + octets)
    assert why in check(first)[0].errors[0]


@pytest.mark.parametrize("last", ["end", "continued"])
def test_nothing_but_another_crawl_stands_after_the_last_line_of_a_crawl(tmp_path, last):
    (path,) = record(tmp_path / "audit.jsonl")
    *before, end = path.read_bytes().splitlines(keepends=True)
    octets, prev = (end, opened(end[:-1])["hash"])
    if last == "continued":
        octets, prev = sealed(last, opened(before[-1][:-1])["hash"], "")
    more = sealed("page", prev, '"at":"","url":"","preferences":[]')[0]
    path.write_bytes(b"".join(before) + octets + more)
    assert f"it stands after the {last!r} line of the crawl" in check(path)[0].errors[0]


def test_the_dialects_of_a_crawl_are_bounded_in_octets(tmp_path, monkeypatch):
    (path,) = record(tmp_path / "audit.jsonl")
    monkeypatch.setattr(replay, "MAX_DIALECT_OCTETS", 1_000)
    assert "the crawl's dialects take more than 1000" in check(path)[0].errors[0]


def test_lines_of_a_type_that_is_not_known_are_noted(tmp_path):
    (path,) = record(tmp_path / "audit.jsonl")
    *before, end = path.read_bytes().splitlines(keepends=True)
    more, prev = sealed("decison", opened(before[-1][:-1])["hash"], '"url":"https://a.example/"')
    fields = opened(end[:-1])
    path.write_bytes(b"".join(before) + more + sealed("end", prev, members(_own(fields)))[0])
    (note,) = verified(path, has_notes=True).notes
    assert note == f"{path}: lines of a type that is not known here, which are not checked: 1"


def _own(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: fields[name] for name in fields if name not in ("type", "prev", "hash")}


def test_each_crawl_of_a_joined_file_must_have_its_end(tmp_path, monkeypatch):
    monkeypatch.setattr(writer, "MAX_GATHERED", 2_000)
    first, *more = record(
        tmp_path / "first.jsonl",
        [f"{HERE}/page/{n}" for n in range(50)],
        ROBOTS_AUDIT_MAX_SIZE=5_000,
    )
    (second,) = record(tmp_path / "second.jsonl")
    lines, joined = first.read_bytes().splitlines(keepends=True), tmp_path / "joined.jsonl"

    joined.write_bytes(first.read_bytes() + second.read_bytes())
    assert "goes on in another file" in check(joined)[0].notes[0]
    checked, _ = check(joined, *more)
    assert (checked.errors, checked.notes) == ([], [])

    joined.write_bytes(b"".join(lines[:-2]) + second.read_bytes())
    checked, _ = check(joined)
    assert (checked.errors, len(checked.notes)) == ([], 1)
    assert f"the crawl that ends at line {len(lines) - 2} has no sums" in checked.notes[0]


class _Parts(UserList[Part]):
    """Counts how often somebody goes through all parts."""

    rounds = 0

    def __iter__(self):
        self.rounds += 1
        return super().__iter__()


def test_many_crawls_are_gone_through_no_more_often_than_one():
    def rounds(count: int) -> int:
        crawls = range(count)
        parts = _Parts(Part(Path("a"), f"whole {n}", 1, START, "", last_type="end") for n in crawls)
        parts += [Part(Path("b"), f"astray {n}", 2, "a" * 64, "", last_type="end") for n in crawls]
        assert len([*notes_on(parts), *errors_in(parts)]) == count
        return parts.rounds

    assert rounds(100) == rounds(1)


def test_a_part_is_compared_with_the_nearest_part_before_it():
    numbers = {"third.jsonl": 3, "first.jsonl": 1, "fifth.jsonl": 5}
    parts = [
        Part(Path(name), "one crawl", number, START if number == 1 else f"end of {number - 1}", "")
        for name, number in numbers.items()
    ]
    for part in parts:
        part.hash = f"end of {part.number}"
    third, fifth = errors_in(parts)
    assert "third.jsonl: it is part 3" in third
    assert "does not follow first.jsonl" in third
    assert "does not follow third.jsonl" in fifth


@pytest.mark.parametrize(
    ("octets", "why"),
    [
        (b"", "it has no line"),
        (b"{}\n", "it does not end with its hash"),
        (b"\x1f\x8b\x08\x00" + b"junk" * 9, "cannot be unpacked"),
        (b"x" * 100 + b"\n", "it does not end with its hash"),
        (sealed("end", START, "")[0], "no line of a crawl"),
        (sealed("crawl", START, "")[0], "is missing"),
        (sealed("crawl", START, f'"x":{"[" * 10**5}{"]" * 10**5}')[0], "it is no JSON"),
        (sealed('crawl","type":[],"x":"', START, "")[0], "two values of one name"),
        (b'{"x":1,"hash":"%b"}' % sha256(b'{"x":1').hexdigest().encode(), "no object with a type"),
        (sealed("crawl", START, f'"x":{"[" * 200}{"]" * 200}')[0], "more than 100 others"),
        (sealed("crawl", START, '"x":NaN')[0], "the number NaN"),
        (sealed("crawl", START, '"x":1e999')[0], "the number 1e999"),
        (sealed("crawl", START, '"x":{"a":1,"a":2}')[0], "two values of one name"),
        (
            sealed("crawl", START, '"format":9,"judged_by":{"on_unreachable":0}')[0],
            "format 9",
        ),
    ],
)
def test_what_is_no_record_is_refused(tmp_path, octets, why):
    path = tmp_path / "audit.jsonl"
    path.write_bytes(octets)
    checked, _ = check(path)
    assert len(checked.errors) == 1
    assert why in checked.errors[0]


@pytest.mark.slow
def test_a_line_of_any_length_takes_bounded_memory(tmp_path):
    path = tmp_path / "audit.jsonl"
    path.write_bytes(b"x" * (17 << 20))
    assert "longer than" in check(path)[0].errors[0]


def test_a_packed_record_is_unpacked_a_piece_at_a_time(tmp_path):
    path = tmp_path / "audit.jsonl.gz"
    path.write_bytes(gzip.compress(b"x" * (4 * _CHUNK)))
    pieces = [*RecordFile(path)._chunks()]
    assert {len(piece) for piece in pieces} <= {_CHUNK, 0}
    assert b"".join(pieces) == b"x" * (4 * _CHUNK)


@pytest.mark.slow
@pytest.mark.parametrize("packing", [lambda octets: octets, gzip.compress])
def test_a_file_is_read_to_its_end_however_long_it_is_and_of_however_many_parts(tmp_path, packing):
    parts = [random.Random(n).randbytes(_CHUNK) + b"\n" for n in range(3)]
    path = tmp_path / "audit.jsonl"
    path.write_bytes(b"".join(map(packing, parts)))
    file = RecordFile(path)
    assert b"".join(file._chunks()) == b"".join(parts)
    assert file.done == file.size == path.stat().st_size
    assert not file.is_torn


def test_a_line_may_be_read_in_any_number_of_pieces(path, monkeypatch):
    monkeypatch.setattr(reading, "_CHUNK", 100)
    checked = verified(*record(path))
    assert checked.decisions == len(URLS)


def test_a_line_that_comes_octet_by_octet_is_searched_for_its_end_once(tmp_path):
    path = tmp_path / "audit.jsonl.gz"
    path.write_bytes(gzip.compress(b"x") * 2_000)
    with counting_calls() as counts:
        list(RecordFile(path)._lines())
    assert counts["octets"] < 2 * path.stat().st_size


def test_a_last_line_without_its_line_feed_is_read(tmp_path):
    (path,) = record(tmp_path / "audit.jsonl")
    path.write_bytes(path.read_bytes()[:-1])
    file = RecordFile(path)
    assert [line["type"] for line in file][-1] == "end"
    assert file.is_torn


def test_a_line_that_does_not_say_what_it_follows_is_an_error(tmp_path):
    (path,) = record(tmp_path / "audit.jsonl")
    body = b'{"type":"end"'
    digest = sha256(body).hexdigest().encode()
    path.write_bytes(path.read_bytes() + body + b',"hash":"' + digest + b'"}\n')
    assert "does not follow the line before" in check(path)[0].errors[0]


def test_a_packed_file_that_was_cut_is_torn(tmp_path):
    path = tmp_path / "audit.jsonl.gz"
    path.write_bytes(gzip.compress(b"x")[:-1])
    file = RecordFile(path)
    assert b"".join(file._chunks()) == b"x"
    assert file.is_torn


def test_a_file_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(UnreadableError, match=r"cannot read .*none.jsonl: No such file"):
        check(tmp_path / "none.jsonl")


def nested(depth: int) -> object:
    return {"x": nested(depth - 1)} if depth else {}


@pytest.mark.parametrize(
    ("kind", "changes", "why"),
    [
        ("robots", {"octets": "eJwDAAAAAAE="}, "do not match their SHA-256"),
        ("robots", {"octets": packed(RULES.lower().encode())}, "do not match their SHA-256"),
        ("robots", {"octets": "!"}, "a robots line that cannot be read"),
        ("robots", {"robots": 2}, "the robots line 1 is not before it"),
        ("dialect", {"fingerprint": "0" * 64}, "do not match their fingerprint"),
        ("dialect", {"options": {"tie": "x"}}, "do not match their fingerprint"),
        ("dialect", {"options": nested(700)}, "more than 100 others"),
        ("decision", {"at": "yesterday"}, "a decision line that cannot be read"),
        ("crawl", {"purposes": ["x"]}, "purposes that are not known"),
        ("crawl", {"part": 1e400}, "the number Infinity"),
        ("crawl", {"part": True}, "'part' has the wrong type"),
        ("crawl", {"part": 2**63}, "'part' has the wrong type"),
        ("crawl", {"part": 2}, "part 2 of a crawl follows no line"),
        ("crawl", {"part": 0}, "part 0 of a crawl follows no line"),
        ("robots", {"cut": True}, "cut short of what its dialect reads"),
        ("decision", {"url": "https://there.example/"}, "by a file of https://here.example"),
        ("decision", {"exempt": "x", "verdict": "refused"}, "an exempt request that did not pass"),
        ("robots", {"source": None}, "'source' has the wrong type"),
        ("decision", {"preferences": [{"label": 1}]}, "'preferences' has the wrong type"),
        ("decision", {"preferences": [{}]}, "'preferences' has the wrong type"),
        ("decision", {"refused_use": {}}, "'refused_use' has the wrong type"),
        ("decision", {"waited": 10**400}, "'waited' has the wrong type"),
        ("decision", {"url": None, "exempt": "x", "format": 2}, "'url' has the wrong type"),
        ("decision", {"robots": 10**30}, "a decision line that cannot be read"),
        ("end", {"sums": {"passed": "x"}}, "'sums' has the wrong type"),
    ],
)
def test_what_contradicts_itself_is_an_error(tmp_path, kind, changes, why):
    (path,) = record(tmp_path / "audit.jsonl")
    forged(path, kind, **changes)
    checked, _ = check(path)
    assert len(checked.errors) == 1
    assert why in checked.errors[0]


@pytest.mark.parametrize(
    ("passed", "sums", "name"),
    [
        ("all", {"passed": 3, "refused/rule": 2, "robots": 1}, ""),
        ("all", {"passed": 4, "refused/rule": 2, "robots": 1}, "passed"),
        ("all", {"passed": 3, "refused/rule": 2, "robots": 1, "exempt": 1}, "exempt"),
        ("none", {"passed": 4, "refused/rule": 2, "robots": 1}, ""),
        ("none", {"passed": 3, "refused/rule": 3, "robots": 1}, "refused/rule"),
        ("first", {"passed": 3, "refused/rule": 2, "robots": 2}, "robots"),
        ("first", {"passed": 3, "robots": 1}, "refused/rule"),
    ],
)
def test_a_record_whose_sums_tell_of_other_lines_is_broken(tmp_path, passed, sums, name):
    (path,) = record(tmp_path / "audit.jsonl", ROBOTS_AUDIT_PASSED=passed)
    forged(path, "end", sums=sums)
    errors = check(path)[0].errors
    assert len(errors) == bool(name)
    assert not name or f"lines of {name!r}" in errors[0]


@pytest.mark.parametrize(
    ("changes", "now"),
    [
        ({"verdict": "refused"}, "passed"),
        ({"reason": "rule"}, "passed"),
        ({"line": 2}, "passed"),
        ({"group_line": 2}, "passed"),
        ({"preferences": []}, "passed"),
        ({"url": URLS[1]}, "refused"),
        ({"url": URLS[1], "forms": [URLS[0]]}, "refused"),  # those of another page
        ({"url": f"{HERE}/yes/../no"}, "refused"),  # without its second form
    ],
)
def test_a_forged_decision_is_decided_otherwise(tmp_path, changes, now):
    (path,) = record(tmp_path / "audit.jsonl")
    forged(path, "decision", **changes)
    checked, (difference,) = check(path)
    assert checked.differ == 1
    assert difference.answers.now["verdict"] == now


def test_the_hash_is_that_of_the_octets_before_it(tmp_path):
    # docs/audit.md says how to check it without this package.
    (path,) = record(tmp_path / "audit.jsonl")
    line = path.read_bytes().splitlines()[3]
    assert opened(line) == json.loads(line)
    from hashlib import sha256  # noqa: PLC0415 - the test says what a reader does

    body, _, rest = line.rpartition(b',"hash":')
    assert rest == b'"%b"}' % sha256(body).hexdigest().encode()


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("audit.jsonl", ("audit", ".jsonl")),
        ("audit.jsonl.gz", ("audit", ".jsonl.gz")),
        ("audit", ("audit", "")),
        ("audit.gz", ("audit", ".gz")),
        (".hidden", (".hidden", "")),
        ("a.b.jsonl", ("a.b", ".jsonl")),
    ],
)
def test_a_number_goes_before_the_suffix(tmp_path, name, parts):
    assert name_around_number(tmp_path / name) == parts


@pytest.mark.slow
def test_the_file_of_a_crawl_that_fails_before_it_begins_does_not_stay_open(path):
    """A pipeline that fails in `from_crawler` ends the crawl without the signal `spider_closed`."""
    descriptor = LogFile(path)._descriptor
    gc.collect()
    with pytest.raises(OSError, match="descriptor"):
        os.fstat(descriptor)


def test_a_name_that_is_taken_gets_a_number(tmp_path):
    path = tmp_path / "audit.jsonl"
    files = [LogFile(path) for _ in range(3)]
    assert [file.path.name for file in files] == ["audit.jsonl", "audit.2.jsonl", "audit.3.jsonl"]
    for file in files:
        file.close()


def test_a_summary_counts_what_each_request_for_a_robots_txt_brought(path):
    recording = Recording(path, {HERE: served(RULES)})
    for status, cause in ((503, ""), (None, "timeout"), (None, "timeout"), (200, "")):
        exchange = Exchange(f"{HERE}/robots.txt", 1.0, 2.0, status, cause, {}, {})
        recording.recorder.on_exchange(HERE, exchange)
    rules = recording.states[HERE].rules(recording.default.dialect, recording.now)
    recording.recorder.on_learned(rules, Source.SITE)
    fetches = overview_of(recording.close(), lambda _file: None).fetches
    assert fetches == {"503": 1, "timeout": 2, "200": 1}


@not_on_windows
def test_nothing_that_a_record_says_becomes_html_of_its_page(tmp_path):
    (path,) = record(tmp_path / "<i>.jsonl", ROBOTS_AUDIT_PASSED="none")
    forged(path, "crawl", spider="<u>")
    forged(path, "end", sums={})
    overview = overview_of([path], lambda _file: None)
    assert list(errors_in(overview.parts))
    page = audit_page(overview)
    assert ("&lt;i&gt;" in page, "&lt;u&gt;" in page) == (True, True)
    assert ("<i>" in page, "<u>" in page) == (False, False)


def test_who_reads_a_record_learns_how_far_it_is(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "_STEP", 4)
    (path,) = record(tmp_path / "audit.jsonl")
    steps = []
    file = RecordFile(path, lambda file: steps.append((file.lines, file.done, file.size)))
    assert len(list(file)) == 9
    size = path.stat().st_size
    assert steps == [(4, size, size), (8, size, size)]
