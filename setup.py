"""The description and the links for a package index. All else is in setup.cfg and pyproject.toml.

An index shows README.md alone, so a link to a file of the repository would lead nowhere there. The
links begin with the address of the repository, which stands in setup.cfg.
"""

from __future__ import annotations

import re
from configparser import ConfigParser
from pathlib import Path

from setuptools import setup

ROOT = Path(__file__).parent
LINKS = {
    "Documentation": "/tree/main/docs",
    "Changelog": "/blob/main/CHANGELOG.md",
    "Issues": "/issues",
    "Source": "",
}

_PICTURE = re.compile(r"!\[[^\]]*\]\((?!https?:)[^)]*\)\n?")
_LINK = re.compile(r"\[([^\]]*)\]\((?!https?:)([^)#]*)(?:#[^)]*)?\)")


def description(readme: str) -> str:
    """The text of README.md without pictures, and with links into the repository as plain text."""
    return _LINK.sub(_plain, _PICTURE.sub("", readme))


def _plain(link: re.Match[str]) -> str:
    text, path = link.groups()
    return f"{text} (`{path}` in the source distribution)" if path else text


def links() -> dict[str, str]:
    config = ConfigParser()
    config.read(ROOT / "setup.cfg", "utf-8")
    return {name: config["metadata"]["url"] + path for name, path in LINKS.items()}


if __name__ == "__main__":
    setup(
        long_description=description((ROOT / "README.md").read_text("utf-8")), project_urls=links()
    )
