"""Break one guard at a time, and see that a test fails: `python -m tests.mutants [ID …]`.

`mutants.toml` lists the mutants: a text that stands exactly once in the package, what it is changed
into, and the tests that must fail then. Each mutant is made in a copy of the project. A test that
hangs has failed. Exit status: 0 if enough mutants are killed; 1 if not; 2 if the list is wrong: a
text does not stand in the package exactly once, or there is no such test.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests import missing

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # pytest brings it along

ROOT = Path(__file__).parents[2]
PACKAGE = "scrapy_robots_policy"
LIST = Path(__file__).with_name("mutants.toml")
LEFT_OUT = shutil.ignore_patterns(".*", "__pycache__", "*.egg-info", "build", "dist")

DEADLINE = 300.0  # seconds for the tests of one mutant
SOUND_DEADLINE = 3600.0  # seconds for all tests, before the first mutant
TEST_DEADLINE = 60  # seconds for one test
ENOUGH = 0.9  # the share of mutants that must be killed

NOTHING_FAILED, SOMETHING_FAILED = 0, 1  # exit statuses of pytest


class WrongListError(Exception):
    """The list of mutants does not fit the code."""


@dataclass(frozen=True)
class Mutant:
    """A guard that is broken.

    text       what stands in the package exactly once, and `into`, what takes its place
    tests      files by the end of their path ("rep/test_access.py"), or tests in them ("…::test_x")
    unnoticed  what would go wrong in a crawl if no test failed
    open       why no test kills it yet, or why its text is gone; "" for all that must be killed
    """

    id: str
    text: str
    into: str
    tests: tuple[str, ...]
    unnoticed: str
    open: str = ""

    def place(self, root: Path) -> Path:
        """The module that holds the text."""
        modules = sorted((root / PACKAGE).rglob("*.py"))
        counts = {path: path.read_text("utf-8").count(self.text) for path in modules}
        places = [path for path, count in counts.items() if count]
        if sum(counts.values()) != 1:
            where = ", ".join(f"{path.relative_to(root)} ({counts[path]} x)" for path in places)
            raise WrongListError(f"{self.id}: its text stands in {where or 'no module'}")
        return places[0]

    def test_paths(self, root: Path) -> list[str]:
        """`tests`, as pytest takes them."""
        return [_test_path(self.id, test, root) for test in self.tests]


def _test_path(mutant: str, test: str, root: Path) -> str:
    name, _, rest = test.partition("::")
    every = (root / "tests").rglob("test_*.py")
    files = [path for path in every if str(path).endswith(f"/{name}")]
    if len(files) != 1:
        raise WrongListError(f"{mutant}: there are {len(files)} files {name}")
    function = rest.rpartition("::")[2].partition("[")[0]
    if function and f"def {function}(" not in files[0].read_text("utf-8"):
        raise WrongListError(f"{mutant}: {name} has no test {function}")
    path = str(files[0].relative_to(root))
    return f"{path}::{rest}" if rest else path


def read_list() -> list[Mutant]:
    rows = tomllib.loads(LIST.read_text("utf-8"))["mutant"]
    mutants = [Mutant(**{**row, "tests": tuple(row["tests"])}) for row in rows]
    ids = [mutant.id for mutant in mutants]
    if len(set(ids)) != len(ids):
        raise WrongListError("two mutants have one id")
    return mutants


def choose(mutants: Sequence[Mutant], ids: Collection[str]) -> list[Mutant]:
    """The mutants with these ids; all of them if none is named."""
    strangers = set(ids) - {mutant.id for mutant in mutants}
    if strangers:
        raise WrongListError(f"no mutant is called {', '.join(sorted(strangers))}")
    return [mutant for mutant in mutants if not ids or mutant.id in ids]


@contextmanager
def copy_of_project() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
        root = Path(folder) / "project"
        shutil.copytree(ROOT, root, ignore=LEFT_OUT)
        yield root


def run_tests(
    root: Path, tests: Sequence[str], deadline: float = DEADLINE
) -> tuple[int | None, str]:
    """(pytest's exit status, None where it hung; what it printed)"""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"]
    options = [f"--timeout={TEST_DEADLINE}", "--hypothesis-profile=mutants"]
    process = subprocess.Popen(
        [*command, *options, *tests],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        start_new_session=True,  # so that its servers can be ended with it
    )
    try:
        printed, _ = process.communicate(timeout=deadline)
    except subprocess.TimeoutExpired as late:
        return None, (late.stdout or b"").decode("utf-8", "replace")
    finally:
        with suppress(ProcessLookupError):  # most often nothing is left
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return process.returncode, printed


def fate(mutant: Mutant) -> str:
    """What became of a mutant: "killed", "hung" (as good as that) or "survived"."""
    with copy_of_project() as root:
        place = mutant.place(root)
        place.write_text(place.read_text("utf-8").replace(mutant.text, mutant.into), "utf-8")
        status, printed = run_tests(root, mutant.test_paths(root))
    if status is None:
        return "hung"
    if status not in (NOTHING_FAILED, SOMETHING_FAILED):
        raise WrongListError(f"{mutant.id}: its tests cannot be run:\n{printed[-3000:]}")
    return "survived" if status == NOTHING_FAILED else "killed"


def check_list(mutants: Sequence[Mutant]) -> None:
    """All that is wrong with the list, at once."""
    faults = [fault_of(mutant) for mutant in mutants if not mutant.open]
    if any(faults):
        raise WrongListError("\n".join(filter(None, faults)))


def fault_of(mutant: Mutant) -> str:
    try:
        mutant.place(ROOT)
        mutant.test_paths(ROOT)
    except WrongListError as error:
        return str(error)
    return ""


def check_tests(mutants: Sequence[Mutant]) -> None:
    """The tests must pass while nothing is broken."""
    closed = [mutant for mutant in mutants if not mutant.open]
    tests = sorted({path for mutant in closed for path in mutant.test_paths(ROOT)})
    print(f"{len(mutants)} mutants; first the tests on sound code", flush=True)
    with copy_of_project() as root:
        status, printed = run_tests(root, tests, SOUND_DEADLINE)
    if status != NOTHING_FAILED:
        raise WrongListError(f"tests fail, or hang, without a mutant:\n{printed[-3000:]}")


def report(mutant: Mutant) -> bool:
    """Run one mutant; whether it was killed."""
    began = time.monotonic()
    try:
        end = fate(mutant)
    except WrongListError:
        if not mutant.open:
            raise
        end = "not made"
    note = f"  (open: {mutant.open})" if mutant.open else ""
    took = time.monotonic() - began
    print(f"{mutant.id:5} {end:9} {took:5.1f} s  {mutant.unnoticed}{note}", flush=True)
    return end in ("killed", "hung")


def main() -> int:
    reader = argparse.ArgumentParser(prog="tests.mutants", description="Break a guard at a time.")
    reader.add_argument("ids", nargs="*", help="the mutants to make (default: all)")
    reader.add_argument("--check", action="store_true", help="look at the list only; run nothing")
    options = reader.parse_args()
    try:
        chosen = choose(read_list(), options.ids)
        if not missing.has_redis():
            print(missing.NO_REDIS, "(what its tests are about survives)")
        check_list(chosen)
        if options.check:
            return 0
        check_tests(chosen)
        killed = sum(map(report, chosen))
    except WrongListError as error:
        print(error, file=sys.stderr)
        return 2
    print(f"killed: {killed} of {len(chosen)}, {killed / len(chosen):.0%}")
    return 0 if killed >= ENOUGH * len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
