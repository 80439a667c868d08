"""Programs that people gave access, or that registered (RFC 7591): their names and addresses."""

from __future__ import annotations

import secrets
import time

import msgspec
from sqlalchemy import Connection, delete, func, insert, select

from citeseek.conversations.database_store import DatabaseStore
from citeseek.conversations.tables import OAUTH_CLIENTS, OAUTH_GRANTS

MAX_CLIENTS = 1_000
_BYTES = 16


class ClientRecord(msgspec.Struct, frozen=True, kw_only=True):
    """What a program says of itself: its ``name``, perhaps empty, and where it may be sent back to.

    It has no secret: whoever registers gets one, so that it would prove nothing.
    """

    name: str
    redirect_uris: tuple[str, ...]


class RegisteredClients:
    """The programs in ``database``, at most 1,000 of them.

    For more, the one that registered first and has no access makes room.
    """

    def __init__(self, database: DatabaseStore) -> None:
        self._database = database

    async def register(self, client: ClientRecord) -> str | None:
        """Keep ``client`` and return its id; None when all that are kept have access."""
        return await self._database.write(_register, client)

    async def keep(self, client_id: str, client: ClientRecord) -> bool:
        """Keep ``client``, which has an id already, as it is now; False where there is no room."""
        return await self._database.write(_keep, client, client_id) is not None

    async def find(self, client_id: str) -> ClientRecord | None:
        """Return the program with an id."""
        value = await self._database.read(_find, client_id)
        return None if value is None else msgspec.json.decode(value, type=ClientRecord)


def _register(connection: Connection, client: ClientRecord) -> str | None:
    return _keep(connection, client, secrets.token_urlsafe(_BYTES))


def _keep(connection: Connection, client: ClientRecord, client_id: str) -> str | None:
    connection.execute(delete(OAUTH_CLIENTS).where(OAUTH_CLIENTS.c.id == client_id))
    if (connection.scalar(select(func.count()).select_from(OAUTH_CLIENTS)) or 0) >= MAX_CLIENTS:
        has_access = select(OAUTH_GRANTS.c.id).where(OAUTH_GRANTS.c.client == OAUTH_CLIENTS.c.id)
        idle = select(OAUTH_CLIENTS.c.id).where(~has_access.exists())
        oldest = connection.scalar(idle.order_by(OAUTH_CLIENTS.c.created_at).limit(1))
        if oldest is None:
            return None
        connection.execute(delete(OAUTH_CLIENTS).where(OAUTH_CLIENTS.c.id == oldest))
    values = {"id": client_id, "created_at": time.time(), "value": msgspec.json.encode(client)}
    connection.execute(insert(OAUTH_CLIENTS).values(values))
    return client_id


def _find(connection: Connection, client_id: str) -> bytes | None:
    return connection.scalar(select(OAUTH_CLIENTS.c.value).where(OAUTH_CLIENTS.c.id == client_id))
