"""``citeseek doctor searxng`` on a real instance, as a user runs it."""

from __future__ import annotations

import pytest
from tests.health.examining import doctor, findings, nowhere_else
from tests.loopback import LoopbackServer
from tests.searxng.conftest import States

pytestmark = pytest.mark.searxng


@pytest.mark.requirement("S1-89", "S1-90", "S1-91")
def test_it_is_green_where_all_is_well(searxng: States, server: LoopbackServer) -> None:
    env = {**nowhere_else(server), "CITESEEK_SEARXNG_URL": searxng("json_on").base_url}
    done = doctor("searxng", "engines", "model", "config", "network", **env)
    assert done.returncode == 0
    assert "✓ 正常  searxng, " in done.stdout
    assert "✗" not in done.stdout
    assert done.stderr == ""


@pytest.mark.requirement("S1-92")
def test_it_is_red_with_advice_where_json_is_off(searxng: States) -> None:
    url = searxng("json_off").base_url
    done = doctor("searxng", SEARXNG_BASE_URL=url)
    assert done.returncode == 3
    assert "✗ 错误  searxng: json_format_disabled" in done.stdout
    assert "在已有的 search: 里，" in done.stdout
    assert "\n        formats:\n          - html\n          - json\n" in done.stdout
    told = findings(doctor("searxng", "--json", SEARXNG_BASE_URL=url))
    assert {name: one["status"] for name, one in told.items()} == {
        "searxng json_format_disabled": "error",
        "searxng reachable": "ok",
    }
