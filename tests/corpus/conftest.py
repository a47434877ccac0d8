"""The real files: the folder that ROBOTS_CORPUS names. `make corpus` fetches them and sets it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def corpus() -> Path:
    folder = os.environ.get("ROBOTS_CORPUS")
    if not folder:
        pytest.skip("ROBOTS_CORPUS names no folder: `make corpus` fetches the real files")
    return Path(folder)


@pytest.fixture(scope="session")
def real_files(corpus: Path) -> dict[str, bytes]:
    """All real files by name, in order of their names."""
    files = {path.name: path.read_bytes() for path in sorted(corpus.iterdir())}
    assert len(files) == 4_231
    return files
