"""Where a crawl's report is kept: a page and its data beside it, or the data alone.

Knows: files. Must not know: settings, what a report says.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile

from .summary import Report, as_json

PAGE, DATA = ".html", ".json"


@dataclass(frozen=True, slots=True)
class Files:
    """`page` is None where the data is all that is wanted."""

    page: Path | None
    data: Path

    @classmethod
    def of(cls, told: str) -> Files:
        """By the name of one of them. ValueError, with what is wrong, where it cannot be made."""
        path = Path(told)
        if path.suffix not in (PAGE, DATA):
            raise ValueError(f"it must be the path of a file that ends in {PAGE} or {DATA}")
        files = cls(path if path.suffix == PAGE else None, path.with_suffix(DATA))
        try:
            with TemporaryFile(dir=path.parent):
                pass
        except OSError as error:
            raise ValueError(f"no file can be made there: {error.strerror}") from None
        for name in filter(None, (files.page, files.data)):
            if name.is_dir():
                raise ValueError(f"{name} is a folder")
        return files

    def write(self, report: Report) -> None:
        """OSError where that fails; a file is whole, or as it was."""
        from .html import page  # noqa: PLC0415 - when the crawl is over, if one is wanted at all

        _write(self.data, json.dumps(as_json(report), indent=1))
        if self.page is not None:
            _write(self.page, page(report, self.data.name))


def _write(path: Path, text: str) -> None:
    part = path.with_name(f".{path.name}.part")
    try:
        part.write_bytes(text.encode("utf-8", "replace"))
        part.replace(path)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise
