"""What must be true of the record of a crawl: all that was decided is in it, and no secret."""

from __future__ import annotations

import json
import signal

import pytest
from scrapy import Request

from scrapy_robots_policy.rep import DIALECTS
from tests.audit.conftest import REQUESTS
from tests.commands.run import robots as command
from tests.crawls import OURS, Plan, Spider, crawl_process
from tests.on_reactor import on_reactor
from tests.site import Answer, Site, robots

pytestmark = pytest.mark.slow  # whole crawls

SECRET = {"/robots.txt": robots("User-agent: *\nDisallow: /secret\n")}
RULE = {"verdict": "refused", "reason": "rule"}
USE = {"verdict": "refused", "reason": "use_refused", "purposes": ["train-ai"]}
GIVEN = {"robots_txt": "ROBOTS_OVERRIDES['own.test']"}
# What the line of each decision says at least.
DECIDED = {
    "http://site.test/a": {"verdict": "passed", "agent": "Bot", "waited": 0.5},
    "http://site.test/secret": {**RULE, "rule": "Disallow: /secret", "line": 2},
    "http://site.test/secret/but": {"verdict": "passed", "line": 5, "group": "*"},
    "http://site.test/%3Cscript%3Ealert(1)%3C/script%3E": {**RULE, "line": 3},
    "http://site.test/training": {**USE, "line": 6},
    "http://site.test/mine": USE,
    "http://site.test/noai": {"verdict": "passed"},
    "http://site.test/old": {"verdict": "passed"},
    "http://site.test/new": {"verdict": "passed"},
    "http://gone.test/%C3%BC?q=a%20b": {"verdict": "passed", "reason": "unavailable"},
    "http://closed.test/a": {"verdict": "refused", "reason": "unreachable", "why": "503"},
    "http://own.test/a": {"verdict": "passed", "set_by": GIVEN},
    "http://own.test/b": {**RULE, "set_by": GIVEN},
    "http://site.test/secret/exempt": {"exempt": "request.meta['dont_obey_robotstxt']"},
    "http://site.test/google": {"verdict": "passed", "dialect": "google", "agent": "Other"},
    "http://site.test/private": {"verdict": "passed"},
}


def test_each_request_has_one_line_that_says_what_was_decided_and_why(recorded):
    decisions = recorded.of("decision")
    assert sorted(line["url"] for line in decisions) == sorted(DECIDED)
    assert len(REQUESTS) == len(DECIDED) - 1  # a redirect is decided, too
    for line in decisions:
        assert line == line | DECIDED[line["url"]]
    refused = {url for url, fields in DECIDED.items() if fields.get("verdict") == "refused"}
    assert refused == recorded.seen.dropped.keys()


def test_each_robots_txt_is_there_with_its_requests_and_what_the_page_said_itself(recorded):
    documents = {line["url"]: line for line in recorded.of("robots")}
    sources = {url: line["source"] for url, line in documents.items() if "tdmrep" not in url}
    assert sources == {
        "http://site.test/robots.txt": "site",
        "http://gone.test/robots.txt": "site",
        "http://closed.test/robots.txt": "site",
        "http://own.test/robots.txt": "override",
    }
    exchanges = documents["http://site.test/robots.txt"]["exchanges"]
    assert [(one["url"], one["status"]) for one in exchanges] == [
        ("http://site.test/robots.txt", 301),
        ("http://site.test/rules.txt", 200),
    ]
    assert exchanges[1]["received"]["etag"] == '"7"'
    (page,) = recorded.of("page")
    assert page["url"] == "http://site.test/noai"
    assert [one["value"] for one in page["preferences"]] == ["noai"]
    sums = recorded.lines[-1]["sums"]
    assert (sums["exempt"], sums["refused/rule"], sums["refused/use_refused"]) == (1, 3, 2)


def test_no_secret_and_no_control_character_is_in_the_record(recorded):
    data = recorded.path.read_bytes()
    assert b"hush" not in data
    assert data.replace(b"\n", b"").decode("ascii").isprintable()


STATUSES = (200, 204, 401, 403, 404, 410, 429, 500, 503, None)
FILES = (
    "",
    "Disallow: /a\n",
    "User-agent: *\nDisallow: /a\nAllow: /a/b$\n",
    "User-agent: Bot\nUser-agent: x\nAllow: /*.x\nDisallow: /\nUser-agent: *\nDisallow:\n",
    "user-agent: *\rdisallow: /%61\rallow: /a\rcrawl-delay: 0.1\r",
    "<html>User-agent: *\nDisallow: /\n",
    "User-agent: *\nContent-Signal: search=no\nDisallow: /b?c",
)
PATHS = ("/", "/a", "/a/b", "/a/b?", "/b?c=d", "/x.x/%C3%A9", "/a/../robots.txt")


@on_reactor
async def test_whatever_a_site_answers_to_whichever_dialect_verify_decides_as_the_crawl_did(
    web, tmp_path
):
    answers = [robots(text) for text in FILES]
    answers += [Answer(status=status) if status else Answer(after=None) for status in STATUSES]
    hosts = {f"{n}.test": {"/robots.txt": answer} for n, answer in enumerate(answers)}
    wanted = [
        Request(f"http://{host}{path}", meta={"robots": {"dialect": name}}, dont_filter=True)
        for host in hosts
        for path in PATHS
        for name in DIALECTS
    ]
    path = tmp_path / "audit.jsonl.gz"
    settings = {
        "ROBOTS_AUDIT": str(path),
        "ROBOTS_PURPOSE": "search",
        "ROBOTS_CRAWL_DELAY_MAX": 0,
        "AUTOTHROTTLE_ENABLED": False,
    }
    seen = await web(hosts).crawl(*wanted, settings=settings)
    answer = command("audit", "verify", "--json", path)
    sums = json.loads(answer.lines[-1])
    assert (answer.status, sums["decisions"], sums["differ"]) == (0, len(wanted), 0)
    assert {"robots/refused/rule", "robots/refused/unreachable"} <= seen.stats.keys()
    assert {"robots/refused/use_refused", "robots/passed"} <= seen.stats.keys()


@pytest.mark.parametrize("name", ["audit.jsonl", "audit.jsonl.gz"])
@on_reactor
async def test_a_crawl_that_is_killed_has_lost_no_more_than_a_second(web, tmp_path, name):
    """What is in the file while the crawl runs is what a kill leaves."""
    copy = tmp_path / f"killed-{name}"

    class Copying(Spider):
        def parse(self, response):
            if response.url.endswith("/late"):
                copy.write_bytes((tmp_path / name).read_bytes())

    pages = {"/late": Answer(after=1.1)}
    settings = {"ROBOTS_AUDIT": str(tmp_path / name)}
    urls = [f"http://a.test{path}" for path in ("/late", "/1", "/secret")]
    await web({"a.test": SECRET | pages}).crawl(*urls, settings=settings, spider=Copying)
    answer = command("audit", "verify", copy)
    assert answer.status == 0
    assert "3 decisions made anew: 3 agree" in answer.out
    assert "killed" in answer.out


@on_reactor
async def test_a_second_crawl_takes_another_file_and_says_that_its_rules_come_from_a_store(
    web, tmp_path
):
    settings = {
        "ROBOTS_AUDIT": str(tmp_path / "%(name)s.jsonl"),
        "ROBOTS_STORE": f"sqlite:{tmp_path / 'store.sqlite'}",
    }
    for _ in range(2):
        await web({"a.test": SECRET}).crawl("http://a.test/a", settings=settings)
    paths = [tmp_path / "test.jsonl", tmp_path / "test.2.jsonl"]
    lines = [json.loads(line) for path in paths for line in path.read_bytes().splitlines()]
    assert [line["source"] for line in lines if line["type"] == "robots"] == ["site", "store"]
    assert command("audit", "verify", *paths).status == 0


@on_reactor
async def test_a_dry_run_says_which_refused_request_went_all_the_same(web, tmp_path):
    path = tmp_path / "audit.jsonl"
    settings = {"ROBOTS_AUDIT": str(path), "ROBOTS_DRY_RUN": True}
    await web({"a.test": SECRET}).crawl("http://a.test/secret", settings=settings)
    assert '"dry_run":true' in path.read_text()
    assert "dry run" in command("audit", "show", path, "http://a.test/secret").out


def run(settings, *paths, prepare=None, **options):
    """A crawl in a process of its own, and the pages that it asked for."""
    with Site({**SECRET, "/hangs": Answer(after=None)}) as site:
        urls = [site.url(path) for path in paths]
        plan = Plan(urls, {**OURS, **settings}, interrupt_at=urls[-1], **options)
        return crawl_process(plan, preexec_fn=prepare), site.pages


def test_a_crawl_that_is_stopped_by_force_has_recorded_all_that_it_asked_for(tmp_path):
    path = tmp_path / "audit.jsonl.gz"
    run({"ROBOTS_AUDIT": str(path)}, "/hangs", "/stop", interrupts=2)
    answer = command("audit", "verify", path)
    assert answer.status == 0
    assert "2 decisions made anew: 2 agree" in answer.out


def test_a_full_disk_ends_the_crawl_since_nothing_goes_unrecorded(tmp_path):
    resource = pytest.importorskip("resource")

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, 30_000))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    path, paths = tmp_path / "audit.jsonl", [f"/{n}" for n in range(1000)]
    process, pages = run({"ROBOTS_AUDIT": str(path)}, *paths, prepare=limit, interrupts=0)
    assert json.loads(process.stdout)["stats"]["finish_reason"] == "robots_audit_failed"
    assert 0 < len(pages) < len(paths)
    assert command("audit", "verify", path).status == 0


def test_a_crawl_that_fails_before_it_begins_leaves_no_record(tmp_path):
    settings = {
        "ROBOTS_AUDIT": str(tmp_path / "audit.jsonl"),
        "ITEM_PIPELINES": {"no_such.Pipeline": 1},
    }
    process, pages = run(settings, "/a")
    assert "no_such" in process.stderr
    assert (pages, [*tmp_path.iterdir()]) == ([], [])


@pytest.mark.parametrize("name", ["no/such/audit.jsonl", "."])
@on_reactor
async def test_a_record_that_cannot_be_opened_stops_the_spider_with_a_sentence(name, tmp_path, web):
    site = web({"a.test": SECRET})
    with pytest.raises(ValueError, match=r"^ROBOTS_AUDIT is '.*': .+$"):
        await site.crawl("http://a.test/", settings={"ROBOTS_AUDIT": str(tmp_path / name)})
    assert (site.hits, [*tmp_path.iterdir()]) == ([], [])
