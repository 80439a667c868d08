"""An answer keeps how surely it answers and where its sources differ, whoever made it."""

from __future__ import annotations

from typing import Any

import pytest
from tests.assistant.chatting import chatting, found, result

from citeseek.answering.source_values import SaidValue
from citeseek.assistant.events import Done, Notice
from citeseek.assistant.notices import sources_differ
from citeseek.i18n import catalogue

QUESTION = "When was Orr Mill built?"
COPY = "Orr Mill was built in 1811 by the miller John Kerr, who came from Leith with two brothers."


def mill(number: int, text: str, **other: Any) -> dict[str, Any]:
    return result(number, title="Orr Mill", content=text, **other)


DIFFERENT = found(
    mill(1, COPY, publishedDate="2021-05-04T00:00:00"),
    mill(2, "The parish book says that Orr Mill was built in 1843."),
    mill(3, f"{COPY} Read more."),
)
ONE = found(mill(1, COPY))


def ending(events: list[Any]) -> tuple[Done, list[Notice]]:
    told = [event for event in events if isinstance(event, Notice)]
    (done,) = [event for event in events if isinstance(event, Done)]
    return done, [notice for notice in told if notice.code == "sources_differ"]


@pytest.mark.parametrize("model", ["extractive", None])
async def test_values_that_differ_are_told_with_any_model(model: str | None) -> None:
    env = {"CITESEEK_MODEL": model} if model else {}
    async with chatting(DIFFERENT, **env) as chat:
        chat.model.says("In 1811 [1].")
        done, (notice,) = ending(await chat.say(QUESTION))
        kept = await chat.assistant.store.get(chat.id or "")
    assert kept is not None
    assert [turn.voices for turn in kept.turns] == [done.voices]
    assert [(one.value, one.sources, one.origins) for one in done.voices] == [
        ("1811", (1, 3), 1),
        ("1843", (2,), 1),
    ]
    assert done.voices[0].published_at == ("2021-05-04",)
    assert done.confidence is None
    assert notice.sentence(catalogue("en")) == (
        "Sources differ: 1811 [1][3] (pages: 2, origins: 1; 2021-05-04) ↔ 1843 [2]."
    )
    assert notice.sentence(catalogue("zh")) == (
        "来源说法不一：1811 [1][3] (2 个页面，1 个出处; 2021-05-04) ↔ 1843 [2]。"
    )


async def test_the_built_in_model_alone_says_how_surely_it_answers() -> None:
    async with chatting(ONE, CITESEEK_MODEL="extractive") as chat:
        done, notices = ending(await chat.say(QUESTION))
    assert (done.confidence, done.voices, notices) == (0.97, (), [])
    assert "(sure, about 97 %)" in done.answer
    async with chatting(ONE) as chat:
        chat.model.says("In 1811 [1].")
        done, _ = ending(await chat.say(QUESTION))
    assert done.confidence is None


def test_different_things_of_one_name_are_told_as_such() -> None:
    said = (
        SaidValue(value="3 May 1901", quote="…", sources=(1,), about="Tom Orr (painter)"),
        SaidValue(value="9 June 1950", quote="…", sources=(2,), about="Tom Orr (miller)"),
    )
    assert sources_differ(said).sentence(catalogue("en")) == (
        "Sources speak of different things of this name: "
        "3 May 1901 [1] (Tom Orr (painter)) ↔ 9 June 1950 [2] (Tom Orr (miller))."
    )
