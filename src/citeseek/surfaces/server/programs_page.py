"""The page on which a person sees which programs have access, and takes it back."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from citeseek.conversations.oauth_grants import Grants
from citeseek.errors import NoProgram
from citeseek.person import current_person
from citeseek.surfaces.server.form_pages import FormPages, read_fields
from citeseek.surfaces.server.origins import PROGRAMS


def programs_routes(grants: Grants, pages: FormPages) -> list[Route]:
    """Return the routes of the page over ``grants``."""

    async def programs(request: Request) -> Response:
        status = HTTPStatus.OK
        if request.method == "POST":
            fields = await read_fields(request)
            if pages.is_own_form(request, fields, about=PROGRAMS):
                # One that was taken back in another window is gone as was wished.
                with suppress(NoProgram):
                    await grants.take_back(fields.get("id", ""))
                return RedirectResponse(PROGRAMS, HTTPStatus.SEE_OTHER)
            status = HTTPStatus.FORBIDDEN
        return pages.render(
            request,
            "programs.html",
            status=status,
            about=PROGRAMS,
            person=current_person().name,
            programs=await grants.list(),
            day=_day,
        )

    return [Route(PROGRAMS, programs, methods=["GET", "POST"])]


def _day(at: float) -> str:
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d}"
