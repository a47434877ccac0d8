"""A Scrapy project that keeps to robots.txt the way Googlebot does."""

BOT_NAME = "example"
SPIDER_MODULES = ["example.spiders"]
# Put a URL of yours in place of bot.example; until then the log has a warning.
USER_AGENT = "PoliteBot/1.0 (+https://bot.example/about)"

ADDONS = {"scrapy_robots_policy.Addon": 500}
ROBOTS_DIALECT = "google"
ROBOTS_FETCH_TIMEOUT = 7  # seconds: the slow site makes it, the silent one is given up

# The web to crawl, and the table at the end.
EXTENSIONS = {"example.extensions.LocalWeb": 500, "example.extensions.Table": 500}
