"""`robots-policy bulk`: files in, a file of verdicts out."""

from __future__ import annotations

import csv
import gzip
import json
import os
import signal
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from scrapy_robots_policy.bulk import files, judge
from tests.bulk.test_captures import response, warc
from tests.commands.run import policy
from tests.docs.markdown import ROOT
from tests.redis_server import wait_until

ROBOTS = pa.table(
    {
        "origin": ["https://a.test", "https://b.test"],
        "status": [200, 200],
        "body": ["User-agent: *\nDisallow: /x", "User-agent: A\nDisallow: /"],
    }
)
URLS = ("https://a.test/x", "https://b.test/x", "https://a.test/y", "nothing", "https://c.test/")
VERDICTS = {
    "https://a.test/x": False,
    "https://a.test/y": True,
    "https://b.test/x": True,
    "https://c.test/": None,
    "nothing": None,
}


@pytest.fixture
def tables(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pq.write_table(ROBOTS, "robots.parquet")
    pq.write_table(pa.table({"url": URLS, "n": range(5)}), "urls.parquet")
    return tmp_path


def as_urls(kind):
    if kind == "csv":
        return "\n".join(["url", *URLS])
    if kind == "txt":
        return "\n".join(URLS)
    return "\n".join(json.dumps({"url": url}) for url in URLS)


@pytest.mark.parametrize("kind", ["csv", "txt", "jsonl", "ndjson"])
def test_urls_come_in_any_usual_file(tables, kind):
    (tables / f"urls.{kind}").write_text(as_urls(kind))
    with gzip.open(f"packed.{kind}.gz", "wt") as file:
        file.write(as_urls(kind))
    for name in (f"urls.{kind}", f"packed.{kind}.gz"):
        assert policy("bulk", name, "robots.parquet", "-o", "out.parquet", "--jobs", 1).status == 0
        rows = pq.read_table("out.parquet").to_pylist()
        assert {row["url"]: row["robots_allowed"] for row in rows} == VERDICTS


def test_the_verdicts_are_those_of_judge_sorted_by_origin(tables):
    done = policy("bulk", "urls.parquet", "robots.parquet", "-o", "out.parquet", "--agents", "A,B")
    assert done.status == 0
    assert done.says("A refused rule 2")
    wanted = judge(pq.read_table("urls.parquet"), ROBOTS, agents=["A", "B"]).to_pylist()
    rows = pq.read_table("out.parquet").to_pylist()
    assert sorted(rows, key=lambda row: row["n"]) == wanted
    assert [row["url"] for row in rows if row["robots_allowed"][0] is not None] == [
        "https://a.test/x",
        "https://a.test/y",
        "https://b.test/x",
    ]


def test_csv_and_json_lines_are_written_too(tables):
    for name in ("out.csv", "out.jsonl"):
        assert policy("bulk", "urls.parquet", "robots.parquet", "-o", name, "--jobs", 1).status == 0
    with (tables / "out.csv").open(newline="") as file:
        of_csv = {row["url"]: row["robots_allowed"] for row in csv.DictReader(file)}
    words = {True: "true", False: "false", None: ""}
    assert of_csv == {url: words[allowed] for url, allowed in VERDICTS.items()}
    of_json = list(map(json.loads, (tables / "out.jsonl").read_text().splitlines()))
    assert {row["url"]: row["robots_allowed"] for row in of_json} == VERDICTS
    command = ("bulk", "urls.parquet", "robots.parquet", "-o", "out.jsonl", "--agents", "A,B")
    assert policy(*command, "--jobs", 1).status == 0
    of_json = list(map(json.loads, (tables / "out.jsonl").read_text().splitlines()))
    assert [False, True] in [row["robots_allowed"] for row in of_json]


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_robots_txt_files_may_be_text(tables, kind):
    rows = [
        {
            "origin": "https://a.test",
            "status": 200,
            "body": 'User-agent: *\nDisallow: /é\\x41,"x\n',
        },
        {"origin": "https://b.test", "status": 404, "body": ""},
    ]
    with open(f"robots.{kind}", "w", newline="", encoding="utf-8") as file:  # noqa: PTH123 - a table
        if kind == "csv":
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)
        else:
            file.writelines(json.dumps(row) + "\n" for row in rows)
    (tables / "urls.txt").write_text(
        'https://a.test/%C3%A9\\x41,"x\nhttps://a.test/e\nhttps://b.test/'
    )
    assert policy("bulk", "urls.txt", f"robots.{kind}", "-o", "o.parquet", "--jobs", 1).status == 0
    assert pq.read_table("o.parquet")["robots_allowed"].to_pylist() == [False, True, True]


def test_folders_and_patterns_and_warc_files(tables):
    (tables / "part").mkdir()
    for number in range(3):
        table = pa.table({"url": [f"https://a.test/{number}", "https://a.test/secret"]})
        pq.write_table(table, f"part/{number}.parquet")
    (tables / "warc").mkdir()
    warc(tables / "warc", response("https://a.test/robots.txt"))
    for urls in ("part", "part/*.parquet"):
        done = policy("bulk", urls, "warc", "-o", "out.parquet", "--explain", "--jobs", 1)
        assert done.says("allowed no rule matches 3 refused rule 3")
        assert done.says("Disallow: /secret 3")
        assert done.says("https://a.test 3")


def test_many_portions_give_the_same_as_one(tables, monkeypatch):
    urls = pa.table({"url": [f"https://s{n % 40}.test/{n % 7}" for n in range(5_000)]})
    robots = pa.table(
        {
            "origin": [f"https://s{n}.test" for n in range(0, 60, 2)],
            "status": [200] * 30,
            "body": [f"User-agent: *\nDisallow: /{n % 7}" for n in range(30)],
        }
    )
    pq.write_table(urls, "urls.parquet")
    pq.write_table(robots, "robots.parquet")
    monkeypatch.setattr(files, "URLS", 100)
    monkeypatch.setattr(files, "BODIES", 60)
    monkeypatch.setattr(files, "SORTED", 2_000)
    assert (
        policy("bulk", "urls.parquet", "robots.parquet", "-o", "o.parquet", "--jobs", 1).status == 0
    )
    wanted = judge(urls, robots, agents="*").sort_by([("url", "ascending")])
    assert (
        pq.read_table("o.parquet").sort_by([("url", "ascending")]).to_pylist() == wanted.to_pylist()
    )


def test_other_columns_and_a_moment_can_be_named(tables):
    pq.write_table(pa.table({"page": ["https://a.test/x"]}), "pages.parquet")
    captures = ROBOTS.append_column("fetched_at", pa.array([0.0, 0.0]))
    pq.write_table(captures, "robots.parquet")
    command = ("bulk", "pages.parquet", "robots.parquet", "-o", "out.jsonl", "--jobs", 1)
    assert policy(*command, "--columns", "url=page", "--as-of", "1970-01-02").status == 0
    row = json.loads((tables / "out.jsonl").read_text())
    assert (row["robots_allowed"], row["robots_age"]) == (False, 86_400.0)


def test_no_urls_give_an_empty_table(tables):
    pq.write_table(pa.table({"url": pa.array([], pa.string())}), "urls.parquet")
    assert (
        policy("bulk", "urls.parquet", "robots.parquet", "-o", "o.parquet", "--jobs", 1).status == 0
    )
    assert pq.read_table("o.parquet").column_names[:2] == ["url", "robots_allowed"]


WRONG = [
    (("urls.parquet",), "bulk takes URLS and ROBOTS, and writes a table"),
    (("urls.parquet", "robots.parquet"), "bulk takes URLS and ROBOTS"),
    (("nope.csv", "robots.parquet", "-o", "o.csv"), "nope.csv: no file is there"),
    (("urls.parquet", "nope/*.warc", "-o", "o.csv"), "nope/*.warc: no file is there"),
    (("robots.parquet", "urls.parquet", "-o", "o.csv"), "the table of urls has no column 'url'"),
    (("urls.parquet", "urls.parquet", "-o", "o.csv"), "the table of robots has no column 'origin'"),
    (("urls.parquet", "robots.parquet", "-o", "o.xls"), "o.xls must end in .parquet, .csv, .jsonl"),
    (("urls.parquet", "robots.parquet", "-o", "no/o.csv"), "no/o.csv: No such file"),
    (("cut.parquet", "robots.parquet", "-o", "o.csv"), "cut.parquet"),
    (("urls.parquet", "bad.warc", "-o", "o.csv"), "robots-policy: bad.warc: Invalid WARC header\n"),
    (("urls.parquet", "robots.parquet", "-o", "o.csv", "--as-of", "soon"), "--as-of is 'soon'"),
    (
        ("urls.parquet", "robots.parquet", "-o", "o.csv", "--columns", "link=x"),
        "did you mean|must be url",
    ),
    (
        ("urls.parquet", "robots.parquet", "-o", "o.csv", "--agents", "a b,ü"),
        "--agents has 'ü'|--agents has",
    ),
]


@pytest.mark.parametrize(("arguments", "sentence"), WRONG, ids=[row[1][:30] for row in WRONG])
def test_what_is_wrong_is_one_sentence_and_the_file_before_stays(tables, arguments, sentence):
    (tables / "cut.parquet").write_bytes((tables / "urls.parquet").read_bytes()[:-20])
    (tables / "bad.warc").write_bytes(b"nothing\n" * 100)
    (tables / "o.csv").write_text("before")
    done = policy("bulk", *arguments)
    assert done.status == 2
    assert any(one in done.err for one in sentence.split("|"))
    assert len(done.err.splitlines()) == 1
    assert (tables / "o.csv").read_text() == "before"
    assert not list(tables.glob(".*part"))


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="Windows has no SIGKILL")
def test_a_run_that_is_killed_leaves_no_table_and_no_process(tables):
    urls = [f"https://s{n % 1_000}.test/{n}" for n in range(1_000_000)]
    pq.write_table(pa.table({"url": urls}), "many.parquet")
    command = ("bulk", "many.parquet", "robots.parquet", "-o", "o.parquet", "--jobs", "2")
    program = (sys.executable, "-m", "scrapy_robots_policy.commands")
    run = subprocess.Popen(
        [*program, *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    wait_until(lambda: any(tables.glob(".o.parquet.*.part")), "it does not begin")
    run.kill()
    assert run.stdout is not None
    assert run.stdout.read() == b""  # that it ends says that no process holds it any more
    run.stdout.close()
    run.wait()
    assert not (tables / "o.parquet").exists()


@pytest.mark.parametrize(
    ("missing", "words"),
    [("pyarrow", "tables of URLs"), ("duckdb", "files"), ("fastwarc.warc", "WARC files")],
)
def test_what_is_not_installed_is_named_with_its_extra(tables, monkeypatch, missing, words):
    for name in [name for name in sys.modules if name.startswith("scrapy_robots_policy.bulk")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, missing, None)
    warc(tables, response("https://a.test/robots.txt"))
    done = policy("bulk", "urls.parquet", "robots.warc.gz", "-o", "o.csv")
    assert done.status == 2
    assert done.says(f"{words} pip install 'scrapy-robots-policy[bulk]'")
