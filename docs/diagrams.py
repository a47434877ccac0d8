"""Draws the mermaid diagrams of the docs: `make pictures`. It needs npm, Chromium and its driver.

Code hosts draw such blocks themselves. The site shows a picture, so that a reader loads no program
of 3 MB for it. The name of a picture has the hash of its block: docs/site/hooks.py puts it there,
and a block that has changed has no picture until this has been run.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import tempfile
from hashlib import sha256
from pathlib import Path

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS.parent))

PICTURES = DOCS / "pictures"
BLOCK = re.compile(r"^```mermaid\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MERMAID = "mermaid@11.17.2"
DRAW = """
const [code, done] = arguments;
const flowchart = {wrappingWidth: 320};
mermaid.initialize({startOnLoad: false, theme: "neutral", htmlLabels: false, flowchart});
mermaid.render("diagram", code).then(drawn => done(drawn.svg), error => done("" + error));
"""


def picture_of(code: str) -> str:
    return f"diagram-{sha256(code.encode()).hexdigest()[:12]}.svg"


def diagrams() -> dict[str, str]:
    """The code of each diagram by the name of its picture."""
    codes = (code for page in DOCS.rglob("*.md") for code in BLOCK.findall(page.read_text("utf-8")))
    return {picture_of(code): code for code in codes}


def main() -> None:
    from tests.browser import started  # noqa: PLC0415 - tests ask for the names only

    with tempfile.TemporaryDirectory() as folder:
        page = page_with_mermaid(Path(folder))
        for old in PICTURES.glob("diagram-*.svg"):
            old.unlink()
        with started(Path(folder) / "profile") as browser:
            browser.get(page.as_uri())
            for name, code in diagrams().items():
                svg = browser.execute_async_script(DRAW, code)
                if not svg.startswith("<svg"):
                    sys.exit(svg)
                (PICTURES / name).write_text(svg + "\n", "utf-8")
                sys.stdout.write(f"{name} written\n")


def page_with_mermaid(folder: Path) -> Path:
    """An empty page that has loaded the program, as its registry has it."""
    subprocess.run(  # noqa: S603 - a fixed command
        ["npm", "pack", MERMAID, "--silent"],  # noqa: S607 - npm is where the system has it
        cwd=folder,
        stdout=subprocess.DEVNULL,
        timeout=120,
        check=True,
    )
    with tarfile.open(next(folder.glob("*.tgz"))) as archive:
        archive.extract("package/dist/mermaid.min.js", folder, filter="data")
    page = folder / "page.html"
    page.write_text('<script src="package/dist/mermaid.min.js"></script>', "utf-8")
    return page


if __name__ == "__main__":
    main()
