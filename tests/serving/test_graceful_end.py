"""A server that is told to end, or to be replaced, while it answers: nobody loses anything."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http.client import HTTPException
from pathlib import Path
from typing import Any

import pytest
from tests.loopback.models import HANG, ModelServer
from tests.loopback.signals import Signal
from tests.serving.command import Process, serving
from tests.serving.running import Caller, Sent, events
from tests.shared_state.server import ValkeyServer

pytestmark = [pytest.mark.release, pytest.mark.timeout(300)]

READERS = 6
WORKERS = 2
SECONDS = 60


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def until(look: Callable[[], Any]) -> None:
    end = time.monotonic() + SECONDS
    while not look():
        assert time.monotonic() < end, "what was waited for never came"
        time.sleep(0.02)


def ask(server: Process) -> str:
    """Ask in a new conversation, and return the path of the answer."""
    session = server.call("POST", "/api/v1/sessions", {"search": False}).json()["id"]
    asked = server.call("POST", f"/api/v1/sessions/{session}/messages", {"text": "What is tea?"})
    path: str = asked.json()["events"]
    return path


def turns(server: Process, answer: str) -> list[tuple[str, str]]:
    """Return outcome and text of the turns of the conversation of an answer."""
    shown = server.call("GET", answer.partition("/answers/")[0]).json()
    return [(turn["outcome"], turn["answer"]) for turn in shown["turns"]]


class Reader:
    """Reads an answer to its end, from wherever it is told, behind what has come."""

    def __init__(self, base_url: str, answer: str) -> None:
        self._call = Caller(base_url)
        self._answer = answer
        self.told: list[Sent] = []
        self.begun = Signal()

    def read(self) -> list[Sent]:
        end = time.monotonic() + SECONDS
        while not (self.told and self.told[-1].kind == "done"):
            assert time.monotonic() < end, "the answer has no end"
            headers = {"Last-Event-ID": self.told[-1].id} if self.told else {}
            with (
                suppress(OSError, HTTPException),
                self._call.opened("GET", self._answer, headers=headers) as response,
            ):
                assert response.status in (200, 503), response.read()
                for event in events(response) if response.status == 200 else ():
                    self.told.append(event)
                    if event.kind == "token":
                        self.begun.set()
        return self.told


def as_rows(told: list[Sent]) -> list[tuple[str, str, Any]]:
    return [(event.id, event.kind, event.data) for event in told]


def test_what_is_under_way_ends_with_its_readers_and_nothing_new_is_taken(
    tmp_path: Path, model: ModelServer
) -> None:
    more = Signal()
    model.says("Tea ", more, "is a leaf.", chunk=4)
    with serving(tmp_path, alone=True, **model.env) as server, ThreadPoolExecutor(1) as pool:
        answer = ask(server)
        reader = Reader(server.base_url, answer)
        reading = pool.submit(reader.read)
        assert reader.begun.wait()
        os.kill(server.pid, signal.SIGTERM)
        until(lambda: is_refused(server))
        more.set()
        assert reading.result()[-1].data["answer"] == "Tea is a leaf."
        assert server.ended()[0] == -signal.SIGTERM
    with serving(tmp_path, **model.env) as server:
        assert turns(server, answer) == [("answered", "Tea is a leaf.")]


def is_refused(server: Process) -> bool:
    try:
        server.call("GET", "/api/v1/sessions")
    except OSError:
        return True
    return False


@pytest.mark.parametrize("how", ["in time", "twice", "at once"])
def test_what_does_not_end_is_stopped_and_kept(
    tmp_path: Path, model: ModelServer, how: str
) -> None:
    model.says("Tea is", HANG)
    grace = "1" if how == "in time" else "3600"
    with (
        serving(tmp_path, alone=True, CITESEEK_GRACE_SECONDS=grace, **model.env) as server,
        ThreadPoolExecutor(1) as pool,
    ):
        answer = ask(server)
        reader = Reader(server.base_url, answer)
        pool.submit(reader.read)
        assert reader.begun.wait()
        os.kill(server.pid, signal.SIGINT if how == "at once" else signal.SIGTERM)
        if how == "twice":
            until(lambda: is_refused(server))
            os.kill(server.pid, signal.SIGTERM)
        server.ended()
        # Nobody is there to read from.
        reader.told.append(Sent(["event: done"]))
    with serving(tmp_path, **model.env) as server:
        assert turns(server, answer) == [("stopped", "Tea is")]


@pytest.mark.valkey
def test_all_are_replaced_while_they_answer_and_no_reader_loses_an_event(
    tmp_path: Path, model: ModelServer
) -> None:
    more = Signal()
    model.says("Tea ", more, "is a leaf, and ", "so on. " * 40, chunk=4, always=True)
    (tmp_path / "valkey").mkdir()
    with (
        ValkeyServer(tmp_path / "valkey") as valkey,
        serving(
            tmp_path,
            "--workers",
            str(WORKERS),
            alone=True,
            CITESEEK_REDIS_URL=valkey.url,
            **model.env,
        ) as server,
        ThreadPoolExecutor(READERS) as pool,
    ):
        first = server.children()
        assert len(first) == WORKERS
        readers = [Reader(server.base_url, ask(server)) for _ in range(READERS)]
        reading = [pool.submit(reader.read) for reader in readers]
        for reader in readers:
            assert reader.begun.wait()
        os.kill(server.pid, signal.SIGHUP)
        until(lambda: len(server.children() - first) == WORKERS)
        # The new ones take questions, and the old ones have answers to end.
        assert server.children() & first
        another = Reader(server.base_url, ask(server))
        more.set()
        told = [each.result() for each in reading]
        assert another.read()[-1].kind == "done"
        until(lambda: not server.children() & first)
        for reader, events_told in zip(readers, told, strict=True):
            again = Reader(server.base_url, reader._answer)
            assert as_rows(again.read()) == as_rows(events_told)
            ((outcome, text),) = turns(server, reader._answer)
            assert outcome == "answered"
            assert "".join(e.data["text"] for e in events_told if e.kind == "token") == text
        assert server.end(signal.SIGTERM)[0] == 0
