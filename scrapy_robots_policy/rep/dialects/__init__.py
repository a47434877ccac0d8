"""How does each engine read robots.txt? The dialects as data, with a source for each option."""
