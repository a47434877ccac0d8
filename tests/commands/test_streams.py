"""The streams and the signals of a command: closed, full, interrupted."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.site import Answer, Site

COMMAND = [sys.executable, "-m", "scrapy_robots_policy.commands"]
# Output waits in a buffer, as for most users. A container may have PYTHONUNBUFFERED.
BUFFERED = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}
FULL = "robots-policy: cannot go on: No space left on device\n"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name != "posix", reason="a POSIX shell is needed, and its signals"),
]

# a command line, what the shell does with its streams, the exit status, and standard error
SHELL = [
    ("check /private/x --robots robots.txt", ">&-", 1, ""),
    ("check --robots robots.txt", "<&-", 0, "robots-policy: there is no URL on standard input\n"),
    ("check --jobs x", "2>&-", 2, ""),
    ("check /private/x --robots robots.txt", "> /dev/full", 2, FULL),
    ("-h", "> /dev/full", 2, FULL),
    ("lint no.txt", "2> /dev/full", 2, ""),
    ("check --quiet --robots robots.txt < urls.txt", "| head -1; exit ${PIPESTATUS[0]}", 141, ""),
]


@pytest.mark.parametrize(("arguments", "streams", "status", "errors"), SHELL)
def test_a_stream_that_takes_nothing_gets_no_traceback(
    file, monkeypatch, arguments, streams, status, errors
):
    monkeypatch.chdir(file.parent)
    Path("urls.txt").write_text("/a\n" * 100_000)  # their answers are more than a pipe holds
    line = f"{shlex.join(COMMAND)} {arguments} {streams}"
    done = subprocess.run(["bash", "-c", line], env=BUFFERED, capture_output=True, check=False)
    assert (done.returncode, done.stderr.decode()) == (status, errors)


def test_a_pipe_that_is_named_is_read_and_in_a_directory_none_is(tmp_path):
    pipe = tmp_path / "robots.txt"
    os.mkfifo(pipe)
    (tmp_path / "device.robots.txt").symlink_to("/dev/zero")
    (tmp_path / "file.robots.txt").write_text("Disalow: /b\n")
    command = [*COMMAND, "lint", "--statistics"]  # in a process, as to read a pipe may never end
    threading.Thread(target=pipe.write_text, args=["Disalow: /b\n"], daemon=True).start()
    for path in (tmp_path, pipe):
        done = subprocess.run([*command, path], capture_output=True, check=False, timeout=60)
        assert done.stdout.endswith(b"1 finding in 1 file\n")


@pytest.mark.parametrize("verb", ["check", "lint"])
def test_an_interrupted_command_ends_with_one_line(verb):
    is_asked = threading.Event()

    def answer(_headers: object) -> Answer:
        is_asked.set()
        return Answer(after=None)

    with Site({"/robots.txt": answer}) as site:
        command = [*COMMAND, verb, site.url("/")]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True)
        assert is_asked.wait(120)
        os.killpg(process.pid, signal.SIGINT)  # Ctrl-C, which all processes of a terminal get
        _, errors = process.communicate(timeout=120)
    assert (process.returncode, errors) == (130, b"robots-policy: interrupted\n")


NO_SCRAPY = """
import sys
from scrapy_robots_policy.commands.command_line import main
statuses = [main(line.split()) for line in sys.argv[1:]]
heavy = {"scrapy", "twisted", "tldextract"} & set(sys.modules)
print(statuses, sorted(heavy), file=sys.stderr)
"""


def test_robots_policy_loads_neither_scrapy_nor_what_is_slow_to_load(file):
    lines = [
        f"check --robots {file} /private/x",
        f"explain --robots {file} /",
        f"lint {file}",
        f"compare --robots {file} /private/x",
        f"diff {file} {file}",
        f"blocked {file}",
        "dialects google bing",
        "check --timeout 0.2 http://127.0.0.1:1/",
    ]
    command = [sys.executable, "-c", NO_SCRAPY, *lines]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1] == "[1, 0, 1, 0, 0, 0, 1, 3] []"


@pytest.mark.parametrize("command", [["-m", "scrapy", "robots"], COMMAND[1:]])
def test_both_programs_run_in_a_process_of_their_own(file, command):
    command = [sys.executable, *command, "check", "--robots", file, "/private/x"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith("refused  /private/x  for ")
