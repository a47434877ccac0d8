"""The robots lines of a record, to which its decisions refer: kept on the disk, as there may be
many, and long ones.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from ..rep.escapes import brief
from .fields import unpacked
from .reading import ReplayError


class RobotsLines:
    """The robots lines of one crawl, and the octets of all files that the record has so far.

    database  an empty one of their own
    """

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        database.execute("CREATE TABLE octets (sha256 TEXT PRIMARY KEY, packed TEXT)")
        database.execute("CREATE TABLE lines (number INTEGER PRIMARY KEY, packed BLOB)")

    def keep(self, fields: Mapping[str, Any]) -> None:
        """Keep a line. ReplayError where its octets are not those that it says, or are none."""
        if "octets" in fields:
            octets = unpacked(fields["octets"])
            if sha256(octets).hexdigest() != fields["sha256"] or len(octets) != fields["size"]:
                raise ReplayError("the octets do not match their SHA-256 and size")
            self._database.execute(
                "INSERT OR REPLACE INTO octets VALUES (?, ?)", (fields["sha256"], fields["octets"])
            )
        facts = json.dumps({name: fields[name] for name in fields if name != "octets"})
        # A line may be a megabyte of one letter, in a record that is packed.
        packed = zlib.compress(facts.encode(), 1)
        self._database.execute(
            "INSERT OR REPLACE INTO lines VALUES (?, ?)", (fields["robots"], packed)
        )

    def clear(self) -> None:
        """Forget the lines: another crawl begins. The octets stay, for it may refer to them."""
        self._database.execute("DELETE FROM lines")

    def line(self, number: int) -> Mapping[str, Any]:
        """The fields of the line of this number but the octets. ReplayError: it is not there."""
        row = self._database.execute(
            "SELECT packed FROM lines WHERE number = ?", (number,)
        ).fetchone()
        if row is None:
            raise ReplayError(f"the robots line {number} is not before it in the file")
        fields: dict[str, Any] = json.loads(zlib.decompress(row[0]))
        return fields

    def octets_of(self, fields: Mapping[str, Any]) -> bytes | None:
        """The octets of the file of a line; None: there was no file. ReplayError: they are lost."""
        if "sha256" not in fields:
            return None
        row = self._database.execute(
            "SELECT packed FROM octets WHERE sha256 = ?", (fields["sha256"],)
        ).fetchone()
        if row is None:
            digest = brief(fields["sha256"])
            raise ReplayError(f"the octets with the SHA-256 {digest} are not in the file")
        return unpacked(row[0])
