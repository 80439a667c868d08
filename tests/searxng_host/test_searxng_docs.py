"""The guide: complete in both languages, its commands exist, its lines are those of the files."""

from __future__ import annotations

import argparse
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.searxng_host.compose_rules import faults

import citeseek
from citeseek.errors import InvalidInput
from citeseek.searxng_host import files, settings_file
from citeseek.surfaces.cli import _parser

PROJECT = Path(__file__).parents[2]
GUIDES = {name: (PROJECT / "docs" / name).read_text() for name in ("searxng.md", "searxng.zh.md")}
ANCHORS = (
    "json limiter port network docker native engines base-path restart verify settings "
    "localhost not-running permissions"
).split()
SYMPTOMS = "docker ps|403|429|CAPTCHA|Suspended|host.docker.internal|unresponsive|/healthz".split(
    "|"
)

each_guide = pytest.mark.parametrize("text", GUIDES.values(), ids=list(GUIDES))


def blocks(text: str, language: str) -> list[str]:
    """Return the fenced blocks of a language, without what indents them."""
    found = re.findall(rf"^( *)```{language}\n(.*?)^ *```$", text, re.MULTILINE | re.DOTALL)
    return [re.sub(rf"^{indent}", "", block, flags=re.MULTILINE) for indent, block in found]


def commands(text: str) -> set[str]:
    """Return each ``citeseek …`` command of the guide, in blocks and between backticks."""
    lines = [line for block in blocks(text, "console") for line in block.splitlines()]
    typed = [line[2:].split("#")[0].strip() for line in lines if line.startswith("$ ")]
    return {
        line for line in [*typed, *re.findall(r"`([^`\n]+)`", text)] if line.startswith("citeseek ")
    }


def places() -> set[str]:
    """Return the places of the guide that the program's texts name."""
    package = Path(citeseek.__file__).parent
    texts = [
        path.read_text()
        for path in package.rglob("*")
        if path.suffix in (".py", ".toml", ".json", ".html", ".yml")
    ]
    return {place for text in texts for place in re.findall(r"docs/searxng\.md#([\w-]+)", text)}


@each_guide
@pytest.mark.requirement("S1-81")
def test_each_guide_has_its_anchors(text: str) -> None:
    assert set(re.findall(r'<a id="([\w-]+)"></a>', text)) == set(ANCHORS)
    assert set(re.findall(r"\]\(#([\w-]+)\)", text)) <= set(ANCHORS)


@pytest.mark.requirement("S1-80")
def test_what_the_program_says_leads_to_a_place_of_the_guide() -> None:
    assert {"docker", "native"} <= places() <= set(ANCHORS)


@each_guide
@pytest.mark.requirement("S1-82")
def test_the_compose_example_parses_and_keeps_the_rules(text: str) -> None:
    (example,) = [yaml.safe_load(block) for block in blocks(text, "yaml") if "services:" in block]
    assert faults(example) == []
    service = example["services"]["searxng"]
    template = yaml.safe_load(files.contents()["docker-compose.yml"])["services"]["searxng"]
    for key in ("ports", "restart"):
        assert service[key] == template[key]
    assert service["healthcheck"]["test"] == template["healthcheck"]["test"]
    assert any("/etc/searxng" in volume for volume in service["volumes"])


@each_guide
@pytest.mark.requirement("S1-83")
def test_the_necessary_settings_are_explained(text: str) -> None:
    settings = yaml.safe_load(files.contents()["settings.yml"])
    table = text.partition('<a id="settings">')[2].partition('<a id="verify">')[0]
    for path in re.findall(r"^\| `([a-z_.]+)` \|", table, re.MULTILINE):
        node: Any = settings
        for name in path.split("."):
            assert name in node, path
            node = node[name]
    necessary = "search.formats server.secret_key server.limiter server.bind_address server.port"
    for path in necessary.split():
        assert f"| `{path}` |" in table


@each_guide
@pytest.mark.requirement("S1-84")
def test_the_steps_start_and_verify(text: str) -> None:
    assert "docker compose up -d" in text
    assert "curl 'http://localhost:8080/search?q=test&format=json'" in text
    assert "citeseek doctor searxng" in text


@each_guide
@pytest.mark.requirement("S1-102")
def test_the_restart_command_is_there(text: str) -> None:
    assert "docker compose restart searxng" in text


@each_guide
@pytest.mark.requirement("S1-103")
def test_how_changes_take_effect_is_told_for_each_file(text: str) -> None:
    section = text.partition('<a id="restart">')[2].partition("\n## ")[2].partition("\n## ")[0]
    for name in files.TEMPLATES:
        assert f"`{name}`" in section


@each_guide
@pytest.mark.requirement("S1-104")
def test_how_to_see_that_it_is_back_is_told(text: str) -> None:
    section = text.partition('<a id="restart">')[2].partition("\n## ")[2].partition("\n## ")[0]
    assert "curl http://localhost:8080/healthz" in section
    assert "citeseek doctor searxng" in section


@each_guide
def test_each_symptom_has_a_command(text: str) -> None:
    for symptom in SYMPTOMS:
        assert symptom in text


@pytest.mark.release
@each_guide
def test_the_lines_of_settings_go_into_the_part_that_they_name(tmp_path: Path, text: str) -> None:
    path = tmp_path / "settings.yml"
    found = [block for block in blocks(text, "yaml") if "services:" not in block]
    assert len(found) == 5
    for block in found:
        head, _, lines = block.partition("\n")
        part = re.findall(r" (\w+):", head)[0]
        path.write_text(put(files.contents()["settings.yml"], part, lines))
        settings_file.check(path)
        settings = yaml.safe_load(path.read_text())
        assert settings.keys() == yaml.safe_load(files.contents()["settings.yml"]).keys()
        new = yaml.safe_load(lines)
        if isinstance(new, list):
            assert all(each in settings[part] for each in new)
        else:
            assert settings[part].items() >= new.items()
        # With the name of the part, which the file has already, it would be refused.
        path.write_text(f"{files.contents()['settings.yml']}\n{part}:\n{lines}")
        with pytest.raises(InvalidInput, match=f"`{part}`"):
            settings_file.check(path)


def put(settings: str, part: str, lines: str) -> str:
    """Return ``settings`` with ``lines`` in their part, in place of those of the same names."""
    head, _, tail = settings.partition(f"\n{part}:\n")
    inside, gap, rest = tail.partition("\n\n")
    new = yaml.safe_load(lines)
    for name in new if isinstance(new, dict) else ():
        inside = re.sub(rf"^  {name}:.*\n?(    .*\n?)*", "", inside, flags=re.MULTILINE)
    return f"{head}\n{part}:\n{lines}{inside}{gap}{rest}"


@each_guide
def test_the_lines_of_the_limiter_are_those_of_its_file(text: str) -> None:
    (block,) = blocks(text, "toml")
    assert "[botdetection.ip_lists]" in block.splitlines()[0]
    limiter = tomllib.loads(files.contents()["limiter.toml"])
    assert tomllib.loads(block) == limiter["botdetection"]["ip_lists"]


@each_guide
def test_the_commands_exist(text: str) -> None:
    parser = _parser()
    found = commands(text)
    assert {"citeseek searxng init", "citeseek searxng up --native"} <= found
    for line in found:
        try:
            parser.parse_args(line.replace('"', "").split()[1:])
        except (SystemExit, argparse.ArgumentError):
            pytest.fail(f"no such command: {line}")


def test_both_languages_have_the_same_commands_and_sections() -> None:
    english, chinese = GUIDES.values()
    assert commands(english) == commands(chinese)
    assert len(re.findall(r"^#+ ", english, re.MULTILINE)) == len(
        re.findall(r"^#+ ", chinese, re.MULTILINE)
    )
    without_notes = [
        [re.sub(r"#.*", "", block) for block in blocks(text, "(?:yaml|toml)")]
        for text in (english, chinese)
    ]
    assert without_notes[0] == without_notes[1]
