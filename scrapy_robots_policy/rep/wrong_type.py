"""Arguments of a wrong type: one sentence about each, in place of Python's own from deep inside."""

from __future__ import annotations

from collections.abc import Collection


def wrong_type(name: str, wanted: str, value: object) -> TypeError:
    """The error for an argument. `wanted`: what it must be, "a str"."""
    return TypeError(f"{name} must be {wanted}, not {type(value).__name__}")


def not_a_string(name: str, value: object) -> TypeError:
    """The error for a URL, an agent or the like that is no string."""
    return wrong_type(name, "a str", value)


def check_type(name: str, value: object, kind: type) -> None:
    """TypeError unless an argument is of that type."""
    if not isinstance(value, kind):
        raise wrong_type(name, f"of type {kind.__name__}", value)


def check_octets(body: object) -> None:
    """TypeError unless it can be the octets of a robots.txt."""
    if not isinstance(body, bytes | bytearray | memoryview):
        raise wrong_type("a robots.txt", "bytes", body)


def check_strings(name: str, values: object) -> None:
    """TypeError unless the values are a collection of strings. One string is no collection here:
    its letters would be taken for the values.
    """
    if isinstance(values, str | bytes | bytearray) or not isinstance(values, Collection):
        raise wrong_type(name, "a collection of str", values)
    for value in values:
        if not isinstance(value, str):
            raise not_a_string(f"each of {name}", value)
