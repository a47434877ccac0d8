"""The list of mutants fits the code and the tests. All mutants are tried by `make mutants` only."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.mutants.__main__ import WrongListError, check_list, read_list

pytestmark = pytest.mark.slow


def test_each_mutant_breaks_a_text_that_stands_once_and_names_tests_that_are_there():
    check_list(read_list())


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"text": "no such text"}, "its text stands in no module"),
        ({"text": "import"}, "its text stands in "),
        ({"tests": ("rep/test_none.py",)}, "there are 0 files rep/test_none.py"),
        ({"tests": ("rep/test_access.py::test_gone",)}, "rep/test_access.py has no test test_gone"),
    ],
)
def test_a_mutant_that_does_not_fit_is_named(change, sentence):
    mutant = replace(read_list()[0], **change)
    with pytest.raises(WrongListError, match=f"{mutant.id}: ") as error:
        check_list([mutant])
    assert sentence in str(error.value)
