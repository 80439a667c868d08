"""What people let programs do, and the codes and tokens of it (OAuth 2.1).

A grant is one consent. Its code is redeemed once, each refresh token counts once and gives the next
one; whoever brings one again ends the grant, since one of the two who had it is a thief (RFC 9700).
"""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

import msgspec
from sqlalchemy import Connection, Row, Select, delete, func, insert, select, update

from citeseek.conversations.database_store import DatabaseStore
from citeseek.conversations.tables import OAUTH_GRANTS, OAUTH_TOKENS
from citeseek.errors import NoProgram
from citeseek.person import check_keeps, current_person

Kind: TypeAlias = Literal["code", "access", "refresh"]

CODE_SECONDS, ACCESS_SECONDS, REFRESH_SECONDS = 60, 900, 30 * 24 * 3600
# Of more programs of a person the one that was not used for longest goes.
MAX_GRANTS = 100
# What has expired is known for a while, so that it is called expired and not a guess.
_KEPT_SECONDS = 24 * 3600
_PREFIXES: dict[Kind, str] = {"code": "csc_", "access": "csa_", "refresh": "csr_"}
ACCESS_PREFIX = _PREFIXES["access"]
_BYTES = 32


class Consent(msgspec.Struct, frozen=True, kw_only=True):
    """What a person agreed to: ``client``, called ``name``, gets tokens for ``resource``.

    It is sent back to ``redirect_uri``, whose host is ``host``, and named that itself unless
    ``is_implied``. ``challenge`` is that of PKCE by S256.
    """

    client: str
    name: str
    host: str
    resource: str
    scope: str
    redirect_uri: str
    challenge: str
    is_implied: bool = False


class Grant(msgspec.Struct, frozen=True, kw_only=True):
    """A program that somebody gave access. Times are in seconds since 1970.

    ``used_at`` is when it last got tokens, and ``expires_at`` when it may get no more.
    """

    id: str
    person: str
    client: str
    name: str
    host: str
    resource: str
    scope: str
    created_at: float
    used_at: float
    expires_at: float


class TokenRow(msgspec.Struct, frozen=True, kw_only=True):
    """A code or token that is known: its ``grant``, and until when it holds.

    ``consent`` is that of a code.
    """

    grant: Grant
    expires_at: float
    consent: Consent | None = None


class IssuedPair(msgspec.Struct, frozen=True):
    """Tokens for a program; the first holds for 15 minutes, the second gives the next ones."""

    access: str
    refresh: str

    def __repr__(self) -> str:
        return "IssuedPair()"


class Grants:
    """The grants in ``database``.

    :meth:`begin`, :meth:`list` and :meth:`take_back` are about those of the current person.
    """

    def __init__(self, database: DatabaseStore, now: Callable[[], float] = time.time) -> None:
        self._database = database
        self._now = now

    async def begin(self, consent: Consent) -> str:
        """Return a code for ``consent``, which holds for a minute; raise NotPermitted for a guest.

        Nothing is granted before it is redeemed.
        """
        check_keeps()
        return await self._database.write(_begin, current_person().name, consent, self._now())

    async def find(self, kind: Kind, token: str, client: str = "") -> TokenRow | None:
        """Return what a code or token is, None for one that is unknown or not of ``client``.

        One that counts once and was used before ends its grant. Expired ones are found for a day.
        """
        found = await self._database.read(_find, kind, _hash(token), client)
        if found is None:
            return None
        row, is_used = found
        if is_used:
            await self._database.write(_end, row.grant.id)
            return None
        return row

    def is_over(self, row: TokenRow) -> bool:
        """Whether a code or token has expired."""
        return row.expires_at < self._now()

    async def redeem(self, kind: Literal["code", "refresh"], token: str) -> IssuedPair | None:
        """Use up a code or a refresh token and return what it gives.

        None when it was used meanwhile, which ends its grant.
        """
        return await self._database.write(_redeem, kind, _hash(token), self._now())

    async def end(self, grant_id: str) -> None:
        """End a grant with all of its tokens, whosever it is; raise NoProgram."""
        if not await self._database.write(_end, grant_id):
            raise _no_program(grant_id)

    async def list(self) -> Sequence[Grant]:
        """Return what has access, the newest first."""
        return await self._database.read(_list, current_person().name, self._now())

    async def list_all(self) -> Sequence[Grant]:
        """Return the same of everybody, by name."""
        return await self._database.read(_list, None, self._now())

    async def take_back(self, grant_id: str) -> None:
        """End a grant of the current person with all of its tokens; raise NoProgram."""
        if not await self._database.write(_end, grant_id, current_person().name):
            raise _no_program(grant_id)


def _no_program(grant_id: str) -> NoProgram:
    return NoProgram(
        f"No program has an access {grant_id!r:.60}.",
        values={"case": "unknown", "id": f"{grant_id:.60}"},
    )


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _begin(connection: Connection, person: str, consent: Consent, now: float) -> str:
    _forget_expired(connection, now)
    own = OAUTH_GRANTS.c.person == person
    kept = connection.scalar(select(func.count()).select_from(OAUTH_GRANTS).where(own)) or 0
    if kept >= MAX_GRANTS:
        # One that never got a token is of no use to anybody after its minute.
        idle = select(OAUTH_GRANTS.c.id).where(own)
        idle = idle.order_by(OAUTH_GRANTS.c.used_at, OAUTH_GRANTS.c.created_at).limit(1)
        _end(connection, str(connection.scalar(idle)))
    grant = Grant(
        id=secrets.token_hex(8),
        person=person,
        client=consent.client,
        name=consent.name,
        host=consent.host,
        resource=consent.resource,
        scope=consent.scope,
        created_at=now,
        used_at=0.0,
        expires_at=now + CODE_SECONDS,
    )
    connection.execute(insert(OAUTH_GRANTS).values(msgspec.structs.asdict(grant)))
    return _add(connection, "code", grant.id, now + CODE_SECONDS, msgspec.json.encode(consent))


def _add(
    connection: Connection, kind: Kind, grant_id: str, until: float, value: bytes | None = None
) -> str:
    token = _PREFIXES[kind] + secrets.token_urlsafe(_BYTES)
    row = {"hash": _hash(token), "grant_id": grant_id, "kind": kind, "expires_at": until}
    connection.execute(insert(OAUTH_TOKENS).values(**row, value=value))
    return token


def _find(
    connection: Connection, kind: Kind, hashed: str, client: str
) -> tuple[TokenRow, bool] | None:
    wanted = OAUTH_TOKENS.c.hash == hashed, OAUTH_TOKENS.c.kind == kind
    row = connection.execute(select(OAUTH_TOKENS).where(*wanted)).first()
    if row is None:
        return None
    of_it = select(OAUTH_GRANTS).where(OAUTH_GRANTS.c.id == row.grant_id)
    grant = _as_grant(connection.execute(of_it).one())
    if client and grant.client != client:
        return None
    consent = None if row.value is None else msgspec.json.decode(row.value, type=Consent)
    return TokenRow(grant=grant, expires_at=row.expires_at, consent=consent), row.used_at > 0


def _redeem(connection: Connection, kind: Kind, hashed: str, now: float) -> IssuedPair | None:
    this = (OAUTH_TOKENS.c.hash == hashed) & (OAUTH_TOKENS.c.kind == kind)
    grant_id = connection.scalar(select(OAUTH_TOKENS.c.grant_id).where(this))
    if grant_id is None:
        return None
    unused = update(OAUTH_TOKENS).where(this, OAUTH_TOKENS.c.used_at == 0)
    if not connection.execute(unused.values(used_at=now)).rowcount:
        _end(connection, grant_id)
        return None
    until = now + REFRESH_SECONDS
    of_it = update(OAUTH_GRANTS).where(OAUTH_GRANTS.c.id == grant_id)
    connection.execute(of_it.values(used_at=now, expires_at=until))
    _forget_expired(connection, now)
    return IssuedPair(
        _add(connection, "access", grant_id, now + ACCESS_SECONDS),
        _add(connection, "refresh", grant_id, until),
    )


def _forget_expired(connection: Connection, now: float) -> None:
    connection.execute(delete(OAUTH_GRANTS).where(OAUTH_GRANTS.c.expires_at < now))
    over = OAUTH_TOKENS.c.expires_at < now - _KEPT_SECONDS
    connection.execute(delete(OAUTH_TOKENS).where(over))


def _end(connection: Connection, grant_id: str, person: str | None = None) -> bool:
    this = delete(OAUTH_GRANTS).where(OAUTH_GRANTS.c.id == grant_id)
    if person is not None:
        this = this.where(OAUTH_GRANTS.c.person == person)
    return connection.execute(this).rowcount > 0


def _list(connection: Connection, person: str | None, now: float) -> Sequence[Grant]:
    has_access = OAUTH_GRANTS.c.used_at > 0, OAUTH_GRANTS.c.expires_at >= now
    wanted: Select[tuple[object, ...]] = select(OAUTH_GRANTS).where(*has_access)
    if person is not None:
        wanted = wanted.where(OAUTH_GRANTS.c.person == person)
    newest = OAUTH_GRANTS.c.created_at.desc(), OAUTH_GRANTS.c.id
    order = newest if person is not None else (OAUTH_GRANTS.c.person, *newest)
    return list(map(_as_grant, connection.execute(wanted.order_by(*order))))


def _as_grant(row: Row[tuple[object, ...]]) -> Grant:
    return Grant(**{name: getattr(row, name) for name in Grant.__struct_fields__})
