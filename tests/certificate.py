"""A site that speaks HTTP and HTTPS on one port, each with a script of its own."""

from __future__ import annotations

import datetime as dt
import ipaddress
import socket
import ssl
import tempfile
from contextlib import suppress
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.site import Site


class TwoFaced(Site):
    """`secure` is the site that those who speak TLS meet."""

    def __init__(self, plain: Any, secure: Any) -> None:
        self.secure = Site(secure)
        self.context = _context()
        super().__init__(plain)
        self.secure_origin = self.origin.replace("http:", "https:")

    def close(self) -> None:
        self.secure.close()
        super().close()

    def _serve(self, connection: socket.socket) -> None:
        if connection.recv(1, socket.MSG_PEEK) != b"\x16":  # a TLS handshake
            super()._serve(connection)
            return
        with connection, suppress(ssl.SSLError):  # a client that does not trust the certificate
            self.secure._serve(self.context.wrap_socket(connection, server_side=True))


def _context() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.NamedTemporaryFile() as file:
        file.write(b"".join(certificate()))
        file.flush()
        context.load_cert_chain(file.name)
    return context


def certificate() -> tuple[bytes, bytes]:
    """A certificate that this machine signs for itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    now = dt.datetime.now(dt.timezone.utc)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost"), address]), False)
        .sign(key, hashes.SHA256())
    )
    encoding = serialization.Encoding.PEM
    private = key.private_bytes(
        encoding, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return certificate.public_bytes(encoding), private
