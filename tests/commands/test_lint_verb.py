"""`lint`: formats, fixes, directories, the project's configuration, many files."""

from __future__ import annotations

import csv
import errno
import io
import json
import os
import shutil
import stat
import subprocess
import sys
from pathlib import PurePosixPath, PureWindowsPath

import pytest

from scrapy_robots_policy.commands.linting import linted_files
from scrapy_robots_policy.commands.linting.sarif import uri_of
from scrapy_robots_policy.fetch.order import MAX_OCTETS
from scrapy_robots_policy.lint import KINDS, lint
from tests.missing import not_on_windows
from tests.site import Answer, Site, moved
from tests.site import robots as served

from .run import Output, policy, read_options_of, robots

FILE = "User-agent: *\nDisallow: /a\nDisallow: /a\nDisalow: /b\nDisallow: /c$d\nColour: blue\n"
CODES = ["R405", "R201", "R402", "R203"]  # in the order of the file


@pytest.fixture
def faulty(tmp_path):
    path = tmp_path / "robots.txt"
    path.write_text(FILE)
    return path


def codes(output):
    return [json.loads(line)["code"] for line in output.lines]


NARROWED = [
    ((), CODES),
    (("--select", "R4,r201"), ["R405", "R201", "R402"]),
    (("--ignore", "R4"), ["R201", "R203"]),
    (("--select", "R4", "--ignore", "R405"), ["R402"]),
    (("--severity", "warning"), ["R201", "R402"]),
    (("--severity", "error"), ["R201"]),
]


@pytest.mark.parametrize(("options", "expected"), NARROWED)
def test_findings_are_narrowed_by_code_and_severity(faulty, options, expected):
    assert codes(policy("lint", faulty, "--json", *options)) == expected


def test_people_see_first_what_is_gravest_and_then_what_can_be_fixed(faulty):
    heads = [line.split()[1:3] for line in policy("lint", faulty).lines if "robots.txt:" in line]
    findings = [head for head in heads if head[1:] and head[1] in KINDS]
    assert findings == [
        *(["error", "R201"], ["warning", "R402"], ["note", "R405"], ["note", "R203"]),
    ]


def test_findings_may_leave_the_exit_status_alone(faulty, tmp_path):
    assert policy("lint", faulty).status == 1
    assert policy("lint", faulty, "--exit-zero").status == 0
    assert policy("lint", faulty, tmp_path / "no", "--exit-zero").status == 2


def test_statistics_count_findings_and_files(faulty, tmp_path):
    other = tmp_path / "other.txt"
    other.write_text("Disallow: /a\nDisalow: /b\n")
    output = policy("lint", faulty, other, "--statistics", "--output-format", "json")
    rows = [json.loads(line) for line in output.lines]
    assert rows[0] == {
        "code": "R201",
        "name": "misspelt-key",
        "severity": "error",
        "findings": 2,
        "files": 2,
    }
    table = policy("lint", faulty, other, "--statistics", "--output-format", "csv")
    assert table.lines[:2] == ["code,name,severity,findings,files", "R201,misspelt-key,error,2,2"]
    text = policy("lint", faulty, other, "--statistics")
    assert text.lines[1].split() == ["R201", "misspelt-key", "error", "2", "2"]
    assert text.lines[-1] == "6 findings in 2 files"
    assert text.status == 1


def test_csv_has_one_row_a_finding(faulty):
    rows = list(csv.DictReader(io.StringIO(policy("lint", faulty, "--output-format", "csv").out)))
    assert [row["code"] for row in rows] == CODES
    assert (rows[1]["file"], rows[1]["line"], rows[1]["fix"]) == (
        str(faulty),
        "4",
        "write Disallow:",
    )


def test_github_gets_an_annotation_beside_each_line(tmp_path):
    path = tmp_path / "a,b:c%.txt"
    path.write_text("User-agent: *\nDisalow: /%7E\n")
    (line,) = policy("lint", path, "--output-format", "github").lines
    name = str(path).replace("%", "%25").replace(":", "%3A").replace(",", "%2C")
    assert line == (
        f"::error title=R201 misspelt-key,file={name},line=2,endLine=2,col=1,endColumn=8"
        "::rfc9309 does not read the key 'Disalow'; write Disallow:"
    )


def test_no_line_of_a_file_is_a_command_of_a_workflow(tmp_path):
    path = tmp_path / "robots.txt"
    path.write_bytes(b"User-agent: *\n::set-output name=a::b\nDisalow\r::stop-commands::x: /\n")
    lines = policy("lint", path, "--output-format", "github").lines
    assert len(lines) == len(lint(path.read_bytes()))
    assert all(line.startswith(("::error ", "::warning ", "::notice ")) for line in lines)


def sarif_of(*args):
    (run,) = json.loads(policy("lint", *args, "--output-format", "sarif").out)["runs"]
    return run


def test_sarif_says_which_files_could_not_be_read(faulty, tmp_path):
    missing = tmp_path / "missing.txt"
    (invocation,) = sarif_of(faulty, missing)["invocations"]
    assert not invocation["executionSuccessful"]
    (error,) = invocation["toolExecutionNotifications"]
    assert error["level"] == "error"
    assert error["message"]["text"].startswith(f"cannot read {missing}: ")
    (invocation,) = sarif_of(faulty)["invocations"]
    assert invocation == {"executionSuccessful": True, "toolExecutionNotifications": []}


def test_sarif_has_the_help_of_each_rule_and_the_version_of_the_tool(faulty):
    driver = sarif_of(faulty)["tool"]["driver"]
    assert driver["version"] in policy("--version").out
    by_code = {rule["id"]: rule for rule in driver["rules"]}
    assert list(by_code) == list(KINDS)
    for code in ("R201", "R506"):
        value = json.loads(policy("rule", code, "--json").out)
        assert by_code[code]["shortDescription"]["text"] == value["what"]
        assert value["fix"] in by_code[code]["help"]["markdown"]


def test_sarif_knows_a_finding_again_when_lines_above_it_come_and_go(faulty):
    def prints():
        results = sarif_of(faulty)["results"]
        return [list(one["partialFingerprints"].values()) for one in results]

    before = prints()
    faulty.write_text("# more\n\n" + FILE)
    assert prints() == before
    assert len({value for (value,) in before}) == len(CODES)
    faulty.write_text(FILE + "Disalow: /b\n")  # the same line again is another finding
    assert len({value for (value,) in prints()}) == len(CODES) + 1


URIS = [
    (PurePosixPath("sites/a b.txt"), "sites/a%20b.txt"),
    (PurePosixPath("a:b/robots.txt"), "a%3Ab/robots.txt"),
    (PurePosixPath("/sites/a b.txt"), "file:///sites/a%20b.txt"),
    (PurePosixPath("//sites/a.txt"), "file:///sites/a.txt"),
    (PureWindowsPath("sites\\ä\\a.txt"), "sites/%C3%A4/a.txt"),
    (PureWindowsPath("C:\\sites\\a b.txt"), "file:///C:/sites/a%20b.txt"),
    (PureWindowsPath("\\\\server\\sites\\a.txt"), "file://server/sites/a.txt"),
]


@pytest.mark.parametrize(("path", "uri"), URIS)
def test_a_file_is_a_uri_in_sarif(path, uri):
    assert uri_of(path) == uri


# ---- directories, many files


def test_of_a_directory_the_files_that_are_named_so_are_read(tmp_path):
    for name in (
        "robots.txt",
        "a/b/example.robots.txt",
        "a/ROBOTS.TXT",
        "a/other.txt",
        ".x/robots.txt",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("Disalow: /b\n")
    files = [json.loads(line)["file"] for line in policy("lint", tmp_path, "--json").lines]
    names = ["robots.txt", "a/ROBOTS.TXT", "a/b/example.robots.txt"]
    assert files == [str(tmp_path / name) for name in names]
    output = policy("lint", tmp_path, "--json", "--include", "other*")
    assert [json.loads(line)["file"] for line in output.lines] == [str(tmp_path / "a/other.txt")]


def test_a_directory_without_such_a_file_is_named_and_the_others_are_checked(tmp_path, faulty):
    empty = tmp_path / "empty"
    empty.mkdir()
    (empty / "other.txt").write_text("Disalow: /b\n")
    alone, with_others = policy("lint", empty), policy("lint", empty, faulty, "--json")
    for output in (alone, with_others):
        assert output.status == 2
        assert output.err == (
            f"robots-policy: no file in {empty} is called *robots*.txt; "
            "choose others with --include\n"
        )
    assert with_others.lines == policy("lint", faulty, "--json").lines
    assert " is called x*; " in policy("lint", empty, "--include", "x*").err
    assert "(default: *robots*.txt)" in policy("lint", "-h").out


def test_a_directory_that_cannot_be_read_is_named_and_the_others_are_checked(
    tmp_path, faulty, monkeypatch
):
    locked = tmp_path / "sites" / "locked"
    locked.mkdir(parents=True)
    scandir = os.scandir

    def scandir_of_others(path):
        if str(path) == str(locked):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", scandir_of_others)
    sentence = f"robots-policy: cannot read {locked}: Permission denied\n"
    assert policy("lint", locked) == Output(2, "", sentence)
    output = policy("lint", locked.parent, faulty, "--json")
    assert (output.status, output.err) == (2, sentence)
    assert output.lines == policy("lint", faulty, "--json").lines


@pytest.mark.slow
def test_many_files_are_checked_in_other_processes_with_the_same_findings(tmp_path, monkeypatch):
    for number in range(60):
        (tmp_path / f"robots{number:03}.txt").write_text(
            f"{FILE}Disallow: /{number}\n" * (number % 5)
        )
    alone = policy("lint", tmp_path, "--json", "--ignore", "R203", "--severity", "warning")
    monkeypatch.setattr(linted_files, "MANY", 50)
    together = policy(
        "lint", tmp_path, "--json", "--ignore", "R203", "--severity", "warning", "--jobs", "2"
    )
    assert together == alone
    assert len(alone.lines) > 50


@pytest.mark.slow
def test_a_file_that_cannot_be_read_does_not_stop_the_others(tmp_path, monkeypatch):
    monkeypatch.setattr(linted_files, "MANY", 2)
    paths = [tmp_path / f"{number}.txt" for number in range(64)]
    for path in paths[:-1]:
        path.write_text("Disalow: /a\n")
    output = policy("lint", *paths, "--json", "--jobs", "2")
    assert (output.status, len(output.lines)) == (2, 63)
    assert output.err == f"robots-policy: cannot read {paths[-1]}: No such file or directory\n"


@pytest.mark.parametrize("name", ["a" * 300, "a\0b"])
def test_a_name_that_no_file_can_have_does_not_stop_the_others(faulty, name):
    output = policy("lint", name, faulty, "--json")
    assert (output.status, codes(output)) == (2, CODES)
    assert output.err.startswith("robots-policy: cannot read ")
    assert output.err.count("\n") == 1


# ---- how a site serves the file


def test_a_linted_url_is_looked_at_with_its_status_type_and_redirects():
    script = {
        "/robots.txt": moved("/other"),
        "/other": Answer(b"User-agent: *\nDisallow: /\n", headers={"Content-Type": "text/html"}),
    }
    with Site(script) as site, Site({"/robots.txt": Answer(status=503)}) as broken:
        output = policy("lint", site.url("/"), broken.url("/"), "--json")
        assert codes(output) == ["R108", "R109", "R307", "R110"]
        assert output.status == 1


def test_a_site_that_does_not_answer_is_not_linted_and_the_others_are():
    with Site({"/robots.txt": served("Disalow: /a")}) as site:
        output = policy("lint", "http://127.0.0.1:1/", site.url("/"), "--json")
        assert (output.status, codes(output)) == (2, ["R201"])
        assert output.err.startswith("robots-policy: cannot read http://127.0.0.1:1/robots.txt: ")


# ---- fixes


def test_fixes_that_change_no_answer_are_applied_and_the_rest_is_shown(faulty):
    output = policy("lint", faulty, "--fix")
    assert faulty.read_text() == FILE.replace("Disallow: /a\nDisallow: /a\n", "Disallow: /a\n")
    assert output.lines[-1] == "1 error, 1 warning, 1 note in 1 file; 1 finding fixed"
    assert policy("lint", faulty, "--fix").lines[-1] == "1 error, 1 warning, 1 note in 1 file"


def test_a_fix_that_changes_answers_of_some_dialects_is_applied_on_request(tmp_path):
    path = tmp_path / "robots.txt"
    text = "User-agent: *\n\nDisallow: /a\n"
    path.write_text(text)
    policy("lint", path, "--fix")
    assert path.read_text() == text
    policy("lint", path, "--unsafe-fixes")
    assert path.read_text() == "User-agent: *\nDisallow: /a\n"


def test_a_file_of_which_only_the_start_is_read_keeps_all_its_lines(tmp_path):
    path = tmp_path / "robots.txt"
    path.write_bytes(FILE.encode() + b"#" * MAX_OCTETS + b"\nDisallow: /d\n")
    before = path.read_bytes()
    output = policy("lint", path, "--unsafe-fixes")
    assert path.read_bytes() == before
    assert f"the file has {len(before):,} octets" in output.out


def test_only_findings_that_are_looked_for_are_fixed(faulty):
    policy("lint", faulty, "--fix", "--ignore", "R405")
    assert faulty.read_text() == FILE


@not_on_windows
def test_a_fixed_file_keeps_its_mode_and_a_link_stays_a_link(faulty, tmp_path):
    faulty.chmod(0o640)
    link = tmp_path / "link.txt"
    link.symlink_to(faulty)
    policy("lint", link, "--fix")
    assert link.is_symlink()
    assert faulty.read_text() != FILE
    assert stat.S_IMODE(faulty.stat().st_mode) == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.txt", "robots.txt"]


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0,
    reason="root may write everywhere, and on Windows everybody in a folder",
)
def test_a_file_that_cannot_be_written_is_an_error_and_stays_whole(faulty, tmp_path):
    tmp_path.chmod(0o500)
    output = policy("lint", faulty, "--fix")
    tmp_path.chmod(0o700)
    assert (output.status, faulty.read_text()) == (2, FILE)


@pytest.mark.parametrize("source", ["-", "http://127.0.0.1:1/robots.txt"])
def test_what_is_no_file_is_not_fixed(source):
    output = policy("lint", source, "--fix")
    assert output.err == "robots-policy: --fix changes files, not URLs, pipes or standard input\n"
    assert output.status == 2


def test_fixes_of_one_file_go_together(tmp_path):
    path = tmp_path / "robots.txt"
    path.write_text(
        "x\nUser-agent: *\nDisallow: /a\nDisallow: /ab\nDisallow: /a\ny\nDisallow: /c#d\n"
    )
    policy("lint", path, "--fix")
    assert path.read_text() == "User-agent: *\nDisallow: /a\nDisallow: /c #d\n"
    assert lint(path.read_bytes()) == ()


# ---- pyproject.toml


@pytest.fixture
def project(faulty, monkeypatch):
    """Writes the table of the project, whose folder is the current one."""
    monkeypatch.chdir(faulty.parent)

    def write(table):
        (faulty.parent / "pyproject.toml").write_text(f"[tool.robots-lint]\n{table}\n")

    return write


TABLES = [
    ('select = ["R4"]', (), ["R405", "R402"]),
    ('select = ["R4"]', ("--select", "R2"), ["R201", "R203"]),
    ('ignore = ["R4", "R203"]', (), ["R201"]),
    ('severity = "error"', (), ["R201"]),
    ('severity = "error"', ("--severity", "warning"), ["R201", "R402"]),
    ('dialect = "google"', ("--select", "R2"), ["R203"]),
    ('dialect = "google"', ("--select", "R2", "--dialect", "rfc9309"), ["R201", "R203"]),
]


@pytest.mark.parametrize(("table", "options", "expected"), TABLES)
def test_the_project_says_what_the_command_line_leaves_open(project, table, options, expected):
    project(table)
    assert codes(policy("lint", "robots.txt", "--json", *options)) == expected


def test_the_project_may_name_the_format_and_the_exit_status(project):
    project('output-format = "csv"\nexit-zero = true')
    output = policy("lint", "robots.txt")
    assert (output.status, output.lines[0][:9]) == (0, "file,code")


def test_the_table_of_a_folder_above_is_read(project, tmp_path, monkeypatch):
    project('select = ["R4"]')
    folder = tmp_path / "below" / "this"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    assert codes(policy("lint", tmp_path / "robots.txt", "--json")) == ["R405", "R402"]


def test_a_folder_above_that_may_not_be_looked_at_has_no_table(faulty, monkeypatch):
    closed, stat_of = str(faulty.parent.parent / "pyproject.toml"), os.stat

    def refusing(path, *args, **kwargs):
        if str(path) == closed:
            raise PermissionError(errno.EACCES, "Permission denied")
        return stat_of(path, *args, **kwargs)

    monkeypatch.chdir(faulty.parent)
    monkeypatch.setattr(os, "stat", refusing)
    assert codes(policy("lint", "robots.txt", "--json")) == CODES


WRONG = [
    ('selct = ["R4"]', "robots-lint has no option 'selct'; did you mean select?"),
    ('select = "R4"', "select is 'R4'; it must be a list of codes"),
    ('select = ["R9"]', "select: no finding has the code 'R9'"),
    ("severity = 3", "severity is 3; it must be a text"),
    ('dialect = "gogle"', "dialect is 'gogle'; it must be rfc9309"),
    ("exit-zero = 1", "exit-zero is 1; it must be true or false"),
    ('output-format = "xml"', "output-format is 'xml'; it must be text"),
    ("select =", "pyproject.toml is no TOML: "),
    (f"select = {'[' * 10_000}", "pyproject.toml is no TOML: "),
]


@pytest.mark.parametrize("text", ["tool = 3", "[tool]\nrobots-lint = 3"])
def test_what_is_no_table_gets_one_sentence(faulty, monkeypatch, text):
    monkeypatch.chdir(faulty.parent)
    (faulty.parent / "pyproject.toml").write_text(text)
    output = policy("lint", "robots.txt")
    assert (output.status, output.out, output.err.count("\n")) == (2, "", 1)
    assert "[tool.robots-lint] must be a table" in output.err


@pytest.mark.parametrize(("table", "sentence"), WRONG)
def test_a_wrong_table_gets_one_sentence(project, table, sentence):
    project(table)
    output = robots("lint", "robots.txt")
    assert (output.status, output.out, output.err.count("\n")) == (2, "", 1)
    assert sentence in output.err


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("head") is None, reason="head is not installed")
def test_whoever_reads_the_first_line_only_is_not_kept_waiting(tmp_path):
    for number in range(300):
        (tmp_path / f"robots{number}.txt").write_text("x\n" + "Disallow: /\n" * 20)
    command = [sys.executable, "-m", "scrapy_robots_policy.commands", "lint", str(tmp_path)]
    done = subprocess.run(
        f"{' '.join(command)} | head -1", shell=True, capture_output=True, check=True, text=True
    )
    assert done.stdout.count("\n") == 1
    assert done.stderr == ""


@pytest.mark.parametrize(("system", "processes"), [("win32", 61), ("linux", 70)])
def test_no_more_processes_are_started_than_windows_can_wait_for(monkeypatch, system, processes):
    wanted = []

    def pool(count, *_):
        wanted.append(count)
        raise InterruptedError  # none is to be started

    monkeypatch.setattr("sys.platform", system)
    monkeypatch.setattr(linted_files, "ProcessPoolExecutor", pool)
    options = read_options_of("lint", "--jobs", "70", *(f"{at}.txt" for at in range(70 * 32)))
    with pytest.raises(InterruptedError):
        next(linted_files.linted_files(options.args, options))
    assert wanted == [processes]
