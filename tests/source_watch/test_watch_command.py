"""``citeseek watch`` as a person runs it: over certificates, reports and conversations."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from pathlib import Path

import pytest
from tests.assistant.conversations import turn
from tests.certificate.certified import certificate_of
from tests.command import run_citeseek
from tests.loopback import LoopbackServer, replies
from tests.research.test_research_command import LENGTH, QUESTION, a_web
from tests.research.test_research_command import article as page
from tests.verification.checking import ENV, SENTENCE, stock
from tests.verification.checking import article as tea_page

from citeseek import Client, Settings
from citeseek.citations import Source
from citeseek.conversations.conversation_record import Record
from citeseek.conversations.sqlite_store import SqliteStore
from citeseek.source_watch import of_certificate, read_again

LONGER = LENGTH.replace("412", "441")


@pytest.fixture
def env(server: LoopbackServer, tmp_path: Path) -> dict[str, str]:
    a_web(server)
    return {
        **os.environ,
        **ENV,
        "CITESEEK_HOME": str(tmp_path / "home"),
        "CITESEEK_SEARXNG_URL": server.base_url,
        "CITESEEK_PAGE_LANGUAGE": "en",
    }


def watch(env: dict[str, str], *arguments: object) -> subprocess.CompletedProcess[str]:
    return run_citeseek("watch", *map(str, arguments), env=env)


@pytest.mark.sample(1)
@pytest.mark.parametrize("option", ["--certificate", "--out"])
def test_a_source_that_says_something_else_is_told_with_both_sentences(
    server: LoopbackServer, env: dict[str, str], tmp_path: Path, option: str
) -> None:
    kept = tmp_path / "kept"
    done = run_citeseek("research", QUESTION, "-e", "searxng", option, str(kept), env=env)
    assert done.returncode == 0, done.stderr
    # Another layout, and words around it.
    server.on("/length", page("Alder Bridge – overview", f"Read first: {LENGTH} Updated today."))
    found = watch(env, kept)
    assert (found.returncode, LENGTH in found.stdout) == (0, False), found.stdout + found.stderr
    server.on("/length", page("The Alder Bridge", LONGER))
    found = watch(env, kept)
    assert found.returncode == 1, found.stderr
    assert "▲ [1] The Alder Bridge" in found.stdout
    assert f"now: “{LONGER}”" in found.stdout
    told = json.loads(watch(env, kept, "-f", "json").stdout)
    (answer,) = told["answers"]
    amber = [source for source in answer["sources"] if source["state"] == "changed"]
    assert (told["same"], len(amber)) == (False, 1)
    (change,) = {(one["was"], one["now"]) for one in amber[0]["changes"]}
    assert change == (LENGTH, LONGER)


@pytest.mark.release
def test_a_page_that_went_away_is_amber_and_one_out_of_reach_is_not(
    server: LoopbackServer, env: dict[str, str], tmp_path: Path
) -> None:
    kept = tmp_path / "kept"
    run_citeseek("research", QUESTION, "-e", "searxng", "--out", str(kept), env=env)
    server.on("/length", replies.status(404))
    found = watch(env, kept)
    assert (found.returncode, "the page is gone" in found.stdout) == (1, True)
    for path in ("/length", "/builders"):
        server.on(path, replies.status(503))
    assert watch(env, kept).returncode == 3


@pytest.mark.release
def test_the_answers_of_a_conversation_are_watched(
    server: LoopbackServer, env: dict[str, str], tmp_path: Path
) -> None:
    source = Source(1, "The Alder Bridge", server.url("/length"), "127.0.0.1", LENGTH)
    answered = turn(
        1, message=QUESTION, written=f"{LENGTH[:-1]} [1].", sources=(source,), cited=(1,)
    )
    record = Record(id="bridge", created_at=1.0, turns=[answered])

    async def keep() -> None:
        store = SqliteStore(tmp_path / "home" / "sessions.sqlite3")
        await store.put(record)
        await store.add_turn(record.id, answered)
        await store.close()

    asyncio.run(keep())
    assert watch(env, "bridge").returncode == 0
    server.on("/length", page("The Alder Bridge", LONGER))
    found = watch(env, f"{server.base_url}/c/bridge")
    assert found.returncode == 1, found.stdout + found.stderr
    assert LONGER in found.stdout


@pytest.mark.release
@pytest.mark.parametrize(
    ("locale", "not_watched", "same"),
    [
        ("C", "a file of one's own, which is not watched", "still say what they were cited for"),
        ("zh_CN.UTF-8", "自己的文件，不在关注之列", "个来源仍然支持引用它们的内容"),
    ],
)
def test_in_the_language_of_no_settings_and_with_a_file_of_ones_own(
    env: dict[str, str], tmp_path: Path, locale: str, not_watched: str, same: str
) -> None:
    file, kept = tmp_path / "bridge.txt", tmp_path / "kept"
    file.write_text(LENGTH)
    del env["CITESEEK_PAGE_LANGUAGE"]
    env["LC_ALL"] = locale
    asked = ("research", QUESTION, "-e", "searxng", "--file", str(file), "--out", str(kept))
    done = run_citeseek(*asked, env=env)
    assert done.returncode == 0, done.stderr
    found = watch(env, kept)
    assert found.returncode == 0, found.stdout + found.stderr
    assert not_watched in found.stdout
    assert same in found.stderr


def test_what_is_no_kept_answer_is_told_before_anything_is_sent(
    server: LoopbackServer, env: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "notes.txt").write_text("no certificate")
    env = {**env, "CITESEEK_PAGE_LANGUAGE": "auto"}
    elsewhere = "https://elsewhere.example/c/bridge"
    for name in ("nowhere", tmp_path, tmp_path / "notes.txt", elsewhere):
        found = watch(env, name)
        assert (found.returncode, found.stdout) == (2, ""), found.stderr
        assert found.stderr.strip()
    assert server.requests == []


async def test_an_untouched_page_is_the_same_whatever_it_said(server: LoopbackServer) -> None:
    kept = of_certificate(await certificate_of(server))
    assert {one.verdict for one in kept.statements} == {
        "supported",
        "contradicted",
        "unclear",
        "unfetched",
    }
    async with Client(Settings.load(env=ENV)) as client:
        found = await read_again(kept, client)
    tea = found.sources[0]
    assert (tea.number, tea.state) == (1, "same"), tea
    stock(server)
    server.on("/tea", replies.html(tea_page(SENTENCE.replace("1912", "1913"))))
    async with Client(Settings.load(env=ENV)) as client:
        found = await read_again(kept, client)
    assert found.sources[0].state == "changed"
