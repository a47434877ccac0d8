"""Real Redis servers for tests: on a free port each, in memory only, gone with the test."""

from __future__ import annotations

import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from redis import Redis
from redis.asyncio.sentinel import Sentinel as AsyncSentinel

from scrapy_robots_policy.stores import redis as redis_store
from tests.site import free_port

SERVICE = "robots"  # what the sentinel calls the master


def wait_for_answers() -> None:
    """From now on this process takes no server for lost that is slow: a machine may stand still for
    longer than a crawl waits.
    """
    redis_store.ANSWER_WITHIN = 120.0


class RedisServer:
    """One server. `options` are lines of its configuration, as they stand on a command line."""

    def __init__(self, *options: object) -> None:
        self.port = free_port()
        self.options = [str(option) for option in options]
        self.folder = tempfile.TemporaryDirectory(prefix="redis-")
        self.start()

    def __enter__(self) -> RedisServer:  # noqa: PYI034 - Self is new in Python 3.11
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}"

    @property
    def socket(self) -> Path:
        return Path(self.folder.name) / "socket"

    def start(self) -> None:
        """Start it, again if it was killed, and wait until it listens."""
        self.process = subprocess.Popen(
            [*self._command(), *self.options],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=self.folder.name,
        )
        deadline = time.monotonic() + 120
        while not self._listens():
            assert self.process.poll() is None, "redis-server ended at once"
            assert time.monotonic() < deadline, "redis-server does not listen"
            time.sleep(0.02)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def pause(self) -> None:
        """Let it take connections and answer nothing."""
        self.process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        self.process.send_signal(signal.SIGCONT)

    def close(self) -> None:
        self.kill()
        self.folder.cleanup()

    def client(self, **options: Any) -> Redis:
        """A client of the test's own."""
        return Redis(port=self.port, **options)

    def _command(self) -> Sequence[str]:
        place = ("--port", str(self.port), "--bind", "127.0.0.1", "--unixsocket", self.socket.name)
        return ("redis-server", *place, "--save", "", "--appendonly", "no")

    def _listens(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self.port), 1).close()
        except OSError:
            return False
        return True


class Sentinel(RedisServer):
    """A sentinel that decides alone whether a master is gone."""

    def __init__(self, master: RedisServer) -> None:
        self.master = master
        super().__init__()

    def _command(self) -> Sequence[str]:
        file = Path(self.folder.name) / "sentinel.conf"
        file.write_text(
            f"port {self.port}\nbind 127.0.0.1\n"
            f"sentinel monitor {SERVICE} 127.0.0.1 {self.master.port} 1\n"
            f"sentinel down-after-milliseconds {SERVICE} 200\n"
            f"sentinel failover-timeout {SERVICE} 1000\n"
        )
        return ("redis-server", str(file), "--sentinel")


class Service:
    """A master, a replica, and a sentinel that watches both."""

    def __init__(self) -> None:
        self.master = RedisServer("--repl-diskless-sync-delay", 0)
        self.replica = RedisServer("--replicaof", "127.0.0.1", self.master.port)
        wait_until(self._is_linked, "the replica has no copy")
        self.sentinel = Sentinel(self.master)
        wait_until(self._is_watched, "the sentinel meets nobody")

    def __enter__(self) -> Service:  # noqa: PYI034 - Self is new in Python 3.11
        return self

    def __exit__(self, *_: object) -> None:
        for server in (self.sentinel, self.replica, self.master):
            server.close()

    def found(self) -> Any:
        """A client of the master, found through the sentinel, as a user makes one."""
        sentinel = AsyncSentinel([("127.0.0.1", self.sentinel.port)], socket_timeout=2)
        return sentinel.master_for(SERVICE, protocol=2)

    def fail_over(self) -> None:
        """Kill the master, and wait until the sentinel has made the replica one."""
        self.master.kill()
        wait_until(lambda: int(self._address()[1]) == self.replica.port, "no replica is promoted")

    def _is_linked(self) -> bool:
        with self.replica.client() as client:
            return bool(client.info("replication").get("master_link_status") == "up")  # type: ignore[union-attr]

    def _is_watched(self) -> bool:
        replicas = self._ask("SENTINEL SLAVES")
        return [one["master-link-status"] for one in replicas] == ["ok"]

    def _address(self) -> Any:
        return self._ask("SENTINEL GET-MASTER-ADDR-BY-NAME")

    def _ask(self, command: str) -> Any:
        with self.sentinel.client(decode_responses=True) as client:
            return client.execute_command(command, SERVICE)


def wait_until(holds: Callable[[], bool], otherwise: str) -> None:
    deadline = time.monotonic() + 120
    while not holds():
        assert time.monotonic() < deadline, otherwise
        time.sleep(0.05)
