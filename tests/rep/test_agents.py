"""Which name a User-Agent header goes by, and which rules bind a crawler."""

from __future__ import annotations

import re

import pytest

from scrapy_robots_policy.rep import DIALECTS, Agent, find_agent, parse, product_token
from scrapy_robots_policy.rep.agents import add_agents, chain_of, is_name, is_token
from scrapy_robots_policy.rep.dialect import AgentMatch

HEADERS = {
    "FooBot": "FooBot",
    "FooBot/1.0": "FooBot",
    "FooBot/1.0 (+https://foo.example)": "FooBot",
    "FooBot (like BarBot)": "FooBot",
    "  FooBot/1.0": "FooBot",
    "Scrapy/2.19.0 (+https://scrapy.org)": "Scrapy",
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)": "Googlebot",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +x)": "bingbot",
    # a browser's header names no crawler
    "Mozilla/5.0 (X11; Linux x86_64) Firefox/1": "",
    "Mozilla/4.0 (compatible; MSIE 6.0; Windows NT 5.1)": "",
    "Mozilla/5.0 (iPhone) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17 Safari/604.1": "",
    "Mozilla/5.0 (X11) AppleWebKit/1 (KHTML, like Gecko) Chrome/1 Safari/1 Edg/1": "",
    # forms that vendors document or send
    "Mozilla/5.0 (Macintosh) Version/8.0.2 Safari/600.2.5 (Applebot/0.1; +http://a)": "Applebot",
    "Mozilla/5.0 (X11; Linux x86_64; Storebot-Google/1.0) Chrome/79 Safari/537.36": (
        "Storebot-Google"
    ),
    "Baiduspider+(+http://www.baidu.com/search/spider.htm)": "Baiduspider",
    "Mozilla/5.0 (Windows NT 10.0) Chrome/69.0.3497.81 YisouSpider/5.0 Safari/537.36": (
        "YisouSpider"
    ),
    "Mozilla/5.0 (X11) Chrome/1 Safari/1 (MyBot/1.0; +https://my.example)": "MyBot",
    "Mozilla/5.0 (compatible) MyBot/1.0": "MyBot",
    "Mozilla/5.0 (compatible, MyBot/1.0)": "MyBot",
    "Mozilla/5.0 (compatible; MSIE 8.0; Windows NT 6.0; MyBot/1.0)": "MyBot",
    "Mozilla/5.0 (X11) Chrome/1 Safari/1 (like Googlebot/2.1)": "",
    "Mozilla/5.0 (X11) Chrome/1 (MyBot/1.0; like Googlebot/2.1)": "MyBot",
    "Mozilla/5.0 (compatible; MyBot/1.0; like Googlebot)": "MyBot",
    "Sogou web spider/4.0(+http://www.sogou.com)": "Sogou web spider",
    "360Spider": "360Spider",
    "Mozilla/5.0 (compatible; Yahoo! Slurp; http://help.yahoo.com)": "Yahoo! Slurp",
    "MyBot 1.0": "MyBot",
    "MyBot v2 (+x)": "MyBot",
    "MyBot  V2.1": "MyBot",
    "MyBot +https://example.com/bot": "MyBot",
    "MyBot https://example.com/bot": "MyBot",
    "MyBot2 2.0": "MyBot2",
    "MJ12bot/v1.4.8": "MJ12bot",
    "Mozilla/5.0 (compatible; MJ12bot/v1.4.8; http://mj12bot.com/)": "MJ12bot",
    "Mozilla/5.0 (compatible; archive.org_bot +http://archive.org/details/archive.org_bot)": (
        "archive.org_bot"
    ),
    "": "",
    "/1.0": "",
}


@pytest.mark.parametrize(("header", "token"), HEADERS.items())
def test_a_header_is_reduced_to_its_product_token(header: str, token: str):
    assert product_token(header) == token


@pytest.mark.parametrize(
    ("name", "fits"),
    [("Foo_Bar-Bot", True), ("FooBot2", False), ("Foo Bot", False), ("", False), ("Föö", False)],
)
def test_a_token_keeps_to_rfc9309s_alphabet(name: str, fits: bool):
    assert is_token(name) is fits


@pytest.mark.parametrize(
    ("name", "fits"),
    [
        *[("FooBot", True), ("MyBot2", True), ("MJ12bot", True), ("archive.org_bot", True)],
        *[("360Spider", True), ("Yahoo!", True), ("", False), ("1.0", False), ("*", False)],
        *[("Foo Bot", False), ("Foo#Bot", False), ("Foo*", False), ("Foo:Bot", False)],
        *[("Föö", False), ("Foo\n", False), ("Mozilla/5.0", False)],
    ],
)
def test_a_crawler_may_have_digits_and_dots_in_its_name(name: str, fits: bool):
    assert is_name(name) is fits


ODD_NAMES = ["MJ12bot", "MyBot2", "archive.org_bot", "Crawler4j", "My.Bot-3_x"]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_line_that_names_a_crawler_in_full_binds_it(dialect: str):
    for name in ODD_NAMES:
        file = f"User-agent: {name.upper()}\nDisallow: /x\n\nUser-agent: *\nDisallow: /y\n"
        rules = parse(file.encode(), dialect)
        named = (name, f"{name}/1.0 (+https://example.com)", f"{name} 1.0")
        for agent in named:
            group = rules.group(agent)
            assert group is not None
            assert group.name == name.lower()
        for agent in (*named, "FooBot"):
            answers = [rules.allowed("http://h" + path, agent) for path in ("/x", "/y")]
            assert answers == [agent not in named, agent in named], agent


def test_each_of_two_crawlers_is_bound_by_the_line_with_its_own_whole_name():
    rules = parse(b"User-agent: Bot1x\nDisallow: /1\n\nUser-agent: Bot2x\nDisallow: /2\n")
    for _ in range(2):
        for own, other in (("1", "2"), ("2", "1")):
            group = rules.group(f"Bot{own}x")
            assert group is not None
            assert [rule.path for rule in group.rules] == [f"/{own}"]
            assert rules.allowed(f"/{other}", f"Bot{own}x")


@pytest.mark.parametrize("match", AgentMatch)
def test_a_line_that_names_a_crawler_in_full_binds_it_however_names_are_compared(match: AgentMatch):
    mine = DIALECTS["rfc9309"].but("mine", agent_match=match)
    rules = parse(b"User-agent: *\nDisallow: /y\n\nUser-agent: MJ12bot\nDisallow: /x\n", mine)
    assert not rules.allowed("http://h/x", "MJ12bot")


@pytest.mark.parametrize("match", AgentMatch)
def test_an_empty_user_agent_line_names_no_crawler_but_where_a_part_of_the_name_will_do(
    match: AgentMatch,
):
    """The empty text is a part of every name, as in WWW::RobotRules."""
    mine = DIALECTS["koster1996"].but("mine", agent_match=match)
    rules = parse(b"User-agent:\nDisallow: /", mine)
    assert rules.allowed("http://h/x", "FooBot") is (match is not AgentMatch.IN_NAME)


NAMED_OR_NOT = [  # what a User-agent line holds, and whether it names MJ12bot in rfc9309
    ("MJ12bot", True),
    ("mj12BOT", True),
    ("MJ12bot/v1.4.8", True),
    ("MJ12bot v1.4", True),
    ("MJ12bot # the one of Majestic", True),
    ("MJ12bot-image", False),
    ("MJ12", False),
    ("MJ", False),
    ("AMJ12bot", False),
    ("", False),
]


@pytest.mark.parametrize(("value", "named"), NAMED_OR_NOT)
def test_part_of_a_crawlers_name_is_not_its_name(value: str, named: bool):
    rules = parse(f"User-agent: {value}\nDisallow: /".encode())
    assert rules.allowed("http://h/x", "MJ12bot") is not named


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_whole_header_finds_the_line_of_its_crawler(dialect: str):
    rules = parse(b"User-agent: MyBot\nDisallow: /", dialect)
    for agent in ("MyBot 1.0", "MyBot v2 (+x)", "MyBot/1.0", "MyBot +http://x"):
        assert not rules.allowed("http://h/x", agent), agent


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_crawler_without_a_name_is_bound_by_the_groups_for_all(dialect: str):
    rules = parse(b"User-agent: Slurp\nDisallow: /\n\nUser-agent: *\nDisallow: /x", dialect)
    for agent in ("", " ", "/1.0 (x)"):
        answers = [rules.allowed(f"http://h{path}", agent) for path in ("/x", "/y")]
        assert answers == [False, True], agent


CHAINS = [
    ("google", "Googlebot", "googlebot *"),
    ("google", "Googlebot-Image", "googlebot-image googlebot *"),
    ("google", "googlebot-news/1.0", "googlebot-news googlebot *"),
    ("google", "Storebot-Google", "storebot-google *"),
    ("google", "AdsBot-Google", "adsbot-google"),
    ("google", "AdsBot-Google-Mobile", "adsbot-google-mobile"),
    ("google", "APIs-Google", "apis-google"),
    ("google", "Mediapartners-Google", "mediapartners-google"),
    ("google", "Googlebot-Video", "googlebot-video googlebot *"),
    ("google", "Google-InspectionTool", "google-inspectiontool googlebot *"),
    ("google", "Google-CloudVertexBot", "google-cloudvertexbot googlebot *"),
    ("google", "GoogleOther", "googleother *"),
    ("google", "GoogleOther-Image", "googleother-image googleother *"),
    ("google", "GoogleOther-Video", "googleother-video googleother *"),
    ("google", "FooBot/1.0 (x)", "foobot *"),
    ("bing", "bingbot", "bingbot msnbot *"),
    ("bing", "msnbot", "msnbot *"),
    ("bing", "adidxbot", "adidxbot bingbot msnbot *"),
    ("baidu", "Baiduspider-image", "baiduspider-image baiduspider *"),
    ("yahoo", "Mozilla/5.0 (compatible; Yahoo! Slurp; x)", "slurp *"),
    ("apple", "Applebot", "applebot googlebot *"),
    ("sogou", "Sogou web spider/4.0", "sogou web spider *"),
    ("sogou", "Sogou wap spider", "sogou wap spider *"),
    ("360", "360Spider-Image", "360spider-image *"),
    ("360", "HaoSouSpider", "haosouspider *"),
    ("yandex", "YandexAdditionalBot", "yandexadditionalbot"),
    ("amazon", "Amazonbot", "amazonbot *"),
    ("amazon", "Amzn-SearchBot", "amzn-searchbot *"),
    ("amazon", "Amzn-User", "amzn-user *"),
    ("rfc9309", "Yisouspider", "yisouspider *"),
    ("rfc9309", "Twitterbot", "twitterbot *"),
    ("rfc9309", "Googlebot-Image", "googlebot-image *"),  # RFC 9309 knows no families
    *(("rfc9309", without_name, "*") for without_name in ("", "*", "/1.0 (x)")),
]


@pytest.mark.parametrize(("dialect", "agent", "chain"), CHAINS)
def test_a_crawler_looks_for_its_names_in_their_order(dialect: str, agent: str, chain: str):
    assert " ".join(chain_of(agent, DIALECTS[dialect].agents)) == chain


@pytest.mark.parametrize(
    ("agent", "first", "last"),
    [
        ("YandexBot", "yandexbot/3.0", "yandex *"),
        ("YandexImages", "yandeximages/3.0", "yandex *"),
        ("YandexDirect", "yandexdirect/3.0", "yandexdirec"),
        ("YandexMetrika/4.0", "yandexmetrika/4.0", "yandexmetrik"),
        ("YandexMetrika/3.0", "yandexmetrika/3.0", "yandex *"),
    ],
)
def test_a_yandex_robot_goes_by_every_prefix_of_its_full_name(agent: str, first: str, last: str):
    chain = chain_of(agent, DIALECTS["yandex"].agents)
    assert chain[0] == first
    if last.endswith("*"):
        assert " ".join(chain).endswith(last)
    else:  # it obeys its own name only
        assert not {last, "yandex", "*"} & set(chain)


CLOSED = b"User-agent: *\nDisallow: /"


@pytest.mark.parametrize(
    ("agent", "bound_by"),
    [
        ("AdsBot-Google", None),
        ("AdsBot-Google-Mobile", None),
        ("APIs-Google", None),
        ("Mediapartners-Google", None),
        ("Googlebot-Image", "*"),
        ("Googlebot", "*"),
    ],
)
def test_which_rules_bind_adsbot_google(agent: str, bound_by: str | None):
    group = parse(CLOSED, "google").group(agent)
    assert (group.name if group else None) == bound_by
    assert parse(CLOSED, "google").allowed("http://h/x", agent) is (bound_by is None)


@pytest.mark.parametrize("name", DIALECTS)
def test_every_crawler_of_a_dialect_says_where_its_chain_comes_from(name: str):
    assert [agent for agent in DIALECTS[name].agents.values() if not agent.source] == []


@pytest.mark.parametrize(
    ("name", "dialect"),
    [
        *[("googlebot", "google"), ("AdsBot-Google", "google"), ("bingbot", "bing")],
        *[("msnbot", "bing"), ("adidxbot", "bing"), ("YandexBot", "yandex")],
        *[("YandexMobileBot", "yandex"), ("Baiduspider-render", "baidu"), ("Slurp", "yahoo")],
        *[("Sogou web spider", "sogou"), ("360Spider", "360"), ("Applebot", "apple")],
        *[("DuckDuckBot", "rfc9309"), ("SeznamBot", "rfc9309"), ("Yeti", "rfc9309")],
        *[("Amazonbot", "amazon"), ("Amzn-SearchBot", "amazon")],
        *[("Yisouspider", "rfc9309"), ("Twitterbot", "google")],
    ],
)
def test_a_crawler_is_found_with_its_engines_dialect(name: str, dialect: str):
    agent = find_agent(name)
    assert agent is not None
    assert agent.dialect == dialect
    assert agent.name.lower() in DIALECTS[dialect].agents


def test_a_crawler_that_nobody_knows_is_not_found():
    assert find_agent("FooBot") is None


def test_a_header_of_scrapys_is_no_name_of_a_crawler():
    with pytest.raises(TypeError, match=r"^name must be a str, not bytes$"):
        find_agent(b"Googlebot")


def test_own_crawlers_can_be_added():
    mine = Agent("FooBot-Image", "google", ("foobot-image", "foobot", "*"), "our own")
    google = DIALECTS["google"]
    with_mine = google.but("with mine", agents=add_agents(google.agents, mine))
    body = b"User-agent: FooBot\nDisallow: /x\n\nUser-agent: *\nDisallow: /"
    assert not parse(body, "google").allowed("http://h/y", "FooBot-Image")
    assert parse(body, with_mine).allowed("http://h/y", "FooBot-Image")
    assert not parse(body, with_mine).allowed("http://h/x", "FooBot-Image")


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"chain": "foobot"}, "Agent 'FooBot': chain is 'foobot', it must be of type tuple with"),
        ({"chain": ("foobot", None)}, "Agent 'FooBot': chain is ('foobot', None), it must be of"),
        ({"chain": ("FooBot", "*")}, "Agent 'FooBot': chain is ('FooBot', '*'), it must be a tu"),
        ({"chain": ("foobot", "")}, "Agent 'FooBot': chain is ('foobot', ''), it must be a tuple"),
        ({"chain": ()}, "Agent 'FooBot': chain is (), it must be a tuple of names in lower case"),
        ({"chain": ("*", "foobot")}, "Agent 'FooBot': chain has a name after '*', the last one"),
        ({"name": 3}, "Agent 3: name is 3, it must be of type str"),
        ({"name": ""}, "Agent '': name must be a text that can be printed"),
        ({"name": "Foo\nBot"}, "Agent 'Foo\\nBot': name must be a text that can be printed"),
        ({"dialect": None}, "Agent 'FooBot': dialect is None, it must be of type str"),
        ({"facts": None}, "Agent 'FooBot': facts is None, it must be of type CrawlerFacts"),
        ({"certainty": "sure"}, "Agent 'FooBot': certainty is 'sure', it must be 'oracle' or"),
    ],
)
def test_an_agent_whose_names_no_file_can_have_is_refused(wrong, sentence):
    values = {"name": "FooBot", "dialect": "google", "chain": ("foobot", "*"), "source": "our own"}
    with pytest.raises(ValueError, match="^" + re.escape(sentence)):
        Agent(**values | wrong)
