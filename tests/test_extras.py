"""What installs an optional library: the table is that of pyproject.toml, the command a shell's."""

from __future__ import annotations

import importlib.util
import re
import shlex
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
from tests.bare import COMMAND, HIDDEN, bare

from citeseek import extras
from citeseek.extras import EXTRAS, Extra, fault, how_to_install, install, missing

PROJECT = Path(__file__).parents[1]
# What a program imports by these names needs LangChain.
DOORS = (
    "from citeseek import Assistant",
    "from citeseek.assistant.assistant import Assistant",
    "from citeseek.tools.langchain import web_search_tool",
    "from citeseek.tools.langchain import web_fetch_tool",
    "from citeseek.tools.langchain import langchain_tools",
)
TRIED = """
for door in {doors}:
    try:
        exec(door)
    except ImportError as error:
        print(type(error).__name__, error.extra, error)
"""


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


@pytest.mark.parametrize("extra", EXTRAS)
def test_what_is_missing_is_said_by_the_name_of_the_extra(extra: Extra) -> None:
    assert missing(extra) == f"The extra `{extra}` is missing: {how_to_install(extra)}"


def test_what_is_hidden_from_a_bare_python_is_here() -> None:
    assert [name for name in HIDDEN if importlib.util.find_spec(name) is None] == []


def test_a_door_that_needs_an_extra_names_it() -> None:
    done = bare(TRIED.format(doors=DOORS))
    said = f"MissingExtra agent {missing('agent')}"
    assert (done.stdout.splitlines(), done.stderr) == ([said] * len(DOORS), "")


def test_every_other_name_of_the_package_needs_no_extra() -> None:
    done = bare("import citeseek as c\nfor n in c.__all__: n == 'Assistant' or getattr(c, n)")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("command", "extra"), [("ask tea", "agent"), ("serve", "serve"), ("mcp", "mcp")]
)
def test_a_command_that_needs_an_extra_names_it(command: str, extra: Extra) -> None:
    done = bare(COMMAND, *command.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.endswith(f"{missing(extra)}\n")
    assert done.stderr.count("\n") == 1


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


@pytest.mark.parametrize("library", sorted(extras._USED))
def test_a_library_without_what_is_used_of_it_is_broken(
    library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An installation that was cut off, or a module of a neighbour that has the same name."""
    assert fault.__wrapped__(library) is None
    name = extras.module_of(library)
    monkeypatch.setitem(sys.modules, name, ModuleType(name))
    broken = fault.__wrapped__(library)
    assert broken is not None
    assert (broken.state, broken.found) == ("broken", "AttributeError")
    assert "--force-reinstall" in broken.repair
