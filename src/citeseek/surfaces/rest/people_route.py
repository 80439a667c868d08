"""Who uses the server, and how much, in numbers; and the end of what is kept of somebody."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import msgspec
from fastapi import APIRouter, Query
from starlette.responses import Response

from citeseek.conversations.erasure import Belongings
from citeseek.conversations.usage import MAX_DAYS, PersonUse, UsageMeter, UseCounts
from citeseek.jobs.person_erasure import PersonErasure
from citeseek.person import OPERATOR, Person, Role, check_owner
from citeseek.settings.known_people import KnownPerson, name_of_anybody
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


def router(meter: UsageMeter, known: tuple[KnownPerson, ...], erasure: PersonErasure) -> APIRouter:
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

    @routes.delete("/people/{name}", **describe_route(Belongings))
    async def erase(name: str) -> Response:
        """Erase a person for good, by an owner, and say how much that was.

        What they have under way is stopped first. Their token lets them in as before: take it from
        `server.people` before.
        """
        check_owner()
        return json_response(await erasure.erase(name_of_anybody(name)))

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
