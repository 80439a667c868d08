"""Work on bytes of others is ended when it takes too much, and nobody else notices."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import textwrap
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from tests.sandbox import work
from tests.sandbox.work import Weight

from citeseek.errors import WebBlocked, WebParseError
from citeseek.models import Hit
from citeseek.sandbox import Allowance, Sandbox

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="Linux keeps these limits alone")


@asynccontextmanager
async def sandbox(**limits: Any) -> AsyncIterator[Sandbox]:
    """Give a sandbox of one worker that nobody else uses."""
    # Equal limits share their workers.
    limits = {"workers": 1, "seconds": 0.3, "output_bytes": next(SIZES), **limits}
    opened = Sandbox(Allowance(**limits))
    try:
        yield opened
    finally:
        await opened.close()


SIZES = iter(range(1_000_000, 2_000_000))


async def test_what_a_function_returns_comes_back_with_its_type() -> None:
    async with sandbox() as box:
        tea = Hit(title="茶", url="https://tea.example/")
        assert await box.run(work.doubled, weight=Weight(2, [tea])) == Weight(4, [tea, tea])


async def test_errors_of_ours_come_back_as_they_were() -> None:
    async with sandbox() as box:
        with pytest.raises(WebBlocked) as caught:
            await box.run(work.refuse)
    error = caught.value
    assert (error.message, error.hint, error.engine) == ("No.", "Ask.", "tea")
    assert (error.detail_code, error.retry_after) == ("http_429", 2.5)


async def test_of_other_errors_the_name_comes_back_and_not_what_they_hold() -> None:
    async with sandbox() as box:
        with pytest.raises(Exception, match=r"^$") as caught:
            await box.run(work.break_down, word="secret")
    assert type(caught.value).__name__ == "KeyError"


async def test_half_an_emoji_does_not_cost_the_result() -> None:
    async with sandbox() as box:
        (hit,) = await box.run(work.half_an_emoji)
    assert hit.title.startswith("tea")
    assert hit.title.encode()


@pytest.mark.parametrize(
    ("function", "arguments", "says"),
    [
        (work.hold_the_lock, {}, "processor time"),
        pytest.param(work.fill, {"megabytes": 2_000}, "memory", marks=LINUX),
        (work.long_text, {"letters": 3_000_000}, "text"),
        (work.leave, {"code": 0}, "ends the process"),
        (work.leave, {"code": 1}, "ends the process"),
        (work.step_beside, {}, "ends the process"),
    ],
    ids=["time", "memory", "output", "exit-0", "exit-1", "segmentation-fault"],
)
async def test_work_that_takes_too_much_is_ended_and_the_next_is_done(
    function: Callable[..., Any], arguments: dict[str, Any], says: str
) -> None:
    async with sandbox() as box:
        with pytest.raises(WebParseError, match=says) as caught:
            await box.run(function, **arguments)
        assert caught.value.detail_code == "too_complex"
        assert caught.value.error_code == "WebParseError"
        assert await box.run(work.doubled, weight=Weight(2)) == Weight(4)


async def test_who_takes_long_does_not_hold_up_who_does_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("citeseek.sandbox.SHORT_SECONDS", 0.1)
    ended: list[str] = []

    async def take_long(box: Sandbox) -> None:
        with pytest.raises(WebParseError):
            await box.run(work.hold_the_lock)
        ended.append("long")

    async with sandbox(seconds=1.0) as box, asyncio.TaskGroup() as tasks:
        for _ in range(3):
            tasks.create_task(take_long(box))
        await asyncio.sleep(0)
        assert await box.run(work.doubled, weight=Weight(2)) == Weight(4)
        ended.append("short")
    # Each of the three takes a second of its own; the one behind them waited for a tenth of each.
    assert ended.index("short") <= 1


async def test_a_worker_goes_on_until_it_has_done_enough() -> None:
    async with sandbox(tasks=2) as box:
        ids = [await box.run(work.process_id) for _ in range(5)]
    assert ids[0] == ids[1] != ids[2] == ids[3] != ids[4]
    assert len(set(ids)) == 3


@LINUX
async def test_a_worker_that_keeps_much_memory_is_replaced() -> None:
    async with sandbox(kept_mb=100) as box:
        small = [await box.run(work.process_id) for _ in range(2)]
        await box.run(work.keep, megabytes=150)
        assert small[0] == small[1] != await box.run(work.process_id)


async def test_a_worker_that_was_killed_while_it_waited_costs_one_task_at_most() -> None:
    async with sandbox() as box:
        before = await box.run(work.process_id)
        os.kill(before, signal.SIGKILL)
        with suppress(WebParseError):
            await box.run(work.process_id)
        assert await box.run(work.doubled, weight=Weight(2)) == Weight(4)


@pytest.mark.parametrize("function", [work.wait_for_ever, work.count_for_ever])
async def test_who_stops_waiting_ends_the_work(
    function: Callable[..., Any], tmp_path: Path
) -> None:
    note = tmp_path / "id"
    async with sandbox(seconds=60) as box:
        task = asyncio.create_task(box.run(function, note=str(note)))
        worker = await noted(note)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await gone(worker)
        assert await box.run(work.doubled, weight=Weight(2)) == Weight(4)


async def test_who_stops_waiting_for_its_turn_takes_none(tmp_path: Path) -> None:
    note = tmp_path / "id"
    async with sandbox(seconds=60) as box:
        first = asyncio.create_task(box.run(work.wait_for_ever, note=str(note)))
        await noted(note)
        behind = [asyncio.create_task(box.run(work.hold_the_lock)) for _ in range(5)]
        await asyncio.sleep(0)
        for task in (*behind, first):
            task.cancel()
        await asyncio.gather(first, *behind, return_exceptions=True)
        assert await box.run(work.doubled, weight=Weight(2)) == Weight(4)


async def test_closing_ends_the_workers_unless_others_use_them() -> None:
    limits = Allowance(workers=1, output_bytes=next(SIZES))
    one, other = Sandbox(limits), Sandbox(limits)
    worker = await one.run(work.process_id)
    assert await other.run(work.process_id) == worker
    await one.close()
    assert await other.run(work.process_id) == worker
    await other.close()
    await gone(worker)


async def test_closing_ends_work_under_way(tmp_path: Path) -> None:
    note = tmp_path / "id"
    async with sandbox(seconds=60) as box:
        task = asyncio.create_task(box.run(work.wait_for_ever, note=str(note)))
        worker = await noted(note)
        await box.close()
        with pytest.raises(WebParseError):
            await task
        await gone(worker)


async def test_a_worker_prints_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    async with sandbox() as box:
        assert await box.run(work.speak) == await box.run(work.process_id)
    assert capfd.readouterr() == ("", "")


async def test_a_worker_knows_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAVE_API_KEY", "secret")
    monkeypatch.setenv("HTTPS_PROXY", "http://user:secret@proxy.example")
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    async with sandbox() as box:
        seen = await box.run(work.environment)
    assert "secret" not in str(seen)
    assert seen["LANG"] == "zh_CN.UTF-8"


@LINUX
async def test_a_worker_has_no_socket_of_the_program() -> None:
    # Asyncio writes to a process through one of its own.
    with socket.create_server(("127.0.0.1", 0)) as one:
        os.set_inheritable(one.fileno(), True)  # noqa: FBT003
        async with sandbox() as box:
            assert await box.run(work.sockets) <= 1


def test_loops_in_different_threads_share_a_sandbox() -> None:
    box = Sandbox(Allowance(workers=1, output_bytes=next(SIZES)))
    found: list[int] = []
    threads = [
        threading.Thread(target=lambda: found.append(asyncio.run(box.run(work.process_id))))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    asyncio.run(box.close())
    assert len(found) == 4
    assert len(set(found)) == 1


async def test_a_system_without_room_for_a_process_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async with sandbox() as box:
        monkeypatch.setattr(sys, "executable", str(tmp_path / "nowhere"))
        with pytest.raises(WebParseError) as caught:
            await box.run(work.process_id)
        assert caught.value.detail_code == "no_worker"


async def test_a_python_that_is_not_whole_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    async with sandbox() as box:
        monkeypatch.setattr(sys, "path", [])
        with pytest.raises(WebParseError) as caught:
            await box.run(work.process_id)
        assert caught.value.detail_code == "no_worker"


BEGIN = """
    import asyncio, os, sys
    from citeseek.sandbox import Allowance, Sandbox
    from tests.sandbox import work

    box = Sandbox(Allowance(seconds=120))
"""


@pytest.mark.parametrize("function", ["wait_for_ever", "count_for_ever"])
async def test_a_worker_ends_with_a_program_that_is_killed(tmp_path: Path, function: str) -> None:
    note = tmp_path / "id"
    with program(f"asyncio.run(box.run(work.{function}, note={str(note)!r}))") as running:
        worker = await noted(note)
        running.kill()
    await gone(worker)


async def test_a_program_that_forgets_to_close_ends_and_so_do_its_workers() -> None:
    with program("print(asyncio.run(box.run(work.process_id)))") as running:
        out, err = running.communicate(timeout=50)
    assert (running.returncode, err) == (0, "")
    await gone(int(out))


@LINUX
def test_a_forked_child_has_workers_of_its_own() -> None:
    script = """
    first = asyncio.run(box.run(work.process_id))
    if child := os.fork():
        os.waitpid(child, 0)
        print(first == asyncio.run(box.run(work.process_id)))
    else:
        print(first != asyncio.run(box.run(work.process_id)), flush=True)
        os._exit(0)
    """
    with program(textwrap.dedent(script)) as running:
        out, _ = running.communicate(timeout=50)
    assert out == "True\nTrue\n"


def program(script: str) -> subprocess.Popen[str]:
    """Run ``script`` as a program of its own; it has no guard around its main part."""
    return subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", textwrap.dedent(BEGIN) + script],
        cwd=Path(__file__).parents[2],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


async def noted(note: Path) -> int:
    """Return the process id that somebody writes into ``note``."""
    await until(lambda: note.exists() and note.read_text() != "")
    return int(note.read_text())  # noqa: ASYNC240 - a few bytes


async def gone(process: int) -> None:
    """Return when there is no ``process`` any more; one that waits to be collected is none."""
    await until(lambda: not is_there(process))


def is_there(process: int) -> bool:
    try:
        os.kill(process, 0)
        status = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (ProcessLookupError, FileNotFoundError):
        return False
    return status != "Z"


async def until(holds: Callable[[], bool]) -> None:
    """Return when ``holds`` is true; other processes make it so."""
    async with asyncio.timeout(50):
        while not holds():  # noqa: ASYNC110 - nobody in this process can tell
            await asyncio.sleep(0.02)
