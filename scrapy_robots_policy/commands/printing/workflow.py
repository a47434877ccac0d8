"""Annotations of GitHub's workflows: lines of output that are shown beside a file."""

from __future__ import annotations

from ...rep.escapes import shown


def annotation(level: str, message: str, **properties: str | int) -> str:
    """A workflow command: `level` is error, warning or notice."""
    pairs = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items())
    return f"::{level} {pairs}::{_data(message)}"


def _data(text: str) -> str:
    return shown(text).replace("%", "%25")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
