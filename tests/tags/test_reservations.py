"""What sites say about the use of pages, in every form: the data of tests/conformance/reservations.

Each case is from the specification of its form. `overridden` is for the first question of a case.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy.http import HtmlResponse

from scrapy_robots_policy.rep import DIALECTS, parse
from scrapy_robots_policy.rep.preference import PURPOSES, DeclaredUse, Place, Preference
from scrapy_robots_policy.rep.tdmrep import TdmRules
from scrapy_robots_policy.rep.use_answer import answer
from scrapy_robots_policy.tags.page_preferences import (
    MAX_LINKS,
    header_preferences,
    html_preferences,
)

FOLDER = Path(__file__).parents[1] / "conformance" / "reservations"
SITE = "https://site.example"
CASES = {
    f"{path.stem}-{number}": json.loads(line)
    for path in sorted(FOLDER.glob("*.jsonl"))
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
}
DIALECT = DIALECTS["rfc9309"]


def declared(case) -> DeclaredUse:
    use = case.get("use")
    if use is None:
        return DeclaredUse(frozenset(PURPOSES))
    return DeclaredUse(
        frozenset(use.get("purposes", ())), use.get("level", ""), tuple(use.get("tokens", ()))
    )


def answered(case, agent, path):
    """The answer of all forms together, and the preferences of robots.txt that do not hold."""
    use, url = declared(case), SITE + path
    rules = parse(case.get("robots", "").encode())
    preferences = [*rules.usage(url, agent, use.tokens)]
    if "tdmrep" in case:
        preferences += TdmRules(case["tdmrep"].encode()).preferences(url)
    headers: dict[str, list[str]] = {}
    for name, value in case.get("headers", ()):
        headers.setdefault(name, []).append(value)
    response = HtmlResponse(url, headers=headers, body=case.get("html", ""), encoding="utf-8")
    preferences += header_preferences(response, agent, DIALECT)
    preferences += html_preferences(response, agent, DIALECT)
    return answer(preferences, use, rules.overridden(url, agent))


@pytest.mark.parametrize("name", CASES)
def test_a_form_says_what_its_specification_says(name):
    case = CASES[name]
    for agent, path, holding, results in case["ask"]:
        came = answered(case, agent, path)
        assert [str(one) for one in came.holding] == holding, (agent, path)
        by_use = {one.name: one.result.value for one in came.results}
        assert by_use | results == by_use, (agent, path)
    if "overridden" in case:
        agent, path, *_ = case["ask"][0]
        weaker = answered(case, agent, path).overridden
        assert [[str(one.preference), str(one.by)] for one in weaker] == case["overridden"]


def test_every_form_has_cases():
    assert {path.stem.partition("-")[0] for path in FOLDER.glob("*.jsonl")} == {
        *("aipref", "content", "rsl", "tdmrep", "noai", "control")
    }
    assert len(CASES) >= 40


OVERRIDDEN = [
    # a longer path
    ("Content-Usage: / a=n, b=n\nContent-Usage: /x a=y", [("a=n", "a=y"), ("b=n", "a=y")]),
    # equal paths
    ("Content-Usage: /x a=n\nContent-Usage: /x a=y", [("a=y", "a=n")]),
    ("Content-Signal: use=full\nContent-Signal: use=reference", [("use=full", "use=reference")]),
    # a line that does not match overrides nothing
    ("Content-Usage: /y a=n\nContent-Usage: /x a=y", []),
    ("License: a\nLicense: b", []),
]


@pytest.mark.parametrize(("lines", "pairs"), OVERRIDDEN)
def test_the_weaker_lines_of_a_file_are_named_with_the_stronger(lines, pairs):
    rules = parse(f"User-agent: *\n{lines}\n".encode())
    weaker = rules.overridden(f"{SITE}/x", "FooBot")
    texts = [(str(one.preference), str(one.by)) for one in weaker]
    assert [(a.partition(": ")[2], b.partition(": ")[2]) for a, b in texts] == pairs
    assert all(one.why for one in weaker)


def test_lines_outside_all_groups_give_way_to_those_of_the_group():
    rules = parse(
        b"License: a\nContent-Signal: search=no\nUser-agent: *\nLicense: b\n"
        b"Content-Signal: search=yes\nAllow: /\n"
    )
    texts = {str(one.preference): str(one.by) for one in rules.overridden("/", "FooBot")}
    assert texts == {
        "line 1, License: a": "line 4, License: b",
        "line 2, Content-Signal: search=no": "line 5, Content-Signal: search=yes",
    }


def test_a_page_that_may_not_be_fetched_has_no_preferences_of_tokens():
    rules = parse(b"User-agent: *\nDisallow: /\nUser-agent: Google-Extended\nDisallow: /\n")
    assert rules.usage("/x", "FooBot", ("Google-Extended",)) == ()


RESERVATIONS = {
    "1": ("1", '"1"', "1.0", "1e0"),
    "0": ("0", '"0"', "-0"),
    "": ("true", "null", "2", "0.5", '" 1"', "[1]", "{}", "NaN", "1e999"),
}


@pytest.mark.parametrize("value", RESERVATIONS)
def test_a_reservation_of_tdmrep_json_is_the_number_0_or_1(value):
    for written in RESERVATIONS[value]:
        rules = TdmRules(f'[{{"location": "/", "tdm-reservation": {written}}}]'.encode())
        assert "".join(one.value for one in rules.preferences(SITE)) == value, written


@pytest.mark.parametrize("location", ['""', "null", "1", "[]"])
def test_an_entry_of_tdmrep_json_without_a_location_reserves_nothing(location):
    rules = TdmRules(f'[{{"location": {location}, "tdm-reservation": 1}}]'.encode())
    assert rules.preferences(SITE) == ()


def test_half_a_pair_of_utf_16_in_a_location_is_no_question_mark():
    rules = TdmRules(rb'[{"location": "/\ud800", "tdm-reservation": 1}]')
    assert rules.preferences(f"{SITE}/?q") == ()
    assert rules.preferences(f"{SITE}/\ud800q")


@pytest.mark.slow
@given(st.binary(max_size=300) | st.text().map(str.encode), st.text(max_size=20))
def test_no_tdmrep_json_raises(octets, path):
    rules = TdmRules(octets)
    assert all(one.place is Place.TDMREP for one in rules.preferences(f"{SITE}/{path}"))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["location", "tdm-reservation", "tdm-policy", "x"]), inner
        )
    ),
    max_leaves=20,
)


@pytest.mark.slow
@given(JSON, st.sampled_from(["/", "/a", "/a/b?c", "/%7Ea", "/é"]))
def test_any_json_gives_a_reservation_or_none(value, path):
    rules = TdmRules(json.dumps(value).encode())
    preferences = rules.preferences(SITE + path)
    assert {one.label for one in preferences} <= {"tdm-reservation", "tdm-policy"}
    assert all(one.value in ("0", "1") for one in preferences if one.label == "tdm-reservation")


@pytest.mark.slow
@given(st.lists(st.text(max_size=60), max_size=5), st.text(max_size=200))
def test_no_header_and_no_html_raises(values, text):
    names = ("Content-Usage", "Content-Signal", "X-Robots-Tag", "tdm-reservation", "Link")
    headers = {name: [value.encode("utf-8", "replace") for value in values] for name in names}
    markup = f'noai<meta name="{text}" content="noai"><link rel="license" href="{text}">{text}'
    response = HtmlResponse(SITE, headers=headers, body=markup, encoding="utf-8")
    preferences = [
        *header_preferences(response, "FooBot", DIALECT),
        *html_preferences(response, "FooBot", DIALECT),
    ]
    assert all(isinstance(one, Preference) and str(one).isprintable() for one in preferences)


def test_the_licences_of_a_page_are_bounded_in_number():
    link = '<link rel="license" type="application/rsl+xml" href="/{}.xml">'
    text = "".join(link.format(number) for number in range(3 * MAX_LINKS))
    response = HtmlResponse("https://site.example/", body=text.encode(), encoding="utf-8")
    assert len(html_preferences(response, "FooBot", DIALECT)) == MAX_LINKS


def test_a_licence_of_a_header_is_resolved_against_the_url_of_the_response():
    targets = [
        "/a.xml",
        "b.xml",
        "//other.example/c.xml",
        "http://[broken",
        "",
        " HTTPS://d.example/d.xml ",
    ]
    links = (f'<{target}>; rel="license"; type="application/rsl+xml"' for target in targets)
    headers = {"Link": [link.encode() for link in links]}
    base = '<base href="https://base.example/">'
    response = HtmlResponse(f"{SITE}/x/y?q", headers=headers, body=base, encoding="utf-8")
    assert [one.value for one in header_preferences(response, "FooBot", DIALECT)] == [
        f"{SITE}/a.xml",
        f"{SITE}/x/b.xml",
        "https://other.example/c.xml",
        "https://d.example/d.xml",
    ]


@pytest.mark.parametrize(
    ("anchor", "licences"),
    [
        ("", 1),
        ("/x", 1),
        (f"{SITE}/x", 1),
        ("/y", 0),
        ("#part", 0),
        ("https://other.example/x", 0),
        ("http://[broken", 0),
    ],
)
def test_a_licence_of_a_link_header_about_another_page_is_not_that_of_the_page(anchor, licences):
    link = f'</a.xml>; rel="license"; type="application/rsl+xml"; anchor="{anchor}"'
    response = HtmlResponse(f"{SITE}/x", headers={"Link": link}, body="", encoding="utf-8")
    assert len(header_preferences(response, "FooBot", DIALECT)) == licences


def test_a_licence_of_a_link_element_is_resolved_against_the_base_of_the_page():
    link = '<link rel="license" type="application/rsl+xml" href="a.xml">'
    body = f'<base href="https://base.example/x/">{link}'
    response = HtmlResponse(SITE, body=body, encoding="utf-8")
    (licence,) = html_preferences(response, "FooBot", DIALECT)
    assert licence.value == "https://base.example/x/a.xml"


@pytest.mark.parametrize(
    "base", ["http://[", "http://a:99999/", "http://a:b/", "http://ex\u2100mple/"]
)
def test_a_base_that_is_no_url_hides_nothing_of_what_the_page_says(base):
    """Scrapy fails on it, and the page was an error of a crawl that follows no refresh."""
    link = '<link rel="license" type="application/rsl+xml" href="a.xml">'
    body = f'<base href="{base}"><meta name="robots" content="noai">{link}'
    response = HtmlResponse(f"{SITE}/x/", body=body, encoding="utf-8")
    refusal, licence = html_preferences(response, "FooBot", DIALECT)
    assert (refusal.value, licence.value) == ("noai", f"{SITE}/x/a.xml")


def test_a_licence_is_a_whole_url_or_none():
    hrefs = ["/a.xml", "http://[broken", "", " ", "b.xml"]
    link = '<link rel="license" type="application/rsl+xml" href="{}">'
    text = "".join(map(link.format, hrefs))
    response = HtmlResponse("https://site.example/c/", body=text.encode(), encoding="utf-8")
    licences = [one.value for one in html_preferences(response, "FooBot", DIALECT)]
    assert licences == ["https://site.example/a.xml", "https://site.example/c/b.xml"]
