"""Many readers of answers, and the model that writes them, in a process of their own.

They share the machine with the server that is measured, so they do the least that HTTP allows: raw
sockets, and no more of an event is looked at than its kind and its word.

    python -m benchmarks.crowd      prints the port of its model, then obeys lines of JSON
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import asdict, dataclass
from typing import Self
from urllib.parse import urlsplit

from benchmarks.deployment import Model

_TOKEN, _SEARCHED, _DONE = b"event: token", b"event: search_done", b"event: done"
# The words of an answer after whose start it is measured, as a share of all.
_WARM = 0.2


@dataclass(frozen=True)
class Order:
    """Have ``answers`` written side by side by the server at ``url``, each of ``words`` words.

    One word comes every ``pause`` seconds. With ``search`` each searches before.
    """

    url: str
    answers: int
    words: int
    pause: float
    search: bool = False


@dataclass(frozen=True)
class Heard:
    """What readers got: answers that ended well, and milliseconds.

    ``words`` are from the model's sending of a word to its reader, ``first`` from the end of the
    search to the first word, for each answer that searched.
    """

    done: int
    words: list[float]
    first: list[float]


class Crowd:
    """The other end of the process: orders go in, what was heard comes out."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.model_port = int(self._line())

    @classmethod
    @contextmanager
    def start(cls) -> Iterator[Self]:
        """Run the process."""
        command = [sys.executable, "-m", "benchmarks.crowd"]
        pipe = subprocess.PIPE
        with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
            try:
                yield cls(process)
            finally:
                process.terminate()

    def begin(self, order: Order) -> None:
        """Have the order done; it is under way when this returns."""
        stdin = self._process.stdin
        assert stdin  # noqa: S101 - it was made with one
        print(json.dumps(asdict(order)), file=stdin, flush=True)

    def wait_for_words(self) -> None:
        """Return when each answer of the order has its first word."""
        self._line()

    def heard(self) -> Heard:
        """Return what came of the order, when it is done."""
        return Heard(**json.loads(self._line()))

    def _line(self) -> str:
        stdout = self._process.stdout
        assert stdout  # noqa: S101 - it was made with one
        return stdout.readline()


async def _read(order: Order, heard: Heard, begun: asyncio.Semaphore) -> int:
    """Have one question answered, and note what was heard of it; return whether it ended well.

    ``begun`` is released at its first word.
    """
    async with _post(order.url, "/api/v1/sessions", {"search": order.search}) as made:
        session = json.loads(await made.read())["id"]
    path = f"/api/v1/sessions/{session}/messages"
    question = {"text": "How is tea made?"}
    async with _post(order.url, path, question, b"text/event-stream") as events:
        return await _follow(events, order, heard, begun)


async def _follow(
    events: asyncio.StreamReader, order: Order, heard: Heard, begun: asyncio.Semaphore
) -> int:
    seen, searched, kind = 0, 0, b""
    while line := await events.readline():
        if line.startswith(b"event: "):
            kind = line.rstrip()
        elif line.startswith(b"data: "):
            now = time.monotonic_ns()
            if kind == _SEARCHED:
                searched = now
            elif kind == _DONE:
                return 1
            elif kind == _TOKEN:
                if not seen:
                    begun.release()
                    if searched:
                        heard.first.append((now - searched) / 1e6)
                words = json.loads(line[6:])["text"].split()
                seen += len(words)
                if seen > order.words * _WARM:
                    heard.words.extend((now - int(word)) / 1e6 for word in words)
    return 0


@asynccontextmanager
async def _post(
    url: str, path: str, body: object, accept: bytes = b"*/*"
) -> AsyncIterator[asyncio.StreamReader]:
    """Yield the body of the answer, which comes in no chunks under HTTP/1.0."""
    where = urlsplit(url)
    reader, writer = await asyncio.open_connection(where.hostname, where.port)
    sent = json.dumps(body).encode()
    writer.write(
        b"POST %b HTTP/1.0\r\nHost: %b\r\nAccept: %b\r\nContent-Type: application/json\r\n"
        b"Content-Length: %d\r\n\r\n%b"
        % (path.encode(), where.netloc.encode(), accept, len(sent), sent)
    )
    status, *_ = (await reader.readuntil(b"\r\n\r\n")).split(b"\r\n")
    if not status.split()[1].startswith(b"2"):
        raise RuntimeError(f"{path}: {status.decode()} {(await reader.read()).decode()}")
    yield reader
    writer.close()


async def _obey() -> None:
    lines = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    async with Model(0, 0) as model:
        print(model.port, flush=True)
        while line := await lines.readline():
            order = Order(**json.loads(line))
            model.pieces, model.pause = order.words, order.pause
            heard, begun = Heard(0, [], []), asyncio.Semaphore(0)
            async with asyncio.TaskGroup() as group:
                readers = [_read(order, heard, begun) for _ in range(order.answers)]
                answers = [group.create_task(reader) for reader in readers]
                for _ in answers:
                    await begun.acquire()
                print("began", flush=True)
            done = sum(answer.result() for answer in answers)
            print(json.dumps({**asdict(heard), "done": done}), flush=True)


if __name__ == "__main__":
    asyncio.run(_obey())
