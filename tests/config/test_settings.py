"""What must be true of settings: all forms are read, and a wrong one stops the spider."""

from __future__ import annotations

import logging
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
import scrapy
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.settings import Settings
from scrapy.utils.test import get_crawler

from scrapy_robots_policy import Addon, RobotsPolicyMiddleware, RobotsTagMiddleware
from scrapy_robots_policy.compat import components
from scrapy_robots_policy.fetch.request import RequestProfile
from scrapy_robots_policy.rep import DIALECTS
from scrapy_robots_policy.settings.components import (
    refuse_misplaced_middleware,
    refuse_second_middleware,
)
from scrapy_robots_policy.settings.crawl import CrawlSettings, TagSettings
from scrapy_robots_policy.settings.kinds import SettingError
from scrapy_robots_policy.settings.table import SETTINGS
from tests.crawls import crawl
from tests.house.sources import MODULES, text_of
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


def read(settings=None, **attributes) -> CrawlSettings:
    crawler = Crawler(Spider, settings)
    crawler.spider = Spider(**attributes)
    return CrawlSettings.from_crawler(crawler, time.time)


def test_the_shell_which_has_no_spider_yet_writes_no_files(tmp_path):
    names = ("ROBOTS_REPORT", "ROBOTS_AUDIT")
    settings = dict.fromkeys(names, str(tmp_path / "%(name)s.json"))
    middleware = RobotsPolicyMiddleware.from_crawler(shell := get_crawler(settings_dict=settings))
    assert shell.spider is None
    assert (middleware.recorder, middleware.report) == (None, None)
    assert [*tmp_path.iterdir()] == []


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


def hook(page, made):
    return made


@pytest.mark.parametrize("value", [hook, f"{__name__}.hook"])
def test_a_hook_is_given_as_a_function_or_by_its_import_path(value):
    profile = read({"ROBOTS_FETCH_HOOK": value}).profile
    assert profile == RequestProfile(30.0, ("proxy",), hook)


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
    ({"USER_AGENT": b"Bytes/1"}, {}, "Bytes"),
    ({"ROBOTSTXT_USER_AGENT": "", "USER_AGENT": "MyBot"}, {}, "MyBot"),
    ({"USER_AGENT": "MyBot"}, {"robots_user_agent": ""}, "MyBot"),
    ({"DEFAULT_REQUEST_HEADERS": '{"User-Agent": "Json/1"}'}, {}, "Json"),
    ({"DEFAULT_REQUEST_HEADERS": {b"user-agent": b"Bytes/1"}}, {}, "Bytes"),
    ({"DEFAULT_REQUEST_HEADERS": {"User-Agent": None}, "USER_AGENT": "MyBot"}, {}, "MyBot"),
    ({"DEFAULT_REQUEST_HEADERS": {"User-Agent": ["Sent/1", b"Last/1"]}}, {}, "Last"),
    ({"USER_AGENT": ["MyBot/1"]}, {}, "MyBot"),
]


@pytest.mark.parametrize(("settings", "attributes", "token"), TOKENS)
def test_the_strongest_name_is_the_product_token(settings, attributes, token):
    assert read(settings, **attributes).configs.default.agent == token


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
    ({"ROBOTS_DRY_RUN": "maybe"}, "ROBOTS_DRY_RUN is 'maybe'; it must be True or False"),
    # Scrapy's `getbool` would take the one for True, the other for False.
    ({"ROBOTS_DRY_RUN": 5}, "ROBOTS_DRY_RUN is 5; it must be True or False"),
    ({"ROBOTS_DRY_RUN": 0.5}, "ROBOTS_DRY_RUN is 0.5; it must be True or False"),
    ({"ROBOTS_DRY_RUN": []}, "ROBOTS_DRY_RUN is []; it must be True or False"),
    ({"ROBOTS_DRY_RUN": float("inf")}, "ROBOTS_DRY_RUN is inf; it must be True or False"),
    ({"ROBOTSTXT_OBEY": ""}, "ROBOTSTXT_OBEY is ''; it must be True or False"),
    ({"ROBOTSTXT_OBEY": "no"}, "ROBOTSTXT_OBEY is 'no'; it must be True or False"),
    ({"ROBOTS_ITEM_FIELD": 5}, "ROBOTS_ITEM_FIELD is 5; it must be the name of a field"),
    ({"ROBOTS_PAUSE_MAX": -1}, "ROBOTS_PAUSE_MAX is -1; it must be a number of seconds from 0"),
    ({"ROBOTS_CRAWL_DELAY_MAX": -1}, "ROBOTS_CRAWL_DELAY_MAX is -1; it must be a number of "),
    ({"ROBOTS_FETCH_TIMEOUT": 0}, "ROBOTS_FETCH_TIMEOUT is 0; it must be a number of second"),
    ({"ROBOTS_FETCH_TIMEOUT": "soon"}, "ROBOTS_FETCH_TIMEOUT is 'soon'; it must be a number"),
    ({"ROBOTS_FETCH_TIMEOUT": "inf"}, "ROBOTS_FETCH_TIMEOUT is 'inf'"),
    ({"ROBOTS_MAX_FETCHES": 0}, "ROBOTS_MAX_FETCHES is 0; it must be a whole number from 1 up"),
    ({"ROBOTS_MAX_WAITING": "x"}, "ROBOTS_MAX_WAITING is 'x'; it must be a whole number from 0"),
    ({"ROBOTS_TTL": "day"}, "ROBOTS_TTL is 'day'; it must be a number of seconds from 0 up"),
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
    ({"ROBOTS_PURPOSE": "training"}, "ROBOTS_PURPOSE is 'training'; it must be one or several of"),
    ({"ROBOTS_PURPOSE": {"search": 1}}, "ROBOTS_PURPOSE is {'search': 1}; it must be one or sev"),
    ({"ROBOTS_OVERRIDES": "[]"}, "ROBOTS_OVERRIDES is '[]'; it must be a dict of host patterns"),
    ({"ROBOTS_OVERRIDES": "[" * 100_000}, "…, which is no JSON; it must be a dict of host"),
    ({"ROBOTS_OVERRIDES": "{'x': {}}"}, "which is no JSON; it must be a dict of host patterns"),
    ({"ROBOTS_OVERRIDES": {"x": {"agent": "a b"}}}, "has a wrong value for 'x': agent is 'a b', "),
]


@pytest.mark.parametrize(("settings", "sentence"), WRONG)
def test_a_wrong_value_is_an_error_of_one_sentence(settings, sentence):
    with pytest.raises(ValueError, match=r" is | has ") as error:
        read(settings)
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", SETTINGS)
def test_each_setting_has_a_value_that_stops_the_spider_with_a_sentence(name):
    with pytest.raises(SettingError, match=rf"^{name} (is|has) ") as error:
        read({name: SETTINGS[name].wrong})
    assert "\n" not in str(error.value)


SOURCES = [text_of(module) for module in MODULES if module.name != "table.py"]
CRAWLS = [path.read_text("utf-8") for path in Path("tests").rglob("test_*.py")]


@pytest.mark.parametrize("name", SETTINGS)
def test_each_setting_is_read_and_a_test_of_what_it_does_sets_it(name):
    assert any(f'"{name}"' in text for text in SOURCES)
    others = [text for text in CRAWLS if text != Path(__file__).read_text("utf-8")]
    assert any(re.search(rf"\b{name}\b", text) for text in others)


def test_a_wrong_attribute_of_the_spider_is_an_error_that_names_it():
    with pytest.raises(ValueError, match=r"robots_overrides is \['x'\]; it must be a dict"):
        read(robots_overrides=["x"])


JSON = '{"here.example": {"dialect": "google", "crawl_delay": 2}}'


@pytest.mark.parametrize("value", [JSON, {"here.example": {"dialect": "google", "crawl_delay": 2}}])
def test_overrides_are_given_as_a_dict_or_as_json(value):
    (layer,) = read({"ROBOTS_OVERRIDES": value}).configs.layers
    override = layer.of("http://here.example", 0.0)
    assert (override.dialect, override.crawl_delay) == (DIALECTS["google"], 2.0)


@pytest.mark.parametrize(
    "name",
    ["ROBOTS_TTL", "ROBOTS_STORE", "ROBOTS_DRY_RUN", "ROBOTS_OVERRIDES", "ROBOTSTXT_OBEY"],
)
def test_none_counts_as_not_set(name):
    assert read({name: None, "DOWNLOADER_MIDDLEWARES": {STOCK: None}}) == read()


UNKNOWN = {
    "ROBOTS_DIALCT": "is no setting of scrapy_robots_policy; did you mean ROBOTS_DIALECT?",
    "ROBOTS_OBEY": "did you mean ROBOTSTXT_OBEY?",
    "ROBOTS_USER_AGENT": "did you mean ROBOTSTXT_USER_AGENT?",
    "ROBOTS_CRAWL_DELAY": "a delay of your own is ROBOTS_OVERRIDES",
    "ROBOTS_XYZZY": "ROBOTS_XYZZY is no setting of scrapy_robots_policy; it has no effect here",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", UNKNOWN)
@on_reactor
async def test_a_setting_that_does_not_exist_is_warned_of_once_with_the_nearest_name(name, caplog):
    others = {"ROBOTSTXT_MINE": 1, "ROBOTSMITH": 2, "ROBOT_NAME": 3, "ROBOTS_TTL": 60, 7: "x"}
    with Site({"/robots.txt": robots("")}) as site:
        await crawl(site.url(), settings={name: "google", **others})
    warnings = [r.getMessage() for r in caplog.records if "no setting of" in r.getMessage()]
    assert len(warnings) == 1
    assert UNKNOWN[name] in warnings[0]


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


@pytest.mark.parametrize(
    "component", [STOCK, scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware]
)
def test_the_addon_keeps_the_order_that_the_project_gave_the_stock_middleware(component):
    settings = Settings({"DOWNLOADER_MIDDLEWARES": {component: 543}})
    Addon().update_settings(settings)
    assert components(settings, "DOWNLOADER_MIDDLEWARES")[OURS] == 543
    assert enabled(settings) == ["RobotsPolicyMiddleware"]


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


MISPLACED = {
    "SPIDER_MIDDLEWARES": ("RobotsPolicyMiddleware", "DOWNLOADER_MIDDLEWARES"),
    "DOWNLOADER_MIDDLEWARES": ("RobotsTagMiddleware", "SPIDER_MIDDLEWARES"),
}


@pytest.mark.parametrize("place", MISPLACED)
@pytest.mark.parametrize(
    "read",
    [lambda crawler: CrawlSettings.from_crawler(crawler, time.time), TagSettings.from_crawler],
)
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


@pytest.mark.parametrize("obey", [True, None])
def test_two_of_ours_are_refused(obey):
    chosen = {OURS: 100, OwnPolicy: 200, STOCK: None}
    settings = Settings({"ROBOTSTXT_OBEY": obey, "DOWNLOADER_MIDDLEWARES": chosen})
    with pytest.raises(ValueError, match=r"Policy; leave one of them out$"):
        refuse_second_middleware(settings)


def test_of_several_wrong_values_each_is_named():
    wrong = {"ROBOTS_DIALECT": "gogle", "ROBOTS_PURPOSE": "ai-train", "ROBOTS_TTL": -1}
    with pytest.raises(SettingError) as error:
        read(wrong)
    sentence = str(error.value)
    assert "did you mean google?" in sentence
    assert "ROBOTS_PURPOSE is 'ai-train'; it must be one or several of" in sentence
    assert "did you mean train-ai?" in sentence
    assert "ROBOTS_TTL is -1; it must be a number of seconds from 0 up" in sentence


def test_the_add_on_has_a_name():
    assert repr(Addon()) == "scrapy_robots_policy.Addon"
