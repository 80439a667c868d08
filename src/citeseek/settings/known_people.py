"""The people whom the setting ``server.people`` names: a name, a role, and mostly a token."""

from __future__ import annotations

import hashlib
import re

import msgspec

from citeseek.errors import InvalidInput
from citeseek.person import ROLES, Person
from citeseek.settings.server_settings import LEAST_TOKEN
from citeseek.settings.values import UnreadableValue

# A name stands in logs, tables and headers of a proxy. It may be an address of e-mail.
# People of an issuer have one before their name, or two before a hash of it.
_MOST_MARKS = 2
_NAME = re.compile(r"[a-z0-9][a-z0-9._@+-]{0,63}")
# What another person looks like in a token, behind anything but a comma.
_ANOTHER = re.compile(rf"[\s;|]\s*[^\s;|:]+:(?:{'|'.join(ROLES)})(?::|\Z)")


class KnownPerson(msgspec.Struct, frozen=True):
    """A person and the token that they bring; without one they come in another way."""

    person: Person
    token: str | None = None

    def __repr__(self) -> str:
        return f"KnownPerson({self.person.name}, {self.person.role})"


def fold_person(name: str) -> str:
    """Return ``name`` as people are known by it; raise ValueError for what is no name."""
    folded = name.strip().lower()
    if _NAME.fullmatch(folded) is None:
        raise ValueError(
            "is no name: one is 1 to 64 letters of ASCII, digits and . _ @ + - and begins with a "
            "letter or a digit"
        )
    return folded


def name_of_anybody(name: str) -> str:
    """Return the name of a person of whom something may be kept, in whichever way they came in.

    Raise InvalidInput for what nobody is called.
    """
    marks = name[: len(name) - len(name.lstrip("~"))]
    try:
        # One mark too many is what no name begins with.
        return marks[:_MOST_MARKS] + fold_person(name[len(marks[:_MOST_MARKS]) :])
    except ValueError as reason:
        raise InvalidInput(
            f"{name!r:.80} {reason}.", values={"case": "no_name", "name": f"{name:.80}"}
        ) from None


def name_subject(subject: str) -> str:
    """Return the name of whom an issuer calls ``subject``, which nobody has who is named here.

    A subject that cannot stand in a name is known by its hash.
    """
    try:
        if fold_person(subject) == subject:
            return f"~{subject}"
    except ValueError:
        pass
    return f"~~{hashlib.sha256(subject.encode()).hexdigest()[:32]}"


def read_people(text: str) -> tuple[KnownPerson, ...]:
    """Return the people in ``name:role:token, name:role``.

    Raise UnreadableValue with what is wrong, which repeats no token.
    """
    found: list[KnownPerson] = []
    for place, entry in enumerate(text.split(","), start=1):
        name, _, rest = entry.strip().partition(":")
        role, has_token, token = rest.partition(":")
        try:
            name = fold_person(name)
        except ValueError as reason:
            raise UnreadableValue("people_name", place=str(place), reason=str(reason)) from None
        known = next((each for each in ROLES if each == role.strip().lower()), None)
        if known is None:
            raise UnreadableValue("people_role", name=name, roles=", ".join(ROLES))
        if _ANOTHER.search(token):
            raise UnreadableValue("people_separator", name=name)
        if has_token and len(token) < LEAST_TOKEN:
            raise UnreadableValue("people_token_short", name=name, least=str(LEAST_TOKEN))
        if any(each.person.name == name for each in found):
            raise UnreadableValue("people_twice", name=name)
        if token and any(each.token == token for each in found):
            raise UnreadableValue("people_token_shared", name=name)
        found.append(KnownPerson(Person(name, known), token or None))
    return tuple(found)


def secrets_of(text: str) -> set[str]:
    """Return what may be a token in ``text``, whether or not it can be read."""
    parts = (entry.strip().split(":", 2) for entry in text.split(","))
    return {part[-1].strip() for part in parts} - {""}
