"""`scrapy robots audit`: the record of a crawl is checked, shown, and written as a WARC."""
