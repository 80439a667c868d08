"""Homes that cannot be used: neither the configuration nor the database is well."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.ordinary_user import ordinary_user

from citeseek.health.dependencies import check_database
from citeseek.health.examination import examine
from citeseek.health.finding import Finding
from citeseek.health.settings.readable_files import read_files


async def look(home: Path, **env: str) -> list[Finding]:
    return await examine(
        read_files(env={"CITESEEK_HOME": str(home), **env}), ("database", "config")
    )


def codes(found: list[Finding]) -> list[tuple[str, str]]:
    return [(one.code, one.status) for one in found]


@pytest.mark.parametrize("below", ["", "home", "home/deeper"])
async def test_a_home_that_is_no_folder_is_told_once(tmp_path: Path, below: str) -> None:
    tmp_path.joinpath("file").write_text("")
    home = tmp_path / "file" / below
    found = await look(home)
    assert codes(found) == [
        ("file_not_writable", "error"),
        ("home_no_folder", "error"),
        ("files", "ok"),
    ]
    assert str(home) in found[1].seen
    assert found[1].repair[0] == f"ls -ld {tmp_path / 'file'}"


async def test_a_home_where_nobody_may_write_is_told() -> None:
    with ordinary_user() as folder:
        folder.chmod(0o500)
        found = await look(folder / "home")
    assert codes(found) == [
        ("file_not_writable", "error"),
        ("home_not_writable", "warning"),
        ("files", "ok"),
    ]
    assert found[1].repair[0].startswith(f"ls -ld {folder}  #")


async def test_a_home_that_is_not_there_yet_is_well(tmp_path: Path) -> None:
    assert codes(await look(tmp_path / "a" / "b")) == [("file", "ok"), ("files", "ok")]
    assert not tmp_path.joinpath("a").exists()


async def test_a_file_of_conversations_of_its_own_is_looked_at_for_itself(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    found = await look(tmp_path, CITESEEK_SESSIONS=str(kept))
    assert codes(found) == [("file_not_writable", "error"), ("files", "ok")]
    with ordinary_user() as folder:
        file = folder / "sessions.sqlite3"
        file.touch(0o400)
        files = read_files(env={"CITESEEK_HOME": str(folder)})
        (told,) = await check_database(files.settings)
    assert told.code == "file_not_writable"
    assert str(file) in told.repair[0]
