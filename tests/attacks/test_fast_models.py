"""Models that send as fast as the socket takes: others notice nothing, and the server's memory."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.attacks.bystanders import SOON_SECONDS, bound, bystander, p99
from tests.loopback import Reply
from tests.loopback.models import ModelServer
from tests.loopback.wire import Wire
from tests.serving.command import Process, serving

pytestmark = pytest.mark.release

HEAD = replace(
    Reply(200, {"Content-Type": "text/event-stream", "Connection": "close"}), chunked=True
)
WORDS = "Green tea is steamed. It is rolled by hand, and dried.\n\n"
CHARS = 1_000_000
# A long answer takes some 40 MB; without a limit, one delta of 50 MB took 625.
MORE_BYTES = 200 * 1024 * 1024
# Longer than a server at work takes to read 100,000 events in which nothing is said.
SECONDS = "20"


def delta(**said: str) -> bytes:
    choice = {"index": 0, "delta": said, "finish_reason": None}
    return b"data: %b\n\n" % json.dumps({"choices": [choice]}).encode()


def end() -> bytes:
    choice = {"index": 0, "delta": {}, "finish_reason": "stop"}
    return b"data: %b\n\ndata: [DONE]\n\n" % json.dumps({"choices": [choice]}).encode()


def sends(model: ModelServer, blocks: Iterable[bytes]) -> None:
    """Let ``model`` send ``blocks``, each a part of a stream, as fast as they are taken."""

    async def script(wire: Wire) -> None:
        await wire.send(HEAD.head())
        for block in blocks:
            await wire.send(b"%x\r\n%b\r\n" % (len(block), block))
        await wire.send(b"0\r\n\r\n")

    model.http.on("/v1/chat/completions", Reply(script=script))


def small_deltas() -> Iterator[bytes]:
    """Give ``CHARS`` characters, four in each event."""
    text = WORDS * (CHARS // len(WORDS) + 1)
    for start in range(0, CHARS, 4_000):
        block = text[start : min(start + 4_000, CHARS)]
        yield b"".join(delta(content=block[at : at + 4]) for at in range(0, len(block), 4))
    yield end()


def one_delta() -> Iterator[bytes]:
    yield b'data: {"choices": [{"index": 0, "delta": {"content": "'
    for _ in range(800):
        yield b"x" * 65_536
    yield b'"}}]}\n\n' + end()


def empty_pieces() -> Iterator[bytes]:
    for _ in range(1_000):
        yield delta(content="") * 100
    yield delta(content="Steamed.") + end()


def endless_event() -> Iterator[bytes]:
    yield delta(content="Steamed.") + b'data: {"choices": [{"index": 0, "delta": {"content": "'
    while True:
        yield b"x" * 65_536


def endless_silence() -> Iterator[bytes]:
    while True:
        yield (delta(content="") + b": alive\n\n") * 500


def hostile_texts() -> Iterator[bytes]:
    """Yield one delta for each text that takes more than its length where it is read carelessly."""
    for begin, more in HOSTILE:
        yield delta(content=f"{begin}{more * (20_000 // len(more))}\n\n")
    yield delta(content="Steamed.") + end()


def memory(server: Process) -> int:
    """Return the most memory that the process has had, in bytes."""
    status = Path(f"/proc/{server.pid}/status").read_text()
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    assert found
    return int(found[1]) * 1024


class Watched:
    """What a reader of an answer was sent."""

    def __init__(self, server: Process) -> None:
        self.server = server
        self.events: list[tuple[str, Any]] = []

    @property
    def text(self) -> str:
        return "".join(data["text"] for kind, data in self.events if kind == "token")

    def ask(self) -> str:
        """Ask a question; return the address of the answer's events."""
        call = self.server.call
        self.session = call("POST", "/api/v1/sessions", {}).json()["id"]
        path = f"/api/v1/sessions/{self.session}/messages"
        return str(call("POST", path, {"text": "tea?"}).json()["events"])

    def follow(self, path: str, is_last: Callable[[str, Any], bool]) -> None:
        """Read the events of ``path`` up to the last that is wanted."""
        kind = ""
        with self.server.call.opened("GET", path) as stream:
            for line in stream:
                name, _, value = line.decode().rstrip("\n").partition(": ")
                if name == "event":
                    kind = value
                elif name == "data":
                    self.events.append((kind, json.loads(value)))
                    if is_last(kind, self.events[-1][1]):
                        return


def is_done(kind: str, _: Any) -> bool:
    return kind == "done"


def is_whole(kind: str, data: Any) -> bool:
    """Whether the page was sent a turn that is over."""
    return kind == "turn" and 'data-outcome="answered"' in data["html"]


@contextmanager
def attacked(tmp_path: Path, **env: str) -> Iterator[tuple[Process, ModelServer]]:
    """Start a server and its model, and answer once: what that imports is not what is measured."""
    with ModelServer() as model, serving(tmp_path, alone=True, **model.env, **env) as server:
        sends(model, [delta(content="Steamed.") + end()])
        first = Watched(server)
        first.follow(first.ask(), is_done)
        yield server, model


def check_bystander(took: list[float], quiet: list[float]) -> None:
    assert p99(took) < bound(quiet)
    assert max(took) < SOON_SECONDS


def test_a_long_fast_answer_over_rest_and_the_page(tmp_path: Path) -> None:
    blocks = list(small_deltas())
    with attacked(tmp_path, CITESEEK_MODEL_MAX_CHARS="2000000") as (server, model):
        with bystander(server) as quiet:
            time.sleep(1)
        before = memory(server)
        sends(model, blocks)
        program, page = Watched(server), Watched(server)
        with bystander(server) as took, ThreadPoolExecutor(1) as pool:
            events = program.ask()
            reading = pool.submit(page.follow, f"/c/{program.session}/events", is_whole)
            program.follow(events, is_done)
            reading.result()
        more = memory(server) - before
    assert program.text == (WORDS * (CHARS // len(WORDS) + 1))[:CHARS]
    # Far fewer events than the 250,000 deltas: what waits goes as one.
    assert len(program.events) < 25_000
    assert len(page.events) < 5_000
    assert more < MORE_BYTES
    check_bystander(took, quiet)


# Marks of calls and of headers, and what may stand behind them without an end.
HOSTILE = [
    ("- ", "- a\n"),
    ("", "[a]("),
    ("", "</think>"),
    ("<tool_call>", "a</tool_call>"),
    ("<|channel|>a", " "),
    ("<tool_call>", "{}"),
    ("<function=a", "<parameter=q>"),
    ("<tool_call>b", "<arg_key>"),
    ("<tool_call>a", "\\'"),
    ("<start_function_call>", "call:a{b:<escape>"),
    ("<tool_call>", "a"),
]
ENDINGS = {
    "one_delta": (one_delta, "cut_max_chars", 200_000),
    "endless_event": (endless_event, "cut_max_chars", 200_000),
    "empty_pieces": (empty_pieces, "", len("Steamed.")),
    "endless_silence": (endless_silence, "model", 0),
}


def test_models_without_measure(tmp_path: Path) -> None:
    with attacked(tmp_path, CITESEEK_MODEL_TIMEOUT=SECONDS) as (server, model):
        with bystander(server) as quiet:
            time.sleep(1)
        before = memory(server)
        for name, (blocks, code, chars) in ENDINGS.items():
            sends(model, blocks() if name.startswith("endless") else list(blocks()))
            reader = Watched(server)
            with bystander(server) as took:
                reader.follow(reader.ask(), is_done)
            told = [data for kind, data in reader.events if kind == "notice"]
            assert [each["code"] for each in told] == ([code] if code else []), name
            assert len(reader.text) == chars, name
            if code == "model":
                assert told[0]["values"]["detail_code"] == "timeout"
            assert len(reader.events) < 1_000, name
            assert memory(server) - before < MORE_BYTES, name
            check_bystander(took, quiet)


def test_a_text_costs_what_it_is_long(tmp_path: Path) -> None:
    with attacked(tmp_path, CITESEEK_MODEL_MAX_CHARS="2000000") as (server, model):
        with bystander(server) as quiet:
            time.sleep(1)
        sends(model, list(hostile_texts()))
        reader = Watched(server)
        with bystander(server) as took:
            reader.follow(reader.ask(), is_done)
    assert [data["outcome"] for kind, data in reader.events if kind == "done"] == ["answered"]
    check_bystander(took, quiet)
