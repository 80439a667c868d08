"""Programs that a person gave access over MCP: listed, taken back."""

from __future__ import annotations

import msgspec
from fastapi import APIRouter
from starlette.responses import Response

from citeseek.conversations.oauth_grants import Grant, Grants
from citeseek.surfaces.rest.documented import describe_route, json_response
from citeseek.surfaces.rest.problems import PREFIX


class ProgramShown(msgspec.Struct, frozen=True, kw_only=True):
    """A program by the ``name`` that it calls itself, and the ``host`` that it was sent back to.

    Times are in seconds since 1970: since when it has access, when it last got tokens, and when its
    access ends unless it is used.
    """

    id: str
    name: str
    host: str
    created_at: float
    used_at: float
    expires_at: float

    @classmethod
    def of(cls, grant: Grant) -> ProgramShown:
        """Return what the API shows of a grant."""
        return cls(**{name: getattr(grant, name) for name in cls.__struct_fields__})


class ProgramsShown(msgspec.Struct, frozen=True, kw_only=True):
    """All programs with access, the newest first."""

    programs: list[ProgramShown]


def router(grants: Grants) -> APIRouter:
    """Return the routes of ``/programs``."""
    routes = APIRouter(prefix=f"{PREFIX}/programs", tags=["programs"])

    @routes.get("", **describe_route(ProgramsShown))
    async def listed() -> Response:
        """List the programs that have access over MCP as whoever asks."""
        shown = list(map(ProgramShown.of, await grants.list()))
        return json_response(ProgramsShown(programs=shown))

    @routes.delete("/{program_id}", **describe_route(None, status=204, text="It has none now"))
    async def take_back(program_id: str) -> Response:
        """Take the access of a program back; its tokens count no longer."""
        await grants.take_back(program_id)
        return Response(status_code=204)

    return routes
