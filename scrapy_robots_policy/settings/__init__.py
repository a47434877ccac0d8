"""The settings of a crawl: the table, the kinds of values, and what a crawl reads of them."""
