"""One job of scrapyd: an egg is deployed, its spider runs, its log and its stats are read.

`python -m matrix.scrapyd_jobs` reads a `Job` as JSON and writes what was seen as JSON, as
`matrix.crawls` does. The spider is `projects/scrapyd_project.py`; it writes what it saw to a file.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from shutil import copytree
from urllib.error import URLError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from .crawls import Job, Seen, settings_of

ROOT = Path(__file__).parent.parent
DEADLINE = 60  # seconds for each step
SETUP = """\
from setuptools import find_packages, setup
setup(name="matrix", version="1", packages=find_packages(),
      entry_points={"scrapy": ["settings = matrix.scrapyd_settings"]})
"""
CONFIG = """\
[scrapyd]
http_port = %d
eggs_dir = eggs
logs_dir = logs
items_dir =
dbs_dir = dbs
poll_interval = 0.5
"""


def egg(folder: Path) -> bytes:
    """The project as scrapyd gets it. What is the job's is in its settings."""
    copytree(ROOT / "matrix", folder / "matrix")
    (folder / "setup.py").write_text(SETUP)
    subprocess.run(
        [sys.executable, "setup.py", "-q", "bdist_egg"], cwd=folder, check=True, capture_output=True
    )
    return next(folder.glob("dist/*.egg")).read_bytes()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


class Scrapyd:
    """A scrapyd of our own, in a folder, up to the end of the `with` block."""

    def __init__(self, folder: Path) -> None:
        self.folder, port = folder, free_port()
        self.url = f"http://127.0.0.1:{port}"
        (folder / "scrapyd.conf").write_text(CONFIG % port)

    def __enter__(self) -> Scrapyd:  # noqa: PYI034 - Self is new in Python 3.11
        self.process = subprocess.Popen(
            [sys.executable, "-m", "scrapyd"],
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        wait_until(self._answers)
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait(DEADLINE)

    def _answers(self) -> bool:
        try:
            with urlopen(f"{self.url}/daemonstatus.json", timeout=DEADLINE) as response:
                return bool(response.status == 200)
        except URLError:
            return False

    def schedule(self, job: Job) -> None:
        """Each setting goes as NAME=JSON, as with `curl -d setting=`."""
        form = [("project", "matrix"), ("spider", "matrix"), ("job", json.dumps(asdict(job)))]
        for name, value in settings_of(job).items():
            text = value if isinstance(value, str) else json.dumps(value)
            form.append(("setting", f"{name}={text}"))
        data = urlencode(form).encode()
        with urlopen(f"{self.url}/schedule.json", data, timeout=DEADLINE) as response:
            assert json.load(response)["status"] == "ok"

    def deploy(self, data: bytes) -> None:
        """addversion.json takes a form with a file."""
        edge = "matrix"
        parts = [
            f'--{edge}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
            for name, value in (("project", "matrix"), ("version", "1"))
        ]
        head = f'--{edge}\r\nContent-Disposition: form-data; name="egg"; filename="a.egg"\r\n\r\n'
        body = b"".join([*parts, head.encode(), data, f"\r\n--{edge}--\r\n".encode()])
        kind = {"Content-Type": f"multipart/form-data; boundary={edge}"}
        with urlopen(Request(f"{self.url}/addversion.json", body, kind)) as response:
            assert json.load(response)["status"] == "ok"


def wait_until(is_true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + DEADLINE
    while not is_true():
        if time.monotonic() > deadline:
            raise TimeoutError
        time.sleep(0.2)


def main() -> None:
    job = Job(**json.load(sys.stdin))
    folder = Path(job.folder)
    data = egg(folder)
    with Scrapyd(folder) as scrapyd:
        scrapyd.deploy(data)
        scrapyd.schedule(job)
        wait_until((folder / "seen.json").exists)
    seen = Seen(**json.loads((folder / "seen.json").read_text()))
    seen.versions = {name: version(name) for name in ("Scrapy", "scrapyd")}
    json.dump(asdict(seen), sys.stdout)


if __name__ == "__main__":
    main()
