"""What the package is called where it is installed, and which version that is."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, metadata, version

DISTRIBUTION = "scrapy-robots-policy"


def installed_version() -> str:
    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:  # run from a checkout
        return "unknown"


def docs_url() -> str:
    """Where the docs are; "" where nobody knows."""
    try:
        urls = metadata(DISTRIBUTION).get_all("Project-URL") or []
    except PackageNotFoundError:
        return ""
    by_name: dict[str, str] = dict(url.split(", ", 1) for url in urls)
    return by_name.get("Documentation", "")
