"""Keys, passwords and cookies appear in no log line, error, repr, trace or JSON output."""

from __future__ import annotations

import json
import logging
import traceback

import pytest
from tests.conftest import settings
from tests.loopback import LoopbackServer, Reply, faults, refused_port, replies

from citeseek import Client
from citeseek.engine import Engine
from citeseek.errors import CiteseekError
from citeseek.i18n import catalogue
from citeseek.models import Failure
from citeseek.searching.engine_registry import Registry
from citeseek.settings.table import SETTINGS
from citeseek.settings.values import secret
from citeseek.surfaces import overview
from citeseek.tools import search_formats

KEY = "marked-key-5f3a9c"
PASSWORD = "marked-password-77"
COOKIE = "marked-cookie-1b"

HTTP = [engine for engine in Registry().built_in() if engine.via == "http"]
ANSWERS = {
    "401": Reply(401, {"Set-Cookie": f"session={COOKIE}"}, "no"),
    "429": Reply(429, {"Set-Cookie": f"session={COOKIE}"}, "no"),
    "500": Reply(500, {"Set-Cookie": f"session={COOKIE}"}, f"echo {KEY}"),
    "junk": Reply(200, {"Set-Cookie": f"session={COOKIE}"}, f"echo {KEY}"),
    "reset": faults.reset(),
    "hang": faults.hang(),
    "redirect": replies.redirect(f"https://elsewhere.example/?key={KEY}"),
}


@pytest.mark.sample(100)
@pytest.mark.parametrize("answer", [*ANSWERS, "refused"])
@pytest.mark.parametrize("engine", HTTP, ids=lambda engine: engine.id)
@pytest.mark.requirement("S2-64")
async def test_a_key_never_shows(
    engine: Engine, answer: str, server: LoopbackServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.otherwise(ANSWERS.get(answer, Reply()))
    with refused_port() as port:
        host = f"127.0.0.1:{port}" if answer == "refused" else server.base_url[7:]
        entry = {"base_url": f"http://user:{PASSWORD}@{host}", "api_key": KEY}
        chosen = settings({"engines": {engine.id: entry}})
        async with Client(chosen) as client:
            with pytest.raises(CiteseekError) as caught:
                await client.search("tea", engine=engine.id, seconds=0.4)
            registry = client.registry
    error = caught.value
    shown = [
        "".join(traceback.format_exception(error)),
        repr(error),
        str(error),
        search_formats.failure_text(error, catalogue("en")),
        repr(Failure.of(error)),
        repr(getattr(error, "page", None)),
        caplog.text,
        repr(chosen),
        repr(chosen.sources),
        repr(chosen.engine(engine)),
        json.dumps(overview.engines(registry, chosen)),
        json.dumps(overview.settings(registry, chosen)),
    ]
    for hidden in (KEY, PASSWORD, COOKIE):
        assert [text for text in shown if hidden in text] == []


@pytest.mark.requirement("S2-64")
def test_the_overview_says_of_every_secret_only_that_it_is_set() -> None:
    secrets = {
        setting.env[0]: f"{KEY}-{place}"
        for place, setting in enumerate(SETTINGS)
        if setting.is_secret and setting.read is secret
    }
    assert "CITESEEK_MODEL_API_KEY" in secrets
    for env, said in ((secrets, "set"), ({}, "not set")):
        shown = overview.settings(Registry(), settings(env=env))
        rows = {row["setting"]: row["value"] for row in shown["settings"]}
        assert rows["model.api_key"] == said
        assert KEY not in json.dumps(shown)
