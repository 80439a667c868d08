"""A line that a person must act on is in the language of the terminal, and JSON is English."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest

from citeseek.errors import reason_of
from citeseek.extras import CHROME, Fault
from citeseek.i18n import Catalogue, catalogue, languages
from citeseek.observing.log_lines import JsonLines, TextLines, for_people
from citeseek.settings import Settings
from citeseek.settings.setting import SettingProblem


def record(english: str, **extra: object) -> logging.LogRecord:
    return logging.getLogger("citeseek.test").makeRecord(
        "citeseek.test", logging.WARNING, "", 0, english, (), None, extra=extra
    )


def files(say: Catalogue) -> str:
    return say("log.few_files", most=1, files=2)


def test_a_line_is_told_in_the_language_of_the_locale(monkeypatch: pytest.MonkeyPatch) -> None:
    line = record("At most 1 connections", **for_people(files))
    for lang in languages():
        monkeypatch.setenv("LC_ALL", f"{lang}_XX.UTF-8")
        assert TextLines().format(line) == f"citeseek: {files(catalogue(lang))}"
        assert json.loads(JsonLines().format(line))["message"] == "At most 1 connections"
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    assert TextLines().format(record("engine failed")) == "citeseek: engine failed"


def problems(tmp_path: Path) -> list[SettingProblem]:
    """Return what is wrong with settings of each kind."""
    config = {
        "chat": {"results": "many", "nothing": 1, "engine": "$NOWHERE"},
        "web": 3,
    }
    agents = {"agents": [{"id": "a", "webSearch": {"api_key": "k"}}]}
    env = {"CITESEEK_AGENT_RESULTS": " ", "CITESEEK_HOME": str(tmp_path)}
    settings = Settings.load(config=config, agents=agents, env=env)
    settings.agent("a", settings.faces()[0].face)
    settings.faces()
    return settings.sources.problems


def test_each_problem_of_a_setting_has_a_sentence_in_each_language(tmp_path: Path) -> None:
    found = problems(tmp_path)
    kinds = {problem.kind for problem in found}
    assert {"unreadable", "unknown_key", "unset", "blank", "no_object", "key"} <= kinds
    for problem in found:
        assert problem.explain(catalogue("en")) == str(problem)
        told = {problem.explain(catalogue(lang)) for lang in languages()}
        assert len(told) == len(languages())
        assert all(problem.path in each for each in told)


@pytest.mark.parametrize("library", ["lxml", CHROME])
@pytest.mark.parametrize("state", ["missing", "broken", "unused", "old"])
def test_each_fault_of_a_library_has_a_sentence_in_each_language(state: str, library: str) -> None:
    fault = Fault("lxml" if state == "old" else library, state, "1.0")  # type: ignore[arg-type]
    told = {fault.explain(catalogue(lang)) for lang in languages()}
    assert len(told) == len(languages())
    assert str(fault) in fault.explain(catalogue("en"))


def test_what_the_system_says_is_told_in_the_language_of_the_reader(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file") as caught:
        (tmp_path / "none").read_text()
    values = {"case": "not_read", "path": "x", **reason_of(caught.value)}
    assert values["errno"] == "ENOENT"
    told = catalogue("zh").explain_code("InvalidInput", values, "x cannot be read.")[0]
    assert told == "读不了 x（没有这个文件或目录）。"
    unknown = {**values, "errno": "ENOTHING", "reason": "Odd"}
    assert "（Odd）" in catalogue("zh").explain_code("InvalidInput", unknown, "")[0]
