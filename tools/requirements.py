"""Which requirements have a test: ``python -m tools.requirements [FILE] [--missing]``.

FILE is a list of rows, ``| S1-43 | source | what must be observable | check |``. A test bears the
ids of the rows that it observes, in its name (``test_s1_43_s1_44_…``, ``test_s4_11_to_s4_17_…``)
or in the id of a parameter (``s3_46_503``). A row that is the same as others is met when all of
them have tests. Tests are read, never run.
"""

from __future__ import annotations

import argparse
import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from citeseek.text import shorten

ROOT = Path(__file__).parents[1]
REQUIREMENTS = ROOT.parent / "shared" / "REQUIREMENTS.md"

_ROW = re.compile(r"\| (S[0-4]-\d+) \| [^|]* \| (.*) \| ([^|]*) \|\s*")
_IN_TEST = re.compile(r"(?<![a-z0-9])s([0-4])_(\d+)(?:_to_s\1_(\d+))?(?![a-z0-9])")
_IN_ROW = re.compile(r"S([0-4])-(\d+)(?:\.\.S\1-(\d+))?")
_SAME = re.compile(r"\bSame as\b.*")
# "As S1-19" is another thing to observe, in the same way; only these two say that it is one thing.
_SEE = re.compile(rf"(?:See|Same as) {_IN_ROW.pattern}\.?")
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
    named = dict.fromkeys(one for phrase in phrases for one in _ids(_IN_ROW, phrase))
    return tuple(one for one in named if one != name)


def read_tests(folder: Path) -> dict[str, list[str]]:
    """Return the tests under ``folder`` by the rows whose ids they bear."""
    tests: dict[str, list[str]] = defaultdict(list)
    for path in sorted(folder.rglob("test_*.py")):
        for name in _names(ast.parse(path.read_text(encoding="utf-8"))):
            for row in _ids(_IN_TEST, name):
                tests[row].append(f"{path.relative_to(folder)}::{name}")
    return tests


def _names(tree: ast.Module) -> Iterator[str]:
    """Yield the names of test functions and the ids of parameters."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if node.name.startswith("test_"):
                yield node.name
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            wanted = {"param": "id", "parametrize": "ids"}.get(node.func.attr)
            values = (keyword.value for keyword in node.keywords if keyword.arg == wanted)
            yield from (
                part.value
                for value in values
                for part in ast.walk(value)
                if isinstance(part, ast.Constant) and isinstance(part.value, str)
            )


def _ids(pattern: re.Pattern[str], text: str) -> Iterator[str]:
    for source, first, last in pattern.findall(text):
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
        yield f"tests bear ids that no row has: {', '.join(unknown)}"


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
