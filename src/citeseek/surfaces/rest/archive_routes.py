"""All conversations as one file, and such a file taken in."""

from __future__ import annotations

import time

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from citeseek.conversations.conversation_archive import (
    MEDIA_TYPE,
    TakenIn,
    read_archive,
    write_archive,
)
from citeseek.live_answers.hub import Hub
from citeseek.surfaces.rest.documented import describe_route, json_response
from citeseek.surfaces.rest.problems import PREFIX

_TEXT = {"type": "string", "contentMediaType": MEDIA_TYPE}


def router(hub: Hub) -> APIRouter:
    """Return the routes of ``/sessions/archive``."""
    routes = APIRouter(prefix=f"{PREFIX}/sessions/archive", tags=["sessions"])
    giving = describe_route(None, text="JSON lines: what it is, then each conversation")
    giving["responses"][200]["content"] = {MEDIA_TYPE: {"schema": _TEXT}}
    taking = describe_route(TakenIn)
    body = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
    taking["openapi_extra"] = {"requestBody": {"required": True, "content": body}}

    @routes.get("", **giving)
    async def give() -> Response:
        """Give all conversations in which something was said as one file."""
        name = time.strftime("citeseek-%Y-%m-%d.jsonl", time.gmtime())
        return StreamingResponse(
            write_archive(hub.assistant.store),
            media_type=MEDIA_TYPE,
            headers={"Content-Disposition": f'attachment; filename="{name}"'},
        )

    @routes.post("", **taking)
    async def take(request: Request) -> Response:
        """Take in the conversations of such a file; those that are here already stay as they are.

        One that was deleted here comes back under another id.
        """
        store = hub.assistant.store
        body = await request.body()
        return json_response(await read_archive(store, body, most=hub.max_sessions))

    return routes
