"""The scripts of `completion`, in real shells: keys are typed in a terminal, and the command line
that comes of them is run.
"""

from __future__ import annotations

import fcntl
import os
import select
import shutil
import subprocess
import termios
import time
from pathlib import Path

import pytest

from .run import policy

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name != "posix", reason="a POSIX terminal is needed"),
]

SHELLS = {
    "bash": ["bash", "--rcfile", ".script", "-i"],
    "zsh": ["zsh", "-f", "-i"],
    "fish": ["fish", "--no-config", "-i", "-C", "source .script"],
}
PROMPT = "ready:"
# In place of the command: it writes what it is called with.
COMMAND = {
    "bash": "PS1=ready:; robots-policy() { echo $* > called; }",
    "zsh": "robots-policy() { echo $* > called }",
    "fish": (
        "function robots-policy; echo $argv > called; end; function fish_prompt; echo ready:; end"
    ),
}
SECONDS = 20

TYPED = [
    ("li\t", "lint"),
    ("lint\t", "lint"),
    ("lint --sev\t", "lint --severity"),
    ("lint --severity w\t", "lint --severity warning"),
    ("lint some\t", "lint somewhere.txt"),
    ("lint --output-format gi\t", "lint --output-format github"),
    ("check --robots some\t", "check --robots somewhere.txt"),
    ("check --dialect goo\t", "check --dialect google"),
    ("check --qu\t", "check --quiet"),
    ("dialects google yan\t", "dialects google yandex"),
    ("rule R60\t1", "rule R601"),
    ("audit ver\t", "audit verify"),
    ("audit verify some\t", "audit verify somewhere.txt"),
    ("audit report -o some\t", "audit report -o somewhere.txt"),
    ("completion fi\t", "completion fish"),
]


class Terminal:
    def __init__(self, shell: str, folder: Path) -> None:
        self._folder = folder
        (folder / "somewhere.txt").touch()
        (folder / ".script").write_text(f"{policy('completion', shell).out}{COMMAND[shell]}\n")
        self._here, there = os.openpty()
        self._process = subprocess.Popen(
            SHELLS[shell],
            stdin=there,
            stdout=there,
            stderr=there,
            cwd=folder,
            env={**os.environ, "HOME": str(folder), "TERM": "xterm", "PS1": PROMPT},
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509
        )
        os.close(there)

    def close(self) -> None:
        self._process.kill()
        self._process.wait(SECONDS)
        os.close(self._here)

    def type(self, keys: str) -> None:
        """What is typed before the prompt is there may be lost."""
        shown, ends = b"", time.monotonic() + SECONDS
        while PROMPT.encode() not in shown:
            assert select.select([self._here], [], [], ends - time.monotonic())[0], shown
            shown += os.read(self._here, 65536)
        os.write(self._here, f"{keys}\n".encode())

    def called_with(self, keys: str) -> str:
        self.type(f"robots-policy {keys}")
        self.type("")
        return (self._folder / "called").read_text().strip()


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_completes_verbs_options_values_and_files(shell, tmp_path):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed: apt-get install {shell}")
    terminal = Terminal(shell, tmp_path)
    try:
        terminal.type("source .script")
        calls = [terminal.called_with(keys) for keys, _ in TYPED]
    finally:
        terminal.close()
    assert calls == [line for _, line in TYPED]


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
@pytest.mark.parametrize(("verb", "flags"), [("check", {"-h", "-q"}), ("audit", {"-h", "-o"})])
def test_fish_offers_the_short_flags(tmp_path, verb, flags):
    (tmp_path / "script").write_text(policy("completion", "fish").out)
    ask = f"source script; complete -C 'robots-policy {verb} -'"
    command = ["fish", "--no-config", "-c", ask]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    offered = {line.partition("\t")[0] for line in done.stdout.splitlines()}
    assert {flag for flag in offered if not flag.startswith("--")} == flags
