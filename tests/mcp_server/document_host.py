"""A host on loopback that publishes what programs say of themselves, over TLS that is trusted."""

from __future__ import annotations

import datetime as dt
import ipaddress
import json
import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


class Published(NamedTuple):
    """An answer."""

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = {}


class DocumentHost:
    """Where documents are: ``address`` is that of the host, ``asked`` the paths in their order."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.asked: list[str] = []
        self.pages: dict[str, Published] = {}

    def publish(self, path: str, headers: Mapping[str, str] | None = None, **said: Any) -> str:
        """Publish what a program says of itself at ``path``; return its address."""
        address = self.address + path
        usual = {
            "client_id": address,
            "client_name": "A described host",
            "redirect_uris": ["http://127.0.0.1:1/back"],
        }
        told = {name: value for name, value in {**usual, **said}.items() if value is not None}
        kind = {"Content-Type": "application/json", **(headers or {})}
        self.pages[path] = Published(json.dumps(told).encode(), headers=kind)
        return address

    def count(self, path: str) -> int:
        """Return how often ``path`` was asked for."""
        return self.asked.count(path)


@contextmanager
def document_host(folder: Path) -> Iterator[tuple[DocumentHost, Path]]:
    """Give a host, and the file with the certificate that vouches for it."""
    authority, chain = _certificates(folder)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(chain)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.socket = context.wrap_socket(
        server.socket, server_side=True, do_handshake_on_connect=False
    )
    host = DocumentHost(f"https://127.0.0.1:{server.server_address[1]}")
    server.host = host  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), name="documents")
    thread.start()
    try:
        yield host, authority
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        host: DocumentHost = self.server.host  # type: ignore[attr-defined]
        host.asked.append(self.path)
        page = host.pages.get(self.path, Published(b"", 404))
        self.send_response(page.status)
        for name, value in {**page.headers, "Content-Length": str(len(page.body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(page.body)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def _certificates(folder: Path) -> tuple[Path, Path]:
    """Return the file of an authority of our own, and of a certificate with its key."""
    now = dt.datetime.now(dt.UTC)

    def build(
        name: str, key: ec.EllipticCurvePrivateKey, issuer: x509.Name
    ) -> x509.CertificateBuilder:
        return (
            x509.CertificateBuilder()
            .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
            .issuer_name(issuer)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - dt.timedelta(hours=1))
            .not_valid_after(now + dt.timedelta(days=1))
        )

    ours = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "An authority of tests")])
    of_authority = ec.generate_private_key(ec.SECP256R1())
    authority = (
        build("An authority of tests", of_authority, ours)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(of_authority, hashes.SHA256())
    )
    of_host = ec.generate_private_key(ec.SECP256R1())
    here = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    certificate = (
        build("a host", of_host, ours)
        .add_extension(here, critical=False)
        .sign(of_authority, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    key = of_host.private_bytes(
        pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (folder / "authority.pem").write_bytes(authority.public_bytes(pem))
    (folder / "host.pem").write_bytes(certificate.public_bytes(pem) + key)
    return folder / "authority.pem", folder / "host.pem"
