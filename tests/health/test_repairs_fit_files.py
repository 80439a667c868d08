"""What is told for a file is right where it says that it belongs, and loses nothing elsewhere."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import pytest
import yaml
from tests.health.pasting import put, read, section
from tests.health.test_findings import WAYS, told

from citeseek.health.searxng.hosting import Place
from citeseek.health.searxng.probe import Instance, finding_of_state
from citeseek.health.searxng.trial_search import _some_failed
from citeseek.searxng_host import files

GENERATED = files.contents()["settings.yml"]


class Nowhere(Instance):
    """An instance of which nothing is asked."""

    def __init__(self) -> None:
        self.place = Place()

    def state(self, code: str, **values: Any) -> Any:
        return finding_of_state(code, "http://localhost:8080", self.place, **values)


def of_file(name: str) -> list[str]:
    finding = _some_failed(Nowhere(), {"baidu": "captcha", "mojeek": "timeout"})
    told_of = [*(line for way in WAYS for one in told(way) for line in one.repair), *finding.repair]
    # The place's own name of the file stands for a value here.
    named = [text.replace("# <settings>", "# settings.yml") for text in told_of if "\n" in text]
    return sorted({text for text in named if text.startswith(f"# {name}")})


@pytest.mark.parametrize("lines", of_file("settings.yml"))
def test_lines_for_settings_yml_keep_all_else_in_it(lines: str) -> None:
    before, part, new = read(GENERATED), section(lines), yaml.safe_load(lines)
    after = read(put(lines, GENERATED))
    assert after["server"]["secret_key"] == before["server"]["secret_key"]
    assert after.keys() == before.keys()
    if isinstance(new, dict):
        assert after[part] == {**before[part], **new}
    else:
        names = [entry["name"] for entry in before[part]]
        assert sorted(entry["name"] for entry in after[part]) == sorted(names)
    del before[part], after[part]
    assert after == before


@pytest.mark.parametrize("lines", of_file("settings.yml"))
def test_lines_for_settings_yml_at_its_end_take_nothing_away(lines: str) -> None:
    try:
        after = yaml.safe_load(f"{GENERATED}\n{lines}\n")
    except yaml.YAMLError:
        return
    before = read(GENERATED)
    new = yaml.safe_load(lines)
    assert after == {**before, "engines": [*before["engines"], *new]}


def test_there_are_lines_for_each_part_that_is_ever_at_fault() -> None:
    assert {section(lines) for lines in of_file("settings.yml")} == {
        "search",
        "server",
        "outgoing",
        "engines",
    }


@pytest.mark.parametrize("lines", of_file("limiter.toml"))
def test_lines_for_limiter_toml_take_the_place_of_those_in_it(lines: str) -> None:
    generated = files.contents()["limiter.toml"]
    assert re.search(r"(?:inside the existing|在已有的) \[botdetection\.ip_lists\]", lines)
    after = re.sub(r"pass_ip = \[[^]]*\]", lines, generated)
    assert tomllib.loads(after) == tomllib.loads(generated)
    with pytest.raises(tomllib.TOMLDecodeError):
        tomllib.loads(f"{generated}\n{lines}\n")


@pytest.mark.parametrize("lines", of_file("docker-compose.yml"))
def test_lines_for_the_compose_file_take_the_place_of_its_port(lines: str) -> None:
    generated = files.contents()["docker-compose.yml"]
    line = lines.replace("<other_port>", "8081").splitlines()[-1]
    old = '      - "127.0.0.1:8080:8080"'
    assert old in generated
    after = yaml.safe_load(generated.replace(old, line))
    assert after["services"]["searxng"]["ports"] == ["127.0.0.1:8081:8080"]
