"""One crawler of the fleet; all of them have the same settings.

The command line adds the address of the Redis, REDIS_URL.
"""

BOT_NAME = "example"
SPIDER_MODULES = ["example.fleet.spiders"]
LOG_LEVEL = "WARNING"
# Put a URL of yours in place of bot.example; until then the log has a warning.
USER_AGENT = "PoliteBot/1.0 (+https://bot.example/about)"

SCHEDULER = "scrapy_redis.scheduler.Scheduler"
SCHEDULER_PERSIST = True  # the first crawler to end must not empty the queue of the others
DUPEFILTER_CLASS = "scrapy_redis.dupefilter.RFPDupeFilter"
MAX_IDLE_TIME_BEFORE_CLOSE = 3  # seconds
CLOSESPIDER_TIMEOUT = 60  # even if the Redis fails

ADDONS = {"scrapy_robots_policy.Addon": 500}
ROBOTS_STORE = "redis:"  # the same one
