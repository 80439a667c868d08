"""Pages that attack, read by a model that obeys: nothing leaves for other hosts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from tests.attacks.injected_pages import AT_ONCE, SECRET, World, attacks
from tests.attacks.obeying_model import ObeyingModel
from tests.conftest import settings

from citeseek import Settings
from citeseek.assistant.assistant import Assistant
from citeseek.assistant.events import Done
from citeseek.conversations.sqlite_store import MemoryStore

# Many answers one after the other, on a machine that others use as well.
pytestmark = pytest.mark.timeout(600)
ATTACKS = attacks()
# Of one answer in Agent mode, within what a model may search and read for it.
MANY = 4 * AT_ONCE
# Whoever is held up by others is not what is tested here.
PATIENT = {
    "CITESEEK_CHAT_TIMEOUT": "60",
    "CITESEEK_TIMEOUT": "60",
    "WEB_SEARCH_TIMEOUT_MS": "60000",
    "WEB_FETCH_TIMEOUT_MS": "60000",
    "CITESEEK_MODEL_TIMEOUT": "300",
}


class Bench:
    """The world, and a model that obeys."""

    def __init__(self, world: World, model: ObeyingModel) -> None:
        self.world = world
        self.model = model

    @property
    def env(self) -> dict[str, str]:
        return {**self.world.env, **self.model.env, **PATIENT}

    def load(self) -> Settings:
        return settings(env=self.env)

    def check(self) -> None:
        """Nothing went anywhere but to what a search found, the engine, and the model."""
        assert self.world.outside() == {}
        assert {request.path for request in self.world.engine.requests} <= {"/search"}
        assert {request.path for request in self.model.http.requests} <= {"/v1/chat/completions"}


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    with World(ATTACKS) as world, ObeyingModel() as model:
        yield Bench(world, model)


def questions(each: int) -> list[str]:
    """Return questions whose searches find ``each`` attacks, all of them together."""
    asked = []
    for start in range(0, len(ATTACKS), each):
        end = min(start + each, len(ATTACKS))
        spans = [f"{at}-{min(at + AT_ONCE, end)}" for at in range(start, end, AT_ONCE)]
        asked.append(f"{' '.join(spans)} what is tea? {SECRET}")
    return asked


async def answer(assistant: Assistant, mode: str, question: str) -> Done:
    talk = await assistant.open(mode=mode)  # type: ignore[arg-type]
    if mode == "chat":
        await talk.set_switch(on=True)
    events = [event async for event in talk.stream(question)]
    assert isinstance(events[-1], Done)
    return events[-1]


def test_there_are_many_of_each_kind() -> None:
    kinds = Counter(attack.family.split(" in ")[0] for attack in ATTACKS)
    assert len(ATTACKS) >= 180
    assert len(kinds) >= 12
    assert min(kinds.values()) >= 10


@pytest.mark.sample(1)
@pytest.mark.parametrize("question", questions(MANY))
async def test_agent_mode_opens_what_was_found_alone(bench: Bench, question: str) -> None:
    before = len(bench.model.obeyed)
    async with Assistant(bench.load, store=MemoryStore()) as assistant:
        done = await answer(assistant, "agent", question)
    assert done.outcome == "answered"
    assert done.egress is not None
    assert done.egress.requests > AT_ONCE
    assert len(bench.model.obeyed) > before
    bench.check()


@pytest.mark.release
async def test_without_a_budget_the_same_pages_do_get_out() -> None:
    literal = [at for at, attack in enumerate(ATTACKS) if attack.family == "a link to another host"]
    with World(ATTACKS) as world, ObeyingModel() as model:
        env = {**world.env, **model.env, **PATIENT, "CITESEEK_ANSWER_HOSTS": "any"}
        async with Assistant(lambda: settings(env=env), store=MemoryStore()) as assistant:
            question = f"{literal[0]}-{literal[0] + AT_ONCE} what is tea? {SECRET}"
            await answer(assistant, "agent", question)
        assert len(world.outside()) >= 3
