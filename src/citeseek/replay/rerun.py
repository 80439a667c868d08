"""A recorded call of any kind run again with what the world gave then: no network, no clock."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from citeseek import trace
from citeseek.client import Client
from citeseek.engine import AnyEngine
from citeseek.errors import CiteseekError, InvalidInput
from citeseek.extras import missing
from citeseek.faces import FACES, Face
from citeseek.query import DateRange, QueryFields
from citeseek.research import Inquiry, Writer, research
from citeseek.searching.engine_registry import Registry
from citeseek.searching.planning import SearchFields
from citeseek.settings import Settings
from citeseek.trace.trace_file import reject_damage
from citeseek.trace.trace_record import Trace

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

    from citeseek.language_model.model import Model

# Runs the call again that was asked so; what it returns or raises is written down by the client.
Rerun: TypeAlias = Callable[[Mapping[str, Any], Client], Awaitable[object]]

_OF_SEARCH = frozenset({*SearchFields.__annotations__, *QueryFields.__annotations__})


async def replay(recorded: Trace, *, engines: Iterable[AnyEngine] = ()) -> Trace:
    """Return the trace of ``recorded`` as the program of today runs it.

    ``engines`` are those of the caller, as :class:`~citeseek.client.Client` takes them; engines in
    the plain form need not be there. Nothing is sent and nobody waits. Raise InvalidInput for a
    kind of call that cannot be run again, and for a trace that is damaged.
    """
    run = rerun_of(recorded.call.kind)
    own = tuple(engines)
    with reject_damage():
        stand_ins = _stand_ins(recorded, own)
        async with Client(_settings(recorded), engines=(*own, *stand_ins)) as client:
            with trace.into(None, recorded) as destination:
                try:
                    await run(recorded.call.asked, client)
                except CiteseekError:
                    if not destination.traces:
                        raise
        return destination.traces[0]


def _settings(recorded: Trace) -> Settings:
    recorded_settings = msgspec.convert(recorded.settings, _Told)
    return Settings.load(
        config=recorded_settings.config, agents=recorded_settings.agents, env=recorded_settings.env
    )


class _Told(msgspec.Struct):
    """The settings as content: a trace names no file of this machine to read them from."""

    config: dict[str, Any] = {}
    agents: dict[str, Any] = {}
    env: dict[str, str] = {}


class _StandIn:
    """A plain engine that was installed then; what it found is in the trace."""

    def __init__(self, id_: str) -> None:
        self.id = id_

    async def search(self, query: str, num_results: int) -> Sequence[object]:
        """Find nothing: nobody asks it."""
        del query, num_results
        return ()


def _stand_ins(recorded: Trace, own: Sequence[AnyEngine]) -> list[AnyEngine]:
    known = Registry(own)
    ids = dict.fromkeys(
        str(part.asked.get("engine", ""))
        for part in (recorded.call, *recorded.call.inner("search"))
        for part in part.inner("engine")
        if part.asked.get("kind") == "plain"
    )
    return [_StandIn(id_) for id_ in ids if id_ and known.find(id_) is None]


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


async def answer(asked: Mapping[str, Any], client: Client) -> None:
    """Answer the message again; raise InvalidInput when the extra for answers is missing."""
    _check_extra()
    from citeseek.assistant.conversation import Conversation  # noqa: PLC0415 - LangChain
    from citeseek.assistant.program import Program  # noqa: PLC0415
    from citeseek.assistant.session import OpenSession  # noqa: PLC0415
    from citeseek.conversations.conversation_record import Record  # noqa: PLC0415
    from citeseek.conversations.earlier_records import as_kept_now  # noqa: PLC0415
    from citeseek.conversations.store import Nowhere  # noqa: PLC0415

    conversation = Conversation(
        OpenSession(as_kept_now(msgspec.convert(asked["record"], Record))),
        client,
        Nowhere(),
        model=model_of_then(client.settings, asked["model"]),
        tools=[_tool(name) for name in asked["tools"]],
    )
    # Traces of before programs could say more tell of none.
    program = msgspec.convert(asked["program"], Program) if asked.get("program") else None
    turn_id, instead_of = asked["turn_id"], asked.get("instead_of", "")
    async for _ in conversation.stream(
        asked["message"], turn_id=turn_id, instead_of=instead_of, program=program
    ):
        pass


def model_of_then(settings: Settings, name: str) -> Model:
    """Return a model called ``name``, which is never asked: its replies are in the trace.

    Raise InvalidInput when the extra for answers is missing.
    """
    _check_extra()
    from citeseek.language_model.extractive_model import ExtractiveModel  # noqa: PLC0415 - LangChain
    from citeseek.language_model.model import Model  # noqa: PLC0415

    return Model(chat=ExtractiveModel(), name=name, seconds=settings.model.seconds)


def _check_extra() -> None:
    if find_spec("langchain") is None:
        raise InvalidInput(
            "A replay with a model needs LangChain.",
            hint=missing("agent"),
            values={"case": "replay_langchain"},
        )


def _tool(name: str) -> BaseTool:
    from langchain_core.tools import StructuredTool  # noqa: PLC0415 - LangChain

    def call() -> str:
        return ""

    return StructuredTool.from_function(call, name=name, description="A tool of then.")


async def report(asked: Mapping[str, Any], client: Client) -> None:
    """Write the report again."""
    inquiry = msgspec.convert(asked["inquiry"], Inquiry)
    writer = _writer(client, asked["model"]) if asked["model"] else None
    await research(inquiry, client, engines=asked["engines"], writer=writer)


def _writer(client: Client, name: str) -> Writer:
    from datetime import date  # noqa: PLC0415 - for the prompt alone

    from citeseek.assistant.citation_judge import judge_of  # noqa: PLC0415 - LangChain
    from citeseek.assistant.report_writer import ReportWriter  # noqa: PLC0415 - LangChain

    settings = client.settings
    model = model_of_then(settings, name)
    judge = judge_of(
        settings,
        name,
        lambda: nullcontext(model),
        lambda other: lambda: nullcontext(model_of_then(settings, other)),
    )
    return ReportWriter(model, date.today(), judge)  # noqa: DTZ011 - the user's day


KINDS: dict[str, Rerun] = {
    "search": _search,
    "fetch": _fetch,
    "answer": answer,
    "report": report,
}


def rerun_of(kind: str) -> Rerun:
    """Return how a call of ``kind`` is run again; raise InvalidInput when nobody knows."""
    if kind not in KINDS:
        raise InvalidInput(
            f"A trace of {kind!r:.40} cannot be replayed.",
            hint=f"Known: {', '.join(KINDS)}.",
            values={"case": "replay_kind", "kind": f"{kind!r:.40}", "known": str(", ".join(KINDS))},
        )
    return KINDS[kind]
