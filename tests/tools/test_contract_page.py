"""docs/tools.md: what it says of the tools is what the code says, and its examples run."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from citeseek import errors
from citeseek.surfaces.cli.tools import FORMS
from citeseek.tools.tool_definitions import CONTRACT_WEB_FETCH, CONTRACT_WEB_SEARCH, Definition

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs/tools.md").read_text()
EXAMPLES = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


@pytest.mark.parametrize(
    "tool", [CONTRACT_WEB_SEARCH, CONTRACT_WEB_FETCH], ids=lambda tool: tool.name
)
@pytest.mark.requirement("S3-47")
def test_the_contract_of_both_tools_is_documented(tool: Definition) -> None:
    assert f"`{tool.name}`" in TEXT
    outputs = [tool.output, *tool.output["$defs"].values()]
    for name in {*tool.parameters["properties"], *(n for o in outputs for n in o["properties"])}:
        assert f"`{name}`" in TEXT, name


@pytest.mark.requirement("S3-47")
def test_the_errors_of_both_tools_are_documented() -> None:
    kinds = [errors.InvalidInput, errors.ToolNotFound, *errors.SearchFailed.__subclasses__()]
    for kind in kinds:
        if kind.__module__ == errors.__name__:
            assert f"\n| `{kind.__name__}` |" in TEXT, kind


def test_the_loop_of_the_page_is_that_of_the_example() -> None:
    block = re.search(r"```python openai_chat\.py\n(.*?)```", TEXT, re.DOTALL)
    assert block
    assert block[1] in (ROOT / "examples/loops/openai_chat.py").read_text()


def test_every_form_of_the_schemas_is_documented() -> None:
    assert set(re.findall(r"^\| `([a-z]+)`.* \|", TEXT, re.MULTILINE)) >= set(FORMS)


@pytest.mark.parametrize("path", ["README.md", "docs/fetch.md"])
@pytest.mark.requirement("S3-47")
def test_the_page_is_linked(path: str) -> None:
    assert re.search(r"tools\.md(#[\w-]+)?\)", (ROOT / path).read_text())


@pytest.mark.parametrize("example", EXAMPLES, ids=range(len(EXAMPLES)))
async def test_an_example_of_the_page_runs(example: str) -> None:
    code = compile(example, "docs/tools.md", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    await eval(code, {})  # noqa: S307 - our own page
