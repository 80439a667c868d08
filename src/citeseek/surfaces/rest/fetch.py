"""The text of a page, without any conversation."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Depends, Request
from msgspec import Meta, structs
from starlette.responses import Response

from citeseek import observing
from citeseek.assistant.client_pool import Clients
from citeseek.fetching import formats
from citeseek.fetching.options import MAX_CHARS, MAX_SECONDS, MIN_CHARS, MIN_SECONDS, Form
from citeseek.surfaces.rest.documented import read, told, written
from citeseek.surfaces.rest.shapes import Fetched
from citeseek.surfaces.web.disconnect import while_there

# Described here and checked where pages are read, which says it better.
_ADDRESS = {"minLength": 1, "maxLength": 8_192, "format": "uri"}
_CHARS = {"minimum": MIN_CHARS, "maximum": MAX_CHARS}
_SECONDS = {"minimum": MIN_SECONDS, "maximum": MAX_SECONDS}


class PageWanted(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A page to read; what is not named is decided by the settings.

    ``form`` is ``text`` or ``markdown``, ``max_chars`` the longest text, ``timeout`` the deadline
    in seconds (0.1 to 120). With ``fresh`` no kept page is used.
    """

    url: Annotated[str, Meta(extra_json_schema=_ADDRESS)]
    form: Form | None = None
    max_chars: Annotated[int, Meta(extra_json_schema=_CHARS)] | None = None
    timeout: Annotated[float, Meta(extra_json_schema=_SECONDS)] | None = None
    fresh: bool | None = None


def router(clients: Clients) -> APIRouter:
    """Return the route of ``/fetch``."""
    routes = APIRouter(tags=["fetch"])

    @routes.post("/fetch", **told(Fetched, takes=PageWanted))
    async def fetch(
        request: Request, wanted: Annotated[PageWanted, Depends(read(PageWanted))]
    ) -> Response:
        """Read one page as text; addresses that are not public are refused (``ssrf_blocked``)."""
        asked: dict[str, Any] = structs.asdict(wanted)
        asked["seconds"] = asked.pop("timeout")
        given = {name: value for name, value in asked.items() if value is not None}
        client = clients.current()
        ledger = client.ledger()
        with observing.watching(ledger):
            page = await while_there(request, client.fetch(**given))
        return written({**formats.full(page), "egress": ledger.receipt()})

    return routes
