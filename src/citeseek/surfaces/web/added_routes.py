"""Routes of one router in another, as they are."""

from __future__ import annotations

from fastapi import APIRouter


def add_routes(to: APIRouter, router: APIRouter) -> None:
    """Give ``to`` the routes of ``router`` as they are.

    To include it would make each of them a second time, which takes longer than all else that is
    done to start a server.
    """
    to.routes.extend(router.routes)
