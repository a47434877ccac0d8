"""The program `robots-policy`, and `python -m scrapy_robots_policy.commands`: the same.

This module loads nothing itself: to load the verbs takes longer than most of them run, and Ctrl-C
may come meanwhile.
"""

from __future__ import annotations

import sys


def main() -> int:
    """The exit status."""
    try:
        from .command_line import main as run_command_line  # noqa: PLC0415 - see above

        return run_command_line()
    except KeyboardInterrupt:
        if sys.stderr:  # None where it was closed: `2>&-`
            sys.stderr.write("robots-policy: interrupted\n")
        return 130


if __name__ == "__main__":
    sys.exit(main())
