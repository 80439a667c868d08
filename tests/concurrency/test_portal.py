"""What must outlive its caller's thread or loop runs in threads that never end."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import pytest
from tests.loopback import LoopbackServer, replies

from citeseek.concurrency.portal import KEEPER, Portal, call, for_good

T = TypeVar("T")


async def thread() -> str:
    return threading.current_thread().name


def elsewhere(work: Callable[[], T]) -> T:
    """Return what ``work`` returns in a thread that ends."""
    returned: list[T] = []
    short = threading.Thread(target=lambda: returned.append(work()))
    short.start()
    short.join()
    return returned[0]


def is_waiting(ident: int) -> bool:
    """Whether the thread waits for a lock."""
    return sys._current_frames()[ident].f_code is threading.Condition.wait.__code__


def run_python(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", program, *arguments],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


def test_one_call_after_the_other_is_served_by_the_same_thread() -> None:
    async def ident() -> int:
        return threading.get_ident()

    async def inside() -> int:
        return call(ident())

    assert call(thread()) == "citeseek-door"
    assert {call(ident()), asyncio.run(inside()), elsewhere(lambda: call(ident()))} == {
        call(ident())
    }
    doors = [one for one in threading.enumerate() if one.name == "citeseek-door"]
    assert all(door.daemon for door in doors)


def test_what_the_work_raises_is_raised() -> None:
    async def work() -> None:
        raise LookupError("this")

    with pytest.raises(LookupError, match="this"):
        call(work())


def test_work_may_call_in_its_turn_even_from_a_thread_that_it_waits_for() -> None:
    async def work(depth: int) -> int:
        if depth == 0:
            return threading.get_ident()
        return elsewhere(lambda: call(work(depth - 1))) if depth % 2 else call(work(depth - 1))

    assert call(work(3)) != call(work(0))


def test_work_that_holds_its_loop_up_holds_nobody_else_up() -> None:
    begun, go_on = threading.Event(), threading.Event()

    async def work() -> bool:
        begun.set()
        return go_on.wait(10)

    with ThreadPoolExecutor(1) as others:
        held_up = others.submit(call, work())
        assert begun.wait(10)
        call(thread())
        go_on.set()
        assert held_up.result()


def test_an_interrupted_caller_lets_the_work_put_things_back() -> None:
    put_back = []
    caller = threading.get_ident()

    async def work() -> None:
        try:
            while not is_waiting(caller):  # noqa: ASYNC110 - a thread that begins to wait sets no event
                await asyncio.sleep(0)
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            put_back.append(True)

    with pytest.raises(KeyboardInterrupt):
        call(work())
    assert put_back


async def test_a_loop_reaches_the_portal_without_standing_still() -> None:
    here = asyncio.get_running_loop()
    answer = asyncio.Event()
    answered = threading.Event()

    async def work() -> bool:
        here.call_soon_threadsafe(answer.set)
        return await asyncio.to_thread(answered.wait, 10)

    reached = asyncio.create_task(KEEPER.reach(work()))
    await answer.wait()
    answered.set()
    assert await reached


async def test_to_cancel_who_reaches_cancels_the_work() -> None:
    begun, cancelled = threading.Event(), threading.Event()

    async def work() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    reaching = asyncio.create_task(KEEPER.reach(work()))
    assert await asyncio.to_thread(begun.wait, 10)
    reaching.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reaching
    assert await asyncio.to_thread(cancelled.wait, 10)


def test_what_is_done_for_good_is_done_in_a_thread_that_lasts() -> None:
    def name() -> str:
        return threading.current_thread().name

    assert for_good(name) == threading.main_thread().name
    assert elsewhere(lambda: for_good(name)) == "citeseek-keeper"


def test_a_keeper_is_not_held_up_by_what_the_door_runs() -> None:
    async def work() -> str:
        return for_good(lambda: threading.current_thread().name)

    assert call(work()) == "citeseek-keeper"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_child_has_a_portal_of_its_own() -> None:
    done = run_python(
        """
import os
from citeseek.concurrency.portal import call
async def pid(): return os.getpid()
assert call(pid()) == os.getpid()
if child := os.fork():
    os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
os._exit(0 if call(pid()) == os.getpid() else 1)
"""
    )
    assert done.returncode == 0, done.stderr


def test_a_portal_is_started_by_its_first_call() -> None:
    before = threading.active_count()
    portal = Portal("tea")
    assert threading.active_count() == before
    assert portal.call(thread()) == "tea"


ROUNDS = """
import asyncio, sys, threading
import citeseek
from citeseek import Client, Settings

config = {"engines": {"searxng": {"base_url": sys.argv[1], "transport": sys.argv[2]}}}
settings = Settings.load(config=config, agents={}, env={})

def once():
    assert citeseek.search("tea", engine="searxng", settings=settings).count == 1

def in_a_thread_that_ends(work):
    one = threading.Thread(target=work)
    one.start()
    one.join()

async def in_a_loop(work):
    work()
"""
CALLERS = {
    "threads that end": "for _ in range(5): in_a_thread_that_ends(once)",
    "loops": "for _ in range(5): asyncio.run(in_a_loop(once))",
    "a thread, then the main one": "in_a_thread_that_ends(once)\nfor _ in range(3): once()",
    "loops in threads that end, one client": """
client = Client(settings)
for n in range(5):
    in_a_thread_that_ends(lambda: asyncio.run(client.search(f"tea {n}", engine="searxng")))
    client.search_sync(f"cup {n}", engine="searxng")
asyncio.run(client.close())
""",
}


@pytest.mark.sample(2)
@pytest.mark.parametrize("transport", ["pyreqwest", "primp"])
@pytest.mark.parametrize("caller", CALLERS.values(), ids=CALLERS.keys())
def test_an_http_client_outlives_the_thread_that_first_used_it(
    server: LoopbackServer, caller: str, transport: str
) -> None:
    """Imported in a thread that has ended, pyreqwest crashes the process at its next use."""
    server.otherwise(
        replies.as_json({"results": [{"title": "T", "url": "https://e.example/", "content": ""}]})
    )
    done = run_python(f"{ROUNDS}\n{caller}\nprint('done')", server.base_url, transport)
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr
    assert not done.stderr
