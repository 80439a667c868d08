"""A report run again: its searches, its pages, and a model that says what it said."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from citeseek.client import Client
from citeseek.replay.answer import model_of_then
from citeseek.research import Inquiry, Writer, research


async def report(asked: Mapping[str, Any], client: Client) -> None:
    """Write the report again."""
    inquiry = msgspec.convert(asked["inquiry"], Inquiry)
    writer = _writer(client, asked["model"]) if asked["model"] else None
    await research(inquiry, client, engines=asked["engines"], writer=writer)


def _writer(client: Client, name: str) -> Writer:
    from datetime import date  # noqa: PLC0415 - for the prompt alone

    from citeseek.assistant.report_writer import ReportWriter  # noqa: PLC0415 - LangChain

    return ReportWriter(model_of_then(client.settings, name), date.today())  # noqa: DTZ011 - the user's day
