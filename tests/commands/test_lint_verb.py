"""`lint`: choices, formats, directories, fixes, the project's table, many files."""

from __future__ import annotations

import csv
import io
import json
import os
import shlex
import stat
from difflib import ndiff
from pathlib import Path

import pytest

from scrapy_robots_policy.owners.lint import KINDS, lint
from tests.missing import not_on_windows
from tests.site import Answer, Site, moved

from .run import policy

FILE = "User-agent: *\nDisallow: /a\nDisallow: /a\nDisalow: /b\nDisallow: /c$d\nColour: blue\n"
CODES = ["R405", "R201", "R402", "R203"]  # in the order of the file


@pytest.fixture
def faulty(tmp_path, monkeypatch):
    """The path of the file, in the current folder."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "robots.txt"
    path.write_text(FILE)
    return path


def codes(output):
    return [json.loads(line)["code"] for line in output.lines]


# the project's table, options, and the findings that are shown
CHOICES = [
    ("", "", CODES),
    ("", "--select R4,r201", ["R405", "R201", "R402"]),
    ("", "--ignore R4", ["R201", "R203"]),
    ("", "--select R4 --ignore R405", ["R402"]),
    ("", "--severity warning", ["R201", "R402"]),
    ("", "--severity error", ["R201"]),
    ('select = ["R4"]', "", ["R405", "R402"]),
    ('select = ["R4"]', "--select R2", ["R201", "R203"]),
    ('ignore = ["R4", "R203"]', "", ["R201"]),
    ('severity = "error"', "", ["R201"]),
    ('severity = "error"', "--severity warning", ["R201", "R402"]),
    ('dialect = "google"', "--select R2", ["R203"]),
    ('dialect = "google"', "--select R2 --dialect rfc9309", ["R201", "R203"]),
    ('output-format = "csv"', "", CODES),
]


@pytest.mark.parametrize(("table", "options", "expected"), CHOICES)
def test_the_findings_are_chosen_by_the_project_and_then_by_options(
    faulty, monkeypatch, table, options, expected
):
    Path("pyproject.toml").write_text(f"[tool.robots-lint]\n{table}\n")
    assert codes(policy("lint", "robots.txt", "--json", *shlex.split(options))) == expected
    below = faulty.parent / "below"
    below.mkdir()
    monkeypatch.chdir(below)
    assert codes(policy("lint", faulty, "--json", *shlex.split(options))) == expected


@pytest.mark.parametrize(("options", "status"), [((), 1), (("--exit-zero",), 0)])
def test_findings_may_leave_the_exit_status_alone(faulty, options, status):
    assert policy("lint", faulty, *options).status == status
    assert policy("lint", faulty, "no", *options).status == 2


def test_people_see_first_what_is_gravest_and_then_what_can_be_fixed(faulty):
    words = policy("lint", faulty).out.split()
    assert [word for word in words if word in CODES] == ["R201", "R402", "R405", "R203"]


def test_every_finding_is_explained_with_its_reason_and_its_fix():
    output = policy("lint", "--explain", "all", "--json")
    assert (output.status, codes(output)) == (0, list(KINDS))
    assert all(one["why"] and one["fix"] for one in map(json.loads, output.lines))


def test_statistics_count_findings_and_files(faulty):
    Path("other.txt").write_text("Disallow: /a\nDisalow: /b\n")
    lint_both = ("lint", faulty, "other.txt", "--statistics", "--output-format")
    first = json.loads(policy(*lint_both, "json").lines[0])
    assert list(first.values()) == ["R201", "misspelt-key", "error", 2, 2]
    table = csv.DictReader(io.StringIO(policy(*lint_both, "csv").out))
    assert next(table) == {name: str(value) for name, value in first.items()}
    text = policy(*lint_both, "text")
    assert (text.status, text.lines[-1]) == (1, "6 findings in 2 files")


def test_each_format_has_the_same_findings(faulty):
    expected = [(f.code, f.line, f.column, f.end) for f in lint(FILE.encode())]
    as_json = [json.loads(line) for line in policy("lint", faulty, "--json").lines]
    as_csv = list(csv.DictReader(io.StringIO(policy("lint", faulty, "--output-format", "csv").out)))
    results = sarif_of(faulty)["results"]
    regions = [one["locations"][0]["physicalLocation"]["region"] for one in results]
    assert [(one["code"], one["line"]) for one in as_json] == [one[:2] for one in expected]
    assert [(one["code"], int(one["line"])) for one in as_csv] == [one[:2] for one in expected]
    assert as_csv[1]["fix"] == "write Disallow:"
    assert [
        (one["ruleId"], at["startLine"], at["startColumn"], at["endColumn"])
        for one, at in zip(results, regions, strict=True)
    ] == expected


def test_github_gets_an_annotation_beside_each_line_and_no_command_of_the_file(faulty):
    faulty.write_bytes(b"User-agent: *\n::set-output name=a::b\nDisalow\r::stop-commands::x: /\n")
    path = faulty.rename("a,b:c%.txt")
    lines = policy("lint", path, "--output-format", "github").lines
    assert len(lines) == len(lint(Path(path).read_bytes()))
    assert all(line.startswith(("::error ", "::warning ", "::notice ")) for line in lines)
    assert all("file=a%2Cb%3Ac%25.txt,line=" in line for line in lines)


def sarif_of(*args):
    (run,) = json.loads(policy("lint", *args, "--output-format", "sarif").out)["runs"]
    return run


def test_sarif_has_the_tool_its_rules_and_what_could_not_be_read(faulty):
    run = sarif_of(faulty, "missing.txt")
    driver = run["tool"]["driver"]
    assert driver["version"] in policy("--version").out
    assert {one["ruleId"] for one in run["results"]} == {*CODES}
    assert {*CODES} <= {rule["id"] for rule in driver["rules"]}
    assert all(rule["help"]["markdown"] for rule in driver["rules"])
    (invocation,) = run["invocations"]
    (error,) = invocation["toolExecutionNotifications"]
    assert not invocation["executionSuccessful"]
    assert error["message"]["text"].startswith("cannot read missing.txt: ")
    assert sarif_of(faulty)["invocations"][0]["executionSuccessful"]


def test_sarif_knows_a_finding_again_when_lines_above_it_come_and_go(faulty):
    def prints():
        return [*map(str, (one["partialFingerprints"] for one in sarif_of(faulty)["results"]))]

    before = prints()
    faulty.write_text("# more\n\n" + FILE)
    assert prints() == before
    faulty.write_text(FILE + "Disalow: /b\n")  # the same line again is another finding
    assert len({*prints()}) == len(CODES) + 1


URIS = [
    ("a b.txt", "a%20b.txt"),
    ("ä.txt", "%C3%A4.txt"),
    (os.fsdecode(b"\xff%.txt"), "%FF%25.txt"),
]


@not_on_windows
@pytest.mark.parametrize(("name", "uri"), URIS)
@pytest.mark.parametrize("folder", ["", "file://"])
def test_the_name_of_a_file_is_a_uri_in_sarif(faulty, name, uri, folder):
    path = faulty.rename(faulty.parent / name) if folder else faulty.rename(name)
    (result, *_) = sarif_of(path)["results"]
    place = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert place == (f"file://{faulty.parent}/{uri}" if folder else uri)


# ---- directories, many files

IN_A_FOLDER = (
    "robots.txt",
    "a/b/example.robots.txt",
    "a/ROBOTS.TXT",
    "a/other.txt",
    ".x/robots.txt",
)


def test_of_a_directory_the_files_that_are_named_so_are_read(tmp_path, monkeypatch):
    for name in IN_A_FOLDER:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("Disalow: /b\n")

    def linted(*options):
        lines = policy("lint", tmp_path, "--json", *options).lines
        return [json.loads(line)["file"].removeprefix(f"{tmp_path}{os.sep}") for line in lines]

    assert linted() == ["robots.txt", "a/ROBOTS.TXT", "a/b/example.robots.txt"]
    assert linted("--include", "other*") == ["a/other.txt"]
    monkeypatch.chdir(tmp_path)
    Path("pyproject.toml").write_text('[tool.robots-lint]\ninclude = "other*"\n')
    assert linted() == ["a/other.txt"]
    output = policy("lint", tmp_path / "a", "--include", "x*")
    assert (output.status, output.out) == (2, "")
    assert f"no file in {tmp_path / 'a'} is called x*; choose others with --include" in output.err


@pytest.mark.parametrize("name", ["no.txt", "a" * 300, "a\0b"])
def test_what_cannot_be_read_is_named_and_the_others_are_checked(faulty, name):
    output = policy("lint", name, faulty, "--json")
    assert (output.status, codes(output)) == (2, CODES)
    assert output.err.startswith("robots-policy: cannot read ")
    assert output.err.count("\n") == 1


def test_a_linted_url_is_looked_at_with_its_status_type_and_redirects():
    script = {
        "/robots.txt": moved("/other"),
        "/other": Answer(b"User-agent: *\nDisallow: /\n", headers={"Content-Type": "text/html"}),
    }
    with Site(script) as site:
        output = policy("lint", site.url("/"), "--json")
    assert codes(output) == ["R108", "R109", "R307"]


# ---- fixes

LONG = f"{FILE}#{'#' * 600_000}\nDisallow: /d\n"  # of which only the start is read

# the file, the option, and the file afterwards
FIXES = [
    (FILE, "--fix", FILE.replace("Disallow: /a\n", "", 1)),
    (FILE, "--fix --ignore R405", FILE),
    ("User-agent: *\n\nDisallow: /a\n", "--fix", "User-agent: *\n\nDisallow: /a\n"),
    ("User-agent: *\n\nDisallow: /a\n", "--unsafe-fixes", "User-agent: *\n\nDisallow: /a\n"),
    ("User-agent: *\n\nDisallow: /a\n", "--fix --unsafe-fixes", "User-agent: *\nDisallow: /a\n"),
    (
        "x\nUser-agent: *\nDisallow: /a\nDisallow: /ab\nDisallow: /a\ny\nDisallow: /c#d\n",
        "--fix",
        "User-agent: *\nDisallow: /a\nDisallow: /c #d\n",
    ),
    (LONG, "--fix --unsafe-fixes", LONG),
]


@pytest.mark.parametrize(("before", "options", "after"), FIXES)
def test_a_fix_is_applied_where_no_answer_changes_or_on_request(faulty, before, options, after):
    faulty.write_text(before)
    first = policy("lint", faulty, *options.split())
    assert faulty.read_text() == after
    assert ("fixed" in first.lines[-1]) is (before != after)
    again = policy("lint", faulty, *options.split())
    assert (faulty.read_text(), "fixed" in again.out) == (after, False)


@pytest.mark.parametrize(
    ("before", "options", "after"), [case for case in FIXES if "--fix" in case[1]]
)
def test_a_diff_shows_what_the_fix_would_change_and_changes_nothing(faulty, before, options, after):
    faulty.write_text(before)
    output = policy("lint", faulty, "--diff", *options.split()[1:])
    changed = [line for line in output.lines[2:] if line.startswith(("+", "-"))]
    expected = ndiff(before.splitlines(), after.splitlines())
    assert changed == [line[0] + line[2:] for line in expected if line[0] in "+-"]
    assert (faulty.read_text(), output.status) == (before, int(bool(changed)))


@not_on_windows
def test_a_fixed_file_keeps_its_mode_and_a_link_stays_a_link(faulty):
    faulty.chmod(0o640)
    Path("link.txt").symlink_to(faulty)
    policy("lint", "link.txt", "--fix")
    assert Path("link.txt").is_symlink()
    assert faulty.read_text() != FILE
    assert stat.S_IMODE(faulty.stat().st_mode) == 0o640
    assert {path.name for path in Path().iterdir()} == {"link.txt", "robots.txt"}


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0,
    reason="root may write everywhere, and on Windows everybody in a folder",
)
def test_a_file_that_cannot_be_written_is_an_error_and_stays_whole(faulty, tmp_path):
    tmp_path.chmod(0o500)
    output = policy("lint", faulty, "--fix")
    tmp_path.chmod(0o700)
    assert (output.status, faulty.read_text()) == (2, FILE)
