"""The files of a crawl's report: a page and its data beside it, or the data alone."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING

from ..whole_file import part_of, whole_file

if TYPE_CHECKING:
    from .summary import Report

PAGE, DATA = ".html", ".json"


@dataclass(frozen=True, slots=True)
class ReportFiles:
    """The paths of a report's files. `page` is None if only the data is wanted."""

    page: Path | None
    data: Path

    @classmethod
    def of(cls, name: str) -> ReportFiles:
        """The files for a path that ends in .html or .json.

        ValueError, with the reason, if no files can be created there.
        """
        path = Path(name)
        if path.suffix not in (PAGE, DATA):
            raise ValueError(f"it must be the path of a file that ends in {PAGE} or {DATA}")
        files = cls(path if path.suffix == PAGE else None, path.with_suffix(DATA))
        try:
            with TemporaryFile(dir=path.parent), suppress(FileNotFoundError):
                part_of(path).stat()
        except OSError as error:
            raise ValueError(f"no file can be created there: {error.strerror}") from None
        except ValueError as error:  # the system's encoding has no such characters, for example
            raise ValueError(f"no file can have that name: {error}") from None
        for file in filter(None, (files.page, files.data)):
            if file.is_dir():
                raise ValueError(f"{file} is a folder")
        return files

    def write(self, report: Report) -> None:
        """Write the files. On OSError both are as they were."""
        # Only crawls with a report need them.
        from .page import page  # noqa: PLC0415
        from .summary import json_parts  # noqa: PLC0415

        with whole_file(self.data) as data:
            data.writelines(text.encode("utf-8", "replace") for text in json_parts(report))
            data.flush()  # a disk that is full must show it before the page is replaced
            if self.page is not None:
                with whole_file(self.page) as file:
                    file.write(page(report, self.data.name).encode("utf-8", "replace"))
