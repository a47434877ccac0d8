"""Tables that no memory holds: files in, a file of verdicts out.

DuckDB reads the files, finds the origin of each URL, and sorts the URLs by it; what memory does not
hold it writes to a temporary folder. Even so a sort of very many rows takes more memory: they are
sorted some millions at a time, divided by a hash of their origins. The robots.txt files are a table
beside them, sorted alike. Then some URLs at a time and the files of their origins go to a process
of the pool, and the verdicts are written in the same order, so the memory that is needed depends on
the limit alone.
"""

from __future__ import annotations

import gzip
import multiprocessing
import os
import shutil
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from glob import glob
from itertools import chain, zip_longest
from multiprocessing.connection import wait
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet

try:
    import duckdb
except ImportError as error:
    raise ImportError(
        "files are joined by DuckDB: pip install 'scrapy-robots-policy[bulk]'"
    ) from error

from ..whole_file import whole_file
from .captures import SCHEMA, read_record, read_store, read_warc
from .judging import MORE, USUAL, Columns, judge_groups, origins

SORTED = 10_000_000  # URLs that are sorted at a time
URLS = 50_000  # that are judged at a time
BODIES = 16 * 1024 * 1024  # bytes of robots.txt files that are given to a process at a time
_KEY = "robots_origin"  # the column of the origins, while the files are worked on

TABLES = {
    ".parquet": "read_parquet({}, union_by_name = true)",
    ".csv": "read_csv({}, header = true)",
    ".jsonl": "read_json({}, format = 'newline_delimited')",
    ".ndjson": "read_json({}, format = 'newline_delimited')",
    ".txt": "read_csv({}, header = false, delim = '\\n', quote = '', names = ['url'])",
}
"""How DuckDB reads a file, by the end of its name; each but Parquet may be packed by gzip."""

CAPTURES: dict[str, Callable[[Path], Iterator[Any]]] = {
    ".warc": read_warc,
    ".sqlite": read_store,
    ".db": read_store,
}
_WRITTEN = {".csv": "csv, header", ".jsonl": "json"}  # by DuckDB, from Parquet
OUTPUTS = (".parquet", *_WRITTEN)


class Limits(NamedTuple):
    """What a run may take: megabytes of memory for DuckDB, and processes that judge."""

    memory: int
    jobs: int


class Summary(NamedTuple):
    """What came of a run; of each kind the largest number first.

    Attributes:
        reasons: (agent, whether it is allowed, reason, URLs).
        rules: (agent, rule, URLs) of the rules that refuse most.
        origins: (agent, origin, URLs) of the origins where most is refused.

    """

    reasons: tuple[tuple[str, bool | None, str, int], ...]
    rules: tuple[tuple[str, str, int], ...]
    origins: tuple[tuple[str, str, int], ...]


def judge_files(
    urls: str,
    robots: str,
    output: Path,
    question: dict[str, Any],
    limits: Limits,
    on_progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> Summary:
    """Judge the URLs of some files, and write a table of verdicts.

    Args:
        urls, robots: a file, a folder, or a pattern such as "part-*.parquet".
        output: Parquet, CSV or JSON Lines, by its name. Until it is whole, it is not there.
        question: the arguments of `judge` but for the tables.
        on_progress: called with the URLs that are done, and all.

    Raises:
        ValueError: a file is not there, cannot be read, or lacks a column: one sentence.
        OSError: the output cannot be written.

    """
    kind = _kind(output.name)
    if kind not in OUTPUTS:
        raise ValueError(f"{output} must end in {', '.join(OUTPUTS)}")
    with TemporaryDirectory(prefix="robots-policy-") as folder, _sentences():
        run = _Run(Path(folder), limits, question.get("columns", USUAL))
        with closing(run.connection):
            total = run.open(urls)
            run.load(robots)
            with whole_file(output) as file:
                where = file if kind == ".parquet" else Path(folder, "verdicts.parquet")
                done = 0
                for count in _judge(run, question, limits.jobs, where):
                    done += count
                    on_progress(done, total)
                if isinstance(where, Path):
                    run.write(where, _WRITTEN[kind], file)
            return run.summary()


def _judge(run: _Run, question: dict[str, Any], jobs: int, where: Path | BinaryIO) -> Iterator[int]:
    """Write all verdicts as Parquet. Gives how many, each time that some are written."""
    with _pool(jobs) as submit, ExitStack() as stack:
        writer: Any = None
        ask = partial(_judged, question=question)
        for verdicts, tally in _in_order(run.pairs(), submit, ask, jobs + 1):
            if writer is None:
                writer = pa.parquet.ParquetWriter(where, verdicts.schema, compression="zstd")
                stack.callback(writer.close)
            writer.write_table(verdicts)
            run.count(tally)
            yield len(verdicts)


@contextmanager
def _sentences() -> Iterator[None]:
    """What DuckDB finds wrong with a file, in its first sentence."""
    try:
        yield
    except duckdb.Error as error:
        raise ValueError(str(error).strip().partition("\n")[0]) from None


def _kind(name: str) -> str:
    """The end of a file's name, without that of a packed file."""
    return Path(name.lower().removesuffix(".gz")).suffix


def _files(named: str, kinds: Iterable[str]) -> tuple[str, list[str]]:
    """(end of the names, files) of what a file, folder or pattern names, all of one kind."""
    if Path(named).is_dir():
        paths = [path for path in map(str, Path(named).rglob("*")) if _kind(path) in kinds]
    else:
        paths = glob(named, recursive=True) or [named]  # noqa: PTH207 - a pattern may be absolute
    if not paths or not Path(paths[0]).exists():
        raise ValueError(f"{named}: no file is there whose name ends in {', '.join(kinds)}")
    ends = {_kind(path) for path in paths}
    if len(ends) > 1 or not ends <= set(kinds):
        found = ", ".join(sorted(end or "no end" for end in ends))
        raise ValueError(f"{named}: it has {found}; files of one kind are read: {', '.join(kinds)}")
    return ends.pop(), sorted(paths)


class _Run:
    """The tables of one run, in a database of its own."""

    def __init__(self, folder: Path, limits: Limits, columns: Columns) -> None:
        self.columns = columns
        self.connection = duckdb.connect(str(folder / "run.duckdb"))
        self.connection.execute(f"SET memory_limit = '{limits.memory}MB'")
        self.connection.execute("SET temp_directory = ?", [str(folder / "spilled")])
        self.connection.execute("SET preserve_insertion_order = false")
        self.connection.execute("SET TimeZone = 'UTC'")
        kinds: dict[str, Any] = {"type": "arrow", "null_handling": "special"}
        self.connection.create_function("origin_of", origins, ["VARCHAR"], "VARCHAR", **kinds)
        self.connection.execute(
            "CREATE TABLE tally (agent VARCHAR, origin VARCHAR, allowed BOOLEAN, reason VARCHAR, "
            "rule VARCHAR, urls BIGINT)"
        )
        self.queries: list[str] = []  # each gives some URLs, sorted by origin

    def load(self, named: str) -> None:
        """Read the robots.txt files, and sort them by origin."""
        needed = (self.columns.origin, self.columns.status, self.columns.body)
        kind, paths = _files(named, (*CAPTURES, *TABLES))
        read = CAPTURES.get(kind)
        if kind == ".jsonl" and all(map(_is_record, paths)):
            read = read_record
        if read is None:
            self._keep(self._source("robots", kind, paths, needed))
            return
        renamed = dict(zip(SCHEMA.names, self.columns[2:], strict=False))
        schema = pa.schema([one.with_name(renamed.get(one.name, one.name)) for one in SCHEMA])
        faults: list[Exception] = []  # DuckDB wraps what is raised while it reads

        def batches() -> Iterator[Any]:
            try:
                for path in paths:
                    for batch in read(Path(path)):
                        yield pa.RecordBatch.from_arrays(batch.columns, schema=schema)
            except (OSError, ImportError) as error:
                faults.append(error)
                raise

        self.connection.register("captures", pa.RecordBatchReader.from_batches(schema, batches()))
        try:
            self._keep("captures")
        except duckdb.Error:
            if faults:
                raise ValueError(str(faults[0])) from None
            raise

    def _keep(self, source: str) -> None:
        columns, kinds = self.columns, self._kinds(source)
        names = [name for name in (*columns[2:], *MORE) if name in kinds]
        body = _quoted(columns.body)
        length = "octet_length" if kinds[columns.body] == "BLOB" else "strlen"
        self.connection.execute(
            f"CREATE TABLE robots AS SELECT {', '.join(map(_quoted, names))}, "
            f"origin_of({_quoted(columns.origin)}) AS {_KEY}, "
            f"coalesce({length}({body}), 0) AS robots_size FROM {source} ORDER BY {_KEY}"
        )

    def open(self, named: str) -> int:
        """Find the URLs, and divide them where they are too many. Gives their number."""
        kind, paths = _files(named, TABLES)
        source = self._source("urls", kind, paths, (self.columns.url,))
        keyed = f"SELECT *, origin_of({_quoted(self.columns.url)}) AS {_KEY} FROM {source}"
        ((count,),) = self.connection.execute(f"SELECT count(*) FROM {source}").fetchall()
        shards = -(-count // SORTED)
        if shards <= 1:
            self.queries = [f"{keyed} ORDER BY {_KEY}"]
            return int(count)
        self.connection.execute(
            f"CREATE TABLE pages AS SELECT *, hash({_KEY}) % {shards} AS robots_shard "
            f"FROM ({keyed})"
        )
        self.queries = [
            f"SELECT * EXCLUDE robots_shard FROM pages WHERE robots_shard = {shard} ORDER BY {_KEY}"
            for shard in range(shards)
        ]
        return int(count)

    def _source(self, what: str, kind: str, paths: list[str], needed: Iterable[str]) -> str:
        source = TABLES[kind].format("[" + ", ".join(map(_literal, paths)) + "]")
        kinds = self._kinds(source)
        for name in needed:
            if name not in kinds:
                have = ", ".join(kinds)
                raise ValueError(
                    f"the table of {what} has no column {name!r}; its columns are {have}"
                )
        return source

    def _kinds(self, source: str) -> dict[str, str]:
        """The types of the columns, by name."""
        rows = self.connection.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()
        return {row[0]: row[1] for row in rows}

    def pairs(self) -> Iterator[tuple[Any, Any]]:
        """(URLs, the robots.txt files of their origins). The rows of an origin stand together."""
        beside = self.connection.cursor()
        for query in self.queries:
            reader = self.connection.sql(query).to_arrow_reader(URLS)
            batches = (pa.Table.from_batches([batch]) for batch in reader)
            for urls in chain(batches, [reader.schema.empty_table()]):  # no URLs are a table, too
                beside.register("wanted", pa.table({_KEY: pc.unique(urls.column(_KEY))}))
                yield from self._portions(beside, urls)

    def _portions(self, beside: Any, urls: Any) -> Iterator[tuple[Any, Any]]:
        """A portion has as many URLs as go together with no more than `BODIES` of files."""
        ends = pc.min_max(urls.column(_KEY)).as_py()
        low, high = ends["min"], ends["max"]
        where = f"{_KEY} BETWEEN ? AND ? AND {_KEY} IN (FROM wanted)"
        sizes = beside.execute(
            f"SELECT {_KEY}, sum(robots_size)::BIGINT FROM robots WHERE {where} "
            f"GROUP BY ALL ORDER BY ALL",
            [low, high],
        ).fetchall()
        if not sizes:
            yield urls, beside.sql("FROM robots LIMIT 0").to_arrow_table()
        start, of_files, first = 0, 0, low
        following = [key for key, _ in sizes[1:]]
        for (key, size), after in zip_longest(sizes, following):
            of_files += size
            if of_files < BODIES and after is not None:
                continue
            end = urls.num_rows if after is None else _first_from(urls.column(_KEY), after)
            files = beside.sql(f"FROM robots WHERE {where}", params=[first, key]).to_arrow_table()
            yield urls.slice(start, end - start), files
            start, of_files, first = end, 0, after

    def count(self, tally: Any) -> None:
        cursor = self.connection.cursor()
        cursor.register("portion", tally)
        cursor.execute("INSERT INTO tally FROM portion")
        cursor.close()

    def write(self, verdicts: Path, form: str, file: BinaryIO) -> None:
        """Write the table in another form."""
        written = verdicts.with_suffix(".out")
        self.connection.execute(
            f"COPY (FROM read_parquet({_literal(str(verdicts))})) TO {_literal(str(written))} "
            f"(FORMAT {form})"
        )
        with written.open("rb") as source:
            shutil.copyfileobj(source, file)

    def summary(self) -> Summary:
        ask = self.connection.execute

        def counted(what: str, order: str, where: str = "") -> tuple[Any, ...]:
            return tuple(
                ask(
                    f"SELECT {what}, sum(urls)::BIGINT AS n FROM tally {where} GROUP BY ALL "
                    f"ORDER BY {order}"
                ).fetchall()
            )

        return Summary(
            counted("agent, allowed, reason", "agent, n DESC, reason"),
            counted(
                "agent, rule",
                "n DESC, agent, rule LIMIT 20",
                "WHERE allowed = false AND rule IS NOT NULL",
            ),
            counted("agent, origin", "n DESC, agent, origin LIMIT 20", "WHERE allowed = false"),
        )


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _first_from(keys: Any, key: str) -> int:
    """The first row of a sorted column that has this value or a later one; nulls come last."""
    return int(pc.sum(pc.less(keys, key)).as_py() or 0)


def _is_record(path: str) -> bool:
    """Whether JSON Lines are a crawl's record, not a table."""
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        return bool(file.read(24) == b'{"type":"crawl","prev":"')


def _judged(urls: Any, robots: Any, question: dict[str, Any]) -> tuple[Any, Any]:
    """The table of verdicts about some URLs, and how many there are of each kind."""
    keys, urls = urls.column(_KEY), urls.drop_columns([_KEY])
    verdicts = judge_groups(urls, robots, **question)
    agents = question["agents"]
    names = (agents,) if isinstance(agents, str) else tuple(agents)
    tallies = []
    for at, agent in enumerate(names):
        kinds = {name: verdicts.column(f"robots_{name}") for name in ("allowed", "reason", "rule")}
        if not isinstance(agents, str):
            kinds = {name: pc.list_element(column, at) for name, column in kinds.items()}
        counted = pa.table({"origin": keys, **kinds}).group_by(["origin", *kinds])
        tally = counted.aggregate([([], "count_all")])
        agent_column = pa.array([agent] * tally.num_rows, pa.string())
        tallies.append(
            pa.table([agent_column, *tally.columns], names=["agent", *tally.column_names])
        )
    return verdicts, pa.concat_tables(tallies)


@contextmanager
def _pool(jobs: int) -> Iterator[Callable[..., Future[Any]]]:
    """What has work done, in this process or in others."""
    if jobs == 1:
        yield _at_once
        return
    # A fork would copy the threads of DuckDB as they stand.
    spawning = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(jobs, spawning, _set_up)
    try:
        yield pool.submit
    finally:
        pool.shutdown(cancel_futures=True)


def _set_up() -> None:
    """Begin a process of the pool. It ends with its parent, which those of a pool do not do."""
    give_memory_back()
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def give_memory_back() -> None:
    """In this process: Arrow's own allocator keeps a third more than is used."""
    pa.set_memory_pool(pa.system_memory_pool())


def _at_once(work: Callable[..., Any], *arguments: Any) -> Future[Any]:
    future: Future[Any] = Future()
    future.set_result(work(*arguments))
    return future


def _in_order(
    pairs: Iterable[tuple[Any, Any]], submit: Callable[..., Future[Any]], work: Any, ahead: int
) -> Iterator[Any]:
    """The results, in the order of the pairs; no more than so many are worked on."""
    under_way: deque[Future[Any]] = deque()
    for pair in pairs:
        under_way.append(submit(work, *pair))
        if len(under_way) > ahead:
            yield under_way.popleft().result()
    while under_way:
        yield under_way.popleft().result()
