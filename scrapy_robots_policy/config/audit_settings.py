"""Where the record of a crawl is written, which decisions it has, and which files are approved."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..rep import origin_of
from ..rep.escapes import quoted
from .kinds import SettingError, dict_in

_SHA256 = re.compile(r"[0-9a-f]{64}")


class ApprovedKind:
    words = "a dict of origins, each with a SHA-256 or 'none'"

    def read(self, name: str, value: Any) -> Mapping[str, str]:
        approved = dict_in(name, value, self.words).items()
        return {_origin(name, key): _digest(name, key, digest) for key, digest in approved}


def _origin(name: str, key: Any) -> str:
    origin = origin_of(key) if isinstance(key, str) else None
    if origin is None:
        raise SettingError(
            f"{name} has the key {quoted(key)}; a key must be an origin such as "
            "'https://example.com'"
        )
    return origin


def _digest(name: str, key: str, digest: Any) -> str:
    text = digest.strip().lower() if isinstance(digest, str) else ""
    if text != "none" and not _SHA256.fullmatch(text):
        raise SettingError(
            f"{name} has {quoted(digest)} for {key!r}; it must be a SHA-256 of 64 hexadecimal "
            "digits, or 'none'"
        )
    return text
