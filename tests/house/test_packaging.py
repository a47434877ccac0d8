"""What must be true of the distributions: what they hold, and what a package index shows."""

from __future__ import annotations

import configparser
import re
import runpy
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LEFT_OUT = {".git", ".venv", ".cache", ".tox", ".github", "build", "dist", "__pycache__"}

pytest.importorskip("setuptools", reason="setuptools is not installed: pip install setuptools")


def test_an_index_is_shown_no_link_into_the_repository():
    description = runpy.run_path(str(ROOT / "setup.py"))["description"]
    readme = (ROOT / "README.md").read_text("utf-8")
    text = description(readme)
    assert "](docs/" in readme
    assert "](docs/" not in text
    assert "](#" not in text
    assert "(`docs/commands.md` in the source distribution)" in text


def test_an_index_is_shown_no_picture_of_the_repository():
    description = runpy.run_path(str(ROOT / "setup.py"))["description"]
    assert description("a\n![A report](docs/pictures/report.png)\nb") == "a\nb"
    assert "https://e.com/x.png" in description("![x](https://e.com/x.png)")


def test_all_files_name_the_same_repository_and_version():
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg", "utf-8")
    metadata = config["metadata"]
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"\nrepo_url: {metadata['url']}\n" in (ROOT / "mkdocs.yml").read_text("utf-8")
    assert f"\nrepository-code: {metadata['url']}\n" in citation
    assert f"\nversion: {metadata['version']}\n" in citation
    addresses = re.findall(r"= (\S+)", metadata["project_urls"])
    assert [one for one in addresses if not one.startswith(metadata["url"])] == []


def test_only_a_tag_starts_a_release():
    workflow = ROOT / ".github" / "workflows" / "release.yml"
    if not workflow.exists():
        pytest.skip("a source distribution has no workflows")
    (events,) = re.findall(r"^on:\n((?: +.*\n)+)", workflow.read_text("utf-8"), re.MULTILINE)
    assert events.split() == ["push:", "tags:", '["v*"]']


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A copy of the repository with a source distribution, and with what a wheel is made of."""
    folder = tmp_path_factory.mktemp("build") / "repository"
    shutil.copytree(ROOT, folder, ignore=lambda _, names: LEFT_OUT & set(names))
    commands = ["sdist", "build", "--build-lib", "build/lib"]
    subprocess.run(
        [sys.executable, "-W", "ignore", "setup.py", "--quiet", *commands],
        cwd=folder,
        check=True,
        capture_output=True,
        timeout=200,
    )
    return folder


def files_of(folder, *tops):
    paths = (path for top in tops for path in (folder / top).rglob("*") if path.is_file())
    return {
        str(path.relative_to(folder))
        for path in paths
        if not LEFT_OUT & set(path.parts) and path.suffix != ".pyc" and ".egg-info" not in str(path)
    }


@pytest.mark.slow
def test_the_source_distribution_holds_all_that_its_tests_need(built):
    with tarfile.open(next(built.glob("dist/*.tar.gz"))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
        metadata = next(name for name in archive.getnames() if name.endswith("/PKG-INFO"))
        text = archive.extractfile(metadata).read().decode()
    assert "in the source distribution)" in text
    folders = ("scrapy_robots_policy", "tests", "docs", "example_project", "benchmarks", "matrix")
    assert files_of(ROOT, *folders) - names == set()
    assert {"Makefile", "README.md", "CHANGELOG.md", "LICENSE", "pyproject.toml"} <= names
    assert [name for name in names if name.endswith(".pyc")] == []


@pytest.mark.slow
def test_the_wheel_holds_the_package_and_nothing_else(built):
    made = built / "build" / "lib"
    names = {str(path.relative_to(made)) for path in made.rglob("*") if path.is_file()}
    assert names == files_of(ROOT, "scrapy_robots_policy")
