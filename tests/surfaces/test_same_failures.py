"""The same failure has the same code on every surface, and is never "nothing found"."""

from __future__ import annotations

import json

import pytest
from tests.loopback import LoopbackServer, refused_port, replies
from tests.surfaces.an_engine import FAILURES
from tests.surfaces.asking import LIBRARY, SURFACES, Surface, all_at
from tests.test_cli import run

surfaces = pytest.mark.parametrize("surface", SURFACES, ids=lambda surface: surface.name)


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let what is said to nobody in particular be English, as the question is."""
    monkeypatch.setenv("LC_MESSAGES", "C")


@pytest.mark.sample(30)
@pytest.mark.parametrize("kind", FAILURES)
@surfaces
async def test_a_failure_has_its_code(surface: Surface, kind: str, server: LoopbackServer) -> None:
    reply, *expected = FAILURES[kind]
    server.on("/search", reply)
    env = {**all_at(server.base_url), "WEB_SEARCH_TIMEOUT_MS": "1000" if kind == "silence" else ""}
    failed = await surface.ask(env, "tea")
    assert [failed.code, failed.detail_code, failed.retryable] == expected
    assert failed.items == ()
    if surface is not LIBRARY and kind != "silence":
        assert failed == await LIBRARY.ask(env, "tea")


@surfaces
async def test_nobody_listens(surface: Surface) -> None:
    with refused_port() as port:
        failed = await surface.ask(all_at(f"http://127.0.0.1:{port}"), "tea")
    assert (failed.code, failed.retryable) == ("NetworkError", True)
    assert str(port) in failed.message


@surfaces
async def test_a_captcha_is_told_from_nothing_found(
    surface: Surface, server: LoopbackServer
) -> None:
    server.otherwise(replies.html("<form id='challenge-form'>", 202))
    failed = await surface.ask(all_at(server.base_url, "ddg_html"), "tea")
    assert (failed.code, failed.detail_code) == ("WebBlocked", "captcha_required")
    assert not failed.retryable


@pytest.mark.sample(1)
@pytest.mark.parametrize("form", ["json", "contract", "results"])
def test_the_command_prints_a_failure_in_every_form_of_json(
    form: str, server: LoopbackServer
) -> None:
    server.on("/search", replies.status(502))
    server.on("/html/", replies.status(403))
    names = ("--engine", "searxng", "--engine", "ddg_html")
    env = {**all_at(server.base_url), "CITESEEK_DDG_HTML_URL": server.base_url}
    done = run("search", "tea", "-f", form, *names, **env)
    assert done.returncode == 3
    told = json.loads(done.stdout)
    assert told.keys() == {"error", "errors"}
    failures = [told["error"], *told["errors"]]
    assert {failure["engine"] for failure in failures} == {"searxng", "ddg_html"}
    assert {failure["type"] for failure in failures} == {"BadGateway", "WebBlocked"}
    assert all(failure["message"] in done.stderr for failure in failures)


def test_the_command_prints_no_json_for_people(server: LoopbackServer) -> None:
    server.on("/search", replies.status(502))
    for form in ("table", "text"):
        done = run("search", "tea", "-f", form, **all_at(server.base_url))
        assert (done.returncode, done.stdout) == (3, "")
