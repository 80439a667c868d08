"""Many questions from a file: in order, side by side, gone on with, and none lost."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from tests.command import CITESEEK, run_citeseek
from tests.loopback import LoopbackServer, Reply, replies

from citeseek.errors import InvalidInput, NetworkError, WebBlocked
from citeseek.jobs import batch
from citeseek.jobs.batch import answer_all
from citeseek.jobs.batch_files import Answers, Asked, count_lines, read_asked

FOUND = replies.as_json({"results": [{"title": "Tea", "url": "https://e.example/", "content": ""}]})


class Stopped(BaseException):
    """The program ends."""


def asked(*texts: str) -> Any:
    return iter([Asked(line=at, text=text) for at, text in enumerate(texts, start=1)])


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text().splitlines()]


async def run(questions: Any, answer: Any, out: Path, at_once: int = 3, **options: Any) -> Answers:
    with Answers(out, "search", **options) as answers:
        await answer_all(answers.skip(questions), answer, answers, at_once=at_once)
    return answers


async def test_answers_stand_in_the_order_of_their_questions(tmp_path: Path) -> None:
    most = under_way = 0
    gate = asyncio.Event()

    async def answer(question: Asked) -> str:
        nonlocal most, under_way
        under_way += 1
        most = max(most, under_way)
        if question.line == 1:
            await gate.wait()
        elif question.line == 8:
            gate.set()
        under_way -= 1
        return question.text.upper()

    out = tmp_path / "out.jsonl"
    await run(asked(*"abcdefghij"), answer, out)
    assert [one["result"] for one in lines(out)] == list("ABCDEFGHIJ")
    assert [one["line"] for one in lines(out)] == list(range(1, 11))
    assert most <= 3


async def test_little_is_read_ahead_of_a_slow_one(tmp_path: Path) -> None:
    read = 0
    gate = asyncio.Event()

    def many() -> Any:
        nonlocal read
        for read in range(1, 1_001):
            yield Asked(line=read, text="x")

    async def answer(question: Asked) -> int:
        if question.line == 1:
            await gate.wait()
        return question.line

    running = asyncio.create_task(run(many(), answer, tmp_path / "out.jsonl"))
    for _ in range(100):
        await asyncio.sleep(0)
    assert read <= 3 * batch.AHEAD
    gate.set()
    await running
    assert read == 1_000


async def test_a_failure_is_the_answer_of_its_own_line(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def answer(question: Asked) -> str:
        if question.text == "b":
            raise NetworkError("It is not there.", engine="tea")
        if question.text == "c":
            raise ZeroDivisionError("key-0123456789")
        return "well"

    answers = await run(asked(*"abcd"), answer, tmp_path / "out.jsonl")
    first, second, third, fourth = lines(tmp_path / "out.jsonl")
    assert (first["result"], fourth["result"]) == ("well", "well")
    assert second["error"]["type"] == "NetworkError"
    assert third["error"]["detail_code"] == "internal"
    assert "key-0123456789" not in json.dumps(third)
    assert "line 3 broke off" in caplog.text
    assert answers.failed == 2


async def test_an_engine_that_asks_to_wait_is_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    monkeypatch.setattr(batch.asyncio, "sleep", sleep)
    left = {"own": 5, "site": 9, "once": 1}

    async def answer(question: Asked) -> str:
        if left[question.text]:
            left[question.text] -= 1
            code = "rate_limited_here" if question.text == "own" else "http_429"
            raise WebBlocked("Later.", detail_code=code, retry_after=7)
        return "well"

    await run(asked("own", "site", "once"), answer, tmp_path / "out.jsonl", at_once=1)
    own, site, once = lines(tmp_path / "out.jsonl")
    assert (own["result"], once["result"]) == ("well", "well")
    assert site["error"]["detail_code"] == "http_429"
    assert waits == [7] * (5 + batch.TRIES - 1 + 1)


@pytest.mark.parametrize(
    "cut",
    [b"", b"{", b'{"line":3,"comm', b'{"line":3,"command":"search","asked":"c","result":"C"}'],
    ids=["", "a sign", "torn", "bare"],
)
async def test_it_goes_on_where_it_ended(tmp_path: Path, cut: bytes) -> None:
    seen: list[str] = []

    async def answer(question: Asked) -> str:
        seen.append(question.text)
        return question.text.upper()

    out = tmp_path / "out.jsonl"
    await run(asked("a", "b"), answer, out)
    out.write_bytes(out.read_bytes() + cut)
    answers = await run(asked("a", "b", "c", "d"), answer, out)
    assert seen == ["a", "b", "c", "d"]
    assert [one["result"] for one in lines(out)] == ["A", "B", "C", "D"]
    assert answers.done == 4


@pytest.mark.parametrize(
    ("there", "said"),
    [
        ('{"line":1,"command":"search","asked":"water"}\n', "other questions"),
        ('{"line":1,"command":"fetch","asked":"tea"}\n', "other questions.*for fetch"),
        ('{"line":2,"command":"search","asked":"tea"}\n', "not the file of a batch"),
        ("# Notes\n", "not the file of a batch"),
        ('{"api": "the only copy"}', "not the file of a batch"),
        ("Notes without an end", "not the file of a batch"),
        ("[" * 2_000 + "\n", "not the file of a batch"),
        (
            '{"line":1,"command":"search","asked":"tea"}\n{"line":2,"command":"search","asked":"x"}\n',
            "other questions",
        ),
    ],
)
async def test_the_answers_to_something_else_are_not_written_over(
    tmp_path: Path, there: str, said: str
) -> None:
    out = tmp_path / "out.jsonl"
    out.write_text(there)
    with pytest.raises(InvalidInput, match=said):
        await run(asked("tea"), None, out)
    assert out.read_text() == there


async def test_lines_that_failed_are_answered_again_where_that_is_asked_for(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    broken = True
    seen: list[str] = []

    async def answer(question: Asked) -> str:
        seen.append(question.text)
        if broken and question.text in "bd":
            raise NetworkError("It is away.")
        if not broken and question.text == "d" and seen.count("d") == 2:
            raise Stopped
        return question.text.upper()

    await run(asked(*"abcde"), answer, out)
    assert (await run(asked(*"abcde"), answer, out)).failed == 2
    assert seen == list("abcde")
    broken = False
    with pytest.raises(Stopped):
        await run(asked(*"abcde"), answer, out, at_once=1, retry_failed=True)
    # Interrupted in the middle, it goes on with what was there, asked for again or not.
    await run(asked(*"abcde"), answer, out, at_once=1)
    assert seen == [*"abcde", *"bdd"]
    assert [one["result"] for one in lines(out)] == list("ABCDE")
    assert not out.with_name("out.jsonl.before").exists()


async def test_two_commands_do_not_write_to_one_file(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    with Answers(out, "search"), pytest.raises(InvalidInput, match="Another command"):
        Answers(out, "search").__enter__()


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo])
def test_what_is_no_file_is_not_written_to(tmp_path: Path, make: Any) -> None:
    make(tmp_path / "out")
    with pytest.raises(InvalidInput, match="no ordinary file"):
        Answers(tmp_path / "out", "search").__enter__()


def test_lines_are_texts_or_objects_and_others_say_why(tmp_path: Path) -> None:
    file = tmp_path / "in.jsonl"
    file.write_bytes(
        b'\xef\xbb\xbf"tea"\n{"query": "milk", "count": 3}\r\n{"question": "x", "id": 4}\n{\n\n7\n'
        + b"[" * 2_000
        + b"]" * 2_000
        + b'\n"'
        + b"x" * 2_000_000
        + b'"\n"last"'
    )
    found = list(read_asked(file, "query"))
    assert count_lines(file) == len(found) == 9
    assert [one.text for one in found] == ["tea", "milk", "", "", "", "", "", "", "last"]
    assert [one.more for one in found[1:3]] == [{"count": 3}, {"id": 4}]
    assert ["query" in one.fault for one in found] == [0, 0, 1, 0, 0, 1, 0, 0, 0]
    assert all(one.fault for one in found[2:8])
    assert "empty" in found[4].fault
    assert "in quotes" in found[6].fault
    assert "longer than 1,000,000 bytes" in found[7].fault
    with pytest.raises(InvalidInput, match="cannot be read"):
        count_lines(tmp_path / "none")


# At the command line


def test_a_command_answers_a_file(tmp_path: Path, server: LoopbackServer) -> None:
    server.on("/search", FOUND)
    server.otherwise(Reply(404))
    (tmp_path / "in.jsonl").write_text('"tea"\n{"query": "milk", "id": 7, "count": 1}\n"  "\n')
    done = run_citeseek(
        *("search", "--batch", "in.jsonl", "--out", "out.jsonl", "-e", "searxng"),
        env={**os.environ, "SEARXNG_BASE_URL": server.base_url},
        cwd=tmp_path,
    )
    assert done.returncode == 3
    assert "已回答 3 行，其中 1 行出错；结果在 out.jsonl" in done.stderr
    tea, milk, empty = lines(tmp_path / "out.jsonl")
    assert tea["result"]["items"][0]["url"] == "https://e.example/"
    assert (milk["id"], milk["result"]["query"]["count"]) == (7, 1)
    assert empty["error"]["type"] == "InvalidInput"


def test_questions_may_come_from_a_pipe(tmp_path: Path) -> None:
    done = run_citeseek(
        *("search", "--batch", "-", "--out", "out.jsonl", "-e", "stub"),
        stdin='"tea"\n"milk"\n',
        cwd=tmp_path,
    )
    assert (done.returncode, len(lines(tmp_path / "out.jsonl"))) == (0, 2)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--batch", "in.jsonl", "--out", "o", "-e", "nope"], "nope"),
        (["--batch", "in.jsonl", "--out", "o", "-n", "99"], "count 要在"),
        (["--batch", "in.jsonl", "--out", "o", "-f", "text"], "不要写 --format"),
        (["--batch", "in.jsonl", "--out", "o", "--trace", "t"], "--trace 只记录一次调用"),
        (["tea", "--out", "o"], "--out 用于成批"),
        (["tea", "--at-once", "3"], "--at-once 用于成批"),
        (["--batch", "in.jsonl"], "--batch 要有 --out FILE"),
        (["tea", "--batch", "in.jsonl", "--out", "o"], "里已有每一个问题"),
        (["--batch", "none.jsonl", "--out", "o"], "读不了 none.jsonl"),
        (["--batch", "in.jsonl", "--out", "."], "写不进去"),
    ],
)
def test_what_cannot_be_done_is_said(tmp_path: Path, more: list[str], said: str) -> None:
    (tmp_path / "in.jsonl").write_text('"tea"\n')
    done = run_citeseek("search", "-e", "stub", *more, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr


@pytest.mark.release
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_one_that_was_stopped_goes_on(tmp_path: Path, number: signal.Signals) -> None:
    (tmp_path / "in.jsonl").write_text("".join(f'"tea {at}"\n' for at in range(5_000)))
    command = [*CITESEEK, "search", "--batch", "in.jsonl", "--out", "out.jsonl", "-e", "stub"]
    env = {**os.environ, "CITESEEK_HOME": str(tmp_path)}
    out = tmp_path / "out.jsonl"
    with subprocess.Popen(command, cwd=tmp_path, env=env, stderr=subprocess.PIPE) as running:
        until = time.monotonic() + 60
        while not (out.exists() and out.stat().st_size > 10_000):
            assert time.monotonic() < until
            time.sleep(0.01)
        running.send_signal(number)
        _, told = running.communicate()
    assert running.returncode != 0
    if number == signal.SIGINT:
        assert "再次运行同一命令即从这里继续" in told.decode()
    before = out.read_bytes().count(b"\n")
    assert 0 < before < 5_000
    subprocess.run(command, cwd=tmp_path, env=env, check=True)
    assert [one["line"] for one in lines(out)] == list(range(1, 5_001))
