"""A broken settings file of ours is no reason to leave a SearXNG running, or unseen."""

from __future__ import annotations

import pytest
from tests.searxng.programs import free_port
from tests.searxng_host.commands import Place

BROKEN = {"not JSON": "{", "another type": "[]", "not text": "\ud800"}


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", ["config.json", "agents.json"])
@pytest.mark.parametrize("content", BROKEN.values(), ids=list(BROKEN))
def test_each_action_works_with_a_warning(place: Place, name: str, content: str) -> None:
    (place.home / name).write_bytes(content.encode(errors="surrogatepass"))
    for action, code in (("init", 0), ("status", 1), ("down", 0), ("logs", 1), ("restart", 1)):
        said = place.run(action, code=code)
        assert "citeseek: warning: " in said
        assert name in said
        assert "not needed here" in said


def test_what_runs_is_found_and_stopped(installed: Place) -> None:
    installed.run("up", "--native", "--port", str(free_port()))
    (installed.home / "config.json").write_text("{")
    assert installed.status()["healthy"] is True
    assert "Serving Flask app" in installed.run("logs")
    assert "Health:          OK" in installed.run("restart")
    assert "was stopped (native)" in installed.run("down")
