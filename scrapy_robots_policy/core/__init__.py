"""What a crawl knows and decides, without Scrapy: no clock, no socket, no event loop.

It imports the standard library and `rep` only. The crawl, the commands, bulk and the replay of a
record enter here. Nothing of it is promised to users.
"""
