"""Which requirements have a test: ``python -m tools.requirements [FILE] [--missing]``.

FILE is a list of rows, ``| S1-43 | source | what must be observable | check |``. A test is marked
with the ids of the rows that it observes, ``@pytest.mark.requirement("S1-43", "S4-11..S4-17")``, or
one of its parameters is, ``pytest.param(…, marks=…)``. A row that is the same as others is met when
all of them have tests. Tests are read, never run.
"""

from __future__ import annotations

import argparse
import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from citeseek.text import shorten

ROOT = Path(__file__).parents[1]
REQUIREMENTS = ROOT.parent / "shared" / "REQUIREMENTS.md"

_ROW = re.compile(r"\| (S[0-4]-\d+) \| [^|]* \| (.*) \| ([^|]*) \|\s*")
_ID = re.compile(r"S([0-4])-(\d+)(?:\.\.S\1-(\d+))?")
_SAME = re.compile(r"\bSame as\b.*")
# "As S1-19" is another thing to observe, in the same way; only these two say that it is one thing.
_SEE = re.compile(rf"(?:See|Same as) {_ID.pattern}\.?")
_SHOWN_CHARS = 90


@dataclass(frozen=True, slots=True)
class Row:
    """One requirement; ``same_as`` are the rows that say all of it in other words."""

    name: str
    text: str
    same_as: tuple[str, ...]


def read_rows(text: str) -> list[Row]:
    """Return the rows of a list of requirements."""
    return [
        Row(found[1], found[2], _same_as(found[1], found[2], found[3]))
        for line in text.splitlines()
        if (found := _ROW.fullmatch(line))
    ]


def _same_as(name: str, text: str, check: str) -> tuple[str, ...]:
    phrases = [*(found[0] for found in _SAME.finditer(text)), *filter(_SEE.fullmatch, [check])]
    named = dict.fromkeys(one for phrase in phrases for one in _ids(phrase))
    return tuple(one for one in named if one != name)


def read_tests(folder: Path) -> dict[str, list[str]]:
    """Return the tests under ``folder`` by the rows that they are marked with."""
    tests: dict[str, list[str]] = defaultdict(list)
    for path in sorted(folder.rglob("test_*.py")):
        for name, marked in _marked(ast.parse(path.read_text(encoding="utf-8"))):
            for row in _ids(marked):
                tests[row].append(f"{path.relative_to(folder)}::{name}")
    return tests


def _marked(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield the names of tests and the ids of parameters, with what their marks say."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield from ((node.name, said) for said in _said(node.decorator_list))
            case ast.Call(func=ast.Attribute(attr="param"), keywords=keywords):
                given = {keyword.arg: keyword.value for keyword in keywords}
                name = given.get("id")
                marks = given.get("marks")
                if isinstance(name, ast.Constant) and marks is not None:
                    each = marks.elts if isinstance(marks, ast.List | ast.Tuple) else [marks]
                    yield from ((str(name.value), said) for said in _said(each))


def _said(marks: Iterable[ast.expr]) -> Iterator[str]:
    for mark in marks:
        if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.requirement":
            yield from (str(ast.literal_eval(argument)) for argument in mark.args)


def _ids(text: str) -> Iterator[str]:
    for source, first, last in _ID.findall(text):
        yield from (f"S{source}-{n}" for n in range(int(first), int(last or first) + 1))


@dataclass(frozen=True, slots=True)
class Finding:
    """Whether a row is met, and the lines that say by what, or what is wanted."""

    row: Row
    met: bool
    lines: tuple[str, ...]


def find(row: Row, tests: Mapping[str, list[str]]) -> Finding:
    """Return what ``tests`` have for ``row``."""
    if row.name in tests:
        return Finding(row, met=True, lines=tuple(tests[row.name]))
    untested = [name for name in row.same_as if name not in tests]
    if row.same_as and not untested:
        return Finding(row, met=True, lines=(f"the same as {', '.join(row.same_as)}",))
    said = shorten(row.text, _SHOWN_CHARS)
    waiting = (f"the same as others, but no test: {', '.join(untested)}",) if untested else ()
    return Finding(row, met=False, lines=(f"no test: {said}", *waiting))


def report(rows: list[Row], tests: Mapping[str, list[str]], *, missing: bool) -> Iterator[str]:
    """Yield the lines of the report; with ``missing`` only the rows that no test observes."""
    findings = [find(row, tests) for row in rows]
    for source in sorted({row.name[:2] for row in rows}):
        own = [finding for finding in findings if finding.row.name.startswith(f"{source}-")]
        yield f"{source}: {_count(own, tests)}"
        for finding in own:
            if not (missing and finding.met):
                first, *others = finding.lines
                yield f"  {finding.row.name:<7}{first}"
                yield from (f"         {line}" for line in others)
    yield f"all: {_count(findings, tests)}"
    if unknown := sorted(tests.keys() - {row.name for row in rows}):
        yield f"tests are marked with what is no row: {', '.join(unknown)}"


def _count(findings: list[Finding], tests: Mapping[str, list[str]]) -> str:
    tested = sum(finding.row.name in tests for finding in findings)
    same = sum(finding.met for finding in findings) - tested
    without = len(findings) - tested - same
    return (
        f"{len(findings)} rows: {tested} with tests, {same} by rows that they repeat, "
        f"{without} without"
    )


def main() -> None:
    """Print the report."""
    parser = argparse.ArgumentParser()
    parser.add_argument("file", nargs="?", type=Path, default=REQUIREMENTS)
    parser.add_argument("--missing", action="store_true", help="only the rows without a test")
    parser.add_argument("--tests", type=Path, default=ROOT / "tests", help="their folder")
    given = parser.parse_args()
    if not given.file.is_file():
        print(f"There is no list of requirements at {given.file}: give its path as FILE.")
        return
    rows = read_rows(given.file.read_text(encoding="utf-8"))
    print(*report(rows, read_tests(given.tests), missing=given.missing), sep="\n")


if __name__ == "__main__":
    main()
