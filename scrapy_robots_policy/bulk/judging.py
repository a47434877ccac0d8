"""URLs and robots.txt files as two tables; the verdicts as columns beside the URLs.

A body stands once, beside its origin, and never beside each URL. Both tables may have times: then
the newest capture of an origin that is no later than the URL decides, as it did for a crawl of that
moment. What came before it counts as in a crawl, too: a 503 after a file keeps the file in force,
for as long as the dialect trusts a copy (`rep.access`).

The URLs are gone through by origin, some hundred thousand at a time. What the same rule decides is
one outcome, so each row costs one question to the rules, and its cells are taken from the table of
outcomes. No row raises: of what cannot be decided `robots_allowed` is null, and `robots_reason`
says why.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import groupby
from math import inf
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from ..core.decision import decide
from ..core.site import OriginRules, Site, Sites
from ..rep import CacheEntry, Dialect, FetchResult, Verdict, dialect_of, origin_of
from ..rep.access import AccessOverrides, AccessResult, remember
from ..rep.escapes import brief
from ..rep.rules import Outcome
from ..rep.url import server_forms
from ..rep.usage.preferences import NO_USE, DeclaredUse, tokens_for

BATCH = 250_000  # URLs
_NO_OVERRIDES = AccessOverrides()

# Where a URL has a plain scheme, host and port, its origin is that of what stands before the path.
_SITE = r"^(?P<site>(?:https?|ftp)://[a-z0-9.-]+(?::[0-9]+)?)(?:[/?#]|\z)"


class Columns(NamedTuple):
    """What the columns of the two tables are called.

    Attributes:
        url: of the URLs.
        url_time: when each URL was fetched; the table may lack it.
        origin: of the robots.txt files: "https://example.com:8443".
        time: when the site answered; the table may lack it, or a cell be null.
        status: HTTP status after redirects; null: no answer came.
        body: the file as bytes.

    """

    url: str = "url"
    url_time: str = "fetched_at"
    origin: str = "origin"
    time: str = "fetched_at"
    status: str = "status"
    body: str = "body"


USUAL = Columns()
# More that the table of robots.txt files may have, each as in `rep.FetchResult`; `location` is that
# of a redirect which nobody has followed.
MORE = ("media_type", "cause", "hops", "is_cut", "location")


class _Answer(NamedTuple):
    """The cells of a row; `allowed` is None where nothing is known."""

    allowed: bool | None
    reason: str
    rule: str | None = None
    line: int | None = None


_NO_URL = _Answer(None, "no_url")
_NO_CAPTURE = _Answer(None, "no_capture")
_TOO_EARLY = _Answer(None, "before_first_capture")
_NOT_FOLLOWED = _Answer(None, "redirect_not_followed")
_CUT = _Answer(None, "cut_short")  # of what the dialect reads


def origins(urls: Any) -> Any:
    """The origin of each URL, as `rep.origin_of` gives it: the key of a join. Null for what is no
    URL of a site.

    Args:
        urls: an array or chunked array of strings, or of bytes in UTF-8.

    Returns:
        An array of strings of the same shape.

    """
    if isinstance(urls, pa.ChunkedArray):
        chunks = [origins(chunk) for chunk in urls.chunks]
        return pa.chunked_array(chunks, pa.string())
    _check_strings("url", urls.type)
    urls = _decoded(urls)
    sites = pc.struct_field(pc.extract_regex(_as_strings(urls), pattern=_SITE), "site")
    is_other = pc.and_(pc.is_null(sites), pc.is_valid(urls))
    others = pc.indices_nonzero(is_other)
    plain = sites.dictionary_encode()
    found = pa.array([origin_of(site) for site in plain.dictionary.to_pylist()], pa.string())
    result = found.take(plain.indices)
    if len(others):
        rest = pa.array([_origin_or_none(url) for url in _texts(urls.take(others))], pa.string())
        result = pc.replace_with_mask(result, is_other, rest)
    return result


def _origin_or_none(url: str) -> str | None:
    """A host may have a lone surrogate, which a column of text cannot hold: it is no host."""
    origin = origin_of(url)
    return origin if origin and origin.encode("utf-8", "replace").decode() == origin else None


def judge(  # noqa: PLR0913 - the question, and what the columns are called
    urls: Any,
    robots: Any,
    *,
    agents: str | Sequence[str],
    dialect: str | Dialect = "rfc9309",
    purpose: str | Iterable[str] | DeclaredUse | None = None,
    as_of: datetime | float | None = None,
    columns: Columns = USUAL,
) -> Any:
    """May these URLs be fetched, and by which rule: for each row of a table.

    Args:
        urls: a `pyarrow.Table` or `RecordBatch` with `columns.url`, and perhaps `columns.url_time`
            (a timestamp, or seconds since the epoch). A URL without a time is judged by the newest
            capture, at the time of that.
        robots: a table with `columns.origin`, `status` and `body`, and perhaps `time` and `MORE`.
        agents: the crawler, as a product token or a User-Agent header; or several of them.
        dialect: the name of a dialect, or a `Dialect`.
        purpose: what the crawler declares that it does with pages: one of `rep.usage.PURPOSES`,
            several, or a `DeclaredUse`.
        as_of: an instant in place of the times of all URLs: "is it still allowed?"

    Returns:
        The table of URLs, in its order, with `robots_allowed` (null: unknown), `robots_reason`,
        `robots_rule`, `robots_line` and `robots_age` (seconds since the capture, where both have a
        time). For several agents the first four hold lists, in the order of the agents, and
        `robots_refused_by` names those that are refused.

    Raises:
        ValueError: a column is missing, or of a wrong type; there is no such dialect or purpose;
            there are no agents.

    """
    names = (agents,) if isinstance(agents, str) else tuple(agents)
    if not names:
        raise ValueError("agents names no crawler")
    question = _Question(names, dialect_of(dialect), _use(purpose), _instant(as_of))
    table = _table("urls", urls, (columns.url,))
    _check_strings(columns.url, table.schema.field(columns.url).type)
    captures = _Captures(_table("robots", robots, columns[2:3] + columns[4:]), columns)
    judging = _Judging(table, captures, question, columns)
    cells = judging.cells(_columns_of(not isinstance(agents, str)))
    for name, cell in cells.items():
        if name in table.column_names:
            raise ValueError(f"urls has a column {name!r} already")
        table = table.append_column(name, cell)
    return table


def judge_groups(urls: Any, robots: Any, **question: Any) -> Any:
    """As `judge`, for engines that give two tables with the rows of one origin, or of some.

    They want each answer in one schema: there are no dictionaries in it (`schema_of`). It holds no
    state: `functools.partial(judge_groups, agents="MyBot")` can be pickled.
    """
    judged = judge(urls, robots, **question)
    return judged.cast(_plain(judged.schema))


def schema_of(urls: Any, agents: str | Sequence[str]) -> Any:
    """The schema of what `judge_groups` gives.

    Args:
        urls: the schema of the table of URLs.
        agents: as in `judge`.

    """
    return _plain(pa.schema([*urls, *_columns_of(not isinstance(agents, str))]))


_WORDS = pa.dictionary(pa.int32(), pa.string())


def _columns_of(several: bool) -> Any:
    """The columns that are added; the last one for several agents."""

    def one_or_list(kind: Any) -> Any:
        return pa.list_(kind) if several else kind

    columns = [
        ("robots_allowed", one_or_list(pa.bool_())),
        ("robots_reason", one_or_list(_WORDS)),
        ("robots_rule", one_or_list(_WORDS)),
        ("robots_line", one_or_list(pa.int32())),
        ("robots_refused_by", pa.list_(pa.string())),
        ("robots_age", pa.float64()),
    ]
    return pa.schema(columns if several else columns[:4] + columns[5:])


def _plain(schema: Any) -> Any:
    def plain(kind: Any) -> Any:
        if pa.types.is_dictionary(kind):
            return kind.value_type
        return pa.list_(plain(kind.value_type)) if pa.types.is_list(kind) else kind

    return pa.schema([field.with_type(plain(field.type)) for field in schema])


class _Question(NamedTuple):
    """What is asked about each URL.

    Attributes:
        at: seconds since the epoch, in place of the times of the URLs.

    """

    agents: tuple[str, ...]
    dialect: Dialect
    use: DeclaredUse
    at: float | None


def _use(purpose: str | Iterable[str] | DeclaredUse | None) -> DeclaredUse:
    if purpose is None:
        return NO_USE
    if isinstance(purpose, DeclaredUse):
        return purpose
    purposes = frozenset([purpose] if isinstance(purpose, str) else purpose)
    return DeclaredUse(purposes, tokens=tokens_for(purposes))


def _instant(moment: datetime | float | None) -> float | None:
    if isinstance(moment, datetime):
        if moment.tzinfo is None:
            raise ValueError(f"as_of is {moment}; it must have a time zone")
        return moment.timestamp()
    return moment


def _table(what: str, given: Any, needed: Iterable[str]) -> Any:
    """A table of what is given. ValueError where it lacks a column."""
    table = pa.Table.from_batches([given]) if isinstance(given, pa.RecordBatch) else given
    for name in needed:
        if name not in table.column_names:
            have = ", ".join(table.column_names) or "none"
            raise ValueError(f"{what} has no column {name!r}; its columns are {have}")
    return table


def _check_strings(name: str, kind: Any) -> None:
    """ValueError where a column holds neither text nor bytes."""
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if not _is_text(kind) and not _is_bytes(kind) and not pa.types.is_null(kind):
        raise ValueError(f"{name} holds {kind}; it must hold strings")


def _is_text(kind: Any) -> bool:
    types = pa.types
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def _is_bytes(kind: Any) -> bool:
    types = pa.types
    return bool(types.is_binary(kind) or types.is_large_binary(kind) or types.is_binary_view(kind))


def _as_strings(array: Any) -> Any:
    """The same bytes, called text: a regular expression reads no bytes. They need not be UTF-8."""
    if pa.types.is_string(array.type) or pa.types.is_large_string(array.type):
        return array
    return pc.cast(array, pa.large_string(), safe=False)


def _texts(array: Any) -> list[Any]:
    """The strings of an array; None for a null.

    Lone surrogates, which other languages write into columns of text, are let stand.
    """
    if _is_text(array.type):
        try:
            texts: list[Any] = array.to_pylist()
        except UnicodeDecodeError:
            array = pc.cast(array, pa.large_binary())
        else:
            return texts
    return [None if item is None else _text(item) for item in array.to_pylist()]


def _text(item: bytes) -> str:
    """A URL of bytes. What is no UTF-8 is escaped, as every client sends it."""
    try:
        return item.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return "".join(chr(byte) if byte < 0x80 else f"%{byte:02X}" for byte in item)


def _decoded(array: Any) -> Any:
    """An array without a dictionary; a null one as text."""
    if pa.types.is_null(array.type):
        return array.cast(pa.string())
    is_dictionary = pa.types.is_dictionary(array.type)
    return array.cast(array.type.value_type) if is_dictionary else array


def _seconds(column: Any, name: str) -> Any:
    """Times as an array of seconds since the epoch; a time without a zone is in UTC."""
    kind = column.type
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        micros = pc.cast(pc.cast(column, pa.timestamp("us"), safe=False), pa.int64())
        column = pc.divide(pc.cast(micros, pa.float64()), 1e6)
    elif not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_null(kind)):
        raise ValueError(f"{name} holds {kind}; it must hold timestamps, or seconds since 1970")
    seconds = pc.cast(column, pa.float64()).combine_chunks()
    return pc.if_else(pc.is_finite(seconds), seconds, None)


class _Captures:
    """The robots.txt files, by origin and time.

    Attributes:
        sites: a site for each capture: it makes rules of it, and those used last are kept.

    """

    def __init__(self, robots: Any, columns: Columns) -> None:
        _check_strings(columns.origin, robots.schema.field(columns.origin).type)
        _check_strings(columns.body, robots.schema.field(columns.body).type)
        status = robots.column(columns.status)
        if not (pa.types.is_integer(status.type) or pa.types.is_null(status.type)):
            raise ValueError(f"{columns.status} holds {status.type}; it must hold whole numbers")
        self._status = status.to_pylist()
        self._time = [None] * robots.num_rows
        if columns.time in robots.column_names:
            self._time = _seconds(robots.column(columns.time), columns.time).to_pylist()
        # Bytes of more than 2 GB need longer offsets.
        body = _decoded(robots.column(columns.body))
        self._body = pc.cast(body, pa.large_binary()).combine_chunks()
        self._more = {
            name: robots.column(name).to_pylist() if name in robots.column_names else None
            for name in MORE
        }
        self._rows: dict[str, list[int]] = {}
        keys = origins(_decoded(robots.column(columns.origin))).to_pylist()
        for row, origin in enumerate(keys):
            if origin is not None:
                self._rows.setdefault(origin, []).append(row)
        if keys and not self._rows:
            first = robots.column(columns.origin)[0].as_py()
            raise ValueError(
                f"no value of {columns.origin} is an origin such as https://example.com; the first "
                f"is {first!r}"
            )
        self.sites = Sites(_NO_OVERRIDES)

    def of(self, origin: str) -> _Life | None:
        """What is known of an origin's robots.txt; None: nothing is."""
        rows = self._rows.get(origin)
        if rows is None:
            return None
        if len(rows) > 1:
            # Those without a time come first. Of two at one time a file counts, not a failure; of
            # two files any, as long as it is always the same.
            rows = sorted(rows, key=self._order)
        entries: list[CacheEntry | None] = []
        entry: CacheEntry | None = None
        for row in rows:
            status, location = self._status[row], self._cell("location", row)
            if location is not None and status is not None and 300 <= status < 400:
                entries.append(None)  # what stands at its target is not here
                continue
            entry = remember(entry, self._result(row), self._time[row] or 0.0)
            entries.append(entry)
        return _Life(rows, [self._time[row] for row in rows], entries, self.sites)

    def _order(self, row: int) -> tuple[bool, float, bool, bytes]:
        status, time = self._status[row], self._time[row]
        is_file = status is not None and 200 <= status < 300
        return time is not None, time or 0.0, is_file, self._body[row].as_py() or b""

    def _result(self, row: int) -> FetchResult:
        return FetchResult(
            self._status[row],
            self._body[row].as_py() or b"",
            self._cell("cause", row) or "",
            self._cell("media_type", row) or "",
            hops=tuple(self._cell("hops", row) or ()),
            is_cut=bool(self._cell("is_cut", row)),
        )

    def _cell(self, name: str, row: int) -> Any:
        column = self._more[name]
        return None if column is None else column[row]


class _Life(NamedTuple):
    """The captures of one origin, from the first to the last.

    Attributes:
        rows: where they stand in the table.
        times: seconds since the epoch; None: always.
        entries: what was known from then on; None: that of a redirect that nobody has followed.

    """

    rows: list[int]
    times: list[float | None]
    entries: list[CacheEntry | None]
    sites: Sites

    def newest(self, times: Sequence[float | None]) -> list[int]:
        """For each time the newest capture that is no later; -1: all are. No time: the last one."""
        last = len(self.rows) - 1
        known = [-inf if time is None else time for time in self.times]
        return [last if time is None else bisect_right(known, time) - 1 for time in times]

    def rules(self, at: int, dialect: Dialect, now: float | None) -> OriginRules | None:
        """What a dialect makes of a capture at some time; None: at its own."""
        entry = self.entries[at]
        if entry is None:
            return None
        site: Site = self.sites.open(str(self.rows[at]))
        if site.entry is not entry:
            site.entry = entry
            self.sites.weigh(site)
        if now is None or self.times[at] is None:
            now = entry.asked_at
        return site.rules(dialect, now)

    def age(self, at: int, time: float | None) -> float | None:
        since = self.times[at]
        return None if since is None or time is None else time - since


class _Judging:
    """The rows of a table, gone through by origin, and put in their order at the end.

    Attributes:
        order: the row of each URL, sorted by origin, and by time where the URLs have one.
        answers: all that were given, each once.

    """

    def __init__(
        self, table: Any, captures: _Captures, question: _Question, columns: Columns
    ) -> None:
        self.captures, self.question = captures, question
        # Text of more than 2 GB needs longer offsets.
        url = _decoded(table.column(columns.url))
        long = pa.large_string() if _is_text(url.type) else pa.large_binary()
        self.url = url.cast(long).combine_chunks()
        self.time = pa.repeat(pa.scalar(question.at, pa.float64()), table.num_rows)
        codes = origins(self.url).dictionary_encode()
        keys, by = {"origin": codes.indices}, [("origin", "ascending")]
        if question.at is None and columns.url_time in table.column_names:
            self.time = _seconds(table.column(columns.url_time), columns.url_time)
            keys["time"] = pc.fill_null(self.time, -inf)
            by.append(("time", "ascending"))
        # For each capture time goes on: what was made of it for a later time is not for an earlier.
        # A URL without a time is judged at that of the capture, before all others.
        self.order = pc.sort_indices(pa.table(keys), sort_keys=by)  # stable
        self.origins, self.codes = codes.dictionary, codes.indices
        self.answers: list[_Answer] = []
        self._code_of: dict[_Answer, int] = {}

    def cells(self, schema: Any) -> dict[str, Any]:
        """The columns that are added, by name."""
        distinct: dict[tuple[int, ...], int] = {}
        places, ages = [], []
        for start in range(0, len(self.order), BATCH):
            rows, of_rows = self._judge(self.order.slice(start, BATCH))
            numbers = [distinct.setdefault(codes, len(distinct)) for codes in rows]
            places.append(pa.array(numbers, pa.int32()))
            ages.append(pa.array(of_rows, pa.float64()))
        return self._cells(tuple(distinct), places, ages, schema)

    def _judge(self, order: Any) -> tuple[Iterable[tuple[int, ...]], list[float | None]]:
        """(the places in `answers`, one for each agent, the age) of each of some rows."""
        by_agent: list[list[int]] = [[] for _ in self.question.agents]
        ages: list[float | None] = []
        urls, times = _texts(self.url.take(order)), self.time.take(order).to_pylist()
        runs, start = pc.run_end_encode(self.codes.take(order)), 0
        for end, code in zip(runs.run_ends.to_pylist(), runs.values.to_pylist(), strict=True):
            life = None if code is None else self.captures.of(self.origins[code].as_py())
            for at, count in _runs(life, times[start:end]):
                of_run = slice(start, start + count)
                asked = _Asked(urls[of_run], times[of_run])
                start += count
                if life is None or at < 0:
                    why = _NO_URL if code is None else _NO_CAPTURE if life is None else _TOO_EARLY
                    ages.extend([None] * count)
                    for codes in by_agent:
                        codes.extend([self._code(why)] * count)
                    continue
                ages.extend(life.age(at, time) for time in asked.times)
                for rules, of_rules in self._by_rules(life, at, asked):
                    for codes, agent in zip(by_agent, self.question.agents, strict=True):
                        codes.extend(self._codes(rules, of_rules, agent))
        return zip(*by_agent, strict=True), ages

    def _by_rules(
        self, life: _Life, at: int, asked: _Asked
    ) -> Iterator[tuple[OriginRules | _Answer, Sequence[str]]]:
        """(the rules of a capture, or why there are none, the URLs that they decide)."""
        rules = life.rules(at, self.question.dialect, asked.times[0])
        if rules is None:
            yield _NOT_FOLLOWED if life.entries[at] is None else _CUT, asked.urls
        elif rules.access.result is not AccessResult.UNREACHABLE:
            yield rules, asked.urls
        else:  # time alone may change what is allowed
            for url, time in zip(asked.urls, asked.times, strict=True):
                yield life.rules(at, self.question.dialect, time) or _CUT, [url]

    def _codes(self, rules: OriginRules | _Answer, urls: Sequence[str], agent: str) -> list[int]:
        """The answers, by their places in `answers`."""
        use = self.question.use
        if isinstance(rules, _Answer):
            return [self._code(rules)] * len(urls)
        if use:
            return [self._code(_answer(_decide(url, rules, agent, use))) for url in urls]
        if rules.rules is None:  # the same for all, but for /robots.txt itself
            usual = self._code(_answer(decide(("/",), rules, agent)))
            codes = [usual] * len(urls)
            odd = [row for row, url in enumerate(urls) if "robots.txt" in url]
        else:
            known: dict[int, int] = {}
            codes = []
            for outcome in rules.rules.outcomes(urls, agent):
                code = known.get(id(outcome))
                if code is None:
                    code = known[id(outcome)] = self._code(_answer(outcome))
                codes.append(code)
            odd = [row for row, url in enumerate(urls) if "/." in url or "/%2" in url]
        for row in odd:
            codes[row] = self._code(_answer(_decide(urls[row], rules, agent, use)))
        return codes

    def _code(self, answer: _Answer) -> int:
        code = self._code_of.get(answer)
        if code is None:
            code = self._code_of[answer] = len(self.answers)
            self.answers.append(answer)
        return code

    def _cells(
        self, distinct: Sequence[tuple[int, ...]], places: Any, ages: Any, schema: Any
    ) -> dict[str, Any]:
        """Each cell is that of one of few distinct answers, so it is made once."""
        agents = self.question.agents
        answers = [[self.answers[code] for code in codes] for codes in distinct]
        refused = [
            [agent for agent, one in zip(agents, row, strict=True) if one.allowed is False]
            for row in answers
        ]
        cells: dict[str, list[Any]] = {
            f"robots_{name}": [[getattr(one, name) for one in row] for row in answers]
            for name in _Answer._fields
        }
        back = pc.sort_indices(self.order)
        place = pa.chunked_array(places, pa.int32()).combine_chunks().take(back)
        age = pa.chunked_array(ages, pa.float64()).combine_chunks().take(back)
        if pa.types.is_list(schema.field("robots_allowed").type):
            cells["robots_refused_by"] = refused
        else:
            cells = {name: [one for (one,) in column] for name, column in cells.items()}
        made = {name: pa.array(cells[name], schema.field(name).type) for name in cells}
        return {name: column.take(place) for name, column in made.items()} | {"robots_age": age}


class _Asked(NamedTuple):
    """Some URLs of one origin, each with its time."""

    urls: Sequence[str]
    times: Sequence[float | None]


def _runs(life: _Life | None, times: Sequence[float | None]) -> Iterator[tuple[int, int]]:
    """(capture, length) of each run of rows for which the same capture counts."""
    newest = [-1] * len(times) if life is None else life.newest(times)
    return ((at, sum(1 for _ in rows)) for at, rows in groupby(newest))


def _decide(url: str, rules: OriginRules, agent: str, use: DeclaredUse) -> Verdict:
    return decide(server_forms(url), rules, agent, use)


def _answer(verdict: Verdict | Outcome) -> _Answer:
    if isinstance(verdict, Verdict) and verdict.refused is not None:
        cause, line = brief(verdict.refused.start), verdict.line
    elif verdict.rule is not None:
        cause, line = brief(verdict.rule.start), verdict.rule.line
    else:
        cause, line = None, 0
    return _Answer(verdict.allowed, verdict.reason.name.lower(), cause, line or None)
