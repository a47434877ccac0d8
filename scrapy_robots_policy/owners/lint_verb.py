"""`scrapy robots lint`: what is wrong with these files, and the fixes that leave no choice.

What is asked for comes from the command line and, where that says nothing, from the table
`[tool.robots-lint]` of pyproject.toml. Each format of the output is a class that is given file
after file. With `--explain CODE` a finding is explained: what it is, why it matters, how to fix it.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from difflib import unified_diff
from fnmatch import fnmatch
from functools import partial
from hashlib import sha256
from pathlib import Path, PurePath
from typing import Any, Protocol
from urllib.parse import quote

from ..commands.arguments import SITES, Arguments, Options, UsageError, read_choice, read_dialect
from ..commands.printing.terminal import (
    Blocks,
    Progress,
    annotation,
    in_full,
    paint,
    print_columns,
    print_csv,
    print_error,
    print_json,
    print_line,
    print_marked,
)
from ..commands.reading.download import is_web
from ..commands.reading.inputs import Fetches, fetched, read_file, robots_txt_of, started_ahead
from ..distribution import installed_version
from ..formats import counted
from ..rep import FetchResult
from ..rep.escapes import nearest, shown
from ..whole_file import whole_file
from .codes import read_codes, read_findings, read_severity
from .lint import KINDS, Finding, Kind, Severity, lint, readable_lines
from .lint.findings import fixed

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def explain(options: Options) -> int:
    """Always 0."""
    blocks = Blocks()
    for code in options.explain:
        if options.as_json:
            print_json(_as_json(code))
        else:
            blocks.begin()
            _print(code)
    return 0


def _print(code: str) -> None:
    kind = KINDS[code]
    print_line(paint(f"{code} {kind.name} ({kind.severity.value})", "bold"))
    print_line(kind.title)
    print_line()
    print_columns([("why:", kind.why.replace("\n\n", " ")), ("fix:", kind.fix)], max_width=100)
    for example in kind.examples:
        print_line()
        print_line(f"example, as {example.dialect} reads:")
        for line in example.text.splitlines():
            print_line(f"    {line}")


def _as_json(code: str) -> dict[str, Any]:
    kind = KINDS[code]
    return {
        "code": code,
        "name": kind.name,
        "severity": kind.severity.value,
        "what": kind.title,
        "why": kind.why,
        "fix": kind.fix,
        "examples": [asdict(example) for example in kind.examples],
    }


_FILE = "pyproject.toml"
FILES_OF_DIRECTORIES = "*robots*.txt"


def configured(options: Options) -> Options:
    """The options, with those of the nearest pyproject.toml for what the command line leaves open.

    UsageError where the table has a wrong value.
    """
    folder = Path.cwd()
    paths = (at / _FILE for at in (folder, *folder.parents))
    path = next(filter(os.path.isfile, paths), None)  # False in a folder that may not be looked at
    table = _table(path) if path else {}
    changes: dict[str, Any] = {}
    for key, value in table.items():
        if key not in _READERS:
            raise UsageError(f"{path}: robots-lint has no option {key!r}{nearest(key, _READERS)}")
        field = key.replace("-", "_")
        wanted = _read(f"{path}: {key}", key, value)
        if not (options.named_dialect if key == "dialect" else getattr(options, field)):
            changes[field] = wanted
    return options.but(**changes)


def _table(path: Path) -> Mapping[str, Any]:
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is no TOML: {error}") from None
    tool = data.get("tool", {})
    table = tool.get("robots-lint", {}) if isinstance(tool, dict) else tool
    if not isinstance(table, dict):
        raise UsageError(f"{path}: [tool.robots-lint] must be a table")
    return table


def _read(source: str, key: str, value: Any) -> Any:
    kind, read = _READERS[key]
    if not isinstance(value, kind):
        raise UsageError(f"{source} is {value!r}; it must be {_WORDS[kind]}")
    words: Any = ",".join(map(str, value)) if isinstance(value, list) else value
    return read(source, words)


def _as_it_is(_source: str, value: Any) -> Any:
    return value


_WORDS = {list: "a list of codes", str: "a text", bool: "true or false"}
# The type of each key in TOML, and how it is read. The keys are those of `Options`, with dashes.
_READERS: Mapping[str, tuple[type, Callable[[str, Any], Any]]] = {
    "select": (list, read_codes),
    "ignore": (list, read_codes),
    "severity": (str, read_severity),
    "dialect": (str, read_dialect),
    "include": (str, _as_it_is),
    "exit-zero": (bool, _as_it_is),
    "output-format": (str, lambda source, value: read_choice(source, value, FORMATS)),
}


@dataclass(frozen=True, slots=True)
class LintedFile:
    """What was found in one file.

    Attributes:
        before: the file as it was.
        body: the file, after its fixes.
        fixes: how many findings were fixed.
        error: why it could not be read; "" where it was.

    """

    name: str
    before: bytes = b""
    body: bytes = b""
    findings: tuple[Finding, ...] = ()
    fixes: int = 0
    error: str = ""


def names_of(options: Options) -> list[str]:
    """The files and URLs of a command line, each once; those in directories by their names. A
    directory that has none stands for itself, so that it is not passed over in silence.
    """
    arguments = [*([options.robots] if options.robots else []), *options.args]
    names = (name for argument in arguments for name in _names(argument, options))
    return list(dict.fromkeys(names))


def _names(argument: str, options: Options) -> Iterator[str]:
    if is_web(argument) or argument == "-" or not _is_folder(argument):
        yield robots_txt_of(argument)
        return
    files = list(_files_in(argument, options.include or FILES_OF_DIRECTORIES))
    yield from files or [argument]


def _is_folder(name: str) -> bool:
    """Whether it is a directory. A name that no file can have is none."""
    return os.path.isdir(name)  # noqa: PTH112 - Path.is_dir raises for one that is too long


def _files_in(directory: str, glob: str) -> Iterator[str]:
    """The files whose names fit, at any depth; and the directories that cannot be read."""
    unread: list[str] = []
    for folder, folders, files in os.walk(directory, onerror=lambda e: unread.append(e.filename)):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            path = str(Path(folder, name))
            if fnmatch(name.lower(), glob.lower()) and not is_special(path):
                yield path
    yield from unread


def is_special(path: str) -> bool:
    """Whether it is a pipe, a socket or a device, or a link to one: to read it may never end. One
    that the command line names is read: a shell gives a program's output as a pipe.
    """
    is_there = os.path.exists(path)  # noqa: PTH110 - as in `_is_folder`
    return is_there and not (os.path.isfile(path) or _is_folder(path))  # noqa: PTH113 - likewise


def linted_files(names: Iterable[str], options: Options) -> Iterator[LintedFile]:
    """In the order of the names. A file that cannot be read has an error."""
    fetches = Fetches(partial(fetched, options=options), options.jobs or SITES)

    def start(name: str) -> None:
        if is_web(name):
            fetches.start(name)

    for name in started_ahead(names, start):
        if not is_web(name):
            yield _lint_file(name, options)
            continue
        result = fetches.result(name)
        if result.status is None:
            yield LintedFile(name, error=f"cannot read {name}: {in_full(result.cause)}")
        else:
            yield _linted(name, result, options)


def _lint_file(name: str, options: Options) -> LintedFile:
    if _is_folder(name):
        return LintedFile(name, error=_why_no_file(name, options))
    try:
        result = read_file(name)
    except UsageError as error:
        return LintedFile(name, error=str(error))
    return _linted(name, result, options, _size_of(name))


def _size_of(name: str) -> int:
    """The bytes of a whole file, of which only the start may have been read; 0 of a pipe."""
    try:
        return 0 if name == "-" else Path(name).stat().st_size
    except OSError:  # it was removed meanwhile
        return 0


def _why_no_file(directory: str, options: Options) -> str:
    try:
        os.scandir(directory).close()
    except OSError as error:
        return f"cannot read {directory}: {error.strerror}"
    include = options.include or FILES_OF_DIRECTORIES
    return f"no file in {directory} is called {include}; choose others with --include"


def _linted(name: str, result: FetchResult, options: Options, size: int = 0) -> LintedFile:
    def findings_of(body: bytes) -> tuple[Finding, ...]:
        return lint(
            body,
            options.dialect,
            select=options.select,
            ignore=options.ignore,
            url=name if is_web(name) else "",
            size=size,
            served=result if is_web(name) else None,
        )

    body, fixes, findings = result.body, 0, findings_of(result.body)
    if options.fix or options.diff:
        body, fixes, findings = fixed(body, findings, findings_of, all_of=options.unsafe_fixes)
        if options.fix and body != result.body:
            try:
                with whole_file(Path(name)) as file:
                    file.write(body)
            except OSError as error:
                return LintedFile(name, error=f"cannot write {name}: {error.strerror}")
    least = (options.severity or Severity.NOTE).rank
    shown = tuple(finding for finding in findings if finding.severity.rank <= least)
    return LintedFile(name, result.body, body, shown, fixes)


SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)


class Sarif:
    """One run with the findings of all files; it is shown at the end, whole."""

    def __init__(self) -> None:
        self._results: list[dict[str, Any]] = []
        self._errors: list[str] = []

    def missing(self, error: str) -> None:
        self._errors.append(error)

    def file(self, file: LintedFile) -> None:
        lines = readable_lines(file.body) if file.findings else []
        seen: Counter[str] = Counter()
        for finding in file.findings:
            print_of_line = f"{finding.code}\0{lines[finding.line - 1].strip()}"
            seen[print_of_line] += 1
            fingerprint = f"{print_of_line}\0{seen[print_of_line]}"
            self._results.append(_result(file.name, finding, fingerprint))

    def end(self) -> None:
        driver = {
            "name": "robots-policy lint",
            "version": installed_version(),
            "rules": [_rule(kind) for kind in KINDS.values()],
        }
        run = {
            "tool": {"driver": driver},
            "invocations": [_invocation(self._errors)],
            "columnKind": "unicodeCodePoints",
            "results": self._results,
        }
        print_json({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _invocation(errors: list[str]) -> dict[str, Any]:
    """SARIF §3.20. Without it, a file that could not be read looks like one without faults."""
    notifications = [{"level": "error", "message": {"text": error}} for error in errors]
    return {"executionSuccessful": not errors, "toolExecutionNotifications": notifications}


def _rule(kind: Kind) -> dict[str, Any]:
    whole = f"{kind.why}\n\nFix: {kind.fix}"
    return {
        "id": kind.code,
        "name": kind.name,
        "shortDescription": {"text": kind.title},
        "fullDescription": {"text": kind.why},
        "help": {"text": whole, "markdown": whole},
        "defaultConfiguration": {"level": kind.severity.value},
    }


def _result(name: str, finding: Finding, fingerprint: str) -> dict[str, Any]:
    """`fingerprint`: the code, the text of the line, and which of such lines it is. So a result
    keeps its fingerprint when lines above it are added or removed.
    """
    text = f"{finding.message}. Fix: {finding.fix}." if finding.fix else f"{finding.message}."
    region = {
        "startLine": finding.line,
        "startColumn": finding.column,
        "endColumn": finding.end,
    }
    uri = name if is_web(name) else uri_of(Path(name))
    return {
        "ruleId": finding.code,
        "level": finding.severity.value,
        "message": {"text": text},
        "locations": [{"physicalLocation": {"artifactLocation": {"uri": uri}, "region": region}}],
        "partialFingerprints": {
            "codeAndLine/v1": sha256(fingerprint.encode("utf-8", "replace")).hexdigest()
        },
    }


def uri_of(path: PurePath) -> str:
    """A file as a URI: as RFC 8089 has it, or relative if the path is."""
    return path.as_uri() if path.is_absolute() else quote(os.fsencode(path.as_posix()))


_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "blue"}
_COLUMNS = ("file", "code", "name", "severity", "line", "column", "end", "last", "message", "fix")


class Format(Protocol):
    def file(self, file: LintedFile) -> None:
        """Show what was found in one file."""

    def missing(self, error: str) -> None:  # noqa: ARG002 - some formats show it
        """Show that a file could not be read. Nothing, where standard error is enough."""
        return

    def end(self) -> None:
        """Show what is to be shown after all files. Nothing, where each line stands for itself."""
        return


class Text(Format):
    """For people: the gravest first, then those with a fix that leaves no choice."""

    def __init__(self) -> None:
        self._files = self._fixes = 0
        self._counts: Counter[Severity] = Counter()

    def file(self, file: LintedFile) -> None:
        self._files += 1
        self._fixes += file.fixes
        self._counts.update(finding.severity for finding in file.findings)
        lines = readable_lines(file.body) if file.findings else []
        for finding in sorted(file.findings, key=_urgency):
            _print_finding(file.name, lines[finding.line - 1], finding)

    def end(self) -> None:
        if self._files:
            counts = [counted(n, level.value) for level in Severity if (n := self._counts[level])]
            fixes = f"; {counted(self._fixes, 'finding')} fixed" if self._fixes else ""
            totals = ", ".join(counts) or "nothing found"
            print_line(f"{totals} in {counted(self._files, 'file')}{fixes}")


def _urgency(finding: Finding) -> tuple[int, bool, int]:
    return finding.severity.rank, not finding.edits, finding.line


def _print_finding(name: str, line: str, finding: Finding) -> None:
    colour = _COLOURS[finding.severity]
    place = f"{shown(name)}:{finding.line}:{finding.column}:"
    kind = paint(f"{finding.severity.value} {finding.code} {finding.kind.name}", colour)
    print_line(f"{place} {kind}")
    print_line(f"        {shown(finding.message)}")
    print_marked(finding.line, line, finding.column, finding.end, colour)
    if finding.fix:
        by = (
            ""
            if not finding.edits
            else " (--fix)"
            if not finding.dialects
            else " (--fix --unsafe-fixes)"
        )
        print_line(f"        fix: {shown(finding.fix)}{by}")
    print_line()


class Diff(Format):
    """What the fixes would change."""

    def __init__(self) -> None:
        self.are_some = False

    def file(self, file: LintedFile) -> None:
        before, after = (
            body.decode("utf-8", "replace").split("\n") for body in (file.before, file.body)
        )
        for line in unified_diff(before, after, file.name, f"{file.name}, fixed", lineterm=""):
            self.are_some = True
            print_line(paint(shown(line), _OF_DIFF.get(line[:1], "dim")))


_OF_DIFF = {"+": "green", "-": "red", "@": "blue"}


class Json(Format):
    """One finding a line."""

    def file(self, file: LintedFile) -> None:
        for row in _rows(file):
            print_json(row)


class Csv(Format):
    """One finding a line, after a head line."""

    def __init__(self) -> None:
        print_csv(_COLUMNS)

    def file(self, file: LintedFile) -> None:
        for row in _rows(file):
            print_csv(row[column] for column in _COLUMNS)


class Github(Format):
    """Annotations beside the lines of a pull request."""

    def file(self, file: LintedFile) -> None:
        for finding in file.findings:
            print_line(
                annotation(
                    finding.severity.value.replace("note", "notice"),
                    f"{finding.message}; {finding.fix}" if finding.fix else finding.message,
                    title=f"{finding.code} {finding.kind.name}",
                    file=file.name,
                    line=finding.line,
                    endLine=finding.last or finding.line,
                    col=finding.column,
                    endColumn=finding.end,
                )
            )


FORMATS: Mapping[str, Callable[[], Format]] = {
    "text": Text,
    "json": Json,
    "csv": Csv,
    "sarif": Sarif,
    "github": Github,
}


def _rows(file: LintedFile) -> Iterator[dict[str, Any]]:
    return ({"file": file.name, **finding_as_json(finding)} for finding in file.findings)


def finding_as_json(finding: Finding) -> dict[str, Any]:
    """A finding as plain data. Lines and columns from 1, in characters."""
    return {
        "code": finding.code,
        "name": finding.kind.name,
        "severity": finding.severity.value,
        "line": finding.line,
        "column": finding.column,
        "end": finding.end,
        "last": finding.last or finding.line,
        "message": finding.message,
        "fix": finding.fix,
        "fixable": bool(finding.edits),
        "dialects": finding.dialects,
    }


class Statistics(Format):
    """How often each kind was found, and in how many files; the commonest first."""

    def __init__(self, output_format: str) -> None:
        self._format = output_format
        self._files = 0
        self._findings: Counter[str] = Counter()
        self._in_files: Counter[str] = Counter()

    def file(self, file: LintedFile) -> None:
        codes = [finding.code for finding in file.findings]
        self._files += 1
        self._findings.update(codes)
        self._in_files.update(set(codes))

    def end(self) -> None:
        heads = ("code", "name", "severity", "findings", "files")
        rows = [
            (code, KINDS[code].name, KINDS[code].severity.value, count, self._in_files[code])
            for code, count in self._findings.most_common()
        ]
        if self._format == "json":
            for row in rows:
                print_json(dict(zip(heads, row, strict=True)))
        elif self._format == "csv":
            for line in (heads, *rows):
                print_csv(line)
        else:
            if rows:
                print_columns([tuple(map(str, row)) for row in rows], head=heads)
            total = counted(self._findings.total(), "finding")
            print_line(f"{total} in {counted(self._files, 'file')}")


ARGUMENTS = Arguments(
    "FILE|DIRECTORY|URL ...",
    (
        "--robots",
        "--dialect",
        "--select",
        "--ignore",
        "--severity",
        "--include",
        "--explain",
        "--statistics",
        "--exit-zero",
        "--fix",
        "--unsafe-fixes",
        "--diff",
        "--jobs",
        "--timeout",
    ),
    tuple(FORMATS),
    (
        "0 nothing found, or notes only",
        "1 errors or warnings",
        "2 a file could not be read, or a wrong command line; the other files are checked",
    ),
    (
        "lint robots.txt",
        "lint https://example.com/ --severity warning",
        "lint sites/ --statistics",
        "lint robots.txt --diff",
        "lint robots.txt --fix",
        "lint robots.txt --output-format sarif > robots.sarif",
        "lint --explain R201",
    ),
    {
        "--robots": "one more file to look at",
        "--include": f"of a directory, the files to read (default: {FILES_OF_DIRECTORIES})",
    },
    {
        "--select": {
            "read": read_codes,
            "metavar": "R4,R601",
            "help": "only these findings: codes or their starts",
        },
        "--ignore": {
            "read": read_codes,
            "metavar": "R2,R405",
            "help": "not these findings: codes or their starts",
        },
        "--severity": {
            "read": read_severity,
            "metavar": "LEVEL",
            "help": "error, warning or note: these and worse",
        },
        "--explain": {
            "read": read_findings,
            "metavar": "R201|all",
            "help": "what these findings are, why they matter, how to fix them",
        },
    },
)


def run(options: Options) -> int:
    """1 if a finding is a warning or an error, 0 without; 2 if a file could not be read."""
    if options.explain:
        return explain(options)
    options = configured(options)
    names = names_of(options)
    _check(names, options)
    diff = Diff()
    show = diff if options.diff else _format(options)
    progress = Progress(len(names))
    is_missing = has_faults = False
    for file in linted_files(names, options):
        progress.step(file.name)
        if file.error:
            print_error(file.error)
            show.missing(file.error)
            is_missing = True
            continue
        has_faults |= any(finding.severity is not Severity.NOTE for finding in file.findings)
        if not options.statistics:  # nothing is printed before the end
            progress.end()
        show.file(file)
    progress.end()
    show.end()
    has_faults = diff.are_some if options.diff else has_faults
    return 2 if is_missing else int(has_faults and not options.exit_zero)


def _format(options: Options) -> Format:
    if options.statistics:
        return Statistics(options.output_format)
    return FORMATS[options.output_format or "text"]()


def _check(names: list[str], options: Options) -> None:
    """UsageError where nothing is named, or where two options do not go together."""
    if not (options.args or options.robots):
        raise UsageError("lint needs a FILE, a DIRECTORY, a URL or -")
    if options.fix and any(is_web(name) or name == "-" or is_special(name) for name in names):
        raise UsageError("--fix changes files, not URLs, pipes or standard input")
    if options.diff and (options.fix or options.statistics or options.output_format):
        raise UsageError("--diff shows what --fix would change: it goes with no other output")
    if options.statistics and options.output_format in ("sarif", "github"):
        raise UsageError(f"--statistics has no {options.output_format}; take text, json or csv")
