"""Each recipe of docs/bulk.md runs on its engine, and gives the verdicts of `judge`.

`make bulk` installs the engines; without it only some of them are there.
"""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import datetime, timezone
from importlib.util import find_spec

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from scrapy_robots_policy.bulk import judge
from tests.docs.markdown import ROOT, blocks

RECIPES = [one for one in blocks(ROOT / "docs" / "bulk.md") if one.title]
TIME = pa.timestamp("us", "UTC")
DATATROVE = """
documents = [
    Document(text="", id=str(at), metadata={"url": url})
    for at, url in enumerate(pq.read_table("urls.parquet")["url"].to_pylist())
]
kept = AllowedByRobots("robots.parquet", "MyBot").run(documents)
kept = [document.metadata["url"] for document in kept]
pq.write_table(pa.table({"url": kept}), "kept.parquet")
"""


def day(number):
    return datetime(2026, 1, number, tzinfo=timezone.utc)


def tables():
    count = range(80)
    urls = [f"https://s{n % 50}.test/{n % 7}" for n in range(2_000)]
    urls += ["nothing", None, "https://none.test/"]
    at = [day(1 + n % 20) for n in range(len(urls))]
    robots = {
        "origin": [f"https://s{n % 40}.test" for n in count],
        "fetched_at": pa.array([day(3 + n // 40 * 8) for n in count], TIME),
        "status": pa.array([200] * len(count), pa.int32()),
        "body": [f"User-agent: *\nDisallow: /{n % 7}".encode() for n in count],
    }
    return pa.table({"url": urls, "fetched_at": pa.array(at, TIME)}), pa.table(robots)


def sorted_rows(table):
    """Spark writes times without their zone."""
    names = ["url", "robots_allowed", "robots_reason", "robots_rule", "robots_line"]
    times = table["fetched_at"].cast(TIME).cast(pa.int64())
    return sorted(table.select(names).append_column("at", times).to_pylist(), key=str)


def test_there_is_a_recipe_for_each_engine():
    named = [recipe.title for recipe in RECIPES]
    assert named == ["duckdb", "polars", "pyspark", "ray", "dask", "datatrove"]


def run(text, folder):
    (folder / "recipe.py").write_text(text)
    subprocess.run(
        [sys.executable, "recipe.py"],
        cwd=folder,
        env={**os.environ, "PYSPARK_PYTHON": sys.executable, "PYTHONPATH": str(ROOT)},
        check=True,
        capture_output=True,
    )


# The first worker that gets a group kills itself: Spark has to ask another one.
KILLED = """
import os, signal
from pathlib import Path


def killed_once(urls, robots):
    if not Path("killed").exists():
        Path("killed").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return judge_groups(urls, robots, agents="MyBot")
"""


@pytest.mark.slow
@pytest.mark.skipif(find_spec("pyspark") is None, reason="pyspark is not installed: make bulk")
@pytest.mark.parametrize("partitions", [1, 2, 4])
def test_spark_gives_the_same_on_any_number_of_partitions_though_a_worker_dies(
    partitions, tmp_path
):
    (text,) = (recipe.text for recipe in RECIPES if recipe.title == "pyspark")
    master = (
        f'.master("local[{partitions},4]").config("spark.sql.shuffle.partitions", {partitions})'
    )
    text = text.replace(".getOrCreate()", f"{master}.getOrCreate()")
    text = text.replace('partial(judge_groups, agents="MyBot")', "killed_once")
    assert text.count("killed_once") == 1
    urls, robots = tables()
    pq.write_table(urls, tmp_path / "urls.parquet")
    pq.write_table(robots, tmp_path / "robots.parquet")
    run(KILLED + text, tmp_path)
    assert (tmp_path / "killed").exists()
    found = pq.read_table(tmp_path / "verdicts.parquet")
    assert sorted_rows(found) == sorted_rows(judge(urls, robots, agents="MyBot"))


@pytest.mark.slow
@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.title)
def test_a_recipe_gives_the_verdicts_of_judge(recipe, tmp_path):
    if find_spec(recipe.title) is None:
        pytest.skip(f"{recipe.title} is not installed: make bulk")
    urls, robots = tables()
    pq.write_table(urls, tmp_path / "urls.parquet")
    pq.write_table(robots, tmp_path / "robots.parquet")
    is_filter = recipe.title == "datatrove"
    run(recipe.text + DATATROVE * is_filter, tmp_path)
    if is_filter:
        judged = judge(urls.select(["url"]), robots, agents="MyBot")
        kept = judged.filter(judged["robots_allowed"])["url"].to_pylist()
        assert pq.read_table(tmp_path / "kept.parquet")["url"].to_pylist() == kept
    else:
        found = pq.read_table(tmp_path / "verdicts.parquet")
        assert sorted_rows(found) == sorted_rows(judge(urls, robots, agents="MyBot"))
