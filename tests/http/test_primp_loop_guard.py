"""An HTTP client that answers in the moment in which its caller's event loop ends says nothing."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from typing import Any

import pytest
from tests.loopback import LoopbackServer, Reply

from citeseek.http.impersonating import Delivery

# The client waits at its exit for the threads that deliver, so that nothing is printed later.
ENDING_WHEN_ANSWERED = """
import asyncio, sys, threading
from citeseek.http import Transports
from citeseek.models import Request

class EndingLoop(asyncio.SelectorEventLoop):
    asking, has_ended = None, threading.Event()

    def call_soon_threadsafe(self, callback, *args, **more):
        if threading.current_thread() is not threading.main_thread() and self.asking:
            super().call_soon_threadsafe(self.asking.cancel)
            self.has_ended.wait(10)
            print("late")
        return super().call_soon_threadsafe(callback, *args, **more)

    def close(self):
        super().close()
        self.has_ended.set()

async def ask():
    asyncio.get_running_loop().asking = asyncio.current_task()
    await transport.send(Request(url=sys.argv[1]), seconds=10, max_bytes=100)

transport = Transports().get("primp")
with asyncio.Runner(loop_factory=EndingLoop) as runner:
    try:
        runner.run(ask())
    except asyncio.CancelledError:
        print("cancelled")
"""


def test_an_answer_after_the_end_of_the_loop_is_dropped_in_silence(server: LoopbackServer) -> None:
    server.otherwise(Reply(200, {"Content-Type": "text/plain"}, b"tea"))
    ended = subprocess.run(
        [sys.executable, "-c", ENDING_WHEN_ANSWERED, server.base_url],
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    assert sorted(ended.stdout.split()) == ["cancelled", "late"]
    assert ended.stderr == ""


def test_what_an_open_loop_refuses_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise RuntimeError("not now")

    loop = asyncio.new_event_loop()
    monkeypatch.setattr(loop, "call_soon_threadsafe", refuse)
    try:
        with pytest.raises(RuntimeError, match="not now"):
            Delivery(loop).call_soon_threadsafe(print)
    finally:
        loop.close()
