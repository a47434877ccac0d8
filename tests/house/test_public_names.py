"""The public names of the package and of `rep`, and the modules that `rep` must not load."""

from __future__ import annotations

import subprocess
import sys

import pytest

import scrapy_robots_policy
from scrapy_robots_policy import rep


@pytest.mark.parametrize("name", scrapy_robots_policy.__all__)
def test_every_public_name_is_there(name):
    assert getattr(scrapy_robots_policy, name).__name__ == name
    assert name in dir(scrapy_robots_policy)


def test_there_are_no_other_public_names():
    with pytest.raises(AttributeError, match="has no attribute 'Robots'"):
        _ = scrapy_robots_policy.Robots


def loaded(by: str, *names: str) -> list[str]:
    """Those of the modules that are loaded after an import, in a process of its own."""
    code = f"import sys, {by}; print(*(name for name in {names} if name in sys.modules))"
    return subprocess.check_output([sys.executable, "-c", code], text=True).split()


@pytest.mark.slow
def test_without_a_crawl_neither_scrapy_nor_twisted_is_loaded():
    assert loaded("scrapy_robots_policy.rep", "scrapy", "twisted") == []


@pytest.mark.slow
def test_a_crawl_loads_no_other_parser():
    ours = "scrapy_robots_policy.downloadermiddlewares, scrapy_robots_policy.spidermiddlewares"
    assert loaded(ours, "scrapy", "protego", "urllib.robotparser") == ["scrapy"]


@pytest.mark.slow
def test_a_crawl_that_keeps_no_record_does_not_load_what_writes_one():
    audit = "scrapy_robots_policy.audit"
    assert loaded("scrapy_robots_policy.downloadermiddlewares", "scrapy", audit) == ["scrapy"]


def test_rep_has_its_public_names_the_old_ones_included_and_no_others():
    public = {
        *("Access", "AccessPolicy", "Agent", "DIALECTS", "Dialect", "Group", "Origin"),
        *(
            "Reason",
            "Rule",
            "RuleSet",
            "Verdict",
            "VerdictRow",
            "add_agents",
            "advance",
            "dialect_of",
        ),
        *("differences", "find_agent", "judge", "origin_of", "parse", "product_token", "verdicts"),
    }
    new_names = {"AccessMode": "Stance", "CacheEntry": "Record", "FetchResult": "Outcome"}
    assert set(rep.__all__) == public | new_names.keys() | set(new_names.values())
    assert len(rep.__all__) == len(set(rep.__all__))
    for name, old_name in new_names.items():
        assert getattr(rep, name) is getattr(rep, old_name)
    assert [name for name in rep.__all__ if not hasattr(rep, name)] == []


def test_an_access_has_its_attributes_under_their_old_names_too():
    access = rep.advance(None, rep.FetchResult(503), 0.0, rep.DIALECTS["rfc9309"].access)
    assert (access.stance, access.record) == (access.mode, access.entry)
