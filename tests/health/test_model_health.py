"""The model: configured without a request, and asked for a word on demand."""

from __future__ import annotations

import time

import pytest
from tests.conftest import settings
from tests.loopback import refused_port
from tests.loopback.models import HANG, KEY, ModelServer

from citeseek.health.finding import Finding
from citeseek.health.model_check import check_model


async def finding(env: dict[str, str], *, ask: bool = False, seconds: float = 10.0) -> Finding:
    (found,) = await check_model(settings(env=env), ask=ask, seconds=seconds)
    assert KEY not in repr(found)
    return found


async def test_the_built_in_model_is_always_well() -> None:
    found = await finding({}, ask=True)
    assert (found.code, found.status) == ("extractive", "ok")


async def test_a_model_is_sent_nothing_unless_asked_to() -> None:
    with ModelServer() as model:
        found = await finding(model.env)
        assert model.requests == []
    assert (found.code, found.status) == ("configured", "ok")
    assert "openai:test" in found.seen


async def test_a_model_that_answers_is_well() -> None:
    with ModelServer() as model:
        model.says("ready")
        found = await finding(model.env, ask=True)
        (asked,) = model.requests
    assert (found.code, found.status) == ("ok", "ok")
    assert len(asked.prompt) < 50


async def test_a_refused_key_is_told_without_what_the_server_said() -> None:
    with ModelServer() as model:
        model.fails(401, "marked-body")
        found = await finding(model.env, ask=True)
    assert (found.code, found.status) == ("failed", "error")
    assert "没有接受密钥" in found.seen
    assert "CITESEEK_MODEL_API_KEY" in " ".join(found.repair)
    assert "marked-body" not in repr(found)


async def test_a_model_that_hangs_is_given_up_in_time() -> None:
    with ModelServer() as model:
        model.says(HANG)
        began = time.monotonic()
        found = await finding(model.env, ask=True, seconds=0.5)
        assert time.monotonic() - began < 10
    assert "0.5 秒没有回答" in found.seen


async def test_a_server_that_is_not_there_is_told() -> None:
    with refused_port() as port:
        env = {"CITESEEK_MODEL": "openai:test", "CITESEEK_MODEL_API_KEY": KEY}
        env["CITESEEK_MODEL_BASE_URL"] = f"http://127.0.0.1:{port}/v1"
        found = await finding(env, ask=True)
    assert "连不上模型服务" in found.seen


async def test_a_judge_that_is_another_model_is_looked_at_as_well() -> None:
    with ModelServer() as judge:
        judge.fails(401)
        env = {
            "CITESEEK_JUDGE": "openai:judge",
            "CITESEEK_JUDGE_BASE_URL": judge.env["CITESEEK_MODEL_BASE_URL"],
            "CITESEEK_JUDGE_API_KEY": KEY,
        }
        model, configured = await check_model(settings(env=env))
        assert judge.requests == []
        _, asked = await check_model(settings(env=env), ask=True)
    assert (model.code, configured.code) == ("extractive", "judge_configured")
    assert "openai:judge" in configured.seen
    assert (asked.code, asked.status) == ("judge_failed", "error")
    assert asked.repair[0].startswith("export CITESEEK_JUDGE=off")
    assert KEY not in repr(asked)


@pytest.mark.parametrize("name", ["nobody:model", "gibberish"])
async def test_a_judge_that_nobody_knows_is_told(name: str) -> None:
    _, found = await check_model(settings(env={"CITESEEK_JUDGE": name}))
    assert (found.code, found.status) == ("judge_failed", "error")
    assert name.partition(":")[0] in found.seen


@pytest.mark.parametrize("name", ["off", "model", "extractive"])
async def test_no_other_judge_is_no_finding(name: str) -> None:
    (found,) = await check_model(settings(env={"CITESEEK_JUDGE": name}))
    assert found.code == "extractive"


async def test_settings_that_make_no_model_are_told() -> None:
    found = await finding({"CITESEEK_MODEL": "nobody:model"})
    assert found.code == "failed"
    assert "nobody" in found.seen
