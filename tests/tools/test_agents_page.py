"""docs/agents.md: its examples load and lead to what it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from citeseek import Settings, create_web_search_tool, load_agent_config
from citeseek.settings.setting import Setting
from citeseek.settings.table import SETTINGS

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples/agents"
TEXT = (ROOT / "docs/agents.md").read_text()
OF_AGENT = [setting for setting in SETTINGS if setting.agent]


def loaded(**env: str) -> Settings:
    return Settings.load(config=FOLDER / "config.json", agents=FOLDER / "agents.json", env=env)


@pytest.mark.parametrize("name", ["config.json", "agents.json"])
@pytest.mark.requirement("S2-58")
def test_the_examples_are_the_files(name: str) -> None:
    block = re.search(rf"```json {re.escape(name)}\n(.*?)```", TEXT, re.DOTALL)
    assert block
    assert block[1] == (FOLDER / name).read_text()


@pytest.mark.requirement("S2-58")
def test_the_example_files_load_without_a_warning() -> None:
    settings = loaded(BRAVE_API_KEY="key-1")
    options = {
        name: load_agent_config(name, settings=settings).web_search
        for name in ("writer", "researcher", "helper")
    }
    assert [one.enabled for one in options.values()] == [False, True, True]
    assert options["researcher"].provider == "brave"
    assert options["researcher"].api_key == "key-1"
    assert options["researcher"].max_results == 8
    assert options["helper"].provider == "duck-duck-scrape"
    assert settings.warnings == ()
    tools = [create_web_search_tool(one, settings=settings) for one in options.values()]
    assert [tool is not None for tool in tools] == [False, True, True]


@pytest.mark.parametrize("setting", OF_AGENT, ids=lambda setting: setting.agent)
@pytest.mark.requirement("S2-58")
def test_every_key_is_told_with_its_default_and_range(setting: Setting) -> None:
    key = setting.config[0].removeprefix("tools.webSearch.")
    row = re.search(rf"^\| `{key}` \| `?{setting.default}`? \| (.*) \|$", TEXT, re.MULTILINE)
    assert row, key
    bounds = re.search(r"[\d.]+ to \d+", setting.meaning)
    assert bounds is None or row[1].startswith(bounds[0])
    assert f"| `{setting.agent}` |" in TEXT
