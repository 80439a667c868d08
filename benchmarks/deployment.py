"""Several servers at one Valkey and one Postgres, all real processes, and a model that streams.

What behaves as a round-robin proxy in front of them asks the next one each time.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any, Literal, Self, TypeAlias

import httpx
import psycopg
from redis import Redis
from tests.postgres_server import PostgresServer
from tests.shared_state.server import ValkeyServer

START_SECONDS = 120

Shared: TypeAlias = frozenset[Literal["valkey", "postgres"]]
ALL: Shared = frozenset({"valkey", "postgres"})


class Model:
    """An OpenAI-compatible server that streams ``pieces`` words, each after ``pause`` seconds.

    A word is the time at which it was sent, in nanoseconds of the monotonic clock.
    """

    def __init__(self, pieces: int, pause: float) -> None:
        self.pieces, self.pause = pieces, pause
        self.port = 0

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._answer, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            length = next(
                int(line.partition(b":")[2])
                for line in head.lower().split(b"\r\n")
                if line.startswith(b"content-length")
            )
            await reader.readexactly(length)
            writer.write(
                b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
            )
            for _ in range(self.pieces):
                writer.write(_chunk({"content": f"{time.monotonic_ns()} "}))
                await writer.drain()
                await asyncio.sleep(self.pause)
            writer.write(_chunk({}, "stop") + b"data: [DONE]\n\n")
            await writer.drain()
        writer.close()


def _chunk(delta: object, finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    chunk = {
        "id": "c",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "m",
        "choices": [choice],
    }
    return f"data: {json.dumps(chunk)}\n\n".encode()


class Server:
    """One ``citeseek serve`` on a port of its own, which it keeps when it is started again."""

    def __init__(self, env: dict[str, str], log: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._env, self._log = env, log
        self.start()

    def start(self) -> None:
        """Start the process; it answers some seconds later."""
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "citeseek", "serve", "--port", str(self.port)],
                env=self._env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def start_again(self) -> None:
        """Start it where it has ended."""
        if self.process.poll() is not None:
            self.start()

    def kill(self) -> None:
        """End it as nothing can prepare for."""
        self.process.kill()
        self.process.wait()

    def processor_seconds(self) -> float:
        """Return what it used so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory_mb(self) -> float:
        """Return the memory that is its own or shared."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6

    def threads(self) -> int:
        """Return how many threads it has."""
        return len(os.listdir(f"/proc/{self.process.pid}/task"))  # noqa: PTH208 - only counted

    def open_files(self) -> int:
        """Return how many files and sockets it has open."""
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))  # noqa: PTH208 - only counted

    async def ready(self) -> None:
        """Return when it answers."""
        until = time.monotonic() + START_SECONDS
        async with httpx.AsyncClient() as client:
            while True:
                with suppress(httpx.HTTPError):
                    (await client.get(f"{self.url}/api/v1/sessions")).raise_for_status()
                    return
                if time.monotonic() > until:
                    raise TimeoutError(self._log.read_text())
                await asyncio.sleep(0.1)


class Deployment:
    """``count`` servers that answer with the model at a port and share what ``shares`` names.

    ``config`` is in their config.json. Questions go to the first ``used`` of them, at first to all.
    """

    def __init__(
        self,
        count: int,
        model_port: int,
        shares: Shared = ALL,
        config: Mapping[str, Any] | None = None,
    ) -> None:
        self._count, self._model_port, self._shares = count, model_port, shares
        self._config = config or {}
        self.used = count
        self.database = ""
        self.servers: list[Server] = []
        self._turn = itertools.count()

    async def __aenter__(self) -> Self:
        self._stack = AsyncExitStack()
        folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory()))
        (folder / "config.json").write_text(json.dumps(self._config))
        env = {
            **os.environ,
            "HOME": str(folder),
            "CITESEEK_HOME": str(folder),
            "CITESEEK_MODEL": "openai:m",
            "CITESEEK_MODEL_BASE_URL": f"http://127.0.0.1:{self._model_port}/v1",
            "CITESEEK_MODEL_API_KEY": "k",
            "CITESEEK_CHAT_ENGINE": "stub",
            "CITESEEK_SESSIONS": str(folder / "sessions.sqlite3"),
            "CITESEEK_MAX_ANSWERS": "512",
            "CITESEEK_MAX_STREAMS": "1024",
        }
        if "valkey" in self._shares:
            (folder / "valkey").mkdir()
            self.valkey = self._stack.enter_context(ValkeyServer(folder / "valkey"))
            env["CITESEEK_REDIS_URL"] = self.valkey.url
        if "postgres" in self._shares:
            self.postgres = PostgresServer.make()
            self._stack.callback(self.postgres.remove)
            self.postgres.start()
            self._stack.callback(self.postgres.stop)
            self.database = self.postgres.address(self.postgres.create())
            env["CITESEEK_DATABASE_URL"] = self.database
        for number in range(self._count):
            self.servers.append(Server(env, folder / f"server{number}.log"))
            self._stack.callback(self.servers[-1].kill)
        for server in self.servers:
            await server.ready()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    def kept(self) -> dict[str, float]:
        """Return the operations and bytes of the Valkey, and the rows and bytes of Postgres."""
        with Redis.from_url(self.valkey.url) as valkey:
            operations = valkey.info("stats")["total_commands_processed"]
            streams = list(valkey.scan_iter("citeseek:*:answer:events:*", 1_000))
            used = sum(valkey.memory_usage(stream) or 0 for stream in streams)
        with psycopg.connect(self.database) as connection:
            connection.execute("ANALYZE")
            count = "SELECT sum(n_live_tup) FROM pg_stat_user_tables"
            rows = connection.execute(count).fetchone()
            size = connection.execute("SELECT pg_database_size(current_database())").fetchone()
        assert rows  # noqa: S101 - a sum is one row
        assert size  # noqa: S101 - as is a size
        return {
            "operations": operations,
            "valkey": used,
            "rows": float(rows[0] or 0),
            "postgres": float(size[0]),
        }

    def next_url(self) -> str:
        """Return the address of the server whose turn it is."""
        return self.servers[next(self._turn) % self.used].url
