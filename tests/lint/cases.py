"""The cases of cases.jsonl as Python values, one line each. Knows the file's form."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from scrapy_robots_policy.owners.lint import Finding, lint
from scrapy_robots_policy.rep import DIALECTS, FetchResult


@dataclass(frozen=True)
class Case:
    """One file, and what lint must find in it of one kind. A field that is absent asks nothing.

    Attributes:
        number: the line in cases.jsonl.
        text: the file.
        note: why the case is there.
        dialect: the names of dialects, with spaces between them, or "all": it is a case in each.
        encoding: of the text; "latin-1" where the text stands for bytes.
        rules: after the text come so many more rules: Disallow: /0, Disallow: /1 …
        url, size: as `lint` takes them.
        served: the fields of a `FetchResult` that are not those of a good one.
        silent: there is no such finding.
        line: of the one finding.
        lines: of all findings, where there are several.
        marked: the characters that the first finding is about.
        says: words of each finding, in "message: fix".
        message, fix: the whole of it, in each finding.
        holds_in: the dialects that each finding names.
        fixed: the file after the fix; the same as `text` where a fix would be a choice.
        ask: (crawler, path, whether the engine allows it), for what a finding says is so.

    """

    number: int
    code: str
    text: str
    note: str = ""
    dialect: str = "rfc9309"
    encoding: str = "utf-8"
    rules: int = 0
    url: str = ""
    size: int = 0
    served: dict[str, Any] | None = None
    silent: bool = False
    line: int = 0
    lines: Sequence[int] = ()
    marked: str = ""
    says: str = ""
    message: str = ""
    fix: str = ""
    holds_in: Sequence[str] = ()
    fixed: str | None = None
    ask: Sequence[tuple[str, str, bool]] = ()

    def __str__(self) -> str:
        return f"{self.code}-line{self.number}-{self.dialect}"

    @property
    def body(self) -> bytes:
        more = (f"Disallow: /{number}\n" for number in range(self.rules))
        return "".join([self.text, *more]).encode(self.encoding)

    @property
    def findings(self) -> tuple[Finding, ...]:
        good = {"status": 200, "body": self.body}
        served = None if self.served is None else FetchResult(**good | self.served)
        about_file = {"url": self.url, "size": self.size, "served": served}
        return lint(self.body, self.dialect, select=[self.code], **about_file)


def _cases() -> Iterator[Case]:
    lines = Path(__file__).with_suffix(".jsonl").read_text("utf-8").splitlines()
    for number, line in enumerate(lines, 1):
        case = Case(number, **json.loads(line))
        names = DIALECTS if case.dialect == "all" else case.dialect.split()
        yield from (replace(case, dialect=name) for name in names)


CASES = list(_cases())
