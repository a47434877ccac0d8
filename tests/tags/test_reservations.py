"""What sites say about the use of pages, in every form: the data of tests/conformance/reservations.

Each case there is from the specification of its form. `overridden` is for its first question.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.http import HtmlResponse

from scrapy_robots_policy.rep import DIALECTS, parse
from scrapy_robots_policy.rep.tdmrep import TdmRules
from scrapy_robots_policy.rep.usage.answer import answer
from scrapy_robots_policy.rep.usage.preferences import PURPOSES, DeclaredUse
from scrapy_robots_policy.tags.preferences import header_preferences, html_preferences

FOLDER = Path(__file__).parents[1] / "conformance" / "reservations"
SITE = "https://site.example"
CASES = {
    f"{path.stem}-{number}": json.loads(line)
    for path in sorted(FOLDER.glob("*.jsonl"))
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
}
DIALECT = DIALECTS["rfc9309"]


def of_page(response, agent):
    return (
        *header_preferences(response, agent, DIALECT),
        *html_preferences(response, agent, DIALECT),
    )


def answered(case, agent, path):
    """The answer of all forms together, and the preferences of robots.txt that do not hold."""
    declared = case.get("use", {"purposes": PURPOSES})
    tokens = tuple(declared.get("tokens", ()))
    use = DeclaredUse(frozenset(declared.get("purposes", ())), declared.get("level", ""), tokens)
    url = SITE + path
    rules = parse(case.get("robots", "").encode())
    preferences = [*rules.usage(url, agent, tokens)]
    if "tdmrep" in case:
        preferences += TdmRules(case["tdmrep"].encode()).preferences(url)
    headers: dict[str, list[str]] = {}
    for name, value in case.get("headers", ()):
        headers.setdefault(name, []).append(value)
    response = HtmlResponse(url, headers=headers, body=case.get("html", ""), encoding="utf-8")
    preferences += of_page(response, agent)
    return answer(preferences, use, rules.overridden(url, agent))


def reserved(value, said):
    """A case: what `value` in tdmrep.json says."""
    holding = [f"tdmrep.json rule 1, tdm-reservation: {said}"] if said else []
    text = f'[{{"location": "/", "tdm-reservation": {value}}}]'
    return {"tdmrep": text, "ask": [["FooBot", "/", holding, {}]]}


def licensed(*urls, headers=(), html=""):
    """A case: the licences of a page at /x/y, each with its place."""
    return {"headers": headers, "html": html, "ask": [["FooBot", "/x/y", [*urls], {}]]}


def link_header(target, more=""):
    return ["Link", f'<{target}>; rel="license"; type="application/rsl+xml"{more}']


def link_element(target):
    return f'<link rel="license" type="application/rsl+xml" href="{target}">'


def overriding(lines, *pairs):
    """A case: lines of a group, and those that give way with those that they give way to."""
    robots = f"License: a\nUser-agent: *\n{lines}\nAllow: /\n"
    return {
        "robots": robots,
        "overridden": [*map(list, pairs)],
        "ask": [["FooBot", "/x", None, {}]],
    }


IN_HEADER, IN_HTML = "header License: ", "link element License: "
NOAI = '<meta name="robots" content="noai">'
MORE = {
    **{f"a reservation of {value}": reserved(value, "1") for value in ("1", '"1"', "1.0", "1e0")},
    **{f"a reservation of {value}": reserved(value, "0") for value in ("0", '"0"', "-0")},
    **{
        f"a reservation of {value}": reserved(value, "")
        for value in ("true", "null", "2", "0.5", '" 1"', "[1]", "{}", "NaN", "1e999")
    },
    "a licence of a header": licensed(
        f"{IN_HEADER}{SITE}/a.xml",
        f"{IN_HEADER}{SITE}/x/b.xml",
        f"{IN_HEADER}https://d.example/d.xml",
        headers=[
            *map(
                link_header, ("/a.xml", "b.xml", "http://[broken", "", " HTTPS://d.example/d.xml ")
            )
        ],
        html='<base href="https://base.example/">',
    ),
    "an anchor at the page": licensed(
        f"{IN_HEADER}{SITE}/a.xml", headers=[link_header("/a.xml", '; anchor="/x/y"')]
    ),
    "an anchor elsewhere": licensed(headers=[link_header("/a.xml", '; anchor="/y"')]),
    "a base": licensed(
        f"{IN_HTML}https://base.example/x/a.xml",
        html=f'<base href="https://base.example/x/">{link_element("a.xml")}',
    ),
    "no whole URL": licensed(
        f"{IN_HTML}{SITE}/a.xml", html="".join(map(link_element, ("/a.xml", "http://[broken", " ")))
    ),
    **{
        f"the base {base}": licensed(
            "meta tag robots: noai",
            f"{IN_HTML}{SITE}/x/a.xml",
            html=f'<base href="{base}">{NOAI}{link_element("a.xml")}',
        )
        for base in ("http://[", "http://a:99999/", "http://a:b/", "http://ex\u2100mple/")
    },
    "a longer path": overriding(
        "Content-Usage: / a=n\nContent-Usage: /x a=y",
        ("line 3, Content-Usage: a=n", "line 4, Content-Usage: a=y"),
    ),
    "a stricter level": overriding(
        "Content-Signal: use=full\nContent-Signal: use=reference",
        ("line 3, Content-Signal: use=full", "line 4, Content-Signal: use=reference"),
    ),
    "another path": overriding("Content-Usage: /y a=n\nContent-Usage: /x a=y"),
    "the group's licence": overriding("License: b", ("line 1, License: a", "line 3, License: b")),
}


@pytest.mark.parametrize("name", CASES | MORE)
def test_a_form_says_what_its_specification_says(name):
    case = (CASES | MORE)[name]
    for agent, path, holding, results in case["ask"]:
        came = answered(case, agent, path)
        assert holding in (None, [str(one) for one in came.holding]), (agent, path)
        by_use = {one.name: one.result.value for one in came.results}
        assert by_use | results == by_use, (agent, path)
    if "overridden" in case:
        agent, path, *_ = case["ask"][0]
        weaker = answered(case, agent, path).overridden
        assert [[str(one.preference), str(one.by)] for one in weaker] == case["overridden"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["location", "tdm-reservation", "tdm-policy"]), inner)
    ),
    max_leaves=20,
)


@pytest.mark.slow
@given(st.binary(max_size=300) | JSON.map(json.dumps).map(str.encode), st.text(max_size=20))
def test_whatever_a_tdmrep_json_holds_it_reserves_or_says_nothing(body, path):
    preferences = TdmRules(body).preferences(f"{SITE}/{path}")
    assert {one.label for one in preferences} <= {"tdm-reservation", "tdm-policy"}
    assert all(one.value in ("0", "1") for one in preferences if one.label == "tdm-reservation")


@pytest.mark.slow
@given(st.lists(st.text(max_size=60), max_size=5), st.text(max_size=200))
def test_whatever_a_page_says_is_read_and_can_be_printed(values, text):
    names = ("Content-Usage", "Content-Signal", "X-Robots-Tag", "tdm-reservation", "Link")
    headers = {name: [value.encode("utf-8", "replace") for value in values] for name in names}
    markup = f'noai<meta name="{text}" content="noai"><link rel="license" href="{text}">{text}'
    response = HtmlResponse(SITE, headers=headers, body=markup, encoding="utf-8")
    assert all(str(one).isprintable() for one in of_page(response, "FooBot"))


def test_the_licences_of_a_page_are_bounded_in_number():
    html = "".join(link_element(f"/{number}.xml") for number in range(10_000))
    response = HtmlResponse(SITE, body=html, encoding="utf-8")
    assert len(of_page(response, "FooBot")) < 1_000
