"""Which models can be chosen: those that the server of the usual one lists, with their prices."""

from __future__ import annotations

import json

import pytest
from tests.conftest import settings
from tests.loopback import LoopbackServer, replies
from tests.loopback.models import ModelServer

from citeseek.errors import ModelFailed
from citeseek.language_model.model_list import OfferedModel, known_models, list_models

PRICED = {"CITESEEK_MODEL_PRICE_IN": "0.5", "CITESEEK_MODEL_PRICE_OUT": "2"}
BUILT_IN = OfferedModel(name="extractive", price_in=0.0, price_out=0.0)


async def test_a_server_of_openais_kind_lists_its_models_with_their_prices() -> None:
    cards = [
        {"id": "large", "object": "model", "created": 1, "owned_by": "x"},
        {"id": "test", "object": "model", "created": 1, "owned_by": "x"},
        {"id": "a/dear", "pricing": {"prompt": "0.000003", "completion": "0.000015"}},
        {"id": "odd", "pricing": {"prompt": "free", "completion": None}},
    ]
    with ModelServer() as model:
        model.http.on("/v1/models", replies.as_json({"object": "list", "data": cards}))
        found = await list_models(settings(env={**model.env, **PRICED}))
        assert found[:2] == (
            OfferedModel(name="openai:test", price_in=0.5, price_out=2.0, is_usual=True),
            BUILT_IN,
        )
        assert [each.name for each in found[2:]] == ["openai:a/dear", "openai:large", "openai:odd"]
        dear, large, odd = found[2:]
        assert (dear.price_in, dear.price_out) == (pytest.approx(3.0), pytest.approx(15.0))
        assert (large.price_in, odd.price_in) == (None, None)
        assert model.http.requests[-1].headers["authorization"].startswith("Bearer ")


async def test_an_ollama_lists_what_it_has_free_of_charge() -> None:
    with LoopbackServer() as server:
        server.on("/api/tags", replies.as_json({"models": [{"model": "qwen3:8b"}, {"model": "b"}]}))
        env = {"CITESEEK_MODEL": "ollama:qwen3:8b", "CITESEEK_MODEL_BASE_URL": server.base_url}
        usual, built_in, other = await list_models(settings(env=env))
    assert (usual.name, usual.is_usual) == ("ollama:qwen3:8b", True)
    assert built_in == BUILT_IN
    assert other == OfferedModel(name="ollama:b", price_in=0.0, price_out=0.0)


async def test_nobody_is_asked_where_there_is_no_server() -> None:
    (only,) = await list_models(settings())
    assert (only.name, only.is_usual) == ("extractive", True)


@pytest.mark.parametrize("status", [401, 404, 500])
async def test_a_server_without_a_list_is_named_and_the_known_models_stay(status: int) -> None:
    with ModelServer() as model:
        refusal = replies.as_json({"error": {"message": "secret"}}, status)
        model.http.on("/v1/models", refusal)
        loaded = settings(env=model.env)
        with pytest.raises(ModelFailed) as caught:
            await list_models(loaded)
        assert "secret" not in json.dumps([caught.value.message, caught.value.hint])
        assert [each.name for each in known_models(loaded)] == ["openai:test", "extractive"]
