"""Who an issuer says that somebody is, and whom of them the settings let in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from citeseek.person import ROLES, Person, Role
from citeseek.settings.known_people import KnownPerson, fold_person


class Identity(msgspec.Struct, frozen=True, omit_defaults=True):
    """A person's ``name``, as they are known here, and what else counts for whether they come in.

    ``email`` is one that the issuer has verified, in small letters; ``group`` is that of theirs
    which has the strongest role.
    """

    name: str
    email: str = ""
    group: str = ""


class Admission(msgspec.Struct, frozen=True, kw_only=True):
    """Who of those that an issuer knows comes in.

    Whom the settings name has the role that stands there. Of others the address has to be in one of
    ``domains``, if there are any; they have the role of their group in ``roles``, else ``role``,
    and without any they are not let in.
    """

    people: tuple[KnownPerson, ...] = ()
    role: Role | None = None
    domains: tuple[str, ...] = ()
    roles: Mapping[str, Role] = {}

    @property
    def lets_in_anybody(self) -> bool:
        """Whether there is anybody who could come in."""
        return bool(self.people or self.roles or self.role)

    def find(self, identity: Identity) -> Person | None:
        """Return the person that ``identity`` is here, None for whoever is not let in."""
        for known in self.people:
            if known.person.name == identity.name:
                return known.person
        if self.domains and identity.email.rpartition("@")[2] not in self.domains:
            return None
        role = self.roles.get(identity.group, self.role)
        return None if role is None else Person(identity.name, role)

    def find_strongest(self, groups: Iterable[str]) -> str:
        """Return the one of ``groups`` whose role may do most, empty when none has a role."""
        with_role = [each for each in groups if each in self.roles]
        return min(with_role, key=lambda each: ROLES.index(self.roles[each]), default="")


def has_verified_email(claims: Mapping[str, Any]) -> bool:
    """Whether the issuer says that the address is the person's; some say it as a text."""
    told = claims.get("email_verified")
    return bool(claims.get("email")) and (told is True or told == "true")


def name_by_claim(claims: Mapping[str, Any], claim: str) -> str | None:
    """Return the name of a person by ``claim``; None where it holds none that can be relied on.

    An address of e-mail is a name when it is verified, whichever claim holds it: everybody may
    write somebody else's into their account.
    """
    told = claims.get(claim)
    if claim == "sub" or not isinstance(told, str):
        return None
    is_email = claim == "email" or told.strip().lower() == str(claims.get("email")).strip().lower()
    if is_email and not has_verified_email(claims):
        return None
    try:
        return fold_person(told)
    except ValueError:
        return None


def groups_in(claims: Mapping[str, Any], claim: str) -> list[str]:
    """Return the groups that ``claim`` lists, as a list or as a text with spaces between them."""
    told = claims.get(claim)
    if isinstance(told, str):
        return told.split()
    return [each for each in told if isinstance(each, str)] if isinstance(told, list) else []
