"""Which keys a Redis drops when it is full: with some policies, leases and turns before old files.

No error tells of a key that was dropped. So the policy is read once, where the user may: INFO is
no right that a fleet needs otherwise.
"""

from __future__ import annotations

from typing import Any

DROPS_TURNS = ("volatile-ttl", "volatile-random", "allkeys-random")


async def dangerous_policy(client: Any) -> str | None:
    """The server's policy if it drops turns that are in use; None if it does not, or drops nothing.

    Raises what the client raises.
    """
    memory = await client.info("memory")
    policy = memory.get("maxmemory_policy")
    return policy if memory.get("maxmemory") and policy in DROPS_TURNS else None
