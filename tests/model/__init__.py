"""Whole crawls in virtual time, and an oracle of its own that judges them.

A history (`test_histories`) says what happens in which order: sites change their robots.txt, pages
are asked for, time passes, crawls close. A `world` plays it: Scrapy's engine and the whole package
run as they are, but time, the web (`changing_site`) and what processes share (`shared_store`) are
the test's own. Then `checks` compares what was seen with what `oracle` permits.
"""
