"""What to ask of a real file: paths that its own rules speak of, and common ones."""

from __future__ import annotations

import random
import re
from urllib.parse import quote

COMMON = ("/", "/robots.txt", "/search?q=1", "/a/b/c.html", "/admin/", "/index.html")
_PATH = re.compile(rb"(?im)^\s*(?:dis)?allow\s*:\s*([^\s#]*)")
_SAFE = "/%?&=;:@!$',()+~[]|"


def urls_for(name: str, body: bytes, most: int) -> list[str]:
    """URLs in RFC 3986 form, chosen by the file's name: the same ones each time."""
    written = list(dict.fromkeys(_PATH.findall(body)))
    chosen = random.Random(name).sample(written, min(most, len(written)))
    paths = [_concrete(value) for value in chosen]
    longer = [path + "x" for path in paths]
    return [f"http://example.com{path}" for path in dict.fromkeys([*COMMON, *paths, *longer])]


def _concrete(value: bytes) -> str:
    path = "/" + value.replace(b"*", b"x").rstrip(b"$").lstrip(b"/").decode("latin-1")
    escaped = quote(path.encode("latin-1"), safe=_SAFE)
    return re.sub("%[0-9a-fA-F]{2}", lambda match: match[0].upper(), escaped)
