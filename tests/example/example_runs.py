"""The example project, run as a user runs it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).parents[2] / "example_project"
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(PROJECT.parent)}  # whether or not it is installed


def run_in_project(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Python with these arguments in the project's folder, after it has ended well."""
    process = subprocess.run(
        [sys.executable, *arguments],
        cwd=PROJECT,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    return process
