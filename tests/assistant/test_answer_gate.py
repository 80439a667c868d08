"""The gate while streaming: each sentence against the pages that were read, in both ways."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest
from tests.assistant.chatting import Chatting, all_of, done, shown
from tests.assistant.conversations import items
from tests.assistant.test_chat_reads import page, reading, results
from tests.loopback import LoopbackServer, Signal
from tests.loopback.models import CUT, HANG

from citeseek.assistant import answer_gate
from citeseek.assistant.answer_draft import Draft, Made
from citeseek.assistant.answer_gate import AnswerGate, GateBounds
from citeseek.assistant.events import Done, Event, SentenceJudged, Token
from citeseek.citations import CitationRegistry
from citeseek.concurrency.clock import Clock
from citeseek.conversations.conversation_record import Turn
from citeseek.conversations.judged_sentence import JudgedSentence
from citeseek.settings.assistant_settings import Gate
from citeseek.urls import same_page_key
from citeseek.verification import AnswerSentence, CitationCheck, check_claims

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


async def test_hold_strikes_a_contradicted_sentence_when_repairing_fails(
    server: LoopbackServer,
) -> None:
    async with gated(server, "hold") as chat:
        chat.model.says(f"{TRUE} {FORGED} {PLAIN}", chunk=3)
        chat.model.fails(500, always=True)
        events = await chat.say("tea house")
        turn = await kept(chat)
    assert turn.written == f"{TRUE} ~~{FORGED}~~ {PLAIN}"
    assert [each.fate for each in judged(events)] == ["kept", "struck"]
    (against,) = judged(events)[1].contradictions
    assert against.evidence == PAGE
    assert done(events).text == turn.shown == shown(events)


async def test_a_repaired_sentence_takes_the_place_and_that_is_told(
    server: LoopbackServer,
) -> None:
    async with gated(server, "hold") as chat:
        chat.model.says(f"- {FORGED}\n- {PLAIN}\n", chunk=5)
        chat.model.says(TRUE)
        events = await chat.say("tea house")
        asked = chat.asked
        turn = await kept(chat)
    assert turn.written == f"- {TRUE}\n- {PLAIN}\n"
    (sentence,) = judged(events)
    assert (sentence.fate, sentence.text, sentence.before) == ("repaired", TRUE, FORGED)
    assert [check.verdict for check in sentence.checks] == ["supported"]
    assert [check.evidence for check in sentence.contradictions] == [PAGE]
    assert PAGE in asked.prompt
    assert FORGED in asked.prompt


LIES = {
    "another forged number": "The tea house at the lake opened in 1931 [1].",
    "the same again": FORGED,
    "something else": "The mill by the river closed in 1980 [1].",
    "another source": "The tea house at the lake opened in 1912 [2].",
    "a list": f"- {TRUE}",
    "two lines": f"{TRUE}\n\nI hope that this helps.",
    "an address": "The tea house at the lake [opened](https://evil.example) in 1912 [1].",
    "nothing": "I am sorry [1].",
    "an evasion": "I do not know.",
    "code": f"`{TRUE}`",
    "far too much": f"{TRUE} " * 40,
}


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES)
async def test_a_model_that_lies_at_the_repair_changes_nothing(
    server: LoopbackServer, lie: str
) -> None:
    async with gated(server, "hold") as chat:
        chat.model.says(f"{FORGED} {PLAIN}")
        chat.model.says(lie)
        events = await chat.say("tea house")
        turn = await kept(chat)
    assert turn.written == f"~~{FORGED}~~ {PLAIN}"
    assert [each.fate for each in judged(events)] == ["struck"]


BRIDGE = (
    "The Hollin bridge crosses the river at Arnby.",
    "It opened in 1932.",
    "It carries about 9,200 cars a day.",
    "It cost 34 million euros.",
    "The toll is not free for lorries.",
)
CARS = "It carries about 9,300 cars a day [1]."
RIGHT = "It carries about 9,200 cars a day [1]."
NO_CORRECTIONS = {
    "true of something else": (CARS, "It cost 34 million euros [1]."),
    "true of another year": (CARS, "It opened in 1932 [1]."),
    "true and more": (CARS, "It carries about 9,200 cars a day, it cost 34 million euros [1]."),
    "less": (CARS, "It carries about 9,200 [1]."),
    "chatter behind it": (CARS, f"{RIGHT} I hope this helps."),
    "chatter within it": (CARS, "It carries, corrected, about 9,200 cars a day [1]."),
    "a label and something else": (CARS, "Sure! Corrected: It cost 34 million euros [1]."),
    "a sign": (CARS, f"✅ {RIGHT}"),
    "its citation twice": (CARS, RIGHT.replace("[1]", "[1][1]")),
    "another citation": (CARS, RIGHT.replace("[1]", "[2]")),
    "true of something else, in Chinese": ("大桥于1933年通车[1]。", "大桥全长1200米[1]。"),
}


@pytest.mark.parametrize(("forged", "said"), NO_CORRECTIONS.values(), ids=NO_CORRECTIONS)
async def test_another_sentence_is_no_correction_however_true(
    server: LoopbackServer, forged: str, said: str
) -> None:
    async with gated(server, "hold", *BRIDGE, "大桥于1932年通车。", "大桥全长1200米。") as chat:
        chat.model.says(f"{forged} {PLAIN}")
        chat.model.says(said)
        events = await chat.say("tea house")
        turn = await kept(chat)
    assert turn.written == f"~~{forged}~~ {PLAIN}"
    assert [each.fate for each in judged(events)] == ["struck"]


async def test_a_row_that_repeats_its_label_is_judged_like_a_sentence(
    server: LoopbackServer,
) -> None:
    rows = "| what | how many |\n|---|---|\n| cars | about 9,{}00 cars a day [1] |\n"
    async with gated(server, "hold", *BRIDGE) as chat:
        chat.model.says(rows.format(3))
        chat.model.says(rows.format(2))
        forged = await chat.say("tea house")
        true = await chat.say("tea house")
    assert [each.fate for each in judged(forged)] == ["struck"]
    assert verdicts(true) == ["supported"]


OPEN = "The toll is free for lorries [1]."
NOT_OPEN = "The toll is not free for lorries [1]."
CORRECTIONS = {
    "the sentence": (CARS, RIGHT, RIGHT),
    "without its mark": (CARS, RIGHT.replace(" [1]", ""), "It carries about 9,200 cars a day.[1]"),
    "a label": (CARS, f"Sure! Here is the corrected sentence: {RIGHT}", RIGHT),
    "a line before it": (CARS, f"Corrected:\n\n{RIGHT}", RIGHT),
    "in quotation marks": (CARS, f"“{RIGHT}”", RIGHT),
    "polarity": (OPEN, NOT_OPEN, NOT_OPEN),
    "a Chinese assent": (
        "大桥于1933年通车[1]。",
        "好的，大桥于1932年通车[1]。",
        "大桥于1932年通车[1]。",
    ),
    "Chinese": (
        "大桥于1933年通车[1]。",
        "改正后的句子：大桥于1932年通车[1]。",
        "大桥于1932年通车[1]。",
    ),
}


@pytest.mark.parametrize(("forged", "said", "told"), CORRECTIONS.values(), ids=CORRECTIONS)
async def test_a_correction_is_the_same_sentence_and_nothing_around_it(
    server: LoopbackServer, forged: str, said: str, told: str
) -> None:
    async with gated(server, "hold", *BRIDGE, "大桥于1932年通车。") as chat:
        chat.model.says(f"{forged} {PLAIN}")
        chat.model.says(said)
        events = await chat.say("tea house")
        turn = await kept(chat)
    assert turn.written == f"{told} {PLAIN}"
    assert [each.fate for each in judged(events)] == ["repaired"]


@pytest.mark.parametrize("fault", [CUT, HANG], ids=["cut", "hang"])
async def test_a_model_that_breaks_off_or_hangs_at_the_repair_is_not_waited_for(
    server: LoopbackServer, fault: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answer_gate, "BOUNDS", GateBounds(seconds=60, repair_seconds=1))
    async with gated(server, "hold") as chat:
        chat.model.says(f"{FORGED} {PLAIN}")
        chat.model.says("The tea house", fault)  # type: ignore[arg-type]
        events = await chat.say("tea house")
        turn = await kept(chat)
    assert turn.written == f"~~{FORGED}~~ {PLAIN}"
    assert done(events).outcome == "answered"


async def test_only_so_many_sentences_are_tried_to_repair(server: LoopbackServer) -> None:
    forged = [FORGED.replace("1921", str(1921 + n)) for n in range(PATIENT.repairs + 3)]
    async with gated(server, "hold") as chat:
        chat.model.says(" ".join(forged))
        chat.model.says("No.", always=True)
        events = await chat.say("tea house")
        assert len(chat.model.requests) == 1 + PATIENT.repairs
    assert [each.fate for each in judged(events)] == ["struck"] * len(forged)


async def test_no_sentence_that_is_held_is_shown_before_it_is_judged(
    server: LoopbackServer,
) -> None:
    go_on = Signal()
    async with gated(server, "hold") as chat:
        chat.model.says(f"{TRUE} ", FORGED[:20], go_on, FORGED[20:])
        chat.model.fails(500, always=True)
        talk = await chat.assistant.open()
        await talk.set_switch(on=True)
        seen = ""
        async for event in talk.stream("tea house"):
            if isinstance(event, Token):
                seen += event.text
            if isinstance(event, SentenceJudged) and not go_on.is_set():
                assert "1921" not in seen
                assert FORGED[:20] not in seen[len(TRUE) :]
                go_on.set()
    assert "~~The tea house at the lake opened in 1921" in seen


async def test_what_was_held_when_the_reader_stopped_is_not_kept(server: LoopbackServer) -> None:
    never = Signal()
    async with gated(server, "hold") as chat:
        chat.model.says(f"{TRUE} {FORGED[:-4]}", never)
        talk = await chat.assistant.open()
        await talk.set_switch(on=True)
        stream = talk.stream("tea house")
        async for event in stream:
            if isinstance(event, SentenceJudged):
                break
        await stream.aclose()
        never.set()
        (turn,) = talk.session.record.turns
    assert turn.outcome == "stopped"
    assert turn.written.strip() == TRUE
    assert [each.fate for each in turn.judged] == ["kept"]


async def test_what_a_model_said_before_it_failed_is_judged(server: LoopbackServer) -> None:
    async with gated(server, "hold") as chat:
        chat.model.says(f"{TRUE} {FORGED}", CUT)
        chat.model.fails(500, always=True)
        events = await chat.say("tea house")
        turn = await kept(chat)
    assert f"~~{FORGED}~~" in turn.written
    assert [each.fate for each in judged(events)] == ["kept", "struck"]


async def test_a_sentence_for_which_there_is_no_time_goes_on_and_is_said_to_be_unjudged(
    server: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_end = Signal()

    def slow(*_: object) -> None:
        may_end.wait(60)

    monkeypatch.setattr(answer_gate, "_checks_of", slow)
    monkeypatch.setattr(answer_gate, "BOUNDS", GateBounds(seconds=0.05))
    async with gated(server, "hold") as chat:
        chat.model.says(f"{TRUE} {FORGED}")
        events = await chat.say("tea house")
        may_end.set()
    assert [(each.fate, each.checks) for each in judged(events)] == [("unjudged", ())] * 2
    assert done(events).answer.startswith("The tea house at the lake opened in 1912 [")


async def test_what_a_check_needs_is_read_before_the_model_says_anything(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    checked = Signal()

    def check(*args: Any) -> list[CitationCheck]:
        found = check_claims(*args)
        checked.set()
        return found

    monkeypatch.setattr(answer_gate, "check_claims", check)
    draft = new_draft("hold")
    was_checked = []

    async def made() -> AsyncGenerator[Made]:
        was_checked.append(await asyncio.to_thread(checked.wait, 60))
        yield draft.started

    assert [event async for event in AnswerGate(draft, None).events(made())] == [draft.started]
    assert was_checked == [True]


async def test_a_fault_of_the_check_costs_the_verdict_and_not_the_answer(
    server: LoopbackServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(answer_gate, "check_claims", broken)
    async with gated(server, "hold") as chat:
        chat.model.says(TRUE)
        events = await chat.say("tea house")
    assert [each.fate for each in judged(events)] == ["unjudged"]
    assert done(events).outcome == "answered"
    assert "could not be judged" in caplog.text


async def test_a_page_that_was_only_found_contradicts_nothing(server: LoopbackServer) -> None:
    async with gated(server, "hold") as chat:
        talk = await chat.assistant.open()
        await talk.set_switch(on=True)
        await talk.set_reading(on=False)
        chat.model.says(FORGED)
        events = [event async for event in talk.stream("tea house")]
    assert verdicts(events) == ["unfetched"]
    assert done(events).answer.startswith("The tea house at the lake opened in 1921 [")


async def test_the_conversation_may_have_another_gate_than_the_settings(
    server: LoopbackServer,
) -> None:
    async with gated(server, "hold") as chat:
        chat.model.says(FORGED, always=True)
        talk = await chat.assistant.open()
        await talk.set_switch(on=True)
        await talk.set_gate("off")
        events = [event async for event in talk.stream("tea house")]
        stored = await chat.assistant.store.get(talk.id)
    assert judged(events) == []
    assert "~~" not in done(events).text
    assert stored is not None
    assert stored.gate == "off"


def told(draft: Draft, *pieces: str) -> list[bytes]:
    """Return the events of an answer that arrives in ``pieces``, as they are sent."""
    events = [event for piece in pieces for event in draft.write(piece)]
    events += draft.finish()
    return [msgspec.json.encode(event) for event in events]


def new_draft(gate: Gate) -> Draft:
    registry = CitationRegistry(same_page_key=same_page_key)
    registry.add(items(1))
    return Draft("tea?", "chat", registry, "test", turn_id="1", clock=Clock(), gate=gate)


def test_with_the_gate_off_the_stream_is_the_same_byte_for_byte() -> None:
    """As it was before there was a gate: piece by piece, an undecided mark held back."""
    source = (
        b'{"number":1,"title":"Page 1","url":"https://e.example/1","domain":"e.example",'
        b'"snippet":"A leaf.","published_at":"","was_read":false,"thumbnail":"","pages":[]}'
    )
    span = b'[{"start":14,"end":40,"number":1}],"part":"answer"'
    rest = "\n\n---\n\n## References\n\n1. [Page 1](https://e.example/1) - e.example\n"
    assert told(new_draft("off"), "Tea is a leaf [", "1]. It", " is green.\n") == [
        b'{"type":"token","text":"Tea is a leaf ","spans":[],"part":"answer"}',
        b'{"type":"token","text":"[[1]](https://e.example/1). It","spans":' + span + b"}",
        b'{"type":"citation","source":' + source + b"}",
        b'{"type":"token","text":" is green.\\n","spans":[],"part":"answer"}',
        msgspec.json.encode(Token(text=rest, part="references")),
    ]


def test_mark_adds_verdicts_to_the_stream_and_takes_nothing_from_it() -> None:
    said = f"# Tea\n\n{TRUE} {FORGED}\n\n| a | b |\n|---|---|\n| x | 1912 [1] |\n\n```\n[1]\n```\n"
    pieces = [said[at : at + 4] for at in range(0, len(said), 4)]
    off = told(new_draft("off"), *pieces)
    draft = new_draft("mark")
    mark = [event for piece in pieces for event in draft.write(piece)] + [*draft.finish()]
    sentences = [each for each in mark if isinstance(each, AnswerSentence)]
    assert [sentence.body for sentence in sentences] == [TRUE, FORGED, "| x | 1912 [1] |"]
    others = [each for each in mark if not isinstance(each, AnswerSentence)]
    assert list(map(msgspec.json.encode, others)) == off


async def test_a_remark_on_the_way_to_a_search_is_no_answer(server: LoopbackServer) -> None:
    async with gated(server, "hold") as chat:
        talk = await chat.assistant.open(mode="agent")
        chat.model.calls("web_search", {"query": "tea house"}, text="I look for it. One moment")
        chat.model.calls("web_fetch", {"url": server.url("/tea")})
        chat.model.says(f"{TRUE} {FORGED}")
        chat.model.fails(500, always=True)
        events = [event async for event in talk.stream("tea house?")]
    end = all_of(events, Done)[-1]
    assert [each.fate for each in judged(events)] == ["kept", "struck"]
    assert end.answer.startswith("The tea house at the lake opened in 1912 [")
    assert "~~The tea house at the lake opened in 1921" in end.answer
