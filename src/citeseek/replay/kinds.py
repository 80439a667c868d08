"""How each kind of call is run again over a client."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

import msgspec

from citeseek.client import Client
from citeseek.errors import InvalidInput
from citeseek.faces import FACES, Face
from citeseek.query import DateRange, QueryFields
from citeseek.searching.planning import SearchFields

# Runs the call again that was asked so; what it returns or raises is written down by the client.
Rerun: TypeAlias = Callable[[Mapping[str, Any], Client], Awaitable[object]]

_OF_SEARCH = frozenset({*SearchFields.__annotations__, *QueryFields.__annotations__})


async def _search(asked: Mapping[str, Any], client: Client) -> object:
    fields = {name: value for name, value in asked.items() if name in _OF_SEARCH}
    if isinstance(fields.get("face"), dict):
        face = msgspec.convert(fields["face"], Face)
        fields["face"] = next((known for known in FACES if known.id == face.id), face)
    if isinstance(fields.get("freshness"), dict):
        fields["freshness"] = msgspec.convert(fields["freshness"], DateRange)
    return await client.search(asked["text"], **fields)


async def _fetch(asked: Mapping[str, Any], client: Client) -> object:
    fields = {name: value for name, value in asked.items() if name != "url"}
    return await client.fetch(asked["url"], **fields)


async def _answer(asked: Mapping[str, Any], client: Client) -> object:
    from citeseek.replay.answer import answer  # noqa: PLC0415 - LangChain takes a second

    await answer(asked, client)
    return None


async def _report(asked: Mapping[str, Any], client: Client) -> object:
    from citeseek.replay.report import report  # noqa: PLC0415 - for reports alone

    await report(asked, client)
    return None


KINDS: dict[str, Rerun] = {
    "search": _search,
    "fetch": _fetch,
    "answer": _answer,
    "report": _report,
}


def rerun_of(kind: str) -> Rerun:
    """Return how a call of ``kind`` is run again; raise InvalidInput when nobody knows."""
    if kind not in KINDS:
        raise InvalidInput(
            f"A trace of {kind!r:.40} cannot be replayed.", hint=f"Known: {', '.join(KINDS)}."
        )
    return KINDS[kind]
