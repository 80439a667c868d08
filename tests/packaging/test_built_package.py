"""The wheel and the source archive: whole, and of use where nothing else of ours is."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path
from zipfile import ZipFile

import pytest
from tools import smoke

from citeseek.extras import EXTRAS
from citeseek.version import VERSION

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

pytestmark = pytest.mark.packaging


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--directory", folder],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    return folder


@pytest.fixture(scope="module")
def wheel(dist: Path) -> Path:
    return dist / f"citeseek-{VERSION}-py3-none-any.whl"


def files_of(folder: str) -> set[str]:
    """Return every file below a folder of the project, but what tools leave behind."""
    return {
        str(path.relative_to(ROOT))
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_the_wheel_holds_the_whole_package_and_nothing_else(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        names = set(archive.namelist())
    about = f"citeseek-{VERSION}.dist-info/"
    package = {name.removeprefix("src/") for name in files_of("src/citeseek")}
    assert {name for name in names if not name.startswith(about)} == package
    assert {f"{about}entry_points.txt", f"{about}licenses/LICENSE"} <= names
    assert "citeseek/py.typed" in names


def test_the_source_archive_holds_what_tests_and_documentation_need(dist: Path) -> None:
    with tarfile.open(dist / f"citeseek-{VERSION}.tar.gz") as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    for folder in ("src", "tests", "tools", "docs", "examples", "deploy"):
        assert files_of(folder) <= names
    singles = "Makefile README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md LICENSE Dockerfile"
    assert {*singles.split(), "mkdocs.yml", "constraints.txt", "pyproject.toml"} <= names


# Eleven processes, each of which loads what it needs for the first time.
@pytest.mark.timeout(180)
def test_the_installed_wheel_searches_answers_and_serves(
    wheel: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert smoke.main([str(wheel), "--offline"]) == 0
    assert capsys.readouterr().out.endswith("installed and used\n")


def test_every_extra_that_the_program_names_can_be_installed() -> None:
    extras = PROJECT["optional-dependencies"]
    assert EXTRAS.keys() <= extras.keys()
    for extra, libraries in EXTRAS.items():
        held = {name for name in extras[extra] if "citeseek[" not in name}
        assert held <= set(libraries), extra


def test_all_is_every_extra() -> None:
    extras = PROJECT["optional-dependencies"]
    (everything,) = extras["all"]
    named = set(everything.removeprefix("citeseek[").removesuffix("]").split(","))
    held = named | {"agent"} if "serve" in named else named
    assert held == extras.keys() - {"all"}
