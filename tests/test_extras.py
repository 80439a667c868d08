"""What installs an optional library: the table is that of pyproject.toml, the command a shell's."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import pytest

from citeseek.extras import EXTRAS, Extra, how_to_install, install

PROJECT = Path(__file__).parents[1]


def declared() -> dict[str, tuple[str, ...]]:
    """Return the extras of pyproject.toml, each with those that it includes."""
    text = (PROJECT / "pyproject.toml").read_text()
    extras = tomllib.loads(text)["project"]["optional-dependencies"]

    def libraries(name: str) -> list[str]:
        found: list[str] = []
        for one in extras[name]:
            inner = re.fullmatch(r"citeseek\[([\w,]+)\]", one)
            names = inner[1].split(",") if inner else []
            found += [each for part in names for each in libraries(part)] if inner else [one]
        return found

    return {name: tuple(libraries(name)) for name in extras if name != "all"}


def test_the_table_is_that_of_the_project() -> None:
    assert declared() == EXTRAS


@pytest.mark.parametrize("extra", EXTRAS)
def test_the_command_installs_the_libraries_themselves(extra: Extra) -> None:
    command = how_to_install(extra)
    assert shlex.split(command) == ["python", "-m", "pip", "install", *EXTRAS[extra]]
    assert "citeseek" not in command


def test_the_command_for_a_browser() -> None:
    assert how_to_install("browser") == 'python -m pip install "playwright>=1.65"'
    assert install("langchain-anthropic") == 'python -m pip install "langchain-anthropic"'


def test_nobody_is_sent_to_an_index_for_this_package() -> None:
    files = [
        path
        for folder in ("src", "docs", "examples")
        for path in (PROJECT / folder).rglob("*")
        if path.suffix in (".py", ".toml", ".md", ".html", ".js", ".json")
    ]
    assert len(files) > 100
    wrong = re.compile(r"pip install (?:-\S+ )*['\"]?citeseek\b|install citeseek\[", re.IGNORECASE)
    found = [path for path in (*files, PROJECT / "README.md") if wrong.search(path.read_text())]
    assert found == []
