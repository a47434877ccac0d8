"""`[tool.robots-lint]` of pyproject.toml: what holds for lint where no option says otherwise."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...rep.escapes import nearest
from ..arguments import (
    Options,
    UsageError,
    read_codes,
    read_dialect,
    read_format,
    read_severity,
)
from ..verb_table import VERBS

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_FILE = "pyproject.toml"


def configured(options: Options) -> Options:
    """The options, with those of the nearest pyproject.toml for what the command line leaves open.

    UsageError where the table has a wrong value.
    """
    folder = Path.cwd()
    paths = (at / _FILE for at in (folder, *folder.parents))
    path = next(filter(os.path.isfile, paths), None)  # False in a folder that may not be looked at
    table = _table(path) if path else {}
    changes = {}
    for key, value in table.items():
        if key not in _READERS:
            raise UsageError(f"{path}: robots-lint has no option {key!r}{nearest(key, _READERS)}")
        field = key.replace("-", "_")
        wanted = _READERS[key](f"{path}: {key}", value)
        if not (options.named_dialect if key == "dialect" else getattr(options, field)):
            changes[field] = wanted
    return replace(options, **changes)


def _table(path: Path) -> Mapping[str, Any]:
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is no TOML: {error}") from None
    tool = data.get("tool", {})
    table = tool.get("robots-lint", {}) if isinstance(tool, dict) else tool
    if not isinstance(table, dict):
        raise UsageError(f"{path}: [tool.robots-lint] must be a table")
    return table


def _codes(source: str, value: Any) -> tuple[str, ...]:
    if not (isinstance(value, list) and all(isinstance(code, str) for code in value)):
        raise UsageError(f"{source} is {value!r}; it must be a list of codes")
    return read_codes(source, value)


def _text(source: str, value: Any) -> str:
    if not isinstance(value, str):
        raise UsageError(f"{source} is {value!r}; it must be a text")
    return value


def _flag(source: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise UsageError(f"{source} is {value!r}; it must be true or false")
    return value


# How the value of each key is read. The keys are those of `Options`, with dashes.
_READERS: Mapping[str, Callable[[str, Any], Any]] = {
    "select": _codes,
    "ignore": _codes,
    "severity": lambda at, value: read_severity(at, _text(at, value)),
    "dialect": lambda at, value: read_dialect(at, _text(at, value)),
    "include": _text,
    "exit-zero": _flag,
    "output-format": lambda at, value: read_format(at, _text(at, value), VERBS["lint"]),
}
