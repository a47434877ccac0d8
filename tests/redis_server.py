"""Real Redis servers for tests: on a free port each, in memory only, gone with the test.

Knows: how redis-server is started. Must not know: what is kept in it.
"""

from __future__ import annotations

import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from redis import Redis

SLOTS = 16384  # of every cluster


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


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
        deadline = time.monotonic() + 20
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
        place = ("--port", str(self.port), "--bind", "127.0.0.1", "--unixsocket", str(self.socket))
        return ("redis-server", *place, "--save", "", "--appendonly", "no")

    def _listens(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self.port), 1).close()
        except OSError:
            return False
        return True


class Cluster:
    """So many servers that share the keys."""

    def __init__(self, count: int) -> None:
        self.buses = [free_port() for _ in range(count)]
        self.nodes = [
            RedisServer("--cluster-enabled", "yes", "--cluster-port", bus) for bus in self.buses
        ]
        self._join()

    def __enter__(self) -> Cluster:  # noqa: PYI034 - Self is new in Python 3.11
        return self

    def __exit__(self, *_: object) -> None:
        for node in self.nodes:
            node.close()

    @property
    def url(self) -> str:
        return self.nodes[0].url.replace("redis:", "redis+cluster:")

    def _join(self) -> None:
        """Share the slots out, and wait until each node knows of all the others."""
        edges = [SLOTS * number // len(self.nodes) for number in range(len(self.nodes) + 1)]
        for number, node in enumerate(self.nodes):
            with node.client() as client:
                client.execute_command("CLUSTER SET-CONFIG-EPOCH", number + 1)
                client.execute_command(
                    "CLUSTER ADDSLOTSRANGE", edges[number], edges[number + 1] - 1
                )
                first = self.nodes[0].port, self.buses[0]
                client.execute_command("CLUSTER MEET", "127.0.0.1", *first)
        deadline = time.monotonic() + 30
        while not all(self._is_joined(node) for node in self.nodes):
            assert time.monotonic() < deadline, "the cluster does not come together"
            time.sleep(0.05)

    def _is_joined(self, node: RedisServer) -> bool:
        with node.client() as client:
            info = client.execute_command("CLUSTER INFO")
        return info["cluster_state"] == "ok" and info["cluster_known_nodes"] == str(len(self.nodes))
