"""What is set for single hosts: which pattern counts, and what is refused."""

import re

import pytest

from scrapy_robots_policy.core.overrides import Override, Overrides
from scrapy_robots_policy.core.redirects import RedirectGuard
from scrapy_robots_policy.rep import dialect_of
from scrapy_robots_policy.settings.kinds import HOSTS, SettingError
from scrapy_robots_policy.settings.requests import OVERRIDES

GOOGLE, YANDEX = dialect_of("google"), dialect_of("yandex")


@pytest.mark.parametrize(
    ("host", "dialect", "crawl_delay"),
    [
        ("example.com", None, None),
        ("a.example.com", GOOGLE, 2.0),
        ("b.a.example.com", GOOGLE, 2.0),
        ("www.example.com", YANDEX, 2.0),
        ("www.example.com:8080", YANDEX, 2.0),
        ("api.example.com:8443", GOOGLE, 9.0),
        ("api.example.com", GOOGLE, 7.0),
        ("notexample.com", None, None),
        ("mail.example.com:8080", YANDEX, 3.0),
        ("[::1]", GOOGLE, None),
        ("[::1]:8080", GOOGLE, None),
        ("[::2]", None, None),
        (":", None, None),
    ],
)
def test_for_each_key_the_most_specific_pattern_that_sets_it_decides(host, dialect, crawl_delay):
    overrides = Overrides(
        {
            "*.example.com": Override(dialect=GOOGLE, crawl_delay=2.0),
            "www.example.com": Override(dialect=YANDEX),
            "api.example.com": Override(crawl_delay=7.0),
            "api.example.com:8443": Override(crawl_delay=9.0),
            # longer than "mail.example.com", but with a star
            "*mail.example.com:8080": Override(dialect=GOOGLE, crawl_delay=3.0),
            "mail.example.com": Override(dialect=YANDEX),
            "[::1]": Override(dialect=GOOGLE),
        }
    )

    override = overrides.of(f"http://{host}", 0.0)

    assert (override.dialect, override.crawl_delay) == (dialect, crawl_delay)


def test_every_key_is_read():
    value = {
        "Example.COM.": {
            "dialect": "google",
            "agent": "MyBot/1.0",
            "obey": False,
            "crawl_delay": 2,
            "robots_txt": "User-agent: *\nDisallow: /ü",
        }
    }

    assert OVERRIDES.read("X", value).of("http://example.com", 0.0) == Override(
        GOOGLE, "MyBot", False, 2.0, "User-agent: *\nDisallow: /ü".encode()
    )


@pytest.mark.parametrize("written", ["Disallow: /ü", "Disallow: /ü".encode()], ids=type)
def test_a_robots_txt_of_the_users_may_be_text_or_bytes(written):
    override = OVERRIDES.read("X", {"example.com": {"robots_txt": written}})
    assert override.of("http://example.com", 0.0).robots_txt == "Disallow: /ü".encode()


MEANT = [
    ("[::1]", "http://[::1]", True),
    ("::1", "http://[::1]:8080", True),
    ("[::1]:8080", "http://[::1]:8080", True),
    ("[::1]:8080", "http://[::1]", False),
    ("münchen.example", "https://xn--mnchen-3ya.example", True),
    ("*.MÜNCHEN.example", "https://a.xn--mnchen-3ya.example", True),
    ("example.com:443", "https://example.com", True),
    ("example.com:443", "http://example.com", False),
    ("example.com:80", "http://example.com", True),
    ("example.com:*", "https://example.com", True),
    ("example.com.:8080", "http://example.com:8080", True),
    (" example.com ", "http://example.com", True),
    ("[2001:db8:*]", "http://[2001:db8::1]:8080", True),
]


@pytest.mark.parametrize(("pattern", "origin", "is_meant"), MEANT)
def test_a_pattern_means_the_hosts_that_people_read_in_it(pattern, origin, is_meant):
    override = OVERRIDES.read("X", {pattern: {"crawl_delay": 2}}).of(origin, 0.0)
    assert override.crawl_delay == (2.0 if is_meant else None)
    guard = RedirectGuard(allowed=HOSTS.read("X", [pattern]))
    assert guard.allows(f"{origin}/robots.txt") is is_meant


NO_HOSTS = [
    "10.0.0.0/8",
    "https://a.example",
    "user@a.example",
    "a.example:x",
    "a b",
    ".",
    ":80",
    "exampl?.com",
    "[a-z].com",  # only "*" stands for anything
]


@pytest.mark.parametrize("host", NO_HOSTS)
def test_what_is_no_host_is_refused(host):
    with pytest.raises(SettingError, match="a key must be a host or a pattern such as"):
        OVERRIDES.read("X", {host: {}})
    with pytest.raises(SettingError, match="which is no host, and no pattern such as"):
        HOSTS.read("X", [host])


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (["example.com"], "is ['example.com']; it must be a dict of host patterns"),
        ({"http://x/": {}}, "a key must be a host"),
        ({"x": "google"}, "it must be a dict of dialect, agent, obey, crawl_delay, "),
        (
            {"x": {"robots_txt": "x" * 300, "dialct": "google"}},
            "has the key 'dialct' for 'x'; the keys are dialect, agent, obey",
        ),
        ({"x": {"delay": 2}}, "by, why and until; did you mean crawl_delay?"),
        ({b"a.example": {}}, "has the key b'a.example'; a key must be a host or a pattern such as"),
        ({"x": {"dialect": "gogle"}}, "dialect is 'gogle'; it must be rfc9309, google, "),
        ({"x": {"agent": ""}}, "which gives the product token ''"),
        ({"x": {"agent": 5}}, "agent is 5, which gives the product token ''"),
        ({"x": {"agent": "*"}}, "agent is '*', which gives the product token '*'"),
        ({"x": {"dialect": []}}, "dialect is []; it must be rfc9309"),
        ({"x": {"obey": "no"}}, "it must be True or False"),
        ({"x": {"crawl_delay": -1}}, "it must be a number of seconds from 0 up"),
        ({"x": {"crawl_delay": float("nan")}}, "it must be a number of seconds from 0 up"),
        ({"x": {"robots_txt": None}}, "it must be the text of a robots.txt"),
        ({"x": {"by": 5}}, "by is 5; it must be a text"),
        ({"x": {"until": "next year"}}, "until is 'next year'; it must be a date such as"),
    ],
)
def test_a_wrong_override_is_an_error_that_names_the_choices(value, sentence):
    with pytest.raises(SettingError, match=re.escape(sentence)):
        OVERRIDES.read("X", value)
