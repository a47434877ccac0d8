"""A file with the fixes of its findings applied."""

from __future__ import annotations

from collections.abc import Callable

from ..lint import Finding, edited

_MAX_ROUNDS = 50

Findings = tuple[Finding, ...]


def fixed(
    octets: bytes, findings: Findings, lint: Callable[[bytes], Findings], *, all_of: bool
) -> tuple[bytes, int, Findings]:
    """(the file, how many findings were fixed, the findings that are left)

    all_of  False: only fixes after which every dialect answers as before

    The findings of one code are fixed together, then the file is looked at anew: what one fix
    changes, another one may have stood on.
    """
    count = 0
    for _ in range(_MAX_ROUNDS):
        with_fix = [one for one in findings if one.edits and (all_of or not one.dialects)]
        if not with_fix:
            break
        first = min(one.code for one in with_fix)
        chosen = [one for one in with_fix if one.code == first]
        after = edited(octets, [edit for one in chosen for edit in one.edits])
        if after == octets:
            break
        octets, count, findings = after, count + len(chosen), lint(after)
    return octets, count, findings
