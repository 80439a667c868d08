"""A real small model drives a conversation end to end, and answers in the question's language."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conftest import settings
from tests.loopback import LoopbackServer, replies

from citeseek import Assistant

pytestmark = [pytest.mark.small_model, pytest.mark.release, pytest.mark.timeout(600)]

SERVER = Path(__file__).with_name("small_model_server.py")
TOWER = {
    "url": "https://tower.example/facts",
    "title": "Eiffel Tower facts",
    "content": "The Eiffel Tower is 330 metres high. It was opened on 31 March 1889 in Paris.",
}


@pytest.fixture(scope="module")
def model_address() -> Iterator[str]:
    """Give the address of the model's server, which speaks OpenAI's interface."""
    with subprocess.Popen(
        [sys.executable, SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        address = process.stdout.readline().strip()
        assert address, "tools/small-model installs the model"
        yield f"{address}/v1"
        process.kill()


async def test_an_english_question_is_answered_in_english(
    model_address: str, server: LoopbackServer
) -> None:
    server.on("/search", replies.as_json({"query": "q", "results": [TOWER]}))
    env = {
        "SEARXNG_BASE_URL": server.base_url,
        "CITESEEK_MODEL": "openai:smollm2",
        "CITESEEK_MODEL_BASE_URL": model_address,
        "CITESEEK_MODEL_API_KEY": "none-is-needed",
        "CITESEEK_MODEL_TIMEOUT": "300",
        "CITESEEK_MODEL_MAX_CHARS": "600",
    }
    chosen = settings(env=env)
    async with Assistant(lambda: chosen) as assistant:
        talk = await assistant.open()
        await talk.set_switch(on=True)
        events = [event async for event in talk.stream("How high is the Eiffel Tower?")]
    (turn,) = talk.session.record.turns
    assert turn.outcome == "answered", events
    assert [search.failure for search in turn.searches] == [None]
    assert "330" in turn.answer
    assert re.search(r"\b(the|is|and|of)\b", turn.answer, re.IGNORECASE)
    assert not re.search("[\u3040-\u30ff\u4e00-\u9fff]", turn.answer)
