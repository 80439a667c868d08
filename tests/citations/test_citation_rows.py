"""Citations from end to end: results shown to a model, its answer, and what a reader gets."""

from __future__ import annotations

import logging
import re
import subprocess
import sys

import pytest
from tests.citations.sources import empty, items
from tests.citations.test_citation_target import Reader

from citeseek.citations import CitationProcessor, CitationRegistry, Round
from citeseek.i18n import catalogue
from citeseek.models import SearchItem
from citeseek.tools import search_formats, tool_definitions

RESULTS = items(*(f"https://chat.example/{place}" for place in range(1, 6)))
FIRST = items(*(f"https://one.example/{place}" for place in range(1, 9)))
SECOND = items(*(f"https://two.example/{place}" for place in range(1, 6)))
SHOWN = re.compile(r"^\[(\d+)\] .* <(.+)>$", re.MULTILINE)


class Agent:
    """A session of an agent: what its tool showed, and what it writes."""

    def __init__(self) -> None:
        self.registry = empty()
        self.citations = CitationProcessor(self.registry)
        self.rounds: list[Round] = []

    def search(self, query: str, found: list[SearchItem]) -> dict[int, str]:
        """Return the addresses by the number that the tool's text gives them."""
        self.rounds.append(self.registry.add_round(query, found))
        text = search_formats.compact(found, self.rounds[-1].numbers, catalogue("zh"))
        return {int(number): url for number, url in SHOWN.findall(text)}

    def finished(self, answer: str) -> str:
        text = self.citations.convert(answer)
        return text + self.citations.references(text, self.rounds)


@pytest.fixture
def agent() -> Agent:
    """Return an agent that searched twice."""
    agent = Agent()
    agent.search("first query", FIRST)
    agent.search("second query", SECOND)
    return agent


def finished(answer: str, results: list[SearchItem] = RESULTS) -> str:
    """Return an answer of Chat mode with its section."""
    chat = CitationProcessor(results)
    text = chat.convert(answer)
    return text + chat.references(text)


@pytest.mark.requirement("S0-39", "S0-42", "S0-44", "S1-175", "S1-176")
def test_each_number_that_was_shown_can_be_cited() -> None:
    agent = Agent()
    shown = agent.search("first query", FIRST)
    shown |= agent.search("second query", SECOND)
    assert list(shown) == list(range(1, 14))
    answer = " ".join(f"fact[{number}]" for number in shown)
    reader = Reader(agent.citations.convert(answer))
    assert reader.hrefs == list(shown.values())
    assert reader.text.strip() == answer


@pytest.mark.requirement("S0-43")
def test_the_agent_is_told_to_cite_with_numbers_in_brackets() -> None:
    for definition in (tool_definitions.WEB_SEARCH, tool_definitions.CONFIGURED_WEB_SEARCH):
        assert "回答时用 [数字] 标注" in definition.description


@pytest.mark.requirement("S0-45", "S1-178", "P20")
def test_a_link_has_the_same_form_in_chat_and_agent(agent: Agent) -> None:
    assert agent.citations.convert("a [9] b [13]") == (
        "a [[9]](https://two.example/1) b [[13]](https://two.example/5)"
    )
    assert CitationProcessor(SECOND).convert("a [1]") == "a [[1]](https://two.example/1)"


@pytest.mark.requirement("S0-46", "S0-47", "S1-128", "S1-129")
def test_the_section_ends_the_answer_and_lists_what_is_cited() -> None:
    text, _, section = finished("b [3] a [1] c [3][1].").partition("## 参考文献")
    assert text == (
        "b [[3]](https://chat.example/3) a [[1]](https://chat.example/1) "
        "c [[3]](https://chat.example/3)[[1]](https://chat.example/1).\n\n---\n\n"
    )
    assert Reader(section).hrefs == ["https://chat.example/1", "https://chat.example/3"]
    assert section.rstrip().splitlines()[-1].startswith("3. ")


@pytest.mark.requirement("S1-172", "S1-179", "S1-180", "S1-181", "S1-182", "P18")
def test_one_list_of_all_rounds_at_the_end(
    agent: Agent,
) -> None:
    text = agent.finished("a [2] b [9]")
    body, heading, section = text.partition("## 参考文献")
    assert heading
    assert "参考文献" not in body + section
    first, second = section.split("### 第 ")[1:]
    assert first.startswith("1 轮搜索：first query\n")
    assert second.startswith("2 轮搜索：second query\n")
    assert Reader(first).hrefs == [item.url for item in FIRST]
    assert Reader(second).hrefs == [item.url for item in SECOND]
    assert section.count("（未引用）") == len(FIRST) + len(SECOND) - 2
    assert text.rstrip().splitlines()[-1].startswith("13. ")


@pytest.mark.parametrize("answer", ["From memory.", "See [99] and `[1]`."])
@pytest.mark.requirement("S0-49", "S0-50", "S1-131", "P18")
def test_without_a_citation_the_answer_is_the_models_text(agent: Agent, answer: str) -> None:
    assert finished(answer) == answer
    assert agent.finished(answer) == answer
    assert Agent().finished(answer) == answer


@pytest.mark.requirement("S1-120")
def test_a_reader_sees_marks_that_lead_to_the_sources() -> None:
    reader = Reader(CitationProcessor(RESULTS).convert("Rivers [1] flow [2]."))
    assert reader.text.strip() == "Rivers [1] flow [2]."
    assert reader.hrefs == ["https://chat.example/1", "https://chat.example/2"]


@pytest.mark.requirement("S1-124", "S1-125", "S1-133", "S1-134", "S1-135", "S1-144")
def test_only_numbers_of_results_are_converted(
    caplog: pytest.LogCaptureFixture,
) -> None:
    answer = "[1] [99] [0] [5] [6]"
    assert CitationProcessor(RESULTS).convert(answer) == (
        "[[1]](https://chat.example/1) [99] [0] [[5]](https://chat.example/5) [6]"
    )
    warned = [one.getMessage() for one in caplog.records if one.levelno == logging.WARNING]
    assert [re.findall(r"\[(\d+)\]", message) for message in warned] == [["99"], ["0"], ["6"]]


@pytest.mark.requirement("S1-130")
def test_a_row_has_number_title_address_and_domain() -> None:
    found = [SearchItem(title="A title", url="https://www.a.example/p", provider="stub", rank=1)]
    assert "\n1. [A title](https://www.a.example/p) - a.example\n" in finished("x [1]", found)


@pytest.mark.requirement("S1-136")
def test_a_class_parses_converts_and_formats_without_a_surface() -> None:
    code = (
        "import sys\n"
        "from citeseek.citations import CitationProcessor\n"
        "assert CitationProcessor().parse('[1]') == ()\n"
        "print(*{'citeseek.surfaces', 'citeseek.assistant', 'langchain_core', 'playwright'}"
        " & sys.modules.keys())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "\n"
    citations = CitationProcessor(RESULTS)
    stream = citations.stream()
    assert stream.feed("a [2") + stream.feed("] b") + stream.finish() == (
        citations.convert("a [2] b")
    )


@pytest.mark.requirement("S1-137", "S1-138", "S1-139", "S1-143")
def test_results_become_a_map_by_number() -> None:
    sources = CitationProcessor(RESULTS).sources
    assert {one.number: one.url for one in sources} == {
        number: f"https://chat.example/{number}" for number in range(1, 6)
    }
    third = sources.get(3)
    assert third is not None
    assert (third.title, third.domain) == ("About https://chat.example/3", "chat.example")
    assert [sources.get(number) for number in (0, 6, 99)] == [None] * 3


@pytest.mark.requirement("S1-121", "S1-140", "S1-141", "S1-142", "S1-143")
def test_numbers_are_read_and_other_brackets_are_not() -> None:
    citations = CitationProcessor(RESULTS)
    numbers = citations.parse("a [3] b [1][2] c [abc] [1a] [ ] [5](u) [12] [0]")
    assert numbers == (1, 2, 3)
    assert all(type(number) is int for number in numbers)
    assert citations.parse(citations.convert("[3] [1]")) == (1, 3)


@pytest.mark.requirement("S1-145")
def test_a_source_that_fails_costs_only_its_link(monkeypatch: pytest.MonkeyPatch) -> None:
    get = CitationRegistry.get

    def failing(self: CitationRegistry, number: int) -> object:
        if number == 1:
            raise RuntimeError("broken")
        return get(self, number)

    monkeypatch.setattr(CitationRegistry, "get", failing)
    assert CitationProcessor(RESULTS).convert("[1] [2]") == "[1] [[2]](https://chat.example/2)"


@pytest.mark.requirement("S1-173", "S1-174", "S1-177", "P17")
def test_numbers_are_the_sessions(agent: Agent) -> None:
    assert CitationProcessor(RESULTS).convert("[1]") == "[[1]](https://chat.example/1)"
    assert finished("as found before [9]") == "as found before [9]"
    third = items("https://three.example/", "https://one.example/8")
    assert agent.search("after Chat", third) == {
        14: "https://three.example/",
        8: "https://one.example/8",
    }
    assert agent.citations.convert("[14]") == "[[14]](https://three.example/)"
    assert list(Agent().search("another session", third)) == [1, 2]


@pytest.mark.requirement("S1-183", "S1-184", "S1-185")
def test_chat_is_the_same_whatever_the_agent_did(agent: Agent) -> None:
    answer = "a [2] b [5] c [9]"
    before = finished(answer)
    agent.finished("a [2] b [9]")
    assert finished(answer) == before
    assert len(agent.registry) == len(FIRST) + len(SECOND)
