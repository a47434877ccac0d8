"""What must be true of `scrapy robots audit`: what it finds, its exit status, what it writes."""

from __future__ import annotations

import gzip
import json
import zlib
from base64 import b64encode
from hashlib import sha256

import pytest
from warcio.archiveiterator import ArchiveIterator

from scrapy_robots_policy.rep import DIALECTS
from tests.audit.conftest import RULES
from tests.commands.run import robots
from tests.traced_memory import tracing_memory

pytestmark = pytest.mark.slow  # a crawl

SECRET = "http://site.test/secret"


def chained(lines):
    """The same lines with hashes made anew, as docs/audit.md tells how."""
    data, prev = b"", "0" * 64
    for line in lines:
        fields = {**line, "prev": prev}
        del fields["hash"]
        body = json.dumps(fields, separators=(",", ":")).removesuffix("}").encode()
        prev = sha256(body).hexdigest()
        data += body + b',"hash":"%b"}\n' % prev.encode()
    return data


def test_verify_makes_every_decision_anew_and_finds_no_difference(recorded):
    answer = robots("audit", "verify", recorded.path)
    assert answer.status == 0
    assert "4 robots.txt, 3 tdmrep.json; 15 decisions made anew: 15 agree, 0 differ" in answer.out
    assert f"ends with {recorded.lines[-1]['hash']}" in answer.out


def test_one_changed_character_is_found_in_whichever_line(recorded, copied):
    lines = recorded.path.read_bytes().splitlines(keepends=True)
    for number, line in enumerate(lines, 1):
        at = len(line) // 2
        changed = line[:at] + bytes([line[at] ^ 1]) + line[at + 1 :]
        path = copied(b"".join([*lines[: number - 1], changed, *lines[number:]]))
        answer = robots("audit", "verify", path)
        assert answer.status == 2
        assert f"broken: {path}, line {number}: " in answer.out


BROKEN = {
    "the first line is gone": lambda lines: lines[1:],
    "a line is gone": lambda lines: lines[:9] + lines[10:],
    "two lines are swapped": lambda lines: [*lines[:9], lines[10], lines[9], *lines[11:]],
    "a line stands twice": lambda lines: [*lines[:9], lines[9], *lines[9:]],
    "nothing is left": lambda _: [],
    "it is no record": lambda _: [b"User-agent: *\n"],
}
TORN = {
    "the last line is torn": lambda lines: [*lines[:-1], lines[-1][:-40]],
    "a line in the middle is torn": lambda lines: [*lines[:9], lines[9][:30]],
    "the last line is gone": lambda lines: lines[:-1],
}


@pytest.mark.parametrize("name", BROKEN | TORN)
@pytest.mark.parametrize("packed", [bytes, gzip.compress])
def test_what_was_changed_is_broken_and_what_was_torn_is_noted(name, packed, recorded, copied):
    change = (BROKEN | TORN)[name]
    path = copied(packed(b"".join(change(recorded.path.read_bytes().splitlines(keepends=True)))))
    answer = robots("audit", "verify", path)
    assert answer.status == (2 if name in BROKEN else 0), answer.out
    if name in TORN:
        assert "note: " in answer.out
        assert "0 differ" in answer.out


@pytest.mark.parametrize(
    ("at", "changes", "now"),
    [
        (0, {"verdict": "refused"}, "passed"),
        (1, {"line": 3}, "line 2"),
        (1, {"verdict": "passed", "reason": "no_rule"}, "refused: line 2"),
        (2, {"rule": "Allow: /secret"}, "/secret/but"),
    ],
)
def test_a_record_that_was_changed_and_chained_anew_is_decided_otherwise(
    at, changes, now, recorded, copied
):
    lines = recorded.lines
    url = (f"{SECRET[:-7]}/a", SECRET, f"{SECRET}/but")[at]
    (line,) = (line for line in recorded.of("decision") if line["url"] == url)
    lines[lines.index(line)] = line | changes
    path = copied(chained(lines))
    answer = robots("audit", "verify", path)
    assert answer.status in (1, 2)  # its sums may tell of it, too
    assert "1 differ" in answer.out
    assert now in answer.out.partition(f"{url}\n")[2]


def test_a_body_that_unpacks_to_more_than_a_robots_txt_has_breaks_the_record(recorded, copied):
    body = b"#" * 100_000_000
    bomb = b64encode(zlib.compress(body, 9)).decode()
    is_body = {"body": bomb, "sha256": sha256(body).hexdigest()}
    lines = [line | is_body if "body" in line else line for line in recorded.lines]
    with tracing_memory() as traced:
        answer = robots("audit", "verify", copied(chained(lines)))
        assert traced()[1] < 64 * 1024 * 1024
    assert answer.status == 2
    assert "unpacks to more than" in answer.out


def test_a_record_that_is_only_chained_anew_is_the_same(recorded):
    assert chained(recorded.lines) == recorded.path.read_bytes()


def test_another_dialect_names_each_request_that_would_have_gone_the_other_way(recorded):
    answer = robots("audit", "verify", "--dialect", "original1994", "--json", recorded.path)
    *differences, sums = map(json.loads, answer.lines)
    assert answer.status == 1
    assert f"{SECRET}/but" in {one["url"] for one in differences}
    assert (sums["decisions"], sums["differ"]) == (15, len(differences))
    shown = robots("audit", "verify", "--dialect", "original1994", recorded.path).out
    assert "now:      refused: line 2, Disallow: /secret" in shown


OWN = f"{__name__}.MINE"
MINE = DIALECTS["rfc9309"].but("mine", crawl_delay="ignored")


def test_decisions_in_a_dialect_that_is_not_at_hand_are_made_when_it_is_named(recorded, copied):
    def named(line):
        return {
            key: "mine" if value == "rfc9309" and key in ("name", "dialect") else value
            for key, value in line.items()
        }

    path = copied(chained([named(line) for line in recorded.lines]))
    answer = robots("audit", "verify", path)
    assert answer.status == 1
    assert "the dialect mine is not this package's" in answer.out
    assert "14 cannot be made" in answer.out
    named_dialect = robots("audit", "verify", "--dialect", OWN, path)
    assert "made as mine reads: 15 agree, 0 differ" in named_dialect.out


def test_verify_says_which_version_decided_where_a_dialect_has_changed(recorded, copied):
    was = {"fingerprint": "0" * 64}
    lines = [line | was if line["type"] == "dialect" else line for line in recorded.lines]
    crawl = recorded.lines[0]["package"]
    answer = robots("audit", "verify", copied(chained(lines)))
    note = f"the record is of scrapy-robots-policy {crawl}, and its decisions were made anew with"
    assert f"note: the dialect google is not as it was: {note} " in answer.out


STORIES = {
    SECRET: (
        "refused, and why:",
        "Bot (User-Agent: Bot/1.0 (+https://tests.dev/bot))",
        "http://site.test/rules.txt: 200",
        f"bytes        {len(RULES)}, SHA-256 {sha256(RULES.encode()).hexdigest()}\n",
        ">     2 | Disallow: /secret    <- decides\n",
        "      4 | Disallow: /\\x1b[2J\n",
        "the same answer",
    ),
    "http://site.test/noai": ("passed, and why:", "train-ai refused by header X-Robots-Tag: noai"),
    "http://site.test/mine": ("tdmrep.json rule 1, tdm-reservation: 1",),
    "http://gone.test/ü?q=a b#part": ("passed, and why:", "404"),
    "http://closed.test/a": ("robots.txt unreachable (503)",),
    "http://site.test/secret/exempt": ("exempt by    request.meta['dont_obey_robotstxt']",),
}


@pytest.mark.parametrize("url", STORIES)
def test_show_tells_the_story_of_a_url(url, recorded):
    answer = robots("audit", "show", recorded.path, url)
    assert answer.status == 0
    assert [words for words in STORIES[url] if words not in answer.out] == []
    assert answer.out.replace("\n", "").isprintable()


def test_show_says_where_nothing_is_recorded(recorded):
    answer = robots("audit", "show", recorded.path, "http://site.test/other")
    assert (answer.status, "http://site.test/other" in answer.out) == (1, True)


def test_a_warc_has_every_request_for_a_robots_txt_with_its_bytes(recorded, tmp_path):
    target = tmp_path / "out.warc.gz"
    assert robots("audit", "warc", recorded.path, target).status == 0
    with target.open("rb") as file:
        records = [
            (one.rec_type, one.rec_headers["WARC-Target-URI"], one.content_stream().read())
            for one in ArchiveIterator(file, check_digests="raise")
        ]
    assert ("response", "http://site.test/rules.txt", RULES.encode()) in records
    assert ("response", "http://gone.test/robots.txt", b"") in records
    kinds = [kind for kind, _, _ in records]
    assert kinds.count("request") == kinds.count("response") == 7
    written = target.read_bytes()
    assert robots("audit", "warc", recorded.path, target).status == 2  # it overwrites nothing
    assert target.read_bytes() == written


def test_a_broken_record_leaves_no_part_of_a_warc(recorded, copied, tmp_path):
    path = copied(recorded.path.read_bytes().replace(b"/secret", b"/public", 1))
    assert robots("audit", "warc", path, tmp_path / "out.warc").status == 2
    assert [*tmp_path.iterdir()] == [path]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ([], "verify, show, warc"),
        (["verfy"], "did you mean verify?"),
        (["verify"], "FILE"),
        (["verify", "none.jsonl"], "none.jsonl: No such file or directory"),
        (["show", "none.jsonl"], "FILE"),
        (["show", "tests/site.py", "https://a.example/"], "is this a record of ROBOTS_AUDIT?"),
        (["show", "none.jsonl", "a.example/x"], "https://a.example/x"),
        (["warc", "none.jsonl"], "WARC"),
        (["warc", "none.jsonl", "/no/such/folder"], "cannot write /no/such/folder"),
        (["show", "x", "https://a.example/", "--json"], "--json is for audit verify"),
    ],
)
def test_a_wrong_question_gets_one_sentence(arguments, why):
    answer = robots("audit", *arguments)
    assert (answer.status, answer.out, answer.err.count("\n")) == (2, "", 1)
    assert why in answer.err
