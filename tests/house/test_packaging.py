"""What must be true of the distributions: what they hold, and what a package index shows."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LEFT_OUT = {".git", ".venv", ".cache", ".tox", ".github", "build", "dist", "__pycache__"}

pytest.importorskip("setuptools", reason="setuptools is not installed: pip install setuptools")
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A copy of the repository with a source distribution, and with what a wheel is made of."""
    folder = tmp_path_factory.mktemp("build") / "repository"
    shutil.copytree(ROOT, folder, ignore=lambda _, names: LEFT_OUT & set(names))
    command = [sys.executable, "setup.py", "-q", "sdist", "build", "--build-lib", "build/lib"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return folder


def files_of(folder, *tops):
    paths = (path for top in tops for path in (folder / top).rglob("*") if path.is_file())
    names = {path.relative_to(folder) for path in paths if path.suffix != ".pyc"}
    return {str(name) for name in names if not LEFT_OUT & {*name.parts}}


def test_the_source_distribution_holds_all_that_its_tests_need(built):
    with tarfile.open(next(built.glob("dist/*.tar.gz"))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
        info = next(name for name in archive.getnames() if name.endswith("/PKG-INFO"))
        shown_by_an_index = archive.extractfile(info).read().decode()
    folders = ("scrapy_robots_policy", "tests", "docs", "example_project", "benchmarks", "matrix")
    assert files_of(built, *folders) - names == set()
    assert {"Makefile", "README.md", "CHANGELOG.md", "LICENSE", "pyproject.toml"} <= names
    assert not re.search(r"\]\((?!https?:)", shown_by_an_index)  # no link into the repository


def test_the_wheel_holds_the_package_and_nothing_else(built):
    made = built / "build" / "lib"
    assert files_of(made, ".") == files_of(built, "scrapy_robots_policy")


def test_the_lowest_versions_that_are_tried_are_those_that_are_asked_for():
    """`make test SCRAPY=lowest` installs tests/lowest.txt."""
    found = re.findall(
        r"^ +([A-Za-z0-9]+)>=([\d.]+)", (ROOT / "setup.cfg").read_text(), re.MULTILINE
    )
    lowest = re.findall(
        r"^([A-Za-z0-9]+)==([\d.]+?)[.*0]*$",
        (ROOT / "tests" / "lowest.txt").read_text(),
        re.MULTILINE,
    )
    assert {name: version.rstrip("0.") or version for name, version in lowest} == {
        name: version.rstrip("0.") or version for name, version in found
    }
