"""How does each engine read robots.txt? The dialects as data, with a source for each option."""

from .dialect import Dialect
from .engines import DIALECTS, dialect_of, differences

__all__ = ["DIALECTS", "Dialect", "dialect_of", "differences"]
