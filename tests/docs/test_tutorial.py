"""docs/tutorial.md, done step by step as a reader does it: files written, commands typed."""

from __future__ import annotations

import os
import shlex
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager

import pytest

from tests.docs.markdown import ROOT, blocks, prints_as_shown
from tests.site import free_port

pytestmark = pytest.mark.slow

PAGE = ROOT / "docs" / "tutorial.md"
PORT = "8000"


@contextmanager
def served(command, folder):
    """The page's web server; it ends with the block, or when it has been stopped before."""
    command = [sys.executable, *command[1:]]
    process = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        deadline = time.monotonic() + 120
        while True:
            try:
                socket.create_connection(("127.0.0.1", int(command[3])), 5).close()
                break
            except ConnectionRefusedError:
                assert time.monotonic() < deadline
                assert process.poll() is None
                time.sleep(0.02)
        yield process
    finally:
        process.kill()
        process.wait()


def run(command, folder):
    if command[0] == "scrapy":
        command = [sys.executable, "-m", *command]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200", "NO_COLOR": "1"}
    return subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=200,
        check=False,
    )


class Reader:
    """Does what the page says, in `folder`."""

    def __init__(self, folder, stack):
        self.folder, self.stack, self.server = folder, stack, None

    def do(self, block):
        if block.title:
            file = self.folder / block.title
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block.text, "utf-8")
        else:
            for command, shown in block.steps:
                self.type(shlex.split(command), shown)

    def type(self, command, shown):
        if command[0] == "cd":
            self.folder /= command[1]
        elif "http.server" in command:
            self.server = self.stack.enter_context(served(command, self.folder))
        else:
            done = run(command, self.folder)
            assert done.returncode <= (command[1] == "robots"), done.stdout  # 1: disallowed
            if "-:csv" in command:  # pages come in any order
                head, *rows = (line for line in shown.splitlines() if line != "…")
                first, *printed = done.stdout.splitlines()
                assert first == head, done.stdout
                assert set(rows) <= set(printed), done.stdout
            elif shown.strip():
                assert prints_as_shown(shown, done.stdout), (shown, done.stdout)

    def stop_server(self):
        self.server.kill()
        self.server.wait()


def test_each_step_does_what_the_page_shows(tmp_path):
    text = PAGE.read_text("utf-8").replace(PORT, str(free_port()))
    before, stop, after = text.partition("Stop the server")
    with ExitStack() as stack:
        reader = Reader(tmp_path, stack)
        for block in (block for block in blocks(PAGE, before) if not block.note):
            reader.do(block)
        reader.stop_server()
        for block in blocks(PAGE, stop + after):
            reader.do(block)
    assert "Disallow: /private/" in (reader.folder / "report.html").read_text("utf-8")
