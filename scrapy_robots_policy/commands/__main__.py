"""`python -m scrapy_robots_policy.commands VERB`: the same as `robots-policy VERB`."""

from __future__ import annotations

import sys

from .program import main

if __name__ == "__main__":
    sys.exit(main())
