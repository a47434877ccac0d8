"""What the site does beside MkDocs: pages from the root of the repository, and links out of docs/.

The pages stay readable where the repository is browsed: `../pyproject.toml` is a link there, and
becomes a link to the repository in the site. A link to a file that does not exist stops the build.
"""

# ruff: noqa: INP001 - MkDocs loads it by its path
from __future__ import annotations

import re
import runpy
from configparser import ConfigParser
from pathlib import Path, PurePosixPath
from posixpath import normpath
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[2]
FROM_ROOT = {
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
}
ROW = re.compile(r"^ *\|.*$", re.MULTILINE)
CODE = re.compile(r"`[^`]*`")
LINK = re.compile(r"\]\((?!\w+:|#)([^)#\s]+)(#[^)\s]*)?\)")
FENCE = re.compile(r"(^ *```.*?^ *```$)", re.MULTILINE | re.DOTALL)


DIAGRAMS = runpy.run_path(str(ROOT / "docs" / "diagrams.py"))


def on_config(config: Any) -> Any:
    """The address of the repository, from the one place where it stands."""
    metadata = ConfigParser()
    metadata.read(ROOT / "setup.cfg", "utf-8")
    config.repo_url = metadata["metadata"]["url"]
    return config


def on_files(files: Files, config: Any) -> Files:
    for source, page in FROM_ROOT.items():
        text = (ROOT / source).read_text("utf-8")
        files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, **_: Any) -> str:
    up = "../" * page.file.src_uri.count("/")
    markdown = DIAGRAMS["BLOCK"].sub(lambda block: with_picture(block[1], up), markdown)
    parts = FENCE.split(markdown)  # at odd places: blocks of code, which stay as they are
    # GitHub needs "\|" for a bar in code in a table; Python-Markdown shows it as it is written.
    tables = (ROW.sub(lambda row: CODE.sub(with_bars, row[0]), part) for part in parts[::2])
    parts[::2] = [in_site(part, page.file.src_uri, config.repo_url) for part in tables]
    return "".join(parts)


def with_bars(code: re.Match[str]) -> str:
    return code[0].replace(r"\|", "|")


def with_picture(diagram: str, up: str) -> str:
    """A link to the picture of a diagram; MkDocs looks whether it is there."""
    return f"![The diagram of this section]({up}pictures/{DIAGRAMS['picture_of'](diagram)})"


def in_site(markdown: str, uri: str, repository: str) -> str:
    """The links of a page, as the site needs them. `uri` is the page's place in the site."""
    folder = PurePosixPath() if uri in FROM_ROOT.values() else PurePosixPath("docs", uri).parent

    def link(match: re.Match[str]) -> str:
        path, anchor = match[1], match[2] or ""
        return f"]({_address(folder, path, repository)}{anchor})"

    return LINK.sub(link, markdown)


def _address(folder: PurePosixPath, path: str, repository: str) -> str:
    target = PurePosixPath(normpath(folder / path))
    if str(target) in FROM_ROOT:
        up = "../" * (len(folder.parts) - 1)
        return up + FROM_ROOT[str(target)]
    if target.parts[0] == "docs" and target.suffix != ".py":
        # MkDocs looks whether it is there.
        return path if folder.parts else str(PurePosixPath(*target.parts[1:]))
    if not (ROOT / target).exists():
        msg = f"a link to {target}, which does not exist"
        raise PluginError(msg)
    kind = "tree" if (ROOT / target).is_dir() else "blob"
    return f"{repository}/{kind}/main/{target}"
