"""Documentation that is made from the code says what the code says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tools.docs import DOCS, PAGES

from citeseek.settings.table import SETTINGS
from citeseek.settings.web_settings import ENGINE_SETTINGS

ROOT = DOCS.parent
MARKDOWN = [path for path in (*ROOT.glob("*.md"), *DOCS.rglob("*.md")) if ".venv" not in path.parts]
LINK = re.compile(r"\[[^\]]*\]\((?!https?:|#|mailto:)([^)#\s]+)")


@pytest.mark.parametrize("name", PAGES)
def test_a_made_page_is_up_to_date(name: str) -> None:
    assert (DOCS / name).read_text() == PAGES[name](), "run `make docs`"


@pytest.mark.requirement("S2-58")
def test_every_setting_is_documented() -> None:
    text = (DOCS / "settings.md").read_text()
    for setting in (*SETTINGS, *ENGINE_SETTINGS):
        assert text.count(f"| {setting.meaning} |") >= 1
        for path in setting.config:
            assert path.replace("{id}", "<id>") in text


def test_the_settings_are_one_table() -> None:
    listed = (DOCS / "settings.md").read_text().partition("## All settings")[2]
    assert listed.count("| --- | --- | --- |") == 1
    assert len(re.findall(r"^\| `", listed, re.MULTILINE)) == len((*SETTINGS, *ENGINE_SETTINGS))


@pytest.mark.parametrize("path", MARKDOWN, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(path: Path) -> None:
    for target in LINK.findall(path.read_text()):
        assert (path.parent / target).exists(), target
