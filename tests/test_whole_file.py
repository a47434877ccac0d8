"""What must be true of a file that takes the place of another: whole or not at all."""

from __future__ import annotations

import os
from errno import ENOSPC

import pytest

from scrapy_robots_policy.whole_file import whole_file
from tests.missing import not_on_windows


def write_until_the_disk_is_full(path):
    with whole_file(path) as file:
        file.write(b"a part")
        file.flush()
        raise OSError(ENOSPC, os.strerror(ENOSPC))


def test_an_error_in_the_middle_leaves_the_file_as_it_was_and_no_part_of_a_new_one(tmp_path):
    path = tmp_path / "page.html"
    path.write_bytes(b"before")
    with pytest.raises(OSError, match="No space left"):
        write_until_the_disk_is_full(path)
    assert {one.name: one.read_bytes() for one in tmp_path.iterdir()} == {"page.html": b"before"}


@not_on_windows
@pytest.mark.parametrize("exists", [True, False])
def test_a_link_stays_and_the_file_to_which_it_points_is_written(tmp_path, exists):
    folder = tmp_path / "shared"
    folder.mkdir()
    file_of_link, link = folder / "page.html", tmp_path / "page.html"
    if exists:
        file_of_link.write_bytes(b"before")
    link.symlink_to(file_of_link)
    with whole_file(link) as file:
        file.write(b"after")
    assert link.is_symlink()
    assert [(one.name, one.read_bytes()) for one in folder.iterdir()] == [("page.html", b"after")]


@not_on_windows
def test_a_file_keeps_its_mode_and_a_new_one_has_that_of_any_new_file(tmp_path):
    path, other = tmp_path / "page.html", tmp_path / "other"
    other.touch()
    with whole_file(path):
        pass
    assert path.stat().st_mode == other.stat().st_mode
    path.chmod(0o604)
    with whole_file(path) as file:
        file.write(b"after")
    assert path.stat().st_mode & 0o777 == 0o604


@not_on_windows
def test_a_pipe_is_written_as_it_is(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        with whole_file(pipe) as file:
            file.write(b"a page")
        assert os.read(reading, 100) == b"a page"
    finally:
        os.close(reading)
    assert pipe.is_fifo()
