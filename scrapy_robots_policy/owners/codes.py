"""The codes of findings, on a command line and in a configuration of lint."""

from __future__ import annotations

from ..commands.arguments import UsageError, read_choice
from ..rep.escapes import nearest
from .lint import KINDS, Severity


def read_codes(source: str, value: str) -> tuple[str, ...]:
    """Codes of findings, or their starts. UsageError for an unknown one."""
    codes = tuple(word.strip().upper() for word in value.split(",") if word.strip())
    for code in codes:
        if not any(kind.startswith(code) for kind in KINDS):
            raise UsageError(
                f"{source}: no finding has the code {code!r}; the codes start with R1 to R6"
            )
    return codes


def read_findings(source: str, value: str) -> tuple[str, ...]:
    """Codes of findings, from codes and names; `all` for each. UsageError for an unknown one."""
    if value.strip().lower() == "all":
        return tuple(KINDS)
    names = {kind.name: kind.code for kind in KINDS.values()}
    codes = []
    for word in filter(None, map(str.strip, value.split(","))):
        code = names.get(word.lower(), word.upper())
        if code not in KINDS:
            near = nearest(word.lower(), names) or nearest(code, KINDS)
            raise UsageError(f"{source}: no finding has the code {word!r}{near}")
        codes.append(code)
    return tuple(codes)


def read_severity(source: str, value: str) -> Severity:
    return Severity(read_choice(source, value.lower(), [severity.value for severity in Severity]))
