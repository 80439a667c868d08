"""The address on this machine where a SearXNG is to answer, or answers."""

from __future__ import annotations

import errno
import http.client
import socket

from citeseek.errors import InvalidInput

HOST = "127.0.0.1"
MAX_PORT = 65_535
# SearXNG says this word and no other.
WELL = b"OK"


def url(port: int) -> str:
    """Return the address of a SearXNG on ``port`` of this machine."""
    return f"http://localhost:{port}"


def is_free(port: int) -> bool:
    """Whether nobody listens on ``port`` of this machine."""
    with socket.socket() as asking:
        asking.settimeout(1)
        if asking.connect_ex((HOST, port)) == 0:
            return False
    with socket.socket() as trying:
        # As a server sets it: what a connection left behind keeps nobody from listening.
        trying.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trying.bind((HOST, port))
        except OSError as error:
            # A port that this user may not have is told by the program that wants it.
            return error.errno != errno.EADDRINUSE
    return True


def is_well(port: int, *, seconds: float = 2.0) -> bool:
    """Whether a SearXNG on ``port`` of this machine says that it is well."""
    connection = http.client.HTTPConnection(HOST, port, timeout=seconds)
    try:
        connection.request("GET", "/healthz")
        return connection.getresponse().read(16).strip() == WELL
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def taken_error(port: int, *, hint: str = "", **values: str) -> InvalidInput:
    """Return the error that ``port`` is in use, and by a SearXNG when it is one.

    ``values`` are what the ``hint`` names, and its ``hint_case``.
    """
    values |= {"port": str(port), "url": url(port)}
    if is_well(port):
        return InvalidInput(
            f"A SearXNG that was not started here already answers at {url(port)}.",
            hint=hint,
            values={"case": "searxng_answers", **values},
        )
    return InvalidInput(
        f"Port {port} of this machine is in use by another program.",
        hint=hint,
        values={"case": "searxng_port_taken", **values},
    )
