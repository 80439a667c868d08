"""What an issuer publishes and answers: objects of JSON, which nobody on the way can change."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar
from urllib.parse import urlsplit

import msgspec

from citeseek.errors import BadGateway
from citeseek.models import Page, Request

if TYPE_CHECKING:
    from citeseek.client import Client

T = TypeVar("T")
# Sends a request to an issuer; CiteseekError says why there is no answer.
Ask: TypeAlias = Callable[[Request], Awaitable[Page]]
_SECONDS, _BYTES = 10.0, 1 << 20


def ask_through(client: Callable[[], Client]) -> Ask:
    """Return what asks an issuer through the transport of ``client``, in at most 10 seconds.

    Private networks are not shut out: whoever runs the server named the issuer.
    """

    async def ask(request: Request) -> Page:
        transport = client().transports.get("pyreqwest")
        return await transport.send(request, seconds=_SECONDS, max_bytes=_BYTES)

    return ask


def is_safe(address: str) -> bool:
    """Whether nobody on the way can change what ``address`` gives: https, or this machine."""
    parts = urlsplit(address)
    is_here = parts.hostname in {"localhost", "127.0.0.1", "::1"}
    return parts.scheme == "https" or (parts.scheme == "http" and is_here)


async def read_document(ask: Ask, address: str, *, bearer: str = "") -> dict[str, Any]:
    """Return the object at ``address``, for the access token ``bearer`` if there is one.

    Raise CiteseekError for anything else.
    """
    return read_json(await read_page(ask, address, bearer=bearer), dict[str, Any])


async def read_page(ask: Ask, address: str, *, bearer: str = "") -> Page:
    """Return what ``address`` answers; raise CiteseekError when it is a refusal or unsafe."""
    check_safe(address)
    headers = {"Accept": "application/json"}
    if bearer:
        headers["Authorization"] = f"Bearer {bearer}"
    page = await ask(Request(url=address, headers=headers))
    if page.status != HTTPStatus.OK:
        raise BadGateway(f"{address} answers {page.status}.")
    return page


def check_safe(address: str) -> None:
    """Raise BadGateway for an ``address`` that an issuer names and nobody can rely on."""
    if not is_safe(address):
        raise BadGateway(f"{address!r:.120} is no https address.")


def read_json(page: Page, kind: type[T]) -> T:
    """Return the JSON that ``page`` holds; raise BadGateway when it is no ``kind``."""
    try:
        return msgspec.json.decode(page.body, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise BadGateway(f"{page.url} gives no JSON of the kind that it should.") from None
