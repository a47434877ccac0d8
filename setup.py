"""The description for a package index. All else is in setup.cfg and pyproject.toml.

An index shows README.md alone, so a link to a file of the repository would lead nowhere there.
"""

from __future__ import annotations

import re
from pathlib import Path

from setuptools import setup

README = Path(__file__).parent / "README.md"

_PICTURE = re.compile(r"!\[[^\]]*\]\((?!https?:)[^)]*\)\n?")
_LINK = re.compile(r"\[([^\]]*)\]\((?!https?:)([^)#]*)(?:#[^)]*)?\)")


def description(readme: str) -> str:
    """The text of README.md without pictures, and with links into the repository as plain text."""
    return _LINK.sub(_plain, _PICTURE.sub("", readme))


def _plain(link: re.Match[str]) -> str:
    text, path = link.groups()
    return f"{text} (`{path}` in the source distribution)" if path else text


if __name__ == "__main__":
    setup(long_description=description(README.read_text("utf-8")))
