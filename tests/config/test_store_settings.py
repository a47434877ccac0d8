"""What must be true of the settings that say where robots.txt files are kept."""

from __future__ import annotations

from traceback import format_exception

import pytest
from redis.asyncio import SSLConnection
from scrapy.settings import Settings

from scrapy_robots_policy.settings.store import StoreSettings

OF_SCRAPY_REDIS = {
    "nothing": ({}, "localhost:6379/0"),
    "url": ({"REDIS_URL": "redis://user:hidden@there:6380/2"}, "there:6380/2"),
    "host and port": ({"REDIS_HOST": "there", "REDIS_PORT": 6380, "REDIS_DB": 2}, "there:6380/2"),
    "params": ({"REDIS_PARAMS": {"host": "there", "password": "hidden"}}, "there:6379/0"),
    "params as JSON": ({"REDIS_PARAMS": '{"host": "there", "db": 3}'}, "there:6379/3"),
    "url in params": ({"REDIS_PARAMS": {"url": "rediss://:hidden@there"}}, "there:6379/0"),
    "both": ({"REDIS_HOST": "there", "REDIS_PARAMS": {"host": "elsewhere"}}, "there:6379/0"),
    "url and host": ({"REDIS_URL": "redis://there", "REDIS_HOST": "elsewhere"}, "there:6379/0"),
    "socket": ({"REDIS_PARAMS": {"unix_socket_path": "/run/redis"}}, "/run/redis"),
    "TLS": ({"REDIS_PARAMS": {"ssl": True, "ssl_ca_certs": "/ca.pem"}}, "localhost:6379/0"),
    "patience": ({"REDIS_PARAMS": {"socket_timeout": 30, "redis_cls": "x"}}, "localhost:6379/0"),
}


def connection_of(read):
    """As the store's client opens it; it has not connected yet."""
    return read.open().store.client.connection_pool.make_connection()


@pytest.mark.parametrize("case", OF_SCRAPY_REDIS)
def test_redis_alone_is_the_redis_of_scrapy_redis(needs_redis, case):
    settings, place = OF_SCRAPY_REDIS[case]
    read = StoreSettings.from_settings(Settings({"ROBOTS_STORE": "redis:", **settings}))
    connection = connection_of(read)
    socket = getattr(connection, "path", "")
    assert (socket or f"{connection.host}:{connection.port}/{connection.db}") == place
    assert connection.socket_timeout != 30
    assert "hidden" not in repr(read)


def test_the_tls_options_of_scrapy_redis_reach_the_client(needs_redis):
    tls = {"ssl": True, "ssl_ca_certs": "/ca.pem", "ssl_cert_reqs": "required", "ssl_keyfile": "/k"}
    settings = {"ROBOTS_STORE": "redis:", "REDIS_PARAMS": {**tls, "socket_timeout": 30}}
    connection = connection_of(StoreSettings.from_settings(Settings(settings)))
    assert isinstance(connection, SSLConnection)
    context = connection.ssl_context
    assert (context.ca_certs, context.keyfile) == ("/ca.pem", "/k")
    assert connection.socket_timeout != 30


WRONG = [
    ({"ROBOTS_STORE": "redis:", "REDIS_PARAMS": ["hidden"]}, "REDIS_PARAMS is no dictionary"),
    ({"ROBOTS_STORE": "redis:", "REDIS_PARAMS": "hidden"}, "REDIS_PARAMS is no dictionary"),
    ({"ROBOTS_STORE": "redis:", "REDIS_URL": "redis://:hid/den@x"}, "it is no address of a Redis"),
    ({"ROBOTS_STORE": "redis://user:hidden@host:port"}, "it is no address of a Redis; write redis"),
    ({"ROBOTS_STORE": "redes://user:hidden@host"}, "'redes:…': it names no store; the choices are"),
    ({"ROBOTS_STORE": "redis:host"}, "it is no address of a Redis"),
    ({"ROBOTS_STORE": "redis:6379"}, "it is no address of a Redis"),
    ({"ROBOTS_STORE": "redis+cluster://:hidden@host"}, "'redis+cluster:…': it names no store"),
]


@pytest.mark.parametrize(("settings", "sentence"), WRONG)
def test_a_wrong_address_is_an_error_of_one_sentence_without_the_password(
    needs_redis, settings, sentence
):
    with pytest.raises(ValueError, match="ROBOTS_STORE is") as error:
        StoreSettings.from_settings(Settings(settings))
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)
    assert "hid" not in "".join(format_exception(error.value))
