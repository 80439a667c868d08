"""Who a request comes from: the one value by which what is kept is told apart.

The door of a server sets it for each request, and what asks the store for something reads it there:
no route hands it on, so none can forget it. What runs outside of a request is the program of
whoever started it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal, TypeAlias

import msgspec

from citeseek.errors import NotPermitted

Role: TypeAlias = Literal["owner", "member", "guest"]
ROLES: tuple[Role, ...] = ("owner", "member", "guest")


class Person(msgspec.Struct, frozen=True):
    """A person, known by their ``name``, which stays the same whichever way they come in.

    The empty name is whoever runs the program: the one person without a token, and the tokens of
    ``server.token``. An ``owner`` sees how much each person uses; of a ``guest`` nothing is kept.
    """

    name: str = ""
    role: Role = "owner"

    @property
    def is_guest(self) -> bool:
        """Whether nothing of theirs is kept."""
        return self.role == "guest"


OPERATOR = Person()
# Who reads what is open to all, on a server that asks others who they are. Nobody has such a name.
STRANGER = Person("-", "guest")
_PERSON: ContextVar[Person] = ContextVar("citeseek_person", default=OPERATOR)


def current_person() -> Person:
    """Return who asks now."""
    return _PERSON.get()


def check_keeps() -> None:
    """Raise NotPermitted where something is to be kept for a guest."""
    if current_person().is_guest:
        raise NotPermitted(
            "Nothing is kept for a guest.",
            hint="Ask for what need not be kept, or come with the token of a member.",
            values={"case": "guest"},
        )


def check_owner() -> None:
    """Raise NotPermitted for whoever is no owner."""
    if current_person().role != "owner":
        raise NotPermitted("This is for owners of the server.", values={"case": "owners"})


@contextmanager
def acting_as(person: Person) -> Iterator[None]:
    """Let what is done within, and the tasks that are begun there, be done for ``person``."""
    token = _PERSON.set(person)
    try:
        yield
    finally:
        _PERSON.reset(token)
