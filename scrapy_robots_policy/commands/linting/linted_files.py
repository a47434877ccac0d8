"""The findings of many files, directories and URLs, some at a time."""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import partial
from multiprocessing import active_children, get_context, parent_process
from pathlib import Path
from signal import SIGINT
from threading import Thread

from ...lint import Finding, Severity, lint
from ...lint.edits import fixed
from ...rep import DIALECTS, Dialect, FetchResult
from ...whole_file import whole_file
from ..arguments import Options, UsageError
from ..printing.causes_in_full import in_full
from ..reading.download import is_web
from ..reading.fetches import Fetches, started_ahead
from ..reading.inputs import fetched, read_file, robots_txt_of

if sys.platform != "win32":
    from signal import SIG_BLOCK, SIG_SETMASK, pthread_sigmask

MANY = 100  # files from which on other processes are worth their start
_CHUNK = 32  # files that a process takes at a time
_MOST_ON_WINDOWS = 61  # processes; ProcessPoolExecutor refuses more


@dataclass(frozen=True, slots=True)
class LintedFile:
    """What was found in one file.

    octets  the file, after its fixes
    fixes   how many findings were fixed
    error   why it could not be read; "" where it was
    """

    name: str
    octets: bytes = b""
    findings: tuple[Finding, ...] = ()
    fixes: int = 0
    error: str = ""


@dataclass(frozen=True, slots=True)
class LintChoices:
    """What a process needs to know to lint files."""

    dialect: str | Dialect
    select: tuple[str, ...]
    ignore: tuple[str, ...]
    severity: Severity
    fixes: str
    include: str

    @classmethod
    def of(cls, options: Options) -> LintChoices:
        name = options.dialect.name  # a dialect of the user cannot be sent to another process
        is_known = DIALECTS.get(name) is options.dialect
        return cls(
            name if is_known else options.dialect,
            options.select,
            options.ignore,
            options.severity or Severity.NOTE,
            options.fixes,
            options.files_of_directories,
        )


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
    files = list(_files_in(argument, options.files_of_directories))
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


def linted_files(names: list[str], options: Options) -> Iterator[LintedFile]:
    """In the order of the names. A file that cannot be read has an error."""
    choices = LintChoices.of(options)
    is_far = any(is_web(name) or name == "-" for name in names)
    if is_far or isinstance(choices.dialect, Dialect) or len(names) < MANY or options.jobs == 1:
        yield from _one_by_one(names, choices, options)
        return
    yield from _by_processes(names, choices, options.jobs or os.cpu_count() or 1)


def _by_processes(names: list[str], choices: LintChoices, workers: int) -> Iterator[LintedFile]:
    # Not by a fork: this process may have threads.
    context = get_context("spawn")
    most = _MOST_ON_WINDOWS if sys.platform == "win32" else workers
    processes = min(workers, most, len(names) // _CHUNK)
    pool = ProcessPoolExecutor(processes, context, _end_with_parent)
    chunks = (names[start : start + _CHUNK] for start in range(0, len(names), _CHUNK))
    try:
        # Not by pool.map: it cancels what has not begun when its caller goes away. The pool's
        # thread then ends with a traceback (up to Python 3.11) when a process is terminated.
        with _no_interrupts():
            results = deque(pool.submit(_lint_files, chunk, choices) for chunk in chunks)
        while results:
            yield from results.popleft().result()
    except BrokenProcessPool:
        raise UsageError("a process was killed that looked at files; try --jobs 1") from None
    except BaseException:  # nobody wants the rest: Ctrl-C, or `lint sites/ | head`
        if not choices.fixes:  # a file that is being written is finished
            for process in active_children():
                process.terminate()
            # One may have sent half of a result. The pool's thread waits for the rest for as long
            # as anybody could send it, and this process could. There is no public way. Where these
            # attributes are gone, it may wait.
            writer = getattr(getattr(pool, "_result_queue", None), "_writer", None)
            if writer is not None:
                writer.close()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _end_with_parent() -> None:
    """In a process of the pool: it would wait for files forever, were this one killed."""
    parent = parent_process()
    assert parent is not None  # it was started by one

    def end() -> None:
        parent.join()
        os._exit(1)

    Thread(target=end, daemon=True).start()


@contextmanager
def _no_interrupts() -> Iterator[None]:
    """Processes that are started in here leave Ctrl-C to this one, and show no traceback each. This
    one gets it afterwards. On Windows there is no such mask.
    """
    if sys.platform == "win32":
        yield
    else:
        before = pthread_sigmask(SIG_BLOCK, {SIGINT})
        try:
            yield
        finally:
            pthread_sigmask(SIG_SETMASK, before)


def _lint_files(names: list[str], choices: LintChoices) -> list[LintedFile]:
    return [_lint_file(name, choices) for name in names]


def _lint_file(name: str, choices: LintChoices) -> LintedFile:
    if _is_folder(name):
        return LintedFile(name, error=_why_no_file(name, choices))
    try:
        result = read_file(name)
    except UsageError as error:
        return LintedFile(name, error=str(error))
    return _linted(name, result, choices, _size_of(name))


def _size_of(name: str) -> int:
    """The octets of a whole file, of which only the start may have been read; 0 of a pipe."""
    try:
        return 0 if name == "-" else Path(name).stat().st_size
    except OSError:  # it was removed meanwhile
        return 0


def _why_no_file(directory: str, choices: LintChoices) -> str:
    try:
        os.scandir(directory).close()
    except OSError as error:
        return f"cannot read {directory}: {error.strerror}"
    return f"no file in {directory} is called {choices.include}; choose others with --include"


def _one_by_one(
    names: Iterable[str], choices: LintChoices, options: Options
) -> Iterator[LintedFile]:
    fetches = Fetches(partial(fetched, options=options), options.sites_at_a_time)

    def start(name: str) -> None:
        if is_web(name):
            fetches.start(name)

    for name in started_ahead(names, start):
        if not is_web(name):
            yield _lint_file(name, choices)
            continue
        result = fetches.result(name)
        if result.status is None:
            yield LintedFile(name, error=f"cannot read {name}: {in_full(result.cause)}")
        else:
            yield _linted(name, result, choices)


def _linted(name: str, result: FetchResult, choices: LintChoices, size: int = 0) -> LintedFile:
    def findings_of(octets: bytes) -> tuple[Finding, ...]:
        return lint(
            octets,
            choices.dialect,
            select=choices.select,
            ignore=choices.ignore,
            url=name if is_web(name) else "",
            size=size,
            served=result if is_web(name) else None,
        )

    octets, fixes, findings = result.octets, 0, findings_of(result.octets)
    if choices.fixes and not is_web(name):
        octets, fixes, findings = fixed(
            octets, findings, findings_of, all_of=choices.fixes == "all"
        )
        if octets != result.octets:
            try:
                with whole_file(Path(name)) as file:
                    file.write(octets)
            except OSError as error:
                return LintedFile(name, error=f"cannot write {name}: {error.strerror}")
    shown = tuple(finding for finding in findings if finding.severity.rank <= choices.severity.rank)
    return LintedFile(name, octets, shown, fixes)
