"""An answer or a report run again as it stood, with a model that says what it said."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import msgspec

from citeseek.client import Client
from citeseek.errors import InvalidInput
from citeseek.extras import missing
from citeseek.research import Inquiry, Writer, research
from citeseek.settings import Settings

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

    from citeseek.assistant.model import Model


async def answer(asked: Mapping[str, Any], client: Client) -> None:
    """Answer the message again; raise InvalidInput when the extra for answers is missing."""
    _check_extra()
    from citeseek.assistant.conversation import Conversation  # noqa: PLC0415 - LangChain
    from citeseek.assistant.conversation_record import Record, as_kept_now  # noqa: PLC0415
    from citeseek.assistant.session import OpenSession  # noqa: PLC0415
    from citeseek.assistant.store import Nowhere  # noqa: PLC0415

    conversation = Conversation(
        OpenSession(as_kept_now(msgspec.convert(asked["record"], Record))),
        client,
        Nowhere(),
        model=model_of_then(client.settings, asked["model"]),
        tools=[_tool(name) for name in asked["tools"]],
    )
    async for _ in conversation.stream(asked["message"], turn_id=asked["turn_id"]):
        pass


def model_of_then(settings: Settings, name: str) -> Model:
    """Return a model called ``name``, which is never asked: its replies are in the trace.

    Raise InvalidInput when the extra for answers is missing.
    """
    _check_extra()
    from citeseek.assistant.extractive_model import ExtractiveModel  # noqa: PLC0415 - LangChain
    from citeseek.assistant.model import Model  # noqa: PLC0415

    return Model(chat=ExtractiveModel(), name=name, seconds=settings.model.seconds)


def _check_extra() -> None:
    if find_spec("langchain") is None:
        raise InvalidInput("A replay with a model needs LangChain.", hint=missing("agent"))


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

    from citeseek.assistant.report_writer import ReportWriter  # noqa: PLC0415 - LangChain

    return ReportWriter(model_of_then(client.settings, name), date.today())  # noqa: DTZ011 - the user's day
