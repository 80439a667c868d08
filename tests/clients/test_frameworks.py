"""examples/frameworks: each runs as it stands in its real framework, over a scripted model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.clients.conftest import ENVIRONMENTS, TOKEN, run_client
from tests.conftest import RAN
from tests.loopback import LoopbackServer
from tests.loopback.models import KEY, ModelServer
from tests.mcp_server.hosting import QUESTION, a_web, searching
from tests.rest.serving import Served

pytestmark = [pytest.mark.clients, pytest.mark.release, pytest.mark.timeout(400)]

EXAMPLES = Path(__file__).parents[2] / "examples/frameworks"
ANSWER = "It is 412 metres long [1]."
# The environment, the example, and the package whose version is told.
AGENTS = [
    ("pydantic-ai", "pydantic_ai_agent.py", "pydantic-ai-slim"),
    ("llama-index", "llama_index_agent.py", "llama-index-core"),
    ("openai-agents", "openai_agents_agent.py", "openai-agents"),
    ("autogen", "autogen_agent.py", "autogen-agentchat"),
]
# What frameworks would tell their makers, or ask them.
SILENT = {
    "CREWAI_DISABLE_TELEMETRY": "true",
    "CREWAI_TRACING_ENABLED": "false",
    "OTEL_SDK_DISABLED": "true",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "PYDANTIC_DISABLE_PLUGINS": "1",
}


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


class Examples:
    """Runs the examples over a web and a model on loopback."""

    def __init__(self, request: pytest.FixtureRequest, web: LoopbackServer, home: Path) -> None:
        self._request = request
        self._web = web
        self._home = home

    def run(self, environment: str, example: str, package: str, *args: str, **env: str) -> str:
        ask = f"from importlib.metadata import version; print(version({package!r}))"
        program = self._home / "version.py"
        program.write_text(ask)
        version = run_client(environment, program).strip()
        told = (RAN, f"{package} {version} ({example})")
        self._request.node.user_properties.append(told)
        own = {**SILENT, "HOME": str(self._home), **searching(self._web), **env}
        return run_client(environment, EXAMPLES / example, *args, **own)


@pytest.fixture
def examples(request: pytest.FixtureRequest, server: LoopbackServer, tmp_path: Path) -> Examples:
    a_web(server)
    return Examples(request, server, tmp_path)


def of_model(model: ModelServer) -> dict[str, str]:
    return {"OPENAI_BASE_URL": model.base_url, "OPENAI_API_KEY": KEY}


def sources(server: LoopbackServer) -> str:
    length, builders = server.url("/length"), server.url("/builders")
    return f"[1] length <{length}>\n[2] builders <{builders}>\n"


def test_every_example_is_run() -> None:
    run = {example for _, example, _ in AGENTS}
    run |= {"crewai_agent.py", "smolagents_agent.py", "langgraph_node.py", "dspy_retriever.py"}
    assert {each.name for each in EXAMPLES.iterdir()} == run
    assert ENVIRONMENTS.is_dir()


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent[0])
def test_an_agent_searches_and_reads(
    agent: tuple[str, str, str], examples: Examples, server: LoopbackServer, model: ModelServer
) -> None:
    model.calls("web_search", {"query": QUESTION})
    model.calls("web_fetch", {"url": "[1]"})
    model.says(ANSWER)
    told = examples.run(*agent, "test", QUESTION, **of_model(model))
    assert told.endswith(f"{ANSWER}\n{sources(server)}")
    assert {"web_search", "web_fetch"} <= set(model.requests[0].tools)
    given = [each["content"] for each in model.requests[-1].messages if each["role"] == "tool"]
    assert len(given) == 2
    assert "[1] length" in str(given[0])
    assert "The Alder Bridge" in str(given[1])


def test_an_agent_of_smolagents(
    examples: Examples, server: LoopbackServer, model: ModelServer
) -> None:
    model.calls("web_search", {"query": QUESTION})
    model.calls("web_fetch", {"url": "[1]"})
    model.calls("final_answer", {"answer": ANSWER})
    told = examples.run(
        "smolagents", "smolagents_agent.py", "smolagents", "test", QUESTION, **of_model(model)
    )
    assert told.endswith(f"{ANSWER}\n{sources(server)}")
    assert "The Alder Bridge" in str(model.requests[-1].messages)


def test_an_agent_of_crewai_over_rest(examples: Examples, at: Served) -> None:
    a_web(at.engine)
    page = at.engine.url("/length")
    at.model.calls("web_search", {"query": QUESTION})
    at.model.calls("web_fetch", {"url": page})
    at.model.says(ANSWER)
    served = {"CITESEEK_URL": at.http.base_url, "CITESEEK_TOKEN": TOKEN}
    told = examples.run(
        "crewai", "crewai_agent.py", "crewai", "test", QUESTION, **served, **of_model(at.model)
    )
    assert ANSWER in told
    assert f"[1] <{page}>" in told
    given = [each["content"] for each in at.model.requests[-1].messages if each["role"] == "tool"]
    assert "[1] length" in given[0]
    assert "The Alder Bridge" in given[1]


def test_a_node_of_langgraph(examples: Examples, server: LoopbackServer) -> None:
    told = examples.run("langgraph", "langgraph_node.py", "langgraph", QUESTION)
    assert "[1] length" in told
    assert told.endswith(sources(server))


def test_a_retriever_of_dspy(
    examples: Examples, server: LoopbackServer, model: ModelServer
) -> None:
    model.says("[[ ## answer ## ]]\n412 metres\n\n[[ ## completed ## ]]")
    told = examples.run("dspy", "dspy_retriever.py", "dspy", "test", QUESTION, **of_model(model))
    assert told.endswith(
        f"412 metres\n[1] <{server.url('/length')}>\n[2] <{server.url('/builders')}>\n"
    )
    assert "length: " in model.requests[0].prompt
