"""The commands of the pages that need no Internet, run over a small web of our own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.command import run_citeseek
from tests.documentation.blocks import Block, Command, all_blocks, commands
from tests.documentation.surroundings import Web, at_home, small_web

RUNS = frozenset("search fetch ask research verify engines settings replay bundle".split())


def runs(command: Command) -> bool:
    """Whether a command can be run here, in an empty folder, and ends by itself."""
    words = command.words
    return (
        words[:1] in (("citeseek",), (".venv/bin/citeseek",))
        and (words[1] in RUNS or words[1:3] == ("searxng", "init"))
        and words[1:] != ("ask",)
        and words[1:3] != ("engines", "check")
        # It is there only after the line before it; another test loads it.
        and "bookshelf" not in words
        # It waits for workers at a Postgres.
        and "--spread" not in words
    )


BLOCKS = [block for block in all_blocks("console", "sh") if any(map(runs, commands(block)))]


@pytest.fixture(scope="module")
def web() -> Iterator[Web]:
    with small_web() as found:
        yield found


@pytest.mark.sample(2)
@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_the_commands_of_a_block_run_one_after_the_other(
    block: Block, web: Web, tmp_path: Path
) -> None:
    env = {**os.environ, **web.environment, **at_home(tmp_path / "home")}
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "queries.jsonl").write_text('"tea"\n')
    for command in filter(runs, commands(block)):
        words = [web.in_place_of_the_web(word) for word in command.words[1:]]
        files = [word for word in words if word.endswith(".json")]
        if words[0] in ("replay", "bundle") and not all((folder / one).exists() for one in files):
            continue  # a trace of another day
        done = run_citeseek(*words, env=env, cwd=folder)
        # 1: our small web has nothing on that.
        assert done.returncode in (0, 1), f"{command}\n{done.stdout}{done.stderr}"
