"""Files of a conversation: given to be read, listed, taken away."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Query
from msgspec import structs
from starlette.requests import Request
from starlette.responses import Response

from citeseek.errors import WebParseError
from citeseek.live_answers.hub import Hub
from citeseek.surfaces.rest.documented import describe_route, json_response
from citeseek.surfaces.rest.problems import PREFIX, problem_of
from citeseek.surfaces.rest.shapes import FileShown
from citeseek.surfaces.web.accepted_language import words_for
from citeseek.surfaces.web.error_formats import failure

_BYTES = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}


def files_router(hub: Hub) -> APIRouter:
    """Return the routes of ``/sessions/{session_id}/files``."""
    routes = APIRouter(prefix=f"{PREFIX}/sessions/{{session_id}}/files", tags=["files"])
    adding = describe_route(FileShown, status=201, text="It was read")
    adding["openapi_extra"] = {"requestBody": {"required": True, "content": _BYTES}}

    @routes.post("", **adding)
    async def add(
        session_id: str,
        request: Request,
        name: Annotated[str, Query(min_length=1, max_length=300)],
    ) -> Response:
        """Give a file to be read: the body is its bytes, the ending of its name tells its type.

        Answers from now on cite it by its name and pages. What was read is kept with the
        conversation and deleted with it; the bytes are not kept.
        """
        try:
            file = await hub.add_file(session_id, name, await request.body())
        except WebParseError as error:
            # What was sent cannot be read: no other site failed.
            status = HTTPStatus.UNPROCESSABLE_ENTITY
            told = problem_of(error, words_for(request))
            told = structs.replace(told, title=status.phrase, status=status)
            return failure(request.url.path, told)
        where = f"{PREFIX}/sessions/{session_id}/files/{file.id}"
        return json_response(FileShown.of(file), 201, Location=where)

    @routes.get("", **describe_route(list[FileShown]))
    async def listed(session_id: str) -> Response:
        """List the files of a conversation."""
        files = (await hub.open(session_id)).session.record.files
        return json_response(list(map(FileShown.of, files)))

    @routes.delete("/{file_id}", **describe_route(None, status=204, text="It is gone"))
    async def drop(session_id: str, file_id: str) -> Response:
        """Take a file away; what was answered from it stays."""
        await hub.drop_file(session_id, file_id)
        return Response(status_code=204)

    return routes
