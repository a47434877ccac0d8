"""What must be true of the web that the other tests crawl."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest

from tests.site import Site


def test_nobody_listens_any_more_where_a_site_was():
    """A thread that still did might take the connections of the next site."""
    for _ in range(20):  # not each time had the thread come back to listen
        with Site({}) as site:
            urlopen(site.url()).close()
        place = urlsplit(site.origin)
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection((place.hostname, place.port))
