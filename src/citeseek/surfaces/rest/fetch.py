"""The text of a page, without any conversation."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Depends
from msgspec import structs
from starlette.responses import Response

from citeseek.assistant.clients import Clients
from citeseek.fetching import FetchResponse, formats
from citeseek.fetching.options import Form
from citeseek.surfaces.rest.documented import read, told, written


class PageWanted(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A page to read; what is not named is decided by the settings.

    ``form`` is ``text`` or ``markdown``, ``max_chars`` the longest text, ``timeout`` the deadline
    in seconds (0.1 to 120). With ``fresh`` no kept page is used.
    """

    url: str
    form: Form | None = None
    max_chars: int | None = None
    timeout: float | None = None
    fresh: bool | None = None


def router(clients: Clients) -> APIRouter:
    """Return the route of ``/fetch``."""
    routes = APIRouter(tags=["fetch"])

    @routes.post("/fetch", **told(FetchResponse, takes=PageWanted))
    async def fetch(wanted: Annotated[PageWanted, Depends(read(PageWanted))]) -> Response:
        """Read one page as text; addresses that are not public are refused (``ssrf_blocked``)."""
        asked: dict[str, Any] = structs.asdict(wanted)
        asked["seconds"] = asked.pop("timeout")
        given = {name: value for name, value in asked.items() if value is not None}
        return written(formats.full(await clients.current().fetch(**given)))

    return routes
