"""Columns in, columns out: the answers of a crawl, for then and for now, and for any input."""

from __future__ import annotations

import pickle
import random
import subprocess
import sys
from datetime import datetime, timezone
from functools import partial

import pyarrow as pa
import pytest

from scrapy_robots_policy.bulk import Columns, judge, judge_groups, origins, schema_of
from scrapy_robots_policy.bulk.judging import _Captures
from scrapy_robots_policy.rep import DIALECTS, AccessMode, FetchResult, advance, origin_of
from scrapy_robots_policy.rep import judge as judge_access
from scrapy_robots_policy.rep.url import path_of, server_forms
from tests.rep.cases import Life, examples, generated, lives

DAY = 86_400.0
CLOSED = b"User-agent: *\nDisallow: /"
OPEN = b"User-agent: *\nDisallow: /private"


def files(*rows, **more):
    """A table of robots.txt files: (origin, time, status, body)."""
    columns = zip(*rows, strict=True) if rows else ((), (), (), ())
    names, kinds = (
        ("origin", "fetched_at", "status", "body"),
        (pa.string(), None, None, pa.binary()),
    )
    columns = [pa.array(column, kind) for column, kind in zip(columns, kinds, strict=True)]
    return pa.table([*columns, *more.values()], names=[*names, *more])


def pages(*urls, at=None):
    return pa.table(
        {"url": pa.array(urls, pa.string())} | ({} if at is None else {"fetched_at": at})
    )


def of(judged, name="allowed"):
    return judged.column(f"robots_{name}").to_pylist()


# The same answers as a crawl.


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
def test_every_case_of_the_conformance_tables_is_answered_alike(dialect: str):
    cases = [case for case in examples().values() if case.dialect == dialect]
    if dialect in ("google", "yandex"):
        cases += list(generated(dialect))
    robots, asked = [], {}
    for number, case in enumerate(cases):
        robots.append((f"https://case{number}.test", 0.0, 200, case.robots))
        for agent, url, allowed in case.ask:
            # A rule may name a site, and a page with dots has two forms: no others are left out.
            if len(server_forms(url)) == 1 and "http" not in case.robots.decode("latin-1"):
                page = f"https://case{number}.test{path_of(url)}".encode("utf-8", "surrogatepass")
                asked.setdefault(agent, []).append((page, allowed))
    total = sum(len(case.ask) for case in cases)
    assert sum(map(len, asked.values())) > 0.8 * total
    for agent, rows in asked.items():
        urls, wanted = zip(*rows, strict=True)
        table = pa.table({"url": pa.array(urls, pa.binary())})
        answers = of(judge(table, files(*robots), agents=agent, dialect=dialect))
        wrong = [row for row, answer in zip(rows, answers, strict=True) if answer != row[1]]
        assert wrong == []
        assert len(answers) == len(wanted)


@pytest.mark.parametrize("life", lives(), ids=lambda life: life.why)
def test_every_life_of_a_robots_txt_is_judged_alike(life: Life):
    rows = [("https://a.test", float(at), one.status, one.body) for at, one in life.fetches]
    robots = files(
        *rows,
        media_type=pa.array([one.media_type for _, one in life.fetches]),
        hops=pa.array([one.hops for _, one in life.fetches], pa.list_(pa.string())),
    )
    urls = pages("https://a.test/x", "https://a.test/y", at=[rows[-1][1]] * 2)
    has_rules = b"Disallow" in rows[-1][3] + rows[0][3]
    wanted = {
        "rules": [not has_rules, True],
        "allow": [True, True],
        "disallow": [False, False],
        "defer": [False, False],
    }
    for dialect, mode in life.modes.items():
        assert of(judge(urls, robots, agents="Bot", dialect=dialect)) == wanted[mode], dialect


STATUSES = (200, 200, 204, 301, 304, 401, 403, 404, 410, 429, 500, 503, 999, None)


@pytest.mark.parametrize("dialect", sorted(DIALECTS))
def test_what_statuses_and_ages_mean_is_as_in_a_crawl(dialect: str):
    """Against `advance`, which takes one answer after the other."""
    chance, policy = random.Random(dialect), DIALECTS[dialect].access
    for _ in range(30):
        time, access, life = 0.0, None, []
        for _ in range(chance.randrange(1, 6)):
            time += chance.choice((60.0, DAY, 12 * DAY, 40 * DAY))
            result = FetchResult(chance.choice(STATUSES), chance.choice((CLOSED, b"", b"<html>")))
            access = advance(access and access.entry, result, time, policy)
            life.append((time, result, access.entry))
        ask_at = sorted(chance.uniform(1.0, time + 60 * DAY) for _ in range(8))
        robots = files(*(("https://a.test", t, r.status, r.body) for t, r, _ in life))
        judged = judge(
            pages(*["https://a.test/x"] * 8, at=ask_at), robots, agents="Bot", dialect=dialect
        )
        for at, allowed, age in zip(ask_at, of(judged), of(judged, "age"), strict=True):
            known = [(t, entry) for t, _, entry in life if t <= at]
            if not known:
                assert (allowed, age) == (None, None)
                continue
            mode = judge_access(known[-1][1], at, policy).mode
            is_closed = mode is AccessMode.RULES and known[-1][1].body == CLOSED
            assert allowed is (
                mode is AccessMode.ALLOW or (mode is AccessMode.RULES and not is_closed)
            )
            assert age == pytest.approx(at - known[-1][0])


# Then, and now.

TWO = (("https://a.test", 100.0, 200, OPEN), ("https://a.test", 200.0, 200, CLOSED))
AFTER_503 = (TWO[0], ("https://a.test", 200.0, 503, b""))
LONG_DOWN = (TWO[0], *(("https://a.test", day * DAY, 500, b"") for day in range(1, 41)))
NEVER_UP = tuple(("https://a.test", day * DAY, 500, b"") for day in range(1, 41))
AS_OF = [
    ("before the first capture", TWO, 99.0, None, "before_first_capture"),
    ("at the very time of the first", TWO, 100.0, True, "no_rule"),
    ("between two", TWO, 150.0, True, "no_rule"),
    ("at the very time of the second", TWO, 200.0, False, "rule"),
    ("after both", TWO, 1e9, False, "rule"),
    ("no time: the newest", TWO, None, False, "rule"),
    ("after a 503 the file stays in force", AFTER_503, 250.0, True, "no_rule"),
    ("29 days of 5xx: the copy", LONG_DOWN, 30.5 * DAY, True, "no_rule"),
    ("29 days of 5xx and no copy", NEVER_UP, 30.5 * DAY, False, "unreachable"),
    ("30 days of 5xx and no copy", NEVER_UP, 32 * DAY, True, "unreachable"),
    ("no answer at all", (("https://a.test", 5.0, None, None),), 6.0, False, "unreachable"),
    ("a 404", (("https://a.test", 5.0, 404, b"gone"),), 6.0, True, "unavailable"),
    ("a file without a time", (("https://a.test", None, 200, CLOSED),), 6.0, False, "rule"),
    (
        "two at one time: the file counts",
        (*TWO[:1], ("https://a.test", 100.0, 503, b"")),
        150.0,
        True,
        "no_rule",
    ),
    ("no capture of this origin", (("https://b.test", 5.0, 200, b""),), 6.0, None, "no_capture"),
]


@pytest.mark.parametrize(
    ("captures", "at", "allowed", "reason"),
    [row[1:] for row in AS_OF],
    ids=[row[0] for row in AS_OF],
)
def test_the_newest_capture_before_a_url_decides(captures, at, allowed, reason):
    for rows in (captures, captures[::-1]):
        judged = judge(
            pages("https://a.test/x", at=pa.array([at], pa.float64())), files(*rows), agents="Bot"
        )
        assert (of(judged), of(judged, "reason")) == ([allowed], [reason])


def test_a_moment_in_place_of_all_times_asks_whether_it_is_still_allowed():
    urls, robots = pages("https://a.test/x", at=[150.0]), files(*TWO)
    assert of(judge(urls, robots, agents="Bot")) == [True]
    now = datetime.fromtimestamp(300, timezone.utc)
    judged = judge(urls, robots, agents="Bot", as_of=now)
    assert (of(judged), of(judged, "age")) == ([False], [100.0])


def test_what_time_changes_is_the_same_for_each_crawler():
    at = pa.array([32 * DAY, 30.5 * DAY, None, 31 * DAY])
    urls = pages(*["https://a.test/x"] * 4, at=at)
    of_one = of(judge(urls, files(*NEVER_UP[:30]), agents="A"))
    assert of_one == [True, False, False, True]
    of_two = judge(urls, files(*NEVER_UP[:30]), agents=["A", "B"])
    assert of(of_two) == [[allowed] * 2 for allowed in of_one]


def test_times_may_be_timestamps_of_any_unit():
    at = pa.array([1_767_312_000, None]).cast(pa.timestamp("s"))  # 2026-01-02
    robots = files(("https://a.test", datetime(2026, 1, 1, tzinfo=timezone.utc), 200, CLOSED))
    judged = judge(pages(*["https://a.test/"] * 2, at=at), robots, agents="Bot")
    assert (of(judged), of(judged, "age")) == ([False, False], [DAY, None])


def test_a_redirect_that_nobody_followed_opens_nothing():
    robots = files(
        ("http://a.test", 1.0, 301, b""), location=pa.array(["https://a.test/robots.txt"])
    )
    judged = judge(pages("http://a.test/"), robots, agents="Bot")
    assert (of(judged), of(judged, "reason")) == ([None], ["redirect_not_followed"])


def test_a_file_that_is_cut_short_of_what_the_dialect_reads_opens_nothing():
    robots = files(("http://a.test", 1.0, 200, OPEN), is_cut=pa.array([True]))
    judged = judge(pages("http://a.test/"), robots, agents="Bot")
    assert (of(judged), of(judged, "reason")) == ([None], ["cut_short"])


# The columns.


def test_each_of_many_rules_has_its_own_line():
    body = "User-agent: *\n" + "".join(f"Disallow: /{n}/\n\n" for n in range(500))
    urls = [f"https://a.test/{n}/x" for n in range(500)]
    judged = judge(pages(*urls), files(("https://a.test", None, 200, body.encode())), agents="B")
    assert of(judged, "line") == [2 + 2 * n for n in range(500)]
    assert of(judged, "rule") == [f"Disallow: /{n}/" for n in range(500)]


def test_the_order_and_the_other_columns_of_the_table_stay():
    urls = pa.table({"id": [1, 2, 3], "url": [f"https://{x}.test/private" for x in "bab"]})
    robots = files(("https://a.test", None, 200, OPEN), ("https://b.test", None, 404, None))
    judged = judge(urls, robots, agents="Bot")
    assert judged.select(["id", "url"]) == urls
    assert judged.drop_columns(["id", "url"]).to_pydict() == {
        "robots_allowed": [True, False, True],
        "robots_reason": ["unavailable", "rule", "unavailable"],
        "robots_rule": [None, "Disallow: /private", None],
        "robots_line": [None, 2, None],
        "robots_age": [None, None, None],
    }


def test_several_crawlers_have_lists_and_those_that_are_refused_are_named():
    body = b"User-agent: A\nDisallow: /\n\nUser-agent: *\nDisallow: /x"
    robots = files(("https://a.test", None, 200, body))
    judged = judge(pages("https://a.test/x", "https://a.test/y", None), robots, agents=["A", "B"])
    assert of(judged) == [[False, False], [False, True], [None, None]]
    assert of(judged, "line") == [[2, 5], [2, None], [None, None]]
    assert of(judged, "refused_by") == [["A", "B"], ["A"], []]


def test_a_purpose_may_be_refused():
    body = b"User-agent: *\nContent-Usage: train-ai=n\nAllow: /"
    robots = files(("https://a.test", None, 200, body))
    judged = judge(pages("https://a.test/"), robots, agents="Bot", purpose="train-ai")
    assert (of(judged), of(judged, "reason"), of(judged, "line")) == ([False], ["use_refused"], [2])
    assert of(judge(pages("https://a.test/"), robots, agents="Bot", purpose="search")) == [True]


def test_columns_may_have_other_names():
    urls = pa.table({"page": ["https://a.test/"], "seen": [150.0]})
    names = ("host", "crawled", "code", "text")
    robots = files(*TWO).rename_columns(names)
    columns = Columns("page", "seen", *names)
    assert of(judge(urls, robots, agents="Bot", columns=columns)) == [True]


def test_groups_are_answered_in_one_schema_by_what_can_be_pickled():
    urls, robots = pages("https://a.test/private"), files(*TWO)
    for agents in ("Bot", ["A", "B"]):
        work = pickle.loads(pickle.dumps(partial(judge_groups, agents=agents)))
        assert work(urls, robots).schema == schema_of(urls.schema, agents)
        assert work(urls.slice(0, 0), robots.slice(0, 0)).schema == schema_of(urls.schema, agents)


def test_it_needs_no_scrapy():
    code = (
        "import sys, scrapy_robots_policy.bulk\n"
        "print([name for name in ('scrapy', 'twisted', 'w3lib') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_each_file_is_parsed_once_however_its_urls_are_mixed(monkeypatch):
    opened = []
    of_origin = _Captures.of
    monkeypatch.setattr(_Captures, "of", lambda self, o: opened.append(o) or of_origin(self, o))
    urls = [f"https://{number % 7}.test/{number}" for number in range(700)]
    robots = files(*((f"https://{number}.test", None, 200, OPEN) for number in range(7)))
    judge(pages(*urls), robots, agents="Bot")
    assert sorted(opened) == [f"https://{number}.test" for number in range(7)]


# The key.

ODD_URLS = (
    "http://a.test",
    "http://a.test/",
    "HTTP://A.test/x",
    "https://a.test:443/",
    "http://a.test:80",
    "http://a.test:81?x",
    "http://u:p@a.test/",
    "http://a.test#f",
    "ftp://a.test/x",
    "http:///x",
    "http://[::1]/",
    "http://[::1]:8080/x",
    "http://[::1",
    "http://bücher.test/",
    "http://a.test.",
    "http://a.test:99999/",
    "http://a.test:123456/",
    "http://a.test:/",
    "http://a..test/",
    "http://-/",
    "mailto:x@a.test",
    "",
    "/path",
    "http://a.test\\x",
    "http://a.test\n/x",
    " http://a.test/",
    "http://a_b.test/",
    "http://a.test:8o/",
    "http://" + "a" * 300 + ".test/x",
    "http://%61.test/",
    "http://a.test/\x00",
    "http://\x00a.test/",
    "javascript:alert(1)",
    "https://a.test:0443/x",
    "http://a.test/" + "x" * 1_000_000,
)


def test_the_key_of_a_url_is_its_origin():
    assert origins(pa.array(ODD_URLS)).to_pylist() == [origin_of(url) for url in ODD_URLS]


@pytest.mark.slow
def test_the_key_of_a_url_is_its_origin_for_many_that_are_made_up():
    chance = random.Random(59)
    pieces = (
        "http://",
        "https://",
        "HTTP://",
        "a",
        "b.test",
        ".",
        ":",
        "80",
        "@",
        "/",
        "?",
        "#",
        "[",
        "]",
    )
    pieces += ("::1", "é", "%41", "\\", "\t", "-", "_", " ", "ftp://", "//", "99999", "x" * 60)
    urls = ["".join(chance.choices(pieces, k=chance.randrange(1, 9))) for _ in range(100_000)]
    assert origins(pa.array(urls)).to_pylist() == [origin_of(url) for url in urls]


def test_what_is_no_url_has_no_key():
    assert origins(pa.array([None, "x"])).to_pylist() == [None, None]
    assert origins(pa.chunked_array([["http://a.test/"], [None]])).to_pylist() == [
        "http://a.test",
        None,
    ]


# Any input.


@pytest.mark.parametrize(
    ("url", "allowed"),
    [
        (b"http://a.test/private", False),
        (b"http://a.test/\xed\xa0\x80", True),
        (b"http://a.test/private\xff", False),
        (b"http://\xed\xa0\x80.test/", None),
        (b"\xff\xfe", None),
        (b"http://a.test/private" + b"x" * 1_000_000, False),
    ],
)
def test_a_url_of_any_bytes_has_an_answer(url: bytes, allowed):
    for kind in (pa.binary(), pa.string()):
        array = pa.Array.from_buffers(kind, 1, pa.array([url], pa.binary()).buffers())
        judged = judge(
            pa.table({"url": array}), files(("http://a.test", None, 200, OPEN)), agents="Bot"
        )
        assert of(judged) == [allowed]


@pytest.mark.parametrize(
    "url",
    [
        pa.array(["http://a.test/private"]).dictionary_encode(),
        pa.array(["http://a.test/private"], pa.large_string()),
        pa.array(["http://a.test/private"], pa.string_view()),
        pa.chunked_array([["http://a.test/private"]]),
    ],
    ids=["dictionary", "large", "view", "chunks"],
)
def test_urls_may_be_strings_of_any_kind(url):
    robots = files(("http://a.test", None, 200, OPEN))
    for table in (robots, robots.set_column(3, "body", pa.array([OPEN]).dictionary_encode())):
        assert of(judge(pa.table({"url": url}), table, agents="Bot")) == [False]


def test_empty_tables_give_empty_columns():
    judged = judge(pages(), files(), agents="Bot")
    assert judged.num_rows == 0
    assert of(judged) == []
    assert of(judge(pages("http://a.test/", None), files(), agents="Bot"), "reason") == [
        "no_capture",
        "no_url",
    ]
    assert of(judge(pa.table({"url": pa.nulls(2)}), files(), agents="Bot")) == [None, None]


def test_a_body_of_50_mb_is_read_as_far_as_the_dialect_reads():
    body = b"User-agent: *\nDisallow: /private\n" + b"#" * 50_000_000
    judged = judge(
        pages("http://a.test/private"), files(("http://a.test", None, 200, body)), agents="B"
    )
    assert of(judged) == [False]


ONE = pages("http://a.test/")
WRONG = [
    (pa.table({"u": ["x"]}), files(), "urls has no column 'url'; its columns are u"),
    (
        ONE,
        files().drop_columns(["body"]),
        "robots has no column 'body'; its columns are origin, fetched_at, status",
    ),
    (pa.table({"url": [1]}), files(), "url holds int64; it must hold strings"),
    (
        pages("x", at=["yesterday"]),
        files(),
        "fetched_at holds string; it must hold timestamps, or seconds since 1970",
    ),
    (
        ONE,
        pa.table({"origin": ["http://a.test"], "status": ["200"], "body": [b""]}),
        "status holds string; it must hold whole numbers",
    ),
    (
        ONE,
        pa.table({"origin": ["http://a.test"], "status": [200], "body": [1]}),
        "body holds int64; it must hold strings",
    ),
    (
        ONE,
        pa.table({"origin": ["a.test"], "status": [200], "body": [b""]}),
        "no value of origin is an origin such as https://example.com; the first is 'a.test'",
    ),
]


@pytest.mark.parametrize(("urls", "robots", "sentence"), WRONG, ids=[row[2][:30] for row in WRONG])
def test_a_wrong_table_is_one_sentence(urls, robots, sentence: str):
    with pytest.raises(ValueError, match=r"^") as caught:
        judge(urls, robots, agents="Bot")
    assert str(caught.value) == sentence


def test_a_table_that_was_judged_before_is_not_judged_again():
    judged = judge(ONE, files(), agents="Bot")
    with pytest.raises(ValueError, match="urls has a column 'robots_allowed' already"):
        judge(judged, files(), agents="Bot")


def test_a_wrong_question_is_one_sentence():
    with pytest.raises(ValueError, match="unknown dialect 'nope'"):
        judge(ONE, files(), agents="Bot", dialect="nope")
    with pytest.raises(ValueError, match="agents names no crawler"):
        judge(ONE, files(), agents=[])
    with pytest.raises(ValueError, match="purpose 'nope' is none of"):
        judge(ONE, files(), agents="Bot", purpose="nope")
    with pytest.raises(ValueError, match="must have a time zone"):
        judge(ONE, files(), agents="Bot", as_of=datetime(2026, 1, 1))  # noqa: DTZ001 - it has none
