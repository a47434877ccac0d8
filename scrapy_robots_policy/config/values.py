"""Kinds of values: a flag, a number, a list of names.

Knows: how Scrapy keeps a setting, and the sentence where it is of another kind. Must not know:
which settings there are.
"""

from __future__ import annotations

from scrapy.settings import BaseSettings


def is_set(settings: BaseSettings, name: str) -> bool:
    """Whether anybody but Scrapy itself has set it."""
    return (settings.getpriority(name) or 0) > 0


def flag(settings: BaseSettings, name: str, default: bool) -> bool:
    try:
        return settings.getbool(name, default)
    except ValueError:
        told = settings.get(name)
        raise ValueError(f"{name} is {told!r}; it must be True or False") from None


def names(settings: BaseSettings, name: str, default: tuple[str, ...]) -> tuple[str, ...]:
    told = settings.get(name, default)
    names = told.split(",") if isinstance(told, str) else told
    try:
        return tuple(word.strip() for word in names if word.strip())
    except (TypeError, AttributeError):
        msg = f"{name} is {told!r}; it must be a list of names"
        raise ValueError(msg) from None


def optional(settings: BaseSettings, name: str, least: float = 0) -> float | None:
    return None if settings.get(name) is None else number(settings, name, 0.0, least)


def number(settings: BaseSettings, name: str, default: float, least: float = 0) -> float:
    told = settings.get(name, default)
    try:
        number = float(told)
    except (TypeError, ValueError):
        number = float("nan")
    if not least <= number < float("inf") or (isinstance(default, int) and number % 1):
        kind = "a whole number" if isinstance(default, int) else "a number"
        msg = f"{name} is {told!r}; it must be {kind} from {least} up"
        raise ValueError(msg)
    return number
