"""What must be true of the store on Redis beside the contract: what is shared, and with whom."""

from __future__ import annotations

import asyncio
import time
from functools import partial
from traceback import format_exception

import pytest
from redis.asyncio import RedisCluster, SSLConnection
from redis.asyncio.sentinel import SentinelManagedSSLConnection
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import ReadOnlyError

from scrapy_robots_policy.rep import CacheEntry, FetchResult
from scrapy_robots_policy.stores import MAX_SKEW, open_store, without_secrets
from scrapy_robots_policy.stores.codec import MAX_FRAME
from scrapy_robots_policy.stores.redis.address import CONNECTIONS, PROTOCOL, Address
from scrapy_robots_policy.stores.redis.leases import _GIVE_BACK, _RENEW, MAX_FOREIGN, Leases
from scrapy_robots_policy.stores.redis.sentinels import ANSWER_WITHIN
from tests.certificate import certificate
from tests.on_reactor import Gate, on_reactor, until, until_idle
from tests.redis_server import Cluster, RedisServer
from tests.site import free_port
from tests.stores.members import HOST, NEW, OLD, ORIGIN, Events, members

LONGEST_SOCKET = 103  # characters of its path, on macOS; Linux takes some more

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("needs_redis")]


@on_reactor
async def test_one_of_many_simultaneous_claims_is_granted(redis):
    async with members(redis.url, 20) as stores:
        claims = await asyncio.gather(*(store.claim(ORIGIN) for store in stores))
        assert [claim.granted for claim in claims].count(True) == 1


@on_reactor
async def test_one_of_many_processes_may_visit_a_host(redis):
    async with members(redis.url, 20) as stores:
        waits = await asyncio.gather(*(store.take(HOST, 0.3) for store in stores))
        assert waits.count(0.0) == 1
        assert {wait for wait in waits if wait} == {0.3}  # they lose nothing by asking then


@on_reactor
async def test_origins_and_hosts_are_claimed_apart(redis):
    async with members(redis.url) as (one, other):
        assert (await one.claim(ORIGIN)).granted
        assert (await other.claim("http://example.com")).granted
        assert await other.take(HOST, 1.0) == 0.0


@on_reactor
async def test_an_address_that_asks_for_text_gives_octets(redis):
    events = Events()
    async with members(f"{redis.url}?decode_responses=true", events=events) as (one, other):
        await one.put(ORIGIN, OLD)
        assert await other.get(ORIGIN) == OLD
        assert events == Events()


@on_reactor
async def test_a_claim_returns_the_entry_of_the_fleet(redis):
    async with members(redis.url) as (one, other):
        assert (await one.claim(ORIGIN)).entry is None
        await one.put(ORIGIN, OLD)
        one.release(ORIGIN)

        async def is_granted():
            claim = await other.claim(ORIGIN)
            assert claim.entry == OLD
            return claim.granted

        await until(is_granted)


@on_reactor
async def test_a_claim_returns_an_entry_only_if_it_is_newer_than_ours(redis):
    async with members(redis.url) as (one, other):
        await one.put(ORIGIN, OLD)
        assert await other.get(ORIGIN) == OLD
        await one.put(ORIGIN, NEW)
        assert await other.get(ORIGIN) == OLD  # answered from memory
        assert (await other.claim(ORIGIN)).entry == NEW
        assert await other.get(ORIGIN) == NEW


AN_HOUR = 3600.0
OUTAGE = CacheEntry(FetchResult(503), 1000.0, failing_since=1000.0, failures=1)

# The clock of the reader, the seconds since the entry was put, and whether it is used.
READERS = {
    "the clocks agree": (1000.0, 0.0, True),
    "the clocks agree, and the outage lasts": (1000.0 + AN_HOUR, AN_HOUR, True),
    "it is a little ahead": (1000.0 + MAX_SKEW - 10, 0.0, True),
    "it is an hour ahead": (1000.0 + AN_HOUR, 0.0, False),
    "it is an hour ahead, and the outage lasts": (1000.0 + 2 * AN_HOUR, AN_HOUR, False),
}


@pytest.mark.parametrize("kind", READERS)
@on_reactor
async def test_an_outage_is_no_longer_for_a_machine_whose_clock_is_ahead(kind, redis):
    now, age, is_used = READERS[kind]
    async with members(redis.url, 1) as (writer,):
        await writer.put(ORIGIN, OUTAGE)
    with redis.client() as client:
        key = f"robots:{{{ORIGIN}}}:record"
        client.pexpire(key, client.pttl(key) - int(1000 * age))
        events = Events()
        async with members(redis.url, 1, events=events, clock=lambda: now) as (reader,):
            assert (await reader.get(ORIGIN) == OUTAGE) is is_used
            fault = "read an entry of a clock that is 3600 s behind this machine's"
            assert events.failed == ([] if is_used else [fault])
        client.persist(key)
        async with members(redis.url, 1, clock=lambda: 1000.0 + AN_HOUR) as (reader,):
            assert await reader.get(ORIGIN) is None


@on_reactor
async def test_a_file_is_used_whatever_the_clock_of_its_reader(redis):
    async with members(redis.url, clock=lambda: 1000.0 + AN_HOUR) as (one, other):
        await one.put(ORIGIN, OLD)
        assert await other.get(ORIGIN) == OLD


@on_reactor
async def test_a_newer_entry_is_not_overwritten_by_an_older_one(redis):
    async with members(redis.url) as (one, other):
        await one.put(ORIGIN, NEW)
        await other.put(ORIGIN, OLD)
        assert (await one.claim(ORIGIN)).entry == NEW


@on_reactor
async def test_the_delay_follows_a_visit_but_not_an_unused_turn(redis):
    async with members(redis.url) as (one, other):
        assert await one.take(HOST, 60.0) == 0.0
        one.leave(HOST, visited=False)
        assert await one.take(HOST, 60.0) == 0.0
        one.leave(HOST, visited=True)
        assert 10 < await one.take(HOST, 60.0) <= 60.001
        assert 10 < await other.take(HOST, 0.5) <= 60.001


@on_reactor
async def test_a_lease_is_renewed_by_its_holder_and_ends_after_the_holders_death(redis):
    async with members(redis.url, lasting=5.0) as (one, other):
        assert (await one.claim(ORIGIN)).granted
        with redis.client() as client:
            key = f"robots:{{{ORIGIN}}}:lease"
            client.pexpire(key, 600_000)  # it lives until it is renewed, whatever stalls
            await until(lambda: client.pttl(key) <= 20_000)
        assert not (await other.claim(ORIGIN)).granted
        one.leases._renewing.cancel()  # as if it had been killed

        async def is_granted():
            return (await other.claim(ORIGIN)).granted

        await until(is_granted)


@on_reactor
async def test_the_delay_is_kept_after_the_death_of_a_process_in_its_turn(redis):
    async with members(redis.url, lasting=0.2) as (one, other):
        began = time.monotonic()
        assert await one.take(HOST, 0.5) == 0.0
        one.leases._renewing.cancel()

        async def is_granted():
            return await other.take(HOST, 0.5) == 0.0

        await until(is_granted)
        assert time.monotonic() - began >= 0.5


# What stands in place of a turn that was lost, and until when nobody gets it after the visit.
LOST_TURNS = {
    "nothing": (None, 60_000, True),
    "a shorter rest": ((b"", 5_000), 60_000, True),
    "a longer rest": ((b"", 90_000), 90_000, True),
    "the turn of another": ((b"another", 15_000), 15_000, True),
    "the rest of another, after no visit": ((b"", 5_000), 5_000, False),
}


@pytest.mark.parametrize("case", LOST_TURNS)
@on_reactor
async def test_the_delay_follows_a_visit_whose_turn_was_lost(case, redis):
    """A server comes back empty, or a process is stopped for longer than its lease lasts."""
    found, expected, visited = LOST_TURNS[case]
    key = f"robots:{{{HOST}}}:turn"
    async with members(redis.url, 1) as (store,):
        assert await store.take(HOST, 60.0) == 0.0
        with redis.client() as client:
            client.delete(key)
            began = time.monotonic()
            if found is not None:
                client.set(key, found[0], px=found[1])
            store.leave(HOST, visited=visited)
            await until(lambda: not store.leases._returning)
            assert client.get(key) == (b"" if found is None else found[0])
            left, passed = client.pttl(key), 1000 * (time.monotonic() - began)
            assert expected - 1 - passed <= left <= expected


@on_reactor
async def test_an_abandoned_lease_is_not_renewed_for_ever(redis):
    events = Events()
    async with members(redis.url, events=events, now=events.now, lasting=0.2) as (one, other):
        assert (await one.claim(ORIGIN)).granted
        events.time += 3600

        async def is_granted():
            return (await other.claim(ORIGIN)).granted

        await until(is_granted)


class Answering:
    """A connection to what speaks like a Redis, and answers a lease as `answers` says."""

    def __init__(self, answers):
        self.answers, self.events = answers, Events()

    async def ask(self, call, *, writes=False):
        return await call(self)

    async def eval(self, script, _, key, *args):
        return await self.answers(script, key)


LIES = [b"OK", 0, [], [b"2", b"1000"], [1, -5], [0, 0, 0]]


@pytest.mark.parametrize("lie", LIES)
@on_reactor
async def test_what_is_no_answer_about_a_lease_grants_it_and_is_reported(lie):
    async def answers(*_):
        return lie

    connection = Answering(answers)
    assert await Leases(connection, time.monotonic, 10.0).take("key", 5.0) == 0.0
    assert connection.events.failed == [f"take {str(lie)!r} is no answer about a lease"]


@pytest.mark.parametrize(("state", "seconds"), [(1, MAX_FOREIGN + 5.0), (2, 5.0)])
@on_reactor
async def test_no_answer_about_a_lease_has_a_process_wait_for_days(state, seconds):
    async def answers(*_):
        return [state, 10**15]

    assert await Leases(Answering(answers), time.monotonic, 10.0).take("key", 5.0) == seconds


@on_reactor
async def test_a_lease_whose_renewal_is_slow_delays_the_renewal_of_no_other():
    renewed = set()

    async def answers(_, key):
        if key in taken:
            renewed.add(key)
            if key == "slow":
                await asyncio.sleep(3600)
        return [0, 0]

    taken = set()
    leases = Leases(Answering(answers), time.monotonic, 0.1)
    for key in ("slow", "other"):
        assert await leases.take(key) == 0.0
    taken = {"slow", "other"}
    await until(lambda: renewed == taken)
    taken = set()
    await leases.close()


@on_reactor
async def test_many_calls_at_a_time_are_no_fault_of_the_server(redis):
    events = Events()
    async with members(redis.url, events=events) as (one, other):
        hosts = [f"{number}.example" for number in range(3 * CONNECTIONS)]
        assert set(await asyncio.gather(*(one.take(host, 60.0) for host in hosts))) == {0.0}
        assert min(await asyncio.gather(*(other.take(host, 60.0) for host in hosts))) > 0
        assert events == Events()


@pytest.mark.parametrize("frame", [None, 0, 7, "text", [b"1"]])
@on_reactor
async def test_what_is_no_entry_is_a_miss(frame):
    async def answer(*_args, **_options):
        return frame

    async with members("redis://nowhere.invalid", 1) as (store,):
        store.connection.ask = answer
        assert await store.get(ORIGIN) is None


@on_reactor
async def test_a_lease_is_renewed_although_those_before_it_have_all_been_given_back():
    renewed = set()

    async def answers(script, key):
        if script is _RENEW:
            renewed.add(key)
        return [0, 0]

    leases = Leases(Answering(answers), time.monotonic, 0.01)
    for key in ("first", "second"):
        assert await leases.take(key) == 0.0
        await until(lambda key=key: key in renewed)
        leases.give_back(key)
        await until(leases._renewing.done)
    await leases.close()


@on_reactor
async def test_a_lease_that_was_forgotten_is_renewed_no_more():
    events, asked = Events(), []

    async def answers(_, key):
        asked.append(key)
        return [0, 0]

    leases = Leases(Answering(answers), events.now, 0.01)
    assert await leases.take("forgotten") == 0.0
    events.time += 3600
    await until(lambda: leases._renewing.done() or len(asked) > 1)
    assert asked == ["forgotten"]  # when it was taken
    await leases.close()


@on_reactor
async def test_the_delay_follows_a_visit_that_took_longer_than_its_turn_is_renewed(redis):
    events, key = Events(), f"robots:{{{HOST}}}:turn"
    async with members(redis.url, 1, events=events, now=events.now, lasting=0.04) as (store,):
        assert await store.take(HOST, 60.0) == 0.0
        events.time += 3600
        await until(store.leases._renewing.done)
        store.leave(HOST, visited=True)
        await until(lambda: not store.leases._returning)
        with redis.client() as client:
            assert client.get(key) == b""
            assert 50_000 < client.pttl(key) <= 60_000


@on_reactor
async def test_one_task_renews_all_leases():
    async def answers(*_):
        return [0, 0]

    leases = Leases(Answering(answers), time.monotonic, 10.0)
    await leases.take("first")
    renewing = leases._renewing
    await leases.take("second")
    assert leases._renewing is renewing
    await leases.close()


def calls(client):
    """How many scripts a server has run since its counts were set to 0."""
    return client.info("commandstats").get("cmdstat_eval", {"calls": 0})["calls"]


@on_reactor
async def test_a_turn_is_renewed_with_the_rest_after_it(redis):
    """A process that dies after a renewal leaves its host the whole rest."""
    async with members(redis.url, 1, lasting=0.2) as (store,):
        with redis.client() as client:
            assert await store.take(HOST, 60.0) == 0.0
            client.config_resetstat()
            await until(lambda: calls(client))
            assert client.pttl(f"robots:{{{HOST}}}:turn") > 50_000


@on_reactor
async def test_a_rest_that_is_longer_than_a_foreign_one_may_be_is_kept(redis):
    async with members(redis.url) as (one, other):
        delay = MAX_FOREIGN + 600.0
        assert await one.take(HOST, delay) == 0.0
        one.leave(HOST, visited=True)
        await until(lambda: not one.leases._returning)
        assert MAX_FOREIGN + 500.0 < await other.take(HOST, delay) <= delay
        assert MAX_FOREIGN + 500.0 < await other.take(HOST, delay) <= delay


@on_reactor
async def test_a_turn_that_the_server_has_lost_is_set_again_during_the_visit(redis):
    async with members(redis.url, lasting=0.2) as (one, other):
        assert await one.take(HOST, 60.0) == 0.0
        with redis.client() as client:
            client.flushall()
            client.config_resetstat()
            await until(lambda: calls(client))
        assert await other.take(HOST, 60.0) > 0.0


@on_reactor
async def test_a_lease_that_is_given_back_during_its_renewal_is_not_set_again():
    scripts, renewal = [], Gate()

    async def answers(script, _key):
        scripts.append(script)
        if script is _RENEW:
            await renewal.pass_()
        return [0, 0]

    leases = Leases(Answering(answers), time.monotonic, 0.01)
    assert await leases.take("key") == 0.0
    await until(lambda: _RENEW in scripts)
    leases.give_back("key")
    await until_idle()
    assert _GIVE_BACK not in scripts
    renewal.open()
    await until(lambda: scripts[-1] is _GIVE_BACK)
    await leases.close()


@on_reactor
async def test_what_another_process_has_by_now_is_not_renewed(redis):
    """A process is stopped for longer than its lease lasts. The rest of the other is longer."""
    key = f"robots:{{{HOST}}}:turn"
    async with members(redis.url, 1, lasting=0.2) as (store,):
        assert await store.take(HOST, 0.5) == 0.0
        with redis.client() as client:
            client.set(key, b"", px=60_000)
            client.config_resetstat()
            await until(lambda: calls(client))
            assert client.pttl(key) > 50_000


@on_reactor
async def test_a_cancelled_claim_gives_back_no_lease_that_the_process_had_before():
    given_back = []

    async def answers(script, key):
        if "DEL" in script:
            given_back.append(key)
        elif key in leases._held:
            await asyncio.sleep(3600)
        return [0, 0]

    leases = Leases(Answering(answers), time.monotonic, 10.0)
    assert await leases.take("key") == 0.0
    again = asyncio.ensure_future(leases.take("key"))
    await asyncio.sleep(0)
    again.cancel()
    assert isinstance((await asyncio.gather(again, return_exceptions=True))[0], BaseException)
    assert (list(leases._held), given_back) == (["key"], [])
    await leases.close()
    assert given_back == ["key"]


@pytest.mark.parametrize("turn", range(20))
@on_reactor
async def test_a_cancelled_claim_keeps_no_lease(redis, turn):
    async with members(redis.url) as (one, other):
        asking = asyncio.ensure_future(one.take(HOST, 60.0))
        for _ in range(turn):
            await asyncio.sleep(0)
        asking.cancel()
        result = (await asyncio.gather(asking, return_exceptions=True))[0]
        if result == 0.0:  # he was faster
            return
        assert isinstance(result, asyncio.CancelledError)

        async def is_free():
            return await other.take(HOST, 60.0) == 0.0

        await until(is_free)


@on_reactor
async def test_a_store_that_closes_releases_its_leases(redis):
    async with members(redis.url) as (one, other):
        assert (await one.claim(ORIGIN)).granted
        await one.close()
        assert (await other.claim(ORIGIN)).granted


@on_reactor
async def test_a_store_that_closes_leaves_the_hosts_that_it_visits_their_rest(redis):
    """Whether the request of a turn was sent is not known by then."""
    async with members(redis.url) as (one, other):
        assert await one.take(HOST, 60.0) == 0.0
        await one.close()
        assert await other.take(HOST, 60.0) > 50.0


@pytest.mark.parametrize("holder", ["", "somebody"], ids=["rest", "held"])
@on_reactor
async def test_no_key_holds_up_a_host_for_days(redis, holder):
    async with members(redis.url, 1) as (store,):
        with redis.client() as client:
            client.set("robots:{example.com}:turn", holder, px=10**9)
            assert 0 < await store.take(HOST, 5.0) <= MAX_FOREIGN
            assert client.pttl("robots:{example.com}:turn") <= MAX_FOREIGN * 1000
            client.set("robots:{example.com}:turn", holder, px=60_000)  # another's longer delay
            assert await store.take(HOST, 5.0) > 0
            assert client.pttl("robots:{example.com}:turn") > 50_000


@on_reactor
async def test_no_key_holds_up_a_robots_txt_for_longer_than_a_lease_lasts(redis):
    """What another program has set there may have any time to live, and is never renewed."""
    async with members(redis.url, 1, lasting=0.2) as (store,):
        with redis.client() as client:
            client.set(f"robots:{{{ORIGIN}}}:lease", "somebody", px=60_000)
            assert not (await store.claim(ORIGIN)).granted
            assert client.pttl(f"robots:{{{ORIGIN}}}:lease") <= 200


@on_reactor
async def test_a_value_that_is_too_long_is_a_miss(redis):
    events = Events()
    async with members(redis.url, 1, events) as (store,):
        with redis.client() as client:
            client.set(f"robots:{{{ORIGIN}}}:record", b"\x01" + bytes(2 * MAX_FRAME))
            client.config_resetstat()
            assert await store.get(ORIGIN) is None
            assert client.info("stats")["total_net_output_bytes"] < 1.1 * MAX_FRAME
        assert "octets; the limit is" in events.failed[0]


@on_reactor
async def test_every_key_has_its_hash_tag_and_expires(redis):
    began = time.monotonic()
    async with members(redis.url, 1) as (store,):
        await store.claim(ORIGIN)
        await store.put(ORIGIN, OLD)
        await store.put("http://gone", CacheEntry(FetchResult(404), 1.0))
        await store.take(HOST, 5.0)
        with redis.client() as client:
            left = {key.decode(): client.pttl(key) / 1000 for key in client.scan_iter()}
        lives = {
            "robots:{https://example.com}:record": 30 * 24 * 3600,
            "robots:{http://gone}:record": 14 * 24 * 3600,
            "robots:{https://example.com}:lease": 10,
            "robots:{example.com}:turn": 15,
        }
        assert left.keys() == lives.keys()
        passed = time.monotonic() - began
        assert all(lives[key] - 0.001 - passed <= left[key] <= lives[key] for key in lives)


@on_reactor
async def test_a_wrong_password_is_reported_without_the_password():
    events = Events()
    with RedisServer("--requirepass", "other") as server:
        url = server.url.replace("://", "://user:secret%23@")
        async with members(url, 1, events) as (store,):
            assert (await store.claim(ORIGIN)).granted
            assert len(events.lost) == 1
            assert "AuthenticationError" in events.lost[0]
            assert "secret" not in events.lost[0] + repr(store.connection.address)


@on_reactor
async def test_the_right_password_opens():
    events = Events()
    with RedisServer("--requirepass", "p@ss/word") as server:
        url = server.url.replace("://", "://:p%40ss%2Fword@")
        async with members(url, 1, events) as (store,):
            await store.put(ORIGIN, OLD)
            assert events.lost == []
            with server.client(password="p@ss/word") as client:
                assert client.dbsize() == 1


@on_reactor
async def test_the_uri_can_name_a_socket_and_a_database(redis):
    if len(str(redis.socket)) > LONGEST_SOCKET:
        pytest.skip(f"no socket can have so long a name: {redis.socket}")
    async with members(f"unix://{redis.socket}?db=3", 1) as (store,):
        await store.put(ORIGIN, OLD)
    async with members(f"{redis.url}/3", 1) as (store,):
        assert await store.get(ORIGIN) == OLD
    async with members(redis.url, 1) as (store,):
        assert await store.get(ORIGIN) is None


@on_reactor
async def test_the_uri_can_demand_tls(tmp_path):
    events, port = Events(), free_port()
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    for file, octets in zip((cert, key), certificate(), strict=True):
        file.write_bytes(octets)
    files = ("--tls-cert-file", cert, "--tls-key-file", key, "--tls-ca-cert-file", cert)
    with RedisServer("--tls-port", port, "--tls-auth-clients", "no", *files) as server:
        url = f"rediss://127.0.0.1:{port}?ssl_ca_certs={cert}"
        async with members(url, 1, events) as (store,):
            await store.put(ORIGIN, OLD)
            assert events.lost == []
        with server.client() as client:
            assert client.dbsize() == 1
        async with members(f"rediss://127.0.0.1:{port}", 1, events) as (store,):
            assert await store.get(ORIGIN) is None
            assert len(events.lost) == 1  # nobody has vouched for that certificate
            assert "CERTIFICATE_VERIFY_FAILED" in events.lost[0]


@on_reactor
async def test_a_cluster_spreads_the_origins_and_keeps_the_keys_of_each_together():
    events = Events()
    with Cluster(3) as cluster:
        async with members(cluster.url, 2, events) as (one, other):
            for number in range(30):
                origin, host = f"https://{number}.example", f"{number}.example"
                assert (await one.claim(origin)).granted
                assert not (await other.claim(origin)).granted
                await one.put(origin, OLD)
                assert await other.get(origin) == OLD
                assert await one.take(host, 60.0) == 0.0
                assert await other.take(host, 60.0) > 0
            assert (events.lost, events.failed) == ([], [])
            kept = [[key.decode() for key in node.client().scan_iter()] for node in cluster.nodes]
            assert all(len(keys) > 3 for keys in kept)
            leased = [{key.split("}")[0] for key in keys if "lease" in key} for keys in kept]
            assert sum(map(len, leased)) == 30
            recorded = [{key.split("}")[0] for key in keys if "record" in key} for keys in kept]
            assert recorded == leased


@pytest.mark.parametrize(
    "uri",
    [
        "redis://:12#34cret@host",  # would be the host "", port 12
        "redis://me:12#cret@host",
        "redis://me:12?cret@host",
        "redis://me:12/3?cret@host",
        "redis://:se/cret@host",
        "redis://:se#cret@host",
        "redis://:se?cret@host",
        "redis://user:secret@host:port",
        "redis://user:secret@host/database",
        "redis://user:secret@host?socket_timeout=secret",
        "redis://user:secret@host?no_such_option=secret",
        "redis://user:secret@host?credential_provider=secret",
        "redis://user:secret@host?maint_notifications_config=secret",
        "rediss://user:secret@host?ssl_cert_reqs=CERT_NONE",  # redis-py's word is "none"
        "redis://user:secret@[host",
        "redis+cluster://user:secret@host/3",
        "redis+cluster://user:secret@host,",
        "redis+cluster://user:secret@host:1,other:port",
        "redis+sentinel://user:secret@host",  # no service
        "redis+sentinel://user:secret@host/service/database",
        "redis+sentinel://user:secret@host,/service",
        "redis+sentinel://user:secret@host:1,other:port/service",
        "redis+sentinel://user:12#cret@host/service",
        "redis+sentinel://user:se/cret@host/service",
        "redis+sentinel://host/service?sentinel_no_such_option=secret",
        "redis:user:secret@host",
        "postgres://user:secret@host",
        "memory:user:secret@host",
    ],
)
def test_the_error_for_a_wrong_uri_has_no_password(uri):
    with pytest.raises(ValueError, match=r"it is no address|names no store|nothing may") as error:
        open_store(uri)
    assert "cret" not in str(error.value) + without_secrets(uri)
    assert error.value.__cause__ is None
    assert error.value.__suppress_context__ or error.value.__context__ is None


ADDRESSES = {
    "redis:///2": "localhost:6379/2",
    "redis+cluster://": "localhost:6379/0",
    "unix:///run/redis?db=3": "/run/redis",
    "redis://user:secret@host/2": "host:6379/2",
    "redis+cluster://user:secret@one:7000,two": "one:7000,two:6379/0",
    "rediss+cluster://[::1]:7000": "[::1]:7000/0",
    "redis+sentinel://user:secret@one,two:7/mine/3": "mine/3 of one:26379,two:7",
    "rediss+sentinel://one/a%20b?sentinel_password=secret": "a b/0 of one:26379",
}


@pytest.mark.parametrize("uri", ADDRESSES)
def test_an_address_is_shown_with_all_its_hosts_and_no_password(uri):
    address = Address.of_uri(uri)
    assert address.name == ADDRESSES[uri]
    assert "secret" not in repr(address)


@pytest.mark.parametrize("place", [{}, {"url": "redis://host"}])
def test_options_that_redis_py_does_not_have_are_an_error_before_the_crawl(place):
    params = {**place, "no_such_option": "secret"}
    with pytest.raises(ValueError, match="it is no address of a Redis") as error:
        open_store("redis:", params)
    assert "secret" not in "".join(format_exception(error.value))


CLIENTS = ["redis://host", "unix:///socket", "redis+cluster://one,two", "redis+sentinel://one/mine"]


@pytest.mark.parametrize("uri", CLIENTS)
def test_a_client_takes_options_of_the_address_but_not_in_place_of_ours(uri):
    """With fewer connections than calls, a server that is well would count as lost."""
    client = Address.of_uri(f"{uri}?protocol=3&max_connections=2&socket_timeout=7").client()
    if isinstance(client, RedisCluster):
        options, retry = client.connection_kwargs, client.retry
        nodes = client.nodes_manager.startup_nodes.values()
        assert [(node.host, node.port) for node in nodes] == [("one", 6379), ("two", 6379)]
        connections = {node.max_connections for node in nodes}
    else:
        options = client.connection_pool.connection_kwargs
        connections, retry = {client.connection_pool.max_connections}, options["retry"]
    assert (options["protocol"], connections) == (PROTOCOL, {CONNECTIONS})
    assert options["socket_timeout"] == 7
    # A connection that was lost is opened once more. A server that was late is not asked again.
    assert (retry._retries, retry._supported_errors) == (1, (RedisConnectionError, ReadOnlyError))


def test_a_cluster_with_tls_is_asked_by_tls_as_the_user_who_is_named():
    options = Address.of_uri("rediss+cluster://me:pass%40word@one").client().connection_kwargs
    assert issubclass(options["connection_class"], SSLConnection)
    assert (options["username"], options["password"]) == ("me", "pass@word")


def test_a_sentinel_that_does_not_answer_leaves_time_for_the_next_one():
    """Whatever the address says."""
    limits = "sentinel_socket_timeout=9&sentinel_socket_connect_timeout=9&sentinel_protocol=3"
    pool = Address.of_uri(f"redis+sentinel://one,two/mine?{limits}").client().connection_pool
    for sentinel in pool.sentinel_manager.sentinels:
        options = sentinel.connection_pool.connection_kwargs
        waits = options["socket_timeout"], options["socket_connect_timeout"]
        assert waits == (ANSWER_WITHIN, ANSWER_WITHIN)
        assert (options["retry"]._retries, options["protocol"]) == (0, PROTOCOL)


@on_reactor
async def test_a_client_that_closes_leaves_no_connection_to_master_or_sentinel(monkeypatch):
    client = Address.of_uri("redis+sentinel://one,two/mine").client()
    pool, closed = client.connection_pool, []

    async def note(owner):
        closed.append(owner)

    monkeypatch.setattr(pool, "disconnect", lambda *_: note("master"))
    for sentinel in pool.sentinel_manager.sentinels:
        monkeypatch.setattr(sentinel, "aclose", partial(note, sentinel))
    await client.aclose()
    assert closed == ["master", *pool.sentinel_manager.sentinels]


def test_what_a_service_is_asked_with_goes_to_its_master_or_to_its_sentinels():
    uri = "rediss+sentinel://me:pass%40word@one,two:7/mine/3?ssl_cert_reqs=none&sentinel_password=p"
    pool = Address.of_uri(uri).client().connection_pool
    sentinels = [one.connection_pool.connection_kwargs for one in pool.sentinel_manager.sentinels]
    places = [(one["host"], one["port"], one["password"]) for one in sentinels]
    assert places == [("one", 26379, "p"), ("two", 7, "p")]
    kwargs = pool.connection_kwargs
    assert (kwargs["username"], kwargs["password"], kwargs["db"]) == ("me", "pass@word", 3)
    assert pool.connection_class is SentinelManagedSSLConnection
    assert pool.service_name == "mine"


@on_reactor
async def test_no_password_is_in_the_message_where_no_sentinel_answers():
    events = Events()
    uri = "redis+sentinel://me:hidden@127.0.0.1:1,127.0.0.1:2/mine?sentinel_password=hidden"
    async with members(uri, 1, events) as (store,):
        await store.put(ORIGIN, OLD)
    assert len(events.lost) == 1
    assert "MasterNotFoundError" in events.lost[0]
    assert "hidden" not in events.lost[0]
