"""Millions of URLs, columns in and columns out: what was allowed then, or is allowed now.

It needs the extra `bulk`, and no Scrapy. Joins and sorts of what no memory holds are left to the
engine that has the tables: `docs/bulk.md` has a recipe for each.
"""

try:
    import pyarrow as pa  # noqa: F401 - an extra
except ImportError as error:
    raise ImportError(
        "tables of URLs need pyarrow: pip install 'scrapy-robots-policy[bulk]'"
    ) from error

from .captures import read_record, read_store, read_warc
from .judging import Columns, judge, judge_groups, origins, schema_of

__all__ = [
    "Columns",
    "judge",
    "judge_groups",
    "origins",
    "read_record",
    "read_store",
    "read_warc",
    "schema_of",
]
