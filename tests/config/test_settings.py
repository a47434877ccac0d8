"""What must be true of settings: all forms are read, and a wrong one stops the spider."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from types import ModuleType

import pytest
import scrapy
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.settings import Settings, default_settings
from scrapy.utils.test import get_crawler

from scrapy_robots_policy import Addon, RobotsPolicyMiddleware, RobotsTagMiddleware, compat
from scrapy_robots_policy.compat import components
from scrapy_robots_policy.config import (
    EXEMPT_KEY,
    PolicySettings,
    RequestConfig,
    SettingError,
    TagSettings,
)
from scrapy_robots_policy.config.components import (
    refuse_misplaced_middleware,
    refuse_second_middleware,
)
from scrapy_robots_policy.config.misspelt import MAX_NAMES, META_KEYS, MetaNames
from scrapy_robots_policy.config.request_config import META_KEY, RequestConfigs
from scrapy_robots_policy.config.store_settings import StoreSettings
from scrapy_robots_policy.fetch.order import FetchOrder
from scrapy_robots_policy.fetch.request import CARRIED_HEADERS, MAX_UNCOUNTED, RequestProfile
from scrapy_robots_policy.rep import DIALECTS, AccessMode, parse
from scrapy_robots_policy.rep.access_policy import AccessOverrides
from scrapy_robots_policy.spidermiddlewares import META_KEY as TAGS_KEY
from tests.crawls import crawl
from tests.missing import not_on_windows
from tests.on_reactor import on_reactor
from tests.site import Site, robots

STOCK = "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware"
OURS = "scrapy_robots_policy.RobotsPolicyMiddleware"
MINE = DIALECTS["google"].but("mine", crawl_delay="own")


async def coroutine(_page, _request) -> None:
    """No hook: nobody waits for it."""


class Spider(scrapy.Spider):
    name = "test"


def read(settings=None, **attributes) -> PolicySettings:
    crawler = Crawler(Spider, settings)
    crawler.spider = Spider(**attributes)
    return PolicySettings.from_crawler(crawler)


def test_the_shell_which_has_no_spider_yet_writes_no_files(tmp_path):
    names = ("ROBOTS_REPORT", "ROBOTS_REPORT_BASE", "ROBOTS_AUDIT")
    settings = dict.fromkeys(names, str(tmp_path / "%(name)s.json"))
    middleware = RobotsPolicyMiddleware.from_crawler(shell := get_crawler(settings_dict=settings))
    assert shell.spider is None
    assert (middleware.recorder, middleware.report) == (None, None)
    assert [*tmp_path.iterdir()] == []


def test_the_defaults():
    assert read() == PolicySettings(
        configs=RequestConfigs(
            RequestConfig(DIALECTS["rfc9309"], "Scrapy"),
            by_header=True,
            sent=default_settings.USER_AGENT.encode(),
        ),
        store=StoreSettings("memory:"),
        access_overrides=AccessOverrides(),
        profile=RequestProfile(30.0),
        fetch_retries=2,
        max_fetches=100,
        max_open=4000,
        max_waiting=1000,
        defer_timeout=600.0,
    )


DIALECT_WAYS = {
    "name": ({"ROBOTS_DIALECT": "google"}, {}, DIALECTS["google"]),
    "value": ({"ROBOTS_DIALECT": MINE}, {}, MINE),
    "import_path": ({"ROBOTS_DIALECT": f"{__name__}.MINE"}, {}, MINE),
    "spider": ({"ROBOTS_DIALECT": "google"}, {"robots_dialect": "bing"}, DIALECTS["bing"]),
}


@pytest.mark.parametrize("way", DIALECT_WAYS)
def test_a_dialect_is_given_by_name_value_or_import_path(way):
    settings, attributes, dialect = DIALECT_WAYS[way]
    assert read(settings, **attributes).configs.default.dialect == dialect


def test_an_empty_attribute_of_the_spider_is_stronger_than_the_setting():
    settings = {"ROBOTS_PURPOSE": "search"}
    assert read(settings).use != read().use
    assert read(settings, robots_purpose=[]).use == read().use


def test_a_wrong_attribute_of_the_spider_is_named():
    with pytest.raises(ValueError, match="robots_dialect is 'goggle'; it must be"):
        read({"ROBOTS_DIALECT": "google"}, robots_dialect="goggle")


def hook(page, made):
    return made


PROFILES = {
    "lists": ({"ROBOTS_FETCH_META": ["a", "b"], "ROBOTS_FETCH_HEADERS": ["X"]}, ("a", "b"), ("X",)),
    "text": ({"ROBOTS_FETCH_META": "a, b", "ROBOTS_FETCH_HEADERS": "X"}, ("a", "b"), ("X",)),
    "json": (
        {"ROBOTS_FETCH_META": '["a", "b"]', "ROBOTS_FETCH_HEADERS": '["X"]'},
        ("a", "b"),
        ("X",),
    ),
    "tuple, set": (
        {"ROBOTS_FETCH_META": ("a", "b"), "ROBOTS_FETCH_HEADERS": {"X"}},
        ("a", "b"),
        ("X",),
    ),
    "frozen set": (
        {"ROBOTS_FETCH_META": ["a", " b"], "ROBOTS_FETCH_HEADERS": frozenset("X")},
        ("a", "b"),
        ("X",),
    ),
    "none": ({"ROBOTS_FETCH_META": [], "ROBOTS_FETCH_HEADERS": ""}, (), ()),
}


@pytest.mark.parametrize("way", PROFILES)
def test_the_keys_and_headers_of_a_fetch_are_given_as_a_list_or_a_text(way):
    settings, meta, headers = PROFILES[way]
    assert read(settings).profile == RequestProfile(30.0, meta, headers)


@pytest.mark.parametrize("value", [hook, f"{__name__}.hook"])
def test_a_hook_is_given_as_a_function_or_by_its_import_path(value):
    profile = read({"ROBOTS_FETCH_HOOK": value}).profile
    assert profile == RequestProfile(30.0, ("proxy",), CARRIED_HEADERS, hook)


H2 = "scrapy.core.downloader.handlers.http2.H2DownloadHandler"


@pytest.mark.parametrize(
    ("handler", "limit"),
    [({}, 0), ({"https": H2}, MAX_UNCOUNTED), ({"https": "plugin.Handler"}, MAX_UNCOUNTED)],
)
def test_where_a_handler_may_not_count_octets_a_file_has_a_limit_all_the_same(handler, limit):
    profile = read({"DOWNLOAD_HANDLERS": handler}).profile
    order = FetchOrder(
        "https://a.example", None, DIALECTS["rfc9309"], scrapy.Request("https://a.example")
    )
    for url, expected in (("https://a.example/x", limit), ("http://a.example/x", 0)):
        assert profile.request(url, {}, order).meta["download_maxsize"] == expected


def test_access_overrides_are_read_as_numbers_and_a_mode():
    settings = {"ROBOTS_TTL": "60", "ROBOTS_ERROR_TTL": 5, "ROBOTS_ON_UNREACHABLE": "defer"}
    assert read(settings).access_overrides == AccessOverrides(60.0, 5.0, AccessMode.DEFER)


def test_the_least_value_is_a_right_one():
    least = {"ROBOTS_MAX_FETCHES": 1, "ROBOTS_MAX_OPEN_FETCHES": 1}
    settings = read({"ROBOTS_TTL": 0, "ROBOTS_FETCH_RETRIES": "0", **least})
    assert settings.access_overrides == AccessOverrides(0.0)
    assert (settings.fetch_retries, settings.max_fetches, settings.max_open) == (0, 1, 1)


TOKENS = [
    ({"USER_AGENT": "MyBot/1.0 (+https://org.example)"}, {}, "MyBot"),
    ({"USER_AGENT": "Mozilla/5.0 (compatible; MyBot/1.0; +https://x)"}, {}, "MyBot"),
    ({"USER_AGENT": "MyBot", "ROBOTSTXT_USER_AGENT": "Other/2"}, {}, "Other"),
    ({"USER_AGENT": "MyBot", "DEFAULT_REQUEST_HEADERS": {"user-agent": "Sent/1"}}, {}, "Sent"),
    ({"ROBOTSTXT_USER_AGENT": "Other"}, {"robots_user_agent": "Strongest"}, "Strongest"),
    ({"USER_AGENT": "MyBot"}, {"user_agent": "Spiders/1"}, "Spiders"),
    ({"DEFAULT_REQUEST_HEADERS": {"User-Agent": "Sent/1"}}, {"user_agent": "Spiders/1"}, "Sent"),
    ({"ROBOTSTXT_USER_AGENT": "360Spider"}, {}, "360Spider"),
    ({"ROBOTSTXT_USER_AGENT": "Sogou web spider"}, {}, "Sogou web spider"),  # an engine's crawler
    ({"ROBOTSTXT_USER_AGENT": "MyBot2"}, {}, "MyBot2"),
    ({"USER_AGENT": "archive.org_bot/3 (+https://archive.org)"}, {}, "archive.org_bot"),
    ({"USER_AGENT": b"Octets/1"}, {}, "Octets"),
    ({"ROBOTSTXT_USER_AGENT": "", "USER_AGENT": "MyBot"}, {}, "MyBot"),
    ({"USER_AGENT": "MyBot"}, {"robots_user_agent": ""}, "MyBot"),
    ({"DEFAULT_REQUEST_HEADERS": '{"User-Agent": "Json/1"}'}, {}, "Json"),
    ({"DEFAULT_REQUEST_HEADERS": {b"user-agent": b"Octets/1"}}, {}, "Octets"),
    ({"DEFAULT_REQUEST_HEADERS": {"User-Agent": None}, "USER_AGENT": "MyBot"}, {}, "MyBot"),
    ({"DEFAULT_REQUEST_HEADERS": {"User-Agent": ["Sent/1", b"Last/1"]}}, {}, "Last"),
    ({"USER_AGENT": ["MyBot/1"]}, {}, "MyBot"),
]


@pytest.mark.parametrize(("settings", "attributes", "token"), TOKENS)
def test_the_strongest_name_is_the_product_token(settings, attributes, token):
    assert read(settings, **attributes).configs.default.agent == token


@pytest.mark.parametrize(
    ("settings", "by_header"),
    [({}, True), ({"ROBOTSTXT_USER_AGENT": "MyBot"}, False)],
)
def test_a_requests_own_header_counts_where_no_name_is_set(settings, by_header):
    assert read(settings).configs.by_header is by_header


class NoRepr:
    def __repr__(self) -> str:
        raise RuntimeError("nobody can write it")


WRONG = [
    ({"ROBOTS_REDIRECT_HOSTS": 5}, "ROBOTS_REDIRECT_HOSTS is 5; it must be a list of hosts"),
    ({"ROBOTS_REDIRECT_HOSTS": ["https://a.example"]}, "has 'https://a.example', which is no host"),
    (
        {"ROBOTS_REDIRECT_HOSTS": "10.0.0.0/8"},
        "ROBOTS_REDIRECT_HOSTS has '10.0.0.0/8', which is no ",
    ),
    # These are wrong without ROBOTS_AUDIT too.
    ({"ROBOTS_AUDIT_PASSED": "every"}, "ROBOTS_AUDIT_PASSED is 'every'"),
    ({"ROBOTS_AUDIT_ON_ERROR": "ignore"}, "ROBOTS_AUDIT_ON_ERROR is 'ignore'"),
    ({"ROBOTS_AUDIT_MAX_SIZE": "1GiB"}, "ROBOTS_AUDIT_MAX_SIZE is '1GiB'"),
    ({"ROBOTS_DIALECT": "goggle"}, "ROBOTS_DIALECT is 'goggle'; it must be rfc9309, google, "),
    ({"ROBOTS_DIALECT": "GOOGLE"}, "or the import path of one; did you mean google?"),
    ({"ROBOTS_DIALECT": "os.path"}, "ROBOTS_DIALECT is 'os.path'; it must be rfc9309, google, "),
    ({"ROBOTS_DIALECT": "no.such.NAME"}, "ROBOTS_DIALECT is 'no.such.NAME', which cannot be impo"),
    ({"ROBOTS_DIALECT": "..x"}, "ROBOTS_DIALECT is '..x', which cannot be imported (TypeError: "),
    ({"ROBOTS_DIALECT": ["google"]}, "ROBOTS_DIALECT is ['google']; it must be rfc9309"),
    ({"ROBOTS_DIALECT": 9309}, "ROBOTS_DIALECT is 9309; it must be rfc9309"),
    ({"ROBOTS_DIALECT": NoRepr()}, "ROBOTS_DIALECT is <NoRepr instance at 0x"),
    ({"ROBOTS_DIALECT": "gogle" * 10_000_000}, "…; it must be rfc9309, google, "),
    ({"ROBOTSTXT_USER_AGENT": "my bot"}, "ROBOTSTXT_USER_AGENT is 'my bot', which gives"),
    ({"ROBOTSTXT_USER_AGENT": "*"}, "the product token '*'; a crawler's name is one word"),
    ({"ROBOTSTXT_USER_AGENT": "Бот"}, "a crawler's name is one word in ASCII, with a letter"),
    ({"ROBOTSTXT_USER_AGENT": 5}, "ROBOTSTXT_USER_AGENT is 5, which gives the product token ''"),
    ({"ROBOTS_STORE": "memroy:"}, "ROBOTS_STORE is 'memroy:': it names no store; the "),
    (
        {"ROBOTS_STORE": 5},
        "ROBOTS_STORE is 5: it has no method get; a store has get, put and close",
    ),
    ({"ROBOTS_STORE": "sqlite:/"}, "ROBOTS_STORE is 'sqlite:/': it is a folder; name a file in it"),
    ({"ROBOTS_STORE": "sqlite:no/"}, "'sqlite:no/': it is a folder; name a file in it"),
    pytest.param(
        {"ROBOTS_STORE": "sqlite:" + "x" * 300},
        "no file can be there: File name too long",
        marks=not_on_windows,
    ),
    pytest.param(
        {"ROBOTS_STORE": "sqlite:~no-body/x"},
        "'sqlite:~no-body/x': nobody knows the home folder",
        marks=not_on_windows,
    ),
    *(
        ({"ROBOTS_STORE": uri}, "': it would be a file called :memory:; take memory:, which keeps")
        for uri in ("sqlite::memory:", "sqlite:///:memory:")
    ),
    pytest.param(
        {"ROBOTS_STORE": "sqlite:/dev/null/x"},
        "no file can be there: Not a directory",
        marks=not_on_windows,
    ),
    ({"ROBOTS_STORE": "sqlite:a\0b"}, "ROBOTS_STORE is 'sqlite:a\\x00b': no path has a NUL"),
    ({"ROBOTS_CRAWL_DELAY": "maybe"}, "ROBOTS_CRAWL_DELAY is 'maybe'; it must be True or False"),
    # Meant as seconds: Scrapy's `getbool` would take the one for True, the other for False.
    ({"ROBOTS_CRAWL_DELAY": 5}, "ROBOTS_CRAWL_DELAY is 5; it must be True or False"),
    ({"ROBOTS_CRAWL_DELAY": 0.5}, "ROBOTS_CRAWL_DELAY is 0.5; it must be True or False"),
    ({"ROBOTS_CRAWL_DELAY": []}, "ROBOTS_CRAWL_DELAY is []; it must be True or False"),
    ({"ROBOTS_CRAWL_DELAY": float("inf")}, "ROBOTS_CRAWL_DELAY is inf; it must be True or False"),
    ({"ROBOTSTXT_OBEY": ""}, "ROBOTSTXT_OBEY is ''; it must be True or False"),
    ({"ROBOTSTXT_OBEY": "no"}, "ROBOTSTXT_OBEY is 'no'; it must be True or False"),
    ({"ROBOTS_CRAWL_DELAY_MAX": -1}, "ROBOTS_CRAWL_DELAY_MAX is -1; it must be a number of "),
    (
        {"ROBOTS_CRAWL_DELAY_OVER_MAX": "drop"},
        "ROBOTS_CRAWL_DELAY_OVER_MAX is 'drop'; it must be one of clamp, skip, ignore, queue",
    ),
    ({"ROBOTS_FETCH_TIMEOUT": 0}, "ROBOTS_FETCH_TIMEOUT is 0; it must be a number of second"),
    ({"ROBOTS_FETCH_TIMEOUT": "soon"}, "ROBOTS_FETCH_TIMEOUT is 'soon'; it must be a number"),
    ({"ROBOTS_FETCH_TIMEOUT": "inf"}, "ROBOTS_FETCH_TIMEOUT is 'inf'"),
    ({"ROBOTS_FETCH_RETRIES": -1}, "ROBOTS_FETCH_RETRIES is -1; it must be a whole number from 0"),
    ({"ROBOTS_FETCH_RETRIES": 1.5}, "ROBOTS_FETCH_RETRIES is 1.5; it must be a whole number"),
    ({"ROBOTS_MAX_FETCHES": 0}, "ROBOTS_MAX_FETCHES is 0; it must be a whole number from 1 up"),
    (
        {"ROBOTS_MAX_OPEN_FETCHES": 0},
        "ROBOTS_MAX_OPEN_FETCHES is 0; it must be a whole number from 1 up",
    ),
    ({"ROBOTS_MAX_WAITING": "x"}, "ROBOTS_MAX_WAITING is 'x'; it must be a whole number from 0"),
    ({"ROBOTS_TTL": "day"}, "ROBOTS_TTL is 'day'; it must be a number of seconds from 0 up"),
    ({"ROBOTS_ERROR_TTL": 0}, "ROBOTS_ERROR_TTL is 0; it must be a number of seconds from 0.1"),
    (
        {"ROBOTS_ON_UNREACHABLE": "open"},
        "ROBOTS_ON_UNREACHABLE is 'open'; it must be one of allow, disallow, defer",
    ),
    ({"ROBOTS_ON_UNREACHABLE": []}, "ROBOTS_ON_UNREACHABLE is []; it must be one of allow, dis"),
    ({"ROBOTS_TTL": []}, "ROBOTS_TTL is []; it must be a number of seconds from 0 up"),
    ({"ROBOTS_TTL": True}, "ROBOTS_TTL is True; it must be a number of seconds from 0 up"),
    ({"ROBOTS_TTL": 10**400}, "…; it must be a number of seconds from 0 up"),
    ({"ROBOTS_TTL": 10**5000}, "ROBOTS_TTL is a value that is too long to show; it must be"),
    (
        {"ROBOTS_MAX_FETCHES": "ten"},
        "ROBOTS_MAX_FETCHES is 'ten'; it must be a whole number from 1",
    ),
    ({"ROBOTS_FETCH_META": 5}, "ROBOTS_FETCH_META is 5; it must be a list of names"),
    ({"ROBOTS_FETCH_META": {"a": 1}}, "ROBOTS_FETCH_META is {'a': 1}; it must be a list of names"),
    ({"ROBOTS_FETCH_META": ["a", 5]}, "ROBOTS_FETCH_META is ['a', 5]; it must be a list of names"),
    ({"ROBOTS_FETCH_META": "[proxy]"}, "ROBOTS_FETCH_META is '[proxy]', which is no JSON; it must"),
    ({"ROBOTS_FETCH_META": "['proxy']"}, "which is no JSON; it must be a list of names"),
    ({"ROBOTS_FETCH_META": '["proxy", "a"'}, "which is no JSON; it must be a list of names"),
    ({"ROBOTS_FETCH_META": b"a"}, "ROBOTS_FETCH_META is b'a'; it must be a list of names"),
    ({"ROBOTS_FETCH_HEADERS": [5]}, "ROBOTS_FETCH_HEADERS is [5]; it must be a list of header na"),
    ({"ROBOTS_FETCH_HEADERS": ["X: 1"]}, "ROBOTS_FETCH_HEADERS has 'X: 1', which no header is"),
    ({"ROBOTS_FETCH_HEADERS": ["X\r\nY"]}, "HEADERS has 'X\\r\\nY', which no header is called"),
    ({"ROBOTS_FETCH_HEADERS": "X Y"}, "ROBOTS_FETCH_HEADERS has 'X Y', which no header is called"),
    ({"ROBOTS_FETCH_HEADERS": ["Größe"]}, "ROBOTS_FETCH_HEADERS has 'Größe', which no header is"),
    ({"ROBOTS_FETCH_HEADERS": "X,cookie"}, "ROBOTS_FETCH_HEADERS has 'cookie'; a robots.txt is"),
    ({"ROBOTS_FETCH_HEADERS": ["Cookie"]}, "ROBOTS_FETCH_HEADERS has 'Cookie'; a robots.txt is"),
    (
        {"ROBOTS_FETCH_HOOK": "no.such"},
        "ROBOTS_FETCH_HOOK is 'no.such', which cannot be imported (Mod",
    ),
    ({"ROBOTS_FETCH_HOOK": 5}, "ROBOTS_FETCH_HOOK is 5; it must be a function of two requests"),
    ({"ROBOTS_FETCH_HOOK": "os.getcwd"}, "'os.getcwd', which does not take two arguments; it must"),
    ({"ROBOTS_FETCH_HOOK": lambda page: page}, ", which does not take two arguments; it must be"),
    (
        {"ROBOTS_FETCH_HOOK": f"{__name__}.coroutine"},
        f"ROBOTS_FETCH_HOOK is '{__name__}.coroutine', which is a coroutine function; it must be",
    ),
    ({"ROBOTS_REPORT": "report"}, "ROBOTS_REPORT is 'report': it must be the path of a file"),
    ({"ROBOTS_REPORT": "a\0.html"}, "ROBOTS_REPORT is 'a\\x00.html'; it must be the path of a fi"),
    (
        {"ROBOTS_REPORT": "%(spider)s.html"},
        "it may have '%' only in %(name)s and %(time)s; write",
    ),
    ({"ROBOTS_REPORT": "%s.html"}, "it may have '%' only in %(name)s and %(time)s; write"),
    ({"ROBOTS_REPORT": True}, "ROBOTS_REPORT is True; it must be the path of a file that ends in"),
    ({"ROBOTS_REPORT_BASE": 5}, "ROBOTS_REPORT_BASE is 5; it must be the path of a report's .json"),
    (
        {"ROBOTS_REPORT_BASE": "%(name)s-%(time)s.json"},
        "it may have '%' only in %(name)s; write",
    ),
    pytest.param(
        {"ROBOTS_REPORT_BASE": "x" * 300},
        "': it cannot be read: File name too long",
        marks=not_on_windows,
    ),
    pytest.param(
        {"ROBOTS_REPORT_BASE": "/dev/null/x"},
        "': it cannot be read: Not a directory",
        marks=not_on_windows,
    ),
    pytest.param(
        {"ROBOTS_REPORT_BASE": "/"},
        "ROBOTS_REPORT_BASE is '/': it cannot be read: Is a directory",
        marks=not_on_windows,
    ),
    ({"ROBOTS_PURPOSE": "training"}, "ROBOTS_PURPOSE is 'training'; it must be one or several of"),
    ({"ROBOTS_PURPOSE": {"search": 1}}, "ROBOTS_PURPOSE is {'search': 1}; it must be one or sev"),
    ({"ROBOTS_OVERRIDES": "[]"}, "ROBOTS_OVERRIDES is '[]'; it must be a dict of host patterns"),
    ({"ROBOTS_OVERRIDES": "[" * 100_000}, "…, which is no JSON; it must be a dict of host"),
    ({"ROBOTS_OVERRIDES": "{'x': {}}"}, "which is no JSON; it must be a dict of host patterns"),
    ({"ROBOTS_APPROVED": "{"}, "ROBOTS_APPROVED is '{', which is no JSON; it must be a dict"),
    (
        {"ROBOTS_APPROVED": {"https://a.example": "ab", "https://b.example": "none"}},
        "ROBOTS_APPROVED has 'ab' for 'https://a.example'; it must be a SHA-256",
    ),
    ({"ROBOTS_OVERRIDES": {"x": {"agent": "a b"}}}, "has a wrong value for 'x': agent is 'a b', "),
    ({"ROBOTS_DEFER_TIMEOUT": -1}, "ROBOTS_DEFER_TIMEOUT is -1; it must be a number of second"),
]


@pytest.mark.parametrize(("settings", "sentence"), WRONG)
def test_a_wrong_value_is_an_error_of_one_sentence(settings, sentence):
    with pytest.raises(ValueError, match=r" is | has ") as error:
        read(settings)
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)


def test_a_wrong_attribute_of_the_spider_is_an_error_that_names_it():
    with pytest.raises(ValueError, match=r"robots_overrides is \['x'\]; it must be a dict"):
        read(robots_overrides=["x"])


TYPED_HOOK = """
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapy import Request


def hook(page: Request, robots: Request) -> Request:
    return robots


def other(page: Request) -> Request:
    return page
"""


@pytest.fixture
def typed_hooks(tmp_path, monkeypatch):
    """A module as type checkers like it. Python before 3.14 needs its first line."""
    head = "" if sys.version_info >= (3, 14) else "from __future__ import annotations\n"
    (tmp_path / "typed_hooks.py").write_text(head + TYPED_HOOK)
    monkeypatch.syspath_prepend(tmp_path)
    yield
    sys.modules.pop("typed_hooks", None)


def test_the_annotations_of_a_hook_may_name_what_only_a_type_checker_imports(typed_hooks):
    assert read({"ROBOTS_FETCH_HOOK": "typed_hooks.hook"}).profile.hook.__name__ == "hook"
    with pytest.raises(ValueError, match="which does not take two arguments"):
        read({"ROBOTS_FETCH_HOOK": "typed_hooks.other"})


class OnTwoLines:
    def __repr__(self):
        return "one\nother"


class Failing(ModuleType):
    def __getattr__(self, name):
        raise ValueError("one\nother")


def test_an_error_is_one_line_where_a_value_or_the_error_of_a_module_has_two(monkeypatch):
    monkeypatch.setitem(sys.modules, "failing_module", Failing("failing_module"))
    for value, sentence in (
        (OnTwoLines(), "ROBOTS_FETCH_HOOK is one other; it must be"),
        ("failing_module.X", "which cannot be imported (ValueError: one other); it must be"),
    ):
        with pytest.raises(ValueError, match="ROBOTS_FETCH_HOOK is") as error:
            read({"ROBOTS_FETCH_HOOK": value})
        assert sentence in str(error.value)


JSON = '{"here.example": {"dialect": "google", "crawl_delay": 2}}'


@pytest.mark.parametrize("value", [JSON, {"here.example": {"dialect": "google", "crawl_delay": 2}}])
def test_overrides_are_given_as_a_dict_or_as_json(value):
    (layer,) = read({"ROBOTS_OVERRIDES": value}).configs.layers
    override = layer.of("http://here.example")
    assert (override.dialect, override.crawl_delay) == (DIALECTS["google"], 2.0)


@pytest.mark.parametrize(
    "name",
    ["ROBOTS_TTL", "ROBOTS_STORE", "ROBOTS_CRAWL_DELAY", "ROBOTS_OVERRIDES", "ROBOTSTXT_OBEY"],
)
def test_none_counts_as_not_set(name):
    assert read({name: None, "DOWNLOADER_MIDDLEWARES": {STOCK: None}}) == read()


NAMELESS = [
    (
        {"USER_AGENT": "City Scrapers [development mode]. Learn more: https://x"},
        "USER_AGENT is 'City ",
    ),
    (
        {"USER_AGENT": "Open States (+https://openstates.org)"},
        "USER_AGENT is 'Open States (+https:",
    ),
    ({"USER_AGENT": ""}, "USER_AGENT is ''"),
    ({"USER_AGENT": None}, "USER_AGENT is ''"),
    ({"USER_AGENT": "*"}, "USER_AGENT is '*'"),
    ({"DEFAULT_REQUEST_HEADERS": {"User-Agent": "a b"}}, "DEFAULT_REQUEST_HEADERS is 'a b'"),
]


@pytest.mark.parametrize(("settings", "place"), NAMELESS)
def test_a_header_that_names_no_crawler_is_warned_of_once(settings, place, caplog):
    assert read(settings).configs.default.agent == "*"
    (warning,) = [r.getMessage() for r in caplog.records if r.levelno >= logging.WARNING]
    assert warning.startswith(f"{place}")
    assert warning.endswith('To name it, set ROBOTSTXT_USER_AGENT = "MyBot"')


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_group_for_all_binds_a_crawler_without_a_name(dialect):
    rules = parse(b"User-agent: MyBot\nDisallow: /\n\nUser-agent: *\nDisallow: /a\n", dialect)
    assert [rules.allowed(f"https://x{path}", "*") for path in ("/a", "/b")] == [False, True]


UNKNOWN = {
    "ROBOTS_DIALCT": "is no setting of scrapy_robots_policy; did you mean ROBOTS_DIALECT?",
    "ROBOTS_ON_UNREACHEABLE": "did you mean ROBOTS_ON_UNREACHABLE?",
    "ROBOTS_DELAY": "did you mean ROBOTS_CRAWL_DELAY?",
    "ROBOTS_OBEY": "did you mean ROBOTSTXT_OBEY?",
    "ROBOTS_AGENT": "did you mean ROBOTSTXT_USER_AGENT?",
    "ROBOTS_USER_AGENT": "did you mean ROBOTSTXT_USER_AGENT?",
    "ROBOTSTXT_DIALECT": "did you mean ROBOTS_DIALECT?",
    "ROBOTSTXT_OBAY": "did you mean ROBOTSTXT_OBEY?",
    "ROBOTSTXT_USERAGENT": "did you mean ROBOTSTXT_USER_AGENT?",
    "ROBOT_DIALECT": "did you mean ROBOTS_DIALECT?",
    "ROBOTS_XYZZY": "ROBOTS_XYZZY is no setting of scrapy_robots_policy; it has no effect here",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", UNKNOWN)
@on_reactor
async def test_a_misspelt_setting_is_warned_of_once_with_the_nearest_name(name, caplog):
    others = {"ROBOTSTXT_MINE": 1, "ROBOTSMITH": 2, "ROBOT_NAME": 3, "ROBOTS_TTL": 60, 7: "x"}
    with Site({"/robots.txt": robots("")}) as site:
        await crawl(site.url(), settings={name: "google", **others})
    warnings = [r.getMessage() for r in caplog.records if "no setting of" in r.getMessage()]
    assert len(warnings) == 1
    assert UNKNOWN[name] in warnings[0]


def warnings_of(caplog):
    return [r.getMessage() for r in caplog.records if r.levelno >= logging.WARNING]


CONTACT = {"USER_AGENT": "MyBot/1.0 (+https://bots.firm.dev)"}
MISSPELT = {
    "robots_dialekt": "did you mean robots_dialect?",
    "robots_useragent": "did you mean robots_user_agent?",
    "robots_overides": "did you mean robots_overrides?",
    "robots_tag": "did you mean robots_tags?",
    "robots_Purpose": "did you mean robots_purpose?",
    "robots_crawl_delay": "set ROBOTS_CRAWL_DELAY in custom_settings",
}


@pytest.mark.parametrize("name", MISSPELT)
def test_a_misspelt_attribute_of_a_spider_is_warned_of_once_with_the_nearest_name(name, caplog):
    read(CONTACT, **{name: "google"})
    sentence = f"{name} is no attribute that scrapy_robots_policy reads of a spider"
    assert warnings_of(caplog) == [f"{sentence}; {MISSPELT[name]}"]


def test_a_misspelt_attribute_of_the_class_is_warned_of_too(caplog):
    class Misspelt(Spider):
        robots_dialekt = "google"

    crawler = Crawler(Misspelt, CONTACT)
    crawler.spider = Misspelt()
    PolicySettings.from_crawler(crawler)
    (warning,) = warnings_of(caplog)
    assert warning.startswith("robots_dialekt is no attribute")


MISSPELT_META = {"robots_tag": "robots_tags", "dont_obey_robotstx": EXEMPT_KEY, "robot": META_KEY}
OWN_META = ("robots_seen", "robotics", "robots_verdict", "pages", 7)


@pytest.mark.slow
@on_reactor
async def test_a_misspelt_key_of_a_request_that_waits_is_warned_of_once(caplog):
    assert META_KEYS == (META_KEY, EXEMPT_KEY, TAGS_KEY)
    meta = {**dict.fromkeys(MISSPELT_META, True), **dict.fromkeys(OWN_META), TAGS_KEY: {}}
    with Site({"/robots.txt": robots("")}) as site:
        urls = [site.url("/1"), site.url("/2")]
        seen, _ = await crawl(*(scrapy.Request(url, meta=meta) for url in urls), settings=CONTACT)
        assert sorted(seen.answered) == urls
    assert warnings_of(caplog) == [
        f"request.meta[{name!r}] is nothing that scrapy_robots_policy reads; did you mean {meant}?"
        for name, meant in MISSPELT_META.items()
    ]


def test_a_crawl_with_a_key_of_its_own_for_each_request_keeps_no_more_than_some_of_them():
    names = MetaNames(Crawler(Spider))
    for number in range(3 * MAX_NAMES):
        names.look({f"robots_{number}": True})
    assert len(names._seen) == MAX_NAMES


OWN_NAMES = ("seen", "pages", "stats", "urls", "content", "use", "users", "policy", "file", "txt")
OUR_ATTRIBUTES = {
    "robots_dialect": "google",
    "robots_user_agent": "MyBot",
    "robots_overrides": {},
    "robots_tags": {},
    "robots_purpose": "search",
    "robots_content_use": "full",
    "robots_purpose_tokens": [],
}


def test_a_spider_may_have_attributes_of_its_own_with_our_prefix(caplog):
    read(CONTACT, **{f"robots_{name}": 1 for name in OWN_NAMES}, **OUR_ATTRIBUTES)
    assert warnings_of(caplog) == []


def test_methods_of_a_spider_are_no_misspelt_attributes_and_are_not_called(caplog):
    class WithMethods(Spider):
        def robots_dialekt(self): ...

        @classmethod
        def robots_tag(cls): ...

        @staticmethod
        def robots_overides(): ...

        @property
        def robots_seen(self):
            raise AssertionError("a property may do anything")

    crawler = Crawler(WithMethods, CONTACT)
    crawler.spider = WithMethods()
    PolicySettings.from_crawler(crawler)
    assert warnings_of(caplog) == []


NEARLY = {"Google-Extendet": "Google-Extended", "applebotextended": "Applebot-Extended"}


@pytest.mark.parametrize("token", NEARLY)
def test_a_control_token_that_is_nearly_a_known_one_is_warned_of_and_obeyed(token, caplog):
    assert read({**CONTACT, "ROBOTS_PURPOSE_TOKENS": token}).use.tokens == (token,)
    sentence = f"{token} is no control token that scrapy_robots_policy knows"
    assert warnings_of(caplog) == [f"{sentence}; did you mean {NEARLY[token]}?"]


def test_a_control_token_of_the_users_own_is_no_reason_to_warn(caplog):
    own = ["google-extended", "GPTBot", "Training-Preference", "Google", "Extended"]
    read(CONTACT, robots_purpose_tokens=own)
    assert warnings_of(caplog) == []


SPIDER = """
import scrapy

class Spider(scrapy.Spider):
    name = "test"
    start_urls = ["data:,page"]
    custom_settings = {"ADDONS": {"scrapy_robots_policy.Addon": 500}}

    def parse(self, response):
        print("A PAGE WAS CRAWLED")
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "setting", ["ROBOTS_DIALECT=goggle", "ROBOTS_TAGS=x", "ROBOTS_STORE=os.path"]
)
def test_a_wrong_value_ends_scrapy_crawl_with_its_sentence(tmp_path, setting):
    (tmp_path / "spider.py").write_text(SPIDER)
    run = subprocess.run(
        [sys.executable, "-m", "scrapy", "runspider", "spider.py", "-s", setting],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    name, _, value = setting.partition("=")
    assert "A PAGE WAS CRAWLED" not in run.stdout
    assert f"[scrapy_robots_policy] ERROR: {name} is {value!r}" in run.stderr
    if compat.ASYNC_API:  # before, Scrapy holds the crawl by a Deferred, which logs it
        assert "Traceback" not in run.stderr
        assert run.stderr.rstrip().splitlines()[-1].partition("ERROR: ")[2].startswith(name)
    if scrapy.version_info >= (2, 19):  # older ones do not tell by their exit status
        assert run.returncode == 1


@pytest.mark.parametrize(
    ("settings", "is_on"),
    [
        ({}, True),  # Scrapy's own default, False, does not count
        ({"ROBOTSTXT_OBEY": True}, True),
        ({"ROBOTSTXT_OBEY": False}, False),
        ({"ROBOTSTXT_OBEY": "0"}, False),
        ({"ROBOTSTXT_OBEY": 0}, False),
        ({"ROBOTSTXT_OBEY": "False"}, False),
        ({"ROBOTSTXT_OBEY": "true"}, True),
        ({"ROBOTSTXT_OBEY": None}, True),  # of an environment variable that is not set
    ],
)
def test_only_false_turns_robots_txt_off(settings, is_on, caplog):
    # Where robots.txt is obeyed, a second middleware is refused: Scrapy's own.
    settings = {"DOWNLOADER_MIDDLEWARES": {STOCK: None}, **settings}
    if is_on:
        assert read(settings)
    else:
        caplog.set_level(logging.INFO)
        with pytest.raises(NotConfigured) as off:
            read(settings)
        assert off.value.args == ()  # Scrapy would make a warning of them
        assert [r.levelname for r in caplog.records if "ROBOTSTXT_OBEY is" in r.message] == ["INFO"]


def enabled(settings) -> list[str]:
    """The robots middlewares that Scrapy would start, by name."""
    kinds = [
        kind if isinstance(kind, str) else f"{kind.__module__}.{kind.__qualname__}"
        for kind in components(settings, "DOWNLOADER_MIDDLEWARES")
    ]
    return sorted(kind.rpartition(".")[2] for kind in kinds if "Robots" in kind)


CHOSEN = {
    "nothing": {},
    "ours_by_path": {OURS: 100},
    "ours_by_class": {RobotsPolicyMiddleware: 100},
    "stock_elsewhere": {STOCK: 900},
    "stock_off": {STOCK: None},
}


@pytest.mark.parametrize("chosen", CHOSEN)
def test_the_addon_replaces_the_stock_middleware(chosen):
    settings = Settings({"DOWNLOADER_MIDDLEWARES": CHOSEN[chosen], "ROBOTSTXT_OBEY": True})
    Addon().update_settings(settings)
    assert enabled(settings) == ["RobotsPolicyMiddleware"]
    refuse_second_middleware(settings)


def test_the_addon_keeps_an_order_that_was_chosen():
    settings = Settings({"DOWNLOADER_MIDDLEWARES": {OURS: 55}})
    Addon().update_settings(settings)
    assert components(settings, "DOWNLOADER_MIDDLEWARES")[OURS] == 55


@pytest.mark.parametrize(
    "component", [STOCK, scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware]
)
def test_the_addon_keeps_the_order_that_the_project_gave_the_stock_middleware(component):
    settings = Settings({"DOWNLOADER_MIDDLEWARES": {component: 543}})
    Addon().update_settings(settings)
    assert components(settings, "DOWNLOADER_MIDDLEWARES")[OURS] == 543
    assert enabled(settings) == ["RobotsPolicyMiddleware"]


@pytest.mark.parametrize("name", ["DOWNLOADER_MIDDLEWARES", "SPIDER_MIDDLEWARES"])
@pytest.mark.parametrize("gone", ["gone.module.Middleware", f"{__name__}.Gone", "gone"])
def test_the_addon_leaves_it_to_scrapy_to_look_for_other_middlewares(name, gone):
    settings = Settings({name: {gone: None}})
    Addon().update_settings(settings)
    assert settings.getdict(name)[gone] is None
    assert settings.getdict("DOWNLOADER_MIDDLEWARES")[OURS] == 100


class OwnPolicy(RobotsPolicyMiddleware):
    pass


class OwnTags(RobotsTagMiddleware):
    pass


def test_a_subclass_of_the_projects_takes_the_place_of_ours():
    settings = Settings(
        {"DOWNLOADER_MIDDLEWARES": {OwnPolicy: 200}, "SPIDER_MIDDLEWARES": {OwnTags: 300}}
    )
    Addon().update_settings(settings)
    assert settings.getdict("DOWNLOADER_MIDDLEWARES") == {OwnPolicy: 200, STOCK: None}
    assert settings.getdict("SPIDER_MIDDLEWARES") == {OwnTags: 300}


def test_a_subclass_that_is_switched_off_does_not_switch_ours_off():
    settings = Settings(
        {"DOWNLOADER_MIDDLEWARES": {OwnPolicy: None}, "SPIDER_MIDDLEWARES": {OwnTags: None}}
    )
    Addon().update_settings(settings)
    assert components(settings, "DOWNLOADER_MIDDLEWARES")[OURS] == 100
    assert settings.getdict("SPIDER_MIDDLEWARES")["scrapy_robots_policy.RobotsTagMiddleware"] == 950


class Replacing:
    """An add-on of others that keeps nothing of what a setting had."""

    def update_settings(self, settings) -> None:
        settings.set("DOWNLOADER_MIDDLEWARES", {}, "addon")


@pytest.mark.parametrize(("order", "warns"), [(1, False), (900, True)])
def test_an_addon_that_switches_ours_off_is_warned_of(order, warns, caplog):
    crawler = get_crawler(Spider, {"ADDONS": {Addon: 500, Replacing: order}})
    spider = Spider.from_crawler(crawler)
    crawler.signals.send_catch_log(scrapy.signals.spider_opened, spider=spider)
    lines = [r.message for r in caplog.records if r.name == "scrapy_robots_policy"]
    assert [line.partition(":")[0] for line in lines] == warns * [
        f"{OURS} is off, because another add-on has replaced DOWNLOADER_MIDDLEWARES"
    ]


@pytest.mark.parametrize("in_addons", [True, False])
def test_an_addon_in_another_setting_than_addons_is_warned_of(in_addons, caplog):
    crawler = get_crawler(Spider, {"ADDONS" if in_addons else "EXTENSIONS": {Addon: 500}})
    spider = Spider.from_crawler(crawler)
    crawler.signals.send_catch_log(scrapy.signals.spider_opened, spider=spider)
    lines = [line.getMessage() for line in caplog.records if line.name == "scrapy_robots_policy"]
    sentence = "scrapy_robots_policy.Addon does nothing here: its place is the setting ADDONS"
    assert lines == ([] if in_addons else [sentence])


MISPLACED = {
    "SPIDER_MIDDLEWARES": ("RobotsPolicyMiddleware", "DOWNLOADER_MIDDLEWARES"),
    "DOWNLOADER_MIDDLEWARES": ("RobotsTagMiddleware", "SPIDER_MIDDLEWARES"),
}


@pytest.mark.parametrize("place", MISPLACED)
@pytest.mark.parametrize("read", [PolicySettings.from_crawler, TagSettings.from_crawler])
def test_a_middleware_in_the_setting_of_the_other_stops_the_spider(read, place):
    name, home = MISPLACED[place]
    settings = {place: {f"scrapy_robots_policy.{name}": 100}, "ROBOTSTXT_OBEY": True}
    crawler = Crawler(Spider, settings)
    crawler.spider = Spider()
    with pytest.raises(SettingError, match=rf"^{place} has .*\.{name}; its place is {home}$"):
        read(crawler)
    refuse_misplaced_middleware(Settings({place: {f"scrapy_robots_policy.{name}": None}}))


class Derived(scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware):
    pass


@pytest.mark.parametrize("other", [{}, {STOCK: 50}, {STOCK: None, Derived: 100}])
def test_two_robots_middlewares_are_refused(other):
    settings = {"ROBOTSTXT_OBEY": True, "DOWNLOADER_MIDDLEWARES": {OURS: 100, **other}}
    with pytest.raises(ValueError, match=r"enables both scrapy_robots_policy\.RobotsPolicyMidd"):
        refuse_second_middleware(Settings(settings))


def test_of_a_subclass_of_scrapys_the_error_names_no_addon_since_that_leaves_it_alone():
    settings = Settings({"ROBOTSTXT_OBEY": True, "DOWNLOADER_MIDDLEWARES": {Derived: 100}})
    Addon().update_settings(settings)
    with pytest.raises(ValueError, match=rf"; set '{__name__}\.Derived' to None there$"):
        refuse_second_middleware(settings)


@pytest.mark.parametrize("obey", [True, None])
def test_two_of_ours_are_refused(obey):
    chosen = {OURS: 100, OwnPolicy: 200, STOCK: None}
    settings = Settings({"ROBOTSTXT_OBEY": obey, "DOWNLOADER_MIDDLEWARES": chosen})
    with pytest.raises(ValueError, match=r"Policy; leave one of them out$"):
        refuse_second_middleware(settings)


def test_a_stock_middleware_that_is_off_is_no_error():
    refuse_second_middleware(Settings({"DOWNLOADER_MIDDLEWARES": {OURS: 100}}))
