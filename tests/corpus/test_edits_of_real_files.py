"""The fixes of all findings in the real files change no answer that they are not about."""

from __future__ import annotations

import pytest

from scrapy_robots_policy.lint import lint
from scrapy_robots_policy.lint.edits import fixed
from scrapy_robots_policy.rep import DIALECTS
from tests.lint.test_lint_edits import changed, differing

pytestmark = pytest.mark.corpus


@pytest.mark.parametrize("part", range(10))
def test_a_fix_changes_only_the_answers_that_its_finding_is_about(real_files, part):
    fixed = 0
    for name, body in list(real_files.items())[part::10]:
        findings = lint(body)
        for code in sorted({finding.code for finding in findings if finding.edits}):
            alike = [finding for finding in findings if finding.code == code]
            assert changed(body, alike, 40) == [], (name, code)
            fixed += 1
    assert fixed > 50


@pytest.mark.parametrize("part", range(10))
def test_all_fixes_together_change_no_answer_where_none_may_change(real_files, part):
    count = 0
    for name, body in list(real_files.items())[part::10]:
        findings = lint(body)
        after, fixes, left = fixed(body, findings, lint, all_of=False)
        assert differing(body, after, DIALECTS, 40) == [], name
        assert not any(one.edits and not one.dialects for one in left), name
        assert not fixes or after != body, name
        count += sum(len(one.edits) for one in findings) - sum(len(one.edits) for one in left)
    assert count > 100
