"""The files of a report: a page and its data beside it, or the data alone."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile

from ..numbered_file import numbered_file
from ..pages import check_jinja2
from ..whole_file import part_of, whole_file

PAGE, DATA = ".html", ".json"


@dataclass(frozen=True, slots=True)
class ReportFiles:
    """The paths of a report's files.

    Attributes:
        page: None if only the data is wanted.
        replaces: whether files with these names are replaced; else the new ones get a number.

    """

    page: Path | None
    data: Path
    replaces: bool = True

    @classmethod
    def of(cls, path: Path, *, replaces: bool = True) -> ReportFiles:
        """The files for a path that ends in .html or .json.

        ValueError, with the reason, if no files can be created there.
        """
        if path.suffix not in (PAGE, DATA):
            raise ValueError(f"it must be the path of a file that ends in {PAGE} or {DATA}")
        if path.suffix == PAGE:
            check_jinja2()
        files = cls(path if path.suffix == PAGE else None, path.with_suffix(DATA), replaces)
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

    def write(self, data: Iterable[str], page: Callable[[str], str]) -> ReportFiles:
        """Write the files. The result has their names. On OSError all files are as they were.

        Args:
            data: the text of the data, in parts.
            page: the text of the page, by the name of the file with the data.

        """
        if self.replaces:
            self._write(data, page)
            return self
        files = self._with_free_number()
        try:
            files._write(data, page)  # noqa: SLF001 - of the same class
        except BaseException:
            files.data.unlink(missing_ok=True)
            raise
        return files

    def _with_free_number(self) -> ReportFiles:
        """The first names that no file has. The data file is made."""
        descriptor, data = numbered_file(self.data)
        os.close(descriptor)
        return ReportFiles(self.page and data.with_suffix(PAGE), data)

    def _write(self, data: Iterable[str], page: Callable[[str], str]) -> None:
        with whole_file(self.data) as file:
            file.writelines(text.encode("utf-8", "replace") for text in data)
            file.flush()  # a disk that is full must show it before the page is replaced
            if self.page is not None:
                with whole_file(self.page) as shown:
                    shown.write(page(self.data.name).encode("utf-8", "replace"))
