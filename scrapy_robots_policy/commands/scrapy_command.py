"""`scrapy robots VERB`: a command of Scrapy. A project's settings are the defaults of options."""

from __future__ import annotations

import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import Any, ClassVar

from scrapy.commands import ScrapyCommand
from scrapy.settings import BaseSettings

from ..core.overrides import Overrides
from ..core.redirects import RedirectGuard
from ..rep import Dialect
from ..rep.usage.preferences import DeclaredUse
from ..settings.crawl import declared_use, redirect_guard
from ..settings.names import crawler_name, sent_user_agent
from ..settings.requests import project_overrides
from ..settings.table import SETTINGS, Values, is_set
from .arguments import Defaults, UsageError
from .command_line import VERBS, run
from .printing.terminal import print_error

PROGRAM = "scrapy robots"


@contextmanager
def _as_usage_errors() -> Iterator[None]:
    """A wrong setting of the project is a wrong command line."""
    try:
        yield
    except ValueError as error:
        raise UsageError(str(error)) from None


class RobotsCommand(ScrapyCommand):
    """Exit status: see each verb's help."""

    requires_project = False
    requires_crawler_process = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        return f"{{{'|'.join(VERBS)}}} [options] [URL or FILE ...]"

    def short_desc(self) -> str:
        return "Show what robots.txt files allow, and why"

    def add_options(self, parser: ArgumentParser) -> None:
        super().add_options(parser)
        parser.add_argument("-h", "--help", action="store_true", dest="show_help")  # else Scrapy's

    def run(self, args: list[str], opts: Namespace) -> None:
        assert self.settings is not None
        if _is_off(self.settings):
            print_error(NOT_ON)
        help_wanted = ["-h"] if opts.show_help else []
        self.exitcode = run(PROGRAM, [*args, *help_wanted], ProjectDefaults(self.settings))


NOT_ON = (
    "this project has ROBOTS_ settings, and its crawls do not obey them: "
    'ADDONS = {"scrapy_robots_policy.Addon": 500} is missing, or another ADDONS stands below it'
)


def _is_off(settings: BaseSettings) -> bool:
    """Whether a project has settings of ours, and none of our components."""
    components = (*settings.getdict("ADDONS"), *settings.getdict("DOWNLOADER_MIDDLEWARES"))
    names = (str(getattr(one, "__module__", one)) for one in components)
    has_settings = any(name.startswith("ROBOTS_") and is_set(settings, name) for name in SETTINGS)
    return has_settings and not any(name.startswith("scrapy_robots_policy") for name in names)


class ProjectDefaults(Defaults):
    """What a project's settings say."""

    def __init__(self, settings: BaseSettings) -> None:
        self._settings = settings
        _, self.user_agent = sent_user_agent(settings, None)

    @_as_usage_errors()
    def dialect(self) -> Dialect:
        dialect: Dialect = Values(self._settings)["ROBOTS_DIALECT"]
        return dialect

    @_as_usage_errors()
    def agent(self, dialect: Dialect) -> str:
        return crawler_name(self._settings, None, dialect).token

    @_as_usage_errors()
    def use(self) -> DeclaredUse:
        return declared_use(Values(self._settings))

    @_as_usage_errors()
    def guard(self) -> RedirectGuard:
        return redirect_guard(Values(self._settings))

    def set_by(self, origin: str) -> Mapping[str, str]:
        return self._overrides.set_by(origin, time.time())

    @cached_property
    @_as_usage_errors()
    def _overrides(self) -> Overrides:
        return project_overrides(self._settings)
