"""`scrapy robots crawlers` and `blocked`, and what other verbs say of a crawler."""

from __future__ import annotations

import gc
import json

import pytest

from scrapy_robots_policy.commands.reading.inputs import rules_from
from scrapy_robots_policy.commands.verbs import blocked
from scrapy_robots_policy.commands.verbs.blocked import ASKED_ABOUT
from scrapy_robots_policy.rep import RuleSet, find_agent
from scrapy_robots_policy.rep.dialects.crawlers import crawlers
from tests.commands.run import policy, robots
from tests.site import Answer, Site
from tests.site import robots as served

FILE = b"""\
User-agent: *
Disallow: /private

User-agent: GPTBot
User-agent: Google-Extended
User-agent: Perplexity-User
User-agent: CCBot
Disallow: /

User-agent: Amazonbot
Disallow: /news/
"""
ASKED = sum(agent.facts.category in ASKED_ABOUT for agent in crawlers())


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "robots.txt"
    path.write_bytes(FILE)
    return path


def answers(output):
    """What the table says of each crawler."""
    rows = [line.split(None, 1) for line in output.lines if line.startswith("  ")]
    return {name: " ".join(rest.split()) for name, rest in rows}


def test_blocked_shows_who_may_fetch_the_site_and_by_which_line(file):
    output = robots("blocked", file)
    rows = answers(output)
    assert rows["GPTBot"] == "no line 8, Disallow: /"
    assert rows["ClaudeBot"] == "yes no rule matches"
    assert rows["Google-Extended"] == "may not be used line 8, Disallow: /"
    assert rows["Applebot-Extended"] == "may be used no rule matches"
    assert rows["Perplexity-User"] == "no, ignores it line 8, Disallow: /"
    assert rows["ChatGPT-User"] == "yes no rule matches"
    assert output.lines[-1] == f"4 of {ASKED} are shut out"
    assert output.status == 1
    headings = [line for line in output.lines[1:-2] if not line.startswith(" ")]
    assert headings == ["AI training", "AI search", "AI assistant", "search engine", "archive"]


@pytest.mark.parametrize("as_json", [(), ("--json",)])
def test_blocked_keeps_the_rules_of_one_dialect_at_a_time(monkeypatch, file, as_json):
    kept = []

    def noted(*args):
        gc.collect()
        kept.append(sum(isinstance(one, RuleSet) for one in gc.get_objects()))
        return rules_from(*args)

    monkeypatch.setattr(blocked, "rules_from", noted)
    before = sum(isinstance(one, RuleSet) for one in gc.get_objects())
    robots("blocked", file, *as_json)
    assert len(kept) >= len({agent.dialect for agent in crawlers()})
    assert max(kept) <= before + 1


def test_blocked_asks_about_one_page_of_a_site_with_one_fetch():
    with Site({"/robots.txt": served(FILE.decode())}) as site:
        page = robots("blocked", site.url("/news/1"))
        assert answers(page)["Amazonbot"] == "no line 11, Disallow: /news/"
        assert site.paths == ["/robots.txt"]
        for name in ("/robots.txt", "/robots.txt#rules", "/robots.txt?now"):
            assert robots("blocked", site.url(name)).lines[0].startswith(f"{site.url('/')}  by ")
        assert robots("blocked", site.url("/private")).lines[0].startswith(site.url("/private"))


def test_blocked_says_what_came_of_the_request_for_the_file():
    with Site({"/robots.txt": Answer(status=503)}) as site:
        head = f"{site.url('/x')}  by {site.url('/robots.txt')}"
        assert robots("blocked", site.url("/x")).lines[0] == f"{head}: 503"
    assert (
        robots("blocked", site.url("/x")).lines[0]
        == f"{head}: connection refused, no server listens at that host and port"
    )


def test_blocked_exits_with_0_if_all_may_fetch(tmp_path):
    path = tmp_path / "open.txt"
    path.write_bytes(b"")
    output = robots("blocked", path)
    assert (output.status, output.lines[-1]) == (0, f"0 of {ASKED} are shut out")


def test_blocked_counts_one_crawler_in_the_singular(tmp_path):
    path = tmp_path / "one.txt"
    path.write_bytes(b"User-agent: GPTBot\nDisallow: /\n")
    assert robots("blocked", path).lines[-1] == f"1 of {ASKED} is shut out"


def test_blocked_names_each_line_about_the_use_of_the_page_once_and_not_very_many(tmp_path):
    path = tmp_path / "use.txt"
    licences = b"".join(b"License: https://example.com/%d\n" % n for n in range(18))
    signal = b"User-agent: *\nContent-Signal: search=yes, ai-train=no, use=reference\n"
    path.write_bytes(licences + signal + b"User-agent: GPTBot\nContent-Usage: train-ai=n\n")
    lines = robots("blocked", path).lines
    assert lines[-23:-20] == [
        f"0 of {ASKED} are shut out",
        "The file also says what may be done with the page:",
        "  line 1, License: https://example.com/0",
    ]
    assert lines[-3:] == [
        "  line 20, Content-Signal: search=yes",
        "  line 20, Content-Signal: ai-train=no",
        "  and 2 more",
    ]


def test_each_engine_reads_a_failed_fetch_in_its_own_way():
    with Site({"/robots.txt": Answer(status=503)}) as site:
        rows = answers(robots("blocked", site.url("/")))
        assert rows["GPTBot"] == "no robots.txt unreachable (503)"
        assert rows["YandexBot"] == "yes no robots.txt (503)"


def test_blocked_as_json_has_the_verdict_and_the_facts_for_each_crawler(file):
    output = robots("blocked", "--json", file)
    values = {value["agent"]: value for value in map(json.loads, output.lines)}
    user = values["Perplexity-User"]
    assert (user["allowed"], user["line"], user["rule"]) == (False, 8, "Disallow: /")
    assert (user["kind"], user["robots_txt"]) == ("user-triggered", "ignores robots.txt")
    assert user["note"] == "Perplexity says that Perplexity-User ignores robots.txt"
    assert len(values) == ASKED
    assert output.status == 1


@pytest.mark.parametrize("columns", [40, 60, 80, 200])
@pytest.mark.parametrize("verb", ["blocked", "crawlers"])
def test_a_table_fits_the_terminal(verb, columns, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    path = tmp_path / "long.txt"
    path.write_bytes(b"User-agent: *\nDisallow: /*" + b"/long" * 50 + "\nDisallow: /ü*€漢".encode())
    output = robots(verb, path) if verb == "blocked" else robots(verb)
    # The first line has the URL and the file, the last one is for people.
    assert max(map(len, output.lines[1:-1])) <= columns


def test_crawlers_lists_each_crawler_once():
    output = robots("crawlers")
    assert output.status == 0
    names = {agent.name for agent in crawlers()}
    listed = [line[2:].split("  ")[0] for line in output.lines if line.startswith("  ")]
    assert sorted(listed) == sorted([*names, "crawler"])
    rows = {line[2:].split("  ")[0]: line for line in output.lines}
    assert rows["Google-Extended"].endswith("never crawls")
    assert rows["Perplexity-User"].endswith("for users, ignores")
    assert rows["GPTBot"].endswith("rfc9309")


def test_crawlers_shows_one_with_its_source():
    output = robots("crawlers", "amazonbot/0.1", "Bytespider")
    assert "Crawl-delay  ignores it" in output.out
    assert "https://developer.amazon.com/amazonbot" in output.out
    assert "its page     none known" in output.out


def test_crawlers_names_the_program_that_was_called():
    for run, program in ((robots, "scrapy robots"), (policy, "robots-policy")):
        assert f"\n{program} crawlers NAME shows" in run("crawlers").out
        assert f"\n{program} dialects NAME shows" in run("dialects").out
        assert run("crawlers", "FooBot").err.endswith(f"; see {program} crawlers\n")


def test_crawlers_as_json_has_one_value_a_line():
    values = [json.loads(line) for line in robots("crawlers", "--json").lines]
    assert len(values) == len(list(crawlers()))
    by_name = {value["name"]: value for value in values}
    assert by_name["ClaudeBot"]["crawl_delay"] is True
    assert by_name["GPTBot"]["crawl_delay"] is None
    assert by_name["Applebot"]["looks_for"] == ["applebot", "googlebot", "*"]
    assert all(find_agent(name).dialect == value["dialect"] for name, value in by_name.items())


WRONG = {
    ("crawlers", "FooBot"): "no crawler known here is called 'FooBot'; see scrapy robots crawlers",
    ("crawlers", "gptbt/1.0"): "is called 'gptbt/1.0'; did you mean GPTBot?",
    ("crawlers", "Anthropic-AI/1.0"): "robots: anthropic-ai is a former name of ClaudeBot\n",
    ("blocked", "example.com"): "; if it is a site, write https://example.com/robots.txt\n",
    ("blocked", "no.txt"): "cannot read no.txt: No such file or directory\n",
    ("blocked",): "blocked takes one URL or FILE, not 0",
    ("blocked", "/no/such/file"): "cannot read /no/such/file: No such file or directory",
    ("blocked", "--agent", "x", "f"): "--agent is for check, explain, compare, tester, not for",
}


@pytest.mark.parametrize("args", WRONG)
def test_a_wrong_command_line_gets_one_sentence_and_status_2(args):
    output = robots(*args)
    assert output.status == 2
    assert WRONG[args] in output.err
    assert len(output.err.splitlines()) == 1


NOTE = "Google-Extended never crawls: it controls what Google does with pages"


def test_other_verbs_say_what_to_know_of_a_crawler(file):
    token = "--agent", "Google-Extended", "--robots", file, "http://x/"
    explained = robots("explain", *token)
    assert f"note: {NOTE}" in explained.lines
    assert json.loads(robots("explain", "--json", *token).out)["note"] == NOTE
    checked = robots("check", *token, "http://x/2")
    assert checked.err == f"scrapy robots: {NOTE}\n"
    assert len(checked.lines) == 2
    quiet = "--agent", "GPTBot", "--robots", file, "http://x/"
    assert "note" not in robots("explain", *quiet).out
    assert robots("check", *quiet).err == ""
