"""What an import path names, whatever the module behind it does."""

from __future__ import annotations

from typing import Any

from scrapy.utils.misc import load_object


def imported(path: Any) -> Any:
    """What an import path names; what is no text is itself. ValueError in a few words: "cannot be
    imported (ModuleNotFoundError: No module named 'x')".
    """
    if not isinstance(path, str):
        return path
    try:
        return load_object(path)
    except Exception as error:  # the module may be the user's, and do anything
        raise ValueError(f"cannot be imported ({error_words(error)})") from error


def error_words(error: Exception) -> str:
    """An error of a user's own code, on one line."""
    message = " ".join(str(error).split())
    return f"{type(error).__name__}: {message}" if message else type(error).__name__
