"""Who uses the server, and how much: numbers for an owner."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import msgspec
from fastapi import APIRouter, Query
from starlette.responses import Response

from citeseek.conversations.usage import MAX_DAYS, PersonUse, UsageMeter, UseCounts
from citeseek.person import OPERATOR, Person, Role, check_owner
from citeseek.settings.known_people import KnownPerson
from citeseek.surfaces.rest.documented import describe_route, json_response
from citeseek.surfaces.rest.problems import PREFIX


class PersonShown(msgspec.Struct, frozen=True, kw_only=True):
    """A person, their role by the settings, null for one who is not named there, and their use.

    The empty name is whoever runs the server.
    """

    name: str
    role: Role | None
    use: UseCounts


class PeopleShown(msgspec.Struct, frozen=True, kw_only=True):
    """Everybody who is named in the settings, or used the server within ``days``."""

    days: int
    people: list[PersonShown]


def router(meter: UsageMeter, known: tuple[KnownPerson, ...]) -> APIRouter:
    """Return the route of ``/people``."""
    routes = APIRouter(prefix=PREFIX, tags=["people"])

    @routes.get("/people", **describe_route(PeopleShown))
    async def people(days: Annotated[int, Query(ge=1, le=MAX_DAYS)] = 30) -> Response:
        """Say how much each person used within the last days, to an owner.

        Numbers alone: nobody reads here what others asked or got.
        """
        check_owner()
        used = await meter.list(days)
        return json_response(PeopleShown(days=days, people=show_people(used, known)))

    return routes


def show_people(used: Iterable[PersonUse], known: Iterable[KnownPerson]) -> list[PersonShown]:
    """Return everybody in ``used`` or ``known`` by name."""
    people: dict[str, Person] = {"": OPERATOR, **{each.person.name: each.person for each in known}}
    uses = {each.person: each.use for each in used}
    return [
        PersonShown(
            name=name,
            role=people[name].role if name in people else None,
            use=uses.get(name, UseCounts()),
        )
        for name in sorted({*people, *uses})
    ]
