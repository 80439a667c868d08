"""Every detail code that the program gives stands in the one table of them, and no other does."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tools.docs import DOCS

import citeseek
from citeseek import errors
from citeseek.engine import Engine
from citeseek.errors import DETAIL_CODES, Busy, CiteseekError, ModelFailed, SearchFailed
from citeseek.extraction import documents, walls
from citeseek.language_model import model_failures
from citeseek.observing import egress_budget
from citeseek.searching import judge
from citeseek.searching.engine_registry import Registry

SOURCE = Path(citeseek.__file__).parent
HTTP = re.compile(r"http_(\d{3})")
NAMES = [code.name for code in DETAIL_CODES]
# Made of the kind of place that is taken.
PLACES = {"too_many_answers", "too_many_reports", "too_many_streams"}


def trees() -> list[ast.Module]:
    files = SOURCE.rglob("*.py")
    return [ast.parse(file.read_text(encoding="utf-8")) for file in files]


def constants(modules: list[ast.Module]) -> dict[str, str]:
    """Return the texts that a module has under a name, such as DETAIL_CODE."""
    return {
        target.id: node.value.value
        for module in modules
        for node in module.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name) and isinstance(node.value.value, str)
    }


def said(modules: list[ast.Module]) -> Iterator[str]:
    """Yield what is given as ``detail_code``, and the rows of a table that is asked by one."""
    named = constants(modules)
    for node in (node for module in modules for node in ast.walk(module)):
        match node:
            case ast.Call():
                values = [each.value for each in node.keywords if each.arg == "detail_code"]
                if isinstance(node.func, ast.Name) and node.func.id == "_refused":
                    values += node.args[:1]
                yield from (text for value in values for text in texts(value, named))
            case ast.Assign(targets=[ast.Attribute(attr="detail_code")], value=value):
                yield from texts(value, named)
            case ast.Subscript(value=ast.Dict(keys=keys), slice=ast.Name(id="detail_code")):
                yield from (text for key in keys if key for text in texts(key, named))


def texts(value: ast.expr, named: dict[str, str]) -> Iterator[str]:
    match value:
        case ast.Constant(value=str(text)):
            yield text
        case ast.Name(id=name) if name in named:
            yield named[name]
        case ast.IfExp(body=body, orelse=orelse):
            yield from texts(body, named)
            yield from texts(orelse, named)


def given() -> set[str]:
    markers = [engine.markers for engine in Registry() if isinstance(engine, Engine)]
    tables = (judge.BLOCKED, walls._SENTENCES, model_failures._SENTENCES)
    found = {*said(trees()), *PLACES}.union(*tables)
    found |= {
        *documents._CODES.values(),
        *documents._OF_PDF.values(),
        *egress_budget.CODES.values(),
    }
    for each in markers:
        found |= {*each.blocked.values(), *each.blocked_redirects.values()}
    return {code for code in found if code}


@pytest.mark.release
def test_every_code_that_is_given_is_in_the_table() -> None:
    assert {code for code in given() if not HTTP.fullmatch(code)} <= set(NAMES)


@pytest.mark.release
def test_every_code_of_the_table_is_given() -> None:
    assert set(NAMES) - given() == {"http_NNN"}
    assert len(set(NAMES)) == len(NAMES)


def test_every_code_belongs_to_failures_that_can_have_one() -> None:
    for code in DETAIL_CODES:
        for name in code.kinds:
            kind: type[CiteseekError] = getattr(errors, name)
            assert issubclass(kind, Busy | ModelFailed | SearchFailed)


def test_every_error_has_a_row_that_says_whether_it_may_work_later() -> None:
    page = (DOCS / "errors.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `([A-Z]\w+)` \|.*\| ([^|]+) \| [^|]+ \|$", page, re.MULTILINE))
    classes = inspect.getmembers(errors, inspect.isclass)
    kinds = {name for name, kind in classes if issubclass(kind, errors.CiteseekError)}
    assert set(rows) == kinds - {"CiteseekError", "SearchFailed"}
    for name, may in rows.items():
        kind = getattr(errors, name)
        codes = [code.name for code in DETAIL_CODES if name in code.kinds]
        for code in codes:
            is_named = may == "yes" or f"`{code}`" in may
            assert kind("", detail_code=code).retryable is is_named, (name, code)
