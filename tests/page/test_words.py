"""The words of the page: the same in both languages, exact where they are given, all there."""

from __future__ import annotations

import json
import re
from importlib import resources
from pathlib import Path
from string import Formatter

import pytest

import citeseek.i18n
from citeseek.conversations import switches
from citeseek.i18n import Catalogue, catalogue, languages
from citeseek.surfaces.page.language import choose_language, other_than
from citeseek.surfaces.page.rendering import script_json
from citeseek.surfaces.page.static_files import STYLESHEETS

PAGE = resources.files("citeseek.surfaces.page")
# Keys that are made of a part and a value.
MADE = {
    "extract.",
    "notice.deployment.",
    "progress.",
    "settings.theme_",
    "gate.",
    "js.verdict_",
    "js.locator_",
}


def names(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


def own(lang: str) -> dict[str, str]:
    folder = Path(citeseek.i18n.__file__).parent
    found: dict[str, str] = json.loads((folder / f"{lang}.json").read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("lang", languages())
def test_every_language_says_the_same_with_the_same_names_in_it(lang: str) -> None:
    english, theirs = own("en"), own(lang)
    say = set(catalogue(lang))
    assert set(english) <= say
    # An error is told in English by its own words.
    assert {key for key in say if not key.startswith("error.")} <= set(english)
    for key, text in theirs.items():
        if key in english:
            assert names(text) <= names(english[key]) | {"cooling", "state", "label"}, key
        assert text.strip() or key == "hint.joint", key


@pytest.mark.requirement("S1-7", "S1-112", "S1-113", "S1-114", "S1-115")
def test_the_switch_says_exactly_what_is_asked_for() -> None:
    say = catalogue("zh")
    assert say("switch.agent") == "Agent 模式下由 AI 自动决策搜索"
    assert say("switch.label") == "联网搜索"
    states = [say(f"switch.{state}") for state in ("on", "off", "disabled")]
    assert states == ["开启", "关闭", "禁用"]
    assert say("switch.hint", engine="SearXNG") == switches.view_search("chat", None).hint
    assert say.of_scripts["searchOn"] == "联网搜索已开启"


def test_every_word_that_a_template_or_a_script_asks_for_is_there_and_none_is_left_over() -> None:
    templates = "".join(file.read_text(encoding="utf-8") for file in (PAGE / "templates").iterdir())
    modules = "".join(
        file.read_text(encoding="utf-8") for file in PAGE.iterdir() if file.name.endswith(".py")
    )
    scripts = "".join(
        file.read_text(encoding="utf-8")
        for file in (PAGE / "static").iterdir()
        if file.name.endswith(".js")
    )
    say = catalogue("en")
    asked = set(re.findall(r'\bt\("([^"]+)"', templates)) - MADE
    assert asked <= set(say)
    called = " ".join(re.findall(r"\bsay\(([^)]*)", scripts))
    assert set(re.findall(r'"(\w+)"', called)) - {"agent"} <= set(say.of_scripts)
    everything = templates + modules + scripts
    for key in say:
        name = key.removeprefix("js.")
        is_made = re.match(
            r"(progress|why|failure|notice|hint|command|switch|gate|cli|doctor|extract|research|tool|prompt|picks|help|next|table|date|login|consent|programs|library|log|refusal|parameter|check)\.|lang|settings\.theme_|egress\.limit\.|js\.(verdict|locator|watch)_",
            key,
        )
        assert is_made or f'"{name}"' in everything, key


def test_every_style_sheet_of_the_page_is_in_the_package() -> None:
    there = {file.name for file in (PAGE / "static").iterdir()}
    assert set(STYLESHEETS) <= there


@pytest.mark.parametrize(
    ("asked", "cookie", "setting", "accepted", "lang"),
    [
        (None, None, "zh", "en", "zh"),
        (None, None, "en", "zh-CN", "en"),
        (None, None, "auto", "", "zh"),
        (None, None, "auto", "en-GB,en;q=0.9", "en"),
        (None, None, "auto", "fr,de;q=0.8", "zh"),
        (None, None, "auto", "fr, en;q=0.7, zh-CN;q=0.9", "zh"),
        (None, None, "auto", "zh;q=0, en;q=0.1", "en"),
        (None, None, "auto", "en;q=x;;,,q=", "zh"),
        (None, "en", "zh", "zh", "en"),
        (None, "xx", "en", "zh", "en"),
        ("en", "zh", "zh", "zh", "en"),
        ("zh-CN", "en", "en", "en", "zh"),
        ("../../etc", "", "zh", "", "zh"),
    ],
)
def test_the_language_is_asked_for_remembered_set_or_accepted(
    asked: str | None, cookie: str | None, setting: str, accepted: str, lang: str
) -> None:
    assert choose_language(asked, cookie, setting, accepted) == lang


@pytest.mark.parametrize(
    ("lang", "accepted", "other"),
    [
        ("zh", "en-US,en;q=0.9", "en"),
        ("zh", "en;q=0.5, zh-CN", None),
        ("zh", "fr", None),
        ("zh", "", None),
        ("en", "zh-TW,en;q=0.8", "zh"),
        ("en", "en,zh;q=0.9", None),
    ],
)
def test_the_other_language_is_offered_when_the_browser_would_rather_have_it(
    lang: str, accepted: str, other: str | None
) -> None:
    assert other_than(lang, accepted) == other


def test_words_in_a_script_element_cannot_end_it() -> None:
    written = script_json(Catalogue("en", {"js.a": "</script><!--&\u2028"}).of_scripts)
    assert not re.search("[<>&\u2028]", written)
    assert json.loads(written) == {"a": "</script><!--&\u2028"}
