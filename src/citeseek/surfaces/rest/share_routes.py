"""Links to one answer or one report: made, listed, taken back."""

from __future__ import annotations

from typing import Annotated

import msgspec
from fastapi import APIRouter, Depends
from msgspec import Meta
from starlette.responses import Response

from citeseek.conversations.shared_links import Share, Shares
from citeseek.errors import InvalidInput
from citeseek.surfaces.rest.documented import describe_route, json_response, read
from citeseek.surfaces.rest.problems import PREFIX
from citeseek.surfaces.server.origins import SHARED


class ToShare(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is to be shared: the answer of ``turn`` in ``session``, or a ``report``."""

    session: Annotated[str, Meta(max_length=64)] | None = None
    turn: Annotated[str, Meta(max_length=200)] | None = None
    report: Annotated[str, Meta(max_length=64)] | None = None


class ShareShown(msgspec.Struct, frozen=True, kw_only=True):
    """A link; ``page`` is the address at which whoever has it reads what it leads to.

    ``created_at`` is in seconds since 1970.
    """

    id: str
    page: str
    created_at: float
    session: str | None
    turn: str | None
    report: str | None

    @classmethod
    def of(cls, share: Share) -> ShareShown:
        """Return what the API shows of a link."""
        return cls(page=f"{SHARED}{share.id}", **msgspec.structs.asdict(share))


class SharesShown(msgspec.Struct, frozen=True, kw_only=True):
    """All links, the newest first."""

    shares: list[ShareShown]


def router(shares: Shares) -> APIRouter:
    """Return the routes of ``/shares``."""
    routes = APIRouter(prefix=f"{PREFIX}/shares", tags=["shares"])

    @routes.post("", **describe_route(ShareShown, takes=ToShare, status=201))
    async def share(asked: Annotated[ToShare, Depends(read(ToShare))]) -> Response:
        """Share an answer or a report that ended well; one that is shared keeps its link.

        Whoever has the link reads it, and nothing else, until the link is taken back.
        """
        if asked.report is not None and asked.session is None and asked.turn is None:
            made = await shares.share_report(asked.report)
        elif asked.report is None and asked.session is not None and asked.turn is not None:
            made = await shares.share_answer(asked.session, asked.turn)
        else:
            raise InvalidInput(
                "Name a session and its turn, or a report.", values={"case": "share_nothing"}
            )
        shown = ShareShown.of(made)
        return json_response(shown, 201, Location=shown.page)

    @routes.get("", **describe_route(SharesShown))
    async def listed() -> Response:
        """List the links."""
        return json_response(SharesShown(shares=list(map(ShareShown.of, await shares.list()))))

    @routes.delete("/{share_id}", **describe_route(None, status=204, text="It leads nowhere now"))
    async def take_back(share_id: str) -> Response:
        """Take a link back."""
        await shares.take_back(share_id)
        return Response(status_code=204)

    return routes
