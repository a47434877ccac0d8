"""How a dialect reads the fetch of a robots.txt: its access policy, and the user's limits on it.

What a dialect does differently is a value of its `AccessPolicy`, never a branch on its name. RFC
9309 §2.3.1 (access results) and §2.4 (caching) are the base. Durations are seconds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache

from .escapes import quoted
from .field_values import check_fields, hints_of
from .url import DEFAULT_PORTS

MINUTE = 60.0
HOUR = 60 * MINUTE
DAY = 24 * HOUR
FOREVER = float("inf")


class AccessMode(Enum):
    """What may be done with an origin."""

    RULES = "rules"
    ALLOW = "allow"
    DISALLOW = "disallow"
    DEFER = "defer"

    @property
    def description(self) -> str:
        """The mode in a few words, for logs, reports and commands."""
        return _DESCRIPTIONS[self]


_DESCRIPTIONS = {
    AccessMode.RULES: "its rules are obeyed",
    AccessMode.ALLOW: "everything is allowed",
    AccessMode.DISALLOW: "nothing is allowed",
    AccessMode.DEFER: "requests wait for the next try",
}


class AccessResult(Enum):
    """The kinds of access result of RFC 9309 §2.3.1, the 1996 draft's FORBIDDEN, and HTTP's 304."""

    SUCCESSFUL = "successful"
    UNCHANGED = "unchanged"
    FORBIDDEN = "forbidden"
    UNAVAILABLE = "unavailable"
    UNREACHABLE = "unreachable"


def _check_modes(name: str, **modes: AccessMode | None) -> None:
    for field, mode in modes.items():
        if mode is AccessMode.RULES:
            raise ValueError(f"{name}: {field} is 'rules', but there is no file whose rules hold")


@dataclass(frozen=True, slots=True)
class Step:
    """The access modes of a file that has been unreachable for less than `until` seconds.

    ValueError for a value of a wrong type, and for `RULES` where there is no file.
    """

    until: float
    with_copy: AccessMode
    without_copy: AccessMode
    site_down: AccessMode | None = None  # instead of both, if the site answers no request at all

    def __post_init__(self) -> None:
        check_fields(self, "Step", hints_of(Step))
        _check_modes("Step", without_copy=self.without_copy, site_down=self.site_down)


@dataclass(frozen=True, slots=True)
class AccessPolicy:
    """How a dialect reads a fetch result. The defaults are RFC 9309's.

    ValueError for a value that is of a wrong type, or with which no file would be read, or no mode
    would hold: it names the field.
    """

    successful: range = range(200, 300)
    text_only: bool = False  # another media type than text/* counts as no file
    html_page: AccessResult = AccessResult.SUCCESSFUL  # §2.3.1.5: its parseable lines are rules
    redirects: int = 5  # §2.3.1.2: at least five
    redirects_exhausted: AccessResult = AccessResult.UNAVAILABLE
    forbidden: AccessMode = AccessMode.ALLOW  # 401, 403
    unavailable: AccessMode = AccessMode.ALLOW  # §2.3.1.3: other 4xx
    too_many_requests: AccessResult = AccessResult.UNAVAILABLE  # 429
    other_status: AccessResult = AccessResult.UNREACHABLE  # 5xx and statuses not named above
    unreachable: tuple[Step, ...] = (
        Step(30 * DAY, AccessMode.RULES, AccessMode.DISALLOW),  # §2.3.1.4
        Step(FOREVER, AccessMode.RULES, AccessMode.ALLOW),
    )
    lifetime: float = DAY  # §2.4
    lifetime_bounds: tuple[float, float] = (MINUTE, DAY)  # min, max of a lifetime by HTTP caching
    error_lifetime: float = HOUR  # max wait between tries while unreachable
    retry_first: float = 10.0  # the first such wait; each next one is twice as long
    schemes: frozenset[str] = frozenset({"http", "https"})

    def __post_init__(self) -> None:
        check_fields(self, "AccessPolicy", hints_of(AccessPolicy))
        _check_modes("AccessPolicy", forbidden=self.forbidden, unavailable=self.unavailable)
        for fault in _faults(self):
            raise ValueError(f"AccessPolicy: {fault}")


def _faults(policy: AccessPolicy) -> Iterator[str]:
    """What is wrong with the values of the fields, though each is of its type."""
    if 200 not in policy.successful:
        yield "successful must have 200, else no file is read"
    ends = [step.until for step in policy.unreachable]
    if not ends or ends[-1] != FOREVER:
        yield "the last step of unreachable must be until FOREVER"
    if ends != sorted(set(ends)):
        yield "each step of unreachable must be until later than the one before it"
    shortest, longest = policy.lifetime_bounds
    if shortest > longest:
        yield f"lifetime_bounds is {policy.lifetime_bounds}, it must be (min, max)"
    if not policy.retry_first:
        yield "retry_first is 0, with which tries follow one another without a pause"
    if not policy.schemes or not policy.schemes <= DEFAULT_PORTS.keys():
        names = ", ".join(DEFAULT_PORTS)
        yield f"schemes is {quoted(policy.schemes)}, it must have one or more of {names}"


@dataclass(frozen=True, slots=True)
class AccessOverrides:
    """The user's values in place of those of every policy; None: the policy's.

    lifetime        seconds of freshness; HTTP caching may make it shorter, never longer
    unreachable     the mode while the file is unreachable and there is no copy. Where it is set,
                    every status without a meaning of its own counts as unreachable, and a copy
                    stays in force without a limit of time
    """

    lifetime: float | None = None
    unreachable: AccessMode | None = None

    def over(self, policy: AccessPolicy) -> AccessPolicy:
        """The policy with these values."""
        if self.lifetime is None and self.unreachable is None:
            return policy
        return _put_over(self, policy)


@lru_cache(maxsize=64)  # it is needed for each origin, and a policy checks its values
def _put_over(own: AccessOverrides, policy: AccessPolicy) -> AccessPolicy:
    if own.lifetime is not None:
        shortest = min(policy.lifetime_bounds[0], own.lifetime)
        bounds = (shortest, own.lifetime)
        policy = replace(policy, lifetime=own.lifetime, lifetime_bounds=bounds)
    if own.unreachable is not None:
        ladder = (Step(FOREVER, AccessMode.RULES, own.unreachable),)
        policy = replace(policy, unreachable=ladder, other_status=AccessResult.UNREACHABLE)
    return policy
