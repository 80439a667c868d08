"""Every optional library removed, broken or too old: the doctor names it, and no page hides it.

The tables are the owner's own (``citeseek.extras``) and those of the packages: what a library of
reading imports is removed and broken as well.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest

from citeseek.extras import EXTRAS

pytestmark = [pytest.mark.release, pytest.mark.timeout(600)]

EXTRA_OF = {
    one.partition(">=")[0]: extra for extra, libraries in EXTRAS.items() for one in libraries
}
READING = dict.fromkeys(
    one.partition(">=")[0] for extra in ("fetch", "documents") for one in EXTRAS[extra]
)
READS = {
    "lxml",
    "lxml-html-clean",
    "trafilatura",
    "pypdfium2",
    "mammoth",
    "python-calamine",
    "striprtf",
    "feedparser",
}
STATES = ("missing", "broken", "old")


def below(library: str) -> Iterator[str]:
    """Yield the packages that ``library`` itself cannot do without."""
    for requirement in metadata.requires(library) or ():
        name, _, condition = requirement.partition(";")
        if "extra" not in condition:
            yield name.strip().split()[0].split("<")[0].split(">")[0].split("!")[0].split("=")[0]


def told(what: str, rows: list[tuple[str, ...]], folder: Path) -> list[dict[str, object]]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.health.library_states", what, str(folder), json.dumps(rows)],
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_the_doctor_names_each_library_that_is_missing_broken_or_old(tmp_path: Path) -> None:
    rows = [(library, extra, state) for library, extra in EXTRA_OF.items() for state in STATES]
    found = told("doctor", rows, tmp_path)
    assert len(found) == len(rows)
    said = {"missing": "is not installed", "broken": "cannot be imported", "old": "is too old"}
    for (library, _, state), doctor in zip(rows, found, strict=True):
        wrong = [one for one in doctor["findings"] if one["code"] != "ok"]
        seen = "; ".join(f"{one['seen']}; {one['repair']}" for one in wrong)
        assert library in seen, (library, state, doctor)
        assert said[state] in seen or len(EXTRAS[EXTRA_OF[library]]) == 1, (library, state, seen)


def test_what_is_read_worse_without_a_library_says_so(tmp_path: Path) -> None:
    rows = [(library, library, state) for library in READING for state in STATES[:2]]
    rows += [
        (name, library, state)
        for library in READING
        for name in below(library)
        if name not in READING
        for state in STATES[:2]
    ]
    found = told("read", rows, tmp_path)
    assert len(found) == len(rows)
    silent = [
        (row, name)
        for row, outcome in zip(rows, found, strict=True)
        for name, one in outcome["read"].items()
        if one["is_less"] and row[1] not in one["names"]
    ]
    assert silent == []
    # Without them nothing would be tested.
    worse = {row[1] for row, outcome in zip(rows, found, strict=True) if outcome["less"]}
    assert worse == READS
