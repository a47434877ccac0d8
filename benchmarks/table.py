"""A table that is printed row by row, as its figures come."""

from __future__ import annotations


class Table:
    """The head is printed at once; `first` is the title of the rows' names."""

    def __init__(self, first: str, *columns: str) -> None:
        self._widths = [max(30, len(first)), *(max(7, len(column)) for column in columns)]
        print()
        self.row(first, *columns)

    def row(self, name: str, *cells: str) -> None:
        first, *widths = self._widths
        rest = (cell.rjust(width) for cell, width in zip(cells, widths, strict=True))
        print(name.ljust(first), *rest, sep="  ", flush=True)
