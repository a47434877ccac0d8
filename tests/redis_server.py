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

from scrapy_robots_policy.stores.redis import connection
from tests.site import free_port

SLOTS = 16384  # of every cluster
SERVICE = "robots"  # what the sentinels call the master


def wait_for_answers() -> None:
    """From now on this process takes no server for lost that is slow: a machine may stand still for
    longer than a crawl waits.
    """
    connection.ANSWER_WITHIN = 120.0


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
    """One sentinel that watches a master. Two of them have to agree that it is gone."""

    def __init__(self, master: RedisServer) -> None:
        self.master = master
        super().__init__()

    def _command(self) -> Sequence[str]:
        file = Path(self.folder.name) / "sentinel.conf"
        file.write_text(
            f"port {self.port}\nbind 127.0.0.1\n"
            f"sentinel monitor {SERVICE} 127.0.0.1 {self.master.port} 2\n"
            f"sentinel down-after-milliseconds {SERVICE} 1000\n"
            f"sentinel failover-timeout {SERVICE} 5000\n"
        )
        return ("redis-server", str(file), "--sentinel")


class Service:
    """A master, a replica, and three sentinels that watch both."""

    def __init__(self) -> None:
        self.master = RedisServer()
        self.replica = RedisServer("--replicaof", "127.0.0.1", self.master.port)
        self.replicas = [self.replica]
        self.sentinels = [Sentinel(self.master) for _ in range(3)]
        wait_until(lambda: all(map(self._knows_all, self.sentinels)), "the sentinels do not meet")

    def __enter__(self) -> Service:  # noqa: PYI034 - Self is new in Python 3.11
        return self

    def __exit__(self, *_: object) -> None:
        for server in (*self.sentinels, self.replica, self.master):
            server.close()

    @property
    def url(self) -> str:
        hosts = ",".join(f"127.0.0.1:{sentinel.port}" for sentinel in self.sentinels)
        return f"redis+sentinel://{hosts}/{SERVICE}/0"

    def fail_over(self) -> None:
        """Kill the master, and wait until the sentinels have made the replica one."""
        self.master.kill()
        wait_until(lambda: role_of(self.replica) == "master", "the replica is not made the master")
        wait_until(
            lambda: all(map(self._names_replica, self.sentinels)), "no sentinel names the replica"
        )

    def _knows_all(self, sentinel: Sentinel) -> bool:
        with sentinel.client(decode_responses=True) as client:
            state: Any = client.execute_command("SENTINEL MASTER", SERVICE)
        return bool(state["num-slaves"] == 1 and state["num-other-sentinels"] == 2)

    def _names_replica(self, sentinel: Sentinel) -> bool:
        with sentinel.client(decode_responses=True) as client:
            address: Any = client.execute_command("SENTINEL GET-MASTER-ADDR-BY-NAME", SERVICE)
        return int(address[1]) == self.replica.port


class Cluster:
    """So many masters that share the keys, each with so many replicas."""

    def __init__(self, count: int, replicas: int = 0) -> None:
        self.buses = [free_port() for _ in range(count)]
        options = ("--cluster-enabled", "yes", "--cluster-node-timeout", "1000")
        self.nodes = [RedisServer(*options, "--cluster-port", bus) for bus in self.buses]
        self.replicas = [
            RedisServer(*options, "--cluster-port", free_port()) for _ in range(count * replicas)
        ]
        self._join()
        for number, replica in enumerate(self.replicas):
            self._attach(replica, self.nodes[number % count])

    def __enter__(self) -> Cluster:  # noqa: PYI034 - Self is new in Python 3.11
        return self

    def __exit__(self, *_: object) -> None:
        for node in (*self.nodes, *self.replicas):
            node.close()

    @property
    def url(self) -> str:
        return "redis+cluster://" + ",".join(f"127.0.0.1:{node.port}" for node in self.nodes)

    def fail_over(self, number: int) -> None:
        """Kill a master, and wait until its replica has taken its place."""
        self.nodes[number].kill()
        replica = self.replicas[number]
        wait_until(lambda: role_of(replica) == "master", "the replica is not made the master")
        rest = [node for node in self.nodes if node is not self.nodes[number]]
        wait_until(lambda: all(map(_is_well, rest)), "the cluster does not come together again")

    def _attach(self, replica: RedisServer, master: RedisServer) -> None:
        with replica.client(decode_responses=True) as client, master.client() as of_master:
            client.execute_command("CLUSTER MEET", "127.0.0.1", self.nodes[0].port, self.buses[0])
            name = of_master.execute_command("CLUSTER MYID").decode()
            wait_until(lambda: name in _nodes_of(client), "the replica meets nobody")
            client.execute_command("CLUSTER REPLICATE", name)
            wait_until(
                lambda: client.info("replication").get("master_link_status") == "up",  # type: ignore[union-attr]
                "the replica has no copy",
            )

    def _join(self) -> None:
        """Share the slots out, and wait until each node knows of all the others."""
        edges = [SLOTS * number // len(self.nodes) for number in range(len(self.nodes) + 1)]
        for number, node in enumerate(self.nodes):
            with node.client() as client:
                client.execute_command("CLUSTER SET-CONFIG-EPOCH", number + 1)
                client.execute_command(
                    "CLUSTER ADDSLOTSRANGE", edges[number], edges[number + 1] - 1
                )
        wait_until(self._have_met, "the cluster does not meet")

    def _have_met(self) -> bool:
        """Whether each node knows all others. One that does not is sent to the first one again:
        on a busy machine the meeting may take longer than Redis waits.
        """
        strangers = [node for node in self.nodes if not self._is_joined(node)]
        for node in strangers:
            with node.client() as client:
                first = self.nodes[0].port, self.buses[0]
                client.execute_command("CLUSTER MEET", "127.0.0.1", *first)
        return not strangers

    def _is_joined(self, node: RedisServer) -> bool:
        with node.client() as client:
            info = client.execute_command("CLUSTER INFO")
        return info["cluster_state"] == "ok" and info["cluster_known_nodes"] == str(len(self.nodes))


def role_of(server: RedisServer) -> str:
    with server.client() as client:
        return str(client.info("replication")["role"])  # type: ignore[index]


def _nodes_of(client: Any) -> set[str]:
    """The names of the nodes that a node of a cluster knows."""
    return {node["node_id"] for node in client.execute_command("CLUSTER NODES").values()}


def _is_well(node: RedisServer) -> bool:
    with node.client() as client:
        return bool(client.execute_command("CLUSTER INFO")["cluster_state"] == "ok")


def wait_until(holds: Callable[[], bool], otherwise: str) -> None:
    deadline = time.monotonic() + 120
    while not holds():
        assert time.monotonic() < deadline, otherwise
        time.sleep(0.05)
