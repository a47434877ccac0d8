"""Names that look like ours and are none: a crawl warns of them, because they have no effect."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from inspect import getattr_static
from typing import Any

from scrapy import Spider
from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings

from ..crawl_log import CrawlLog
from ..rep.control_tokens import CONTROL_TOKENS
from ..rep.nearest import nearest
from .request_config import EXEMPT_KEY, META_KEY
from .setting_values import Values, is_set
from .settings_table import ATTRIBUTES, SETTINGS

META_KEYS = (META_KEY, EXEMPT_KEY, "robots_tags")  # what is read of a request
MAX_NAMES = 100

_PREFIX, _SCRAPY_PREFIX, _ATTRIBUTE_PREFIX = "ROBOTS_", "ROBOTSTXT_", "robots_"

# How much alike a name must be to one of ours. Users have names of their own that resemble ours:
# "pages" is like "tags" by 0.67, "content" like "content_use" by 0.78. The misspelt "dialekt" is
# like "dialect" by 0.86.
_SLIP = 0.85


def warnings_of_names(values: Values) -> Iterator[str]:
    """A sentence for each setting, spider attribute and control token that is probably misspelt."""
    yield from _settings(values.settings)
    if values.spider is not None:
        yield from _attributes(values.spider)
    yield from _control_tokens(values["ROBOTS_PURPOSE_TOKENS"] or ())


def _settings(settings: BaseSettings) -> Iterator[str]:
    for name in sorted(filter(_looks_ours, settings)):
        if name in SETTINGS or not is_set(settings, name):
            continue
        hint = _nearest_setting(name.partition("_")[2]) or "; it has no effect here"
        yield f"{name} is no setting of scrapy_robots_policy{hint}"


def _nearest_setting(word: str) -> str:
    """A question whether the setting was meant whose name ends in a word like this one."""
    for start in (_PREFIX, _SCRAPY_PREFIX):
        words = [name.removeprefix(start) for name in SETTINGS if name.startswith(start)]
        near = nearest(word, words, start, likeness=0.6)  # DELAY: CRAWL_DELAY
        if near:
            return near
    return ""


def _looks_ours(name: object) -> bool:
    """Other packages may have settings that begin with ROBOTSTXT_ or ROBOT_. One that is nearly the
    name of one of ours is a mistake.
    """
    if not isinstance(name, str) or not name.startswith("ROBOT"):
        return False
    return (
        name.startswith(_PREFIX)
        or name.replace(_SCRAPY_PREFIX, _PREFIX, 1) in SETTINGS
        or nearest(name, SETTINGS, likeness=0.9) != ""  # ROBOTSTXT_MINE: ROBOTSTXT_OBEY by 0.79
    )


def _attributes(spider: Spider) -> Iterator[str]:
    words = [name.removeprefix(_ATTRIBUTE_PREFIX) for name in ATTRIBUTES]
    for name in dir(spider):
        if not name.startswith(_ATTRIBUTE_PREFIX) or name in ATTRIBUTES or _is_method(spider, name):
            continue
        hint = nearest(name.removeprefix(_ATTRIBUTE_PREFIX), words, _ATTRIBUTE_PREFIX, _SLIP)
        if not hint and name.upper() in SETTINGS:
            hint = f"; set {name.upper()} in custom_settings"
        if hint:
            yield f"{name} is no attribute that scrapy_robots_policy reads of a spider{hint}"


def _is_method(spider: Spider, name: str) -> bool:
    value = getattr_static(spider, name, None)  # a property of the user's may do anything
    return callable(value) or isinstance(value, classmethod)


class MetaNames:
    """Warns of keys of `request.meta` that are probably misspelt, of each once.

    It looks at requests that wait, such as the first ones of each site: at every request, a look
    would cost more than the answer of a robots.txt.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.log = CrawlLog(crawler)
        self._seen: set[str] = set()

    def look(self, meta: Mapping[Any, Any]) -> None:
        for key in meta:
            if not isinstance(key, str) or not key.startswith(("robot", "dont_obey")):
                continue
            if key in META_KEYS or key in self._seen or len(self._seen) >= MAX_NAMES:
                continue
            self._seen.add(key)
            hint = nearest(key, META_KEYS, likeness=0.9)  # "robotics": "robots" by 0.86
            if hint:
                self.log.warning(
                    "request.meta[%(key)r] is nothing that scrapy_robots_policy reads%(hint)s",
                    {"key": key, "hint": hint},
                )


def _control_tokens(tokens: tuple[str, ...]) -> Iterator[str]:
    names = {token.name.lower(): token.name for token in CONTROL_TOKENS}
    for token in tokens:
        hint = "" if token.lower() in names else nearest(token, names.values(), likeness=_SLIP)
        if hint:
            yield f"{token} is no control token that scrapy_robots_policy knows{hint}"
