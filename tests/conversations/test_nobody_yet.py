"""What the commands say of people and programs where there are none yet."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.command import run_citeseek


@pytest.mark.parametrize(
    ("command", "lang", "told"),
    [
        ("people", "en", "Nobody has used the server yet (days looked at: 30).\n"),
        ("people", "zh", "最近 30 天还没有人使用服务器。\n"),
        ("programs", "en", "No program has access yet.\n"),
        ("programs", "ja", "アクセスできるプログラムはまだありません。\n"),
    ],
)
def test_a_sentence_stands_for_a_table_without_rows(
    command: str, lang: str, told: str, tmp_path: Path
) -> None:
    env = {"CITESEEK_SESSIONS": str(tmp_path / "sessions.sqlite3"), "CITESEEK_PAGE_LANGUAGE": lang}
    assert run_citeseek(command, env=env).stdout == told
    assert run_citeseek(command, "--json", env=env).stdout == "[]\n"


def test_help_of_the_database_names_all_that_it_does() -> None:
    told = " ".join(run_citeseek("database", "--help", env={"LC_ALL": "C.UTF-8"}).stdout.split())
    assert "copy into it, back up and restore, delete what is old" in told
