"""The cases of tests/conformance, asked of each parser that can be had here: how many are right.

    python benchmarks/compare.py [--npm FOLDER] [--write]

FOLDER holds node_modules with robots-parser, the parser that most JavaScript projects use.
`--write` puts the table into benchmarks/results, from which `make table` makes that of
docs/compared.md.
"""

from __future__ import annotations

import argparse
import json
import logging
import platform
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from corpus import SITE
from engine import table
from peers import Peer, peers

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from tests.rep.cases import examples, generated  # noqa: E402 - of this repository, no package

RESULT = ROOT / "benchmarks" / "results" / "compare.md"
IN_NODE = """
const parse = require("robots-parser");
const lines = require("fs").readFileSync(0, "utf8").trim().split("\\n");
const answers = lines.map(line => {
  const [robots, agent, url] = JSON.parse(line);
  try {
    return parse(new URL("/robots.txt", url).href, robots).isAllowed(url, agent) === true;
  } catch (error) { return null; }
});
console.log(JSON.stringify(answers));
"""


class Question(NamedTuple):
    """A robots.txt, a crawler, a URL, and the answer that the sources give."""

    robots: bytes
    agent: str
    url: str
    allowed: bool


def questions(dialect: str) -> dict[str, list[Question]]:
    """The worked examples, and the hostile files where there are some."""
    cases = {"examples": [case for case in examples().values() if case.dialect == dialect]}
    if dialect == "google":
        cases["hostile files"] = list(generated(dialect))
    return {
        kind: [
            Question(case.robots, agent, url if "://" in url else SITE + url, allowed)
            for case in of_kind
            for agent, url, allowed in case.ask
            if url.startswith(("http://", "https://", "/")) and url[:2] != "//"
        ]
        for kind, of_kind in cases.items()
    }


def right_of_peer(peer: Peer, asked: Iterable[Question]) -> int:
    return sum(_answer(peer, one) == one.allowed for one in asked)


def _answer(peer: Peer, one: Question) -> bool | None:
    try:
        return bool(peer.allowed(peer.parse(one.robots), peer.address(one.url), one.agent))
    except Exception:  # noqa: BLE001 - whatever a peer raises: it has no answer
        return None


def right_in_node(folder: Path, asked: list[Question]) -> int:
    lines = (
        json.dumps([one.robots.decode("utf-8", "replace"), one.agent, one.url]) for one in asked
    )
    done = subprocess.run(  # noqa: S603 - our own program
        ["node", "-e", IN_NODE],  # noqa: S607 - the machine's own
        input="\n".join(lines),
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    answers = json.loads(done.stdout)
    return sum(answer == one.allowed for answer, one in zip(answers, asked, strict=True))


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--npm", type=Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args(arguments)
    logging.disable()
    asked = {
        f"{dialect}, {kind}": of_kind
        for dialect in ("rfc9309", "google")
        for kind, of_kind in questions(dialect).items()
    }
    rows = [
        [
            peer.name.replace("urllib.robotparser", f"CPython {platform.python_version()}, urllib"),
            *(f"{right_of_peer(peer, of_kind):,}" for of_kind in asked.values()),
        ]
        for peer in peers()
    ]
    if options.npm is not None:
        manifest = options.npm / "node_modules" / "robots-parser" / "package.json"
        name = f"robots-parser {json.loads(manifest.read_text())['version']} (npm)"
        rows.append([name, *(f"{right_in_node(options.npm, one):,}" for one in asked.values())])
    heads = [f"{name}: right of {len(of_kind):,}" for name, of_kind in asked.items()]
    shown = table(["parser", *heads], rows)
    print(shown)
    if options.write:
        RESULT.write_text(shown + "\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
