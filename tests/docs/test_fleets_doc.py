"""What docs/fleets.md says is so."""

from __future__ import annotations

import re
from pathlib import Path

from scrapy_robots_policy.rep import CacheEntry, FetchResult
from scrapy_robots_policy.rep.access_policy import DAY
from scrapy_robots_policy.resolver.sources import FIRST_LOOK, LEASE_PATIENCE
from scrapy_robots_policy.resolver.sources import LONGEST_PAUSE as LONGEST_LOOK
from scrapy_robots_policy.stores import StoreEvents
from scrapy_robots_policy.stores.breaker import LONGEST_PAUSE
from scrapy_robots_policy.stores.memory import MAX_ENTRIES, MAX_OCTETS
from scrapy_robots_policy.stores.opening import _OPENERS, _redis
from scrapy_robots_policy.stores.redis import RedisStore
from scrapy_robots_policy.stores.redis.address import Address
from scrapy_robots_policy.stores.redis.connection import ANSWER_WITHIN
from scrapy_robots_policy.stores.redis.leases import LASTING
from scrapy_robots_policy.stores.retention import KEPT, KEPT_WITHOUT_FILE
from tests.on_reactor import on_reactor, until

PAGE = (Path(__file__).parents[2] / "docs" / "fleets.md").read_text("utf-8")
TEXT = " ".join(PAGE.split())
ORIGIN, HOST = "https://example.com", "example.com"
RECORD = CacheEntry(FetchResult(200), 1000.0, b"User-agent: *", 1000.0)


def test_its_table_has_exactly_the_addresses_of_the_code():
    table = PAGE.partition("\n| `ROBOTS_STORE` |")[2].partition("\n\n")[0]
    first_column = "".join(row.split("|")[1] for row in table.splitlines()[2:])
    of_redis = {scheme for scheme, opener in _OPENERS.items() if opener is _redis}
    assert set(re.findall(r"`([a-z+]+):", first_column)) == of_redis


def test_its_figures_are_those_of_the_code():
    for sentence in (
        f"{MAX_ENTRIES:,} origins or {MAX_OCTETS >> 20} MiB",
        f"again after {FIRST_LOOK:g} s",
        f"every {LONGEST_LOOK:g} s at most",
        f"A lease lasts {LASTING:g} s and is renewed every {LASTING / 4:g} s",
        f"delays the others by {LASTING:g} s at most",
        f"holds up that host for {LASTING:g} s and the delay",
        f"{KEPT / DAY:g} days for an entry with a file or of a site in trouble",
        f"{KEPT_WITHOUT_FILE / DAY:g} for any other",
        f"is {LASTING:g} s for a lease, and {LASTING:g} s and the delay for a turn",
        f"A call of the Redis has {ANSWER_WITHIN:g} s",
        f"{LONGEST_PAUSE:g} s at most",
    ):
        assert sentence in TEXT
    assert LEASE_PATIENCE == 300
    assert "up to five minutes" in TEXT


class Faults(StoreEvents):
    def __init__(self):
        self.reported = []

    def on_failed(self, verb, error):
        self.reported.append(error)

    def on_lost(self, store, why):
        self.reported.append(why)


def sets(client):
    """How many keys a server has set since its counts were set to 0."""
    return client.info("commandstats").get("cmdstat_set", {"calls": 0})["calls"]


@on_reactor
async def test_its_redis_user_has_all_the_rights_that_a_fleet_needs(redis):
    command = re.search(r"^ACL SETUSER (\w+) on >(\w+) .*$", PAGE, re.MULTILINE)
    user, password = command.groups()
    faults = Faults()
    with redis.client() as admin:
        admin.execute_command(*command[0].split())
        admin.config_resetstat()
        url = redis.url.replace("//", f"//{user}:{password}@")
        store = RedisStore(Address.of_uri(url), faults, lasting=0.04)
        assert (await store.claim(ORIGIN)).granted
        await store.put(ORIGIN, RECORD)
        store.release(ORIGIN)
        assert await store.take(HOST, 60.0) == 0
        # Two leases were taken, and an entry was stored. The next one renews a lease.
        await until(lambda: faults.reported or sets(admin) > 3)
        store.leave(HOST, visited=True)
        await store.close()
        kept = sorted(admin.keys())
        admin.execute_command("ACL", "DELUSER", user)

    assert faults.reported == []
    assert kept == [f"robots:{{{HOST}}}:turn".encode(), f"robots:{{{ORIGIN}}}:record".encode()]
