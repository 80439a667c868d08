"""The gate while streaming: each sentence against the pages that were read, in both ways."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec
import pytest
from tests.assistant.chatting import Chatting, all_of, done, shown
from tests.assistant.test_chat_reads import page, reading, results
from tests.loopback import LoopbackServer, Signal
from tests.loopback.models import CUT, HANG

from citeseek.assistant import answer_gate
from citeseek.assistant.answer_gate import GateBounds
from citeseek.assistant.conversation_record import Turn
from citeseek.assistant.events import Done, Event, SentenceJudged, Token
from citeseek.assistant.judged_sentence import JudgedSentence

TRUE = "The tea house at the lake opened in 1912 [1]."
FORGED = "The tea house at the lake opened in 1921 [1]."
PAGE = "The tea house at the lake opened in 1912."
PLAIN = "It is a quiet place."
# No test waits for time to run out, unless it is about that.
PATIENT = GateBounds(seconds=60, repair_seconds=60)


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answer_gate, "BOUNDS", PATIENT)


@asynccontextmanager
async def gated(server: LoopbackServer, gate: str, *sentences: str) -> AsyncIterator[Chatting]:
    """Give a chat behind a gate, which reads one page with ``sentences``."""
    server.on("/tea", page(*(sentences or (PAGE,))))
    async with reading(results(server, "/tea"), CITESEEK_GATE=gate) as chat:
        yield chat


def judged(events: list[Event]) -> list[JudgedSentence]:
    return [event.sentence for event in all_of(events, SentenceJudged)]


def verdicts(events: list[Event]) -> list[str]:
    return [check.verdict for each in judged(events) for check in each.checks]


async def kept(chat: Chatting) -> Turn:
    """Return the last turn as the store has it."""
    record = await chat.assistant.store.get(chat.id or "")
    assert record is not None
    return record.turns[-1]


async def test_mark_tells_each_verdict_and_changes_no_letter(server: LoopbackServer) -> None:
    async with gated(server, "mark") as chat:
        chat.model.says(f"{TRUE} {FORGED} {PLAIN}", chunk=3)
        events = await chat.say("tea house")
        turn = await kept(chat)
    assert verdicts(events) == ["supported", "contradicted"]
    assert [each.fate for each in judged(events)] == ["kept", "kept"]
    assert turn.written == f"{TRUE} {FORGED} {PLAIN}"
    assert turn.judged == tuple(judged(events))
    assert judged(events)[1].checks[0].evidence == PAGE
