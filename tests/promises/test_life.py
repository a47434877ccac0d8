"""docs/life-of-a-robots-txt.md: what an answer means, how long it holds, when it is asked for anew.

A life is a text with a letter for each time at which two pages were asked for, of which the rules
forbid one: R its rules, A everything, D nothing, W nothing yet (the file is not known).
"""

from __future__ import annotations

from email.utils import formatdate
from urllib.parse import urlsplit

import pytest
import scrapy
from scrapy import signals
from twisted.internet.error import ConnectionLost

from scrapy_robots_policy.rep import Reason
from tests.crawls import middleware_of
from tests.on_reactor import on_reactor
from tests.scripted import Timed
from tests.site import PAGE, Answer, moved, robots
from tests.virtual_time import MIDNIGHT

pytestmark = pytest.mark.slow  # whole crawls

MINUTE, HOUR, DAY = 60.0, 3600.0, 86_400.0
TEXT = "User-agent: *\nDisallow: /no"
RULES, CLOSED, DOWN = robots(TEXT), robots("User-agent: *\nDisallow: /"), Answer(status=503)
VISITED = {(True, False): "R", (True, True): "A", (False, False): "D"}


def asking(times, host="a.test", dialect=""):
    """A plan: two pages of a host at each time."""
    meta = {"robots": {"dialect": dialect}} if dialect else {}
    return [
        (at, scrapy.Request(f"http://{host}/{path}/{at}{dialect}", meta=meta))
        for at in times
        for path in ("yes", "no")
    ]


async def live(site, *plans, **settings):
    """The life of each plan, when all of them were carried out in one crawl."""
    together = sorted((row for plan in plans for row in plan), key=lambda row: row[0])
    crawl = site.start(spider=Timed, plan=together, settings=settings)
    await crawl.end()
    verdicts, asked = crawl.crawler.spider.verdicts, set(site.urls)

    def letter(yes, no):
        verdict = verdicts.get(yes.url)
        if verdict is not None and verdict.reason is Reason.DEFERRED:
            return "W"
        return VISITED[yes.url in asked, no.url in asked]

    return [
        "".join(letter(yes, no) for (_, yes), (_, no) in zip(plan[::2], plan[1::2], strict=True))
        for plan in plans
    ]


def fetched_at(site, host="a.test"):
    return [hit.began for hit in site.fetches(host)]


GIF = Answer(b"GIF", headers={"Content-Type": "image/gif"})
ANSWERS = {
    "a-file": RULES,
    "a-page": Answer(f"<html>\n{TEXT}\n</html>".encode(), headers={"Content-Type": "text/html"}),
    "an-image": GIF,
    "204": Answer(status=204),
    "redirects": moved("/1"),
    **{str(status): Answer(TEXT.encode(), status) for status in (401, 403, 404, 410, 418, 429)},
    **{str(status): Answer(TEXT.encode(), status) for status in (500, 503, 599, 304)},
    "nothing": ConnectionLost,
}
# In the order of ANSWERS: file page image 204 redirects 401 403 404 410 418 429 5xx... 304 nothing
LADDER = {
    "rfc9309": "RRAAAAAAAAADDDDD",
    "google": "RRAAAAAAAADDDDDD",
    "bing": "RRAAAAAAAAADDDDD",
    "baidu": "RRAAAAAAAAADDDDD",
    "apple": "RRAAAAAAAAADDDDD",
    "360": "RRAAAAAAAAADDDDD",
    "koster1996": "RRAAADDAAAWWWWWW",
    "sogou": "RRAAAAAAAAADDDDD",
    "original1994": "RRAAAAAAAAAAAAAA",
    "yandex": "RAAAAAAAAAAAAAAA",
    "yahoo": "RRAAAAAAAAAAAAAA",
    "amazon": "RRAAAAAAAAAAAAAA",
}


@on_reactor
async def test_one_fetch_serves_every_dialect_and_each_reads_the_answer_its_way(web):
    further = {f"/{n}": moved(f"/{n + 1}") for n in range(1, 12)}
    hosts = {f"{name}.test": {"/robots.txt": script} for name, script in ANSWERS.items()}
    hosts["redirects.test"] |= further
    site = web(hosts)
    plans = [asking([0], host, dialect) for dialect in LADDER for host in hosts]
    letters = iter(await live(site, *plans))
    lives = {dialect: "".join(next(letters) for _ in hosts) for dialect in LADDER}
    assert lives == LADDER
    at_once = [urlsplit(hit.url).hostname for hit in site.fetches() if not hit.began]
    again = {host for host in hosts if at_once.count(host) != 1}
    assert again == {"redirects.test"}  # some dialects follow more of them


WARNED_OF = {"a page": PAGE, "UTF-16": Answer(TEXT.encode("utf-16")), "503": DOWN}


@pytest.mark.parametrize("name", WARNED_OF)
@on_reactor
async def test_the_log_warns_once_of_what_came_in_place_of_rules(name, web, caplog):
    site = web({"a.test": {"/robots.txt": WARNED_OF[name]}})
    await live(site, asking([0, 1, 2]))
    (warning,) = [record.getMessage() for record in caplog.records if record.levelno >= 30]
    assert "http://a.test" in warning


# Unreachable for 1 h, 13 h, 31 days: with a copy, without one; then the same of a site of which no
# page answers either.
FAILING = {
    "rfc9309": "RRR DDA RRR DDA",
    "google": "DRA DAA DRD DAD",
    "amazon": "RRA AAA RRA AAA",
    "yahoo": "AAA AAA AAA AAA",
    "yandex": "AAA AAA AAA AAA",
    "koster1996": "WWW WWW WWW WWW",
}


@pytest.mark.parametrize("dialect", FAILING)
@on_reactor
async def test_while_a_robots_txt_is_unreachable_the_dialect_decides(dialect, web):
    hosts = {
        "copy.test": {"/robots.txt": [RULES, DOWN]},
        "none.test": {"/robots.txt": DOWN},
        "copy.dead.test": {"/robots.txt": [RULES, ConnectionLost], "*": ConnectionLost},
        "none.dead.test": {"*": ConnectionLost},
    }
    site = web(hosts)
    first = 1 + 8 * DAY  # by then every copy is stale
    days = [first + n * DAY for n in range(31)]
    times = [first, first + HOUR, first + 13 * HOUR, *days[1:], first + 31 * DAY]
    plans = [asking([0, *times] if "copy" in host else times, host) for host in hosts]
    lives = await live(site, *plans, ROBOTS_DIALECT=dialect)
    start = -len(times)
    seen = [life[start + 1] + life[start + 2] + life[-1] for life in lives]
    assert " ".join(seen) == FAILING[dialect]


WANTED = {"allow": "A", "disallow": "D", "defer": "W"}


@pytest.mark.parametrize("wanted", WANTED)
@on_reactor
async def test_the_user_decides_what_unreachable_means_and_a_copy_holds_without_end(wanted, web):
    hosts = {"copy.test": {"/robots.txt": [RULES, DOWN]}, "none.test": {"/robots.txt": DOWN}}
    site = web(hosts)
    settings = {"ROBOTS_ON_UNREACHABLE": wanted, "ROBOTS_DIALECT": "google"}
    days = [n * DAY for n in range(41)]
    lives = await live(site, *(asking(days, host) for host in hosts), **settings)
    assert lives == ["R" * 41, WANTED[wanted] * 41]


@pytest.mark.parametrize(("dialect", "life"), [("rfc9309", "RRRD"), ("yahoo", "RRAD")])
@on_reactor
async def test_a_failure_of_long_ago_lets_no_page_pass_before_the_file_is_asked_for(
    dialect, life, web
):
    down = Answer(status=503, after=1)
    site = web({"a.test": {"/robots.txt": [RULES, down, down, CLOSED]}})
    plan = asking([0, 1.5 * DAY, 2 * DAY, 20 * DAY])
    assert await live(site, plan, ROBOTS_DIALECT=dialect) == [life]


def lasting(seconds):
    return {"Cache-Control": f"public, max-age={seconds}"}


# Settings and headers, and for how long the file is fresh.
FRESH = {
    "without a word": ({}, {}, DAY),
    "koster1996": ({"ROBOTS_DIALECT": "koster1996"}, {}, 7 * DAY),
    "max-age": ({}, lasting(7200), 2 * HOUR),
    "max-age that is too short": ({}, lasting(5), MINUTE),
    "max-age that is too long": ({}, lasting(864_000), DAY),
    "max-age that google keeps": ({"ROBOTS_DIALECT": "google"}, lasting(864_000), 10 * DAY),
    "max-age out of this world": ({}, lasting(10**30), DAY),
    "max-age and Age": ({}, {**lasting(7200), "Age": "3600"}, HOUR),
    "no-store": ({}, {"Cache-Control": "no-store"}, MINUTE),
    "Expires": ({}, {"Expires": formatdate(MIDNIGHT + HOUR, usegmt=True)}, HOUR),
    "Expires in the past": ({}, {"Expires": "0"}, MINUTE),
    "ROBOTS_TTL": ({"ROBOTS_TTL": 3600}, {}, HOUR),
    "ROBOTS_TTL, and a longer max-age": ({"ROBOTS_TTL": 3600}, lasting(7200), HOUR),
    "ROBOTS_TTL, and a shorter max-age": ({"ROBOTS_TTL": 3600}, lasting(600), 600.0),
    "ROBOTS_TTL of zero": ({"ROBOTS_TTL": 0}, {}, 1.0),
}


@pytest.mark.parametrize("name", FRESH)
@on_reactor
async def test_a_fresh_file_is_not_asked_for_again(name, web):
    settings, headers, lifetime = FRESH[name]
    site = web({"a.test": {"/robots.txt": robots(TEXT, headers=headers)}})
    times = [0, lifetime - 0.5, lifetime]
    assert await live(site, asking(times), **settings) == ["RRR"]
    assert fetched_at(site) == [0, lifetime]


def date(seconds):
    return formatdate(MIDNIGHT + seconds, usegmt=True)


BEHIND = {"Date": date(-900)}  # the site's clock is a quarter of an hour late
YEAR = 365 * DAY
# In `original1994`, in which a file is fresh for as long as its site says, up to a year.
LIFETIMES = [
    ({}, YEAR),
    ({"Cache-Control": 'public, MAX-AGE = "60"'}, 60),
    ({"Cache-Control": "max-age=60", "Age": "20"}, 40),
    ({"Cache-Control": "max-age=60", "Age": "90"}, 1),
    ({"Cache-Control": "max-age=60", "Age": "old"}, 60),
    ({"Cache-Control": "max-age=60", "Age": "20 , 0"}, 40),
    ({"Cache-Control": "max-age=60", "Age": ", 20"}, 60),
    ({"Cache-Control": "max-age=60", **BEHIND}, 60),  # RFC 9111 4.2.3: by its Age alone
    ({"Cache-Control": "max-age=-1"}, 1),
    ({"Cache-Control": "public, max-age", "Expires": date(HOUR)}, 1),
    ({"Cache-Control": "max-age-of=60"}, YEAR),
    ({"Cache-Control": "max-age=\u0663"}, 1),  # a digit, but none of HTTP's
    ({"Cache-Control": f"max-age={'9' * 400}"}, YEAR),
    ({"Cache-Control": "s-maxage=60"}, YEAR),  # for shared caches
    ({"Cache-Control": "no-cache"}, 1),
    ({"Cache-Control": "max-age=60, no-store"}, 1),
    ({"Cache-Control": "no-cacheable"}, YEAR),
    ({"Cache-Control": "max-age=60", "Expires": "0"}, 60),
    ({"Expires": date(2700), **BEHIND}, 3600),  # RFC 9111 4.2.1: by the site's clock
    ({"Expires": date(2700), **BEHIND, "Age": "3000"}, 600),
    ({"Expires": date(2700), "Date": "yesterday"}, 2700),
    ({"Expires": date(HOUR)}, HOUR),
    ({"Expires": date(-DAY)}, 1),
    ({"Expires": "-1", **BEHIND}, 1),
]


@on_reactor
async def test_http_says_how_long_a_file_is_fresh(web):
    hosts = {f"h{n}.test": headers for n, (headers, _) in enumerate(LIFETIMES)}
    site = web({host: {"/robots.txt": robots("", headers=h)} for host, h in hosts.items()})
    plans = [
        asking([0, seconds - 0.5, seconds], host)
        for host, (_, seconds) in zip(hosts, LIFETIMES, strict=True)
    ]
    await live(site, *plans, ROBOTS_DIALECT="original1994")
    fresh = [(headers, fetched_at(site, host)) for host, headers in hosts.items()]
    assert fresh == [(headers, [0, seconds]) for headers, seconds in LIFETIMES]


@on_reactor
async def test_stale_rules_hold_while_they_are_fetched_again_and_nobody_waits(web):
    site = web({"a.test": {"/robots.txt": [RULES, robots("User-agent: *\nDisallow: /", after=20)]}})
    times = [0, 25 * HOUR, 25 * HOUR + 10, 25 * HOUR + 21]
    assert await live(site, asking(times)) == ["RRRD"]
    assert [hit.began for hit in site.visits()] == times[:3]
    assert fetched_at(site) == [0, 25 * HOUR]


@on_reactor
async def test_too_old_rules_are_fetched_again_before_a_page_is(web):
    site = web({"a.test": {"/robots.txt": [RULES, robots("", after=20)]}})
    assert await live(site, asking([0, 49 * HOUR])) == ["RA"]
    assert [hit.began for hit in site.visits()] == [0, 49 * HOUR + 20, 49 * HOUR + 20]


@on_reactor
async def test_what_was_fetched_anew_is_counted_by_what_came_of_it(web):
    site = web({"a.test": {"/robots.txt": [RULES, RULES, DOWN, CLOSED]}})
    plan = asking([0, 25 * HOUR, 50 * HOUR, 51 * HOUR, 52 * HOUR, 200 * HOUR])
    crawl = site.start(spider=Timed, plan=plan)
    seen = await crawl.end()
    kinds = ("unchanged", "changed", "failed")
    assert [seen.stats[f"robots/refresh/{kind}"] for kind in kinds] == [2, 1, 1]
    # At 25 h it was the same file; at 200 h it was too old to be obeyed.
    assert seen.stats["robots/age/max"] == 26 * HOUR


@on_reactor
async def test_a_delay_of_a_file_that_was_fetched_anew_is_counted(web):
    """No page has waited for these fetches."""
    files = [
        robots(f"User-agent: *\n{line}") for line in ("", "Crawl-delay: 20", "Crawl-delay: 10")
    ]
    site = web({"a.test": {"/robots.txt": files}})
    plan = asking([n * 25 * HOUR for n in range(4)])
    seen = await site.crawl(spider=Timed, plan=plan)
    assert (seen.stats["robots/fetched"], seen.stats["robots/crawl_delay/kept"]) == (4, 2)


@on_reactor
async def test_no_fetch_begins_once_the_crawl_closes(web):
    hosts = {f"{n}.test": {"/robots.txt": Answer(after=None)} for n in range(3)}
    site = web(hosts)
    crawl = site.start(*(f"http://{h}/" for h in hosts), settings={"ROBOTS_MAX_FETCHES": 1})
    await site.time.forward(1.0)
    await crawl.close()
    await site.time.forward(10.0)
    assert len(site.fetches()) == 1


TAG = {"ETag": '"1"'}
VALIDATORS = {**TAG, "Last-Modified": "Fri, 20 Nov 2026 00:00:00 GMT"}
CURRENT = Answer(status=304)
# Headers of the file, the answer to a condition, the validators that were sent for the second file,
# and the life.
CONDITIONS = {
    "both validators": (VALIDATORS, CURRENT, [VALIDATORS], "RRR"),
    "a tag": (TAG, CURRENT, [TAG], "RRR"),
    "a tag that is weak by now": (
        TAG,
        Answer(status=304, headers={"ETag": 'W/"1"'}),
        [TAG],
        "RRR",
    ),
    "a tag of bytes": ({"ETag": b'"\x80\xe9"'}, CURRENT, [{"ETag": '"\x80é"'}], "RRR"),
    "an encoding of the file": (
        TAG,
        Answer(status=304, headers={"Content-Encoding": "br"}),
        [TAG],
        "RRR",
    ),
    "the tag of another file": (
        TAG,
        Answer(status=304, headers={"ETag": '"2"'}),
        [TAG, {}],
        "RRD",
    ),
    "a condition that is refused": (TAG, Answer(status=412), [TAG, {}], "RRD"),
    "a tag that some clients cannot send": ({"ETag": '"\x1b[2J"'}, CURRENT, [{}], "RRD"),
    "no validators": ({}, CURRENT, [{}], "RRD"),
}
SENT_AS = {"ETag": "If-None-Match", "Last-Modified": "If-Modified-Since"}


@pytest.mark.parametrize("name", CONDITIONS)
@on_reactor
async def test_a_304_keeps_the_rules_that_were_asked_about(name, web):
    headers, answer, sent, life = CONDITIONS[name]

    def second(request):
        return answer if b"If-None-Match" in request.headers else CLOSED

    site = web({"a.test": {"/robots.txt": [robots(TEXT, headers=headers), second]}})
    assert await live(site, asking([0, 25 * HOUR, 26 * HOUR])) == [life]
    conditions = [
        {
            name: hit.request.headers[header].decode("latin-1")
            for name, header in SENT_AS.items()
            if header in hit.request.headers
        }
        for hit in site.fetches()
    ]
    assert conditions == [{}, *sent]


@on_reactor
async def test_only_the_url_of_the_copy_is_asked_about_it(web):
    file = robots(TEXT, headers=VALIDATORS)
    site = web({"a.test": {"/robots.txt": [file, moved("/r")], "/r": [RULES, CURRENT]}})
    assert await live(site, asking([0, 25 * HOUR, 26 * HOUR])) == ["RRR"]
    asked = [hit for hit in site.hits if hit.url.endswith(("/robots.txt", "/r"))]
    assert ["If-None-Match" in hit.request.headers for hit in asked] == [False, True, False]


LIMITED = Answer(status=429, headers={"Retry-After": "100"})
# Settings, answers; when the file is asked for while two pages wait for it, and their life.
WAITS = {
    "until it is there": ({}, [DOWN, DOWN, RULES], [0, 10, 30], "R"),
    "as long as the site asks": ({}, [LIMITED, RULES], [0, 100], "R"),
    "ten minutes at most": ({}, [DOWN], [0, 10, 30, 70, 150, 310], "W"),
}


@pytest.mark.parametrize(
    "dialect", [{"ROBOTS_DIALECT": "koster1996"}, {"ROBOTS_ON_UNREACHABLE": "defer"}]
)
@pytest.mark.parametrize("name", WAITS)
@on_reactor
async def test_deferred_pages_wait(name, dialect, web):
    settings, answers, times, life = WAITS[name]
    site = web({"a.test": {"/robots.txt": answers}})
    settings = {**settings, **dialect}
    if answers[0] is LIMITED:
        settings["ROBOTS_DIALECT"] = "koster1996"  # others take a 429 for an answer
    assert await live(site, asking([0]), **settings) == [life]
    assert fetched_at(site) == times
    assert all(hit.began == times[-1] for hit in site.visits())
    assert site.now == times[-1]  # who would have to wait for too long is dropped at once


@pytest.mark.parametrize(
    ("asked_for", "early", "late"), [("120", 119, 121), (str(7 * 86_400), 3599, 3601)]
)
@on_reactor
async def test_retry_after_is_kept_up_to_an_hour(asked_for, early, late, web):
    busy = Answer(status=429, headers={"Retry-After": asked_for})
    site = web({"a.test": {"/robots.txt": [busy, RULES]}})
    assert await live(site, asking([0, early, late]), ROBOTS_DIALECT="google") == ["DDR"]
    assert fetched_at(site) == [0, late]


# Retry-After of a 429, and the seconds until the next try: ten of our own at least.
PAUSES = {
    "120": 120,
    " 15 ": 15,
    date(300.0): 300,
    date(-DAY): 10,
    **dict.fromkeys(("0", "", "soon", "-1", "1" * 400), 10),
    **dict.fromkeys(("\u00b2", "Wed, 18 Nov 99999999999999999999 12:06:40 GMT"), 10),
}


@on_reactor
async def test_retry_after_is_a_number_or_a_date(web):
    hosts = {f"h{n}.test": value for n, value in enumerate(PAUSES)}
    answers = {host: Answer(status=429, headers={"Retry-After": v}) for host, v in hosts.items()}
    site = web({host: {"/robots.txt": [answer, RULES]} for host, answer in answers.items()})
    settings = {"ROBOTS_DIALECT": "koster1996"}
    await live(site, *(asking([0], host) for host in hosts), **settings)
    assert {value: fetched_at(site, host)[1] for host, value in hosts.items()} == PAUSES


@on_reactor
async def test_a_dialect_that_defers_holds_up_no_other(web):
    site = web({"a.test": {"/robots.txt": [DOWN, RULES]}})
    plans = [asking([0, 5], dialect=name) for name in ("koster1996", "rfc9309", "yandex")]
    assert await live(site, *plans) == ["RR", "DD", "AA"]
    assert fetched_at(site) == [0, 10]


@on_reactor
async def test_what_waits_is_judged_by_what_another_dialect_has_fetched_meanwhile(web):
    paced = robots("User-agent: *\nCrawl-delay: 10\n" + "#" * 512_001)  # more than is read
    site = web({"a.test": {"/robots.txt": [paced, CLOSED]}})
    plans = [asking([0], dialect="rfc9309"), asking([3], dialect="original1994")]
    queue = "scrapy.pqueues.DownloaderAwarePriorityQueue"  # ours asks for the second page later
    assert await live(site, *plans, SCHEDULER_PRIORITY_QUEUE=queue) == ["D", "D"]


FAR = {f"/{n}": moved(f"/{n + 1}") for n in range(1, 6)}
BEYOND = {
    "redirects": {"/robots.txt": moved("/1"), **FAR, "/6": RULES},
    "bytes": {"/robots.txt": robots("#" * 512_001 + "\n" + TEXT)},
}


@pytest.mark.parametrize("kind", BEYOND)
@on_reactor
async def test_a_dialect_that_reads_more_than_was_fetched_has_the_file_fetched_again(kind, web):
    """`original1994` follows seven redirects, and reads files of any size."""
    site = web({"a.test": BEYOND[kind]})
    plans = [asking([0, 20], dialect="rfc9309"), asking([10], dialect="original1994")]
    assert await live(site, *plans) == ["AA", "R"]
    assert fetched_at(site) == [0, 10]


@on_reactor
async def test_each_scheme_and_port_has_a_robots_txt_of_its_own(web):
    def script(request):
        scheme = request.url.partition(":")[0]
        return robots(f"User-agent: *\nDisallow: /{scheme}$")

    site = web({"a.test": {"/robots.txt": script}, "a.test:81": {"/robots.txt": CLOSED}})
    origins = ("http://a.test", "https://a.test", "http://a.test:81")
    await site.crawl(*(f"{origin}/{name}" for origin in origins for name in ("http", "https")))
    assert sorted(site.pages) == ["http://a.test/https", "https://a.test/http"]


@pytest.mark.parametrize(("dialect", "fetches"), [("google", 1), ("rfc9309", 0)])
@on_reactor
async def test_ftp_has_a_robots_txt_only_where_the_dialect_says_so(dialect, fetches, web):
    site = web({"a.test": {"/robots.txt": RULES}})
    urls = [f"ftp://a.test/{path}" for path in ("yes", "no")]
    await site.crawl(*urls, settings={"ROBOTS_DIALECT": dialect})
    assert (len(site.fetches()), len(site.pages)) == (fetches, 2 - fetches)


# Seconds from the first crawl to the second one; the life of the second, and the fetches in all.
STORED = {
    "fresh": (HOUR, "R", 1),
    "stale": (25 * HOUR, "R", 2),
    "too old": (49 * HOUR, "A", 2),
    "of a clock that is a little ahead": (-59.0, "R", 1),
    "of a clock that is far ahead": (-61.0, "A", 2),
}


@pytest.mark.parametrize("name", STORED)
@on_reactor
async def test_the_next_crawl_goes_on_with_what_a_store_has(name, web, tmp_path):
    later, life, fetches = STORED[name]
    site = web({"a.test": {"/robots.txt": [robots(TEXT, headers=VALIDATORS), robots("", after=9)]}})
    store = {"ROBOTS_STORE": f"sqlite:{tmp_path / 'robots.sqlite'}"}
    assert await live(site, asking([0]), **store) == ["R"]
    site.time.time += later
    plan = [(0, scrapy.Request(f"{request.url}x")) for _, request in asking([0])]
    assert await live(site, plan, **store) == [life]
    conditions = ["If-None-Match" in hit.request.headers for hit in site.fetches()]
    assert conditions == [False, "too old" in name or "stale" in name][:fetches]


@on_reactor
async def test_a_fetch_that_ends_with_the_crawl_says_nothing_about_the_site(web, tmp_path):
    site = web({"a.test": {"/robots.txt": [Answer(after=None), RULES]}})
    settings = {"ROBOTS_STORE": f"sqlite:{tmp_path / 'robots.sqlite'}"}
    crawl = site.start("http://a.test/", settings=settings)
    await site.time.forward(1.0)
    await crawl.close()
    assert await live(site, asking([0]), **settings) == ["R"]


def reserving(value):
    return Answer(b'[{"location": "/*", "tdm-reservation": %d}]' % value, after=1)


@on_reactor
async def test_a_tdmrep_json_is_fetched_anew_as_a_robots_txt_is(web):
    files = {"/robots.txt": robots(""), "/.well-known/tdmrep.json": [reserving(1), reserving(0)]}
    settings = {"ROBOTS_PURPOSE": "train-ai"}
    plan = asking([0, 25 * HOUR, 26 * HOUR])
    assert await live(web({"a.test": files}), plan, **settings) == ["DDA"]


class Forgetful:
    """Leaves no room in memory but for the site that was used last."""

    @classmethod
    def from_crawler(cls, crawler):
        crawler.signals.connect(lambda: cls.forget(crawler), signals.spider_opened, weak=False)
        return cls()

    @staticmethod
    def forget(crawler):
        middleware_of(crawler).lookups.sites.max_bytes = 1


@pytest.mark.parametrize("store", ["memory:", "sqlite:store"])
@on_reactor
async def test_a_site_that_was_forgotten_is_remembered_with_no_other_fetch(
    store, web, tmp_path, monkeypatch
):
    """Also with a date of expiry that many servers give, of a year beyond what clocks may say."""
    monkeypatch.chdir(tmp_path)
    never = {"Expires": "Fri, 31 Dec 9999 23:59:59 GMT"}
    file = robots(TEXT, headers=never)
    site = web({host: {"/robots.txt": file, "*": PAGE} for host in ("a.test", "b.test", "c.test")})
    urls = [
        f"http://{h}.test/{path}/{n}" for n in range(3) for h in "abc" for path in ("yes", "no")
    ]
    settings = {"EXTENSIONS": {Forgetful: 0}, "ROBOTS_STORE": store, "CONCURRENT_REQUESTS": 1}
    seen = await site.crawl(*urls, settings=settings)
    assert len(site.fetches()) == 3
    assert {*seen.answered} == {url for url in urls if "/yes/" in url}
    assert seen.stats["robots/passed"] == 9
