"""The streams and the signals of a command: closed, full, interrupted."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from configparser import ConfigParser
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest

from scrapy_robots_policy.commands.linting import linted_files
from scrapy_robots_policy.lint import Severity
from tests.site import Answer, Site

COMMAND = [sys.executable, "-m", "scrapy_robots_policy.commands"]
# Output waits in a buffer, as for most users. A container may have PYTHONUNBUFFERED.
BUFFERED = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}
FULL = "robots-policy: cannot go on: No space left on device\n"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name != "posix", reason="a POSIX shell is needed, and its signals"),
]

CLOSED = [
    ("check /private/x", ">&-", 1),
    ("check", "<&-", 0),
    ("lint --severity error -", "<&-", 0),
    ("check /private/x", "2>&-", 1),
    ("chek", "2>&-", 2),
    ("check --jobs x", "2>&-", 2),
]


@pytest.mark.parametrize(("arguments", "closing", "status"), CLOSED)
def test_a_stream_that_is_closed_is_like_an_empty_one(file, arguments, closing, status):
    line = f"{shlex.join(COMMAND)} {arguments} --robots {shlex.quote(str(file))} {closing}"
    done = subprocess.run(line, shell=True, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (status, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("arguments", [["-h"], ["check", "/a"], ["lint"], ["check", "--json", "/"]])
def test_output_that_cannot_be_written_gets_one_sentence(file, arguments):
    assert into_full_disk([*arguments, "--robots", file]) == (2, FULL)


def into_full_disk(arguments: list[Any]) -> tuple[int, str]:
    """(exit status, standard error)"""
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*COMMAND, *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            env=BUFFERED,
        )
    return done.returncode, done.stderr


@pytest.fixture
def half_wrong(file, tmp_path):
    """A command line that prints an answer before it comes to what is wrong."""
    suite = tmp_path / "suite.json"
    suite.write_text('{"expect": ["Googlebot may fetch /a"]}')
    return ["test", "--json", suite, tmp_path / "missing.json", "--robots", file]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_answers_before_a_fault_that_cannot_be_written_get_one_sentence(half_wrong):
    assert into_full_disk(half_wrong) == (2, FULL)


def test_answers_before_a_fault_that_nobody_reads_end_the_command_without_a_word(half_wrong):
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [*COMMAND, *half_wrong], stdout=writer, stderr=subprocess.PIPE, check=False, env=BUFFERED
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


# With PYTHONUNBUFFERED, Python by itself writes a part of a long text and goes on.
@pytest.mark.parametrize("environment", [BUFFERED, BUFFERED | {"PYTHONUNBUFFERED": "1"}])
def test_a_long_answer_of_which_a_part_is_read_is_no_success(file, tmp_path, environment):
    urls = tmp_path / "urls.txt"
    urls.write_text("/a\n" * 100_000)  # their answers are more than a pipe holds, by far
    command = [*COMMAND, "check", "--robots", file]
    with (
        urls.open() as stdin,
        subprocess.Popen(
            command, stdin=stdin, stdout=subprocess.PIPE, text=True, env=environment
        ) as process,
    ):
        assert process.stdout.readline() == "allowed     /a  for *: no rule matches\n"
        process.stdout.close()
        assert process.wait(timeout=60) == 141


def test_answers_before_a_fault_stand_before_its_sentence(half_wrong):
    done = subprocess.run(
        [*COMMAND, *half_wrong],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        env=BUFFERED,
    )
    answer, sentence = done.stdout.splitlines()
    assert answer.startswith("{")
    assert "cannot read" in sentence


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize(
    ("arguments", "status"), [(["lint", "no.txt"], 2), (["chek"], 2), (["check", "--jobs", "x"], 2)]
)
def test_an_error_that_cannot_be_written_leaves_the_exit_status(arguments, status):
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([*COMMAND, *arguments], stderr=full, check=False)
    assert done.returncode == status


def lint(*arguments: object) -> subprocess.CompletedProcess[str]:
    """A process, as to read a pipe may never end."""
    command = [*COMMAND, "lint", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def test_of_a_directory_no_pipe_and_no_device_is_read(tmp_path):
    os.mkfifo(tmp_path / "robots.txt")
    (tmp_path / "device.robots.txt").symlink_to("/dev/zero")
    (tmp_path / "file.robots.txt").write_text("Disalow: /b\n")
    (tmp_path / "link.robots.txt").symlink_to("file.robots.txt")
    gone = tmp_path / "gone.robots.txt"
    gone.symlink_to("no-such-file")
    done = lint(tmp_path, "--json")
    names = [json.loads(line)["file"] for line in done.stdout.splitlines()]
    assert names == [str(tmp_path / name) for name in ("file.robots.txt", "link.robots.txt")]
    assert done.stderr == f"robots-policy: cannot read {gone}: No such file or directory\n"


def test_a_pipe_that_is_named_is_read_and_not_fixed(tmp_path):
    pipe = tmp_path / "robots.txt"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=["Disalow: /b\n"], daemon=True)
    writer.start()
    (finding,) = map(json.loads, lint(pipe, "--json").stdout.splitlines())
    assert finding["code"] == "R201"
    sentence = "robots-policy: --fix changes files, not URLs, pipes or standard input\n"
    assert lint(pipe, "--fix").stderr == sentence


def start(*arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def interrupt(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Ctrl-C, which all processes of a terminal get. (exit status, standard error)"""
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    return process.returncode, errors


@pytest.mark.parametrize("verb", ["check", "explain", "blocked", "diff"])
def test_an_interrupted_fetch_ends_the_command_with_one_line(file, verb):
    is_asked = threading.Event()

    def answer(_headers: object) -> Answer:
        is_asked.set()
        return Answer(after=None)

    with Site({"/robots.txt": answer}) as site:
        process = start(verb, *([file] if verb == "diff" else []), site.url("/"))
        assert is_asked.wait(120)
        assert interrupt(process) == (130, "robots-policy: interrupted\n")


INTERRUPTED_WHILE_LOADING = """
import runpy, signal, sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "scrapy_robots_policy.commands.command_line":
            signal.raise_signal(signal.SIGINT)

sys.meta_path.insert(0, Finder())
runpy.run_module("scrapy_robots_policy.commands", run_name="__main__")
"""


@pytest.mark.parametrize(
    ("closing", "errors"), [("", "robots-policy: interrupted\n"), ("2>&-", "")]
)
def test_an_interrupt_while_the_program_is_loaded_ends_it_with_one_line(closing, errors):
    line = f"{shlex.join([sys.executable, '-c', INTERRUPTED_WHILE_LOADING])} {closing}"
    done = subprocess.run(line, shell=True, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, errors)


def test_the_program_that_is_installed_is_the_one_that_loads_nothing_itself():
    setup = ConfigParser()
    setup.read(Path(__file__).parents[2] / "setup.cfg")
    script = setup["options.entry_points"]["console_scripts"]
    assert script.strip() == "robots-policy = scrapy_robots_policy.commands.program:main"


def workers(process: subprocess.Popen[str]) -> list[int]:
    """The processes that look at files."""
    command = ["ps", "-ww", "-o", "pid=,args=", "--ppid", str(process.pid)]
    listed = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    return [int(line.split()[0]) for line in listed.splitlines() if "spawn_main" in line]


def start_lint(folder: Path) -> subprocess.Popen[str]:
    """It looks at many files in two processes, which have just been started. No file can be read
    to its end: nobody writes into these pipes.
    """
    pipes = [folder / f"robots{number}.txt" for number in range(linted_files.MANY)]
    for pipe in pipes:
        os.mkfifo(pipe)
    process = start("lint", "--jobs", "2", *pipes)
    ends = time.monotonic() + 120
    while len(workers(process)) < 2:
        assert time.monotonic() < ends
        time.sleep(0.01)
    return process


linux = pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("ps") is None, reason="it asks ps as Linux knows it"
)


@linux
@pytest.mark.parametrize("seconds", [0.05, 2])
def test_interrupted_processes_that_lint_end_at_once_with_one_line(tmp_path, seconds):
    process = start_lint(tmp_path)
    time.sleep(seconds)
    assert interrupt(process) == (130, "robots-policy: interrupted\n")


def many_linted_files(folder: Path) -> Iterator[linted_files.LintedFile]:
    """By two processes, which this one starts."""
    path = folder / "robots.txt"
    path.write_bytes(b"User-agent: *\nDisallow: /a\n")
    choices = linted_files.LintChoices("google", (), (), Severity.NOTE, fixes="", include="")
    return linted_files._by_processes([str(path)] * 2_000, choices, workers=2)


def test_an_interrupt_while_processes_are_started_is_not_lost(tmp_path, monkeypatch):
    submit = ProcessPoolExecutor.submit

    def submit_and_interrupt(*arguments: Any) -> Any:
        signal.raise_signal(signal.SIGINT)
        return submit(*arguments)

    monkeypatch.setattr(ProcessPoolExecutor, "submit", submit_and_interrupt)
    with pytest.raises(KeyboardInterrupt):
        next(many_linted_files(tmp_path))


def test_files_that_nobody_wants_any_more_leave_no_error_in_the_thread_of_the_pool(
    tmp_path, monkeypatch
):
    """The main thread is slow: the thread of the pool sees first that a process has ended."""
    terminate = BaseProcess.terminate

    def terminate_and_wait(process: BaseProcess) -> None:
        terminate(process)
        if threading.current_thread() is threading.main_thread():
            for thread in threading.enumerate():
                if type(thread).__name__ == "_ExecutorManagerThread":
                    thread.join(30)

    monkeypatch.setattr(BaseProcess, "terminate", terminate_and_wait)
    files = many_linted_files(tmp_path)
    assert not next(files).error
    files.close()  # as after Ctrl-C, and behind `| head`


def test_half_a_result_of_a_process_that_nobody_wants_any_more_is_not_waited_for(
    tmp_path, monkeypatch
):
    pools = []
    terminate = BaseProcess.terminate

    class Noted(ProcessPoolExecutor):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)
            pools.append(self)

    def terminate_in_mid_result(process: BaseProcess) -> None:
        if threading.current_thread() is threading.main_thread():  # the pool terminates, too
            writer = pools[0]._result_queue._writer
            os.write(writer.fileno(), struct.pack("!i", 1 << 26))  # more than all results have
        terminate(process)

    monkeypatch.setattr(linted_files, "ProcessPoolExecutor", Noted)
    files = many_linted_files(tmp_path)
    assert not next(files).error
    pool_thread = pools[0]._executor_manager_thread
    monkeypatch.setattr(BaseProcess, "terminate", terminate_in_mid_result)
    files.close()
    assert not pool_thread.is_alive()


@linux
def test_a_process_that_lints_and_is_killed_gets_one_sentence(tmp_path):
    process = start_lint(tmp_path)
    os.kill(workers(process)[0], signal.SIGKILL)  # as the system does that has no memory left
    _, errors = process.communicate(timeout=120)
    sentence = "a process was killed that looked at files; try --jobs 1"
    assert (process.returncode, errors) == (2, f"robots-policy: {sentence}\n")


@linux
def test_no_process_that_lints_outlives_the_command(tmp_path):
    process = start_lint(tmp_path)
    pids = workers(process)
    process.kill()
    process.communicate(timeout=120)
    ends = time.monotonic() + 120
    while running(pids):
        assert time.monotonic() < ends
        time.sleep(0.1)


def running(pids: list[int]) -> list[str]:
    command = ["ps", "-o", "stat=", "-p", ",".join(map(str, pids))]
    states = subprocess.run(command, capture_output=True, text=True, check=False).stdout.split()
    return [state for state in states if not state.startswith("Z")]
