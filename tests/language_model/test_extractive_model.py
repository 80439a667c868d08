"""The built-in model: it searches once in Agent mode and quotes what fits, each with its number."""

from __future__ import annotations

import re
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)
from tests.conftest import settings
from tests.language_model.test_shown_results import NOTHING, TEA, Service, artifact, items_of

from citeseek.citations import Source
from citeseek.i18n import catalogue
from citeseek.language_model.extractive_model import PIECE, ExtractiveModel, Phrases
from citeseek.language_model.extracts import extract
from citeseek.language_model.model import load_model
from citeseek.language_model.shown_results import KEY, Shown
from citeseek.tools.fence import rule
from citeseek.tools.langchain import web_search_tool
from citeseek.tools.tool_definitions import WEB_SEARCH

CHINESE, ENGLISH = Phrases(catalogue("zh")), Phrases(catalogue("en"))

MODEL = ExtractiveModel()
TOOL = {
    "type": "function",
    "function": {
        "name": WEB_SEARCH.name,
        "description": WEB_SEARCH.description,
        "parameters": WEB_SEARCH.parameters,
    },
}
AGENT = MODEL.bind_tools([TOOL])


def called(text: str, *answers: Any) -> list[BaseMessage]:
    """A message, a call for each answer of the tool, and these answers."""
    calls = [
        {"name": "web_search", "args": {"query": text}, "id": f"c{place}"}
        for place in range(len(answers))
    ]
    said = [
        ToolMessage("…", artifact=answer, tool_call_id=f"c{place}", name="web_search")
        for place, answer in enumerate(answers)
    ]
    return [HumanMessage(text), AIMessage("", tool_calls=calls), *said]


def fairly_sure(phrases: Phrases) -> str:
    """Return the lead over a sentence of which 94 % are right."""
    return phrases("sure_lead", sure=phrases("fairly_sure"), share=94)


@pytest.mark.requirement("S0-2")
def test_it_searches_for_the_message_with_its_white_space_folded() -> None:
    answer = AGENT.invoke([SystemMessage("x"), HumanMessage("  绿茶\n 发酵吗 ")])
    assert [(call["name"], call["args"]) for call in answer.tool_calls] == [
        ("web_search", {"query": "绿茶 发酵吗"})
    ]
    assert answer.text == ""


async def test_a_call_is_streamed_as_well() -> None:
    whole: AIMessageChunk | None = None
    async for piece in AGENT.astream([HumanMessage("tea")]):
        whole = piece if whole is None else whole + piece
    assert whole is not None
    assert [call["args"] for call in whole.tool_calls] == [{"query": "tea"}]


def test_it_searches_once_for_each_message() -> None:
    earlier = called("Is green tea oxidised?", artifact(TEA))
    assert not AGENT.invoke(earlier).tool_calls
    again = [*earlier, AIMessage("No."), HumanMessage("And black tea?")]
    assert AGENT.invoke(again).tool_calls[0]["args"] == {"query": "And black tea?"}


def test_results_of_earlier_messages_are_not_quoted() -> None:
    earlier = called("Is black tea oxidised?", artifact(TEA))
    later = called("Is black tea oxidised?", NOTHING)
    answer = AGENT.invoke([*earlier, AIMessage("Yes."), *later]).text
    assert answer == f"{ENGLISH('nothing_found')}\n\n{ENGLISH('label')}"


def test_an_answer_quotes_the_best_sentences_under_their_numbers() -> None:
    text = artifact(TEA, first=8)
    assert AGENT.invoke(called("绿茶是发酵的吗", text)).text == (
        f"{fairly_sure(CHINESE)}\n\n- 绿茶不发酵。 [8]\n\n{CHINESE('label')}"
    )
    assert AGENT.invoke(called("Is black tea oxidised?", text)).text == (
        f"{fairly_sure(ENGLISH)}\n\n- Black tea is fully oxidised \\[3\\]. [9]\n\n"
        f"{ENGLISH('label')}"
    )


def test_several_searches_are_answered_together() -> None:
    texts = (artifact(TEA[:1], first=3), artifact(TEA[1:2], first=5))
    answer = AGENT.invoke(called("绿茶 发酵 black tea oxidised", *texts)).text
    assert "绿茶不发酵。 [3]" in answer
    assert "oxidised \\[3\\]. [5]" in answer


@pytest.mark.parametrize(
    ("question", "shown", "lead"),
    [
        ("茶", NOTHING, CHINESE("nothing_found")),
        ("tea", NOTHING, ENGLISH("nothing_found")),
        ("茶", None, CHINESE("search_failed")),
        ("tea", None, ENGLISH("search_failed")),
        ("zebra crossing", artifact(TEA), ENGLISH("no_answer")),
        ("斑马线", artifact(TEA), CHINESE("no_answer")),
    ],
)
@pytest.mark.requirement("P12")
def test_without_anything_to_quote_it_says_why(question: str, shown: Any, lead: str) -> None:
    label = (CHINESE if re.search("[\u4e00-\u9fff]", lead) else ENGLISH)("label")
    assert AGENT.invoke(called(question, shown)).text == f"{lead}\n\n{label}"


def chatted(question: str, state: Any = "found", pages: Any = ()) -> HumanMessage:
    """Return a message of Chat mode, with what was shown of a search beside its text."""
    sources = tuple(
        Source(item.rank, item.title, item.url, item.domain, item.snippet)
        for item in items_of(pages)
    )
    return HumanMessage("…", additional_kwargs={KEY: Shown(state, sources, question)})


@pytest.mark.requirement("S1-33")
def test_in_chat_mode_it_answers_from_what_was_shown() -> None:
    earlier = [chatted("绿茶？", pages=TEA[:1]), AIMessage("…")]
    asked = chatted("Is black tea oxidised?", pages=TEA)
    answer = MODEL.invoke([SystemMessage(rule(catalogue("en"))), *earlier, asked])
    assert answer.text == (
        f"{fairly_sure(ENGLISH)}\n\n- Black tea is fully oxidised \\[3\\]. [2]\n\n"
        f"{ENGLISH('label')}"
    )


@pytest.mark.requirement("S1-38")
def test_in_chat_mode_nothing_found_a_failure_and_no_search_are_three_things() -> None:
    found = MODEL.invoke([chatted("茶", "nothing")]).text
    assert found == f"{CHINESE('nothing_found')}\n\n{CHINESE('label')}"
    bare = MODEL.invoke([HumanMessage("tea")]).text
    assert bare == f"{ENGLISH('not_searched')}\n\n{ENGLISH('label')}"
    failed = MODEL.invoke([chatted("tea", "fruitless")]).text
    assert failed == f"{ENGLISH('no_results')}\n\n{ENGLISH('label')}"
    assert MODEL.invoke([SystemMessage("x")]).text.endswith(ENGLISH("label"))


def test_without_the_tool_it_does_not_search() -> None:
    other = {"type": "function", "function": {"name": "clock", "parameters": {"type": "object"}}}
    answer = MODEL.bind_tools([other]).invoke([HumanMessage("tea")])
    assert (answer.tool_calls, answer.text) == (
        [],
        f"{ENGLISH('not_searched')}\n\n{ENGLISH('label')}",
    )


async def test_it_streams_in_small_pieces_that_join_to_the_whole() -> None:
    messages = called("绿茶是发酵的吗", artifact(TEA))
    pieces = [piece.text async for piece in AGENT.astream(messages)]
    assert max(map(len, pieces)) <= PIECE
    assert len(pieces) > 3
    whole = AGENT.invoke(messages).text
    assert "".join(pieces) == whole == "".join(piece.text for piece in AGENT.stream(messages))


@pytest.mark.requirement("S0-12")
async def test_it_works_with_the_real_tool_in_a_real_agent() -> None:
    service = Service(TEA)
    agent = create_agent(load_model(settings()).chat, [web_search_tool(service)])  # type: ignore[arg-type]
    done = await agent.ainvoke({"messages": [HumanMessage("绿茶是发酵的吗")]})
    assert service.asked == ["绿茶是发酵的吗"]
    assert "- 绿茶不发酵。 [1]" in done["messages"][-1].text


def source(number: int, snippet: str, title: str = "") -> Source:
    return Source(number, title, f"https://s{number}.example/", f"s{number}.example", snippet)


def test_sentences_that_were_cut_off_are_quoted_only_for_want_of_whole_ones() -> None:
    cut = source(1, "The tower of Pisa is 56 metres high on the low side and 57 on…")
    whole = source(2, "The tower of Pisa is 56 metres high. It leans to the south.")
    asked = "How high is the tower of Pisa?"
    assert [(e.number, e.text) for e in extract(asked, [cut, whole])] == [
        (2, "The tower of Pisa is 56 metres high.")
    ]
    assert [e.number for e in extract(asked, [cut])] == [1]


RANKED = [
    source(1, "珠穆朗玛峰位于中国与尼泊尔边境。每年有数百人登顶。", "珠穆朗玛峰"),
    source(2, "珠穆朗玛峰的最新高程为8848.86米。测量在2020年完成。", "珠峰高程公布"),
    source(3, "The Amazon flows through Brazil. It carries more water than any river.", "Amazon"),
    source(4, "The Nile is about 6,650 km long. It flows north.", "Nile"),
]


@pytest.mark.parametrize(
    ("question", "best"),
    [
        ("珠穆朗玛峰的高程是多少米？", (2, "珠穆朗玛峰的最新高程为8848.86米。")),
        ("每年有多少人登顶珠穆朗玛峰？", (1, "每年有数百人登顶。")),
        ("How long is the Nile?", (4, "The Nile is about 6,650 km long.")),
        ("Which river carries the most water?", (3, "It carries more water than any river.")),
    ],
)
def test_the_sentence_that_answers_comes_first(question: str, best: tuple[int, str]) -> None:
    first = extract(question, RANKED)[0]
    assert (first.number, first.text) == best


PISA = source(1, "The tower of Pisa is 56 metres high. It was begun in 1173.", "Tower of Pisa")


@pytest.mark.parametrize(
    ("question", "pages", "lead", "sentence"),
    [
        (
            "How high is the tower of Pisa?",
            [PISA],
            ENGLISH("sure_lead", sure=ENGLISH("sure"), share=97),
            "The tower of Pisa is 56 metres high. [1]",
        ),
        (
            "Who designed the tower of Pisa?",
            [PISA],
            ENGLISH("not_in_sources"),
            "The tower of Pisa is 56 metres high. [1]",
        ),
        (
            "珠穆朗玛峰的高程是多少米？",
            RANKED,
            CHINESE("sure_lead", sure=CHINESE("sure"), share=97),
            "[2]",
        ),
        ("珠穆朗玛峰由谁命名？", RANKED, CHINESE("not_in_sources"), "[1]"),
        # What answers how and what for has no form: nobody can say that it is not there.
        (
            "How do I visit the tower of Pisa?",
            [PISA],
            ENGLISH("lead"),
            "The tower of Pisa is 56 metres high. [1]",
        ),
        (
            "How many steps has the tower of Pisa?",
            [
                source(
                    1,
                    "The tower of Pisa, which leans to the south, has marble steps for all of the"
                    " many visitors who come here, and of these it counts 251.",
                    "Pisa",
                )
            ],
            ENGLISH("perhaps_one_lead", tenths=6),
            "it counts 251. [1]",
        ),
        (
            "Who designed the tower of Pisa?",
            [
                source(
                    1,
                    "The tower of Pisa, which leans to the south, was designed with marble for all"
                    " visitors by Anna Orr, one says.",
                    "Pisa",
                ),
                source(2, "The tower of Pisa stands in Tuscany and leans to the south.", "Pisa"),
            ],
            ENGLISH("perhaps_lead", tenths=6),
            "leans to the south. [2]",
        ),
        ("tower Pisa", [PISA], ENGLISH("lead"), "The tower of Pisa is 56 metres high. [1]"),
        (
            "How high is the tower of Pisa?",
            [PISA, source(2, "The tower of Pisa is 58 metres high.", "The tower of Pisa")],
            ENGLISH("differing_lead"),
            "The tower of Pisa is 58 metres high. [2]",
        ),
    ],
)
def test_it_says_how_surely_it_answers(
    question: str, pages: list[Source], lead: str, sentence: str
) -> None:
    shown = Shown("found", tuple(pages), question)
    answer = MODEL.invoke([HumanMessage("…", additional_kwargs={KEY: shown})]).text
    assert answer.startswith(f"{lead}\n\n- ")
    assert sentence in answer


@pytest.mark.parametrize(
    ("question", "snippet", "lead"),
    [
        ("苏丹红隧道有多长？", "The Sava Tunnel is 7,864 metres long.", CHINESE("other_language")),
        (
            "How long is the Sava Tunnel?",
            "萨瓦隧道全长7864米，穿过山脉。",
            ENGLISH("other_language"),
        ),
        (
            "How long is the Sava Tunnel?",
            "The bakery sells bread all day.",
            ENGLISH("not_in_sources"),
        ),
    ],
)
def test_pages_in_another_language_are_told_as_such(question: str, snippet: str, lead: str) -> None:
    chat = MODEL.invoke([chatted(question, pages=[("", snippet)])])
    agent = AGENT.invoke(called(question, artifact([("", snippet)])))
    assert chat.text.startswith(f"{lead}\n\n")
    assert agent.text.startswith(f"{lead}\n\n")


def test_beside_a_sure_answer_stands_nothing_that_does_not_answer() -> None:
    pages = [
        source(1, "The Lake Bridge was built by Anna Orr in 1932."),
        source(2, "The Lake Bridge is 412 metres long and carries a road over the lake."),
    ]
    assert [one.number for one in extract("Who built the Lake Bridge?", pages)] == [1]
    differing = [*pages, source(3, "The Lake Bridge was built by John Kerr.")]
    found = [one.number for one in extract("Who built the Lake Bridge?", differing)]
    assert found[:2] == [1, 3]


def test_a_question_in_japanese_is_answered_in_japanese_words() -> None:
    found = AGENT.invoke(called("お茶はどこで育ちますか？", NOTHING)).text
    assert found.startswith("何も見つかりませんでした。")
