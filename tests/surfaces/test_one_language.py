"""What the commands say when they fail is in one language: that of the terminal."""

from __future__ import annotations

import json
import os
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest
from tests.command import run_citeseek
from tests.one_language import chinese_letters, english_words

# The names of programs, engines and protocols, words of commands, and what a person typed.
NAMES = frozenset(
    """
    ascii bocha brave chat agent chrome citeseek compose custom ctrl debian docker duckduckgo
    google http https json lines linux macos ms markdown model modelos ollama openai owner
    member guest pdf postgres pypi python redis rediss unix research ask search searxng stub
    tavily text valkey worker workers yaml count depth day week month year networkerror refused
    zh en agents agpl nowhere nobody nothing native serve engines libraries database issuer
    config network id url mb utf or later
    """.split()
)
DEAD = {"SEARXNG_BASE_URL": "http://127.0.0.1:9"}

FAILURES: list[tuple[list[str], dict[str, str]]] = [
    (["nothing"], {}),
    (["search"], {}),
    (["search", "x", "-e", "stub", "-n", "500"], {}),
    (["search", "x", "-e", "stub", "--freshness", "foo"], {}),
    (["search", "x", "-e", "searxng"], DEAD),
    (["search", "x", "-e", "searxng"], {"SEARXNG_BASE_URL": "nothing"}),
    (["search", "x", "-e", "stub"], {"CITESEEK_CACHE_DIR": "/dev/null/x"}),
    (["search", "x", "-e", "stub", "--trace", "own.json"], {}),
    (["search", "x", "-e", "tavily"], {}),
    (["fetch"], {}),
    (["fetch", "nothing"], {}),
    (["fetch", "http://127.0.0.1/"], {}),
    (["fetch", "http://nowhere.invalid/"], {}),
    (["ask"], {}),
    (["ask", "x", "-e", "stub", "--agent", "nobody"], {}),
    (["ask", "x", "-e", "stub", "--file", "nowhere.pdf"], {}),
    (["ask", "x", "-e", "stub"], {"CITESEEK_MODEL": "nobody:x"}),
    (["ask", "--batch", "nowhere.jsonl", "--out", "o.jsonl"], {}),
    (["ask", "--batch", "own.json", "--out", "/dev/null/o"], {}),
    (["ask", "x", "--at-once", "3"], {}),
    (["research", "x", "-e", "searxng"], DEAD),
    (["research", "x", "-e", "stub", "--depth", "9"], {}),
    (["research", "x", "-e", "stub", "--out", "own.json"], {}),
    (["verify", "nowhere"], {}),
    (["verify", "own.json"], {}),
    (["watch", "nowhere"], {}),
    (["replay", "nowhere"], {}),
    (["bundle", "own.json"], {}),
    (["doctor", "nothing"], {}),
    (["doctor", "searxng"], DEAD),
    (["doctor", "config", "--config", "own.json"], {}),
    (["people", "erase"], {}),
    (["database", "restore", "nowhere"], {}),
    (["database", "copy"], {}),
    (["worker"], {}),
    (["serve", "--port", "99999"], {}),
    (["serve", "--host", "nowhere.invalid", "--port", "0"], {}),
    (["serve", "--port", "0"], {"CITESEEK_PEOPLE": "x"}),
    (["serve", "--port", "0"], {"CITESEEK_PROXY_HEADER": "X-User"}),
    (["mcp", "--nothing"], {}),
    (["settings", "--config", "own.json"], {}),
    (["settings", "--config", "nowhere.json"], {}),
    (["settings"], {"CITESEEK_MODEL_TIMEOUT": "foo", "CITESEEK_MODE": "$NOTHING"}),
    (["searxng", "up", "nowhere"], {}),
    (["searxng", "up", "--native"], {}),
    (["searxng", "logs", "-n", "0"], {}),
]


def said(arguments: list[str], env: dict[str, str], lang: str, folder: Path) -> str:
    """Return what the command wrote for people."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("CITESEEK_")}
    home = {"CITESEEK_HOME": str(folder / "home"), "LC_ALL": lang, "PATH": "/usr/bin"}
    done: subprocess.CompletedProcess[str] = run_citeseek(
        *arguments, env=own | home | env, cwd=folder
    )
    assert done.returncode in (1, 2, 3) or arguments == ["settings"], done.stderr
    # A server says what is set, for operators.
    # The doctor finds, and does not fail.
    told = done.stderr + (done.stdout if arguments[0] == "doctor" else "")
    lines = told.splitlines()
    return "\n".join(line for line in lines if " = " not in line and "engine searxng" not in line)


@pytest.mark.sample(6)
@pytest.mark.parametrize(
    ("arguments", "env"), FAILURES, ids=[" ".join(arguments) for arguments, _ in FAILURES]
)
def test_a_failure_is_told_in_one_language(
    arguments: list[str], env: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "own.json").write_text("[1, ]")
    chinese = said(arguments, env, "zh_CN.UTF-8", tmp_path)
    # The usage names options and what they take.
    sentences = chinese.rpartition("]\n")[2] if chinese.startswith("用法") else chinese
    assert chinese_letters(sentences), chinese
    assert not english_words(sentences, NAMES), sentences
    english = said(arguments, env, "C.UTF-8", tmp_path)
    assert english
    assert not chinese_letters(english), english


def test_a_sentence_of_two_languages_is_found() -> None:
    told = "没有设置文件 /a/b.json。 What mends it: `citeseek doctor config`"
    assert english_words(told, NAMES) == ["What", "mends", "it"]
    assert not english_words("读不了 own.json（没有这个文件）：--out FILE，CITESEEK_HOME", NAMES)
    assert chinese_letters("No such 引擎") == ["引", "擎"]


def test_english_sentences_have_no_signs_of_chinese() -> None:
    texts = json.loads((files("citeseek.i18n") / "en.json").read_text(encoding="utf-8"))
    assert len(texts) > 1000
    assert [key for key in texts if set("，。、：；！？（）「」") & set(texts[key])] == []
