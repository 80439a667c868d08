"""An answer of primp reaches its caller's event loop once, and one that has ended in silence."""

from __future__ import annotations

import asyncio
import gzip
import subprocess
import sys
from typing import Any

import pytest
from tests.loopback import LoopbackServer, Reply

from citeseek.http import Transports
from citeseek.http.exchange import Exchange
from citeseek.models import Request

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


async def test_what_an_open_loop_refuses_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise RuntimeError("not now")

    exchange = Exchange("http://a.example/", max_bytes=100)
    with monkeypatch.context() as patch:
        patch.setattr(asyncio.get_running_loop(), "call_soon_threadsafe", refuse)
        with pytest.raises(RuntimeError, match="not now"):
            exchange.fail(ValueError())


async def test_a_body_of_many_pieces_wakes_the_loop_once(
    server: LoopbackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = b"".join(b"%d tea\n" % number for number in range(20_000))
    server.otherwise(Reply(200, {"Content-Encoding": "gzip"}, gzip.compress(body)))
    loop = asyncio.get_running_loop()
    woken, wake = [], loop.call_soon_threadsafe

    def count(callback: Any, *arguments: Any, **more: Any) -> Any:
        woken.append(callback)
        return wake(callback, *arguments, **more)

    monkeypatch.setattr(loop, "call_soon_threadsafe", count)
    transports = Transports()
    page = await transports.get("primp").send(
        Request(url=server.base_url), seconds=10, max_bytes=len(body)
    )
    assert page.body == body
    assert len(woken) == 1
    await transports.close()


@pytest.mark.parametrize("sent", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\ntea"])
async def test_an_exchange_that_is_given_up_ends_its_connection(sent: bytes) -> None:
    asked, left = asyncio.Event(), asyncio.Event()

    async def hang(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(sent)
        await writer.drain()
        asked.set()
        await reader.read()
        left.set()
        writer.close()

    async with await asyncio.start_server(hang, "127.0.0.1", 0) as listener:
        port = listener.sockets[0].getsockname()[1]
        transports = Transports()
        sending = asyncio.create_task(
            transports.get("primp").send(
                Request(url=f"http://127.0.0.1:{port}/"), seconds=60, max_bytes=1_000
            )
        )
        await asked.wait()
        sending.cancel()
        await asyncio.wait([sending])
        assert sending.cancelled()
        async with asyncio.timeout(20):
            await left.wait()
        await transports.close()
