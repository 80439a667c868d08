"""Clients for OpenAI's interfaces, each as it comes from its own registry."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.clients.conftest import Run
from tests.rest.serving import Served

pytestmark = [pytest.mark.clients, pytest.mark.release, pytest.mark.timeout(400)]

ANSWER = "Tea is a leaf [1]."
LINK = "[[1]](https://site1.example/page)"
SHOWN = f"Tea is a leaf {LINK}."
PAGE = "https://site1.example/page"


def as_shown(*texts: Any) -> bool:
    """Whether each text is the answer with its link, and the list of sources behind it."""
    return all(text.startswith(SHOWN) and "## References" in text for text in texts)


def test_openai_in_python(at: Served, run: Run) -> None:
    at.model.says(ANSWER, always=True)
    told = run("openai", "openai_client.py")
    assert told["models"] == ["citeseek-chat", "citeseek-agent"]
    assert as_shown(*(told[name] for name in ("chat", "pieces", "response", "streamed", "kept")))
    assert (told["cited"], told["links"], told["usage"]) == ([PAGE], [LINK], 12)
    assert {"response.created", "response.completed"} <= set(told["kinds"])
    assert (told["gone"], told["refused"]) == ("response_not_found", 401)


def test_openai_in_javascript(at: Served, run: Run) -> None:
    at.model.says(ANSWER, always=True)
    told = run("node", "openai_client.mjs")
    assert as_shown(*(told[name] for name in ("chat", "pieces", "response", "streamed")))
    assert (told["usage"], told["gone"]) == (12, 404)
    assert told["kinds"][-1] == "response.completed"


def test_litellm(at: Served, run: Run) -> None:
    for _ in range(3):
        at.model.says(ANSWER)
    at.model.calls("weather", {})
    told = run("litellm", "litellm_client.py")
    assert as_shown(told["chat"], told["streamed"], *told["response"])
    assert (told["usage"], told["called"]) == (12, ["weather"])


def test_langchain(at: Served, run: Run) -> None:
    for _ in range(4):
        at.model.says(ANSWER)
    at.model.calls("weather", {"city": "Paris"})
    at.model.says("It is sunny.")
    told = run("langchain", "langchain_client.py")
    assert as_shown(*(told[name] for name in ("chat", "pieces", "response", "streamed")))
    assert told["annotations"] == [PAGE]
    assert told["call"] == ["weather", {"city": "Paris"}]
    assert told["answer"].startswith("It is sunny.")
    assert "Sunny in Paris." in at.model.requests[-1].prompt
    assert told["searched"] == "Summary 1.\n\nSummary 2."
    assert told["results"] == [PAGE, "https://site2.example/page"]


def test_llm(at: Served, run: Run, tmp_path: Path) -> None:
    at.model.says(ANSWER, always=True)
    told = run("llm", "llm_client.py", str(tmp_path))
    assert as_shown(*told.values())


def test_ai_sdk(at: Served, run: Run) -> None:
    for _ in range(4):
        at.model.says(ANSWER)
    for _ in range(2):
        at.model.calls("weather", {"city": "Paris"})
        at.model.says("It is sunny.")
    told = run("node", "ai_sdk.mjs")
    for name in ("chat", "responses"):
        assert as_shown(told[name]["text"], told[name]["streamed"])
        assert told[name]["total"] == 12
        assert told[name]["sources"] == [PAGE]
    for name in ("called", "called_in_responses"):
        assert told[name]["calls"] == ["weather"]
        assert told[name]["text"].startswith("It is sunny.")
