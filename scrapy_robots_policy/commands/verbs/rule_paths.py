"""Paths of pages that the lines of a robots.txt are about, to ask the engine about them.

A `value` is the path of a rule, or of a line about the use of pages, as written.
"""

from __future__ import annotations

import string
from collections.abc import Iterable, Iterator
from urllib.parse import unquote

from ...lint.rule_findings import as_sent
from ...rep import Dialect, origin_of
from ...rep.dialect import NoSlash

# Those come first that few rules hold.
_FILLINGS = "xzqjvwXZQJVW" + string.ascii_letters + string.digits


def filling_for(values: Iterable[str]) -> str:
    """A character that stands for any others. None of the values holds it: a value that holds what
    stands for a "*" would match the same path as the value with the "*".
    """
    text = "".join(values)
    held = {*text, *unquote(text, "latin-1")}
    return next((character for character in _FILLINGS if character not in held), _FILLINGS[0])


def paths_of(value: str, dialect: Dialect, filling: str) -> tuple[str, ...]:
    """Paths that a value is meant for, as they are sent; a whole URL where it names a site."""
    value = as_sent(value)
    is_anchored = dialect.wildcards and value.endswith("$")
    if dialect.wildcards:
        value = value.removesuffix("$").replace("*", filling)
    if dialect.no_slash is NoSlash.REFERENCE:
        path = value if value.startswith("/") or origin_of(value) else f"/{value}"
    else:
        path = value if value.startswith("/") else f"/{filling}{value}"
    return (path,) if is_anchored else (path, path + filling)


def is_wild(value: str) -> bool:
    """Whether a value may match pages that are not behind one path. Some dialects read a value
    without a slash as if a "*" stood before it.
    """
    return "*" in value or not value.startswith("/")


def shared_paths(value: str, other: str, filling: str) -> Iterator[str]:
    """Paths that two values match: what the one says, then what the other has behind a "*".

    Not all such pairs have one. Of a value that starts another one, the other's own paths are some.
    """
    values = [one if one.startswith("/") else f"/*{one.lstrip('*')}" for one in (value, other)]
    for one, two in (values, values[::-1]):
        begin, *middle = as_sent(one).split("*", 1)
        start, *rest = as_sent(two).split("*", 1)
        if not rest or one.endswith("$"):
            continue
        longer = begin if begin.startswith(start) else start
        if longer == begin or (middle and start.startswith(begin)):
            path = "*".join((longer, *middle, rest[0].removesuffix("$")))
            yield path.replace("*", filling)
