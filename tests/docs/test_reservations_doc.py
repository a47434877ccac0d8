"""What docs/reservations.md says is so."""

from __future__ import annotations

import re
from pathlib import Path

from scrapy_robots_policy.config import SETTINGS
from scrapy_robots_policy.rep.control_tokens import CONTROL_TOKENS
from scrapy_robots_policy.rep.preference import ATTACH, LEVELS, PURPOSES, VOCAB

TEXT = (Path(__file__).parents[2] / "docs" / "reservations.md").read_text("utf-8")


def test_its_settings_are_settings():
    named = dict(re.findall(r"^(ROBOTS_\w+) = (\S+?) +#", TEXT, re.MULTILINE))
    assert named.keys() <= SETTINGS.keys()
    for name, value in named.items():
        SETTINGS[name].kind.read(name, value.strip('"'))


def test_its_tokens_are_those_of_the_table():
    rows = re.findall(r"^\| `([\w-]+)` \| (`[^|]*`) \| [a-z]", TEXT, re.MULTILINE)
    assert {token: set(re.findall(r"`([\w-]+)`", names)) for token, names in rows} == {
        token.name: set(token.purposes) for token in CONTROL_TOKENS
    }
    assert all(token.source for token in CONTROL_TOKENS)
    assert all(token.purposes <= PURPOSES.keys() for token in CONTROL_TOKENS)


def test_it_pins_the_drafts_of_the_code():
    assert f"draft-ietf-{VOCAB}" in TEXT
    assert f"draft-ietf-{ATTACH}" in TEXT
    assert all(f"use={level}" in TEXT for level in LEVELS)
