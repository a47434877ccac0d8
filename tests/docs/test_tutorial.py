"""docs/tutorial.md, done step by step as a reader does it: files written, commands typed."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.docs.markdown import ROOT, blocks, prints_as_shown

pytestmark = pytest.mark.slow

PAGE = ROOT / "docs" / "tutorial.md"
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200", "NO_COLOR": "1"}


def run(command, folder):
    process = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=folder,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert process.returncode <= (command[1] == "robots"), process.stdout  # 1: refused
    return process.stdout


def test_each_step_does_what_the_page_shows(tmp_path):
    handler = partial(SimpleHTTPRequestHandler, directory=tmp_path / "site")
    handler.func.log_message = lambda *_: None
    server, folder = ThreadingHTTPServer(("127.0.0.1", 0), handler), tmp_path
    threading.Thread(target=server.serve_forever, daemon=True).start()
    text = PAGE.read_text("utf-8").replace("8000", str(server.server_port))
    stop = text[: text.index("Stop the server")].count("\n")
    for block in (block for block in blocks(PAGE, text) if not block.note):
        if block.line > stop:
            server.shutdown()
            server.server_close()
        if block.title:
            (folder / block.title).parent.mkdir(parents=True, exist_ok=True)
            (folder / block.title).write_text(block.text, "utf-8")
        for command, shown in block.steps:
            program, *words = shlex.split(command)
            if program == "cd":
                folder /= words[0]
            elif program == "scrapy":
                words += ["-s", "RETRY_TIMES=0"] * (words[0] == "crawl")  # no waiting
                printed = run([program, *words], folder)
                lines = {*shown.splitlines()} - {"…"}  # pages come in any order
                is_same = lines <= {*printed.splitlines()} if "-:csv" in words else None
                assert is_same or not shown or prints_as_shown(shown, printed), printed
    assert "Disallow: /private/" in (folder / "report.html").read_text("utf-8")
