"""Chat: a streamed answer arrives whole, however its bytes are cut on their way.

The events of a case are put into the words of OpenAI's protocol, their text as it is, and are sent
by a real server to the real client, each piece in an HTTP chunk of its own.
"""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Iterator

from langchain_core.messages import HumanMessage
from tests.loopback import LoopbackServer, Reply
from tests.loopback.wire import Wire

from citeseek import Settings
from citeseek.language_model.model import Model, load_model
from citeseek.language_model.streaming.answer import pieces
from tools.cases import Case, NotBuilt
from tools.cases.expectations import differences

_PATH = "/v1/chat/completions"
_HEAD = Reply(200, {"Content-Type": "text/event-stream"}, chunked=True).head()
_DELTA, _DONE = b"data: ", b"[DONE]"


def decoded(case: Case) -> list[str]:
    """Check ``chat.sse_decode``."""
    given = case["input"]
    body = _in_openai_words(base64.b64decode(given["event_bytes_b64"]))
    return [
        f"{cut}: {wrong}"
        for cut, text in asyncio.run(_arrived(body, given["cut"]))
        for wrong in differences(case["expect"], {"text": text})
    ]


def _in_openai_words(body: bytes) -> bytes:
    """Return the events with ``{"delta": "text"}`` as OpenAI says it; nothing else is changed."""
    lines = []
    for line in body.split(b"\n"):
        if line.startswith(_DELTA) and not line.endswith(_DONE):
            delta = {"content": json.loads(line.removeprefix(_DELTA))["delta"]}
            event = {"choices": [{"index": 0, "delta": delta}]}
            line = _DELTA + json.dumps(event, ensure_ascii=False).encode()  # noqa: PLW2901
        lines.append(line)
    return b"\n".join(lines)


def _cuts(body: bytes, how: str) -> Iterator[tuple[str, list[bytes]]]:
    """Give each way to cut ``body``, with its name."""
    if how == "every_byte_position":
        for at in range(1, len(body)):
            yield f"cut at {at}", [body[:at], body[at:]]
    elif how == "one_byte_per_chunk":
        yield how, [body[at : at + 1] for at in range(len(body))]
    else:
        raise NotBuilt(f"cut {how!r}")


async def _arrived(body: bytes, how: str) -> list[tuple[str, str]]:
    """Return the text that arrives for each cut."""
    cuts = dict(_cuts(body, how))
    with LoopbackServer() as server:
        env = {"CITESEEK_MODEL": "test", "CITESEEK_MODEL_BASE_URL": server.url("/v1")}
        model = load_model(Settings.load(config={}, agents={}, env=env))
        server.on(_PATH, *(_in_pieces(cut) for cut in cuts.values()))
        texts = [await _said(model) for _ in cuts]
        await model.close()
    return list(zip(cuts, texts, strict=True))


def _in_pieces(cut: list[bytes]) -> Reply:
    async def script(wire: Wire) -> None:
        await wire.send(_HEAD)
        for piece in (*cut, b""):
            await wire.send(b"%x\r\n%b\r\n" % (len(piece), piece))

    return Reply(script=script)


async def _said(model: Model) -> str:
    return "".join([piece.text async for piece in pieces(model, [HumanMessage("?")])])
